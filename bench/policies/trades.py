"""What one policy trades for another on the same attempts: which decisions change, and whether the labels are glad of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from bench.deciding import policy as scalar
from bench.deciding.policy import DISCARD, PROMOTE, Policy, Verb
from bench.policies.arrays import VERBS, arrays_of, decide_all
from bench.policies.attempts import JudgedAttempt
from bench.policies.sweep import NamedPolicy
from bench.problems import CannotDecide


@dataclass(frozen=True)
class Flip:
    """One attempt whose decision changes; ``right`` is whether the labels would promote it, None where they do not tell.

    ``reasons`` are the later policy's.
    """

    attempt: JudgedAttempt
    before: Verb
    after: Verb
    right: bool | None
    reasons: tuple[str, ...]


@dataclass(frozen=True)
class Trade:
    """From one policy to another. Counts are of labelled attempts; of each pair one is a gain and one a loss.

    Wrong promotions are those that the labels would not make, wrong discards those of attempts that they would promote.
    """

    before: str
    after: str
    flips: tuple[Flip, ...]

    @property
    def wrong_promotions_stopped(self) -> int:
        return self._count(PROMOTE, leaving=True, right=False)

    @property
    def right_promotions_lost(self) -> int:
        return self._count(PROMOTE, leaving=True, right=True)

    @property
    def wrong_promotions_added(self) -> int:
        return self._count(PROMOTE, leaving=False, right=False)

    @property
    def right_promotions_won(self) -> int:
        return self._count(PROMOTE, leaving=False, right=True)

    @property
    def wrong_discards_stopped(self) -> int:
        return self._count(DISCARD, leaving=True, right=True)

    @property
    def wrong_discards_added(self) -> int:
        return self._count(DISCARD, leaving=False, right=True)

    @property
    def unlabelled(self) -> int:
        """Changed decisions that no label judges."""
        return sum(flip.right is None for flip in self.flips)

    def _count(self, verb: Verb, *, leaving: bool, right: bool) -> int:
        return sum((flip.before if leaving else flip.after) == verb and flip.right is right for flip in self.flips)


def trade(before: NamedPolicy, after: NamedPolicy, attempts: Sequence[JudgedAttempt]) -> Trade:
    """Every attempt on which the two decide differently, by file and line. Raises CannotDecide where the two do not
    call the same promotions right."""
    if _right(before.policy) != _right(after.policy):
        raise CannotDecide(f"{before.id} and {after.id} call different promotions right (right_when, must_not)")
    arrays = arrays_of(attempts, [before.policy, after.policy])
    old, new = (decide_all(one.policy, arrays)[0] for one in (before, after))
    flips = [
        _flip(attempts[row], VERBS[old[row]], VERBS[new[row]], after.policy)
        for row in np.flatnonzero(old != new).tolist()
    ]
    return Trade(before.id, after.id, tuple(sorted(flips, key=_place)))


def _flip(attempt: JudgedAttempt, before: Verb, after: Verb, policy: Policy) -> Flip:
    reasons = scalar.decide(policy, attempt.values, attempt.missing).reasons
    return Flip(attempt, before, after, attempt.right_to_promote(policy), reasons)


def _right(policy: Policy) -> set[tuple[str, bool]]:
    return {(name, name in policy.must_not) for name in policy.right_when}


def _place(flip: Flip) -> tuple[str, int, str, str]:
    one = flip.attempt
    return one.file, one.line or 0, one.case, one.attempt
