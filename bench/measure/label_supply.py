"""What labels there are per stratum and statement, what intervals they would give, and who cast the votes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from bench.cases.load import LoadedSuite
from bench.labels.load import CastVote, Label, Labels
from bench.measure.compare import accuracy_test
from bench.measure.counts import count_families, count_joint
from bench.measure.estimand import LEVEL
from bench.measure.estimate import TOO_FEW
from bench.measure.intervals import proportion_interval
from bench.measure.items import reported_items, statements_of
from bench.measure.metrics import LABELLED_YES, TP
from bench.measure.proportions import share_of
from bench.schema.statement import YesNo
from bench.schema.suite import Stratum

TWO_VOTES = 2


@dataclass(frozen=True)
class Supply:
    """Some labelled items, and half the length of the interval that a share of them would have at the worst.

    The worst is a share of one half in families of one mind; ``half_width`` is None without items.
    """

    items: int
    families: int
    half_width: float | None
    too_few: bool


@dataclass(frozen=True)
class LabelSlice:
    """One statement in one stratum, over the reported splits."""

    stratum: Stratum
    statement: str
    yes_no: bool
    labels: Mapping[str, int]  # each answer, unclear, unlabelled
    labelled: Supply
    yes: Supply
    no: Supply
    other_families: int  # with a label that is not the commonest
    beaten: bool  # whether a judge that is always right would be shown to beat the commonest answer
    calibration_families: int  # labelled, in the split that certificates are tested on


@dataclass(frozen=True)
class VoteSupply:
    """Votes over all splits, and what they can be used for."""

    items: int
    by_kind: Mapping[str, int]  # votes by person, model_assisted, model
    annotators: Mapping[str, int]
    lineages: tuple[str, ...]
    under_two: int
    third: int  # items with a check vote
    two_persons: int  # items with two votes of persons
    differ: int
    adjudicated: int


@dataclass(frozen=True)
class AttemptSupply:
    """Cases with enough labelled attempts for the largest k of pass@k."""

    statement: str
    strata: tuple[str, ...]
    k: int
    cases: int
    families: int


def label_slices(suite: LoadedSuite, labels: Labels) -> tuple[LabelSlice, ...]:
    """One slice per stratum and statement that has items."""
    found = (_slice(suite, labels, s, statement) for s in suite.suite.strata for statement in statements_of(suite))
    return tuple(one for one in found if one is not None)


def supply(families: Sequence[str], level: float = LEVEL) -> Supply:
    """What so many items, given by their families, are good for."""
    if not families:
        return Supply(0, 0, None, True)
    sizes = Counter(families)
    right: set[str] = set()
    balance = 0
    for family, size in sizes.most_common():  # half of the items right, whole families at a time
        right |= {family} if balance <= 0 else set()
        balance += size if family in right else -size
    vectors = count_families(np.ones(len(families), dtype=bool), [family in right for family in families], families)
    _, (low, high), note = proportion_interval(share_of(vectors, (TP,), LABELLED_YES.cells), False, level)
    return Supply(len(families), len(sizes), (high - low) / 2, note == TOO_FEW)


def vote_supply(suite: LoadedSuite, labels: Labels) -> VoteSupply:
    """Who voted, and how often an item was voted on."""
    items = [(c.case.id, attempt.id, s.id) for c, attempt in suite.attempts() for s in c.statements]
    votes = [labels.votes.get(item, ()) for item in items]
    cast = [one for item in items for one in (*labels.votes.get(item, ()), *labels.checks.get(item, ()))]
    return VoteSupply(
        items=len(items),
        by_kind=dict(sorted(Counter(one.made_by for one in cast).items())),
        annotators=dict(sorted(Counter(kind for kind, _ in {(one.made_by, one.annotator) for one in cast}).items())),
        lineages=tuple(sorted({one.lineage for one in cast if one.lineage is not None})),
        under_two=sum(len(many) < TWO_VOTES for many in votes),
        third=sum(item in labels.checks for item in items),
        two_persons=sum(_persons(many) >= TWO_VOTES for many in votes),
        differ=sum(len({one.vote.answer for one in many}) > 1 for many in votes),
        adjudicated=sum(item in labels.rulings for item in items),
    )


def attempt_supply(suite: LoadedSuite, labels: Labels) -> AttemptSupply | None:
    """Cases of which as many attempts are labelled as the largest k asks for; None where pass@k is not asked."""
    wanted = suite.suite.pass_k
    if wanted is None:
        return None
    attempts: Counter[tuple[str, str]] = Counter()
    for stratum in wanted.strata:
        for item, family in reported_items(suite, stratum, wanted.statement):
            attempts[item[0], family] += labels.label(item).status == "labelled"
    if not attempts:
        return None
    most = max(wanted.k)
    enough = [key for key, count in attempts.items() if count >= most]
    return AttemptSupply(wanted.statement, wanted.strata, most, len(enough), len({family for _, family in enough}))


def _slice(suite: LoadedSuite, labels: Labels, stratum: Stratum, statement: str) -> LabelSlice | None:
    items = [(labels.label(item), family) for item, family in reported_items(suite, stratum.id, statement)]
    if not items:
        return None
    known = [(label.answer, family) for label, family in items if label.status == "labelled"]
    yes, no = ([family for answer, family in known if answer == wanted] for wanted in ("yes", "no"))
    other, beaten = _against_the_commonest(known)
    return LabelSlice(
        stratum=stratum,
        statement=statement,
        yes_no=all(isinstance(s, YesNo) for c in suite.cases for s in c.statements if s.id == statement),
        labels=_counted([label for label, _ in items]),
        labelled=supply([family for _, family in known]),
        yes=supply(yes),
        no=supply(no),
        other_families=other,
        beaten=beaten,
        calibration_families=len(set(_calibration(suite, labels, stratum.id, statement))),
    )


def _counted(labels: Sequence[Label]) -> dict[str, int]:
    counts = {"yes": 0, "no": 0, "unclear": 0, "unlabelled": 0}
    for label in labels:
        key = label.answer if label.answer is not None else label.status
        counts[key] = counts.get(key, 0) + 1
    return counts


def _against_the_commonest(known: Sequence[tuple[str | None, str]]) -> tuple[int, bool]:
    """Families with another label than the commonest, and whether the test of accuracies would find a perfect judge."""
    if not known:
        return 0, False
    counts = Counter(str(answer) for answer, _ in known)
    commonest = min(counts, key=lambda answer: (-counts[answer], answer))
    common = np.array([answer == commonest for answer, _ in known], dtype=bool)
    families = [family for _, family in known]
    joint = count_joint(common, common, np.ones(len(known), dtype=bool), families)
    other = len({family for (_, family), same in zip(known, common, strict=True) if not same})
    return other, accuracy_test(joint, seed=0).p_value <= 1 - LEVEL


def _calibration(suite: LoadedSuite, labels: Labels, stratum: str, statement: str) -> Iterator[str]:
    """Families of labelled items on which a certificate may be tested; all of them where a suite has no splits."""
    for item, family in reported_items(suite, stratum, statement):
        tested = suite.splits is None or suite.splits.families[family] == "calibration"
        if tested and labels.label(item).status == "labelled":
            yield family


def _persons(votes: Sequence[CastVote]) -> int:
    return sum(one.made_by == "person" for one in votes)
