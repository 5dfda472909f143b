"""PPI++: the paper's formula, its two ends, and what a row order or an added family may move."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bench.estimating.ppi import ppi_plus_plus
from bench.estimating.sides import LabelledSide, PoolSide

Floats = np.typing.NDArray[np.float64]


def sides(
    yes: list[bool], said: list[bool], rest: list[bool], p: Floats | None = None, q: Floats | None = None
) -> tuple[LabelledSide, PoolSide]:
    mine = LabelledSide(np.array(yes, dtype=bool), np.array(said, dtype=bool), p, np.arange(len(yes)))
    return mine, PoolSide(np.array(rest, dtype=bool), np.ones(len(rest), dtype=bool), q, np.arange(len(rest)))


def drawn(seed: int, n: int, rows: int, right: float = 0.85) -> tuple[LabelledSide, PoolSide]:
    generator = np.random.default_rng(seed)
    truth = generator.random(n + rows) < 0.3
    said = np.where(generator.random(n + rows) < right, truth, ~truth)
    return sides(list(truth[:n]), list(said[:n]), list(said[n:]))


def test_the_papers_formula() -> None:
    """Angelopoulos, Duchi and Zrnic 2023, arXiv:2311.01453: mean(y) + w (mean F - mean f), and for a mean the best
    w = cov(y, f) / ((1 + n/N) var f), there with one variance pooled over both sides."""
    mine, theirs = drawn(1, 300, 900)
    found = ppi_plus_plus("x", mine, theirs, 0.95)
    y, f, rest = (side.astype(float) for side in (mine.yes, mine.said, theirs.said))
    pooled = np.concatenate([f, rest]).var(ddof=1)
    weight = np.cov(y, f)[0, 1] / ((1 + len(f) / len(rest)) * pooled)
    assert found.weight == pytest.approx(weight, rel=0.05)
    assert found.weight is not None
    assert found.corrected.raw == pytest.approx(y.mean() + found.weight * (rest.mean() - f.mean()), abs=1e-12)


def test_the_papers_interval_with_many_rows() -> None:
    """There the variance is var(y - w f)/n + w^2 var(F)/N."""
    mine, theirs = drawn(2, 4000, 12000)
    found = ppi_plus_plus("x", mine, theirs, 0.95)
    w, estimate = found.weight, found.corrected.estimate
    assert w is not None and estimate.low is not None and estimate.high is not None
    spread = (mine.yes - w * mine.said).var() / 4000 + w**2 * theirs.said.astype(float).var() / 12000
    assert (estimate.high - estimate.low) / 2 == pytest.approx(1.96 * spread**0.5, rel=0.01)


def test_a_judge_that_knows_nothing_gets_no_weight() -> None:
    mine, theirs = sides([True, False] * 20, [True, True, False, False] * 10, [True] * 50)
    found = ppi_plus_plus("x", mine, theirs, 0.95)
    assert found.weight == 0 and found.corrected.raw == 0.5 == found.classical.value


def test_a_judge_that_is_right_makes_the_pool_count() -> None:
    mine, theirs = sides([True, False] * 20, [True, False] * 20, [True, False, False, False] * 10_000)
    found = ppi_plus_plus("x", mine, theirs, 0.95)
    assert found.weight == pytest.approx(1 / (1 + 40 / 40_000), rel=0.05)
    assert found.corrected.raw == pytest.approx(0.25, abs=0.01)
    estimate = found.corrected.estimate  # 40 agreements do not show that it never errs
    assert estimate.low is not None and estimate.high is not None and estimate.high - estimate.low > 0.05


def test_it_is_narrower_than_labels_alone_where_the_judge_is_good() -> None:
    mine, theirs = drawn(3, 200, 2000, right=0.95)
    found = ppi_plus_plus("x", mine, theirs, 0.95)
    a, b = found.corrected.estimate, found.classical
    assert a.low is not None and a.high is not None and b.low is not None and b.high is not None
    assert a.high - a.low < 0.75 * (b.high - b.low)


def test_probabilities_are_used_only_where_both_sides_have_them() -> None:
    p, q = np.array([0.9, 0.2, 0.7, 0.1]), np.array([0.8, 0.3])
    yes, said, rest = [True, False, True, False], [True, False, True, False], [True, False]
    assert ppi_plus_plus("x", *sides(yes, said, rest, p, q), 0.95).uses == "probabilities"
    assert ppi_plus_plus("x", *sides(yes, said, rest, p, None), 0.95).uses == "verdicts"
    assert ppi_plus_plus("x", *sides(yes, said, rest, None, q), 0.95).uses == "verdicts"


@pytest.mark.parametrize(
    ("yes", "rest", "reason"), [([True], [True], "two labelled families"), ([True] * 3, [], "pool")]
)
def test_undefined(yes: list[bool], rest: list[bool], reason: str) -> None:
    found = ppi_plus_plus("x", *sides(yes, yes, rest), 0.95)
    assert found.corrected.estimate.value is None and reason in str(found.corrected.estimate.undefined)


def test_rows_of_one_family_widen_it() -> None:
    mine, theirs = drawn(4, 50, 500)
    few = LabelledSide(np.repeat(mine.yes, 4), np.repeat(mine.said, 4), None, np.repeat(mine.groups, 4))
    free = LabelledSide(few.yes, few.said, None, np.arange(200))
    widths = []
    for side in (few, free):
        found = ppi_plus_plus("x", side, theirs, 0.95).corrected.estimate
        assert found.low is not None and found.high is not None
        widths.append(found.high - found.low)
    assert widths[0] > 1.4 * widths[1]


def test_with_few_of_one_label_it_is_no_narrower_than_labels_alone() -> None:
    mine, theirs = sides([True] * 4 + [False] * 56, [True] * 5 + [False] * 55, [True] * 80 + [False] * 920)
    found = ppi_plus_plus("x", mine, theirs, 0.95)
    a, b = found.corrected.estimate, found.classical
    assert a.too_few and a.low is not None and a.high is not None and b.low is not None and b.high is not None
    assert a.low <= b.low and a.high >= b.high


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10_000), st.integers(2, 40), st.integers(1, 40))
def test_order_and_names(seed: int, n: int, rows: int) -> None:
    generator = np.random.default_rng(seed)
    p, q = generator.random(n).round(2), generator.random(rows).round(2)
    yes, groups, others = generator.random(n) < 0.4, generator.integers(0, 9, n), generator.integers(0, 9, rows)
    mine, theirs = LabelledSide(yes, p >= 0.5, p, groups), PoolSide(q >= 0.5, np.ones(rows, dtype=bool), q, others)
    i, j = generator.permutation(n), generator.permutation(rows)
    again = ppi_plus_plus(
        "x",
        LabelledSide(yes[i], p[i] >= 0.5, p[i], 100 - groups[i]),
        PoolSide(q[j] >= 0.5, np.ones(rows, dtype=bool), q[j], 100 - others[j]),
        0.95,
    )
    found = ppi_plus_plus("x", mine, theirs, 0.95)
    assert again == found
    estimate = found.corrected.estimate
    if estimate.value is not None and estimate.low is not None and estimate.high is not None:
        assert 0 <= estimate.low <= estimate.value <= estimate.high <= 1
