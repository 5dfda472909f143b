"""Families as distinct count vectors: nothing but content may matter."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bench.measure.counts import FamilyVectors, count_families, count_joint


def data(seed: int, n: int = 60) -> tuple[np.ndarray, ...]:
    generator = np.random.default_rng(seed)
    family = generator.integers(0, 20, n)
    return generator.random(n) < 0.4, generator.random(n) < 0.5, family, family % 3, generator.uniform(0.1, 3, n)


def identical(a: FamilyVectors, b: FamilyVectors) -> bool:
    return all(
        np.array_equal(getattr(a, name), getattr(b, name)) for name in ("vectors", "items", "multiplicity", "stratum")
    )


def test_by_hand() -> None:
    labels, verdicts = np.array([1, 0, 1, 0, 1], bool), np.array([1, 1, 0, 0, 1], bool)
    found = count_families(labels, verdicts, ["a", "a", "b", "b", "c"])
    assert found.vectors.tolist() == [[0, 0, 1, 1], [1, 0, 0, 0], [1, 1, 0, 0]]
    assert found.totals().tolist() == [2, 1, 1, 1]
    assert found.families == 3 and not found.weighted
    assert found.contributing((0,)) == 2


def test_equal_families_are_one_row_with_a_multiplicity() -> None:
    yes = np.ones(40, bool)
    found = count_families(yes, yes, np.repeat(np.arange(20), 2))
    assert found.vectors.tolist() == [[2, 0, 0, 0]] and found.multiplicity.tolist() == [20]


@settings(max_examples=30)
@given(seed=st.integers(0, 1000), weighted=st.booleans())
def test_row_order_and_names_change_nothing(seed: int, weighted: bool) -> None:
    labels, verdicts, family, stratum, weights = data(seed)
    order = np.random.default_rng(seed + 1).permutation(len(labels))
    names = np.array([f"{(7 * f + 3) % 20:02d}-x" for f in family])
    renamed = np.array([["zeta", "alpha", "mid"][s] for s in stratum])
    mass = weights if weighted else None
    plain = count_families(labels, verdicts, family, stratum, mass)
    moved = count_families(
        labels[order], verdicts[order], names[order], renamed[order], weights[order] if weighted else None
    )
    assert identical(plain, moved)


def test_a_family_in_two_strata_is_an_error() -> None:
    with pytest.raises(ValueError, match="two design strata"):
        count_families([True, True], [True, True], ["a", "a"], ["s", "t"])


@pytest.mark.parametrize("labels", [[1, 0], ["yes", "no"], ["true", "false"]])
def test_only_truth_values_are_labels(labels: list[object]) -> None:
    with pytest.raises(TypeError, match="truth values"):
        count_families(labels, [True, False], [1, 2])


def test_lengths_must_agree() -> None:
    with pytest.raises(ValueError, match="one entry per row"):
        count_families([True, True], [True], [1, 2])


@pytest.mark.parametrize("weights", [[1.0, 0.0], [1.0, -1.0], [1.0, float("nan")], [1.0]])
def test_weights_are_positive_numbers(weights: list[float]) -> None:
    with pytest.raises(ValueError, match="positive finite"):
        count_families([True, True], [True, True], [1, 2], weights=weights)


def test_no_rows() -> None:
    found = count_families([], [], [])
    assert found.families == 0 and found.totals().tolist() == [0, 0, 0, 0]


def test_joint_cells_are_bits() -> None:
    found = count_joint([True, False], [True, False], [False, True], [1, 1])
    assert np.flatnonzero(found.totals()).tolist() == [1, 6]
