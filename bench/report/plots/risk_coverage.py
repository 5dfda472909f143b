"""Risk over coverage: how often a judge is wrong among the items that it is most certain of."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from bench.benchmark import Benchmark
from bench.measure.judge_line import JudgeLine
from bench.measure.probability_figures import ProbabilityLine
from bench.measure.risk_coverage import RiskPoint
from bench.report.plots.canvas import TOP, axes_at, sheet
from bench.report.plots.drawn import Cell, Sketch, interval_cells, interval_head
from bench.report.plots.marks import reference, share_axis
from bench.report.plots.names import short
from bench.report.plots.placing import spread
from bench.report.plots.style import FULL, PALETTE, SMALL
from bench.report.plots.subject import Subject, subject_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_HEIGHT, _LEFT, _RIGHT = 2.9, 0.5, 2.5  # inches
_FEW = 20  # items: a share of fewer is drawn thin
_MOST = 200  # points a curve
_STEP = 0.27  # inches between names
_STROKES = ("-", (0, (6, 2)), (0, (3, 1.5)), (0, (6, 1.5, 1, 1.5)))

_Curve = tuple[JudgeLine, ProbabilityLine]


def risk_coverage(benchmark: Benchmark) -> Sketch | None:
    """The curves; None where no judge gives probabilities."""
    subject = subject_of(benchmark)
    curves = [(line, line.probability) for line in subject.lines if line.probability is not None] if subject else []
    curves = [(line, found) for line, found in curves if found.risk_curve]
    if subject is None or not curves:
        return None
    title = "Risk over coverage"
    figure = sheet(TOP + _HEIGHT + 0.5, title, subject.about)
    axes = axes_at(figure, _LEFT, TOP, FULL - _LEFT - _RIGHT, _HEIGHT)
    share_axis(axes, "x", "coverage: share of items kept, most certain first")
    share_axis(axes, "y", "risk: share of the kept that is wrong")
    base = base_error(subject)
    top = _top(curves, base)
    axes.set_ylim(-0.03 * top, top)
    if base is not None:
        reference(axes, base, "", across=True)
    for number, (line, found) in enumerate(curves):
        _curve(axes, subject.kind(line), found.risk_curve, _STROKES[number % len(_STROKES)])
    _ends(axes, subject, curves, base)
    return Sketch(title, _TOLD, _alt(subject, curves, base), "judge quality", _rows(curves), figure)


def base_error(subject: Subject) -> float | None:
    """How often the commoner label, said to everything, is wrong."""
    share = subject.table.prevalence.value
    return None if share is None else min(share, 1 - share)


def thinned(curve: Sequence[RiskPoint]) -> list[RiskPoint]:
    """At most so many points, the first and the last among them."""
    if len(curve) <= _MOST:
        return list(curve)
    return [curve[round(n * (len(curve) - 1) / (_MOST - 1))] for n in range(_MOST)]


def _curve(axes: Axes, colour: str, curve: Sequence[RiskPoint], stroke: object) -> None:
    points = thinned(curve)
    few = [p for p in points if p.selected <= _FEW]
    many = points[max(len(few) - 1, 0) :]
    ink = PALETTE[colour]
    for part, width in ((few, 0.5), (many, 1.4)):
        axes.plot([p.coverage for p in part], [p.risk for p in part], color=ink, lw=width, ls=stroke, zorder=2.5)
    axes.plot([points[-1].coverage], [points[-1].risk], "o", ms=3.5, mfc=ink, mec=ink, zorder=3)


def _top(curves: Sequence[_Curve], base: float | None) -> float:
    """Where the axis of risk ends: over all that rests on more than a few items."""
    risks = [p.risk for _, found in curves for p in found.risk_curve if p.selected > _FEW or p.selected == p.items]
    return min(1.0, 0.25 * (max([*risks, base or 0.0]) // 0.25 + 1)) * 1.01


def _ends(axes: Axes, subject: Subject, curves: Sequence[_Curve], base: float | None) -> None:
    """The judges' names at the ends of their curves, apart from each other."""
    wanted = [found.risk_curve[-1].risk for _, found in curves] + ([] if base is None else [base])
    top = axes.get_ylim()[1]
    heights = spread(wanted, _STEP / _HEIGHT * top, 0.02, top)
    for end, height in zip(wanted, heights, strict=True):
        axes.plot([1.01, 1.045], [end, height], color=PALETTE["faint"], lw=0.7, clip_on=False, zorder=1)
    for number, ((line, found), height) in enumerate(zip(curves, heights, strict=False)):
        ink = PALETTE[subject.kind(line)]
        if len(found.risk_curve) > 1:
            stroke = _STROKES[number % len(_STROKES)]
            axes.plot([1.055, 1.13], [height, height], color=ink, lw=1.4, ls=stroke, clip_on=False)
        else:
            axes.plot([1.09], [height], "o", ms=3.5, mfc=ink, mec=ink, clip_on=False)
        axes.text(1.145, height, short(line.judge, 34), size=SMALL, va="bottom", color=PALETTE["ink"])
        area = f"area {found.risk_area.cell()}"
        axes.text(1.145, height, area, size=SMALL - 0.5, va="top", color=PALETTE["muted"])
    if base is not None:
        axes.text(1.055, heights[-1], "always the commoner answer", size=SMALL, color=PALETTE["muted"], va="center")


_TOLD = (
    "A useful certainty starts low on the left and rises to the judge's error at full coverage; a flat curve knows nothing of "
    f"its own doubts. Thin: {_FEW} items or fewer, where the curve is mostly luck. The area is the mean risk with its 95 % "
    "interval; the curves themselves have none."
)


def _alt(subject: Subject, curves: Sequence[_Curve], base: float | None) -> str:
    told = f"{subject.about}." + ("" if base is None else f" Always the commoner answer errs in {base:.2f}.")
    for line, found in curves:
        half = min(found.risk_curve, key=lambda p: abs(p.coverage - 0.5))
        whole = found.risk_curve[-1]
        told += (
            f" {line.judge}: risk {half.risk:.2f} at coverage {half.coverage:.2f}, {whole.risk:.2f} at full coverage, "
            f"area {found.risk_area.cell()}."
        )
    return told


def _rows(curves: Sequence[_Curve]) -> list[list[Cell]]:
    rows: list[list[Cell]] = [
        [
            "judge",
            "judge_id",
            "certainty",
            "coverage",
            "risk",
            "selected",
            "wrong",
            "items",
            *interval_head("risk_area"),
        ]
    ]
    for line, found in curves:
        area = interval_cells(found.risk_area)
        for p in thinned(found.risk_curve):
            rows.append(
                [line.judge, line.judge_id, p.certainty, p.coverage, p.risk, p.selected, p.wrong, p.items, *area]
            )
    return rows
