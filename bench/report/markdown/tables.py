"""Judges as rows: the tables of metrics, of probabilities and of judges that were asked more than once, as Markdown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from bench.measure.figures import Table
from bench.measure.judge_line import JudgeLine
from bench.report.judge_rows import counts, sample_rows, worst_rows
from bench.report.markdown.grid import escaped, grid
from bench.report.votes import SAME_LINEAGE
from bench.report.words import TITLES, shown_metrics

_SUPERSCRIPTS = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")
_UNDEFINED = "n/a ("

Rows = Sequence[Sequence[str]]


def table_title(table: Table) -> str:
    return f"{table.statement}, {table.stratum.id}"


def headline_grid(table: Table) -> list[list[str]]:
    """A head and a row a judge, without what takes explaining."""
    metrics = [metric for metric in shown_metrics(table) if metric != "auroc"]
    rows = [["judge", *(TITLES[metric] for metric in metrics), "coverage"]]
    for line in table.lines:
        cells = [line.metrics[metric] for metric in metrics]
        rows.append([line.judge, *("n/a" if e.value is None else e.cell() for e in cells), line.coverage.cell()])
    return rows


def table_section(table: Table, same_lineage: Mapping[str, str]) -> list[str]:
    """A table with what it is about, and what missing verdicts could do to it."""
    labels = ", ".join(f"{count} {name}" for name, count in table.labels.items())
    about = (
        f"{escaped(table.stratum.meaning)}. Splits: {', '.join(table.splits)}. Labels: {labels}. {table.families} families. "
        f"Share of yes: {table.prevalence.cell()}."
    )
    if not table.stratum.precision_means_something:
        about += " Prevalence is set by design here, so precision and F1 are not given."
    metrics = shown_metrics(table)
    rows = [["judge", *(TITLES[m] for m in metrics), "coverage", "TP FP FN TN"]]
    rows += [
        [_judge(line, same_lineage), *(line.metrics[m].cell() for m in metrics), line.coverage.cell(), counts(line)]
        for line in table.lines
    ]
    return [f"## {table_title(table)}", about, *narrow(rows), *_worst(table)]


def narrow(rows: Rows) -> list[str]:
    """A table in which reasons stand once below it, and what no judge has is said in words in place of a column."""
    absent = [n for n in range(1, len(rows[0])) if len(rows) > 1 and len({r[n] for r in rows[1:]}) == 1]
    absent = [n for n in absent if rows[1][n].startswith(_UNDEFINED)]
    reasons: dict[str, int] = {}
    kept = [[_noted(text, reasons) for n, text in enumerate(row) if n not in absent] for row in rows]
    notes = [f"{_mark(number)} {reason}" for reason, number in reasons.items()]
    notes += [f"{rows[0][n]} is n/a in every row: {rows[1][n].removeprefix(_UNDEFINED)[:-1]}" for n in absent]
    return [grid(kept), *(["n/a: " * bool(reasons) + escaped("; ".join(notes)) + "."] if notes else [])]


def _noted(text: str, reasons: dict[str, int]) -> str:
    if not text.startswith(_UNDEFINED):
        return text
    reason = text.removeprefix(_UNDEFINED)[:-1]
    return f"n/a {_mark(reasons.setdefault(reason, len(reasons) + 1))}"


def _mark(number: int) -> str:
    return str(number).translate(_SUPERSCRIPTS)


def _judge(line: JudgeLine, same_lineage: Mapping[str, str]) -> str:
    return f"{line.judge} ({SAME_LINEAGE})" if line.judge_id in same_lineage else line.judge


def _worst(table: Table) -> list[str]:
    rows = worst_rows(table)
    return ["Were the unscored items all decided wrongly, or all rightly:", grid(rows)] if rows else []


def probability_section(table: Table) -> list[str]:
    """What stated probabilities are worth; empty where no judge states one."""
    lines = [(line.judge, line.probability) for line in table.lines if line.probability is not None]
    if not lines:
        return []
    rows = [["judge", "Brier", "log loss", "calibration error", "of a calibrated judge", "p", "risk over coverage"]]
    for judge, found in lines:
        chance = "n/a" if found.by_chance is None else f"{found.by_chance:.2f}"
        p = "n/a" if found.p_value is None else f"{found.p_value:.3f}"
        rows.append(
            [
                judge,
                found.brier.cell(),
                found.log_loss.cell(),
                found.calibration.cell(),
                chance,
                p,
                found.risk_area.cell(),
            ]
        )
    about = f"At this share of yes only; calibration error is {lines[0][1].definition}."
    return [f"## Probabilities: {table_title(table)}", about, *narrow(rows)]


def sample_section(table: Table) -> list[str]:
    """Judges that were asked more than once; empty without any."""
    rows = sample_rows(table)
    return [f"## Asked more than once: {table_title(table)}", *narrow(rows)] if rows else []
