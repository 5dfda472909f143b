"""What a person reads in the terminal: one table, pass@k, the checks, one sentence. Fits 80 columns."""

from __future__ import annotations

from collections.abc import Sequence

from bench.annotations import defused
from bench.benchmark import Benchmark
from bench.measure.estimate import Estimate, rounded
from bench.measure.figures import Table
from bench.measure.pass_figures import PassLine
from bench.report.opening import opening
from bench.terminal.say import say
from bench.terminal.table import columns
from bench.terminal.words import counted, hanging, wrapped

_COLUMNS = (("precision", "precision"), ("recall", "recall"), ("f1", "F1"), ("mcc", "MCC"))
_PAIRED = (("paired_accuracy", "paired acc."), ("recall", "recall"), ("specificity", "specificity"), ("mcc", "MCC"))
_STATUS = 14  # columns of a check's status
_LEGEND = (
    "* too few items or families for the usual interval: read the counts",
    "n/a: undefined, the report says why",
)


def print_benchmark(benchmark: Benchmark, folder: str) -> None:
    """Everything of the main job."""
    print_tables(benchmark)
    print_checks(benchmark)
    say(wrapped(f"report: {folder}/report.md, report.html, report.json, junit.xml"))
    say(wrapped(f"{benchmark.sentence} [exit {benchmark.exit_code}]"))


def print_tables(benchmark: Benchmark) -> None:
    """The headline table, the same for twins, and pass@k."""
    for table in headline_tables(benchmark):
        say(wrapped(headline_of(table)))
        say(columns(table_rows(table)))
        for line in _LEGEND:
            say(wrapped(line))
        say()
    if benchmark.figures.pass_k:
        cases = benchmark.figures.pass_k[0].figures[0].cases
        told = f"pass@k (one of k succeeds) and pass^k (all k do) on {counted(cases, 'case')}"
        say(wrapped(f"{told}: from labels, from each judge"))
        say(columns(pass_rows(benchmark.figures.pass_k)))
        say()
    for conclusion in opening(benchmark):
        say(wrapped(conclusion, rest=""))
    say()


def headline_tables(benchmark: Benchmark) -> list[Table]:
    """The critical statements in the primary and the paired strata; every table where a suite declares neither."""
    critical = {s.id for s in benchmark.suite.suite.statements if s.critical}
    told = [
        table
        for table in benchmark.figures.tables
        if table.statement in critical and (table.stratum.primary or not table.stratum.precision_means_something)
    ]
    return told or list(benchmark.figures.tables)


def headline_of(table: Table) -> str:
    """What the table is about, and how much there is."""
    labels = ", ".join(f"{count} {name}" for name, count in table.labels.items() if count or name in ("yes", "no"))
    where = f"{table.statement} on {table.stratum.id} ({'+'.join(table.splits)})"
    return f"{where}: labels {labels}, {counted(table.families, 'family')}"


def table_rows(table: Table) -> list[tuple[str, ...]]:
    """One row a judge; where it is narrow, an interval stands under its value."""
    wanted = _COLUMNS if table.stratum.precision_means_something else _PAIRED
    rows: list[tuple[str, ...]] = [("judge", *(title for _, title in wanted), "coverage")]
    for line in table.lines:
        rows.append((line.judge, *(_cell(line.metrics[name]) for name, _ in wanted), _cell(line.coverage)))
    return rows


def _cell(estimate: Estimate) -> str:
    if estimate.value is None:
        return "n/a"
    value = rounded(estimate.value)
    if estimate.too_few and estimate.denominator is not None:
        value = f"{estimate.numerator}/{estimate.denominator}"
    mark = "*" if estimate.too_few else ""
    if estimate.low is None or estimate.high is None:
        return value + mark
    return f"{value}{mark} [{rounded(estimate.low)},{rounded(estimate.high)}]"


def pass_rows(lines: Sequence[PassLine]) -> list[tuple[str, ...]]:
    """One row a source."""
    rows: list[tuple[str, ...]] = [("source", *(figure.estimate.name for figure in lines[0].figures))]
    return rows + [(line.source, *(_cell(figure.estimate) for figure in line.figures)) for line in lines]


def print_checks(benchmark: Benchmark) -> None:
    """Each health check with what was found."""
    for check in benchmark.checks:
        say(hanging(check.status, f"{check.name}: {check.found}", _STATUS))
        if check.status in ("not met", "cannot decide"):
            for detail in check.details[:10]:
                say(wrapped(defused(detail), "    ", "      "))
            if len(check.details) > 10:
                say(f"    ... and {len(check.details) - 10} more in report.json")
            if check.fix:
                say(wrapped(f"to mend: {check.fix}", "    ", "      "))
