"""pass@k and pass^k from the labels, and from each judge's verdicts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from bench.cases.load import LoadedSuite
from bench.labels.load import Labels
from bench.measure.items import REPORTED_SPLITS, JudgedRows, reported_items
from bench.measure.passk import CaseAttempts, PassEstimate, mean_pass
from bench.schema.suite import PassK


@dataclass(frozen=True)
class PassLine:
    """pass@k and pass^k of one source (the labels, or a judge's verdicts)."""

    source: str
    judge_id: str | None
    figures: tuple[PassEstimate, ...]


def pass_lines(suite: LoadedSuite, judged: JudgedRows, labels: Labels) -> tuple[PassLine, ...]:
    """One line for the labels and one for each judge; none where the suite declares no pass@k."""
    wanted = suite.suite.pass_k
    if wanted is None:
        return ()
    truth: dict[str, CaseAttempts] = {}
    for stratum in wanted.strata:
        for (case, attempt, statement), family in reported_items(suite, stratum, wanted.statement):
            label = labels.label((case, attempt, statement))
            _add(truth, case, family, stratum, None if label.status != "labelled" else label.answer == "yes")
    lines = [_pass_line("labels", None, truth, wanted, suite)]
    for outcome, rows in judged:
        said: dict[str, CaseAttempts] = {}
        for row in rows:
            if row.stratum in wanted.strata and row.statement == wanted.statement and row.split in REPORTED_SPLITS:
                _add(said, row.case, row.family, row.stratum, None if row.answer is None else row.answer == "yes")
        if said:
            lines.append(_pass_line(outcome.judge.judge.name, outcome.judge.id, said, wanted, suite))
    return tuple(lines)


def _add(cases: dict[str, CaseAttempts], case: str, family: str, stratum: str, success: bool | None) -> None:
    held = cases.get(case, CaseAttempts(case, family, 0, 0, stratum))
    if success is not None:
        held = replace(held, attempts=held.attempts + 1, successes=held.successes + success)
    cases[case] = held


def _pass_line(
    source: str, judge_id: str | None, cases: Mapping[str, CaseAttempts], wanted: PassK, suite: LoadedSuite
) -> PassLine:
    kinds = (("pass@k", k) for k in wanted.k), (("pass^k", k) for k in wanted.k if k > 1)
    figures = [
        mean_pass(kind, cases.values(), k, suite.suite.seed, suite.suite.resamples)  # type: ignore[arg-type]
        for group in kinds
        for kind, k in group
    ]
    return PassLine(source, judge_id, tuple(figures))
