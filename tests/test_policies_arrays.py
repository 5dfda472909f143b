"""Policies over arrays decide as the scalar policy does, at every tie and with everything that may be missing."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bench.deciding import policy as scalar
from bench.deciding.policy import Policy
from bench.policies.arrays import VERBS, arrays_of, decide_all, score_all
from bench.policies.attempts import JudgedAttempt

NAMES = ("a", "b", "c", "d")
TENTHS = [round(i / 10, 1) for i in range(11)]
VALUES = st.one_of(
    st.sampled_from(TENTHS),
    st.none(),
    st.floats(0, 1),
    st.sampled_from([math.nan, math.inf, -math.inf, -0.0, 1.5, -3.0, 1e17, 0.6 - 1e-13, 0.6 - 1e-11, 5e-324]),
)


def attempt(
    values: dict[str, float | None], labels: dict[str, bool | None] | None = None, number: int = 0
) -> JudgedAttempt:
    return JudgedAttempt(
        f"S{number:03}", "a1", f"f{number}", "tickets", "development", values, {}, labels or {}, "t.yaml", 1
    )


@st.composite
def policies(draw: st.DrawFn) -> Policy:
    asked = tuple(draw(st.permutations(NAMES)))[: draw(st.integers(1, len(NAMES)))]
    share = st.one_of(st.sampled_from(TENTHS), st.floats(0, 1))
    some = st.lists(st.sampled_from(asked), unique=True)
    combine = draw(st.sampled_from(["mean", "product", "minimum"]))
    limits = sorted(draw(st.lists(share, min_size=2, max_size=2, unique=True)))
    fields: dict[str, Any] = {
        "statements": asked,
        "combine": combine,
        "weights": {n: draw(st.sampled_from([0.1, 0.3, 2.0, 7.0])) for n in draw(some)} if combine == "mean" else {},
        "must_not": tuple(draw(some)),
        "floors": {n: draw(share) for n in draw(some)},
        "minimum_certainty": draw(st.one_of(st.none(), st.sampled_from([0.5, 0.6, 0.7, 0.9, 1.0]))),
        "discard_at": draw(st.sampled_from([None, limits[0]])),
        "promote_at": draw(st.sampled_from([None, limits[1]])),
        "right_when": tuple(draw(st.lists(st.sampled_from(NAMES), unique=True, min_size=1))),
    }
    return Policy(**fields)


@settings(deadline=None, max_examples=400)
@given(policies(), st.lists(st.fixed_dictionaries(dict.fromkeys(NAMES, VALUES)), min_size=1, max_size=12))
def test_equals_the_scalar_policy_bit_for_bit(policy: Policy, rows: list[dict[str, float | None]]) -> None:
    arrays = arrays_of([attempt(values, number=n) for n, values in enumerate(rows)], [policy])
    decisions, usable = decide_all(policy, arrays)
    scores, _ = score_all(policy, arrays)
    for row, values in enumerate(rows):
        found = scalar.decide(policy, values)
        assert VERBS[decisions[row]] == found.decision, values
        assert usable[row] == (found.score is not None), values
        if found.score is not None:
            assert scores[row] == found.score


@settings(deadline=None)
@given(
    policies(), st.lists(st.fixed_dictionaries({n: st.sampled_from([True, False, None]) for n in NAMES}), min_size=1)
)
def test_right_to_promote_equals_the_attempts_own(policy: Policy, labels: list[dict[str, bool | None]]) -> None:
    attempts = [attempt({}, told, n) for n, told in enumerate(labels)]
    right, known = arrays_of(attempts, [policy]).right(policy)
    told = [one.right_to_promote(policy) for one in attempts]
    assert [bool(r) if k else None for r, k in zip(right, known, strict=True)] == told


# Sums whose value on paper is the limit, and whose float is not: 0.1 + 0.2 + 0.3 and the like.
TIES = {
    "a mean of .8": (Policy(statements=NAMES[:3], promote_at=0.8, right_when=("a",)), (0.4, 1.0, 1.0), "promote"),
    "a mean of .1": (Policy(statements=NAMES[:3], discard_at=0.1, right_when=("a",)), (0.1, 0.1, 0.1), "discard"),
    "a weighted mean of .2": (
        Policy(statements=NAMES[:2], weights={"a": 0.1, "b": 0.2}, promote_at=0.2, right_when=("a",)),
        (0.0, 0.3, 0.0),
        "promote",
    ),
    "a side of .1 at its floor": (
        Policy(statements=("a",), must_not=("a",), floors={"a": 0.1}, promote_at=0.05, right_when=("a",)),
        (0.9, 0.0, 0.0),
        "promote",
    ),
    "a certainty of .9": (
        Policy(statements=("a",), minimum_certainty=0.9, discard_at=0.2, right_when=("a",)),
        (0.1, 0.0, 0.0),
        "discard",
    ),
    "a product of .07": (
        Policy(statements=NAMES[:2], combine="product", promote_at=0.07, right_when=("a",)),
        (0.1, 0.7, 0.0),
        "promote",
    ),
    "just under .6": (Policy(statements=("a",), promote_at=0.6, right_when=("a",)), (0.6 - 1e-9, 0, 0), "review"),
}  # fmt: skip


@pytest.mark.parametrize("name", TIES)
def test_a_tie_is_not_lost_to_the_last_digit(name: str) -> None:
    policy, numbers, wanted = TIES[name]
    values: dict[str, float | None] = dict(zip(NAMES, numbers, strict=False))
    assert scalar.decide(policy, values).decision == wanted
    assert VERBS[decide_all(policy, arrays_of([attempt(values)], [policy]))[0][0]] == wanted


def test_the_ties_above_are_lost_by_plain_floats() -> None:
    assert (0.0 + 0.4 + 1.0 + 1.0) / 3 < 0.8
    assert (0.0 + 0.1 + 0.1 + 0.1) / 3 > 0.1
    assert (0.0 + 0.1 * 0.0 + 0.2 * 0.3) / (0.0 + 0.1 + 0.2) < 0.2
    assert 1 - 0.9 < 0.1
    assert 0.1 * 0.7 < 0.07
