"""A path of thresholds: closed forms, hand-computed tables, order and names, and the level by a quick simulation."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.proportion import proportion_confint

from bench.certifying.evidence import STAKES, drawn_items, wealth
from bench.certifying.sequence import ADJUSTED, BETTING, ONE_ITEM, BandTest, even_path, path_from, walk_path
from bench.measure.counts import count_families
from bench.measure.proportions import korn_graubard, share_of

METHODS = (ONE_ITEM, BETTING, ADJUSTED)
PATH = even_path(1, 0, 11)


def proved(scores: Any, wrong: Any, families: Any = None, path: Any = PATH, **others: Any) -> BandTest:
    given_ = {"target": 0.1, "delta": 0.05, "method": ONE_ITEM, "seed": 0, "largest_family": 4, "side": "high"}
    names = np.arange(len(scores)) if families is None else families
    return walk_path(scores, wrong, names, path, **{**given_, **others})


def rows(right: int, wrong: int, score: float = 0.95) -> tuple[np.ndarray, np.ndarray]:
    """So many rows at one score."""
    return np.full(right + wrong, score), np.arange(right + wrong) < wrong


# --- closed forms ---


def test_29_rows_without_an_error_are_enough_and_28_are_not() -> None:
    # Wilks 1941: 1 - .9^29 = .953, 1 - .9^28 = .948.
    enough, few = proved(*rows(29, 0), path=(0.9, 0.5)), proved(*rows(28, 0), path=(0.9, 0.5))
    assert (enough.threshold, enough.why_not) == (0.9, None)
    assert few.threshold is None and few.upper is None
    assert few.why_not == "too few selected: 28 of 29 rows, at the loosest threshold 0.9"
    assert [step.passed for step in few.steps] == [None]


@pytest.mark.parametrize(("right", "wrong"), [(29, 0), (40, 0), (45, 1), (60, 2), (60, 8), (0, 40)])
def test_one_item_of_single_families_is_clopper_pearson(right: int, wrong: int) -> None:
    step = proved(*rows(right, wrong)).steps[-1]
    assert step.p_value == pytest.approx(stats.binom.cdf(wrong, right + wrong, 0.1), abs=1e-12)
    assert step.upper == pytest.approx(proportion_confint(wrong, right + wrong, alpha=0.1, method="beta")[1], abs=1e-12)
    assert step.passed is (step.upper is not None and step.upper <= 0.1)


def test_one_error_needs_46_rows() -> None:
    # Clopper and Pearson 1934: P(Bin(46, .1) <= 1) = .0480, P(Bin(45, .1) <= 1) = .0524.
    assert proved(*rows(45, 1)).threshold == 0.9
    refused = proved(*rows(44, 1))
    assert (
        refused.why_not == "the first testable point failed: 1 wrong of 45 selected, at most 0 may be, at threshold 0.9"
    )


def test_adjusted_is_clopper_pearson_for_single_families_and_korn_graubard_for_others() -> None:
    step = proved(*rows(60, 2), method=ADJUSTED).steps[-1]
    assert step.upper == pytest.approx(proportion_confint(2, 62, alpha=0.1, method="beta")[1], abs=1e-12)
    scores, wrong = rows(90, 6)
    pairs = np.arange(96) // 2
    expected = korn_graubard(share_of(count_families(wrong, np.ones(96, bool), pairs), (0,), (0, 1)), 0.9)[1]
    assert proved(scores, wrong, pairs, method=ADJUSTED).steps[-1].upper == pytest.approx(expected)


def test_only_the_adjusted_method_is_not_called_finite_sample() -> None:
    found = [proved(*rows(60, 0), method=method) for method in METHODS]
    assert [(one.finite_sample, one.basis, one.claim) for one in found] == [
        (True, "finite sample", "family-weighted"),
        (True, "finite sample", "item-weighted"),
        (False, "validated by simulation", "item-weighted"),
    ]


# --- betting by hand ---


def test_wealth_of_three_families_by_hand() -> None:
    # Target .2, largest 2, so the stake is part / 1.6; sums 0 - .4, 1 - .4, 0 - .2.
    hand = np.mean([prod(1 - part / 1.6 * x for x in (-0.4, 0.6, -0.2)) for part in (0.4, 0.6, 0.8, 1.0)])
    assert wealth([(2, 0), (2, 1), (1, 0)], 0.2, 2) == pytest.approx(hand)
    assert wealth([], 0.2, 2) == 1


def test_a_family_all_wrong_breaks_the_highest_stake_only() -> None:
    # At the highest stake 1 - L M (1 - target) = 0; the others keep 1 - part.
    assert wealth([(3, 3)], 0.1, 3) == pytest.approx(np.mean(1 - STAKES))


@given(st.floats(0.01, 0.99), st.integers(1, 5))
def test_a_fair_bet_neither_wins_nor_loses(target: float, largest: int) -> None:
    # Under the hypothesis the mean wealth is exactly 1 when the mean sum is 0: one family of one mind, all rows selected.
    mean = target * wealth([(largest, largest)], target, largest) + (1 - target) * wealth(
        [(largest, 0)], target, largest
    )
    assert mean == pytest.approx(1)


def test_betting_needs_36_families_and_the_declared_size() -> None:
    # mean over parts of (1 + part / 9)^n is 18.45 at n = 35 and 20.21 at 36.
    assert proved(*rows(36, 0), method=BETTING, largest_family=1).threshold == 0.9
    few = proved(*rows(35, 0), method=BETTING, largest_family=1)
    assert few.threshold is None and str(few.why_not).startswith("too few selected: 35 families")
    pairs = np.arange(70) // 2
    assert proved(*rows(70, 0), pairs, method=BETTING, largest_family=2).threshold is None
    for declared in (1, None):
        with pytest.raises(ValueError, match=r"a family here has 2 rows: .* declared beforehand"):
            proved(*rows(70, 0), pairs, method=BETTING, largest_family=declared)


def test_the_limit_of_betting_is_the_target_it_would_have_shown() -> None:
    found = proved(*rows(88, 2), method=BETTING, largest_family=1)
    assert found.upper is not None and found.upper <= 0.1
    table = [(1, 1)] * 2 + [(1, 0)] * 88
    assert wealth(table, found.upper, 1) >= 20 > wealth(table, found.upper - 1e-9, 1)


# --- the walk ---


def test_the_walk_skips_starts_stops_and_keeps_the_rest_untested() -> None:
    # 20 rows at .9 (too few), 20 more at .7 (40 right: passes), 20 at .5 with 10 wrong (fails), 200 right ones below.
    scores = np.repeat([0.9, 0.7, 0.5, 0.3], [20, 20, 20, 200])
    wrong = np.repeat([False, True, False], [40, 10, 210])
    found = proved(scores, wrong, path=(0.9, 0.7, 0.5, 0.3))
    assert [(s.threshold, s.rows, s.wrong, s.passed) for s in found.steps] == [
        (0.9, 20, 0, None), (0.7, 40, 0, True), (0.5, 60, 10, False), (0.3, 260, 10, None),
    ]  # fmt: skip
    assert found.threshold == 0.7 and found.certified == found.steps[1] and found.upper == found.steps[1].upper
    assert (found.steps[0].told, found.steps[3].told) == (
        "too few selected: 20 of 29 rows", "not tested: a stricter point failed",
    )  # fmt: skip


def test_points_that_select_the_same_rows_are_one_test_at_the_strictest() -> None:
    found = proved(*rows(40, 0, 0.75), path=(0.9, 0.7, 0.6, 0.5))
    assert [(step.threshold, step.points) for step in found.steps] == [(0.9, 1), (0.7, 3)]
    assert found.threshold == 0.7


def test_tied_scores_come_whole() -> None:
    # 30 rows at .8, of which the first 29 in the table are right: a cut inside the tie would pass.
    scores, wrong = np.full(30, 0.8), np.arange(30) == 29
    assert proved(scores, wrong, path=(0.8,)).steps[0].rows == 30
    assert proved(scores, wrong, path=(0.8,)).threshold is None


def test_a_tenth_stated_by_a_judge_stands_on_the_even_path() -> None:
    assert 0.3 in even_path(0, 1, 11) and 3 * 0.1 != 0.3
    assert proved(*rows(30, 0, 0.3), path=even_path(1, 0, 11)).threshold == 0.3


def test_the_low_side_is_the_high_side_turned_over() -> None:
    generator = np.random.default_rng(3)
    scores = generator.random(300).round(2)
    wrong = generator.random(300) < 0.3 * (1 - scores) ** 2
    for method in METHODS:
        high = proved(scores, wrong, path=even_path(1, 0, 21), target=0.2, method=method)
        low = proved(-scores, wrong, path=even_path(-1, 0, 21), target=0.2, method=method, side="low")
        assert high.threshold is not None and low.threshold == -high.threshold
        assert [step.told for step in low.steps] == [step.told for step in high.steps]


def test_rows_at_infinity_are_never_selected() -> None:
    scores, wrong = rows(40, 0)
    held_out = proved(np.r_[scores, [-np.inf] * 9], np.r_[wrong, [True] * 9], path=(0.9, 0.0))
    assert held_out.threshold == 0.9 and [step.rows for step in held_out.steps] == [40]


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"path": (0.5, 0.9)}, "falling order"), ({"path": ()}, "wanted thresholds"), ({"path": (np.nan,)}, "finite"),
        ({"target": 0.0}, "target"), ({"delta": 1.0}, "delta"), ({"method": "plain"}, "wanted one of"),
        ({"side": "left"}, "high or low"), ({"scores": [np.nan] * 30}, "scores, row 0"), ({"families": [1]}, "one entry"),
    ],
)  # fmt: skip
def test_what_is_no_path_is_refused(change: dict[str, Any], told: str) -> None:
    scores, wrong = rows(30, 0)
    with pytest.raises(ValueError, match=told):
        proved(**{"scores": scores, "wrong": wrong, **change})
    with pytest.raises(TypeError, match="truth values"):
        proved(scores, ["no"] * 30)


def test_no_rows_are_too_few() -> None:
    for method in METHODS:
        assert str(proved([], [], [], method=method).why_not).startswith("too few selected: 0")


# --- one item a family ---


def test_one_item_of_each_family_is_drawn_evenly() -> None:
    # 4,000 families of three with scores 0, 1, 2: each is drawn 1,333 times or so (chi-square, 2 degrees of freedom).
    codes = np.repeat(np.arange(4_000), 3)
    scores = np.tile([2.0, 0.0, 1.0], 4_000)
    drawn = drawn_items(scores, np.zeros(12_000, bool), codes, 5)
    assert np.array_equal(np.bincount(codes[drawn]), np.ones(4_000))
    assert stats.chisquare(np.bincount(scores[drawn].astype(int))).pvalue > 0.01


def test_the_seed_is_used() -> None:
    codes, scores = np.repeat(np.arange(30), 2), np.random.default_rng(0).random(60)
    one, two = (drawn_items(scores, scores > 0.5, codes, seed) for seed in (1, 2))
    assert not np.array_equal(one, two)


# --- properties ---

TABLES = st.integers(40, 160).flatmap(
    lambda n: st.tuples(
        st.lists(st.integers(0, 10).map(lambda x: x / 10), min_size=n, max_size=n),
        st.lists(st.integers(0, 19).map(lambda x: x == 0), min_size=n, max_size=n),
        st.lists(st.integers(0, n), min_size=n, max_size=n).map(limited),
    )
)


def limited(families: list[int]) -> list[str]:
    """Families of at most four rows."""
    seen: dict[int, int] = {}
    names = []
    for family in families:
        seen[family] = seen.get(family, 0) + 1
        names.append(f"{family}/{seen[family] // 4}")
    return names


@settings(max_examples=40, deadline=None)
@given(TABLES, st.sampled_from(METHODS), st.randoms(use_true_random=False))
def test_row_order_and_names_change_nothing(table: Any, method: str, random: Any) -> None:
    before = proved(*table, target=0.2, method=method)
    order = list(range(len(table[0])))
    random.shuffle(order)
    names = dict(zip(sorted(set(table[2])), random.sample(range(10_000), len(set(table[2]))), strict=True))
    scores, wrong, families = ([column[row] for row in order] for column in table)
    assert proved(scores, wrong, [names[family] for family in families], target=0.2, method=method) == before


@settings(max_examples=40, deadline=None)
@given(TABLES, st.sampled_from(METHODS), st.lists(st.sampled_from(PATH), max_size=8))
def test_repeated_points_change_nothing(table: Any, method: str, more: list[float]) -> None:
    once = proved(*table, target=0.2, method=method)
    often = proved(*table, path=sorted([*PATH, *more], reverse=True), target=0.2, method=method)
    assert (often.threshold, often.upper, often.why_not) == (once.threshold, once.upper, once.why_not)
    assert [step.told for step in often.steps] == [step.told for step in once.steps]


@settings(max_examples=40, deadline=None)
@given(TABLES, st.sampled_from((ONE_ITEM, BETTING)), st.data())
def test_a_wrong_turned_right_never_takes_a_certificate_away(table: Any, method: str, data: Any) -> None:
    scores, wrong, families = table
    if method == ONE_ITEM:  # the draw may know labels where scores tie, so items of larger families would be drawn anew
        families = list(range(len(scores)))
    before = proved(scores, wrong, families, target=0.2, method=method)
    flipped = list(wrong)
    for row in [row for row in range(len(wrong)) if wrong[row]]:
        flipped[row] = data.draw(st.booleans())
    after = proved(scores, flipped, families, target=0.2, method=method)
    if before.threshold is not None:
        assert after.threshold is not None and after.threshold <= before.threshold


@settings(max_examples=40, deadline=None)
@given(TABLES, st.sampled_from(METHODS))
def test_what_is_told_hangs_together(table: Any, method: str) -> None:
    found = proved(*table, target=0.2, method=method)
    assert (found.threshold is None) == (found.upper is None) == (found.why_not is not None)
    assert found.upper is None or found.upper <= 0.2 + 1e-12
    tests = [step.passed for step in found.steps if step.passed is not None]
    assert tests == sorted(tests, reverse=True) and tests.count(False) <= 1
    assert all(a.rows < b.rows for a, b in zip(found.steps, found.steps[1:], strict=False))
    for step in found.steps:
        assert step.passed is None or (step.upper is not None and (step.upper <= 0.2 + 1e-12) == step.passed)


# --- paths ---


def test_a_path_from_development_scores() -> None:
    assert path_from([0.2, 0.9, 0.2, 0.5], 10) == (0.9, 0.5, 0.2)
    assert path_from([0.2, 0.9, 0.2, 0.5], 10, "low") == (0.2, 0.5, 0.9)
    assert path_from(np.arange(101), 5) == (100, 75, 50, 25, 0)
    assert path_from([1.0] * 50 + list(np.arange(2.0, 52.0)), 3) == (51.0, 2.0, 1.0)
    for values, points in (([], 3), ([1.0], 0)):
        with pytest.raises(ValueError, match="wanted 1 or more of each"):
            path_from(values, points)
    with pytest.raises(ValueError, match="wanted 2 or more"):
        even_path(0, 1, 1)


# --- level ---


@pytest.mark.parametrize("method", METHODS)
def test_false_certificates_are_as_rare_as_stated(method: str) -> None:
    # A fifth of all is wrong, whatever the score; families of two of one mind in a third of cases. 400 draws at .05:
    # two Monte-Carlo errors are .022.
    generator, path, issued, draws = np.random.default_rng(17), even_path(1, 0, 11), 0, 400
    families = np.repeat(np.arange(60), 2)
    for draw in range(draws):
        shared = np.where(generator.random(60) < 1 / 3, generator.random(60), np.nan)
        own = generator.random(120)
        wrong = np.where(np.isnan(shared[families]), own, shared[families]) < 0.2
        found = proved(
            generator.random(120), wrong, families, path, target=0.2, method=method, seed=draw, largest_family=2
        )
        issued += found.threshold is not None
    assert issued / draws <= 0.05 + 0.022
