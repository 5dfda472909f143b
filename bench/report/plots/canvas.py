"""A sheet with its title, and axes at places measured in inches; written as SVG and PNG with the same bytes every time."""

from __future__ import annotations

import io
import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from bench.report.kinds import Kind
from bench.report.plots.names import inches
from bench.report.plots.style import DPI, FULL, KIND_NAMES, MARKS, PALETTE, SMALL, TEXT, TITLE

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

TOP = 0.56  # inches that title and subtitle take
EDGE = 0.06


def sheet(height: float, title: str, about: str, width: float = FULL) -> Figure:
    """An empty figure with its title on the left and what it is about under it."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height))
    write(figure, EDGE, 0.2, title, size=TITLE, weight="bold")
    write(figure, EDGE, 0.38, about, size=TEXT, colour="muted")
    return figure


def axes_at(figure: Figure, left: float, top: float, width: float, height: float) -> Axes:
    """Axes whose upper left corner lies so many inches from the figure's."""
    whole_width, whole_height = figure.get_size_inches()
    bottom = whole_height - top - height
    return figure.add_axes((left / whole_width, bottom / whole_height, width / whole_width, height / whole_height))


def write(
    figure: Figure, left: float, top: float, text: str, size: float = TEXT, colour: str = "ink", weight: str = "normal"
) -> None:
    """A line of text whose baseline starts so many inches from the left and from the top."""
    width, height = figure.get_size_inches()
    figure.text(left / width, 1 - top / height, text, size=size, color=PALETTE[colour], weight=weight)


def key_of_kinds(figure: Figure, kinds: Iterable[Kind], top: float, left: float = EDGE) -> None:
    """One line that says which mark is which kind of judge; nothing where there is one kind only."""
    present = [kind for kind in MARKS if kind in set(kinds)]
    if len(present) < 2:
        return
    ground = _ground(figure)
    at = left + 0.05
    for kind in present:
        ground.plot([at], [top - 0.035], MARKS[kind], ms=4, mfc=PALETTE[kind], mec=PALETTE[kind])
        write(figure, at + 0.08, top, KIND_NAMES[kind], size=SMALL, colour="muted")
        at += 0.34 + inches(KIND_NAMES[kind], SMALL)


def _ground(figure: Figure) -> Axes:
    """Axes without a frame over the whole sheet, measured in inches from its upper left corner."""
    width, height = figure.get_size_inches()
    ground = figure.add_axes((0, 0, 1, 1))
    ground.set(xlim=(0, width), ylim=(height, 0))
    ground.set_axis_off()
    return ground


def svg_text(figure: Figure, title: str, description: str) -> str:
    """The figure as SVG that carries its title and its description; no date, no maker."""
    out = io.StringIO()
    told = {"Title": title, "Description": description, "Date": None, "Creator": None, "Type": None}
    with _any_script():
        figure.savefig(out, format="svg", metadata=told)
    return out.getvalue()


def png_bytes(figure: Figure) -> bytes:
    """The figure as PNG."""
    out = io.BytesIO()
    with _any_script():
        figure.savefig(out, format="png", dpi=DPI, metadata={"Software": None})
    return out.getvalue()


@contextmanager
def _any_script() -> Iterator[None]:
    """Names may be in a script that the font lacks: the SVG's reader has it, the PNG shows a box."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing from font")
        warnings.filterwarnings("ignore", message="Matplotlib currently does not support .* natively")
        yield
