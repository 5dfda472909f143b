"""The estimates against every sample that could have been drawn, and against closed forms and other formulas."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, product
from math import comb, prod

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import beta

from bench.triage.estimating import CENSUS, Design, ends, hajek, horvitz_thompson, total_variance

# A pool of seven in two strata: (stratum, chance of being directed, label). Random picks: 2 of 4, and 2 of 3.
POOL = [
    (0, 0.5, True),
    (0, 0.0, False),
    (0, 0.2, True),
    (0, 1.0, False),
    (1, 0.0, True),
    (1, 0.7, False),
    (1, 0.3, True),
]
TAKEN = {0: 2, 1: 2}


def design(rows: list[int]) -> Design:
    many = {s: sum(stratum == s for stratum, _, _ in POOL) for s in TAKEN}
    strata = [POOL[i][0] for i in rows]
    return Design(
        np.array(strata, dtype=np.int64),
        np.array([many[s] for s in strata], dtype=float),
        np.array([TAKEN[s] for s in strata], dtype=float),
        np.array([POOL[i][1] for i in rows]),
        len(POOL),
    )


def samples() -> Iterator[tuple[float, list[int]]]:
    """Every pair of a random part and a directed part, with its probability; no formula of the package enters."""
    members = {s: [i for i, (stratum, _, _) in enumerate(POOL) if stratum == s] for s in TAKEN}
    each = 1 / prod(comb(len(members[s]), TAKEN[s]) for s in TAKEN)
    for random_part in product(*(combinations(members[s], TAKEN[s]) for s in TAKEN)):
        for directed in product((False, True), repeat=len(POOL)):
            chance = each * prod(
                p if took else 1 - p for (_, p, _), took in zip(POOL, directed, strict=True)
            )  # fmt: skip
            if chance > 0:
                picked = {i for part in random_part for i in part} | {i for i, took in enumerate(directed) if took}
                yield chance, sorted(picked)


def test_chances_of_units_and_pairs_are_those_of_the_enumeration() -> None:
    whole = design(list(range(len(POOL))))
    found = np.zeros((len(POOL), len(POOL)))
    for chance, picked in samples():
        found[np.ix_(picked, picked)] += chance
    np.testing.assert_allclose(whole.joint(), found, atol=1e-12)
    np.testing.assert_allclose(whole.chances(), np.diag(found), atol=1e-12)


def test_horvitz_thompson_and_its_variance_are_unbiased_over_every_sample() -> None:
    values = [1.0, 0.0, 3.0, -2.0, 0.5, 4.0, 1.0]
    totals, variances, weights = [], [], []
    for chance, picked in samples():
        mine = np.array([values[i] for i in picked])
        totals.append(float((mine / design(picked).chances()).sum()))
        variances.append(total_variance(mine, design(picked)))
        weights.append(chance)
    mean = np.average(totals, weights=weights)
    assert sum(weights) == pytest.approx(1)
    assert mean == pytest.approx(sum(values))
    assert np.average(variances, weights=weights) == pytest.approx(
        np.average((np.array(totals) - mean) ** 2, weights=weights)
    )


def test_the_share_that_is_told_is_unbiased_over_every_sample() -> None:
    # No sample of this pool has a total over N, so that nothing is cut.
    mean = 0.0
    for chance, picked in samples():
        value = horvitz_thompson("share", np.array([POOL[i][2] for i in picked]), design(picked)).value
        assert value is not None
        mean += chance * value
    assert mean == pytest.approx(sum(label for _, _, label in POOL) / len(POOL))


def srs(labels: int, hits: int, units: int) -> tuple[np.ndarray, Design]:
    ones = np.ones(labels)
    return np.arange(labels) < hits, Design(
        np.zeros(labels, dtype=np.int64), ones * units, ones * labels, np.zeros(labels), units
    )


@settings(deadline=None)
@given(labels=st.integers(2, 40), more=st.integers(0, 60), hits=st.integers(0, 40))
def test_a_simple_random_sample_has_its_textbook_variance(labels: int, more: int, hits: int) -> None:
    # Cochran 1977, Sampling Techniques, 3rd ed., theorem 3.2: v(p) = (1 - n/N) p (1 - p) / (n - 1).
    hits = min(hits, labels)
    said, drawn = srs(labels, hits, labels + more)
    p = hits / labels
    wanted = (1 - labels / (labels + more)) * p * (1 - p) / (labels - 1)
    assert total_variance((said - p) / (labels + more), drawn) == pytest.approx(wanted, abs=1e-9)
    assert hajek("share", said, drawn).value == pytest.approx(p)


def test_a_lone_answer_gets_the_exact_interval() -> None:
    said, drawn = srs(20, 0, 2_000)
    found = hajek("share", said, drawn)
    assert (found.value, found.low) == (0.0, 0.0)
    assert found.high == pytest.approx(beta.ppf(0.975, 1, 20))  # Clopper and Pearson 1934
    assert horvitz_thompson("share", said, drawn).high == pytest.approx(found.high)


def test_few_rows_are_told_as_counts() -> None:
    said, drawn = srs(8, 3, 900)
    found = hajek("share", said, drawn)
    assert found.too_few
    assert found.cell().startswith("3/8")
    assert found.low == pytest.approx(beta.ppf(0.025, 3, 6))


def test_a_census_is_no_estimate() -> None:
    said, drawn = srs(30, 12, 30)
    for found in (hajek("share", said, drawn), horvitz_thompson("share", said, drawn)):
        assert (found.value, found.low, found.high, found.method) == (0.4, 0.4, 0.4, CENSUS)


def test_without_rows_there_is_no_share() -> None:
    said, drawn = srs(0, 0, 30)
    assert hajek("share", said, drawn).undefined
    assert horvitz_thompson("share", said, drawn).undefined
    assert ends([], drawn) is None


def test_missing_labels_widen_and_the_ends_are_those_of_both_fillings() -> None:
    said, drawn = srs(40, 16, 4_000)
    whole = hajek("share", said, drawn)
    half = hajek("share", said[::2], drawn.of(np.arange(40) % 2 == 0), responding=0.5)
    assert whole.value == pytest.approx(0.4) and half.value == pytest.approx(0.4)
    assert whole.low is not None and half.low is not None and half.low < whole.low
    # Labels missing at random leave a simple random sample of those that came in.
    twenty, alone = srs(20, 8, 4_000)
    assert half.low == pytest.approx(hajek("share", twenty, alone).low, abs=0.01)
    few, mine = srs(10, 0, 100)
    assert ends([True, None, False, *[False] * 7], mine) == (pytest.approx(0.1), pytest.approx(0.2))
    assert ends([bool(one) for one in few], mine) is None


_ROWS = st.lists(st.tuples(st.booleans(), st.floats(0, 1)), min_size=1, max_size=30)


@settings(deadline=None)
@given(rows=_ROWS, order=st.randoms(use_true_random=False))
def test_values_lie_in_their_bounds_and_order_moves_nothing(rows: list[tuple[bool, float]], order: object) -> None:
    def told(mine: list[tuple[bool, float]]) -> list[float | None]:
        ones = np.ones(len(mine))
        drawn = Design(np.zeros(len(mine), dtype=np.int64), ones * 60, ones * 2, np.array([d for _, d in mine]), 60)
        hits = np.array([hit for hit, _ in mine])
        found = (hajek("a", hits, drawn), horvitz_thompson("b", hits, drawn))
        for one in found:
            assert one.value is not None and one.low is not None and one.high is not None
            assert 0 <= one.low <= one.value <= one.high <= 1
        return [x for one in found for x in (one.value, one.low, one.high)]

    mixed = list(rows)
    order.shuffle(mixed)  # type: ignore[attr-defined]
    assert told(rows) == pytest.approx(told(mixed), abs=1e-9)
