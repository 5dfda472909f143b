"""Values with their intervals, rows of judges, and axes of shares: drawn the same way in every figure."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from bench.measure.estimate import Estimate, rounded
from bench.report.plots.names import short
from bench.report.plots.style import PALETTE, SMALL, TEXT

if TYPE_CHECKING:
    from matplotlib.axes import Axes

ON_PAPER: dict[str, Any] = {"boxstyle": "square,pad=0.05", "facecolor": PALETTE["paper"], "edgecolor": "none"}
_DASHES = (0, (2.5, 1.8))
_DUST = 1e-9
_SHARES = (0.0, 0.25, 0.5, 0.75, 1.0)


def whisker(
    axes: Axes,
    estimate: Estimate,
    place: float,
    colour: str,
    mark: str | None,
    *,
    upright: bool = False,
    size: float = 4.5,
    width: float = 1.1,
) -> None:
    """A value and its interval, across or upright; hollow and dashed where the data are too few. Undefined draws
    nothing; without a mark there is the interval alone."""
    if estimate.value is None:
        return
    ink, thin = PALETTE[colour], estimate.too_few
    if estimate.low is not None and estimate.high is not None:
        ends, same = [estimate.low, estimate.high], [place, place]
        line = axes.plot(
            *((same, ends) if upright else (ends, same)), color=ink, lw=0.8 if thin else width, zorder=2.5
        )[0]
        if thin:
            line.set_linestyle(_DASHES)
        line.set_solid_capstyle("butt")
    if mark is None:
        return
    at = ([place], [estimate.value]) if upright else ([estimate.value], [place])
    axes.plot(*at, mark, ms=size, mfc=PALETTE["paper"] if thin else ink, mec=ink, mew=0.9, zorder=3, clip_on=False)


def rows(axes: Axes, names: Sequence[str], *, first_bold: bool = False) -> None:
    """One row a name, the first on top, without ticks."""
    axes.set_ylim(len(names) - 0.5, -0.5)
    axes.set_yticks(range(len(names)), [short(name) for name in names], size=TEXT)
    axes.tick_params(axis="y", length=0)
    axes.spines["left"].set_visible(False)
    axes.grid(axis="x")
    if first_bold and names:
        axes.get_yticklabels()[0].set_fontweight("bold")


def beside(axes: Axes, place: float, text: str, *, colour: str = "ink", at: float = 1.02) -> None:
    """A text in a row, from ``at`` widths of the axes on."""
    align = "center" if "\n" in text else "center_baseline"
    axes.text(at, place, text, transform=axes.get_yaxis_transform(), va=align, size=SMALL, color=PALETTE[colour])


def reference(axes: Axes, value: float, text: str, *, across: bool = False, left: bool = False) -> None:
    """A dotted line of reference with its name at its end."""
    draw = axes.axhline if across else axes.axvline
    draw(value, color=PALETTE["muted"], lw=0.9, ls=(0, (1, 1.6)), zorder=1.5)
    if text and across:
        at, side = (0.01, "left") if left else (0.99, "right")
        axes.text(
            at,
            value,
            text,
            transform=axes.get_yaxis_transform(),
            ha=side,
            va="bottom",
            size=SMALL,
            color=PALETTE["muted"],
        )
    elif text:
        axes.text(
            value, 1.0, text, transform=axes.get_xaxis_transform(), ha="center", va="bottom", size=SMALL,
            color=PALETTE["muted"],
        )  # fmt: skip


def share_axis(axes: Axes, which: str, name: str, *, room: float = 0.03) -> None:
    """An axis from 0 to 1 in quarters."""
    told = [rounded(share) if share not in (0, 1) else f"{share:.0f}" for share in _SHARES]
    if which == "x":
        axes.set_xlim(-room, 1 + room)
        axes.set_xticks(_SHARES, told)
        axes.set_xlabel(name)
    else:
        axes.set_ylim(-room, 1 + room)
        axes.set_yticks(_SHARES, told)
        axes.set_ylabel(name)


def number_axis(axes: Axes, low: float, high: float, name: str) -> None:
    """An axis across of any numbers, told as tables tell them."""
    axes.set_xlim(low, high)
    axes.xaxis.set_major_formatter(lambda value, _: tick(value))
    axes.set_xlabel(name)


def tick(value: float) -> str:
    """A number on an axis as tables tell it."""
    whole = round(value)
    return str(whole) if abs(value - whole) < _DUST else rounded(value)


def span_of(estimates: Sequence[Estimate], *also: float, step: float = 0.25) -> tuple[float, float]:
    """The range in whole steps that holds every value, every end of an interval, and ``also``."""
    ends = [x for e in estimates for x in (e.value, e.low, e.high) if x is not None] + list(also)
    low, high = step * math.floor(min(ends) / step + _DUST), step * math.ceil(max(ends) / step - _DUST)
    return (low, high) if low < high else (low - step, high + step)
