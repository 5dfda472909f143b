"""A sweep counts as a loop over the scalar policy does, its books balance, and its shares have the project's intervals."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from test_policies_arrays import NAMES, VALUES, policies

from bench.deciding import policy as scalar
from bench.deciding.policy import Policy
from bench.measure.counts import count_families
from bench.measure.intervals import interval
from bench.measure.metrics import METRICS
from bench.policies import sweep as module
from bench.policies.arrays import arrays_of
from bench.policies.attempts import JudgedAttempt
from bench.policies.offering import at_thresholds, grid, operating_points, scores_of, thinned, three_bands
from bench.policies.sweep import NamedPolicy, Swept, outcome_families, sweep
from bench.policies.trades import trade
from bench.problems import CannotDecide

ONE = Policy(statements=("a",), promote_at=0.5, discard_at=0.2, right_when=("a",))


def made(
    number: int, values: dict[str, float | None], labels: dict[str, bool | None], family: int = 0
) -> JudgedAttempt:
    name = f"S{number:03}"
    return JudgedAttempt(name, "a1", f"f{family}", "tickets", "development", values, {}, labels, "s.yaml", number)


def only(policy: Policy, attempts: list[JudgedAttempt]) -> Swept:
    return sweep(attempts, [NamedPolicy("p", policy)])[0]


def many(count: int, size: int, seed: int = 3) -> list[JudgedAttempt]:
    """Values that follow labels, in families of a size, some unscored."""
    generator = random.Random(seed)
    found = []
    for number in range(count):
        yes = generator.random() < 0.5
        value = min(1.0, max(0.0, generator.gauss(0.65 if yes else 0.4, 0.2)))
        values = {"a": None if generator.random() < 0.1 else value}
        found.append(made(number, values, {"a": yes}, number // size))
    return found


@st.composite
def attempts(draw: st.DrawFn) -> list[JudgedAttempt]:
    values = st.fixed_dictionaries(dict.fromkeys(NAMES, VALUES))
    labels = st.fixed_dictionaries(dict.fromkeys(NAMES, st.sampled_from([True, False, None])))
    rows = draw(st.lists(st.tuples(values, labels, st.integers(0, 3)), min_size=1, max_size=15))
    return [made(n, *row) for n, row in enumerate(rows)]


@settings(deadline=None, max_examples=150)
@given(attempts(), policies())
def test_counts_are_those_of_a_loop_and_the_books_balance(rows: list[JudgedAttempt], policy: Policy) -> None:
    found = only(policy, rows)
    decisions = [scalar.decide(policy, row.values) for row in rows]
    verbs = Counter(one.decision for one in decisions)
    right = [row.right_to_promote(policy) for row in rows]
    pairs = Counter(zip((one.decision for one in decisions), right, strict=True))
    assert found.balanced
    assert (found.promoted, found.discarded, found.review) == (verbs["promote"], verbs["discard"], verbs["review"])
    assert found.unscored == sum(one.score is None for one in decisions)
    assert (found.attempts, found.unlabelled) == (len(rows), right.count(None))
    shares = [
        (found.wrong_promoted, pairs["promote", False], pairs["promote", False] + pairs["promote", True]),
        (found.wrong_discarded, pairs["discard", True], pairs["discard", False] + pairs["discard", True]),
        (found.recall, pairs["promote", True], right.count(True)),
        (found.review_share, verbs["review"], len(rows)),
        (found.unscored_share, found.unscored, len(rows)),
    ]
    for estimate, hits, among in shares:
        if among == 0:
            assert estimate.value is None and estimate.undefined
        else:
            assert (estimate.numerator, estimate.denominator) == (hits, among)
            assert estimate.value == pytest.approx(hits / among)
            assert estimate.low is not None and estimate.high is not None
            assert 0 <= estimate.low <= estimate.value <= estimate.high <= 1


@pytest.mark.parametrize("size", [1, 2, 4])
@pytest.mark.parametrize("count", [12, 60, 240])
def test_shares_have_the_intervals_of_precision_and_recall(count: int, size: int) -> None:
    rows = many(count, size)
    found = only(ONE, rows)
    labels = [row.labels["a"] is True for row in rows]
    said = [scalar.decide(ONE, row.values).decision == "promote" for row in rows]
    families = count_families(np.array(labels), np.array(said), [row.family for row in rows])
    precision, recall = (interval(METRICS[name], families, 0) for name in ("precision", "recall"))
    assert precision.low is not None and precision.high is not None
    assert found.wrong_promoted.low == pytest.approx(1 - precision.high, abs=1e-12)
    assert found.wrong_promoted.high == pytest.approx(1 - precision.low, abs=1e-12)
    assert (found.wrong_promoted.method, found.wrong_promoted.note) == (precision.method, precision.note)
    assert replace(found.recall, numerator=None, denominator=None) == replace(recall, numerator=None, denominator=None)


def test_nothing_wrong_of_five_is_clopper_pearsons() -> None:
    # 1 - (.025)^(1/5), Clopper and Pearson 1934
    rows = [made(n, {"a": 0.9}, {"a": True}, n) for n in range(5)]
    found = only(ONE, rows).wrong_promoted
    assert (found.value, found.low, found.note) == (0.0, 0.0, "too few")
    assert found.high == pytest.approx(1 - 0.025 ** (1 / 5))


def test_undefined_says_why() -> None:
    rows = [made(0, {"a": 0.9}, {"a": None}), made(1, {"a": 0.4}, {"a": False}), made(2, {"a": None}, {"a": False})]
    found = only(ONE, rows)
    assert found.wrong_promoted.undefined == "none of 1 promoted has a label"
    assert found.wrong_discarded.undefined == "0 discarded"
    assert found.recall.undefined == "0 labelled to be promoted"
    assert (found.unlabelled_promoted, found.unlabelled_discarded, found.unscored) == (1, 0, 1)


def test_row_order_and_names_move_nothing() -> None:
    rows = many(80, 3)
    shuffled = random.Random(1).sample(rows, len(rows))
    renamed = [replace(row, case=f"x{row.case}", family=f"z{row.family[::-1]}", stratum="other") for row in rows]
    assert only(ONE, rows) == only(ONE, shuffled) == only(ONE, renamed)


@settings(deadline=None, max_examples=50)
@given(attempts(), policies())
def test_the_short_way_to_family_vectors_is_the_long_one(rows: list[JudgedAttempt], policy: Policy) -> None:
    arrays = arrays_of(rows, [policy])
    short = outcome_families(policy, arrays)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_keys", lambda held, stratum: None)
        long = outcome_families(policy, arrays)
    for name in ("vectors", "items", "multiplicity", "stratum"):
        assert np.array_equal(getattr(short, name), getattr(long, name))


def test_families_too_large_for_one_number_are_counted_too() -> None:
    rows = [made(n, {"a": n % 10 / 10}, {"a": n % 3 == 0}, n % 2) for n in range(2000)]
    rows += [made(n, {"a": None}, {"a": None}, n % 2) for n in range(2000, 4000)]
    found = only(ONE, rows)
    assert (found.families, found.attempts, found.unscored) == (2, 4000, 2000)


# --- what is offered ---


def test_every_operating_point_is_a_score_and_they_are_strict_to_loose() -> None:
    rows = many(40, 1)
    base = ONE.model_copy(update={"promote_at": None, "discard_at": None})
    scores = sorted({row.values["a"] for row in rows if row.values["a"] is not None}, reverse=True)
    points = operating_points(base, scores_of(base, rows))
    assert [one.policy.promote_at for one in points] == pytest.approx(scores)
    promoted = [one.promoted for one in sweep(rows, points)]
    assert promoted == sorted(promoted) and promoted[0] == 1
    assert promoted[-1] == sum(row.values["a"] is not None for row in rows), "the last one promotes all that is scored"
    assert len({one.id for one in points}) == len(points)


@pytest.mark.parametrize("count", [0, 1, 39, 40, 41, 1000])
def test_thinning_keeps_both_ends(count: int) -> None:
    kept = thinned(range(count), 40)
    assert len(kept) == min(count, 40)
    assert kept == sorted(set(kept))
    assert not count or (kept[0], kept[-1]) == (0, count - 1)


def test_bands_follow_the_scale() -> None:
    base = ONE.model_copy(update={"promote_at": None, "discard_at": None})
    rows = many(40, 1)
    limits = [(one.policy.discard_at, one.policy.promote_at) for one in three_bands(base, rows, "probability")]
    assert limits == [(0.4, 0.6), (0.3, 0.7), (0.2, 0.8), (0.1, 0.9)]
    counts = [made(n, {"a": float(n)}, {"a": n > 5}, n) for n in range(11)]
    limits = [(one.policy.discard_at, one.policy.promote_at) for one in three_bands(base, counts, "score")]
    assert limits == [(4.0, 6.0), (3.0, 7.0), (2.0, 8.0), (1.0, 9.0)]  # by hand: of 0 to 10, without the outer tenths
    answers = [made(n, {"a": float(n % 2)}, {"a": True}, n) for n in range(4)]
    limits = [(one.policy.discard_at, one.policy.promote_at) for one in three_bands(base, answers, "answer")]
    assert limits == [(0.0, 1.0)]
    assert three_bands(base, [made(0, {"a": None}, {"a": True})], "probability") == ()


def test_a_grid_holds_decimals() -> None:
    assert grid(0.1, 0.7, 0.1) == (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7)
    assert grid(0.5, 0.5, 0.1) == (0.5,)
    assert grid(0.5, 0.64, 0.05) == (0.5, 0.55, 0.6)
    for wrong in ((0.5, 0.4, 0.1), (0, 1, 0), (0, 1, -1), (0, 1, 1e-9)):
        with pytest.raises(ValueError, match=r"step|under"):
            grid(*wrong)


# --- trades ---

MEAN = Policy(statements=("b", "a", "c"), promote_at=0.6, right_when=("d",))
FLOOR = MEAN.model_copy(update={"floors": {"a": 0.5}})


def bad_gate() -> list[JudgedAttempt]:
    values = [(1.0, 0.0, 0.81), (0.9, 0.9, 0.9), (0.5, 0.6, 0.7), (1.0, 0.49, 0.9), (0.1, 0.2, 0.3)]
    labels = [False, True, True, True, False]
    return [
        made(n, dict(zip("bac", value, strict=True)), {"d": label}, n)
        for n, (value, label) in enumerate(zip(values, labels, strict=True))
    ]


def test_the_mean_promotes_a_certain_no_and_a_floor_stops_it() -> None:
    # (1.00, 0.00, 0.81) has the mean .603: the known bad gate
    rows = bad_gate()
    found = trade(NamedPolicy("mean", MEAN), NamedPolicy("floor", FLOOR), rows)
    assert [(flip.attempt.case, flip.before, flip.after, flip.right) for flip in found.flips] == [
        ("S000", "promote", "review", False),
        ("S003", "promote", "review", True),
    ]
    assert found.flips[0].reasons == ("score 0.6033 reaches 0.6", "a: 0 under its floor 0.5")
    assert (found.wrong_promotions_stopped, found.right_promotions_lost) == (1, 1)
    assert (found.wrong_promotions_added, found.right_promotions_won, found.unlabelled) == (0, 0, 0)


def test_a_trade_backwards_adds_what_it_stopped() -> None:
    back = trade(NamedPolicy("floor", FLOOR), NamedPolicy("mean", MEAN), bad_gate())
    assert (back.wrong_promotions_added, back.right_promotions_won) == (1, 1)
    assert (back.wrong_promotions_stopped, back.right_promotions_lost) == (0, 0)


@settings(deadline=None, max_examples=60)
@given(attempts(), policies(), policies())
def test_a_trade_is_the_difference_of_the_two_sweeps(rows: list[JudgedAttempt], one: Policy, two: Policy) -> None:
    two = two.model_copy(update={"right_when": one.right_when, "must_not": one.must_not})
    before, after = sweep(rows, [NamedPolicy("one", one), NamedPolicy("two", two)])
    found = trade(NamedPolicy("one", one), NamedPolicy("two", two), rows)
    wrong = [swept.wrong_promoted.numerator or 0 for swept in (before, after)]
    assert wrong[1] - wrong[0] == found.wrong_promotions_added - found.wrong_promotions_stopped
    right = [swept.recall.numerator or 0 for swept in (before, after)]
    assert right[1] - right[0] == found.right_promotions_won - found.right_promotions_lost
    discards = [swept.wrong_discarded.numerator or 0 for swept in (before, after)]
    assert discards[1] - discards[0] == found.wrong_discards_added - found.wrong_discards_stopped
    same = [row for row in rows if scalar.decide(one, row.values).decision == scalar.decide(two, row.values).decision]
    assert len(found.flips) == len(rows) - len(same)


def test_two_policies_that_call_different_promotions_right_are_not_traded() -> None:
    other = MEAN.model_copy(update={"right_when": ("a",)})
    with pytest.raises(CannotDecide, match="different promotions right"):
        trade(NamedPolicy("mean", MEAN), NamedPolicy("other", other), bad_gate())


def test_thresholds_are_swept_in_the_order_given() -> None:
    base = ONE.model_copy(update={"promote_at": None, "discard_at": None})
    assert [one.id for one in at_thresholds(base, (0.9, 0.1, 0.6))] == ["at-0.9", "at-0.1", "at-0.6"]
