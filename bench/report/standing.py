"""Who is first and how surely, what wrong labels would do, and whether judges repeat themselves: as Markdown."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from bench.measure.estimate import rounded
from bench.measure.label_noise import LABEL_ERRORS
from bench.measure.noise_figures import NoiseLine
from bench.measure.ranking_figures import RankingLine
from bench.measure.ranks import Rank, Ranking
from bench.measure.repeat_figures import RepeatLine
from bench.measure.sensitivity_figures import SensitivityLine

Grid = Callable[[Iterable[Sequence[str]]], str]
_NAMES = {
    "f1": "F1",
    "mcc": "MCC",
    "cohen_kappa": "Cohen's kappa",
    "balanced_accuracy": "balanced accuracy",
}
RANKING_NOTE = (
    "Who ranks first, by metric, on the items that every judge scored. The share says in how many resamples of the families "
    "a judge is first (tied judges share); it is no probability that the judge is best."
)
NOISE_NOTE = (
    "What the figures would be against the true answers if this share of labels is wrong: first if the errors have nothing to "
    "do with the judge, then if the judge makes the same mistakes. A sensitivity, no correction."
)
REPEAT_NOTE = (
    "The first two samples of a judge as two runs of it. Equivalent: the interval of the difference lies within half the margin. "
    "p is adjusted for all lines (Holm, at .01)."
)
SENSITIVITY_NOTE = (
    "Precision were the share of yes another one and the no as near a miss as the pairs' controls: recall and false alarms "
    "of the primary stratum, false alarms on near misses of the pairs. What the measured rates would give if they carried "
    "over; no estimate of any stream."
)
_MOST_NAMES = 4


def metric_name(name: str) -> str:
    """A metric's name as reports write it."""
    return _NAMES.get(name, name)


def first_place(line: RankingLine, ranking: Ranking) -> tuple[str, str, str]:
    """(who is first, in which share of resamples, who is most often first otherwise)."""
    first = line.winners[ranking.metric]
    if not first:
        reasons = {rank.undefined for rank in ranking.ranks if rank.undefined}
        return f"n/a ({'; '.join(sorted(reasons))})", "n/a", "n/a"
    names = ", ".join(rank.judge for rank in first[:_MOST_NAMES])
    if len(first) > _MOST_NAMES:
        names += f" and {len(first) - _MOST_NAMES} more"
    others = [rank for rank in ranking.ranks if rank not in first and rank.first]
    next_best = max(others, key=lambda rank: rank.first or 0.0, default=None)
    value = "" if first[0].value is None else f" ({rounded(first[0].value)})"
    return names + value, _share(first), f"{next_best.judge} ({_value(next_best.first)})" if next_best else "nobody"


def _share(first: Sequence[Rank]) -> str:
    shares = [rank.first for rank in first if rank.first is not None]
    return rounded(min(sum(shares), 1.0)) if shares else "n/a"


def ranking_sections(lines: Sequence[RankingLine], grid: Grid) -> list[str]:
    """One table a statement and stratum; empty where no two judges can be ranked."""
    parts = ["## Who ranks first", RANKING_NOTE] if lines else []
    for line in lines:
        rows = [[f"{line.statement}, {line.stratum}", "first", "share of resamples", "otherwise most often"]]
        rows += [[metric_name(r.metric), *first_place(line, r)] for r in line.rankings]
        out = f"; {', '.join(line.left_out)} scored nothing here" if line.left_out else ""
        parts += [
            grid(rows),
            f"{line.sentence} {line.items} of {line.labelled} labelled items, {line.families} families{out}.",
        ]
    return parts


def noise_rows(lines: Sequence[NoiseLine], stratum: str, statement: str, metric: str) -> list[list[str]]:
    """Judges by label error, each cell "independent / shared"."""
    rows = []
    for line in lines:
        if (line.stratum, line.statement) == (stratum, statement):
            found = {(v.error, v.model): v.value for v in line.values if v.metric == metric}
            cells = [
                f"{_value(found.get((error, 'independent')))} / {_value(found.get((error, 'shared')))}"
                for error in LABEL_ERRORS[1:]
            ]
            rows.append([line.judge, _value(found.get((0.0, "independent"))), *cells])
    return rows


def noise_tables(lines: Sequence[NoiseLine]) -> list[tuple[str, list[list[str]]]]:
    """(title, rows with a head) for the leading metric of each table."""
    found = []
    for stratum, statement in dict.fromkeys((line.stratum, line.statement) for line in lines):
        known = {v.metric for line in lines if line.stratum == stratum for v in line.values}
        metric = "f1" if "f1" in known else "accuracy"
        title = f"{metric_name(metric)}, {statement}, {stratum}"
        head = [title, "as labelled", *(f"{error:.0%} wrong".replace("%", " %") for error in LABEL_ERRORS[1:])]
        found.append((title, [head, *noise_rows(lines, stratum, statement, metric)]))
    return found


def noise_sections(lines: Sequence[NoiseLine], grid: Grid) -> list[str]:
    """The section; the JSON holds the other metrics."""
    tables = noise_tables(lines)
    return ["## If labels were wrong", NOISE_NOTE, *(grid(rows) for _, rows in tables)] if tables else []


def sensitivity_rows(lines: Sequence[SensitivityLine]) -> list[list[str]]:
    """A head and one row a judge; columns are share of yes and share of near misses among the no."""
    if not lines:
        return []
    head = [f"{lines[0].statement}, {lines[0].stratum} and {lines[0].hard_stratum}"]
    head += [
        f"{prevalence:.0%} yes, {hard:.0%} near misses".replace("%", " %") for prevalence, hard, _ in lines[0].points
    ]
    return [head, *([line.judge, *(found.cell() for _, _, found in line.points)] for line in lines)]


def sensitivity_sections(lines: Sequence[SensitivityLine], grid: Grid) -> list[str]:
    """The section; empty where the suite has no primary stratum with pairs beside it."""
    parts = []
    for statement in dict.fromkeys(line.statement for line in lines):
        parts.append(grid(sensitivity_rows([line for line in lines if line.statement == statement])))
    return ["## At other mixes", SENSITIVITY_NOTE, *parts] if parts else []


def repeat_sections(lines: Sequence[RepeatLine], grid: Grid) -> list[str]:
    """The section; empty where no judge is asked more than once."""
    if not lines:
        return []
    rows = [["judge", "where", "metric", "items", "run 1 - run 2", "margin", "verdict", "p"]]
    for line in lines:
        rows.append(
            [line.judge, f"{line.statement}, {line.stratum}", metric_name(line.metric), str(line.items),
             line.repeat.gap.cell(), f"{line.repeat.margin:g}", line.repeat.verdict, f"{line.test.adjusted:.3f}"]
        )  # fmt: skip
    return ["## Judges against themselves", REPEAT_NOTE, grid(rows)]


def _value(value: float | None) -> str:
    return "n/a" if value is None else rounded(value)
