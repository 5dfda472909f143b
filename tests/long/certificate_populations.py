"""Populations of judged items whose true share wrong at every threshold is a finite sum, hence exact.

An item is one of 2,000 equally likely atoms; an atom has a score and a chance of being wrong. Items of a family are
tied by a shared draw or by a random effect that leave each item's own distribution as it is, so that the sums hold
for families of any size. Scores that tie are one atom value, and come whole.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import product

import numpy as np
from scipy.special import expit, ndtr, ndtri

from bench.certifying.sequence import even_path

ATOMS = 2_000
COPIES, EFFECT = 0.3, 0.5  # correlation within a family: of shared draws, of the normal scores of a random effect
PATH = even_path(1, 0.2, 17)
SPREAD = ndtri((np.arange(ATOMS) + 0.5) / ATOMS)  # how good an item looks
JUDGES = ("over-confident", "under-confident", "grid of .1", "rare positives", "worst first", "flat")
TRUTHS = {"at": (1.0, 0.0), "just above": (1.0, 0.015), "far above": (2.0, 0.0), "good": (0.25, 0.0)}
LARGER_WORSE = (0.4, 0.8, 1.2, 1.6)  # wrong so many times as often in families of 1, 2, 3, 4


@dataclass(frozen=True)
class Ties:
    """The families: how large, what ties their items, how much more often wrong the items are in each size."""

    name: str
    sizes: tuple[int, ...]
    effect: bool
    times: tuple[float, ...] = (1.0,)

    @property
    def largest(self) -> int:
        return max(self.sizes)

    def families(self, items: int) -> int:
        return round(items / (sum(self.sizes) / len(self.sizes)))


FAMILIES = (
    Ties("1", (1,), False),
    Ties("2, shared draws", (2,), False),
    Ties("2, random effect", (2,), True),
    Ties("4, shared draws", (4,), False),
    Ties("4, random effect", (4,), True),
    Ties("1 to 4, larger ones worse", (1, 2, 3, 4), False, LARGER_WORSE),
)


@dataclass(frozen=True)
class Place:
    """One cell of the grid."""

    judge: str
    truth: str
    target: float
    ties: Ties
    items: int

    @property
    def wanted(self) -> float:
        times, more = TRUTHS[self.truth]
        return times * self.target + more


GRID = tuple(Place(*cell) for cell in product(JUDGES, TRUTHS, (0.1, 0.2), FAMILIES, (60, 200, 400)))


@dataclass(frozen=True, eq=False)
class Population:
    """``first`` (ATOMS,): the first path point that selects an atom; ``wrong`` (sizes, ATOMS): chance of being wrong."""

    place: Place
    scores: np.ndarray
    first: np.ndarray
    wrong: np.ndarray
    key_point: int

    def share_wrong(self, weights: np.ndarray) -> np.ndarray:
        """The true share wrong among selected items at each path point, sizes weighted; NaN where nothing is."""
        return _selected_mean(self.first, weights @ self.wrong / weights.sum())

    @property
    def by_family(self) -> np.ndarray:
        return self.share_wrong(np.ones(len(self.wrong)))

    @property
    def by_item(self) -> np.ndarray:
        return self.share_wrong(np.array(self.place.ties.sizes, float))

    def draw(self, draws: int, generator: np.random.Generator) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """(atom, wrong, there), each (draws, families, largest): ``there`` is False beyond a family's size."""
        ties = self.place.ties
        shape = (draws, ties.families(self.place.items), ties.largest)
        kind = generator.integers(len(ties.sizes), size=shape[:2])
        there = np.arange(ties.largest) < np.array(ties.sizes)[kind][..., None]
        atom = (_uniforms(shape, ties.effect, generator) * ATOMS).astype(np.int64)
        wrong = _uniforms(shape, ties.effect, generator) < self.wrong[kind[..., None], atom]
        return atom, wrong, there


def population(place: Place) -> Population:
    """The judge tuned so that, family-weighted, exactly the wanted share is wrong at its key point.

    The key point is the path point that selects nearest to half of the items (.08 with rare positives), and for
    the judge whose highest scores are its worst and the flat one the loosest.
    """
    scores = np.round(_scores(place.judge), 12)
    first = (scores[None, :] < np.array(PATH)[:, None]).sum(axis=0)
    share = (first[None, :] <= np.arange(len(PATH))[:, None]).mean(axis=1)
    aim = {"worst first": 1.0, "flat": 1.0, "rare positives": 0.08}.get(place.judge, 0.5)
    key = int(np.argmin(np.abs(share - aim)))
    times = np.array(place.ties.times)[:, None]

    def wrong(knob: float) -> np.ndarray:
        return np.minimum(times * _wrong(place.judge, knob), 1.0)

    def found(knob: float) -> float:
        return float(_selected_mean(first, wrong(knob).mean(axis=0))[key])

    return Population(place, scores, first, wrong(_solve(found, place.wanted)), key)


def _scores(judge: str) -> np.ndarray:
    """What the judge states for an item that looks so good."""
    if judge in ("worst first", "flat"):
        return np.asarray(0.2 + 0.8 * ndtr(SPREAD))
    steep = {"over-confident": 3.0, "under-confident": 0.8, "rare positives": 1.5}.get(judge, 1.6)
    stated = expit(steep * SPREAD - (1.5 if judge == "rare positives" else 0.0))
    return np.asarray(np.round(stated, 1) if judge == "grid of .1" else stated)


def _wrong(judge: str, knob: float) -> np.ndarray:
    """The chance that an item is wrong, which falls everywhere as the knob rises from -40 to 40."""
    if judge == "flat":
        return np.full(ATOMS, expit(-knob))
    if judge == "worst first":
        return np.asarray(np.minimum(expit(-knob) * 4 * (0.05 + ndtr(SPREAD) ** 4), 1.0))
    if judge == "rare positives":
        steep = np.exp(knob / 10)  # the steeper, the better the judge; a tenth of all items are yes
        level = _solve(lambda level: -float(expit(steep * SPREAD - level).mean()), -0.1, -4_000.0, 4_000.0, rising=True)
        return np.asarray(expit(level - steep * SPREAD))
    return np.asarray(expit(-knob - 1.5 * SPREAD))


def _solve(
    function: Callable[[float], float], wanted: float, low: float = -40.0, high: float = 40.0, rising: bool = False
) -> float:
    """Bisection to the last digit."""
    for _ in range(100):
        middle = (low + high) / 2
        if (function(middle) < wanted) == rising:
            low = middle
        else:
            high = middle
    return low if rising else high


def _selected_mean(first: np.ndarray, values: np.ndarray) -> np.ndarray:
    mass = np.bincount(first, minlength=len(PATH) + 1)[: len(PATH)].cumsum()
    sums = np.bincount(first, weights=values, minlength=len(PATH) + 1)[: len(PATH)].cumsum()
    return np.divide(sums, mass, out=np.full(len(PATH), np.nan), where=mass > 0)


def _uniforms(shape: tuple[int, int, int], effect: bool, generator: np.random.Generator) -> np.ndarray:
    """Uniforms that are tied within a family (the last axis)."""
    if shape[2] == 1:
        return generator.random(shape)
    if effect:
        shared = generator.standard_normal((*shape[:2], 1))
        return np.asarray(ndtr(np.sqrt(EFFECT) * shared + np.sqrt(1 - EFFECT) * generator.standard_normal(shape)))
    copied = generator.random(shape) < np.sqrt(COPIES)
    return np.where(copied, generator.random((*shape[:2], 1)), generator.random(shape))
