"""What a report opens with: what may be concluded, in plain words, and which layers were measured at all."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from bench.benchmark import Benchmark
from bench.measure.comparison_figures import ComparisonLine
from bench.measure.figures import Figures, Table
from bench.measure.judge_line import JudgeLine
from bench.report.kinds import kind_of
from bench.terminal.words import counted

_VERBS = {  # of a claim that holds, and of one that does not
    "better": ("beats", "does not beat"),
    "not_worse": ("is shown to be no worse than", "is not shown to be no worse than"),
}
NONE_DECLARED = "No comparison is declared in suite.yaml, so no judge is called better than another."


@dataclass(frozen=True)
class Layer:
    """One of the four things to know about a judge: what of it was measured, or that nothing was."""

    id: str  # of the part of the page
    title: str
    question: str
    measured: str | None  # None where nothing was measured

    @property
    def told(self) -> str:
        return self.measured or "Nothing was measured here."


def opening(benchmark: Benchmark) -> tuple[str, ...]:
    """The conclusions: declared claims first, then who cannot be told from chance. At least one sentence."""
    return (*_claims(benchmark.figures.comparisons), *_chance(benchmark))


def _claims(lines: Sequence[ComparisonLine]) -> Iterator[str]:
    if not lines:
        yield NONE_DECLARED
    for statement, stratum, claim in dict.fromkeys((x.entry.statement, x.entry.stratum, x.entry.claim) for x in lines):
        mine = [x for x in lines if (x.entry.statement, x.entry.stratum, x.entry.claim) == (statement, stratum, claim)]
        yield f"{_claim(mine, *_VERBS[claim], f'on {statement} ({stratum})')}."


def _claim(lines: Sequence[ComparisonLine], verb: str, denied: str, where: str) -> str:
    """Claims of one kind in one place: those that hold, each; else that none of the candidates did it."""
    verdicts = [line.decided.verdict if line.decided else "cannot tell" for line in lines]
    held = [line.entry for line, verdict in zip(lines, verdicts, strict=True) if verdict == "holds"]
    failed, unknown = verdicts.count("does not hold"), verdicts.count("cannot tell")
    told = [f"{_claims_counted(failed)} not hold"] if failed else []
    rest = ", ".join([*told, f"{unknown} cannot be told"] if unknown else told)
    margin = "by the declared margin"
    if held:
        wins = "; ".join(f"{e.candidate} {verb} {e.comparator} {margin} ({e.metric}, {e.margin:g})" for e in held)
        return f"{wins} {where}{f'; of the other claims {rest}' if rest else ''}"
    rivals = _either(dict.fromkeys(line.entry.comparator for line in lines))
    candidates = list(dict.fromkeys(line.entry.candidate for line in lines))
    if len(candidates) == 1:
        return f"{candidates[0]} {denied} {rivals} {margin} {where}: {rest}"
    return f"None of the {len(candidates)} judges with a declared claim {verb} {rivals} {margin} {where}: {rest}"


def _claims_counted(count: int) -> str:
    return f"{counted(count, 'claim')} {'does' if count == 1 else 'do'}"


def _either(names: Sequence[str] | dict[str, None]) -> str:
    *first, last = names
    return f"{', '.join(first)} or {last}" if first else last


def _chance(benchmark: Benchmark) -> Iterator[str]:
    """Judges that no table of a critical statement in a primary stratum tells from chance."""
    table = leading_table(benchmark)
    if table is None:
        return
    where = f"on {table.statement} ({table.stratum.id})"
    lines = [line for line in table.lines if kind_of(line.judge) != "control" and line.books.scored]
    measured = [line for line in lines if line.counts]
    open_ones = [line.judge for line in measured if at_chance(line)]
    if lines and not measured:
        yield f"Nothing that a judge scored is labelled {where}, so no judge can be told from chance."
    elif open_ones:
        share = f"{len(open_ones)} of {counted(len(measured), 'judge')}"
        yield f"{share} cannot be told from chance {where}: {', '.join(open_ones)}."
    elif measured:
        yield f"{counted(len(measured), 'judge')} {'is' if len(measured) == 1 else 'are'} told from chance {where}."


def at_chance(line: JudgeLine) -> bool:
    """Whether the judge's MCC is undefined (it gives one answer to all), or its interval holds 0."""
    mcc = line.metrics.get("mcc")
    return mcc is None or mcc.low is None or mcc.high is None or mcc.low <= 0 <= mcc.high


def leading_table(benchmark: Benchmark) -> Table | None:
    """The critical statement in the primary stratum, else the first table there is."""
    critical = {s.id for s in benchmark.suite.suite.statements if s.critical}
    tables = [t for t in benchmark.figures.tables if t.stratum.primary]
    return next((t for t in tables if t.statement in critical), next(iter(tables or benchmark.figures.tables), None))


def layers(benchmark: Benchmark) -> tuple[Layer, ...]:
    """The four layers in reading order. One of which nothing is known says so."""
    figures = benchmark.figures
    return (
        Layer("effectiveness", "Effectiveness", "Does it find what it should find?", _effectiveness(figures)),
        Layer("quality", "Quality of the judge", "May its verdicts and probabilities be relied on?", _quality(figures)),
        Layer("efficiency", "Efficiency", "What does a verdict take?", _efficiency(figures)),
        Layer(
            "governance", "Governance", "What do the figures rest on, and who answers for it?", _governance(benchmark)
        ),
    )


def _effectiveness(figures: Figures) -> str | None:
    scored = sum(line.books.scored for table in figures.tables for line in table.lines)
    if not scored:
        return None
    return f"{len(figures.tables)} tables of a statement in a stratum, {scored:,} verdicts on reported splits."


def _quality(figures: Figures) -> str | None:
    stated = {line.judge for table in figures.tables for line in table.lines if line.probability is not None}
    parts = [f"{len(stated)} judges give probabilities"] if stated else []
    parts += [f"{len(figures.repeats)} repeats of a judge against itself"] if figures.repeats else []
    parts += [f"{len(figures.experiments)} experiments"] if figures.experiments else []
    return f"{', '.join(parts)}." if parts else None


def _efficiency(figures: Figures) -> str | None:
    if not figures.calls:
        return None
    priced = sum(line.usd is not None and not line.cost_unknown for line in figures.calls)
    return (
        f"{len(figures.calls)} judges call models; the cost of {priced} is known. Judges that are code cost no calls."
    )


def _governance(benchmark: Benchmark) -> str | None:
    votes = sum(group.votes for group in benchmark.figures.votes)
    asked = [check for check in benchmark.checks if check.status != "not asked"]
    if not votes and not asked:
        return None
    met = sum(check.status == "met" for check in asked)
    return f"{votes:,} votes, {met} of {len(asked)} health checks met."
