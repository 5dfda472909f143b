"""Agreement between annotators against krippendorff, scikit-learn and Krippendorff's own example."""

from __future__ import annotations

import random

import krippendorff
import numpy as np
import pytest
from sklearn.metrics import cohen_kappa_score

from bench.measure.agreement import Rating, krippendorff_alpha, pairwise_kappas, raw_agreement

ANNOTATORS, CATEGORIES = ("ann", "bo", "cy"), ("no", "unclear", "yes")


def ratings(seed: int, units: int = 60, missing: float = 0.2, size: int = 1) -> list[Rating]:
    generator = np.random.default_rng(seed)
    found = []
    for unit in range(units):
        truth = generator.integers(3)
        for name in ANNOTATORS:
            if generator.random() >= missing:
                vote = truth if generator.random() < 0.7 else generator.integers(3)
                found.append(Rating(f"f{unit // size}", f"u{unit}", name, CATEGORIES[vote]))
    return found


def matrix(votes: list[Rating]) -> np.ndarray:
    units = sorted({r.unit for r in votes})
    table = np.full((len(ANNOTATORS), len(units)), np.nan)
    for r in votes:
        table[ANNOTATORS.index(r.annotator), units.index(r.unit)] = CATEGORIES.index(r.category)
    return table


@pytest.mark.parametrize("seed", range(5))
def test_alpha_is_that_of_the_krippendorff_package(seed: int) -> None:
    votes = ratings(seed)
    expected = krippendorff.alpha(reliability_data=matrix(votes), level_of_measurement="nominal")
    assert krippendorff_alpha(votes, seed=1, resamples=100).value == pytest.approx(expected, abs=1e-9)


def test_alpha_of_krippendorffs_example() -> None:
    # Krippendorff 2011, section C: four observers, twelve units, missing data, nominal alpha = .743.
    table = ["1 2 3 3 2 1 4 1 2 . . .", "1 2 3 3 2 2 4 1 2 5 . 3", ". 3 3 3 2 3 4 2 2 5 1 .", "1 2 3 3 2 4 4 1 2 5 1 ."]
    votes = [
        Rating(f"u{u}", f"u{u}", f"o{o}", value)
        for o, line in enumerate(table)
        for u, value in enumerate(line.split())
        if value != "."
    ]
    value = krippendorff_alpha(votes, seed=1, resamples=100).value
    assert value is not None and round(value, 3) == 0.743


@pytest.mark.parametrize("seed", range(3))
def test_pairwise_kappa_is_that_of_scikit_learn(seed: int) -> None:
    votes = ratings(seed)
    table = matrix(votes)
    found = pairwise_kappas(votes, seed=1, resamples=100)
    assert [(pair.first, pair.second) for pair in found] == [("ann", "bo"), ("ann", "cy"), ("bo", "cy")]
    for pair in found:
        first, second = (table[ANNOTATORS.index(name)] for name in (pair.first, pair.second))
        both = ~np.isnan(first) & ~np.isnan(second)
        assert pair.units == both.sum()
        assert pair.kappa.value == pytest.approx(cohen_kappa_score(first[both], second[both]), abs=1e-9)


def test_raw_agreement_is_the_share_of_equal_pairs() -> None:
    votes = ratings(4)
    table = matrix(votes).T
    pairs = [(a, b) for unit in table for i, a in enumerate(unit) for b in unit[i + 1 :] if not np.isnan([a, b]).any()]
    found = raw_agreement(votes)
    assert (found.numerator, found.denominator) == (sum(a == b for a, b in pairs), len(pairs))
    assert found.value == pytest.approx(np.mean([a == b for a, b in pairs]), abs=1e-12)


def test_one_category_has_no_alpha_and_no_kappa() -> None:
    votes = [Rating(f"u{u}", f"u{u}", name, "yes") for u in range(20) for name in ("ann", "bo")]
    assert krippendorff_alpha(votes, seed=1).undefined == "1 category only (yes)"
    assert pairwise_kappas(votes, seed=1)[0].kappa.undefined == "ann used 1 category only (yes)"
    found = raw_agreement(votes)
    assert found.value == 1.0 and found.low is not None and found.low < 0.9


def test_without_pairs_there_is_no_agreement() -> None:
    votes = [Rating("a", "a", "ann", "yes"), Rating("b", "b", "bo", "no")]
    assert raw_agreement(votes).undefined == "0 units with two votes"
    assert krippendorff_alpha(votes, seed=1).undefined == "0 units with two votes"
    assert pairwise_kappas(votes, seed=1)[0].kappa.undefined == "0 units rated by both"
    assert pairwise_kappas([], seed=1) == ()


def test_perfect_agreement_is_not_certain() -> None:
    votes = [Rating(f"u{u}", f"u{u}", name, CATEGORIES[u % 3]) for u in range(30) for name in ANNOTATORS]
    found = krippendorff_alpha(votes, seed=1)
    assert found.value == pytest.approx(1.0) and found.low is not None and found.low < 0.95
    assert found.note == "too thin to resample; exact interval printed"


@pytest.mark.parametrize("size", [1, 3])
def test_order_and_names_change_nothing(size: int) -> None:
    votes = ratings(5, size=size)
    moved = [Rating(f"x{v.family[::-1]}", f"q{v.unit[::-1]}", v.annotator, v.category) for v in votes]
    random.Random(3).shuffle(moved)
    assert krippendorff_alpha(votes, 1, 300) == krippendorff_alpha(moved, 1, 300)
    assert pairwise_kappas(votes, 1, 300) == pairwise_kappas(moved, 1, 300)
    assert raw_agreement(votes) == raw_agreement(moved)


def test_interval_is_close_to_that_of_a_plain_unit_bootstrap() -> None:
    # Oracle: percentile bootstrap of units through the krippendorff package, a coarse check of the width.
    votes = ratings(6, units=150, missing=0.0)
    table, generator = matrix(votes), np.random.default_rng(1)
    draws = [
        krippendorff.alpha(reliability_data=table[:, generator.integers(0, 150, 150)], level_of_measurement="nominal")
        for _ in range(300)
    ]
    found = krippendorff_alpha(votes, 1, 2000)
    assert found.low is not None and found.high is not None
    assert found.high - found.low == pytest.approx(np.subtract(*np.quantile(draws, [0.975, 0.025])), rel=0.2)


def test_two_votes_by_one_annotator_are_refused() -> None:
    votes = [Rating("a", "a", "ann", "yes"), Rating("a", "a", "ann", "no")]
    with pytest.raises(ValueError, match="rated unit a twice"):
        krippendorff_alpha(votes, seed=1)
    with pytest.raises(ValueError, match="lies in families"):
        raw_agreement([Rating("a", "u", "ann", "yes"), Rating("b", "u", "bo", "no")])
