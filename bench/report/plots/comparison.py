"""MCC of every judge with its interval, and the declared comparisons as differences beside their margins."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from bench.benchmark import Benchmark
from bench.measure.comparison_figures import ComparisonLine
from bench.measure.estimate import Estimate, rounded
from bench.report.plots.canvas import EDGE, TOP, axes_at, key_of_kinds, sheet, write
from bench.report.plots.drawn import Cell, Sketch, interval_cells, interval_head
from bench.report.plots.marks import beside, number_axis, reference, rows, span_of, whisker
from bench.report.plots.names import listed, short
from bench.report.plots.style import FULL, MARKS, PALETTE, SMALL
from bench.report.plots.subject import Subject, subject_of
from bench.report.standing import metric_name

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_ROW, _PAIR = 0.2, 0.34  # inches a row takes
_LEFT, _RIGHT = 2.35, 1.5
_WIDTH = FULL - _LEFT - _RIGHT
_CHANCE = 0.0


def comparison(benchmark: Benchmark) -> Sketch | None:
    """The figure; None where no judge has an MCC and nothing is declared."""
    subject = subject_of(benchmark)
    declared = benchmark.figures.comparisons
    if subject is None or not (subject.known("mcc") or any(_gap(line) for line in declared)):
        return None
    tall = _ROW * len(subject.lines)
    height = TOP + 0.15 + tall + 0.75 + (0.55 + _PAIR * len(declared) + 0.55 if declared else 0)
    title = "Judges compared"
    figure = sheet(height, title, subject.about)
    _forest(figure, subject, tall)
    key_of_kinds(figure, [subject.kind(line) for line in subject.lines], TOP + 0.15 + tall + 0.45)
    if declared:
        _differences(figure, declared, TOP + 0.15 + tall + 0.9)
    return Sketch(
        title, _told(bool(declared)), _alt(subject, declared), "effectiveness", _rows(subject, declared), figure
    )


def _forest(figure: Figure, subject: Subject, tall: float) -> None:
    axes = axes_at(figure, _LEFT, TOP + 0.15, _WIDTH, tall)
    lines = subject.best_first("mcc")
    estimates = [line.metrics["mcc"] for line in subject.known("mcc")]
    rows(axes, [line.judge for line in lines])
    reference(axes, _CHANCE, "chance")
    for place, line in enumerate(lines):
        estimate, kind = line.metrics.get("mcc"), subject.kind(line)
        if estimate is None or estimate.value is None:
            reason = "no MCC" if estimate is None else estimate.undefined or ""
            beside(axes, place, f"n/a ({short(reason, 20)})", colour="muted")
        else:
            whisker(axes, estimate, place, kind, MARKS[kind])
            beside(axes, place, estimate.cell())
    number_axis(axes, *span_of(estimates, _CHANCE), "MCC")


def _differences(figure: Figure, lines: Sequence[ComparisonLine], top: float) -> None:
    write(figure, EDGE, top + 0.1, "Declared comparisons: first minus second", weight="bold")
    write(figure, EDGE, top + 0.26, "shaded: within the margin; thick tick: what the claim must reach", SMALL, "muted")
    axes = axes_at(figure, _LEFT, top + 0.4, _WIDTH, _PAIR * len(lines))
    rows(axes, [""] * len(lines))
    gaps = [gap for line in lines if (gap := _gap(line)) is not None]
    margins = [line.entry.margin for line in lines]
    reference(axes, 0.0, "")
    for place, line in enumerate(lines):
        entry, gap = line.entry, _gap(line)
        axes.barh([place], [2 * entry.margin], left=[-entry.margin], height=0.8, color=PALETTE["band"], zorder=1)
        mark = entry.margin if entry.claim == "better" else -entry.margin
        axes.plot([mark, mark], [place - 0.4, place + 0.4], color=PALETTE["ink"], lw=1.8, zorder=2)
        pair = f"{short(entry.candidate, 34)}\n– {short(entry.comparator, 34)}"
        axes.text(-0.03, place, pair, transform=axes.get_yaxis_transform(), ha="right", va="center", size=SMALL)
        verdict = line.decided.verdict if line.decided else "cannot tell"
        if gap is not None:
            whisker(axes, gap, place, "ink", "o")
        told = "n/a" if gap is None else gap.cell().removesuffix(" too few")
        beside(axes, place, f"{told}\n{verdict}")
    metrics = dict.fromkeys(metric_name(line.entry.metric) for line in lines)
    number_axis(axes, *span_of(gaps, *margins, *(-m for m in margins), step=0.1), f"difference in {', '.join(metrics)}")


def _gap(line: ComparisonLine) -> Estimate | None:
    found = line.decided.gap if line.decided else None
    return None if found is None or found.value is None else found


def _told(declared: bool) -> str:
    told = (
        "An interval that holds 0 cannot be told from chance; hollow and dashed: too few cases. Overlapping intervals do not "
        "say that two judges are equal."
    )
    if declared:
        told += " A claim holds where its whole interval, at the level that Holm's rule asks, reaches the thick tick."
    return told


def _alt(subject: Subject, declared: Sequence[ComparisonLine]) -> str:
    values = [f"{line.judge} {line.metrics['mcc'].cell()}" for line in subject.known("mcc")]
    gone = [f"{line.judge} ({reason})" for line, reason in subject.unknown("mcc")]
    told = f"{subject.about}. MCC: {listed(values)}."
    told += f" Not defined: {listed(gone)}." if gone else ""
    for line in declared:
        gap, e = _gap(line), line.entry
        verdict = line.decided.verdict if line.decided else "cannot tell"
        value = "n/a" if gap is None else gap.cell()
        claim = f"{'better' if e.claim == 'better' else 'not worse'} by {rounded(e.margin)}"
        told += f" {e.candidate} minus {e.comparator}, {metric_name(e.metric)}: {value}; {claim}: {verdict}."
    return told


def _rows(subject: Subject, declared: Sequence[ComparisonLine]) -> list[list[Cell]]:
    found: list[list[Cell]] = [
        ["what", "statement", "stratum", "judge", "judge_id", "comparator", "metric", *interval_head("value"), "level",
         "margin", "verdict", "families", "items", "undefined"]
    ]  # fmt: skip
    for line in subject.lines:
        mcc, counts = line.metrics.get("mcc"), sum(line.counts.values())
        found.append(
            ["judge", subject.table.statement, subject.table.stratum.id, line.judge, line.judge_id, None, "mcc",
             *interval_cells(mcc), 0.95, None, None, mcc.families if mcc else None, counts, mcc.undefined if mcc else "no mcc"]
        )  # fmt: skip
    for one in declared:
        e, gap = one.entry, one.decided.gap if one.decided else None
        found.append(
            ["difference", e.statement, e.stratum, e.candidate, None, e.comparator, e.metric, *interval_cells(gap),
             one.decided.level if one.decided else None, e.margin if e.claim == "better" else -e.margin,
             one.decided.verdict if one.decided else "cannot tell", one.families, one.items,
             gap.undefined if gap else one.missing]
        )  # fmt: skip
    return found
