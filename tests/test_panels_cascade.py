"""Cascades: by hand, bands against a plain search, the words of a plan."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from panel_items import items, voice

from bench.measure.metrics import METRICS
from bench.policies.cascade import Band, Cascade, Plan, Stage, fit_cascade, read_plan
from bench.policies.combine import NotFitted
from bench.policies.members import Item, Member
from bench.policies.panels import default_plans
from bench.policies.replay import Chance, figures, point, replay
from bench.problems import BrokenInput

CHANCE = Chance(1, 200)
BALANCED = METRICS["balanced_accuracy"]
MEMBERS = tuple(Member(name, f"{name}-id", "probability", False, True) for name in ("rule:a", "b@1", "llm:c"))


def test_a_cascade_by_hand() -> None:
    cheap = Cascade((Stage(0, Band(0.3, 0.7)),), 1)
    rows = items(
        (True, voice(0.9, 1, 10), voice("no", 8, 100)),  # sure: yes
        (False, voice(0.3, 1, 10), voice("no", 8, 100)),  # on the band's edge: asks, no
        (True, voice(0.5, 1, 10), voice(None, 8, 100)),  # asks, and gets nothing
        (False, voice(None, 1, 10), voice("yes", 8, 100)),  # unscored: asks, yes (wrong)
        (False, voice(0.1, 1, 10), voice("yes", 8, 100)),  # sure: no
        (True, "not_run", voice("yes", 8, 100)),  # nobody knows what would have been asked
    )
    done = replay(cheap, rows)
    assert [(ruling.answer, ruling.why, ruling.asked) for ruling in done.rulings] == [
        (True, None, (0,)), (False, None, (0, 1)), (None, "timeout", (0, 1)), (True, None, (0, 1)), (False, None, (0,)),
        (None, "not_run", (0,)),
    ]  # fmt: skip
    found = figures(done, ("recall", "specificity"), 2, CHANCE)
    assert found.books.unscored == {"timeout": 1} and found.books.not_run == 1 and found.books.scored == 4
    assert found.metrics["recall"].cell().startswith("1/1") and found.metrics["specificity"].cell().startswith("2/3")
    assert found.asked == (6, 3) and found.escalated.numerator == 3
    # Five items were run: 2 of them for 1 $ and 10 ms, 3 for 9 $ and 110 ms.
    assert found.usd.value == pytest.approx((2 * 1 + 3 * 9) / 5)
    assert (found.ms_mean.value, found.ms_median.value) == ((2 * 10 + 3 * 110) / 5, 110)


def test_a_person_as_the_last_stage() -> None:
    done = replay(Cascade((Stage(0, Band(0.3, 0.7)),), None), items((True, 0.9), (False, 0.6), (False, None)))
    found = figures(done, ("recall",), 1, CHANCE)
    assert found.books.unscored == {"review": 2} and found.reviewed.numerator == 2
    assert found.escalated.numerator == 2


def test_a_calls_price_is_unknown_only_where_the_call_was_made() -> None:
    rows = items((True, voice(0.9, 0.0), voice("no", None)), (False, voice(0.1, 0.0), voice("no", None)))
    never = figures(replay(Cascade((Stage(0, None),), 1), rows), ("recall",), 2, CHANCE)
    always = figures(replay(Cascade((Stage(0, Band(None, None)),), 1), rows), ("recall",), 2, CHANCE)
    assert never.usd.value == 0 and always.usd.value is None and always.usd.unknown == 2


def test_the_band_is_where_the_next_judge_is_better() -> None:
    # The cheap judge is right at .9 and at .1 and wrong in between, where the dear one is right.
    rows = items(
        (True, 0.9, "no"), (True, 0.4, "yes"), (False, 0.6, "no"), (False, 0.1, "yes"), (True, 0.9, "yes")
    )  # fmt: skip
    fitted = fit_cascade(rows, Plan((0, 1), (None,), review=False), BALANCED)
    assert fitted.stages == (Stage(0, Band(0.25, 0.75)),)
    assert point(replay(fitted, rows), "balanced_accuracy") == 1


def test_equal_bands_ask_least() -> None:
    rows = items((True, 0.9, "yes"), (False, 0.1, "no"), (True, 0.8, "yes"))
    assert fit_cascade(rows, Plan((0, 1), (None,), review=False), BALANCED).stages == (Stage(0, None),)


def test_review_is_held_under_its_share() -> None:
    rows = items(
        (True, 0.9), (False, 0.1), (True, 0.4), (False, 0.6), (True, 0.8), (False, 0.2), (True, 0.7), (False, 0.3)
    )
    plan = Plan((0,), (None,), review=True)
    assert fit_cascade(rows, plan, BALANCED, 0.25).stages == (Stage(0, Band(pytest.approx(0.35), pytest.approx(0.65))),)
    assert fit_cascade(rows, plan, BALANCED, 0.2).stages[0].band != Band(0.35, 0.65)
    with pytest.raises(NotFitted, match="no band keeps the review share at 0"):
        fit_cascade(items((True, None), (False, None)), plan, BALANCED, 0.0)


VALUES = st.one_of(st.none(), st.sampled_from([0.0, 0.2, 0.4, 0.6, 0.8, 1.0]))


@given(st.lists(st.tuples(st.booleans(), VALUES, VALUES), min_size=2, max_size=10))
@settings(max_examples=100, deadline=None)
def test_no_band_between_observed_values_does_better(rows: list[tuple[bool, float | None, float | None]]) -> None:
    whole = items(*rows)
    if len({one.label for one in whole}) < 2:
        return
    fitted = fit_cascade(whole, Plan((0, 1), (None,), review=False), BALANCED)
    known = sorted({value for _, value, _ in rows if value is not None})
    bands = [None, *(Band(lo, hi) for lo in known for hi in known if lo <= hi)]
    others = [wrong_counted(Cascade((Stage(0, band),), 1), whole) for band in bands]
    assert wrong_counted(fitted, whole) == pytest.approx(max(others))


def wrong_counted(cascade: Cascade, rows: list[Item]) -> float:
    """Balanced accuracy with what is left unscored taken as wrong, by a plain loop."""
    shares = []
    for side in (True, False):
        mine = [cascade.decide(one.voices).answer is side for one in rows if one.label is side]
        shares.append(sum(mine) / len(mine))
    return sum(shares) / 2


def test_several_bands_are_chosen_from_the_last_to_the_first() -> None:
    rows = items((True, 0.9, 0.5, "yes"), (False, 0.5, 0.1, "yes"), (True, 0.5, 0.5, "yes"), (False, 0.1, 0.9, "no"))
    fitted = fit_cascade(rows, Plan((0, 1, 2), (None, None), review=False), BALANCED)
    assert [stage.member for stage in fitted.stages] == [0, 1] and fitted.last == 2
    assert point(replay(fitted, rows), "balanced_accuracy") == 1
    kept = fit_cascade(rows, Plan((0, 1, 2), (None, Band(0.2, 0.3)), review=False), BALANCED)
    assert kept.stages[1].band == Band(0.2, 0.3)


def test_the_words_of_a_plan() -> None:
    assert read_plan("rule:a>llm:c", MEMBERS) == Plan((0, 2), (None,), review=False)
    assert read_plan("rule:a > b@1@.3:.7 > review@:.5", MEMBERS) == Plan(
        (0, 1), (Band(0.3, 0.7), Band(None, 0.5)), review=True
    )
    assert read_plan("b@1>rule:a-id@0:1e-1", MEMBERS) == Plan((1, 0), (Band(0.0, 0.1),), review=False)
    told = [str(Band(*ends)) for ends in ((0.25, None), (None, 0.5), (-0.5, 12.0), (None, None))]
    assert told == ["from .25", "up to .5", "at -.5 to 12", "always"]


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("rule:a", "no cascade"),
        ("review>rule:a", "no cascade"),
        ("", "no member ''"),
        ("rule:a>nobody", "no member 'nobody'"),
        ("rule:a>rule:a", "stands twice"),
        ("rule:a@.1:.2>b@1", "behind the first judge"),
        ("rule:a>b@1@.7:.3", "starts over its end"),
        ("rule:a>b@1@--:1", "is no band"),
        ("rule:a>b@1@1e999:", "is no band"),
    ],
)
def test_a_plan_that_is_none_says_what_to_mend(words: str, found: str) -> None:
    with pytest.raises(BrokenInput, match=f"--cascade.*{found}"):
        read_plan(words, MEMBERS)


def test_the_share_of_undefined_metrics_is_not_chosen() -> None:
    # Only the always-asking band leaves a yes said: precision is undefined elsewhere, and undefined is never best.
    rows = items((True, 0.1, "yes"), (False, 0.2, "no"))
    fitted = fit_cascade(rows, Plan((0, 1), (None,), review=False), METRICS["precision"])
    value = point(replay(fitted, rows), "precision")
    assert value == 1 and not math.isnan(value)


def test_the_default_starts_with_the_cheapest_and_of_equals_with_the_best_on_development() -> None:
    names = (
        ("free and poor", False),
        ("model", True),
        ("free and good", False),
        ("dear and perfect", False),
        ("unpriced", False),
    )
    members = [Member(name, name, "answer", calls, True) for name, calls in names]
    rows = items(
        (True, "no", "yes", "yes", voice("yes", 1.0), voice("yes", None)),
        (False, "no", "no", "yes", voice("no", 1.0), voice("no", None)),
        (False, "yes", "no", "no", voice("no", 1.0), voice("no", None)),
    )
    assert default_plans(members, rows, "balanced_accuracy") == [Plan((2, 1), (None,), review=False)]
    assert default_plans(members[3:], rows, "balanced_accuracy") == []
    assert default_plans(members[1:2], rows, "balanced_accuracy") == []
    assert default_plans(members, [], "balanced_accuracy") == []
