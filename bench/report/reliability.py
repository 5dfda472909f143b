"""The reliability curve before and after a map, as SVG; the same figures give the same bytes."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any

from bench.measure.calibration import Calibration
from bench.report.plots import STYLE

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_INK, _SOFT, _BEFORE, _AFTER = "#1f2933", "#8a94a0", "#c2560a", "#1864ab"
_STYLE: Any = STYLE | {"text.parse_math": False, "svg.hashsalt": "reliability", "svg.fonttype": "none"}


def draw_reliability(title: str, before: Calibration, after: Calibration | None) -> str:
    """Share labelled yes over the stated probability, with the band in which 95 of 100 perfect judges would lie."""
    import matplotlib  # 1.7 s to load, so only where figures are drawn
    from matplotlib.figure import Figure

    with matplotlib.rc_context(_STYLE):
        sides = [("before", before, _BEFORE)] + ([] if after is None else [("after", after, _AFTER)])
        figure = Figure(figsize=(3.4 * len(sides) + 0.4, 3.6), layout="constrained")
        for number, (name, found, colour) in enumerate(sides, 1):
            _curve(figure.add_subplot(1, len(sides), number), name, found, colour)
        figure.suptitle(title, x=0.02, ha="left", fontsize=10)
        text = io.StringIO()
        figure.savefig(text, format="svg", metadata={"Date": None, "Creator": None})
    return text.getvalue()


def _curve(axes: Axes, name: str, found: Calibration, colour: str) -> None:
    axes.plot([0, 1], [0, 1], lw=0.8, ls=":", color=_SOFT)
    for point in found.points:
        axes.plot([point.stated, point.stated], [point.band_low, point.band_high], lw=4, color=_SOFT, alpha=0.35)
    stated, share = ([getattr(point, field) for point in found.points] for field in ("stated", "share_yes"))
    most = max((point.items for point in found.points), default=1)
    sizes: Any = [10 + 50 * point.items / most for point in found.points]
    axes.scatter(stated, share, s=sizes, color=colour, alpha=0.85, linewidths=0, zorder=3)
    axes.set(xlim=(-0.03, 1.03), ylim=(-0.03, 1.03), xlabel="stated probability of yes", ylabel="share labelled yes")
    error = "n/a" if found.error.value is None else found.error.cell()
    axes.set_title(f"{name}: calibration error {error}", loc="left", fontsize=9)
