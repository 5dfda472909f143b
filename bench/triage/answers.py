"""From a draw and the labels that came in: the prevalence in the pool, and how right each judge is there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bench.measure.estimate import Estimate, undefined_estimate
from bench.triage.design import RANDOM
from bench.triage.estimating import Design, ends, hajek, horvitz_thompson
from bench.triage.files import ItemLabel, PickRecord, Triage, answer_truth

Flags = NDArray[np.bool_]


@dataclass(frozen=True)
class JudgeInPool:
    """One judge: its rate of yes over the whole pool, which is counted and not estimated, and its precision and recall."""

    judge: str
    said_yes: int
    said_no: int
    unscored: int
    precision: Estimate
    recall: Estimate


@dataclass(frozen=True)
class Answered:
    """Everything the labels say of the pool. ``ends``: prevalence if every label that is missing or unclear were no, and
    yes; None where none is. ``random_only`` is the share by the random part alone, of which ``random_labels`` are labelled."""

    units: int
    picks: int
    labelled: int
    unclear: int
    missing: int
    labelled_share: float | None
    prevalence: Estimate
    horvitz_thompson: Estimate
    random_only: Estimate
    random_labels: int
    ends: tuple[float, float] | None
    judges: tuple[JudgeInPool, ...]

    @property
    def decided(self) -> bool:
        return self.prevalence.value is not None

    def to_dict(self) -> dict[str, Any]:
        """Everything, in types that JSON has."""
        return asdict(self)


def answered(triage: Triage, labels: Mapping[str, ItemLabel]) -> Answered:
    """The estimates; picks without a clear label are taken to be missing at random, and counted."""
    judges = [judge.id for judge in triage.head.judges]
    picks = sorted(triage.picks, key=lambda pick: _content(pick, labels.get(pick.item), judges))
    given = [labels.get(pick.item) for pick in picks]
    truth = [True if word == "yes" else False if word == "no" else None for word in given]
    design = design_of(triage, picks)
    here = np.array([label is not None for label in truth], dtype=bool)
    yes = np.array([bool(label) for label in truth], dtype=bool)
    at_random = np.array([RANDOM in pick.components for pick in picks], dtype=bool)
    whole = bool(here.all())
    return Answered(
        units=triage.head.units,
        picks=len(picks),
        labelled=int(here.sum()),
        unclear=given.count("unclear"),
        missing=given.count(None),
        labelled_share=float(yes[here].mean()) if here.any() else None,
        prevalence=_share("prevalence", yes, here, here, design),
        horvitz_thompson=horvitz_thompson("Horvitz-Thompson", yes, design)
        if whole
        else undefined_estimate("Horvitz-Thompson", f"{int((~here).sum())} of {len(picks)} picks have no clear label"),
        random_only=_share(
            "random part alone", yes[at_random], here[at_random], here[at_random], design.of(at_random).random_part()
        ),
        random_labels=int((here & at_random).sum()),
        ends=ends(truth, design),
        judges=tuple(_judge(triage, place, picks, yes, here, design) for place in range(len(triage.head.judges))),
    )


def _content(pick: PickRecord, label: str | None, judges: list[str]) -> tuple[str | float, ...]:
    """What enters a figure: sums in this order come out the same, whatever the items are called."""
    said = [pick.said.get(judge) or "" for judge in judges]
    return pick.probability, *sorted(pick.chances.values()), "/".join(pick.components), label or "", *said


def design_of(triage: Triage, picks: list[PickRecord]) -> Design:
    """The picks' design as arrays, in their order."""
    strata = {stratum.name: (code, stratum) for code, stratum in enumerate(triage.head.strata)}
    mine = [strata[pick.stratum] for pick in picks]
    directed = [
        1 - float(np.prod([1 - chance for name, chance in pick.chances.items() if name != RANDOM])) for pick in picks
    ]
    return Design(
        np.array([code for code, _ in mine], dtype=np.int64),
        np.array([stratum.units for _, stratum in mine], dtype=np.float64),
        np.array([stratum.taken for _, stratum in mine], dtype=np.float64),
        np.array(directed, dtype=np.float64),
        triage.head.units,
    )


def _share(name: str, hits: Flags, part: Flags, here: Flags, design: Design) -> Estimate:
    """The share of hits among the rows of ``part``; ``here`` are all rows with a label."""
    return hajek(name, hits[part], design.of(part), float(here.mean()) if len(here) else 1.0)


def _judge(triage: Triage, place: int, picks: list[PickRecord], yes: Flags, here: Flags, design: Design) -> JudgeInPool:
    judge = triage.head.judges[place]
    said = [answer_truth(pick.said.get(judge.id)) for pick in picks]
    scored = np.array([answer is not None for answer in said], dtype=bool)
    says_yes = np.array([bool(answer) for answer in said], dtype=bool)
    return JudgeInPool(
        judge.id, judge.yes, judge.no, judge.unscored,
        _share("precision", yes, here & says_yes, here, design),
        _share("recall", says_yes, here & scored & yes, here, design),
    )  # fmt: skip
