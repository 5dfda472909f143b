"""Estimates for the pool from labels that were chosen with known chances.

What was drawn is the only thing that is random here: a session's label and the judge's verdict on it are what they are.
So families need no place in the variance, and the figures are those of this pool and of no other.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bench.measure.counts import Floats
from bench.measure.estimand import FEW_ITEMS, LEVEL
from bench.measure.estimate import TOO_FEW, Estimate, undefined_estimate
from bench.measure.proportions import Bounds, Share, korn_graubard, wilson

HAJEK, HORVITZ_THOMPSON, CENSUS = "Hajek, Wilson", "Horvitz-Thompson, Wilson", "every session of the pool is labelled"
_EXACT = "Clopper-Pearson at the effective size"
_PRIOR = 3  # sessions; simulated, see _smoothed


@dataclass(frozen=True, eq=False)
class Design:
    """How the rows were drawn, shape (rows,): stratum code, units and random picks of the stratum, and the chance of
    being taken by any of the directed draws. ``units`` is the size of the whole pool."""

    stratum: NDArray[np.int64]
    many: Floats
    taken: Floats
    directed: Floats
    units: int

    def of(self, rows: NDArray[np.bool_]) -> Design:
        return Design(self.stratum[rows], self.many[rows], self.taken[rows], self.directed[rows], self.units)

    def random_part(self) -> Design:
        """The same without the directed draws."""
        return Design(self.stratum, self.many, self.taken, np.zeros_like(self.directed), self.units)

    def chances(self) -> Floats:
        """The chance of each row, shape (rows,)."""
        return np.asarray(1 - (1 - self.taken / self.many) * (1 - self.directed))

    def joint(self) -> Floats:
        """The chance of each pair of rows, (rows, rows); a row's own chance on the diagonal.

        1 - P(not i) - P(not j) + P(neither), the random draw and each directed one being independent.
        """
        missed = self.taken / self.many
        missed = 1 - missed
        same = self.stratum[:, None] == self.stratum[None, :]
        left, others = self.many - self.taken, np.maximum(self.many - 1, 1)
        within = missed * np.maximum(left - 1, 0) / others
        neither = np.where(same, within[:, None], missed[:, None] * missed[None, :])
        not_directed = 1 - self.directed
        neither = neither * not_directed[:, None] * not_directed[None, :]
        own = 1 - self.chances()
        pairs = 1 - own[:, None] - own[None, :] + neither
        np.fill_diagonal(pairs, 1 - own)
        return np.asarray(pairs)


def total_variance(values: Floats, design: Design, responding: float = 1.0) -> float:
    """The unbiased estimate of the variance of sum(values / chance) over the rows that were drawn.

    Formula: sum over pairs of (pi_ij - pi_i pi_j) / pi_ij * z_i z_j, z = values / pi, with pi of a row times
    ``responding`` and of a pair times its square. It may be negative. Defined where every pair of the pool can be drawn.
    Reference: Horvitz and Thompson 1952, JASA 47:663. Easily confused with the variance of a sample mean.
    """
    pi, pairs = design.chances(), design.joint()
    z = values / (pi * responding)
    factor = 1 - np.outer(pi, pi) / pairs
    np.fill_diagonal(factor, 1 - pi * responding)
    return float(z @ factor @ z)


def hajek(
    name: str, hits: NDArray[np.bool_], design: Design, responding: float = 1.0, level: float = LEVEL
) -> Estimate:
    """The share of hits among the units of the pool that the rows stand for.

    Formula: sum(hits / pi) / sum(1 / pi) over the rows; the interval is Wilson's at the effective size p (1 - p) / v, v the
    linearised variance, and Clopper-Pearson's where hits or misses are missing or rows are under ten ("too few"). Range 0
    to 1. Undefined without rows. Reference: Hajek 1971, in Godambe and Sprott, Foundations of Statistical Inference, 236;
    Franco et al. 2019, J. Survey Stat. Methodol. 7:334 (Wilson at the effective size). Easily confused with the share
    among the labelled rows, which says what was chosen for labelling. ``responding`` is the share of picks that got a
    label: those without are taken to be missing at random.
    """
    rows = len(hits)
    if not rows:
        return undefined_estimate(name, "no label came in for any of them")
    weights = 1 / design.chances()
    value = _share(weights, hits)
    residuals = (hits - value) * responding / weights.sum()
    variance = total_variance(residuals, design, responding)
    if bool(np.all(weights == 1)) and responding == 1 and rows == design.units:
        return Estimate(name, value, value, value, CENSUS, rows)
    method, bounds = _bounds(HAJEK, value, variance, weights, hits, level)
    few = TOO_FEW if rows < FEW_ITEMS else None
    hit = int(hits.sum())
    # Counts stand beside a figure that is told as too few; else the weights make them another share.
    counted = (hit, rows) if few else (None, None)
    return Estimate(
        name, value, min(bounds[0], value), max(bounds[1], value), method, rows, few,
        numerator=counted[0], denominator=counted[1],
    )  # fmt: skip


def horvitz_thompson(name: str, hits: NDArray[np.bool_], design: Design, level: float = LEVEL) -> Estimate:
    """The share of hits in the pool, from the total alone.

    Formula: sum(hits / pi) / N, unbiased under the design; value and bounds are cut to 0 and 1. Range 0 to 1. Undefined
    where a pick has no label. Reference: Horvitz and Thompson 1952, JASA 47:663. Easily confused with the Hajek share, which
    divides by the sum of the weights: nearly unbiased, and less at the mercy of how many happened to be drawn.
    """
    if not len(hits):
        return undefined_estimate(name, "no label came in for any of them")
    weights = 1 / design.chances()
    raw = float(weights @ hits) / design.units
    value = min(raw, 1.0)
    if bool(np.all(weights == 1)) and len(hits) == design.units:
        return Estimate(name, value, value, value, CENSUS, len(hits))
    variance = total_variance(hits / design.units, design)
    method, bounds = _bounds(HORVITZ_THOMPSON, value, variance, weights, hits, level)
    return Estimate(name, value, min(bounds[0], value), max(bounds[1], value), method, len(hits))


def _share(weights: Floats, hits: NDArray[np.bool_]) -> float:
    """Exactly 1 and 0 for all and none."""
    if bool(hits.all()) or not bool(hits.any()):
        return float(hits.all())
    return float(weights[hits].sum() / weights.sum())


def _bounds(
    method: str, value: float, variance: float, weights: Floats, hits: NDArray[np.bool_], level: float
) -> tuple[str, Bounds]:
    size = _kish(weights)
    if len(hits) < FEW_ITEMS or value in (0.0, 1.0):
        return _EXACT, _exact(value, size, level)
    seen = _smoothed(variance, value * (1 - value) / size, int(min(hits.sum(), (~hits).sum())))
    effective = value * (1 - value) / seen
    return method, wilson(_as_share(value, effective, int(size)), level)


def _smoothed(variance: float, plain: float, sides: int) -> float:
    """The estimated variance, drawn towards that of independent draws at the weights' effective size, as if three more
    sessions on the rarer side had shown that: few of them may all have small weights (at prevalence .1 and 40 picks, drawn
    by half a session, Wilson covered .90; so it covers .96, and is hardly wider). Never under a quarter of the latter."""
    return max((sides * variance + _PRIOR * plain) / (sides + _PRIOR), plain / 4)


def _exact(value: float, size: float, level: float) -> Bounds:
    return korn_graubard(_as_share(value, size, int(size)), level)


def _as_share(value: float, size: float, rows: int) -> Share:
    """A share whose effective size is ``size``."""
    return Share(value, size, max(rows, 2), max(rows - 1, 1), 0.0, size, 0)


def _kish(weights: Floats) -> float:
    """How many rows of equal weight these are worth (Kish 1965, Survey Sampling)."""
    return float(weights.sum() ** 2 / (weights**2).sum())


def ends(labels: Sequence[bool | None], design: Design) -> tuple[float, float] | None:
    """The Hajek share if every missing label were no, and if it were yes; None where none is missing."""
    if None not in labels or not labels:
        return None
    weights = 1 / design.chances()
    low, high = (
        float(weights @ np.array([fill if label is None else label for label in labels], dtype=bool) / weights.sum())
        for fill in (False, True)
    )
    return low, high
