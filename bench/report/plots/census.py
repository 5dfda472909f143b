"""The census as a figure: by harness how commands tell their exit, and how often each baseline rule fires."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from bench.census.figures import EXIT_SOURCES, HarnessFigures
from bench.report.plots.canvas import TOP, axes_at, sheet, svg_text
from bench.report.plots.marks import beside, rows, share_axis, whisker
from bench.report.plots.names import listed, plain, short
from bench.report.plots.style import FULL, PALETTE, SMALL, look

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_SHADES = ("#1864ab", "#4c8fc4", "#a5c8e1", "#e4e9ee")  # the surer the source, the darker
_LEFT, _RIGHT, _ROW, _GAP = 2.3, 1.3, 0.24, 0.95  # inches
_WIDTH = FULL - _LEFT - _RIGHT
_TITLE = "What recorded sessions hold"


def draw_census(figures: Sequence[HarnessFigures], path: Path) -> None:
    """Write the figure as SVG; the same counts give the same bytes. Nothing is written without sessions."""
    if not figures:
        return
    held = [one for one in figures if one.commands]
    largest = max(figures, key=lambda one: one.sessions)
    names = sorted(name for name, estimate in largest.rules.items() if estimate.value is not None)
    top = TOP + 0.2
    second = top + _ROW * len(held) + (_GAP if held else 0)
    with look("census"):
        figure = sheet(second + _ROW * len(names) + 0.5, _TITLE, _about(figures))
        if held:
            _exits(axes_at(figure, _LEFT, top, _WIDTH, _ROW * len(held)), held)
        if names:
            axes = axes_at(figure, _LEFT, second, _WIDTH, _ROW * len(names))
            _rules(axes, largest, names)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(svg_text(figure, _TITLE, _alt(figures, largest, names)), encoding="utf-8", newline="\n")


def _about(figures: Sequence[HarnessFigures]) -> str:
    sessions = sum(one.sessions for one in figures)
    return f"{sessions:,} sessions of {len(figures)} harness{'es' if len(figures) > 1 else ''}"


def _exits(axes: Axes, held: Sequence[HarnessFigures]) -> None:
    """Shares of commands by source of the exit code, each named over the first bar or beside it."""
    rows(axes, [f"{short(one.harness, 24)} ({one.commands:,})" for one in held])
    start = [0.0] * len(held)
    for source, shade in zip(EXIT_SOURCES, _SHADES, strict=True):
        shares = [one.exit_codes[source].value or 0.0 for one in held]
        axes.barh(
            range(len(held)),
            shares,
            left=start,
            height=0.7,
            color=shade,
            label=source,
            edgecolor=PALETTE["paper"],
            lw=0.6,
        )
        start = [a + b for a, b in zip(start, shares, strict=True)]
    share_axis(axes, "x", "share of commands by the source of their exit code", room=0)
    axes.legend(
        loc="lower left", bbox_to_anchor=(-0.01, 1.0), ncols=len(EXIT_SOURCES), frameon=False, fontsize=SMALL,
        handlelength=0.9, handleheight=0.9, columnspacing=1.2, borderaxespad=0.1,
    )  # fmt: skip


def _rules(axes: Axes, largest: HarnessFigures, names: Sequence[str]) -> None:
    rows(axes, names)
    for place, name in enumerate(names):
        whisker(axes, largest.rules[name], place, "rule", "o")
        beside(axes, place, largest.rules[name].cell())
    share_axis(
        axes, "x", f"share of {largest.sessions:,} {short(largest.harness, 20)} sessions in which the rule fires"
    )


def _alt(figures: Sequence[HarnessFigures], largest: HarnessFigures, names: Sequence[str]) -> str:
    codes = [
        f"{one.harness} {', '.join(f'{source} {one.exit_codes[source].cell()}' for source in EXIT_SOURCES)}"
        for one in figures
        if one.commands
    ]
    fired = [f"{name} {largest.rules[name].cell()}" for name in names]
    return plain(
        f"{_about(figures)}. Exit codes by source: {listed(codes)}. Rules on {largest.harness}: {listed(fired)}."
    )
