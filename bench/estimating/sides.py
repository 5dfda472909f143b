"""The two sides of an estimate: sessions with label and verdict, and sessions with a verdict alone."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bench.measure.counts import FamilyVectors, Floats, Integers, count_families
from bench.measure.estimate import Estimate, undefined_estimate
from bench.measure.inputs import Truths
from bench.measure.intervals import proportion_interval
from bench.measure.proportions import Share, share_of

_SAID_YES, _SAID_NO = 0, 2  # tp and fn of rows that all count as labelled yes


@dataclass(frozen=True, eq=False)
class LabelledSide:
    """Rows that have a label and a verdict; ``probabilities`` only where every row has one.

    ``unscored`` rows have a label and no verdict, ``unlabelled`` ones no label: they are counted and not used.
    """

    yes: Truths
    said: Truths
    probabilities: Floats | None
    groups: Integers
    unscored: int = 0
    unlabelled: int = 0

    def families(self) -> FamilyVectors:
        """(tp, fp, fn, tn) by family."""
        return count_families(self.yes, self.said, self.groups)


@dataclass(frozen=True, eq=False)
class PoolSide:
    """Rows without labels: ``said`` counts only where ``scored``; ``probabilities`` only where every scored row has one."""

    said: Truths
    scored: Truths
    probabilities: Floats | None
    groups: Integers

    @property
    def rows(self) -> int:
        return len(self.said)

    @property
    def unscored(self) -> int:
        return int((~self.scored).sum())

    def filled(self, answer: bool) -> PoolSide:
        """The pool if every missing verdict were ``answer``."""
        return PoolSide(np.where(self.scored, self.said, answer), np.ones(self.rows, dtype=bool), None, self.groups)

    def without_verdict(self) -> int:
        """Groups in which nothing is scored."""
        return len(np.unique(self.groups)) - len(np.unique(self.groups[self.scored]))


def said_yes(pool: PoolSide, by_group: bool) -> Share | None:
    """The share of yes among scored rows, or the mean of the groups' own shares; None where nothing is scored."""
    groups = pool.groups[pool.scored]
    if not len(groups):
        return None
    codes, counts = np.unique(groups, return_inverse=True, return_counts=True)[1:]
    weights = 1 / counts[codes.reshape(-1)] if by_group else None
    said = pool.said[pool.scored]
    families = count_families(np.ones(len(said), dtype=bool), said, groups, weights=weights)
    return share_of(families, (_SAID_YES,), (_SAID_YES, _SAID_NO))


def naive_rate(share: Share | None, by_group: bool, level: float) -> Estimate:
    """What the judge says, taken at its word."""
    name = "judged pass@1" if by_group else "judged yes rate"
    if share is None:
        return undefined_estimate(name, "nothing is scored")
    method, (low, high), note = proportion_interval(share, False, level)
    size = round(share.size)
    hits = None if by_group else round(share.value * share.size)
    return Estimate(
        name, share.value, low, high, method, share.families, note,
        numerator=hits, denominator=None if by_group else size,
    )  # fmt: skip
