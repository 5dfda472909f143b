"""The look that every figure shares: palette, marks of the kinds of judges, sizes, and matplotlib's settings.

Each colour has one role, so that a page can give the role another colour in the dark. Colours of judges reach 3 : 1 on white
and never stand alone: kinds differ by mark too (docs/decisions/0012-figures.md).
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from bench.report.kinds import Kind

PALETTE = {
    "paper": "#ffffff",  # the ground, and the inside of hollow marks
    "ink": "#1f2933",  # text, axes, the labels' own figures
    "muted": "#5f6b76",  # second text, lines of reference
    "faint": "#d3d9df",  # grid
    "band": "#e4e9ee",  # ranges: noise, margins, cells that hold something
    "rule": "#1864ab",
    "code": "#00795a",
    "model": "#c2560a",
    "control": "#717d89",
    "right": "#3b7dbd",  # verdicts as labelled
    "wrong": "#d1662a",  # verdicts against the label
}
MARKS: dict[Kind, str] = {"rule": "o", "code": "D", "model": "s", "control": "^"}
KIND_NAMES: dict[Kind, str] = {"rule": "rule", "code": "other code", "model": "model", "control": "control"}
FULL = 6.4  # width in inches
DPI = 150
TITLE, TEXT, SMALL = 10.0, 8.0, 7.0  # points

_SETTINGS: dict[str, Any] = {
    "font.size": TEXT,
    "font.family": "DejaVu Sans",
    "text.parse_math": False,  # a name may hold dollars
    "text.color": PALETTE["ink"],
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.edgecolor": PALETTE["muted"],
    "axes.labelcolor": PALETTE["ink"],
    "axes.facecolor": "none",
    "axes.linewidth": 0.7,
    "axes.labelsize": TEXT,
    "axes.titlesize": TEXT,
    "axes.titlelocation": "left",
    "axes.axisbelow": True,
    "xtick.color": PALETTE["muted"],
    "ytick.color": PALETTE["muted"],
    "xtick.labelcolor": PALETTE["ink"],
    "ytick.labelcolor": PALETTE["ink"],
    "xtick.labelsize": SMALL,
    "ytick.labelsize": SMALL,
    "xtick.major.width": 0.7,
    "ytick.major.width": 0.7,
    "xtick.major.size": 3,
    "ytick.major.size": 3,
    "grid.color": PALETTE["faint"],
    "grid.linewidth": 0.6,
    "figure.facecolor": PALETTE["paper"],
    "svg.fonttype": "none",
}


@contextmanager
def look(salt: str) -> Iterator[None]:
    """matplotlib as every figure wants it; ``salt`` fixes the ids in an SVG, so that the same figures give the same bytes."""
    import matplotlib  # 1.7 s to load, so only where figures are drawn

    settings: Any = _SETTINGS | {"svg.hashsalt": salt}
    with matplotlib.rc_context(settings):
        yield
