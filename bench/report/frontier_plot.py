"""Quality against cost and against time of singles, panels and cascades; the same study gives the same bytes."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from bench.measure.estimate import Estimate
from bench.policies.frontier import Frontier
from bench.policies.panels import Study
from bench.report.plots import STYLE as STYLE
from bench.report.plots import arms as arms

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_COLOURS = {
    "single": "#1864ab",
    "majority": "#c2560a",
    "weighted": "#c2560a",
    "stacked": "#c2560a",
    "cascade": "#2b8a3e",
}
_SOFT = "#8a94a0"
_CLOSE = 0.012  # in quality
_LABELS = {"usd": "US$ a session, as recorded (mean)", "ms": "milliseconds a session, as recorded (mean)"}


def draw_frontier(study: Study, path: Path, salt: str) -> None:
    """Write the figure. ``salt`` fixes the ids in an SVG."""
    import matplotlib  # 1.7 s to load, so only where figures are drawn
    from matplotlib.figure import Figure

    style: Any = STYLE | {"svg.hashsalt": salt, "svg.fonttype": "none"}
    with matplotlib.rc_context(style):
        figure = Figure(figsize=(9.6, 4.2), layout="constrained")
        for axes, found in zip(figure.subplots(1, len(study.frontiers), sharey=True), study.frontiers, strict=True):
            _one(axes, study, found)
        names = "\n".join(f"{place}  {line.name}" for place, line in enumerate(study.lines, 1))
        figure.axes[0].set_ylabel(study.asked.metric.replace("_", " "))
        figure.axes[-1].text(1.06, 1.0, names, transform=figure.axes[-1].transAxes, va="top", fontsize=7)
        figure.suptitle(f"{study.asked.statement} on {study.asked.stratum.id}", x=0.01, ha="left")
        gone = {"Date": None, "Creator": None} if path.suffix.lower() == ".svg" else {"Software": None}
        figure.savefig(path, dpi=150, metadata=gone)


def _one(axes: Axes, study: Study, found: Frontier) -> None:
    left_out = dict(found.left_out)
    shown: dict[int, tuple[float, float]] = {}
    for place, line in enumerate(study.lines):
        spent = line.reported.usd if found.axis == "usd" else line.reported.ms_mean
        quality = line.reported.metrics[study.asked.metric]
        if place not in left_out and spent.value is not None and quality.value is not None:
            shown[place] = (spent.value, quality.value)
            _dot(axes, spent.value, quality, _COLOURS[line.kind], hollow=line.bounds is not None)
    for places in _near(shown):
        told = ", ".join(str(place + 1) for place in places)
        axes.annotate(told, shown[places[0]], xytext=(4, 4), textcoords="offset points", fontsize=7)
    steps = [shown[step.point.place] for step in found.steps if step.point.place in shown]
    if len(steps) > 1:
        axes.plot([x for x, _ in steps], [y for _, y in steps], lw=0.8, ls="--", color=_SOFT, zorder=0)
    _scale(axes, [x for x, _ in shown.values()])
    axes.set_xlabel(_LABELS[found.axis])
    notes = [f"not shown: {', '.join(str(place + 1) for place in left_out)}"] if left_out else []
    notes += ["hollow: some undecided"] if any(study.lines[place].bounds is not None for place in shown) else []
    axes.set_title("; ".join(notes), loc="left", fontsize=7)


def _scale(axes: Axes, spent: list[float]) -> None:
    positive = [x for x in spent if x > 0]
    if not positive:
        axes.set_xlim(-1, 1)
        axes.set_xticks([0.0], ["0"])
    elif len(positive) == len(spent):
        axes.set_xscale("log")
    else:
        # Linear from 0 to the smallest price, logarithmic from there, so that what costs nothing stands in the figure.
        axes.set_xscale("symlog", linthresh=min(positive), linscale=0.6)
        axes.set_xlim(left=-0.2 * min(positive))


def _near(shown: dict[int, tuple[float, float]]) -> list[list[int]]:
    """Places whose labels would lie on one another, together."""
    groups: list[list[int]] = []
    for place, (x, y) in sorted(shown.items(), key=lambda pair: (-pair[1][1], pair[1][0], pair[0])):
        for group in groups:
            other_x, other_y = shown[group[0]]
            if abs(y - other_y) < _CLOSE and (x == other_x or min(x, other_x) > 0.7 * max(x, other_x)):
                group.append(place)
                break
        else:
            groups.append([place])
    return groups


def _dot(axes: Axes, spent: float, quality: Estimate, colour: str, hollow: bool) -> None:
    bars: dict[str, Any] = {"fmt": "o", "ms": 4, "lw": 0.7, "alpha": 0.85, "mfc": "white" if hollow else colour}
    axes.errorbar([spent], [quality.value or 0.0], yerr=arms(quality), color=colour, **bars)
