"""The grid of the acceptance rule (STATISTICS.md) and its data sets: what `make coverage` simulates and fast tests sample.

n in {20, 60, 200} x prevalence {.1, .5, .9} x families of {1, 2, 4}, at three true judges. Labels and errors are
correlated .3 between two items of a family.
"""

from __future__ import annotations

import math
from itertools import product

import numpy as np

from bench.measure.counts import FamilyVectors, count_families
from bench.measure.metrics import METRICS, Metric

CORRELATION = 0.3
RESAMPLES = 1_000
JUDGES = ((0.8, 0.15), (0.95, 0.05), (0.6, 0.3))  # true-positive rate, false-positive rate
GRID = tuple(product((20, 60, 200), (0.1, 0.5, 0.9), (1, 2, 4)))
MEASURED = tuple(metric for name, metric in METRICS.items() if name not in ("prevalence", "predicted_yes_rate"))


def sample(
    n: int, prevalence: float, size: int, judge: tuple[float, float], generator: np.random.Generator
) -> FamilyVectors:
    """One data set: each item takes its family's draw with a chance that gives the wanted correlation."""
    family, copies = np.repeat(np.arange(n // size), size), math.sqrt(CORRELATION)

    def uniform() -> np.ndarray:
        return np.where(generator.random(n) < copies, generator.random(n // size)[family], generator.random(n))

    labels = uniform() < prevalence
    return count_families(labels, uniform() < np.where(labels, *judge), family)


def truth(metric: Metric, prevalence: float, judge: tuple[float, float]) -> float:
    """The metric's value in the population."""
    (tpr, fpr), no = judge, 1 - prevalence
    return float(metric.values(np.array([prevalence * tpr, no * fpr, prevalence * (1 - tpr), no * (1 - fpr)])))
