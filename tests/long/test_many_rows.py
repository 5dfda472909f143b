"""Figures that pass over rows in each resample: seconds at 10^5 rows and 2,000 resamples, memory flat in resamples."""

from __future__ import annotations

import time
import tracemalloc
from collections.abc import Callable

import numpy as np
import pytest

from bench.measure.calibration import calibration_error
from bench.measure.probability import brier, log_loss
from bench.measure.ranking import RANK_METRICS, rank_interval, score_families
from bench.measure.risk_coverage import risk_coverage_area

ROWS, RESAMPLES = 100_000, 2_000
Ask = Callable[[np.ndarray, np.ndarray, np.ndarray, int], object]
FIGURES: dict[str, Ask] = {
    "auroc": lambda p, y, f, b: rank_interval(RANK_METRICS["auroc"], score_families(p, y, f), 1, b),
    "average_precision": lambda p, y, f, b: rank_interval(
        RANK_METRICS["average_precision"], score_families(p, y, f), 1, b
    ),
    "calibration_error": lambda p, y, f, b: calibration_error(p, y, f, 1, resamples=b),
    "brier": lambda p, y, f, b: brier(p, y, f, 1, resamples=b),
    "log_loss": lambda p, y, f, b: log_loss(p, y, f, 1, resamples=b),
    "risk_coverage_area": lambda p, y, f, b: risk_coverage_area(np.abs(p - 0.5), (p > 0.5) == y, f, 1, resamples=b),
}


def data(digits: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    generator = np.random.default_rng(1)
    stated = np.round(generator.random(ROWS), digits)
    return stated, generator.random(ROWS) < np.clip(stated, 0.01, 0.99) ** 1.1, np.arange(ROWS) // 2


@pytest.mark.long
@pytest.mark.parametrize("digits", [2, 9])
@pytest.mark.parametrize("name", FIGURES)
def test_seconds(name: str, digits: int) -> None:
    given = data(digits)
    if name == "log_loss":
        given = (np.clip(given[0], 0.001, 0.999), *given[1:])
    started = time.perf_counter()
    FIGURES[name](*given, RESAMPLES)
    spent = time.perf_counter() - started
    print(f"{name}, {len(np.unique(given[0]))} distinct scores: {spent:.1f} s")
    assert spent < 15


@pytest.mark.long
@pytest.mark.parametrize("name", FIGURES)
def test_memory_does_not_grow_with_resamples(name: str) -> None:
    stated, yes, family = data(9)
    peaks = []
    for resamples in (200, 1_000):
        tracemalloc.start()
        FIGURES[name](np.clip(stated, 0.001, 0.999), yes, family, resamples)
        peaks.append(tracemalloc.get_traced_memory()[1] / 1e6)
        tracemalloc.stop()
    print(f"{name}: peak {peaks[0]:.0f} MB at 200 resamples, {peaks[1]:.0f} MB at 1,000")
    assert peaks[1] < 1.1 * peaks[0] + 10
