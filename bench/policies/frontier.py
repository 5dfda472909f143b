"""Which arrangements are worth their cost or their time: those that no other one dominates."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from bench.measure.estimate import Estimate

Axis = Literal["usd", "ms"]


@dataclass(frozen=True)
class Point:
    """An arrangement by its place, what it reaches and what it takes."""

    place: int
    quality: float
    spent: float


@dataclass(frozen=True)
class Step:
    """A point of the frontier, and the paired difference of quality from the next cheaper one (None for the cheapest).

    ``cannot_be_told``: that difference has no value, or its interval holds 0, so that these items do not show that the
    higher price buys anything.
    """

    point: Point
    gain: Estimate | None

    @property
    def cannot_be_told(self) -> bool:
        return self.gain is not None and (self.gain.low is None or self.gain.low <= 0)


@dataclass(frozen=True)
class Frontier:
    """The frontier over one axis, and the places left out with the reason."""

    axis: Axis
    steps: tuple[Step, ...]
    left_out: tuple[tuple[int, str], ...]


def undominated(points: Sequence[Point]) -> tuple[Point, ...]:
    """The points that no other one beats: none has at least the quality for at most the price and is better in one.

    From cheap to dear, quality rising; points equal in both stay together. It describes point estimates: neighbours whose
    intervals overlap may change places on other items. Reference: Kung, Luccio and Preparata 1975, JACM 22:469. Easily
    confused with a choice: a point picked from it on these items looks better than it is.
    """
    kept: list[Point] = []
    for point in sorted(points, key=lambda p: (p.spent, -p.quality, p.place)):
        best = kept[-1] if kept else None
        if best is None or point.quality > best.quality or (point.quality, point.spent) == (best.quality, best.spent):
            kept.append(point)
    return tuple(kept)


def frontier(
    axis: Axis, points: Sequence[Point], left_out: Sequence[tuple[int, str]], gain: Callable[[int, int], Estimate]
) -> Frontier:
    """The frontier; ``gain(a, b)`` is the paired difference of quality of place a minus place b."""
    kept = undominated(points)
    steps = []
    for number, point in enumerate(kept):
        steps.append(Step(point, gain(point.place, kept[number - 1].place) if number else None))
    return Frontier(axis, tuple(steps), tuple(left_out))
