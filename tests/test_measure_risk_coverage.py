"""Risk-coverage curve and area: by hand, by a plain loop, and what must not move them."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from bench.measure.risk_coverage import risk_coverage_area, risk_coverage_curve


def data(seed: int, n: int = 150) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    generator = np.random.default_rng(seed)
    certainty = np.round(generator.random(n), 1)
    return certainty, generator.random(n) < 0.5 + certainty / 2, np.arange(n) // 3


def test_curve_by_hand() -> None:
    points = risk_coverage_curve([0.9, 0.9, 0.7, 0.5], [True, False, True, False])
    assert [(p.certainty, p.selected, p.wrong) for p in points] == [(0.9, 2, 1), (0.7, 3, 1), (0.5, 4, 2)]
    assert [(p.coverage, p.risk) for p in points] == [(0.5, 0.5), (0.75, 1 / 3), (1.0, 0.5)]
    assert risk_coverage_curve([], []) == ()


def test_area_by_hand() -> None:
    # Coverage steps .5, .25, .25 at risks 1/2, 1/3, 1/2.
    found = risk_coverage_area([0.9, 0.9, 0.7, 0.5], [True, False, True, False], [1, 2, 3, 4], 1)
    assert found.value == pytest.approx(0.25 + 1 / 12 + 1 / 8) and found.too_few


@pytest.mark.parametrize("seed", range(4))
def test_area_without_ties_is_the_published_mean(seed: int) -> None:
    # Geifman and El-Yaniv 2017: the mean over k of the risk among the k most certain.
    _, right, family = data(seed)
    certainty = np.random.default_rng(seed).permutation(150) / 150
    wrong = ~right[np.argsort(-certainty)]
    expected = np.mean(np.cumsum(wrong) / np.arange(1, 151))
    assert risk_coverage_area(certainty, right, family, 1, resamples=50).value == pytest.approx(expected, abs=1e-9)


def test_constant_certainty_gives_the_error_rate() -> None:
    _, right, family = data(5)
    found = risk_coverage_area(np.ones(150), right, family, 1, resamples=500)
    assert found.value == pytest.approx(np.mean(~right))
    assert found.low is not None and found.high is not None and 0 < found.low < np.mean(~right) < found.high < 1


def test_all_right_is_not_certain() -> None:
    certainty, _, _ = data(6)
    found = risk_coverage_area(certainty, np.ones(150, bool), np.arange(150), 1, resamples=50)
    # All errors first: e (1 - log e) at the Clopper-Pearson bound of 0 of 150 (scipy).
    most = stats.binomtest(0, 150).proportion_ci(0.95, method="exact").high
    assert (found.value, found.low) == (0.0, 0.0) and found.high == pytest.approx(most * (1 - np.log(most)))
    assert found.note is not None and "degenerate" in found.note
    wrong = risk_coverage_area(certainty, np.zeros(150, bool), np.arange(150), 1, resamples=50)
    assert (wrong.value, wrong.high) == (1.0, 1.0) and wrong.low is not None and wrong.low < 0.99


@pytest.mark.parametrize("seed", range(3))
def test_row_order_and_names(seed: int) -> None:
    certainty, right, family = data(seed)
    order = np.random.default_rng(seed).permutation(150)
    renamed = np.array([f"f{(7 * f) % 50:02d}" for f in family])
    plain = risk_coverage_area(certainty, right, family, 3, resamples=100)
    moved = risk_coverage_area(certainty[order], right[order], renamed[order], 3, resamples=100)
    assert repr(plain) == repr(moved)
    assert risk_coverage_curve(certainty, right) == risk_coverage_curve(certainty[order], right[order])


def test_without_items() -> None:
    assert risk_coverage_area([], [], [], 1).undefined == "0 items"
