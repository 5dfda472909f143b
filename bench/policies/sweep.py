"""What a policy would do with stored verdicts: how much it promotes, discards and leaves for review, and how much of it wrongly.

One pass over the rows a policy, one count vector a family; every share is then a function of the summed vectors.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from bench.deciding.policy import Policy
from bench.measure.counts import FamilyVectors, Integers, compress
from bench.measure.estimand import LEVEL
from bench.measure.estimate import Estimate, undefined_estimate
from bench.measure.intervals import proportion_interval
from bench.measure.proportions import share_of
from bench.policies.arrays import DISCARDED, PROMOTED, REVIEWED, AttemptArrays, Truths, arrays_of, decide_all
from bench.policies.attempts import JudgedAttempt

UNSCORED = 3  # a fourth outcome beside the decisions: a part of what is reviewed
OUTCOMES = 4
RIGHT, WRONG, UNLABELLED = range(3)
LABELS = 3
_CELLS = OUTCOMES * LABELS  # cell 3 * outcome + label


@dataclass(frozen=True)
class NamedPolicy:
    """A policy with the name that tables call it by."""

    id: str
    policy: Policy
    note: str | None = None


@dataclass(frozen=True)
class Swept:
    """One policy over the attempts: attempts = promoted + discarded + review, and unscored is a part of review.

    Wrong among promoted: of the labelled attempts that are promoted, the share that the labels would not promote; 0 to
    1, low is good; undefined when none is promoted. Wrong among discarded: of the labelled attempts that are discarded,
    the share that the labels would promote; likewise. Recall: of the attempts that the labels would promote, the share
    that is promoted, what is unscored or in review counting as not promoted; 0 to 1, high is good; undefined when the
    labels would promote none. Review share, of all attempts: low is cheap. Easily confused with: 1 - precision of the
    judge's answer at .5, which knows no floors and no review. Reference: selective classification, El-Yaniv and Wiener
    2010, JMLR 11:1605; intervals as in ``bench.measure.intervals``.
    """

    id: str
    policy: Policy
    note: str | None
    attempts: int
    families: int
    promoted: int
    discarded: int
    review: int
    unscored: int
    unlabelled: int
    unlabelled_promoted: int
    unlabelled_discarded: int
    wrong_promoted: Estimate
    wrong_discarded: Estimate
    recall: Estimate
    review_share: Estimate
    unscored_share: Estimate

    @property
    def balanced(self) -> bool:
        """Whether every attempt went to exactly one decision."""
        return self.promoted + self.discarded + self.review == self.attempts and self.unscored <= self.review


def sweep(
    attempts: Sequence[JudgedAttempt], policies: Sequence[NamedPolicy], level: float = LEVEL
) -> tuple[Swept, ...]:
    """Every policy over the same attempts, in the order given."""
    arrays = arrays_of(attempts, [one.policy for one in policies])
    return tuple(swept(one, arrays, level) for one in policies)


def swept(named: NamedPolicy, arrays: AttemptArrays, level: float = LEVEL) -> Swept:
    """One policy over columns."""
    families = outcome_families(named.policy, arrays)
    cells = families.totals().astype(np.int64).reshape(OUTCOMES, LABELS)
    by_outcome = [int(count) for count in cells.sum(axis=1)]
    everything, unlabelled = range(OUTCOMES), cells[:, UNLABELLED]
    made_up = _twins(families)

    def estimate(name: str, hits: Sequence[int], among: Sequence[int], none: str, crossing: bool = False) -> Estimate:
        return _share(name, families, tuple(hits), tuple(among), none, crossing and made_up, level)

    promoted, discarded, reviewed, unscored = (tuple(_cell(o, label) for label in range(LABELS)) for o in everything)
    should = [_cell(outcome, RIGHT) for outcome in everything]
    return Swept(
        id=named.id,
        policy=named.policy,
        note=named.note,
        attempts=arrays.rows,
        families=families.families,
        promoted=by_outcome[PROMOTED],
        discarded=by_outcome[DISCARDED],
        review=by_outcome[REVIEWED] + by_outcome[UNSCORED],
        unscored=by_outcome[UNSCORED],
        unlabelled=int(unlabelled.sum()),
        unlabelled_promoted=int(unlabelled[PROMOTED]),
        unlabelled_discarded=int(unlabelled[DISCARDED]),
        wrong_promoted=estimate(
            "wrong among promoted", promoted[WRONG:UNLABELLED], promoted[:UNLABELLED],
            _none("promoted", by_outcome[PROMOTED]), True,
        ),
        wrong_discarded=estimate(
            "wrong among discarded", discarded[RIGHT:WRONG], discarded[:UNLABELLED],
            _none("discarded", by_outcome[DISCARDED]), True,
        ),
        recall=estimate("recall", promoted[RIGHT:WRONG], should, "0 labelled to be promoted"),
        review_share=estimate("review share", (*reviewed, *unscored), range(_CELLS), "0 attempts"),
        unscored_share=estimate("unscored share", unscored, range(_CELLS), "0 attempts"),
    )  # fmt: skip


def outcome_families(policy: Policy, arrays: AttemptArrays) -> FamilyVectors:
    """By family, how many attempts have each outcome (promoted, discarded, reviewed, unscored) and each label (right to
    promote, wrong, none): cell 3 * outcome + label."""
    decisions, usable = decide_all(policy, arrays)
    right, known = arrays.right(policy)
    outcome = np.where(usable, decisions, UNSCORED).astype(np.int64)
    return _by_family(LABELS * outcome + _label(right, known), arrays)


def _label(right: Truths, known: Truths) -> Integers:
    return np.where(known, np.where(right, RIGHT, WRONG), UNLABELLED)


def _by_family(cells: Integers, arrays: AttemptArrays) -> FamilyVectors:
    count = len(arrays.stratum)
    held = np.bincount(arrays.family * _CELLS + cells, minlength=count * _CELLS).reshape(count, _CELLS)
    keys = _keys(held, arrays.stratum)
    if keys is None:
        return compress(held.astype(np.float64), held.astype(np.float64), arrays.stratum)
    # Few vectors are distinct: one number for each finds them in a fraction of the time that sorting rows takes.
    _, first, times = np.unique(keys, return_index=True, return_counts=True)
    vectors = held[first].astype(np.float64)
    return compress(vectors, vectors, arrays.stratum[first], times.astype(np.int64))


def _keys(held: Integers, stratum: Integers) -> Integers | None:
    """One number for each distinct family vector in its stratum; None where they do not fit into 63 bits."""
    sizes = [int(column.max(initial=0)) + 1 for column in (*held.T, stratum)]
    if np.log2(np.array(sizes, dtype=np.float64)).sum() > 62:
        return None
    keys = stratum.astype(np.int64)
    for column, size in zip(held.T, sizes, strict=False):
        if size > 1:
            keys = keys * size + column
    return keys


def _share(
    name: str,
    families: FamilyVectors,
    hits: tuple[int, ...],
    among: tuple[int, ...],
    none: str,
    twins: bool,
    level: float,
) -> Estimate:
    totals = families.totals()
    size = int(totals[list(among)].sum())
    if not size:
        return undefined_estimate(name, none)
    share = share_of(families, hits, among)
    method, (low, high), note = proportion_interval(share, twins, level)
    found = int(totals[list(hits)].sum())
    return Estimate(
        name, share.value, low, high, method, share.families, note, numerator=found, denominator=size,
    )  # fmt: skip


def _cell(outcome: int, label: int) -> int:
    return LABELS * outcome + label


def _none(what: str, count: int) -> str:
    return f"none of {count} {what} has a label" if count else f"0 {what}"


def _twins(families: FamilyVectors) -> bool:
    """Whether every family holds attempts of both kinds, to be promoted and not: a make-up that was fixed by design."""
    sides = [families.items[:, [_cell(o, label) for o in range(OUTCOMES)]].sum(axis=1) for label in (RIGHT, WRONG)]
    return bool(families.families and np.all((sides[0] > 0) & (sides[1] > 0)))
