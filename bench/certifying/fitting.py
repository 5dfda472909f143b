"""Fit calibrators by maximum likelihood: maps from a judge's value to a probability that never turn the judge around.

Labels are the targets as they are. Platt's smoothed targets are not used: they pull every fit towards the middle by about
one wrong label in each class, that of a judge that is right included. Their other use, a finite fit where the values
separate yes from no, would let the smoothing alone choose the slope; such a fit is refused.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import expit, xlogy

from bench.deciding.calibrator import EDGE, Calibrator, Kind
from bench.measure.counts import Floats, Integers
from bench.measure.inputs import Truths

AGAINST = "scores run against the labels: the map would turn the judge around"
SEPARATED = "values separate yes from no: no finite map fits best"
_STEPS = 100
_NEXT_TO_NOTHING = 1e-12


class NoFit(Exception):
    """There is no such map on these rows. The message is the reason."""


class Against(NoFit):
    """The best rising map is flat; ``instead`` is the probability that it always says."""

    def __init__(self, instead: float) -> None:
        super().__init__(AGAINST)
        self.instead = instead


@dataclass(frozen=True, eq=False)
class _Counts:
    """Distinct values in rising order, the rows at each, and how many of these are yes."""

    values: Floats
    rows: Floats
    hits: Floats

    @property
    def share(self) -> float:
        return float(self.hits.sum() / self.rows.sum())

    def with_values(self, values: Floats) -> _Counts:
        return _Counts(values, self.rows, self.hits)


def fit_map(kind: Kind, values: Floats, yes: Truths, on_scores: bool = False) -> Calibrator:
    """The map of one kind that makes these labels most likely, among maps that do not fall.

    Formula: maximise sum of y log q + (1 - y) log(1 - q) with q = map(value); temperature t > 0, Platt slope a > 0, beta
    a >= 0 and b >= 0, isotonic any rising steps (pool adjacent violators). Range: probabilities; a likelier map is better on
    these rows only. Undefined (NoFit) for labels of one class, values that separate yes from no, values that are all equal;
    Against where the best map is flat. An isotonic step of only yes or only no is held at 1 - 1/(n + 2) or 1/(n + 2), n
    rows: Laplace's rule for one step of all rows, so that no label can cost an infinite log loss.
    References: Platt 1999, Advances in Large Margin Classifiers; Guo et al. 2017, ICML; Kull et al. 2017, AISTATS; Zadrozny
    and Elkan 2002, KDD. Easily confused with scikit-learn's sigmoid calibration, which smooths the targets.
    """
    held = values if on_scores or kind == "isotonic" else np.clip(values, EDGE, 1 - EDGE)
    found, of_row = np.unique(held, return_inverse=True)
    of_row = of_row.reshape(-1)
    size = len(found)
    rows, hits = (np.bincount(of_row, what, minlength=size).astype(np.float64) for what in (np.ones(len(yes)), yes))
    counts = _Counts(found, rows, hits)
    if counts.share in (0.0, 1.0):
        raise NoFit(f"every label is {'yes' if counts.share else 'no'}")
    if kind == "none":
        return Calibrator()
    if kind == "isotonic":
        return _isotonic(counts, on_scores)
    lifted = counts if on_scores else counts.with_values(np.log(found) - np.log1p(-found))
    if kind == "temperature":
        return _temperature(lifted)
    return _platt(lifted, on_scores) if kind == "platt" else _beta(counts)


def apply_map(calibrator: Calibrator, values: Floats) -> Floats:
    """The calibrated probability of each value, shape (rows,)."""
    distinct, of_row = np.unique(values, return_inverse=True)
    return np.array([calibrator(value) for value in distinct.tolist()])[of_row.reshape(-1)]


def losses(probabilities: Floats, yes: Truths) -> Floats:
    """The log loss of each row, probabilities held at EDGE from 0 and 1."""
    held = np.clip(probabilities, EDGE, 1 - EDGE)
    return np.asarray(-(xlogy(yes, held) + xlogy(~yes, 1 - held)))


def _temperature(counts: _Counts) -> Calibrator:
    towards = counts.hits - counts.rows / 2  # the slope of the likelihood at 1 / t = 0 is its sum over x
    if not np.any(counts.values):
        raise NoFit("every probability is .5, which no temperature moves")
    if not _rises(towards * counts.values):
        raise Against(0.5)
    low, high = counts.values < 0, counts.values > 0
    if not np.any(counts.hits[low]) and np.all(counts.hits[high] == counts.rows[high]):
        raise NoFit(SEPARATED)
    found = _newton(counts.values[:, None], counts)
    if found is None or found[0] <= 0:
        raise NoFit("no finite temperature fits best")
    return Calibrator(kind="temperature", parameters=(1 / float(found[0]),))


def _platt(counts: _Counts, on_scores: bool) -> Calibrator:
    _refuse_separated(counts)
    middle = float(counts.rows @ counts.values / counts.rows.sum())
    spread = float(np.max(np.abs(counts.values - middle)))
    if spread == 0:
        raise NoFit("all values are equal")
    scaled = (counts.values - middle) / spread
    if not _rises((counts.hits - counts.rows * counts.share) * scaled):
        raise Against(counts.share)
    found = _newton(np.column_stack([scaled, np.ones(len(scaled))]), counts)
    if found is None:
        raise NoFit("no finite Platt map fits best")
    slope = float(found[0]) / spread
    return Calibrator(kind="platt", parameters=(slope, float(found[1]) - slope * middle), on_scores=on_scores)


def _beta(counts: _Counts) -> Calibrator:
    """The free fit where both slopes rise, else the likelier one of the fits with one slope at 0."""
    _refuse_separated(counts)
    if len(counts.values) < 3:
        raise NoFit("beta needs three distinct probabilities")
    sides = np.column_stack([np.log(counts.values), -np.log1p(-counts.values)])
    towards = counts.hits - counts.rows * counts.share
    rising = [_rises(towards * (side - counts.rows @ side / counts.rows.sum())) for side in sides.T]
    if not any(rising):
        raise Against(counts.share)
    ones = np.ones(len(sides))
    free = _newton(np.column_stack([sides, ones]), counts)
    if free is not None and free[0] >= 0 and free[1] >= 0:
        return Calibrator(kind="beta", parameters=(float(free[0]), float(free[1]), float(free[2])))
    best: tuple[float, tuple[float, float, float]] | None = None
    for place in (0, 1):
        found = _newton(np.column_stack([sides[:, place], ones]), counts) if rising[place] else None
        if found is not None:
            slopes = (float(found[0]), 0.0) if place == 0 else (0.0, float(found[0]))
            told = _likelihood(found[0] * sides[:, place] + found[1], counts)
            best = max(best or (-np.inf, (0.0, 0.0, 0.0)), (told, (*slopes, float(found[1]))))
    if best is None:
        raise NoFit("no finite beta map fits best")
    return Calibrator(kind="beta", parameters=best[1])


def _isotonic(counts: _Counts, on_scores: bool) -> Calibrator:
    steps: list[tuple[int, int, int]] = []  # yes, rows, number of distinct values
    for hits, rows in zip(counts.hits.astype(int).tolist(), counts.rows.astype(int).tolist(), strict=True):
        step = (hits, rows, 1)
        while steps and steps[-1][0] * step[1] >= step[0] * steps[-1][1]:
            last = steps.pop()
            step = (last[0] + step[0], last[1] + step[1], last[2] + step[2])
        steps.append(step)
    if len(steps) == 1:
        raise Against(counts.share)
    edge = 1 / (float(counts.rows.sum()) + 2)
    knots, start = [], 0
    for hits, rows, width in steps:
        level = min(max(hits / rows, edge), 1 - edge)
        ends = sorted({start, start + width - 1})
        knots += [(float(counts.values[place]), level) for place in ends]
        start += width
    return Calibrator(kind="isotonic", knots=tuple(knots), on_scores=on_scores)


def _refuse_separated(counts: _Counts) -> None:
    """Whether one cut has all no on one side and all yes on the other; rows at the cut may be of both."""
    places: Integers = np.arange(len(counts.values))
    yes, no = places[counts.hits > 0], places[counts.hits < counts.rows]
    if len(places) > 1 and yes.min() >= no.max():
        raise NoFit(SEPARATED)


def _rises(parts: Floats) -> bool:
    """Whether a sum is over 0 by more than rounding."""
    return float(np.sum(parts)) > _NEXT_TO_NOTHING * float(np.sum(np.abs(parts)))


def _newton(features: Floats, counts: _Counts) -> Floats | None:
    """Logistic regression of the shares of yes on the features (distinct values, C); None where it does not settle."""
    weights = np.zeros(features.shape[1])
    reached = _likelihood(features @ weights, counts)
    for _ in range(_STEPS):
        stated = expit(features @ weights)
        slope = features.T @ (counts.hits - counts.rows * stated)
        bend = (features * (counts.rows * stated * (1 - stated))[:, None]).T @ features
        try:
            step = np.linalg.solve(bend, slope)
        except np.linalg.LinAlgError:
            return None
        if not np.all(np.isfinite(step)):
            return None
        if float(slope @ step) < 1e-20 * float(counts.rows.sum()):
            return np.asarray(weights + step)
        share = 1.0
        least = reached - _NEXT_TO_NOTHING * abs(reached)
        while (now := _likelihood(features @ (weights + share * step), counts)) < least and share > 1e-6:
            share /= 2
        weights, reached = weights + share * step, max(now, reached)
    return weights if float(slope @ step) < 1e-12 * float(counts.rows.sum()) else None


def _likelihood(lifted: Floats, counts: _Counts) -> float:
    return -float(counts.hits @ np.logaddexp(0, -lifted) + (counts.rows - counts.hits) @ np.logaddexp(0, lifted))
