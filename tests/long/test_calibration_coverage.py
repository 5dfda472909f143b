"""Calibration error, Brier, log loss and risk-coverage area by simulation: size of the null's test, coverage.

Labels of a family hang together (correlation .3 by a shared draw). The miscalibrated judges are moved away from the
truth by a fixed distance, so that the binned error in the population is known. 300 replicates in each cell; set
BENCH_COVERAGE_SCALE to make them more.
"""

from __future__ import annotations

import math
import os
from itertools import product

import numpy as np
import pytest

from bench.measure.calibration import Definition, Norm, calibration_error
from bench.measure.probability import brier, log_loss
from bench.measure.risk_coverage import risk_coverage_area

REPLICATES = int(300 * float(os.environ.get("BENCH_COVERAGE_SCALE", "1")))
RESAMPLES = 500
CORRELATION = 0.3
NORMS: tuple[Norm, ...] = ("l1", "l2", "max")
Rows = tuple[np.ndarray, np.ndarray, np.ndarray]


def rows(n: int, size: int, shift: float, generator: np.random.Generator) -> Rows:
    """(stated, labels, families); the truth lies ``shift`` from what is stated, towards the middle."""
    family, stated = np.arange(n) // size, generator.random(n)
    true = np.clip(stated - shift * np.sign(stated - 0.5), 0, 1)
    shared = generator.random(n) < math.sqrt(CORRELATION)
    return stated, np.where(shared, generator.random(n)[family], generator.random(n)) < true, family


def noise(rate: float) -> float:
    """Two Monte-Carlo errors, as the acceptance rule of STATISTICS.md has it."""
    return 2 * math.sqrt(rate * (1 - rate) / REPLICATES)


@pytest.mark.long
@pytest.mark.parametrize(("n", "size"), [(84, 1), (84, 4), (200, 2), (1000, 4)])
@pytest.mark.parametrize("norm", NORMS)
def test_a_perfect_judge_is_refused_as_often_as_stated(norm: Norm, n: int, size: int) -> None:
    generator = np.random.default_rng([n, size])
    p_values = []
    for replicate in range(REPLICATES):
        found = calibration_error(*rows(n, size, 0.0, generator), replicate, definition=Definition(norm), resamples=2)
        p_values.append(found.p_value or 0.0)
    rejected = float(np.mean(np.array(p_values) <= 0.05))
    print(f"null {norm} n={n} families of {size}: rejected {rejected:.3f} at .05")
    assert rejected <= 0.05 + noise(0.05)
    assert rejected >= 0.01


@pytest.mark.long
@pytest.mark.parametrize(("n", "size"), [(84, 1), (200, 2), (1000, 4)])
@pytest.mark.parametrize("shift", [0.0, 0.05, 0.1, 0.2])
@pytest.mark.parametrize("norm", NORMS)
def test_calibration_interval_covers(norm: Norm, shift: float, n: int, size: int) -> None:
    generator = np.random.default_rng([n, size, int(shift * 100)])
    covered, width = 0, 0.0
    for replicate in range(REPLICATES):
        stated, yes, family = rows(n, size, shift, generator)
        definition = Definition(norm)
        found = calibration_error(stated, yes, family, replicate, definition=definition, resamples=RESAMPLES).error
        assert found.low is not None and found.high is not None
        # All bins are off by the same distance: l1 = l2 = max, but for the bin around .5, where shifts cancel a little.
        covered += found.low <= shift <= found.high
        width += (found.high - found.low) / REPLICATES
    print(
        f"interval {norm} error={shift} n={n} families of {size}: covers {covered / REPLICATES:.3f} width {width:.3f}"
    )
    assert covered / REPLICATES >= 0.93 - noise(0.05)


@pytest.mark.long
@pytest.mark.parametrize(("n", "size"), list(product((60, 200), (1, 4))))
def test_brier_log_loss_and_area_cover(n: int, size: int) -> None:
    def measured(stated: np.ndarray, yes: np.ndarray, family: np.ndarray, seed: int) -> list[object]:
        certainty, right = np.abs(stated - 0.5), (stated >= 0.5) == yes
        return [
            brier(stated, yes, family, seed, resamples=RESAMPLES),
            log_loss(stated, yes, family, seed, clip=0.01, resamples=RESAMPLES),
            risk_coverage_area(certainty, right, family, seed, resamples=RESAMPLES),
        ]

    generator = np.random.default_rng([n, size])
    truth = [found.value for found in measured(*rows(400_000, 1, 0.1, generator), seed=0)]  # type: ignore[attr-defined]
    covered = np.zeros(3)
    for replicate in range(REPLICATES):
        for place, found in enumerate(measured(*rows(n, size, 0.1, generator), seed=replicate)):
            covered[place] += found.low <= truth[place] <= found.high  # type: ignore[attr-defined]
    share = dict(zip(("brier", "log_loss", "risk_coverage_area"), (covered / REPLICATES).round(3), strict=True))
    print(f"n={n} families of {size}: {share}")
    # All four cells hold 15 families or more, so that none is excused.
    assert min(share.values()) >= 0.93 - noise(0.05), share
