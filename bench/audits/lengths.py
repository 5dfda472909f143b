"""Audits of length: what the number of events and of typed prompts tell about the critical statement."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from bench.audits.material import Material, Result
from bench.measure.estimate import Estimate
from bench.measure.ranking import RANK_METRICS, rank_interval, score_families
from bench.measure.rows import Row

_COUNTING = ("length", "prompts")  # the controls whose score is the count itself


def length_on_twins(material: Material) -> Result:
    """Neither the number of events nor the number of typed prompts tells twins apart."""
    paired = {stratum.id for stratum in material.suite.suite.strata if stratum.design == "paired_by_design"}
    found = list(_told_by_counts(material, paired))
    told = [e.low > 0.5 or e.high < 0.5 for _, e in found if e.low is not None and e.high is not None]
    if not told:
        return Result(None, "no twin has a label and a count")
    return Result(not any(told), "; ".join(line for line, _ in found))


def length_on_natural(material: Material) -> Result:
    """How well the two counts rank the items of the primary strata. There they may be real, so this only reports."""
    primary = {stratum.id for stratum in material.suite.suite.strata if stratum.primary}
    lines = [line for line, _ in _told_by_counts(material, primary)]
    return Result(None, "; ".join(lines) or "no item of a primary stratum has a label and a count")


def _told_by_counts(material: Material, strata: set[str]) -> Iterator[tuple[str, Estimate]]:
    critical = {statement.id for statement in material.suite.suite.statements if statement.critical}
    for outcome, rows in material.judged:
        name = outcome.judge.judge.name
        mine = [row for row in rows if row.stratum in strata and row.statement in critical and _is_ranked(row)]
        if name in _COUNTING and mine:
            estimate = _auroc(mine)
            yield f"{name}: AUROC {estimate.cell()} on {len(mine)} items", estimate


def _is_ranked(row: Row) -> bool:
    return row.counts and row.ranks is not None


def _auroc(rows: list[Row]) -> Estimate:
    scores = np.array([row.ranks for row in rows], dtype=float)
    labels = np.array([row.label.answer == "yes" for row in rows], dtype=bool)
    return rank_interval(RANK_METRICS["auroc"], score_families(scores, labels, [row.family for row in rows]), 0)
