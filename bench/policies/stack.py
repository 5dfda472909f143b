"""A ridge logistic regression on few columns, with values that may be missing. Plain arithmetic, no model library."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from bench.measure.counts import Floats

PENALTY = 1.0  # half of it times the sum of squared coefficients, on standardised columns; never tuned
_STEPS = 100
_CLOSE = 1e-9


@dataclass(frozen=True)
class Stack:
    """A fitted model: p = sigmoid(intercept + sum of coefficient x column).

    Columns are the members' values, standardised by the fitted items; a missing value takes the median of those, and
    its member's indicator says so (``missing``, a coefficient each). ``cut`` is the share of yes among the fitted items:
    from there on a yes is likelier than before anything was known, which is the best cut for balanced accuracy.
    """

    median: tuple[float, ...]
    centre: tuple[float, ...]
    spread: tuple[float, ...]
    coefficients: tuple[float, ...]
    missing: tuple[float, ...]
    intercept: float
    cut: float

    def p(self, values: Sequence[float | None]) -> float:
        """The model's probability of yes at the label mix it was fitted on; 0 to 1."""
        total = self.intercept
        for i, value in enumerate(values):
            given = self.median[i] if value is None else value
            total += self.coefficients[i] * (given - self.centre[i]) / self.spread[i]
            total += self.missing[i] if value is None else 0.0
        return 1 / (1 + math.exp(-total)) if total >= 0 else math.exp(total) / (1 + math.exp(total))

    def says_yes(self, p: float) -> bool:
        return p >= self.cut - _CLOSE


def fit_stack(values: Sequence[Sequence[float | None]], labels: Sequence[bool]) -> Stack | None:
    """Fit on rows of members' values; both label classes must be there. None where no column varies.

    Minimises sum of log losses + PENALTY / 2 x sum of squared coefficients, the intercept free (le Cessie and van
    Houwelingen 1992, Applied Statistics 41:191), by Newton's method. Undefined with one class (the intercept runs away).
    """
    table = np.array([[np.nan if v is None else v for v in row] for row in values], dtype=np.float64)
    gone = np.isnan(table)
    known = [column[~mask] for column, mask in zip(table.T, gone.T, strict=True)]
    median = np.array([np.median(column) if len(column) else 0.0 for column in known])
    filled = np.where(gone, median, table)
    centre, spread = filled.mean(axis=0), filled.std(axis=0)
    flat = spread <= _CLOSE * np.maximum(1.0, np.abs(centre))
    columns = np.where(flat, 0.0, (filled - centre) / np.where(flat, 1.0, spread))
    design = np.column_stack([np.ones(len(table)), columns, gone.astype(np.float64)])
    if not design[:, 1:].any():
        return None
    found = _newton(design, np.array(labels, dtype=np.float64))
    members = table.shape[1]
    return Stack(
        median=tuple(median.tolist()),
        centre=tuple(centre.tolist()),
        spread=tuple(np.where(flat, 1.0, spread).tolist()),
        coefficients=tuple(found[1 : 1 + members].tolist()),
        missing=tuple(found[1 + members :].tolist()),
        intercept=float(found[0]),
        cut=float(np.mean(labels)),
    )


def _newton(design: Floats, labels: Floats) -> Floats:
    penalty = np.full(design.shape[1], PENALTY)
    penalty[0] = 0.0
    at = np.zeros(design.shape[1])
    loss = _loss(design, labels, penalty, at)
    for _ in range(_STEPS):
        p = 1 / (1 + np.exp(-(design @ at)))
        slope = design.T @ (p - labels) + penalty * at
        curve = design.T @ (design * (p * (1 - p))[:, None]) + np.diag(penalty)
        step = np.linalg.solve(curve, slope)
        size = 1.0
        while (further := _loss(design, labels, penalty, at - size * step)) > loss and size > _CLOSE:
            size /= 2
        if further > loss:
            break
        at, loss = at - size * step, further
        if np.abs(step).max() < _CLOSE:
            break
    return np.asarray(at)


def _loss(design: Floats, labels: Floats, penalty: Floats, at: Floats) -> float:
    z = design @ at
    return float(np.sum(np.logaddexp(0, z) - labels * z) + np.sum(penalty * at**2) / 2)
