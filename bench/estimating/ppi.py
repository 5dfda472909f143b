"""Prediction-powered inference: labels of a random sample, helped by the judge's answers on the rest of the pool."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy.special import stdtrit

from bench.estimating.rogan_gladen import Corrected
from bench.estimating.sides import LabelledSide, PoolSide
from bench.measure.counts import FamilyVectors, Floats
from bench.measure.estimand import shortage
from bench.measure.estimate import TOO_FEW, Estimate, undefined_estimate
from bench.measure.intervals import intervals
from bench.measure.means import sum_families
from bench.measure.metrics import METRICS
from bench.measure.resampling import DUST

METHOD = "t over families, half a row of each outcome added"
# One row of each (label, answer), counted half: eight rows in ten that agree and none that differs say little about
# how often they differ (Agresti and Min 2005, Statistics in Medicine 24:729). Columns: rows, labels, answers.
_ADDED: Floats = np.array([[1.0, 1.0, 1.0], [1.0, 1.0, 0.0], [1.0, 0.0, 1.0], [1.0, 0.0, 0.0]])
_HALF = 0.5
Pair = tuple[Floats, Floats]  # family sums (F, columns) and how often each family is there


@dataclass(frozen=True)
class PredictionPowered:
    """PPI++ beside the estimate that uses the labels alone.

    ``weight`` is the tuned weight of the judge's answers, 0 for none; ``uses`` is what was averaged, the judge's
    probabilities or its verdicts.
    """

    corrected: Corrected
    weight: float | None
    uses: str
    classical: Estimate


def ppi_plus_plus(name: str, labelled: LabelledSide, pool: PoolSide, level: float) -> PredictionPowered:
    """The share of yes in the pool that the labelled rows were drawn from at random.

    Formula: mean(y) + w (mean of f over the pool - mean of f over the labelled rows), f the judge's probability or
    verdict, w = cov(y, f) / (var of f, labelled + pool) cut to [0, 1], all over family sums; cut to [0, 1]. Range 0 to 1.
    Undefined with fewer than two labelled families or an empty pool. Reference: Angelopoulos, Duchi and Zrnic 2023,
    arXiv:2311.01453. It holds only if the labelled rows are a random sample of the pool: after a shift it covers as
    little as .44. Easily confused with Rogan-Gladen, which bears another prevalence but not other error rates.
    """
    classical = replace(
        intervals([METRICS["prevalence"]], labelled.families(), 0, level=level)[0], name=f"{name}, labels alone"
    )
    scored = pool.scored
    has = labelled.probabilities is not None and pool.probabilities is not None
    uses = "probabilities" if has else "verdicts"
    if len(np.unique(labelled.groups)) < 2 or not scored.any():
        reason = "fewer than two labelled families" if scored.any() else "nothing in the pool is scored"
        return PredictionPowered(Corrected(undefined_estimate(name, reason), None), None, uses, classical)
    answers = labelled.probabilities if has and labelled.probabilities is not None else labelled.said.astype(float)
    others = pool.probabilities if has and pool.probabilities is not None else pool.said.astype(float)
    mine = _sums(sum_families(*_columns(labelled.yes.astype(float), answers), labelled.groups))
    theirs = _sums(sum_families(*_columns(others[scored]), pool.groups[scored]))
    estimate, raw, weight = _estimate(name, mine, theirs, classical, level)
    return PredictionPowered(Corrected(estimate, raw), weight, uses, classical)


def _estimate(name: str, mine: Pair, theirs: Pair, classical: Estimate, level: float) -> tuple[Estimate, float, float]:
    moments, rest = _covariance(*mine), float(_covariance(*theirs)[1, 1])
    spread = float(moments[2, 2]) + rest
    weight = min(max(float(moments[1, 2]) / spread, 0.0), 1.0) if spread > 0 else 0.0
    weight = 0.0 if weight <= DUST else weight
    pool_mean = float(_means(*theirs)[1])
    raw = _point(_means(*mine), pool_mean, weight)
    more = np.vstack([mine[0], _ADDED]), np.concatenate([mine[1], np.full(len(_ADDED), _HALF)])
    direction = np.array([0.0, 1.0, -weight])
    variance = float(direction @ _covariance(*more) @ direction) + weight**2 * rest
    centre = _point(_means(*more), pool_mean, weight)
    families = int(mine[1].sum())
    half = float(stdtrit(families - 1, 0.5 + level / 2)) * float(np.sqrt(variance))
    value = min(max(raw, 0.0), 1.0)
    low, high = max(0.0, min(centre - half, value)), min(1.0, max(centre + half, value))
    if not _few(*mine) or classical.low is None or classical.high is None:
        return Estimate(name, value, low, high, METHOD, families), raw, weight
    low, high = min(low, classical.low), max(high, classical.high)
    return Estimate(name, value, low, high, f"{METHOD}; no narrower than labels alone", families, TOO_FEW), raw, weight


def _few(sums: Floats, times: Floats) -> bool:
    """Whether the rarer label has too few rows or families: there the bare interval covers .87 to .90 (60 rows in
    families of four, a tenth of them yes)."""
    sides = (sums[:, 1], sums[:, 0] - sums[:, 1])
    rows, families = min(float(times @ side) for side in sides), min(int(times[side > 0].sum()) for side in sides)
    return shortage(rows, families, families) == TOO_FEW


def _point(means: Floats, pool_mean: float, weight: float) -> float:
    return float(means[1]) + weight * (pool_mean - float(means[2]))


def _columns(*values: Floats) -> tuple[Floats, Floats]:
    """Ones and the values, a row each; and what counts as items."""
    ones = np.ones(len(values[0]))
    return np.column_stack([ones, *values]), ones[:, None]


def _sums(families: FamilyVectors) -> Pair:
    return families.vectors, families.multiplicity.astype(np.float64)


def _means(sums: Floats, times: Floats) -> Floats:
    total = times @ sums
    return np.asarray(total / total[0])


def _covariance(sums: Floats, times: Floats) -> Floats:
    """The linearised covariance of the means over families."""
    residuals = (sums - np.outer(sums[:, 0], _means(sums, times))) / float(times @ sums[:, 0])
    count = float(times.sum())
    return np.asarray((count / (count - 1) if count > 1 else 1.0) * (residuals.T * times) @ residuals)
