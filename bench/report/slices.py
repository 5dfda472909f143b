"""Slices as Markdown: one table a dimension, judges as rows, values as columns."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from bench.measure.slice_figures import SliceLine

Grid = Callable[[Iterable[Sequence[str]]], str]
_NOTE = (
    "Accuracy by slice. These are many looks at few cases: among twenty intervals one misses by chance, so a slice that stands "
    "out is a question for more cases, no finding. Too few: read the counts."
)


def slice_sections(lines: Sequence[SliceLine], grid: Grid) -> list[str]:
    """The section, empty where no dimension has two values."""
    if not lines:
        return []
    parts = ["## Slices", _NOTE]
    places = dict.fromkeys((line.stratum, line.statement, line.dimension) for line in lines)
    for stratum, statement, dimension in places:
        mine = [
            line for line in lines if (line.stratum, line.statement, line.dimension) == (stratum, statement, dimension)
        ]
        values = list(dict.fromkeys(line.value for line in mine))
        rows = [[f"{statement}, {stratum}, by {dimension}", *values]]
        for judge in dict.fromkeys(line.judge for line in mine):
            found = {line.value: line.accuracy.cell() for line in mine if line.judge == judge}
            rows.append([judge, *(found.get(value, "none") for value in values)])
        parts.append(grid(rows))
    return parts
