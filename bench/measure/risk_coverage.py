"""Risk and coverage: how often the judge is wrong among the items that it is most certain of."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from bench.measure.counts import Floats, count_families
from bench.measure.estimand import DEGENERATE, LEVEL, shortage
from bench.measure.estimate import TOO_FEW, Estimate, undefined_estimate
from bench.measure.inputs import Truths, finite_scores, same_rows, truths
from bench.measure.metrics import ITEMS, TN, TP
from bench.measure.proportions import Bounds, korn_graubard, share_of
from bench.measure.ranking import RANK_RESAMPLES, rank_bootstrap, rank_value, score_families
from bench.measure.resampling import expanded

EXPANDED = "BCa family bootstrap, expanded to t"
WORST_ORDER = "Korn-Graubard of the error rate, worst and best order"


@dataclass(frozen=True)
class RiskPoint:
    """All items with at least this certainty: how many, and how many of them are decided wrong."""

    certainty: float
    selected: int
    wrong: int
    items: int

    @property
    def coverage(self) -> float:
        """The share of items selected."""
        return self.selected / self.items

    @property
    def risk(self) -> float:
        """The share of the selected items that are wrong."""
        return self.wrong / self.selected


def risk_coverage_curve(certainties: ArrayLike, right: ArrayLike) -> tuple[RiskPoint, ...]:
    """The curve from the most certain items to all, one point per distinct certainty: ties come in whole.

    Formula: for each certainty c, coverage #(c_i >= c) / N and risk #(c_i >= c and wrong) / #(c_i >= c). Range of both
    0 to 1; low is good for risk, high for coverage. No points without items. Reference: El-Yaniv and Wiener 2010, JMLR
    11:1605. Easily confused with the ROC curve (which conditions on labels) and with a reliability curve.
    """
    certainty, hit = _rows(certainties, right)
    values, place = np.unique(certainty, return_inverse=True)
    there = np.bincount(place.reshape(-1), minlength=len(values))[::-1].cumsum()
    wrong = np.bincount(place.reshape(-1), ~hit, minlength=len(values))[::-1].cumsum()
    rows = zip(values[::-1].tolist(), there.tolist(), wrong.astype(int).tolist(), strict=True)
    return tuple(RiskPoint(value, selected, missed, len(hit)) for value, selected, missed in rows)


def risk_coverage_area(
    certainties: ArrayLike,
    right: ArrayLike,
    families: ArrayLike,
    seed: int,
    strata: ArrayLike | None = None,
    resamples: int = RANK_RESAMPLES,
    level: float = LEVEL,
) -> Estimate:
    """The mean risk over all coverages: how much the judge's certainty helps to leave out what it gets wrong.

    Formula: sum over distinct certainties, highest first, of (coverage_i - coverage_{i-1}) risk_i. Range 0 to 1, low is
    good; certainty that says nothing gives the error rate. Undefined without items. Reference: Geifman and El-Yaniv
    2017, NeurIPS (AURC). Easily confused with the excess over the best order (E-AURC) and with AUROC.
    """
    certainty, hit = _rows(certainties, right)
    scored = score_families(certainty, hit, families, strata)
    value = rank_value(area, scored)
    if value is None:
        return undefined_estimate("risk_coverage_area", "0 items")
    count = int(scored.multiplicity.sum())
    bounds: Bounds | None = None
    undefined, note = 0, TOO_FEW
    if shortage(len(hit), count, count) != TOO_FEW:
        # Bare BCa covers .908 at 15 families of 4 (2,000 replicates).
        bounds, undefined = rank_bootstrap(area, scored, value, seed, resamples, expanded(level, count))
        note = DEGENERATE
    if bounds is not None:
        return Estimate("risk_coverage_area", value, *bounds, EXPANDED, count, undefined_resamples=undefined)
    low, high = _any_order(hit, families, strata, level)
    low, high = min(low, value), max(high, value)
    return Estimate("risk_coverage_area", value, low, high, WORST_ORDER, count, note, undefined_resamples=undefined)


def area(right: Floats, wrong: Floats) -> Floats:
    """The area from the weights of right and wrong items at each certainty, lowest first, (..., levels) -> (...)."""
    there = (right + wrong)[..., ::-1]
    selected = np.cumsum(there, axis=-1)
    missed = np.cumsum(wrong[..., ::-1], axis=-1)
    with np.errstate(divide="ignore", invalid="ignore"):
        risk = np.where(selected > 0, missed / selected, 0.0)
        total = there.sum(axis=-1)
        return np.asarray(np.where(total > 0, (there * risk).sum(axis=-1) / total, np.nan))


def _any_order(hit: ArrayLike, families: ArrayLike, strata: ArrayLike | None, level: float) -> Bounds:
    """From the error rate e: the area is e (1 - log e) when all errors come first, e + (1 - e) log(1 - e) when last."""
    counted = count_families(hit, np.ones(len(np.asarray(hit)), dtype=bool), families, strata)
    right_low, right_high = korn_graubard(share_of(counted, (TP, TN), ITEMS.cells), level)
    least, most = 1 - right_high, 1 - right_low
    low = least + (1 - least) * math.log1p(-least) if least < 1 else 1.0
    return max(low, 0.0), min(most * (1 - math.log(most)), 1.0) if most > 0 else 0.0


def _rows(certainties: ArrayLike, right: ArrayLike) -> tuple[Floats, Truths]:
    certainty, hit = finite_scores(certainties, "certainties"), truths(right, "right")
    same_rows(certainties=certainty, right=hit)
    return certainty, hit
