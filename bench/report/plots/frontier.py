"""Quality against cost and against time of singles, panels and cascades; the same study gives the same bytes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from bench.measure.estimate import Estimate
from bench.policies.frontier import Frontier
from bench.policies.panels import Study
from bench.policies.replay import Recorded
from bench.report.plots.canvas import TOP, axes_at, png_bytes, sheet, svg_text
from bench.report.plots.marks import tick, whisker
from bench.report.plots.names import inches, plain, short
from bench.report.plots.placing import Box, place_labels
from bench.report.plots.style import FULL, PALETTE, SMALL, look

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_LOOKS = {  # colour and mark of each kind of arrangement
    "single": ("rule", "o"),
    "majority": ("model", "s"),
    "weighted": ("model", "s"),
    "stacked": ("model", "s"),
    "cascade": ("code", "D"),
}
_CLOSE = 0.012  # in quality
_LABELS = {"usd": "US$ a session, as recorded (mean)", "ms": "milliseconds a session, as recorded (mean)"}
_LEFT, _HEIGHT, _GAP, _ROW = 0.5, 2.6, 0.3, 0.15  # inches


def draw_frontier(study: Study, path: Path, salt: str) -> None:
    """Write the figure. ``salt`` fixes the ids in an SVG."""
    title = f"What {plain(study.asked.metric.replace('_', ' '))} costs"
    names = TOP + 0.2 + _HEIGHT + 0.5
    with look(salt):
        figure = sheet(names + _ROW * -(-len(study.lines) // 2) + 0.12, title, _about(study))
        width = (FULL - _LEFT - 0.2 - _GAP * (len(study.frontiers) - 1)) / len(study.frontiers)
        for number, found in enumerate(study.frontiers):
            axes = axes_at(figure, _LEFT + number * (width + _GAP), TOP + 0.2, width, _HEIGHT)
            _one(axes, study, found, width)
            axes.set_ylabel(study.asked.metric.replace("_", " ") if number == 0 else "")
            axes.tick_params(labelleft=number == 0)
            axes.yaxis.set_major_formatter(lambda value, _: tick(value))
        _same_height(figure)
        _names(figure, study, names)
        if path.suffix.lower() == ".svg":
            path.write_text(svg_text(figure, title, _alt(study)), encoding="utf-8", newline="\n")
        else:
            path.write_bytes(png_bytes(figure))


def _about(study: Study) -> str:
    return plain(f"{study.asked.statement} on {study.asked.stratum.id}; dashed: what nothing cheaper reaches")


def _one(axes: Axes, study: Study, found: Frontier, width: float) -> None:
    left_out = dict(found.left_out)
    shown: dict[int, tuple[float, float]] = {}
    for place, line in enumerate(study.lines):
        spent = line.reported.usd if found.axis == "usd" else line.reported.ms_mean
        quality = line.reported.metrics[study.asked.metric]
        if place not in left_out and spent.value is not None and quality.value is not None:
            shown[place] = (spent.value, quality.value)
            _dot(axes, spent.value, quality, line.kind, hollow=line.bounds is not None)
    steps = [shown[step.point.place] for step in found.steps if step.point.place in shown]
    if len(steps) > 1:
        axes.plot([x for x, _ in steps], [y for _, y in steps], lw=0.8, ls="--", color=PALETTE["muted"], zorder=1)
    _scale(axes, [x for x, _ in shown.values()])
    _numbers(axes, shown, width)
    axes.set_xlabel(_LABELS[found.axis])
    notes = [f"not shown: {', '.join(str(place + 1) for place in left_out)}"] if left_out else []
    notes += ["hollow: some undecided"] if any(study.lines[place].bounds is not None for place in shown) else []
    axes.set_title("; ".join(notes), size=SMALL, color=PALETTE["muted"])


def _scale(axes: Axes, spent: Sequence[float]) -> None:
    positive = [x for x in spent if x > 0]
    if not positive:
        axes.set_xlim(-1, 1)
        axes.set_xticks([0.0], ["0"])
        return
    if len(positive) == len(spent):
        axes.set_xscale("log")
    else:
        # Linear from 0 to the smallest price, logarithmic from there, so that what costs nothing stands in the figure.
        axes.set_xscale("symlog", linthresh=min(positive), linscale=0.6)
        axes.set_xlim(left=-0.2 * min(positive))
    axes.xaxis.set_major_formatter(lambda value, _: f"{value:,g}")
    axes.xaxis.set_minor_formatter(lambda value, _: "")


def _numbers(axes: Axes, shown: Mapping[int, tuple[float, float]], width: float) -> None:
    """Each arrangement's number beside its mark; those that lie on one another share a label."""
    groups = _near(shown)
    wide, high = width * 72, _HEIGHT * 72
    where = [axes.transAxes.inverted().transform(axes.transData.transform(shown[group[0]])) for group in groups]
    points = [(float(x) * wide, float(y) * high) for x, y in where]
    texts = [", ".join(str(place + 1) for place in group) for group in groups]
    sizes = [(inches(text, SMALL) * 72, SMALL) for text in texts]
    for (x, y), text in zip(place_labels(points, sizes, Box(0, 0, wide, high)), texts, strict=True):
        axes.text(x / wide, y / high, text, transform=axes.transAxes, size=SMALL, weight="bold", va="bottom")


def _near(shown: Mapping[int, tuple[float, float]]) -> list[list[int]]:
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


def _dot(axes: Axes, spent: float, quality: Estimate, kind: str, *, hollow: bool) -> None:
    colour, mark = _LOOKS[kind]
    whisker(axes, quality, spent, colour, mark, upright=True, width=0.7)
    if hollow and quality.value is not None:
        axes.plot(
            [spent],
            [quality.value or 0.0],
            mark,
            ms=4.5,
            mfc=PALETTE["paper"],
            mec=PALETTE[colour],
            mew=0.9,
            zorder=3.1,
        )


def _same_height(figure: Figure) -> None:
    """One scale of quality for all panels."""
    ends = [end for axes in figure.axes for end in axes.get_ylim()]
    for axes in figure.axes:
        axes.set_ylim(min(ends), max(ends))


def _names(figure: Figure, study: Study, top: float) -> None:
    """The arrangements by number, in two columns."""
    half = -(-len(study.lines) // 2)
    ground = axes_at(figure, 0, top, FULL, max(_ROW * half, _ROW))
    ground.set(xlim=(0, FULL), ylim=(half - 0.5, -0.5))
    ground.set_axis_off()
    for place, line in enumerate(study.lines):
        column, row = divmod(place, half)
        left, (colour, mark) = 0.25 + column * FULL / 2, _LOOKS[line.kind]
        ground.text(left, row, str(place + 1), size=SMALL, weight="bold", ha="right", va="center")
        ground.plot([left + 0.1], [row], mark, ms=4, mfc=PALETTE[colour], mec=PALETTE[colour])
        ground.text(left + 0.2, row, short(line.name, 48), size=SMALL, va="center")


def _alt(study: Study) -> str:
    told = [
        f"{place} {line.name}: {line.reported.metrics[study.asked.metric].cell()}, US$ {_recorded(line.reported.usd)}, "
        f"ms {_recorded(line.reported.ms_mean)}"
        for place, line in enumerate(study.lines, 1)
    ]
    return plain(f"{_about(study)}. {'; '.join(told)}.")


def _recorded(found: Recorded) -> str:
    return f"n/a ({found.why})" if found.value is None else f"{found.value:.4g}"
