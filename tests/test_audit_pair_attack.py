"""The attack on pairs: the fit is scikit-learn's, swaps keep their size, a share that would be found is the binomial's."""

from __future__ import annotations

import time

import numpy as np
import pytest
from scipy.stats import binom
from sklearn.linear_model import LogisticRegression

from bench.audits.pair_attack import SIZE, SWAPS, attack, detectable_share, fitted, folds_of, out_of_fold
from bench.audits.pair_features import Member, Pair, kernel_of
from bench.schema.event import Event


@pytest.mark.parametrize("ridge", [0.1, 1.0, 10.0])
def test_the_fit_is_the_ridge_logistic_regression_of_scikit_learn(ridge: float) -> None:
    generator = np.random.default_rng(3)
    differences = generator.normal(size=(24, 40)) + 0.2
    signs = generator.choice([-1.0, 1.0], size=(24, 5))
    weights = differences.T @ fitted(differences @ differences.T, signs, ridge)
    for column in range(signs.shape[1]):
        rows = signs[:, column, None] * differences
        # each pair from both sides, so that there are two classes; hence half of C
        oracle = LogisticRegression(C=1 / (2 * ridge), fit_intercept=False, tol=1e-10, max_iter=10_000)
        oracle.fit(np.vstack([rows, -rows]), np.repeat([1, 0], len(rows)))
        assert weights[:, column] == pytest.approx(oracle.coef_[0], abs=1e-5)


def test_no_pair_scores_itself() -> None:
    kernel = np.eye(12)  # nothing that pairs share
    assert np.all(out_of_fold(kernel, np.arange(12) % 10, np.ones((12, 1))) == 0)
    tried = attack(kernel, np.arange(12) % 10, seed=1)
    assert (tried.first, tried.p, tried.silent, tried.detectable) == (6.0, 1.0, 12, None)


def test_what_every_positive_has_is_found() -> None:
    kernel = np.eye(12) + 1.0  # one feature of the same sign in every pair
    tried = attack(kernel, np.arange(12) % 10, seed=1)
    assert (tried.first, tried.leaks) == (12.0, True)
    assert tried.p == 1 / (1 + SWAPS)


def test_the_size_holds_under_swapped_labels() -> None:
    """At most 1 in 100 by construction; 12 of 400 would be exceeded with probability .0008 at a size of .01."""
    generator = np.random.default_rng(11)
    rejected = 0
    for trial in range(400):
        differences = generator.normal(size=(20, 30)) * (generator.random((20, 30)) < 0.3)
        rejected += attack(differences @ differences.T / 9, np.arange(20) % 10, seed=trial, swaps=199).p <= SIZE
    assert rejected <= 12


@pytest.mark.parametrize(("pairs", "count"), [(60, 40), (20, 16), (100, 63)])
def test_a_detectable_share_has_power_point_eight(pairs: int, count: int) -> None:
    # critical counts at .01, from the binomial itself
    assert binom.sf(count - 1, pairs, 0.5) < SIZE <= binom.sf(count - 2, pairs, 0.5)
    null = np.array([float(count)] * 3 + [count - 1.0] * 496)  # (1 + 3) / 500 is under .01, (1 + 4) / 500 is not
    share = detectable_share(null, pairs)
    assert share is not None
    assert binom.sf(count - 1, pairs, share) >= 0.8 - 1e-9
    # as many silent pairs again, each half a count: the share is diluted half by half
    assert detectable_share(null + pairs / 2, 2 * pairs, pairs) == pytest.approx((share + 0.5) / 2)
    assert detectable_share(np.full(SWAPS, float(pairs)), pairs) is None


def test_at_sixty_pairs_a_leak_of_about_seventy_percent_is_found() -> None:
    null = np.array([40.0] * 3 + [39.0] * 496)
    assert detectable_share(null, 60) == pytest.approx(0.70, abs=0.03)


def test_folds_hang_on_the_name_alone() -> None:
    assert folds_of(["a", "b", "c"]).tolist() == [folds_of([name])[0] for name in "abc"]


def test_sixty_pairs_are_quick() -> None:
    generator = np.random.default_rng(2)
    differences = generator.normal(size=(60, 200))
    start = time.process_time()
    attack(differences @ differences.T / 200, np.arange(60) % 10, seed=1)
    assert time.process_time() - start < 3


def member(*texts: str) -> Member:
    return Member(("query",), tuple(Event(kind="message", text=text) for text in texts))


def test_members_that_are_alike_leave_no_trace() -> None:
    same = [Pair(f"f{i}", member("one", f"two {i}"), member("one", f"two {i}")) for i in range(4)]
    assert not kernel_of(same).any()


def test_lines_in_another_order_are_no_difference_in_words() -> None:
    pairs = [Pair(f"f{i}", member("one", "two"), member("two", "one")) for i in range(4)]
    assert not kernel_of(pairs).any()


def test_a_shared_difference_is_shared_by_the_kernel_and_a_private_one_is_not() -> None:
    shared = [Pair(f"f{i}", member("one", "always"), member("one")) for i in range(4)]
    assert kernel_of(shared).min() > 0.9
    private = [Pair(f"f{i}", member("one", w * 3), member("one", w * 3 + "!")) for i, w in enumerate("abcd")]
    assert kernel_of(private)[0, 1] == pytest.approx(kernel_of(private)[1, 2])


def test_the_kernel_does_not_know_which_is_the_positive() -> None:
    texts = [("always pnpm", "once npm"), ("always ruff", "black now"), ("never black", "ruff now"), ("a b", "c d")]
    pairs = [Pair(f"f{i}", member(a, "x"), member(b, "x")) for i, (a, b) in enumerate(texts)]
    swapped = [Pair(p.family, p.control, p.positive) for p in pairs]
    assert kernel_of(swapped) == pytest.approx(kernel_of(pairs))
