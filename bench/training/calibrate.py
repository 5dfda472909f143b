"""What turns a head's sum into a probability, fitted to out-of-fold sums; nothing, unless that clearly helps."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from scipy.optimize import minimize

from bench.training.crossfit import losses
from bench.training.solve import Floats, Integers

Kind = Literal["none", "temperature", "platt"]
PARTS = 7
_LEAST_SLOPE = 0.05


@dataclass(frozen=True)
class Calibrated:
    """The transform kept, and per kind the gain in cross-validated log loss with its standard error over families."""

    kind: Kind
    slope: float
    offset: float
    gains: dict[str, tuple[float, float]]


def calibrate(sums: Floats, yes: Floats, family: Integers, seed: int) -> Calibrated:
    """Temperature (p = s(a z)) or Platt (p = s(a z + b)), kept only if it gains more than one standard error.

    ``sums`` has shape (rows,). Reference: Platt 1999; Guo et al. 2017, ICML (temperature). Easily confused with
    recalibration on the rows that a figure is then reported on.
    """
    plain = losses(sums, yes)
    families = np.unique(family)
    part = dict(
        zip(families.tolist(), (np.random.default_rng((seed, 2)).permutation(len(families)) % PARTS), strict=True)
    )
    of_row = np.array([part[f] for f in family.tolist()])
    gains: dict[str, tuple[float, float]] = {}
    best: Kind = "none"
    kinds: tuple[Kind, ...] = ("temperature", "platt")
    for kind in kinds:
        after = np.empty(len(sums))
        for held in range(PARTS):
            out = of_row == held
            slope, offset = _fit(kind, sums[~out], yes[~out])
            after[out] = losses(slope * sums[out] + offset, yes[out])
        gain = np.array([(plain - after)[family == f].mean() for f in families])
        gains[kind] = (float(gain.mean()), float(gain.std(ddof=1) / np.sqrt(len(gain))))
        enough = gains[kind][0] > gains[kind][1]
        if enough and (best == "none" or gains[kind][0] > gains[best][0] + gains[kind][1]):
            best = kind
    slope, offset = (1.0, 0.0) if best == "none" else _fit(best, sums, yes)
    return Calibrated(best, slope, offset, gains)


def _fit(kind: Kind, sums: Floats, yes: Floats) -> tuple[float, float]:
    def loss(point: Floats) -> float:
        offset = point[1] if kind == "platt" else 0.0
        return float(losses(point[0] * sums + offset, yes).mean())

    start = np.array([1.0, 0.0] if kind == "platt" else [1.0])
    bounds = [(_LEAST_SLOPE, 20.0), (-20.0, 20.0)][: len(start)]
    found = minimize(loss, start, method="L-BFGS-B", bounds=bounds).x
    return float(found[0]), float(found[1]) if kind == "platt" else 0.0
