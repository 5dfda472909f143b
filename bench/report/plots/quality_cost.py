"""Quality against what a verdict takes, for the judges whose cost or time is known; the best code judge as the line to beat."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bench.benchmark import Benchmark
from bench.measure.call_figures import CallLine
from bench.measure.judge_line import JudgeLine
from bench.report.plots.canvas import EDGE, TOP, axes_at, key_of_kinds, sheet, write
from bench.report.plots.drawn import Cell, Sketch, interval_cells, interval_head
from bench.report.plots.marks import reference, share_axis, whisker
from bench.report.plots.names import inches, listed, short
from bench.report.plots.placing import Box, place_labels
from bench.report.plots.style import FULL, MARKS, PALETTE, SMALL
from bench.report.plots.subject import Subject, subject_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_METRIC, _CHANCE = "balanced_accuracy", 0.5
_HEIGHT, _LEFT, _GAP = 2.5, 0.5, 0.35  # inches
_LINE, _LETTER = 0.16, 0.13


@dataclass(frozen=True)
class Spent:
    """What a judge's verdicts took; None is not measured."""

    line: JudgeLine
    usd: float | None  # for 1,000 verdicts
    ms: float | None  # the median of one verdict
    is_code: bool


_Measure = tuple[str, Callable[[Spent], float | None]]
_MEASURES: tuple[_Measure, ...] = (
    ("US$ for 1,000 verdicts", lambda one: one.usd),
    ("median milliseconds a verdict", lambda one: one.ms),
)


def quality_cost(benchmark: Benchmark) -> Sketch | None:
    """The figure; None where nobody's cost or time is known and over zero."""
    subject = subject_of(benchmark)
    spent = spent_by(benchmark, subject) if subject else []
    shown = [measure for measure in _MEASURES if _points(spent, measure)]
    if subject is None or not shown:
        return None
    notes = _notes(spent)
    title = "Quality against what a verdict takes"
    height = TOP + 0.1 + _HEIGHT + 0.55 + _LINE * (len(notes) + 1)
    figure = sheet(height, title, subject.about)
    width = (FULL - _LEFT - 0.2 - _GAP * (len(shown) - 1)) / len(shown)
    best = _best_code(spent)
    for number, measure in enumerate(shown):
        axes = axes_at(figure, _LEFT + number * (width + _GAP), TOP + 0.1, width, _HEIGHT)
        _panel(axes, subject, _points(spent, measure), best, width)
        axes.set_xlabel(measure[0])
        axes.set_ylabel("balanced accuracy" if number == 0 else "")
        axes.tick_params(labelleft=number == 0)
    _write_notes(figure, notes, TOP + 0.1 + _HEIGHT + 0.62)
    key_of_kinds(figure, {subject.kind(one.line) for m in shown for one, _ in _points(spent, m)}, height - 0.08)
    return Sketch(title, _TOLD, _alt(subject, spent), "efficiency", _rows(subject, spent), figure)


def spent_by(benchmark: Benchmark, subject: Subject) -> list[Spent]:
    """Every judge that has the metric. A judge that is code calls nothing and costs nothing; its time is not recorded."""
    calls: Mapping[str, CallLine] = {line.judge_id: line for line in benchmark.figures.calls}
    found = []
    for line in subject.known(_METRIC):
        called = calls.get(line.judge_id)
        if called is None:
            found.append(Spent(line, 0.0, None, is_code=True))
        else:
            priced = called.verdicts - called.cost_unknown
            usd = None if called.usd is None or priced == 0 else 1000 * called.usd / priced
            found.append(Spent(line, usd, called.median_ms, is_code=False))
    return found


def _points(spent: Sequence[Spent], measure: _Measure) -> list[tuple[Spent, float]]:
    """Those that can stand on a logarithmic axis."""
    values = [(one, measure[1](one)) for one in spent]
    return [(one, value) for one, value in values if value is not None and value > 0]


def _best_code(spent: Sequence[Spent]) -> JudgeLine | None:
    code = [one.line for one in spent if one.is_code]
    return max(code, key=lambda line: line.metrics[_METRIC].value or 0.0, default=None)


def _panel(
    axes: Axes, subject: Subject, points: Sequence[tuple[Spent, float]], best: JudgeLine | None, width: float
) -> None:
    share_axis(axes, "y", "")
    ends = [line.metrics[_METRIC].low or 0.0 for line in (*(one.line for one, _ in points), *([best] if best else []))]
    axes.set_ylim(0.23 if min(ends) >= 0.25 else -0.03, 1.03)
    axes.set_xscale("log")
    axes.xaxis.set_major_formatter(lambda value, _: f"{value:,g}")
    axes.xaxis.set_minor_formatter(lambda value, _: "")
    values = [value for _, value in points]
    axes.set_xlim(10 ** math.floor(math.log10(min(values) / 1.5)), 10 ** math.ceil(math.log10(max(values) * 1.5)))
    reference(axes, _CHANCE, "chance", across=True, left=True)
    if best is not None:
        found = best.metrics[_METRIC]
        if found.low is not None and found.high is not None and found.value is not None:
            axes.axhspan(found.low, found.high, color=PALETTE["band"], lw=0, zorder=1)
            reference(axes, found.value, f"best that needs no call: {short(best.judge, 28)}", across=True)
    places = []
    for one, value in points:
        kind = subject.kind(one.line)
        whisker(axes, one.line.metrics[_METRIC], value, kind, MARKS[kind], upright=True, size=5)
        x, y = axes.transAxes.inverted().transform(axes.transData.transform((value, _value(one))))
        places.append((float(x), float(y)))
    _labels(axes, [one.line.judge for one, _ in points], places, width)


def _labels(axes: Axes, names: Sequence[str], places: Sequence[tuple[float, float]], width: float) -> None:
    points = [(x * width * 72, y * _HEIGHT * 72) for x, y in places]
    texts = [short(name, int(width / _LETTER)) for name in names]
    sizes = [(inches(text, SMALL) * 72, SMALL) for text in texts]
    found = place_labels(points, sizes, Box(0, 0, width * 72, _HEIGHT * 72))
    for (x, y), text in zip(found, texts, strict=True):
        axes.text(x / (width * 72), y / (_HEIGHT * 72), text, transform=axes.transAxes, size=SMALL, va="bottom")


def _value(one: Spent) -> float:
    value = one.line.metrics[_METRIC].value
    if value is None:
        raise ValueError(f"{one.line.judge} has no {_METRIC} to draw")
    return value


def _notes(spent: Sequence[Spent]) -> list[str]:
    """Who is not in the figure, and why: free and not measured are two things."""
    code = [one.line.judge for one in spent if one.is_code]
    free = [one.line.judge for one in spent if not one.is_code and one.usd == 0]
    unpriced = [one.line.judge for one in spent if one.usd is None]
    untimed = [one.line.judge for one in spent if not one.is_code and one.ms is None]
    notes = [f"0 US$, called no priced service: {listed(free, 4)}"] if free else []
    notes += [f"0 US$, time not measured: {len(code)} judges that need no call"] if code else []
    notes += [f"cost not measured: {listed(unpriced, 4)}"] if unpriced else []
    notes += [f"time not measured: {listed(untimed, 4)}"] if untimed else []
    return notes


def _write_notes(figure: Figure, notes: Sequence[str], top: float) -> None:
    for number, note in enumerate(notes):
        write(figure, EDGE, top + number * _LINE, short(note, 108), SMALL, "muted")


_TOLD = (
    "Up and left is better; the shaded line is the best judge that needs no call, which a model has to beat to be worth its "
    "price. A cost that is not known is named below and drawn nowhere. Times are of the machine and the day of the run."
)


def _alt(subject: Subject, spent: Sequence[Spent]) -> str:
    told = []
    for one in spent:
        if not one.is_code:
            usd = "cost not measured" if one.usd is None else f"US$ {one.usd:.4g} for 1,000 verdicts"
            ms = "time not measured" if one.ms is None else f"{one.ms:.4g} ms a verdict"
            told.append(f"{one.line.judge} balanced accuracy {one.line.metrics[_METRIC].cell()}, {usd}, {ms}")
    best = _best_code(spent)
    code = (
        "" if best is None else f" The best that needs no call is {best.judge}, {best.metrics[_METRIC].cell()}, 0 US$."
    )
    return f"{subject.about}. {listed(told)}.{code}"


def _rows(subject: Subject, spent: Sequence[Spent]) -> list[list[Cell]]:
    found: list[list[Cell]] = [
        ["judge", "judge_id", "kind", *interval_head(_METRIC), "families", "usd_per_1000_verdicts", "median_ms"]
    ]
    for one in spent:
        estimate = one.line.metrics[_METRIC]
        found.append(
            [one.line.judge, one.line.judge_id, subject.kind(one.line), *interval_cells(estimate), estimate.families, one.usd,
             one.ms]
        )  # fmt: skip
    return found
