"""Penalised logistic regression and boosted stumps on a few rows: small, exact, the same bytes each time."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
MAX_STEPS = 100


def logistic(inputs: Floats, target: Floats, weight: Floats, penalty: float | Floats) -> tuple[Floats, float]:
    """Coefficients and intercept of a logistic regression with a squared penalty; the intercept is free.

    Minimises sum w (log(1 + e^z) - t z) + penalty / 2 |b|^2, z = X b + c; targets t in [0, 1]; by Newton's method with
    halved steps. Reference: Hoerl and Kennard 1970, Technometrics 12:55 (ridge); le Cessie and van Houwelingen 1992,
    Applied Statistics 41:191 (its logistic form). Easily confused with scikit-learn's C, which is 1 / penalty.
    """
    rows, wide = inputs.shape
    if wide > rows and np.ndim(penalty) == 0:  # the solution lies in the span of the rows
        squares, left = np.linalg.eigh(inputs @ inputs.T)
        there = squares > squares.max(initial=0) * 1e-12
        left, size = left[:, there], np.sqrt(squares[there])
        found, bias = logistic(left * size, target, weight, penalty)
        return inputs.T @ (left @ (found / size)), bias
    design = np.hstack([inputs, np.ones((rows, 1))])
    ridge = np.append(np.broadcast_to(np.asarray(penalty, dtype=np.float64), (wide,)), 0.0)
    point = np.zeros(wide + 1)
    point[wide] = logit_of(float(weight @ target), float(weight.sum()))
    for _ in range(MAX_STEPS):
        p = expit(design @ point)
        slope = design.T @ (weight * (p - target)) + ridge * point
        bend = (design.T * (weight * p * (1 - p))) @ design + np.diag(ridge) + 1e-9 * np.eye(wide + 1)
        step = np.linalg.solve(bend, slope)
        before = _loss(point, design, target, weight, ridge)
        share = 1.0
        while _loss(point - share * step, design, target, weight, ridge) > before and share > 1e-6:
            share /= 2
        point = point - share * step
        if float(np.abs(share * step).max()) < 1e-9:
            break
    return point[:wide], float(point[wide])


def nonnegative_logistic(inputs: Floats, target: Floats, weight: Floats, penalty: float) -> tuple[Floats, float]:
    """As ``logistic``, with every coefficient at least 0: by Newton's method on the columns that are not held at 0."""
    free = np.ones(inputs.shape[1], dtype=bool)
    found = np.zeros(inputs.shape[1])
    for _ in range(2 * inputs.shape[1]):
        part, bias = logistic(inputs[:, free], target, weight, penalty)
        found[:] = 0.0
        found[free] = part
        if (found >= 0).all():
            pull = inputs.T @ (weight * (target - expit(inputs @ found + bias)))
            wanted = ~free & (pull > 1e-9)
            if not wanted.any():
                break
            free[int(np.argmax(np.where(wanted, pull, -np.inf)))] = True
        else:
            free[int(np.argmin(found))] = False
    return np.maximum(found, 0.0), bias


def _loss(point: Floats, design: Floats, target: Floats, weight: Floats, ridge: Floats) -> float:
    z = design @ point
    return float(weight @ (np.logaddexp(0, z) - target * z) + np.sum(ridge * point**2) / 2)


def logit_of(yes: float, total: float) -> float:
    """The log odds of a share, moved half an item inwards so that it is finite."""
    return float(np.log((yes + 0.5) / (total - yes + 0.5)))


def expit(logit: Floats) -> Floats:
    """1 / (1 + e^-x)."""
    return np.asarray(1 / (1 + np.exp(-np.clip(logit, -700, 700))))


Split = tuple[int, float, float, float]  # column, threshold, value at or below it, value above


def boosted_stumps(inputs: Floats, yes: Floats, rounds: int, rate: float, leaf: int) -> tuple[list[Split], float]:
    """Stumps and intercept of a small gradient boosting with logistic loss: in each round the split that gains most.

    A leaf holds at least ``leaf`` rows and adds rate x sum(y - p) / (sum p (1 - p) + 1). Reference: Friedman, Hastie and
    Tibshirani 2000, Annals of Statistics 28:337 (LogitBoost). Missing values (NaN) fall on neither side.
    """
    bias = logit_of(float(yes.sum()), float(len(yes)))
    margin = np.full(len(yes), bias)
    splits: list[Split] = []
    options = [(c, t) for c in range(inputs.shape[1]) for t in _thresholds(inputs[:, c], leaf)]
    if not options:
        return splits, bias
    sides = np.array([[inputs[:, c] <= t, inputs[:, c] > t] for c, t in options], dtype=np.float64)
    for _ in range(rounds):
        p = expit(margin)
        steps = (sides @ (yes - p)) / (sides @ (p * (1 - p)) + 1)
        gains = np.round((steps * (sides @ (yes - p))).sum(axis=1), 9)
        best = int(np.argmax(gains))
        below, above = rate * steps[best]
        splits.append((*options[best], float(below), float(above)))
        margin = margin + sides[best, 0] * below + sides[best, 1] * above
    return splits, bias


def _thresholds(values: Floats, leaf: int) -> list[float]:
    """Half way between neighbours, where both sides hold enough rows."""
    known = np.sort(values[np.isfinite(values)])
    middles = (known[1:] + known[:-1]) / 2
    return [
        float(middle)
        for i, middle in enumerate(middles, 1)
        if known[i] > known[i - 1] and i >= leaf and len(known) - i >= leaf
    ]
