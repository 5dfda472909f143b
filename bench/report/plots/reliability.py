"""Reliability: the share labelled yes over the stated probability, beside what a calibrated judge would show by chance."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from bench.benchmark import Benchmark
from bench.measure.calibration import Point
from bench.measure.estimate import rounded
from bench.report.plots.canvas import TOP, axes_at, sheet
from bench.report.plots.drawn import Cell, Sketch, interval_cells, interval_head
from bench.report.plots.marks import share_axis, whisker
from bench.report.plots.names import folded
from bench.report.plots.probabilities import Stated, stated_by
from bench.report.plots.style import FULL, MARKS, PALETTE, SMALL
from bench.report.plots.subject import Subject, subject_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_LEFT, _GAP, _HEAD = 0.48, 0.22, 0.55  # inches
_BARS = 0.32  # the histogram's height
_FOOT = 0.45
_CLASSES = 20
_NAMES = 25


def reliability(benchmark: Benchmark) -> Sketch | None:
    """Small multiples, a panel a judge; None where no judge gives probabilities."""
    subject = subject_of(benchmark)
    stated = stated_by(benchmark, subject) if subject else []
    if subject is None or not stated:
        return None
    across = 4 if len(stated) == 4 or len(stated) > 6 else 3
    side = (FULL - _LEFT - 0.1 - _GAP * (across - 1)) / across
    down, tall = -(-len(stated) // across), _HEAD + side + 0.06 + _BARS + _FOOT
    title = "Reliability of stated probabilities"
    figure = sheet(TOP + down * tall, title, subject.about)
    for number, one in enumerate(stated):
        row, column = divmod(number, across)
        left, top = _LEFT + column * (side + _GAP), TOP + row * tall + _HEAD - 0.1
        curve = axes_at(figure, left, top, side, side)
        _curve(curve, one, subject, side, first=column == 0)
        _histogram(axes_at(figure, left, top + side + 0.06, side, _BARS), one, first=column == 0)
    return Sketch(title, _TOLD, _alt(subject, stated), "judge quality", _rows(subject, stated), figure)


def noise_band(axes: Axes, points: Sequence[Point]) -> None:
    """In each bin where 95 of 100 calibrated judges would lie, and the line of perfect calibration."""
    axes.plot([0, 1], [0, 1], lw=0.9, ls=(0, (1, 1.6)), color=PALETTE["muted"], zorder=1.5)
    for point in points:
        ends = [point.band_low, point.band_high]
        axes.plot([point.stated, point.stated], ends, lw=5.5, color=PALETTE["band"], solid_capstyle="butt", zorder=1)


def _curve(axes: Axes, one: Stated, subject: Subject, side: float, *, first: bool) -> None:
    noise_band(axes, [bin_.point for bin_ in one.bins])
    kind = subject.kind(one.line)
    for bin_ in one.bins:
        whisker(axes, bin_.share, bin_.point.stated, kind, MARKS[kind], upright=True, size=3, width=0.7)
    share_axis(axes, "x", "")
    share_axis(axes, "y", "share labelled yes" if first else "")
    axes.tick_params(labelbottom=False, labelleft=first)
    found = one.figures
    chance = "" if found.by_chance is None else f"\nby chance {rounded(found.by_chance)}"
    place = axes.transAxes
    told = f"error {found.calibration.cell()}{chance}"
    axes.text(0, 1 + 0.03 / side, told, transform=place, size=SMALL - 0.5, color=PALETTE["muted"], va="bottom")
    axes.text(0, 1 + 0.31 / side, folded(one.line.judge, _NAMES), transform=place, size=SMALL, va="bottom")


def _histogram(axes: Axes, one: Stated, *, first: bool) -> None:
    counts = [0] * _CLASSES
    for p in one.probabilities:
        counts[min(int(p * _CLASSES), _CLASSES - 1)] += 1
    places = [(n + 0.5) / _CLASSES for n in range(_CLASSES)]
    axes.bar(places, counts, width=0.8 / _CLASSES, color=PALETTE["muted"])
    share_axis(axes, "x", "stated P(yes)")
    axes.set_yticks([max(counts)])
    axes.set_ylabel("items" if first else "")
    axes.spines["left"].set_visible(False)
    axes.tick_params(axis="y", length=0)


_TOLD = (
    "Marks on the diagonal are calibrated; grey is where 95 of 100 perfectly calibrated judges would lie in each bin, so only "
    "what leaves it is a sign. Bars are 95 % intervals, hollow where a bin is too small; below, how often each probability is "
    "stated. It holds at this share of yes only."
)


def _alt(subject: Subject, stated: Sequence[Stated]) -> str:
    told = [f"{subject.about}. Calibration error ({stated[0].figures.definition}):"]
    for one in stated:
        found = one.figures
        outside = sum(not b.point.band_low <= b.point.share_yes <= b.point.band_high for b in one.bins)
        chance = "n/a" if found.by_chance is None else f"{found.by_chance:.3f}"
        p = "n/a" if found.p_value is None else f"{found.p_value:.3f}"
        told.append(
            f"{one.line.judge} {found.calibration.cell()}, by chance {chance}, p {p}, "
            f"{outside} of {len(one.bins)} bins outside the band."
        )
    return " ".join(told)


def _rows(subject: Subject, stated: Sequence[Stated]) -> list[list[Cell]]:
    found: list[list[Cell]] = [
        ["judge", "judge_id", "stated", *interval_head("share_yes"), "items", "families", "band_low", "band_high",
         "calibration_error", "by_chance", "p_value"]
    ]  # fmt: skip
    for one in stated:
        total = one.figures
        for bin_ in one.bins:
            point = bin_.point
            found.append(
                [one.line.judge, one.line.judge_id, point.stated, *interval_cells(bin_.share), point.items, point.families,
                 point.band_low, point.band_high, total.calibration.value, total.by_chance, total.p_value]
            )  # fmt: skip
    return found
