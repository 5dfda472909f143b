"""Accuracy by slice of the cases for the leading judges, beside always saying yes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from bench.benchmark import Benchmark
from bench.measure.judge_line import JudgeLine
from bench.measure.slice_figures import SliceLine
from bench.report.kinds import CONTROLS, Kind
from bench.report.plots.canvas import EDGE, TOP, axes_at, sheet, write
from bench.report.plots.drawn import Cell, Sketch, interval_cells, interval_head
from bench.report.plots.marks import share_axis, whisker
from bench.report.plots.names import inches, listed, plain, short
from bench.report.plots.style import FULL, MARKS, PALETTE, SMALL, TEXT
from bench.report.plots.subject import Subject, subject_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_BASE = "always-yes"
_LEADERS = 3
_ROW, _LEFT = 0.4, 2.1  # inches
_MOST = 24  # rows drawn
_SPARE = ("v", "P")  # marks of a second and a third leader of one kind
_Row = tuple[str, str | None]
_Look = tuple[str, Kind, str]  # a judge, its colour and its mark


def slices(benchmark: Benchmark) -> Sketch | None:
    """The figure; None where no dimension has two values."""
    subject = subject_of(benchmark)
    if subject is None:
        return None
    table = subject.table
    lines = [s for s in benchmark.figures.slices if (s.stratum, s.statement) == (table.stratum.id, table.statement)]
    shown = _shown(subject, lines)
    if not shown:
        return None
    seen = {judge for judge, _, _ in shown}
    every = _ordered([line for line in lines if line.judge in seen])
    drawn = every[:_MOST]
    title = "Accuracy by slice"
    left_out = sum(value is not None for _, value in every[_MOST:])
    about = subject.about + (f"; {left_out} more slices in the data" if left_out else "")
    tall = _ROW * sum(value is not None for _, value in drawn) + _ROW * 0.75 * sum(value is None for _, value in drawn)
    figure = sheet(TOP + 0.25 + tall + 0.5, title, about)
    _key(figure, shown)
    axes = axes_at(figure, _LEFT, TOP + 0.25, FULL - _LEFT - 0.15, tall)
    _draw(axes, drawn, lines, shown)
    return Sketch(title, _TOLD, _alt(subject, lines, shown), "judge quality", _rows(lines), figure)


def leaders(subject: Subject) -> list[JudgeLine]:
    """The judges with the highest MCC that are no controls."""
    return [line for line in subject.best_first("mcc") if line.judge not in CONTROLS and line in subject.known("mcc")][
        :_LEADERS
    ]


def _shown(subject: Subject, lines: Sequence[SliceLine]) -> list[_Look]:
    """Name, colour and mark: the control first, then the leaders by rank."""
    there = {line.judge for line in lines}
    best = [line for line in leaders(subject) if line.judge in there]
    found: list[_Look] = [(_BASE, "control", MARKS["control"])] if _BASE in there else []
    for line in best:
        kind = subject.kind(line)
        same = sum(colour == kind for _, colour, _ in found)
        found.append((line.judge, kind, _SPARE[same - 1] if same else MARKS[kind]))
    return found


def _ordered(lines: Sequence[SliceLine]) -> list[_Row]:
    """Dimension by dimension: a head, then its values."""
    found: dict[str, dict[str, None]] = {}
    for line in lines:
        found.setdefault(line.dimension, {}).setdefault(line.value)
    return [
        row for dimension, values in found.items() for row in [(dimension, None), *((dimension, v) for v in values)]
    ]


def _key(figure: Figure, shown: Sequence[_Look]) -> None:
    ground = axes_at(figure, 0, TOP, FULL, 0.2)
    ground.set_axis_off()
    ground.set(xlim=(0, FULL), ylim=(0.2, 0))
    at = EDGE + 0.05
    for name, kind, mark in shown:
        ground.plot([at], [0.03], mark, ms=4, mfc=PALETTE[kind], mec=PALETTE[kind])
        write(figure, at + 0.08, TOP + 0.065, short(name, 30), SMALL)
        at += 0.3 + inches(short(name, 30), SMALL)


def _draw(axes: Axes, drawn: Sequence[_Row], lines: Sequence[SliceLine], shown: Sequence[_Look]) -> None:
    found = {(line.dimension, line.value, line.judge): line.accuracy for line in lines}
    at, places, names = 0.0, [], []
    for dimension, value in drawn:
        step = 1.0 if value is not None else 0.75
        middle = at + step / 2
        if value is not None:
            axes.axhline(at + step, color=PALETTE["faint"], lw=0.5, zorder=1)
            for number, (judge, kind, mark) in enumerate(shown):
                estimate = found.get((dimension, value, judge))
                if estimate is not None:
                    whisker(axes, estimate, at + (number + 1) / (len(shown) + 1), kind, mark, size=3.8, width=0.9)
        places.append(middle)
        counts = [e.denominator for (d, v, _), e in found.items() if (d, v) == (dimension, value) and e.denominator]
        names.append(dimension if value is None else f"{short(value, 24)} ({max(counts, default=0)})")
        at += step
    axes.set_ylim(at, 0)
    axes.set_yticks(places, [plain(name) for name in names], size=SMALL)
    for label, (_, value) in zip(axes.get_yticklabels(), drawn, strict=True):
        label.set_fontweight("bold" if value is None else "normal")
        label.set_fontsize(TEXT if value is None else SMALL)
    axes.tick_params(axis="y", length=0)
    axes.spines["left"].set_visible(False)
    axes.grid(axis="x")
    share_axis(axes, "x", "accuracy (number of items in brackets)")


_TOLD = (
    "The three judges with the highest MCC, and always yes: where that is high, the share of yes makes accuracy high. These are "
    "many looks at few cases; among twenty intervals one misses by chance, so a slice that stands out is a question, no finding."
)


def _alt(subject: Subject, lines: Sequence[SliceLine], shown: Sequence[_Look]) -> str:
    told = [
        f"{line.dimension} {line.value}: {line.judge} {line.accuracy.cell()}"
        for judge, _, _ in shown
        for line in lines
        if line.judge == judge
    ]
    return f"{subject.about}. Accuracy by slice. {listed(told, 48)}."


def _rows(lines: Sequence[SliceLine]) -> list[list[Cell]]:
    found: list[list[Cell]] = [
        [
            "stratum",
            "statement",
            "dimension",
            "value",
            "judge",
            *interval_head("accuracy"),
            "right",
            "items",
            "families",
        ]
    ]
    for line in lines:
        e = line.accuracy
        found.append(
            [line.stratum, line.statement, line.dimension, line.value, line.judge, *interval_cells(e), e.numerator,
             e.denominator, e.families]
        )  # fmt: skip
    return found
