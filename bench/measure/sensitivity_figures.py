"""Sensitivity curves of each judge: precision at other shares of yes and of near misses, from two strata's rates."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from bench.measure.estimate import Estimate
from bench.measure.judge_line import JudgeLine
from bench.measure.noise_figures import TableLike
from bench.measure.sensitivity import HARD_SHARES, PREVALENCES, precision_at


@dataclass(frozen=True)
class SensitivityLine:
    """One judge: rates on the primary stratum, near misses from a stratum of pairs."""

    statement: str
    stratum: str
    hard_stratum: str
    judge: str
    judge_id: str
    points: tuple[tuple[float, float, Estimate], ...]  # prevalence, share of near misses among the no, precision


def sensitivity_lines(tables: Sequence[TableLike], critical: frozenset[str]) -> tuple[SensitivityLine, ...]:
    """Every judge that has both rates on a critical statement; nothing where the suite has no pairs."""
    found = []
    for table in tables:
        if not table.stratum.primary or table.statement not in critical:
            continue
        for pairs in tables:
            if pairs.statement == table.statement and pairs.stratum.design == "paired_by_design":
                hard = {line.judge_id: line for line in pairs.lines}
                found += [
                    SensitivityLine(
                        table.statement, table.stratum.id, pairs.stratum.id, line.judge, line.judge_id,
                        _points(line, hard[line.judge_id]),
                    )
                    for line in table.lines
                    if line.counts and line.judge_id in hard and hard[line.judge_id].counts
                ]  # fmt: skip
    return tuple(found)


def _points(line: JudgeLine, hard: JudgeLine) -> tuple[tuple[float, float, Estimate], ...]:
    return tuple(
        (
            prevalence,
            share,
            precision_at(
                prevalence, share, line.metrics["recall"], line.metrics["specificity"], hard.metrics["specificity"]
            ),
        )
        for share in HARD_SHARES
        for prevalence in PREVALENCES
    )
