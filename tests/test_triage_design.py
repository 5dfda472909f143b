"""What is drawn, with which chance: sums, floors, strata, repetition, and that the stated chance is the true one."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bench.problems import CannotDecide
from bench.triage.design import DIRECTED, DISAGREEMENT, RANDOM, UNCERTAINTY, Unit, draw, plan, proportional, shuffled


def pool(*scores: tuple[float, float], strata: int = 1) -> list[Unit]:
    return [Unit(f"u{i:03d}", f"s{i % strata}", {DISAGREEMENT: a, UNCERTAINTY: b}) for i, (a, b) in enumerate(scores)]


_SCORE = st.one_of(st.just(0.0), st.floats(0.001, 1))
_POOLS = st.builds(
    lambda scores, strata: pool(*scores, strata=strata),
    st.lists(st.tuples(_SCORE, _SCORE), min_size=1, max_size=40),
    st.integers(1, 4),
)


@settings(max_examples=150, deadline=None)
@given(units=_POOLS, size=st.integers(1, 50), share=st.floats(0.2, 1))
def test_chances_are_chances_sum_to_the_size_and_leave_nobody_out(units: list[Unit], size: int, share: float) -> None:
    strata, chances = plan(units, size, share)
    wanted = min(size, len(units))
    assert sum(taken for _, taken in strata.values()) >= min(share * wanted, len(units))
    assert sum(many for many, _ in strata.values()) == len(units)
    for one in chances:
        many, taken = strata[one.stratum]
        assert one.by_component[RANDOM] == taken / many > 0
        assert 0 < one.total <= 1 + 1e-12
    assert sum(one.total for one in chances) == pytest.approx(wanted, abs=1e-6)


@settings(max_examples=100, deadline=None)
@given(scores=st.lists(_SCORE, max_size=30), size=st.floats(0, 30))
def test_proportional_chances_keep_the_ratios_of_what_is_under_one(scores: list[float], size: float) -> None:
    chances = proportional(scores, size)
    assert sum(chances) == pytest.approx(min(size, sum(score > 0 for score in scores)), abs=1e-9)
    ratios = [c / s for c, s in zip(chances, scores, strict=True) if s > 0 and c < 1]
    assert all(0 <= c <= 1 for c in chances)
    assert all(ratio == pytest.approx(ratios[0]) for ratio in ratios)
    assert all(c == 0 for c, s in zip(chances, scores, strict=True) if s == 0)


def test_proportional_by_hand() -> None:
    # 3 of weights 6, 2, 1, 1: the first is capped, and 2 are shared as 2 : 1 : 1 (Hanurav's cap, Brewer and Hanif 1983).
    assert proportional([6, 2, 1, 1], 3) == [1.0, 1.0, 0.5, 0.5]
    assert proportional([3, 2, 1], 1.5) == [0.75, 0.5, 0.25]


def test_the_draw_honours_the_chances_it_states() -> None:
    units = pool((1, 0.2), (0, 0.9), (0.75, 0.1), (0, 0), (0.75, 0.6), (0, 0.3), (0, 0), (1, 0.8), strata=2)
    _, chances = plan(units, 4, 0.5)
    seen, times = Counter[tuple[int, str]](), 6_000
    for seed in range(times):
        for pick in draw(units, 4, 0.5, seed).picks:
            seen.update([(pick.unit, "any"), *((pick.unit, name) for name in pick.components)])
    for place, one in enumerate(chances):
        for name, chance in {**one.by_component, "any": one.total}.items():
            # five standard errors; 32 comparisons
            slack = 5 * (chance * (1 - chance) / times) ** 0.5 + 1e-12
            assert abs(seen[place, name] / times - chance) <= slack, (place, name)


def test_the_random_part_has_its_size_in_every_stratum_each_time() -> None:
    units = pool(*[(0.5, 0.5)] * 30, strata=3)
    for seed in range(50):
        drawn = draw(units, 12, 0.5, seed)
        found = Counter(units[pick.unit].stratum for pick in drawn.picks if RANDOM in pick.components)
        assert found == {name: taken for name, (_, taken) in drawn.strata.items()}
        assert sum(found.values()) == 6


def test_order_of_the_pool_moves_nothing_and_another_seed_does() -> None:
    units = pool(*[(i / 20, 1 - i / 20) for i in range(20)], strata=2)
    first = draw(units, 8, 0.4, 3)
    back = draw(units[::-1], 8, 0.4, 3)
    assert [units[p.unit].key for p in first.picks] == [units[::-1][p.unit].key for p in back.picks]
    assert [p.chances for p in first.picks] == [p.chances for p in back.picks]
    assert {tuple(p.unit for p in draw(units, 8, 0.4, seed).picks) for seed in range(5)} != {
        tuple(p.unit for p in first.picks)
    }


def test_without_scores_all_of_it_is_random() -> None:
    drawn = draw(pool(*[(0, 0)] * 25), 10, 0.3, 1)
    assert len(drawn.picks) == 10
    assert {pick.components for pick in drawn.picks} == {(RANDOM,)}


def test_what_is_asked_beyond_the_pool_is_the_pool() -> None:
    drawn = draw(pool(*[(0.5, 1)] * 7), 50, 0.2, 1)
    assert len(drawn.picks) == 7
    assert all(pick.chances.total == pytest.approx(1) for pick in drawn.picks)


def test_nothing_to_draw_from_and_doubles() -> None:
    with pytest.raises(CannotDecide, match="nothing to draw from"):
        draw([], 5, 0.5, 1)
    with pytest.raises(ValueError, match="one key"):
        draw([*pool((0, 0)), *pool((0, 0))], 1, 0.5, 1)


def test_the_shuffled_order_does_not_follow_the_chances() -> None:
    # 40 units, the first 20 sure picks: over seeds, they take half of the first places on average.
    keys = [f"u{i}" for i in range(40)]
    early = sum(place < 20 for seed in range(400) for place in shuffled(keys, seed)[:20])
    assert abs(early / 400 - 10) < 5 * (20 * 0.25 * 20 / 39) ** 0.5 / 20  # hypergeometric, five standard errors


def test_the_directed_components_are_named_once() -> None:
    assert set(DIRECTED) == {DISAGREEMENT, UNCERTAINTY}
