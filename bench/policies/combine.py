"""Panels: one decision from the stored verdicts of several judges of one statement.

Everything here is a frozen object with ``decide(voices)``; what is fitted is fitted on the items that are handed in.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from bench.measure.rows import NOT_RUN
from bench.policies.members import Item, Voice
from bench.policies.stack import Stack, fit_stack

TIED = "tied"
TOO_FEW_MEMBERS = "too_few_members"  # fewer answered than the floor
NOT_FITTED = "not_fitted"  # the other folds of development gave nothing to fit on
REVIEW = "review"  # a person decides
FOLDS = 5


class NotFitted(Exception):
    """Development holds too little to fit this on. The message is the reason."""


@dataclass(frozen=True)
class Ruling:
    """One decision: the answer (yes is True) or why there is none, and the members asked, by place, in order."""

    answer: bool | None
    why: str | None
    asked: tuple[int, ...]
    score: float | None = None


class Arrangement(Protocol):
    """Anything that decides from the voices of the members."""

    def decide(self, voices: Sequence[Voice]) -> Ruling:
        """The decision on one item."""
        ...


@dataclass(frozen=True)
class Single:
    """One member alone."""

    member: int

    def decide(self, voices: Sequence[Voice]) -> Ruling:
        voice = voices[self.member]
        return Ruling(voice.answer, voice.why, (self.member,), voice.value)


@dataclass(frozen=True)
class Weighted:
    """The side with more weight among the members that answered; equal weights are the plain majority.

    Sum of w (+1 for yes, -1 for no) over the members that answered: over 0 is yes, under 0 is no, 0 is "tied". Members of
    weight 0 are not asked. Under ``floor`` answers there is no decision. Optimal for independent members with weights
    ln(a / (1 - a)) of their accuracies a (Nitzan and Paroush 1982, International Economic Review 23:289); the majority:
    Condorcet 1785. Easily confused with the mean of the members' probabilities, which is not taken here.
    """

    weights: tuple[float, ...]  # by member
    floor: int

    def decide(self, voices: Sequence[Voice]) -> Ruling:
        asked = tuple(i for i, weight in enumerate(self.weights) if weight > 0)
        present = [i for i in asked if voices[i].answer is not None]
        if len(present) < self.floor or not present:
            return Ruling(None, _absence([voices[i] for i in asked]), asked)
        total = math.fsum(self.weights[i] if voices[i].answer else -self.weights[i] for i in present)
        score = total / math.fsum(self.weights[i] for i in present)
        return Ruling(None, TIED, asked) if total == 0 else Ruling(total > 0, None, asked, score)


@dataclass(frozen=True)
class Stacked:
    """A regularised logistic model over the members' values; yes from the model's cut on."""

    model: Stack
    floor: int

    def decide(self, voices: Sequence[Voice]) -> Ruling:
        asked = tuple(range(len(voices)))
        if sum(voice.answer is not None for voice in voices) < self.floor:
            return Ruling(None, _absence(voices), asked)
        p = self.model.p([voice.value for voice in voices])
        return Ruling(self.model.says_yes(p), None, asked, p)


def default_floor(members: int) -> int:
    """More than half."""
    return members // 2 + 1


def majority(members: int, floor: int | None = None) -> Weighted:
    """One vote each."""
    return Weighted((1.0,) * members, default_floor(members) if floor is None else floor)


def fit_weighted(items: Sequence[Item], floor: int | None = None) -> Weighted:
    """Weights by balanced accuracy on these items: ln(b / (1 - b)), where b is the mean of (TP + 1) / (P + 2) and
    (TN + 1) / (N + 2) over the member's labelled answers, and 0 for a member that is no better than chance.

    A weight is at least 0; high is good. Raises NotFitted with one label class, or where every weight is 0. Easily
    confused with weights by accuracy, which reward saying the commoner answer.
    """
    known = labelled(items)
    members = len(known[0].voices)
    weights = tuple(_log_odds(known, i) for i in range(members))
    carrying = sum(weight > 0 for weight in weights)
    if not carrying:
        raise NotFitted("no member is better than chance on development")
    return Weighted(weights, default_floor(carrying) if floor is None else min(floor, carrying))


def fit_stacked(items: Sequence[Item], floor: int | None = None) -> Stacked:
    """The stack fitted on these items. Raises NotFitted with one label class or without any spread in the values."""
    known = labelled(items)
    members = len(known[0].voices)
    values = [[voice.value for voice in item.voices] for item in known]
    model = fit_stack(values, [item.label is True for item in known])
    if model is None:
        raise NotFitted("no member's value varies on development")
    return Stacked(model, default_floor(members) if floor is None else floor)


def labelled(items: Sequence[Item]) -> list[Item]:
    """The items with a label, in canonical order. Raises NotFitted where they hold one class."""
    known = sorted((item for item in items if item.label is not None), key=content)
    empty = [
        f"0 labelled {word}" for word, side in (("yes", True), ("no", False)) if side not in {i.label for i in known}
    ]
    if empty:
        raise NotFitted(f"{', '.join(empty)} on development")
    return known


_Content = tuple[tuple[int, float], ...]


def content(item: Item) -> _Content:
    """What an item says, whatever its names: the key of an order that no renaming and no row order can move."""
    whole: list[float | bool | None] = []
    for voice in item.voices:
        whole += [voice.answer, voice.value]
    return tuple((0, 0.0) if value is None else (1, float(value)) for value in (*whole, item.label))


def out_of_fold(items: Sequence[Item], fit: Callable[[Sequence[Item]], Arrangement], seed: int) -> list[Ruling]:
    """A ruling on each item by what was fitted without its family: five folds of whole families, seeded.

    Families are dealt in the order of their contents, so names move nothing. Reference: Wolpert 1992, Neural Networks
    5:241. Easily confused with the rulings of the final fit on its own items, which are too good.
    """
    families: dict[str, list[int]] = {}
    for place, item in enumerate(items):
        families.setdefault(item.row.family, []).append(place)
    dealt = sorted(families.values(), key=lambda places: _dealing([items[i] for i in places]))
    order = np.random.default_rng(seed).permutation(len(dealt))
    rulings: list[Ruling] = [Ruling(None, NOT_FITTED, ())] * len(items)
    for fold in range(min(FOLDS, len(dealt))):
        held = {place for number in order[fold::FOLDS] for place in dealt[number]}
        try:
            fitted = fit([item for place, item in enumerate(items) if place not in held])
        except NotFitted:
            continue
        for place in held:
            rulings[place] = fitted.decide(items[place].voices)
    return rulings


def _dealing(items: Sequence[Item]) -> tuple[list[_Content], list[_Content]]:
    """By what members say; labels part only families that say the same, so that a label does not choose its own fold."""
    whole = [content(item) for item in items]
    return sorted(one[:-1] for one in whole), sorted(whole)


def _log_odds(known: Sequence[Item], member: int) -> float:
    sides = []
    for side in (True, False):
        mine = [item.voices[member].answer for item in known if item.label is side]
        answered = [answer for answer in mine if answer is not None]
        sides.append((sum(answer is side for answer in answered) + 1) / (len(answered) + 2))
    balanced = sum(sides) / 2
    return max(0.0, math.log(balanced / (1 - balanced)))


def _absence(voices: Sequence[Voice]) -> str:
    return NOT_RUN if any(not voice.was_run for voice in voices) else TOO_FEW_MEMBERS
