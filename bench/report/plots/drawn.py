"""What a figure is: the picture, the numbers behind it, and the same in words."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from bench.measure.estimate import Estimate
from bench.report.plots.names import cell

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FigureLayer = Literal["effectiveness", "judge quality", "efficiency", "governance"]
Cell = str | int | float | None


@dataclass(frozen=True)
class Sketch:
    """A figure that is not written yet. ``rows``: the numbers, the first row is the header."""

    title: str
    told: str
    alt: str
    layer: FigureLayer
    rows: Sequence[Sequence[Cell]]
    figure: Figure


@dataclass(frozen=True)
class Drawn:
    """A figure as it was written."""

    name: str  # file stem
    title: str
    told: str  # how to read it, and what it does not show
    alt: str  # what a person who cannot see it must know
    layer: FigureLayer
    data: str  # CSV: the numbers behind the figure
    svg: str


def interval_head(name: str) -> tuple[str, str, str]:
    """The header of an estimate's three columns."""
    return name, f"{name}_low", f"{name}_high"


def interval_cells(estimate: Estimate | None) -> tuple[float | None, float | None, float | None]:
    """Value, low and high; what is undefined is empty."""
    return (None, None, None) if estimate is None else (estimate.value, estimate.low, estimate.high)


def csv_text(rows: Iterable[Sequence[Cell]]) -> str:
    """Rows as CSV: numbers with every digit, text that no spreadsheet runs, nothing where there is no number."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerows([cell(value) if isinstance(value, str) else value for value in row] for row in rows)
    return out.getvalue()
