"""The shift test: exact where exactness is known, whole families, and never a permission."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import hypergeom

from bench.estimating.prevalence import Settings, estimate_prevalence
from bench.estimating.shift import shift_test
from bench.estimating.sides import LabelledSide, PoolSide
from bench.estimating.told import remarks


def sides(yes: int, no: int, others: int, rest: int) -> tuple[LabelledSide, PoolSide]:
    said = np.repeat([True, False], [yes, no])
    pool = np.repeat([True, False], [others, rest])
    mine = LabelledSide(said, said, None, np.arange(len(said)))
    return mine, PoolSide(pool, np.ones(len(pool), dtype=bool), None, np.arange(len(pool)))


@pytest.mark.parametrize(("yes", "no", "others", "rest"), [(9, 21, 20, 80), (2, 10, 40, 20), (5, 5, 5, 5)])
def test_single_rows_give_the_exact_p(yes: int, no: int, others: int, rest: int) -> None:
    """The yes among n drawn rows are hypergeometric; p sums the draws at least as far apart."""
    n, rows = yes + no, others + rest
    hits = np.arange(0, n + 1)
    far = np.abs(hits / n - (yes + others - hits) / rows)
    exact = hypergeom(n + rows, yes + others, n).pmf(hits)[far >= abs(yes / n - others / rows) - 1e-12].sum()
    found = shift_test(*sides(yes, no, others, rest), seed=1)
    assert found.p == pytest.approx(exact, abs=4 * (0.25 / found.permutations) ** 0.5 + 1e-3)


def test_same_seed_same_p_and_p_is_never_zero() -> None:
    mine, theirs = sides(30, 0, 0, 300)
    first = shift_test(mine, theirs, seed=5)
    assert first == shift_test(mine, theirs, seed=5)
    assert first.p == 1 / (1 + first.permutations) and first.rejected


def test_probabilities_show_a_shift_that_the_yes_rate_hides() -> None:
    generator = np.random.default_rng(3)
    p, q = generator.choice([0.45, 0.55], 100), generator.choice([0.05, 0.95], 300)
    mine = LabelledSide(p > 0.5, p > 0.5, p, np.arange(100))
    theirs = PoolSide(q > 0.5, np.ones(300, dtype=bool), q, np.arange(300))
    assert shift_test(mine, theirs, seed=1).p < 0.01
    bare = LabelledSide(mine.yes, mine.said, None, mine.groups)
    assert shift_test(bare, theirs, seed=1).p > 0.05


def test_families_are_moved_whole() -> None:
    """Families of four that are of one mind: the size of the test stays at .05 (row by row it is over .2)."""
    generator = np.random.default_rng(7)
    as_families = as_rows = 0
    runs = 300
    for _ in range(runs):
        said, pool = np.repeat(generator.random(20) < 0.4, 4), np.repeat(generator.random(60) < 0.4, 4)
        whole = np.ones(240, dtype=bool)
        as_families += shift_test(
            LabelledSide(said, said, None, np.arange(80) // 4), PoolSide(pool, whole, None, np.arange(240) // 4), 1, 199
        ).rejected
        as_rows += shift_test(
            LabelledSide(said, said, None, np.arange(80)), PoolSide(pool, whole, None, np.arange(240)), 1, 199
        ).rejected
    assert as_families / runs <= 0.05 + 2 * (0.05 * 0.95 / runs) ** 0.5
    assert as_rows / runs > 0.2


def test_an_empty_side_is_refused() -> None:
    with pytest.raises(ValueError, match="both sides"):
        shift_test(*sides(0, 0, 5, 5), seed=1)


def test_the_power_that_is_told_is_the_power_there_is() -> None:
    """A shift as large as ``detectable`` is found in about four of five tries."""
    generator = np.random.default_rng(11)
    reach = shift_test(*sides(24, 36, 400, 600), seed=1).detectable
    found = 0
    for _ in range(300):
        yes = int(generator.binomial(60, 0.4))
        others = int(generator.binomial(1000, 0.4 + reach))
        found += shift_test(*sides(yes, 60 - yes, others, 1000 - others), seed=1, permutations=199).rejected
    assert 0.72 <= found / 300 <= 0.9


def test_rejected_it_withholds_and_leaves_no_figure() -> None:
    yes = np.repeat([True, False], 60)
    said = np.concatenate([yes[:55], ~yes[55:65], yes[65:]])
    mine = LabelledSide(yes, said, None, np.arange(120))
    theirs = sides(1, 1, 900, 100)[1]
    found = estimate_prevalence(mine, theirs, Settings(labels_are_random_sample=True, resamples=500))
    assert found.status == "withheld" and "no random sample" in str(found.reason)
    assert found.powered is not None and found.powered.corrected.estimate.value is None
    assert found.powered.weight is None and found.corrected.estimate.value is not None
    alone = estimate_prevalence(mine, theirs, Settings(resamples=500))
    assert alone.status == "estimated" and alone.shift is None and alone.powered is None


def test_passed_it_permits_nothing_and_says_so() -> None:
    yes = np.repeat([True, False], 30)
    mine, theirs = LabelledSide(yes, yes, None, np.arange(60)), sides(1, 1, 500, 500)[1]
    found = estimate_prevalence(mine, theirs, Settings(labels_are_random_sample=True, resamples=500))
    told = " ".join(remarks(found))
    assert found.status == "estimated" and "this permits nothing" in told and ".44 to .75" in told
