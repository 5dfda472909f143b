"""Slices as Markdown: one table a dimension, judges as rows, values as columns."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from bench.measure.slice_figures import SliceLine

Grid = Callable[[Iterable[Sequence[str]]], str]
SLICE_NOTE = (
    "Accuracy by slice. These are many looks at few cases: among twenty intervals one misses by chance, so a slice that stands "
    "out is a question for more cases, no finding. Too few: read the counts."
)


def slice_tables(lines: Sequence[SliceLine]) -> list[tuple[str, list[list[str]]]]:
    """(title, rows with a head) of each dimension that has two values."""
    found = []
    for stratum, statement, dimension in dict.fromkeys((x.stratum, x.statement, x.dimension) for x in lines):
        mine = [x for x in lines if (x.stratum, x.statement, x.dimension) == (stratum, statement, dimension)]
        values = list(dict.fromkeys(line.value for line in mine))
        title = f"{statement}, {stratum}, by {dimension}"
        rows = [[title, *values]]
        for judge in dict.fromkeys(line.judge for line in mine):
            cells = {line.value: line.accuracy.cell() for line in mine if line.judge == judge}
            rows.append([judge, *(cells.get(value, "none") for value in values)])
        found.append((title, rows))
    return found


def slice_sections(lines: Sequence[SliceLine], grid: Grid) -> list[str]:
    """The section, empty where no dimension has two values."""
    tables = slice_tables(lines)
    return ["## Slices", SLICE_NOTE, *(grid(rows) for _, rows in tables)] if tables else []
