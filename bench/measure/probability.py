"""Scores of stated probabilities."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from bench.measure.estimand import LEVEL, RESAMPLES
from bench.measure.estimate import Estimate
from bench.measure.means import mean_interval


def brier(
    probabilities: ArrayLike,
    labels: ArrayLike,
    families: ArrayLike,
    seed: int,
    strata: ArrayLike | None = None,
    resamples: int = RESAMPLES,
    level: float = LEVEL,
) -> Estimate:
    """The mean squared distance between the stated probability of yes and what was labelled.

    Shapes (rows,). Range 0 to 1, low is good; always saying .5 scores .25, always saying the prevalence p scores
    p (1 - p). Undefined without items. Reference: Brier 1950, Monthly Weather Review 78:1. Easily confused with the
    two-class form, which is twice as large, and with calibration error, which ignores sharpness.
    """
    stated, yes = np.asarray(probabilities, dtype=np.float64), np.asarray(labels)
    if yes.size and yes.dtype != np.bool_:
        raise TypeError(f"labels must be truth values, not {yes.dtype}")
    if stated.shape != yes.shape or not np.all((stated >= 0) & (stated <= 1)):
        raise ValueError("one probability between 0 and 1 per label is wanted")
    return mean_interval("brier", (stated - yes) ** 2, families, seed, strata, resamples, level)
