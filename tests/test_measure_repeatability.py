"""A/A: identical answers, flips, and equivalence."""

from __future__ import annotations

import numpy as np
import pytest
from statsmodels.stats.inter_rater import aggregate_raters, fleiss_kappa
from statsmodels.stats.multitest import multipletests

from bench.measure.counts import count_joint
from bench.measure.estimate import Estimate, undefined_estimate
from bench.measure.metrics import METRICS
from bench.measure.repeatability import differing, equivalence, flip_rate, repeat, repeat_tests, sample_figures


def samples(seed: int, n: int = 90, k: int = 5, sure: float = 0.9) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(labels, verdicts of shape (n, k), families)."""
    generator = np.random.default_rng(seed)
    labels = generator.random(n) < 0.5
    leaning = np.where(labels, sure, 1 - sure)
    return labels, generator.random((n, k)) < leaning[:, None], np.arange(n) // 2


def test_differing_items_are_listed() -> None:
    assert differing({"a": "yes", "b": "no"}, {"b": "no", "a": "yes"}) == ()
    assert differing({"b": "yes", "a": "yes", "c": "no"}, {"a": "no", "b": "yes", "d": "no"}) == ("a", "c", "d")


def test_flip_rate_by_hand() -> None:
    # 2 c (n - c) / (n (n - 1)): 0, 2/3 (one of three), 1 (one of two); one sample alone has none.
    found = flip_rate([3, 1, 1, 1], [3, 3, 2, 1], ["a", "b", "c", "d"], 1)
    assert found.value == pytest.approx((0 + 2 / 3 + 1) / 3) and found.families == 3


@pytest.mark.parametrize("seed", range(3))
def test_flip_rate_is_one_minus_the_observed_agreement_of_fleiss(seed: int) -> None:
    # Fleiss' kappa (statsmodels) = (P - P_e) / (1 - P_e), P_e from the pooled yes-rate; 1 - P is the flip rate.
    _, verdicts, family = samples(seed)
    rate = verdicts.mean()
    chance = rate**2 + (1 - rate) ** 2
    agreement = fleiss_kappa(aggregate_raters(verdicts.astype(int))[0]) * (1 - chance) + chance
    found = flip_rate(verdicts.sum(axis=1), np.full(90, 5), family, 1)
    assert found.value == pytest.approx(1 - agreement, abs=1e-9)
    assert found.low is not None and found.high is not None and found.value is not None
    assert 0 < found.low < found.value < found.high < 1


def test_no_flip_is_not_proof_that_there_is_none() -> None:
    found = flip_rate(np.full(40, 3), np.full(40, 3), np.arange(40), 1)
    # Clopper-Pearson of 0 of 40, closed form.
    assert found.value == 0.0 and found.high == pytest.approx(1 - 0.025 ** (1 / 40))
    assert flip_rate([1], [1], ["a"], 1).undefined == "0 items with two scored samples"


def test_right_once_and_right_every_time() -> None:
    labels, verdicts, family = samples(1)
    right = (verdicts == labels[:, None]).sum(axis=1)
    scored = np.where(np.arange(90) < 4, 3, 5)
    found = sample_figures(np.minimum(verdicts.sum(axis=1), scored), np.minimum(right, scored), scored, family, 5, 1)
    assert (found.items, found.excluded) == (86, 4)
    assert found.right_once.value == pytest.approx(np.mean(right[4:] > 0))
    assert found.right_always.value == pytest.approx(np.mean(right[4:] == 5))
    assert found.right_always.method.startswith("Wilson") and found.right_always.denominator == 86


def test_without_items_of_enough_samples() -> None:
    found = sample_figures([1], [1], [3], ["a"], 5, 1)
    assert found.right_once.undefined == found.right_always.undefined == "0 items with 5 scored samples"
    assert found.excluded == 1


@pytest.mark.parametrize(
    ("hits", "size", "error", "text"),
    [
        ([4], [3], ValueError, "item 0: 4 of 3"),
        ([0.5], [1], TypeError, "whole"),
        ([1, 1], [1], ValueError, "one entry"),
    ],
)
def test_impossible_counts(hits: list[int], size: list[int], error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=text):
        flip_rate(hits, size, ["a"], 1)


def gap(low: float, high: float) -> Estimate:
    return Estimate("accuracy", (low + high) / 2, low, high, "bootstrap", 50)


@pytest.mark.parametrize(
    ("found", "verdict"),
    [
        (gap(-0.02, 0.02), "equivalent"),
        (gap(0.01, 0.02), "equivalent"),  # not 0, and yet too small to matter
        (gap(-0.025, 0.025), "equivalent"),
        (gap(0.03, 0.09), "differs"),
        (gap(-0.2, -0.03), "differs"),
        (gap(-0.1, 0.1), "cannot tell"),
        (gap(0.01, 0.05), "cannot tell"),  # significant, and yet not known to be too large
        (undefined_estimate("accuracy", "0 items"), "cannot tell"),
    ],
)
def test_equivalence_within_half_the_margin(found: Estimate, verdict: str) -> None:
    assert equivalence(found, 0.05)[0] == verdict


def test_a_margin_is_above_zero() -> None:
    with pytest.raises(ValueError, match="above 0"):
        equivalence(gap(0, 0), 0.0)


def test_two_runs_of_one_judge() -> None:
    labels, verdicts, family = samples(2, n=2000, k=2)
    joint = count_joint(labels, verdicts[:, 0], verdicts[:, 1], family)
    same = repeat(METRICS["accuracy"], joint, 0.1, 1, 1000)
    worse = count_joint(labels, verdicts[:, 0], np.where(np.arange(2000) % 3 == 0, ~labels, labels), family)
    assert same.verdict == "equivalent" and same.gap.name == "accuracy: run 1 - run 2"
    other = repeat(METRICS["accuracy"], worse, 0.1, 1, 1000)
    assert other.verdict == "differs"
    found = {test.name: test for test in repeat_tests({"same": same, "other": other})}
    expected = multipletests([same.p_value, other.p_value], alpha=0.01, method="holm")[0]
    assert [found["same"].rejected, found["other"].rejected] == expected.tolist()


def test_row_order_and_names() -> None:
    labels, verdicts, family = samples(3)
    hits, right, size = verdicts.sum(axis=1), (verdicts == labels[:, None]).sum(axis=1), np.full(90, 5)
    order, renamed = np.random.default_rng(1).permutation(90), (37 * family) % 101 + 500
    plain = sample_figures(hits, right, size, family, 5, 1)
    assert repr(plain) == repr(sample_figures(hits[order], right[order], size, renamed[order], 5, 1))
