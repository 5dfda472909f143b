"""Paired comparison of two judges: other tools, exact enumeration, and invariances."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.contingency_tables import mcnemar

from bench.measure.compare import accuracy_test, difference, mcnemar_mid_p
from bench.measure.counts import count_families, count_joint
from bench.measure.metrics import METRICS, Metric

ALL = pytest.mark.parametrize("metric", METRICS.values(), ids=METRICS)
Data = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]


def data(seed: int, n: int = 240, size: int = 3, a: float = 0.8, b: float = 0.7) -> Data:
    generator = np.random.default_rng(seed)
    labels = generator.random(n) < 0.4
    said = [np.where(generator.random(n) < skill, labels, generator.random(n) < 0.5) for skill in (a, b)]
    return labels, said[0], said[1], np.arange(n) // size


@ALL
def test_value_is_the_difference_of_the_values(metric: Metric) -> None:
    labels, a, b, family = data(1)
    found = difference(metric, count_joint(labels, a, b, family), seed=1, resamples=500)
    one, two = (float(metric.values(count_families(labels, said, family).totals())) for said in (a, b))
    assert found.value == pytest.approx(one - two, abs=1e-12)
    assert found.low is not None and found.high is not None and found.low <= found.value <= found.high


@ALL
def test_changing_places_changes_the_sign(metric: Metric) -> None:
    labels, a, b, family = data(2)
    found = difference(metric, count_joint(labels, a, b, family), seed=1, resamples=2000)
    turned = difference(metric, count_joint(labels, b, a, family), seed=1, resamples=2000)
    assert found.value is not None and turned.value == pytest.approx(-found.value)
    assert found.low is not None and turned.high is not None
    assert turned.high == pytest.approx(-found.low, abs=0.03)


@ALL
def test_the_same_judge_twice_is_not_certain_to_be_equal(metric: Metric) -> None:
    labels, a, _, family = data(3)
    found = difference(metric, count_joint(labels, a, a, family), seed=1)
    assert found.value == 0.0 and found.note is not None
    if metric.name == "prevalence":
        return  # the labels are the same for both judges
    assert found.low is not None and found.high is not None and found.low < 0 < found.high


def test_matched_shares_use_discordant_items_only() -> None:
    labels, a, _, _ = data(4)
    found = difference(METRICS["accuracy"], count_joint(labels, a, a, np.arange(240)), seed=1)
    # No discordance in 240 items: Clopper-Pearson's upper bound of 0/240 on either side, closed form.
    bound = 1 - 0.025 ** (1 / 240)
    assert (found.low, found.high) == pytest.approx((-bound, bound), abs=1e-9)


def test_paired_accuracy_interval_is_close_to_the_closed_form() -> None:
    # Oracle: the paired t interval of per-item differences (scipy), single-item families.
    labels, a, b, _ = data(5, n=600)
    gaps = (a == labels).astype(float) - (b == labels)
    expected = stats.ttest_1samp(gaps, 0).confidence_interval(0.95)
    found = difference(METRICS["accuracy"], count_joint(labels, a, b, np.arange(600)), seed=1)
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high), abs=0.006)


def test_undefined_names_the_judge() -> None:
    labels = np.arange(40) < 20
    joint = count_joint(labels, labels, np.zeros(40, bool), np.arange(40))
    assert difference(METRICS["precision"], joint, seed=1).undefined == "judge B: 0 predicted yes"


@ALL
def test_row_order_names_and_seed(metric: Metric) -> None:
    labels, a, b, family = data(6)
    order = np.random.default_rng(1).permutation(240)
    renamed = (37 * family) % 80 + 500
    plain = difference(metric, count_joint(labels, a, b, family), 7, 300)
    moved = difference(metric, count_joint(labels[order], a[order], b[order], renamed[order]), 7, 300)
    assert repr(plain) == repr(moved)


@pytest.mark.parametrize(("a", "b"), [(0, 0), (5, 5), (1, 9), (12, 3), (0, 6)])
def test_mid_p_is_the_exact_p_less_half_the_point(a: int, b: int) -> None:
    # Oracle: statsmodels' exact McNemar; mid-p takes off the probability of the observed table.
    exact = mcnemar([[0, a], [b, 0]], exact=True).pvalue
    expected = 1.0 if a == b else exact - stats.binom.pmf(min(a, b), a + b, 0.5)
    assert mcnemar_mid_p(a, b) == pytest.approx(expected, abs=1e-9)


def test_single_item_families_get_mcnemar() -> None:
    labels, a, b, _ = data(7)
    found = accuracy_test(count_joint(labels, a, b, np.arange(240)), seed=1)
    only_a, only_b = int(np.sum((a == labels) & (b != labels))), int(np.sum((a != labels) & (b == labels)))
    assert (found.method, found.only_a_right, found.only_b_right) == ("McNemar mid-p", only_a, only_b)
    assert found.p_value == mcnemar_mid_p(only_a, only_b)


@pytest.mark.parametrize("seed", range(4))
def test_sign_flip_is_the_enumeration(seed: int) -> None:
    labels, a, b, family = data(seed, n=36, size=3)
    gaps = np.bincount(family, (a == labels).astype(float) - (b == labels))
    flips = np.abs(np.array(list(product([-1, 1], repeat=12))) @ gaps)
    found = accuracy_test(count_joint(labels, a, b, family), seed=1)
    assert found.method == "family sign flip, exact"
    assert found.p_value == pytest.approx(np.mean(flips >= abs(gaps.sum()) - 1e-9), abs=1e-9)


def test_sign_flip_by_draws_agrees_with_the_normal_limit() -> None:
    labels, a, b, family = data(8, n=150_000, a=0.7, b=0.7)
    gaps = np.bincount(family, (a == labels).astype(float) - (b == labels))
    found = accuracy_test(count_joint(labels, a, b, family), seed=1)
    assert found.method == "family sign flip, 100000 draws"
    expected = 2 * stats.norm.sf(abs(gaps.sum()) / np.sqrt((gaps**2).sum()))
    assert found.p_value == pytest.approx(expected, abs=0.01)


def test_without_discordance_p_is_one() -> None:
    labels, a, _, family = data(9)
    assert accuracy_test(count_joint(labels, a, a, family), seed=1).p_value == 1.0
