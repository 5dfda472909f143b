"""Cascades: the cheap judge first, the next one only where the value lies in a band; replayed from stored verdicts."""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bench.measure.counts import Floats
from bench.measure.metrics import Metric
from bench.policies.combine import REVIEW, Arrangement, NotFitted, Ruling, Single, labelled
from bench.policies.members import Item, Member, Voice
from bench.problems import BrokenInput, Problem

MOST_CUTS = 20
REVIEW_AT_MOST = 0.25
_BAND = re.compile(r"^(?P<name>.*)@(?P<lo>[0-9.eE+-]*):(?P<hi>[0-9.eE+-]*)$")


@dataclass(frozen=True)
class Band:
    """Values from ``lo`` to ``hi``, both included; None is an open end."""

    lo: float | None
    hi: float | None

    def holds(self, value: float) -> bool:
        return (self.lo is None or value >= self.lo) and (self.hi is None or value <= self.hi)

    def __str__(self) -> str:
        lo, hi = ("" if end is None else f"{end:.3g}".replace("0.", ".", 1) for end in (self.lo, self.hi))
        if lo and hi:
            return f"at {lo} to {hi}"
        return f"from {lo}" if lo else f"up to {hi}" if hi else "always"


@dataclass(frozen=True)
class Stage:
    """One judge, and the band of its values that goes on to the next stage; None: only what it leaves unscored."""

    member: int
    band: Band | None


@dataclass(frozen=True)
class Cascade:
    """Stages in order, then the last judge, or a person where ``last`` is None.

    An item goes on where the stage's value lies in its band, or where the stage gave no answer or no value. A stage whose
    verdict is not stored ends the replay as "not_run". Reference: Viola and Jones 2001, CVPR; for language models Chen
    et al. 2023, arXiv:2305.05176. Easily confused with a panel, which asks everybody.
    """

    stages: tuple[Stage, ...]
    last: int | None

    def decide(self, voices: Sequence[Voice]) -> Ruling:
        asked: tuple[int, ...] = ()
        for stage in self.stages:
            voice = voices[stage.member]
            asked = (*asked, stage.member)
            if not voice.was_run:
                return Ruling(None, voice.why, asked)
            if not _goes_on(voice, stage.band):
                return Ruling(voice.answer, None, asked, voice.value)
        if self.last is None:
            return Ruling(None, REVIEW, asked)
        last = Single(self.last).decide(voices)
        return Ruling(last.answer, last.why, (*asked, self.last), last.score)


@dataclass(frozen=True)
class Plan:
    """A cascade as it was asked for: members by place, and the band after each stage; None is to be chosen."""

    members: tuple[int, ...]
    bands: tuple[Band | None, ...]
    review: bool  # whether a person is the last stage

    @property
    def chosen(self) -> bool:
        """Whether development has to choose a band."""
        return None in self.bands


def read_plan(text: str, members: Sequence[Member]) -> Plan:
    """A cascade from ``A>B``, ``A>B@lo:hi`` or ``A>B@lo:hi>review``: the band behind a stage says which values of the
    stage before it come to it; an end may be left open. Raises BrokenInput."""
    places: list[int | None] = []
    bands: list[Band | None] = []
    for number, word in enumerate(part.strip() for part in text.split(">")):
        found = _BAND.match(word)
        name = found["name"] if found else word
        if found and number == 0:
            raise _problem(
                text, "a band behind the first judge", "write it behind the judge that it leads to: A>B@.3:.7"
            )
        places.append(None if name == REVIEW else _place(text, name, members))
        if number > 0:
            bands.append(_band(text, found["lo"], found["hi"]) if found else None)
    judges = tuple(place for place in places if place is not None)
    if len(places) < 2 or None in places[:-1]:
        raise _problem(text, "no cascade", "name two judges or more, cheap to dear: A>B, or A>review")
    if len(set(judges)) < len(judges):
        raise _problem(text, "a judge that stands twice", "name each once")
    return Plan(judges, tuple(bands), places[-1] is None)


def fit_cascade(items: Sequence[Item], plan: Plan, metric: Metric, review_at_most: float = REVIEW_AT_MOST) -> Cascade:
    """The cascade with the bands that were given, and the others chosen on these items, from the last stage to the first.

    Of all bands between cuts midway between neighbouring values (20 cuts at most, evenly by rank), open ends, "always" and
    "only what is unscored", the one with the highest metric; of equals the one that asks the next stage least. An item
    left unscored counts as wrong. Before a review the metric is that of what is not reviewed, and at most a share of
    ``review_at_most`` may be. Raises NotFitted. Easily confused with a certified threshold: this one promises nothing.
    """
    if not plan.chosen:
        staged = plan.members if plan.review else plan.members[:-1]
        stages = tuple(Stage(m, b) for m, b in zip(staged, plan.bands, strict=True))
        return Cascade(stages, None if plan.review else plan.members[-1])
    known = labelled(items)
    last = None if plan.review else plan.members[-1]
    staged = plan.members if plan.review else plan.members[:-1]
    rest = Cascade((), last)
    for member, band in reversed(list(zip(staged, plan.bands, strict=True))):
        chosen = band or _best_band(known, member, rest, metric, review_at_most)
        rest = Cascade((Stage(member, chosen), *rest.stages), last)
    return rest


def _goes_on(voice: Voice, band: Band | None) -> bool:
    return voice.answer is None or voice.value is None or (band is not None and band.holds(voice.value))


def _best_band(
    known: Sequence[Item], member: int, rest: Arrangement, metric: Metric, review_at_most: float
) -> Band | None:
    labels = np.array([item.label for item in known], dtype=bool)
    later = [rest.decide(item.voices) for item in known]
    reviewed = np.array([ruling.why == REVIEW for ruling in later])
    right_later = np.array([ruling.answer is item.label for ruling, item in zip(later, known, strict=True)])
    right_now = np.array([item.voices[member].answer is item.label for item in known])
    best: tuple[tuple[float, int], Band | None] | None = None
    for band in _candidates([item.voices[member].value for item in known]):
        on = np.array([_goes_on(item.voices[member], band) for item in known])
        out = on & reviewed
        if out.sum() > review_at_most * len(known):
            continue
        right = np.where(on, right_later, right_now)[~out]
        value = float(metric.values(_counts(labels[~out], right)))
        key = (-round(value, 12), int(on.sum()))
        if not math.isnan(value) and (best is None or key < best[0]):
            best = (key, band)
    if best is None:
        raise NotFitted(f"no band keeps the review share at {review_at_most:g} or less with {metric.name} defined")
    return best[1]


def _counts(labels: NDArray[np.bool_], right: NDArray[np.bool_]) -> Floats:
    """tp, fp, fn, tn."""
    cells = [labels & right, ~labels & ~right, labels & ~right, ~labels & right]
    return np.array([cell.sum() for cell in cells], dtype=np.float64)


def _candidates(values: Sequence[float | None]) -> Iterator[Band | None]:
    distinct = sorted({value for value in values if value is not None})
    cuts = [(a + b) / 2 for a, b in itertools.pairwise(distinct)]
    if len(cuts) > MOST_CUTS:
        cuts = [cuts[round(i * (len(cuts) - 1) / (MOST_CUTS - 1))] for i in range(MOST_CUTS)]
    yield None
    for i, lo in enumerate([None, *cuts]):
        for hi in [*cuts[i:], None]:
            yield Band(lo, hi)


def _place(text: str, name: str, members: Sequence[Member]) -> int:
    for place, member in enumerate(members):
        if name in (member.name, member.id):
            return place
    known = ", ".join(member.name for member in members)
    raise _problem(text, f"no member {name!r}", f"use members ({known}), or {REVIEW} as the last stage")


def _band(text: str, lo: str, hi: str) -> Band:
    try:
        ends = [float(end) if end else None for end in (lo, hi)]
    except ValueError:
        raise _problem(text, f"{lo}:{hi} is no band", "write two numbers, such as @.3:.7") from None
    if any(end is not None and not math.isfinite(end) for end in ends):
        raise _problem(text, f"{lo}:{hi} is no band", "write finite numbers, or leave an end open")
    if ends[0] is not None and ends[1] is not None and ends[0] > ends[1]:
        raise _problem(text, f"{lo}:{hi} starts over its end", "write the lower number first")
    return Band(ends[0], ends[1])


def _problem(text: str, found: str, fix: str) -> BrokenInput:
    return BrokenInput([Problem("command line", None, None, f"--cascade {text}", found, fix)])
