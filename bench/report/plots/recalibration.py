"""The reliability curve before and after a map, as SVG; the same figures give the same bytes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from bench.measure.calibration import Calibration
from bench.report.plots.canvas import TOP, axes_at, sheet, svg_text
from bench.report.plots.marks import share_axis
from bench.report.plots.names import plain, short
from bench.report.plots.reliability import noise_band
from bench.report.plots.style import FULL, PALETTE, SMALL, look

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_LEFT, _SIDE, _GAP = 0.5, 2.6, 0.4  # inches
_Sides = Sequence[tuple[str, Calibration, str]]


def draw_reliability(title: str, before: Calibration, after: Calibration | None) -> str:
    """Share labelled yes over the stated probability, with the band in which 95 of 100 perfect judges would lie."""
    sides = [("before", before, "model")] + ([] if after is None else [("after", after, "rule")])
    with look("reliability"):
        about = "grey: where 95 of 100 calibrated judges would lie; area of a mark: its number of items"
        figure = sheet(TOP + 0.3 + _SIDE + 0.5, short(title, 80), about)
        for number, (name, found, colour) in enumerate(sides):
            axes = axes_at(figure, _LEFT + number * (_SIDE + _GAP), TOP + 0.3, min(_SIDE, FULL), _SIDE)
            _curve(axes, name, found, colour, first=number == 0)
        return svg_text(figure, plain(title), _alt(sides))


def _curve(axes: Axes, name: str, found: Calibration, colour: str, *, first: bool) -> None:
    noise_band(axes, found.points)
    most = max((point.items for point in found.points), default=1)
    mark = "s" if first else "o"
    for point in found.points:
        size = (10 + 50 * point.items / most) ** 0.5
        axes.plot(
            [point.stated],
            [point.share_yes],
            mark,
            ms=size,
            mfc=PALETTE[colour],
            mec=PALETTE["paper"],
            mew=0.4,
            zorder=3,
        )
    share_axis(axes, "x", "stated probability of yes")
    share_axis(axes, "y", "share labelled yes" if first else "")
    axes.set_title(f"{name}: calibration error {_error(found)}", size=SMALL, weight="bold")


def _error(found: Calibration) -> str:
    return "n/a" if found.error.value is None else found.error.cell()


def _alt(sides: _Sides) -> str:
    told = []
    for name, found, _ in sides:
        bins = ", ".join(f"{p.share_yes:.2f} at {p.stated:.2f} ({p.items})" for p in found.points)
        told.append(f"{name}: error of calibration {_error(found)}; share of yes {bins or 'unknown'}")
    return f"{'. '.join(told)}."
