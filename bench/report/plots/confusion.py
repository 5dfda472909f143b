"""Confusion: what each judge said of what was labelled yes and no, as areas and counts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from bench.benchmark import Benchmark
from bench.measure.judge_line import JudgeLine
from bench.report.plots.canvas import EDGE, TOP, axes_at, sheet
from bench.report.plots.drawn import Cell, Sketch
from bench.report.plots.marks import ON_PAPER
from bench.report.plots.names import folded, listed
from bench.report.plots.style import FULL, PALETTE, SMALL
from bench.report.plots.subject import Subject, subject_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

CELLS = ("tp", "fn", "fp", "tn")  # by label, then by verdict
_PLACES = {"tp": (0, 0), "fn": (1, 0), "fp": (0, 1), "tn": (1, 1)}  # column: said yes, no; row: labelled yes, no
_ACROSS = 4
_LEFT, _GAP = 0.62, 0.16  # inches
_SIDE = (FULL - _LEFT - EDGE - _GAP * (_ACROSS - 1)) / _ACROSS
_HEAD = 0.46
_LARGEST, _ROOMY = 0.92, 0.4  # of a cell's side


def confusion(benchmark: Benchmark) -> Sketch | None:
    """Small multiples, a panel a judge; None where nothing is labelled and scored."""
    subject = subject_of(benchmark)
    lines = [line for line in subject.lines if line.counts] if subject else []
    if subject is None or not lines:
        return None
    down = -(-len(lines) // _ACROSS)
    title = "What each judge said of what was labelled"
    figure = sheet(TOP + 0.02 + down * (_SIDE + _HEAD) + 0.08, title, subject.about)
    for number, line in enumerate(lines):
        row, column = divmod(number, _ACROSS)
        left, top = _LEFT + column * (_SIDE + _GAP), TOP + 0.02 + row * (_SIDE + _HEAD) + _HEAD - 0.04
        _panel(axes_at(figure, left, top, _SIDE, _SIDE), line, first=column == 0)
    return Sketch(title, _TOLD, _alt(subject, lines), "effectiveness", _rows(subject, lines), figure)


def _panel(axes: Axes, line: JudgeLine, *, first: bool) -> None:
    total = sum(line.counts.values())
    axes.set(xlim=(-0.5, 1.5), ylim=(1.5, -0.5))
    for name, (column, row) in _PLACES.items():
        count = line.counts[name]
        side = _LARGEST * (count / total) ** 0.5
        colour = PALETTE["right" if name in ("tp", "tn") else "wrong"]
        hatch = "" if name in ("tp", "tn") else "////"
        axes.bar(
            [column], [side], bottom=[row - side / 2], width=side, color=colour if not hatch else PALETTE["paper"],
            edgecolor=colour, hatch=hatch, linewidth=0.9,
        )  # fmt: skip
        _count(axes, column, row, count, side)
    axes.set_xticks([0, 1], ["said yes", "said no"])
    axes.set_yticks([0, 1], ["labelled\nyes", "labelled\nno"] if first else ["", ""])
    axes.xaxis.tick_top()
    axes.tick_params(length=0, pad=1, labelsize=SMALL - 1)
    for edge in axes.spines.values():
        edge.set_visible(True)
        edge.set_color(PALETTE["faint"])
    axes.axhline(0.5, color=PALETTE["faint"], lw=0.7)
    axes.axvline(0.5, color=PALETTE["faint"], lw=0.7)
    axes.text(0, 1.12, folded(line.judge, 25), transform=axes.transAxes, size=SMALL, va="bottom")


def _count(axes: Axes, column: int, row: int, count: int, side: float) -> None:
    """In the square on a ground of paper, beside it where it is small."""
    if side > _ROOMY:
        axes.text(column, row, str(count), ha="center", va="center", size=SMALL, weight="bold", bbox=ON_PAPER)
    else:
        at, align = (column + side / 2 + 0.05, "left") if count else (column, "center")
        axes.text(at, row, str(count), ha=align, va="center", size=SMALL, weight="bold")


_TOLD = (
    "Areas are shares of all labelled and scored items: filled as labelled, hatched against the label. An item without a verdict "
    "is in no square. Counts carry no interval: the rates that are made of them do."
)


def _alt(subject: Subject, lines: Sequence[JudgeLine]) -> str:
    told = [f"{line.judge} {', '.join(f'{line.counts[cell]} {cell.upper()}' for cell in CELLS)}" for line in lines]
    return f"{subject.about}. {listed(told, 40)}."


def _rows(subject: Subject, lines: Sequence[JudgeLine]) -> list[list[Cell]]:
    found: list[list[Cell]] = [
        ["judge", "judge_id", "kind", *CELLS, *(f"{c}_share" for c in CELLS), "items", "unscored", "families"]
    ]
    for line in lines:
        total = sum(line.counts.values())
        shares = [line.counts[c] / total for c in CELLS]
        found.append(
            [line.judge, line.judge_id, subject.kind(line), *(line.counts[c] for c in CELLS), *shares, total,
             line.books.expected - line.books.scored, subject.table.families]
        )  # fmt: skip
    return found
