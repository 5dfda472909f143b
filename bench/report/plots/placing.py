"""Where labels go so that they lie on no mark and on no other label."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

_RINGS = (4.0, 9.0, 15.0, 23.0)
_WAYS = ((1, 1), (1, -1), (-1, 1), (-1, -1), (1, 0), (-1, 0), (0, 1), (0, -1))
_MARK = 3.5  # half a mark's width
_OUTSIDE = 60.0  # an overlap of so many square points is better than leaving the ground
_FAR = 0.8


class Box(NamedTuple):
    """Left, bottom, right and top, in points."""

    left: float
    bottom: float
    right: float
    top: float

    def overlap(self, other: Box) -> float:
        wide = min(self.right, other.right) - max(self.left, other.left)
        high = min(self.top, other.top) - max(self.bottom, other.bottom)
        return wide * high if wide > 0 and high > 0 else 0.0


def place_labels(
    points: Sequence[tuple[float, float]], sizes: Sequence[tuple[float, float]], ground: Box, taken: Iterable[Box] = ()
) -> list[tuple[float, float]]:
    """For each point the lower left corner of its label: the nearest free place, in the order of the points."""
    marks = [Box(x - _MARK, y - _MARK, x + _MARK, y + _MARK) for x, y in points]
    used = [*marks, *taken]
    found = []
    for (x, y), (width, height) in zip(points, sizes, strict=True):
        tried = [_box(x, y, width, height, ring, way) for ring in _RINGS for way in _WAYS]
        costs = [_cost(box, used, ground) + _FAR * n for n, box in enumerate(tried)]
        best = tried[costs.index(min(costs))]
        used.append(best)
        found.append((best.left, best.bottom))
    return found


def _box(x: float, y: float, width: float, height: float, ring: float, way: tuple[int, int]) -> Box:
    across, up = way
    left = x + across * ring - (0 if across > 0 else width if across < 0 else width / 2)
    bottom = y + up * ring - (0 if up > 0 else height if up < 0 else height / 2)
    return Box(left, bottom, left + width, bottom + height)


def _cost(box: Box, used: Sequence[Box], ground: Box) -> float:
    inside = box.overlap(ground)
    whole = (box.right - box.left) * (box.top - box.bottom)
    outside = whole - inside
    return sum(box.overlap(other) for other in used) + (_OUTSIDE + outside if outside > 1e-6 else 0.0)


def spread(wanted: Sequence[float], gap: float, low: float, high: float) -> list[float]:
    """Heights at least ``gap`` apart and near the wanted ones, from ``low`` up to ``high`` as far as there is room."""
    order = sorted(range(len(wanted)), key=lambda n: (wanted[n], n))
    groups: list[list[int]] = []
    for n in order:
        groups.append([n])
        while len(groups) > 1 and _lowest(groups[-1], wanted, gap, low, high) < (
            _lowest(groups[-2], wanted, gap, low, high) + gap * len(groups[-2])
        ):
            last = groups.pop()
            groups[-1] += last
    found = [0.0] * len(wanted)
    for group in groups:
        start = _lowest(group, wanted, gap, low, high)
        for step, n in enumerate(group):
            found[n] = start + gap * step
    return found


def _lowest(group: Sequence[int], wanted: Sequence[float], gap: float, low: float, high: float) -> float:
    middle = sum(wanted[n] for n in group) / len(group)
    room = gap * (len(group) - 1)
    return max(low, min(middle - room / 2, high - room))
