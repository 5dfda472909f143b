"""Brier, its decomposition and log loss against scikit-learn and closed forms."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats
from sklearn.metrics import brier_score_loss
from sklearn.metrics import log_loss as sklearn_log_loss

from bench.measure.binning import DISTINCT, Binning, assign_bins
from bench.measure.probability import brier, decompose_brier, log_loss

BINNINGS = [DISTINCT, Binning("equal mass", 7), Binning("equal width", 5)]


def data(seed: int, n: int = 120, digits: int = 1) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    generator = np.random.default_rng(seed)
    stated = np.round(generator.beta(1.2, 1.5, n), digits)
    return np.clip(stated, 0.05, 0.95), generator.random(n) < stated, np.arange(n) // 2


@pytest.mark.parametrize("seed", range(5))
def test_values_are_those_of_scikit_learn(seed: int) -> None:
    stated, yes, family = data(seed, digits=3)
    found = log_loss(stated, yes, family, 1, resamples=100)
    assert found.value == pytest.approx(sklearn_log_loss(yes, stated), abs=1e-9)
    assert brier(stated, yes, family, 1, resamples=100).value == pytest.approx(brier_score_loss(yes, stated), abs=1e-9)


@pytest.mark.parametrize("seed", range(3))
def test_intervals_of_single_items_are_close_to_the_t_interval(seed: int) -> None:
    # Oracle: scipy's t interval of the per-item losses; the studentised bootstrap differs by skewness only.
    stated, yes, _ = data(seed, n=600)
    losses = {"brier": (stated - yes) ** 2, "log_loss": -np.log(np.where(yes, stated, 1 - stated))}
    for name, found in (
        ("brier", brier(stated, yes, np.arange(600), 1)),
        ("log_loss", log_loss(stated, yes, np.arange(600), 1)),
    ):
        expected = stats.ttest_1samp(losses[name], 0).confidence_interval(0.95)
        assert (found.low, found.high) == pytest.approx((expected.low, expected.high), rel=0.03)
        assert found.method == "studentised family bootstrap"


def test_certain_and_wrong_is_infinite_not_a_number() -> None:
    stated, yes = np.array([0.0, 1.0, 0.4]), np.array([True, True, False])
    assert log_loss(stated, yes, [1, 2, 3], 1).undefined == "infinite: 1 of 3 items certain and wrong"
    assert log_loss(1 - stated, ~yes, [1, 2, 3], 1).undefined == "infinite: 1 of 3 items certain and wrong"
    assert log_loss([], [], [], 1).undefined == "0 items"


def test_the_clip_is_told() -> None:
    stated, yes = np.array([0.0, 1.0, 0.4]), np.array([True, True, False])
    found = log_loss(stated, yes, [1, 2, 3], 1, clip=0.001)
    assert found.value == pytest.approx(-(math.log(0.001) + math.log(0.999) + math.log(0.6)) / 3)
    assert found.note == "too few; 2 probabilities clipped to [0.001, 1 - 0.001]"
    with pytest.raises(ValueError, match="clip must lie between"):
        log_loss(stated, yes, [1, 2, 3], 1, clip=0.5)


def test_always_certain_and_right_has_no_upper_bound() -> None:
    yes = np.arange(40) < 20
    found = log_loss(yes.astype(float), yes, np.arange(40), 1)
    assert (found.value, found.low, found.high) == (0.0, 0.0, None)
    assert found.method == "none: one certain and wrong item would make it infinite"


def test_saying_half_scores_log_two() -> None:
    found = log_loss(np.full(60, 0.5), np.arange(60) < 20, np.arange(60), 1)
    assert found.value == pytest.approx(math.log(2), abs=1e-12)


@pytest.mark.parametrize("binning", BINNINGS, ids=str)
@pytest.mark.parametrize("seed", range(3))
def test_the_parts_make_the_whole(binning: Binning, seed: int) -> None:
    stated, yes, _ = data(seed)
    found = decompose_brier(stated, yes, binning)
    assert found is not None
    whole = found.reliability - found.resolution + found.uncertainty + found.within
    assert whole == pytest.approx(brier_score_loss(yes, stated), abs=1e-12)
    assert 0 <= found.resolution <= found.uncertainty + 1e-12 and found.uncertainty == pytest.approx(yes.var())


@pytest.mark.parametrize("seed", range(3))
def test_distinct_bins_leave_nothing_within(seed: int) -> None:
    # Murphy 1973: with one bin per distinct probability the three terms are exact.
    found = decompose_brier(*data(seed)[:2])
    assert found is not None and found.within == pytest.approx(0, abs=1e-12)
    assert found.binning == "each distinct probability a bin"


def test_decomposition_by_hand() -> None:
    # p = .2 (1 of 4 yes), p = .8 (3 of 4 yes): gaps .05, shares .25 and .75 about .5.
    stated, yes = np.repeat([0.2, 0.8], 4), np.array([1, 0, 0, 0, 1, 1, 1, 0], bool)
    found = decompose_brier(stated, yes)
    assert found is not None
    assert (found.reliability, found.resolution, found.uncertainty) == pytest.approx((0.0025, 0.0625, 0.25))
    assert decompose_brier([], []) is None


@pytest.mark.parametrize("binning", BINNINGS, ids=str)
def test_ties_share_a_bin_and_all_items_are_in_one(binning: Binning) -> None:
    stated, _, _ = data(4)
    bins = assign_bins(stated, binning)
    for value in np.unique(stated):
        assert len(set(bins.of_row[stated == value].tolist())) == 1
    assert bins.sizes.sum() == 120 and bins.stated.sum() == pytest.approx(stated.sum())
    assert np.all(np.diff(bins.stated / bins.sizes) > 0)


def test_equal_mass_without_ties_is_equal() -> None:
    bins = assign_bins(np.random.default_rng(1).random(100), Binning("equal mass", 10))
    assert bins.sizes.tolist() == [10] * 10 and bins.empty == 0
    assert assign_bins(np.full(9, 0.9), Binning("equal mass", 10)).empty == 9


def test_equal_width_holds_its_ends() -> None:
    bins = assign_bins(np.array([0.0, 0.5, 1.0]), Binning("equal width", 2))
    assert bins.of_row.tolist() == [0, 1, 1]
    with pytest.raises(ValueError, match="distinct bins have no number"):
        Binning("distinct", 3)


@pytest.mark.parametrize("seed", range(3))
def test_row_order_and_names(seed: int) -> None:
    stated, yes, family = data(seed, digits=3)
    order, renamed = np.random.default_rng(seed).permutation(120), (37 * family) % 101 + 500
    for metric in (brier, log_loss):
        plain = metric(stated, yes, family, 7, resamples=200)
        moved = metric(stated[order], yes[order], renamed[order], 7, resamples=200)
        assert repr(plain) == repr(moved)
    for binning in BINNINGS:
        assert decompose_brier(stated, yes, binning) == decompose_brier(stated[order], yes[order], binning)
