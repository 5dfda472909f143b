"""The census as a figure: by harness how commands tell their exit, and how often each baseline rule fires."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from bench.census.figures import EXIT_SOURCES, HarnessFigures
from bench.report.plots import STYLE

_SHADES = ("#1864ab", "#4c8fc4", "#a5c8e1", "#d9dde2")


def draw_census(figures: Sequence[HarnessFigures], path: Path) -> None:
    """Write the figure as SVG; the same counts give the same bytes. Nothing is written without sessions."""
    if not figures:
        return
    import matplotlib  # only where a figure is drawn
    from matplotlib.figure import Figure

    style: Any = STYLE | {"svg.hashsalt": "census", "svg.fonttype": "none"}
    with matplotlib.rc_context(style):
        rules = sorted({name for one in figures for name in one.rules})
        figure = Figure(figsize=(9, 1.6 + 0.5 * max(len(figures), len(rules))), layout="constrained")
        left, right = figure.subplots(1, 2)
        _exits(left, figures)
        _rules(right, figures, rules)
        path.parent.mkdir(parents=True, exist_ok=True)
        figure.savefig(path, format="svg", metadata={"Date": None, "Creator": None})


def _exits(axes: Any, figures: Sequence[HarnessFigures]) -> None:
    held = [one for one in figures if one.commands]
    rows = range(len(held))
    start = [0.0] * len(held)
    for source, shade in zip(EXIT_SOURCES, _SHADES, strict=True):
        shares = [one.exit_codes[source].value or 0.0 for one in held]
        axes.barh(rows, shares, left=start, color=shade, label=source)
        start = [a + b for a, b in zip(start, shares, strict=True)]
    axes.set_yticks(rows, [f"{one.harness} ({one.commands})" for one in held])
    axes.set_xlim(0, 1)
    axes.set_xlabel("share of commands by source of the exit code")
    axes.invert_yaxis()
    axes.legend(loc="upper center", bbox_to_anchor=(0.5, 1.12), ncols=4, frameon=False, fontsize=8)


def _rules(axes: Any, figures: Sequence[HarnessFigures], rules: Sequence[str]) -> None:
    largest = max(figures, key=lambda one: one.sessions)
    for row, name in enumerate(rules):
        estimate = largest.rules.get(name)
        if estimate is None or estimate.value is None or estimate.low is None or estimate.high is None:
            continue
        arms = [[estimate.value - estimate.low], [estimate.high - estimate.value]]
        axes.errorbar([estimate.value], [row], xerr=arms, fmt="o", ms=4, lw=1.2, color="#1864ab")
    axes.set_yticks(range(len(rules)), rules)
    axes.set_xlim(0, 1)
    axes.set_xlabel(f"share of {largest.sessions} {largest.harness} sessions in which the rule fires")
    axes.invert_yaxis()
