"""Precision against recall: every judge with both intervals, the rules as one family, and what always saying yes gives."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from bench.benchmark import Benchmark
from bench.measure.judge_line import JudgeLine
from bench.report.plots.canvas import EDGE, TOP, axes_at, sheet
from bench.report.plots.drawn import Cell, Sketch, interval_cells, interval_head
from bench.report.plots.marks import ON_PAPER, share_axis, whisker
from bench.report.plots.names import inches, listed, short
from bench.report.plots.placing import Box, place_labels
from bench.report.plots.style import FULL, MARKS, PALETTE, SMALL
from bench.report.plots.subject import Subject, subject_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_SIDE, _LEFT = 3.35, 0.5  # inches of the square, and left of it
_F1 = (0.2, 0.4, 0.6, 0.8)
_ROW = 0.152
_NEAR = 0.012  # closer than this two judges share a label
_NAMES = 30


def precision_recall(benchmark: Benchmark) -> Sketch | None:
    """The figure; None where precision says nothing or no judge has both."""
    subject = subject_of(benchmark)
    if subject is None or not subject.table.stratum.precision_means_something:
        return None
    lines = subject.known("precision", "recall")
    if not lines:
        return None
    lost = subject.unknown("precision", "recall")
    title = "Precision and recall of every judge"
    height = max(TOP + _SIDE + 0.5, TOP + _ROW * (len(lines) + 2 * len(lost) + 3))
    figure = sheet(height, title, subject.about)
    axes = axes_at(figure, _LEFT, TOP, _SIDE, _SIDE)
    share_axis(axes, "x", "recall")
    share_axis(axes, "y", "precision")
    _iso_f1(axes)
    _draw(axes, subject, lines)
    _names(figure, subject, lines, lost)
    return Sketch(title, _told(), _alt(subject, lines, lost), "effectiveness", _rows(subject), figure)


def _iso_f1(axes: Axes) -> None:
    for f1 in _F1:
        lowest = f1 / (2 - f1)  # the recall at which a precision of 1 gives this F1
        recall = [lowest + (1 - lowest) * (n / 60) ** 2 for n in range(61)]
        axes.plot(recall, [f1 * r / (2 * r - f1) for r in recall], color=PALETTE["faint"], lw=0.8, zorder=1)
        told = f"F1 {f1:.1f}".replace("0.", ".")
        axes.text(1.035, f1 / (2 - f1), told, size=SMALL - 1, color=PALETTE["muted"], va="center")


def _draw(axes: Axes, subject: Subject, lines: Sequence[JudgeLine]) -> None:
    share = subject.table.prevalence.value
    if share is not None:
        axes.axhline(share, color=PALETTE["muted"], lw=0.9, ls=(0, (1, 1.6)), zorder=1.5)
        axes.text(0.0, share - 0.012, "share of yes", size=SMALL, color=PALETTE["muted"], va="top")
    family = sorted(_place(line) for line in lines if subject.kind(line) == "rule")
    axes.plot([x for x, _ in family], [y for _, y in family], color=PALETTE["rule"], lw=0.9, ls=(0, (5, 2)), zorder=1.8)
    for line in lines:
        kind, (recall, precision) = subject.kind(line), _place(line)
        whisker(axes, line.metrics["recall"], precision, kind, None, width=0.6)
        whisker(axes, line.metrics["precision"], recall, kind, MARKS[kind], upright=True, width=0.6, size=5)
    _numbers(axes, lines)


def _numbers(axes: Axes, lines: Sequence[JudgeLine]) -> None:
    """The number of each judge beside its mark; judges in one place share a label."""
    groups: dict[tuple[float, float], list[int]] = {}
    for number, line in enumerate(lines, 1):
        x, y = _place(line)
        near = next((p for p in groups if abs(p[0] - x) < _NEAR and abs(p[1] - y) < _NEAR), (x, y))
        groups.setdefault(near, []).append(number)
    scale = _SIDE * 72 / 1.06
    points = [((x + 0.03) * scale, (y + 0.03) * scale) for x, y in groups]
    texts = [", ".join(map(str, numbers)) for numbers in groups.values()]
    sizes = [(inches(text, SMALL) * 72, SMALL) for text in texts]
    side = _SIDE * 72
    bars = [bar for line in lines for bar in _bars(line, scale)]
    for (x, y), text in zip(place_labels(points, sizes, Box(0, 0, side + 20, side), bars), texts, strict=True):
        axes.text(
            x / side, y / side, text, transform=axes.transAxes, size=SMALL, va="bottom", weight="bold", bbox=ON_PAPER
        )


def _bars(line: JudgeLine, scale: float) -> list[Box]:
    """Where a judge's intervals lie, in points."""
    recall, precision = _place(line)
    found = []
    for estimate, upright in ((line.metrics["recall"], False), (line.metrics["precision"], True)):
        if estimate.low is not None and estimate.high is not None:
            start, end = ((bound + 0.03) * scale for bound in (estimate.low, estimate.high))
            middle = ((recall if upright else precision) + 0.03) * scale
            thin = (middle - 0.3, start, middle + 0.3, end) if upright else (start, middle - 0.3, end, middle + 0.3)
            found.append(Box(*thin))
    return found


def _names(figure: Figure, subject: Subject, lines: Sequence[JudgeLine], lost: Sequence[tuple[JudgeLine, str]]) -> None:
    left = _LEFT + _SIDE + 0.5
    room = FULL - left - EDGE
    whole = axes_at(figure, left, TOP, room, _ROW * (len(lines) + 2 * len(lost) + 2))
    whole.set_axis_off()
    whole.set(xlim=(0, room), ylim=(len(lines) + 2 * len(lost) + 1.5, -0.5))
    for number, line in enumerate(lines, 1):
        kind = subject.kind(line)
        whole.text(0.13, number - 1, str(number), size=SMALL, weight="bold", ha="right", va="center")
        whole.plot([0.24], [number - 1], MARKS[kind], ms=4, mfc=PALETTE[kind], mec=PALETTE[kind])
        whole.text(0.33, number - 1, short(line.judge, _NAMES), size=SMALL, va="center")
    at = len(lines) + 0.3
    whole.plot([0.02, 0.28], [at, at], color=PALETTE["rule"], lw=0.9, ls=(0, (5, 2)))
    whole.text(0.33, at, "the rules, as one family", size=SMALL, va="center", color=PALETTE["muted"])
    for n, (line, reason) in enumerate(lost):
        gone = f"not drawn: {short(line.judge, _NAMES - 8)},\n{short(reason, _NAMES + 4)}"
        whole.text(0, at + 1.5 + 2 * n, gone, size=SMALL, va="center", color=PALETTE["muted"])


def _place(line: JudgeLine) -> tuple[float, float]:
    recall, precision = line.metrics["recall"].value, line.metrics["precision"].value
    if recall is None or precision is None:
        raise ValueError(f"{line.judge} has no place to draw")
    return recall, precision


def _told() -> str:
    return (
        "Right and up is better; bars are 95 % intervals over families, hollow marks rest on too few cases. A judge on the "
        "dotted line is right as often as one that always says yes. It does not show which difference between judges is real."
    )


def _alt(subject: Subject, lines: Sequence[JudgeLine], lost: Sequence[tuple[JudgeLine, str]]) -> str:
    share = subject.table.prevalence
    told = [
        f"{line.judge} precision {line.metrics['precision'].cell()}, recall {line.metrics['recall'].cell()}"
        for line in lines
    ]
    gone = f" Not drawn: {listed([f'{line.judge} ({reason})' for line, reason in lost])}." if lost else ""
    return f"{subject.about}. Share of yes {share.cell()}. {listed(told)}.{gone}"


def _rows(subject: Subject) -> list[list[Cell]]:
    found: list[list[Cell]] = [
        [
            "judge",
            "judge_id",
            "kind",
            *interval_head("precision"),
            *interval_head("recall"),
            "f1",
            "families",
            "undefined",
        ]
    ]
    reasons = {line.judge_id: reason for line, reason in subject.unknown("precision", "recall")}
    for line in subject.lines:
        precision, recall = line.metrics.get("precision"), line.metrics.get("recall")
        f1 = line.metrics.get("f1")
        found.append(
            [line.judge, line.judge_id, subject.kind(line), *interval_cells(precision), *interval_cells(recall),
             f1.value if f1 else None, subject.table.families, reasons.get(line.judge_id)]
        )  # fmt: skip
    return found
