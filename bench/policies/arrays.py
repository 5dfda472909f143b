"""Policies over arrays: the arithmetic of ``bench.deciding.policy`` for all attempts at once, equal to it bit for bit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bench.deciding.policy import DISCARD, PROMOTE, REVIEW, Policy, Verb, least, most
from bench.measure.counts import Floats, Integers, family_codes
from bench.policies.attempts import JudgedAttempt

Truths = NDArray[np.bool_]
Decisions = NDArray[np.int8]
VERBS: tuple[Verb, ...] = (PROMOTE, DISCARD, REVIEW)
PROMOTED, DISCARDED, REVIEWED = range(len(VERBS))  # a decision is its place in VERBS


@dataclass(frozen=True, eq=False)
class AttemptArrays:
    """Attempts by column: what the judge says of each statement (NaN: nothing), what the labels say, family and stratum.

    Of labels there are two truth values a statement: whether there is one, and whether it is yes. ``family`` is 0..F-1
    by row, ``stratum`` is by family.
    """

    values: Mapping[str, Floats]
    labelled: Mapping[str, Truths]
    yes: Mapping[str, Truths]
    family: Integers
    stratum: Integers

    @property
    def rows(self) -> int:
        return len(self.family)

    def right(self, policy: Policy) -> tuple[Truths, Truths]:
        """Whether each attempt is right to promote, and whether the labels tell: one label on the wrong side does."""
        held, broken = np.ones(self.rows, dtype=bool), np.zeros(self.rows, dtype=bool)
        for name in policy.right_when:
            side = self.yes[name] != (name in policy.must_not)
            held &= self.labelled[name] & side
            broken |= self.labelled[name] & ~side
        return held, held | broken


def arrays_of(attempts: Sequence[JudgedAttempt], policies: Sequence[Policy]) -> AttemptArrays:
    """The columns that these policies read."""
    asked = dict.fromkeys(name for policy in policies for name in policy.statements)
    told = dict.fromkeys(name for policy in policies for name in policy.right_when)
    values, labelled, yes = {}, {}, {}
    for name in asked:
        column = [attempt.values.get(name) for attempt in attempts]
        values[name] = np.array([np.nan if value is None else value for value in column], dtype=np.float64)
    for name in told:
        labels = [attempt.labels.get(name) for attempt in attempts]
        labelled[name] = np.array([label is not None for label in labels], dtype=bool)
        yes[name] = np.array([label is True for label in labels], dtype=bool)
    family, stratum = family_codes([a.family for a in attempts], [a.stratum for a in attempts])
    return AttemptArrays(values, labelled, yes, family, stratum)


def decide_all(policy: Policy, arrays: AttemptArrays) -> tuple[Decisions, Truths]:
    """Each attempt's decision as its place in ``VERBS``, and whether it could be scored at all (else it is reviewed)."""
    score, usable = score_all(policy, arrays)
    sure, held = usable.copy(), np.ones(arrays.rows, dtype=bool)
    if policy.minimum_certainty is not None:
        for name in policy.statements:
            value = arrays.values[name]
            sure &= np.maximum(value, 1 - value) >= least(policy.minimum_certainty)
    for name, floor in policy.floors.items():
        held &= _side(policy, name, arrays.values[name]) >= least(floor)
    decisions = np.full(arrays.rows, REVIEWED, dtype=np.int8)
    reaching = np.zeros(arrays.rows, dtype=bool)
    if policy.promote_at is not None:
        reaching = score >= least(policy.promote_at)
        decisions[sure & reaching & held] = PROMOTED
    if policy.discard_at is not None:
        decisions[sure & ~reaching & (score <= most(policy.discard_at))] = DISCARDED
    return decisions, usable


def score_all(policy: Policy, arrays: AttemptArrays) -> tuple[Floats, Truths]:
    """Each attempt's score, and whether it has one; where it has none the number means nothing."""
    usable = np.ones(arrays.rows, dtype=bool)
    for name in policy.statements:
        value = arrays.values[name]
        usable &= np.isfinite(value) if policy.any_scale else (value >= 0) & (value <= 1)
    sides = [_side(policy, name, np.where(usable, arrays.values[name], 0.0)) for name in policy.statements]
    return _combined(policy, sides), usable


def _combined(policy: Policy, sides: Sequence[Floats]) -> Floats:
    score = sides[0]
    if policy.combine == "minimum":
        for side in sides[1:]:
            score = np.minimum(score, side)
    elif policy.combine == "product":
        for side in sides[1:]:
            score = score * side
    elif len(sides) > 1:
        weights = [policy.weights.get(name, 1.0) for name in policy.statements]
        score, weight = np.zeros_like(sides[0]), 0.0
        for own, side in zip(weights, sides, strict=True):
            score += own * side
            weight += own
        score /= weight
    return score


def _side(policy: Policy, name: str, value: Floats) -> Floats:
    return 1 - value if name in policy.must_not else value
