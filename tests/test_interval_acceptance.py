"""The committed table of coverage, its page of cells outside the rule, and the tool say the same (STATISTICS "Intervals").

`make coverage` simulates for minutes and writes the table; here a few data sets of each cell's shape hold the tool to it.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import numpy as np
import pytest
from coverage_grid import GRID, JUDGES, MEASURED, RESAMPLES, sample
from coverage_table import FOLDER, INSTEAD, Cell, cells, outside_page

from bench.measure.counts import FamilyVectors
from bench.measure.estimand import STUDENTISED
from bench.measure.estimate import TOO_FEW, WIDE, WIDE_TIMES, Estimate
from bench.measure.intervals import CARRIED, carried, contributing, intervals, scarcest
from bench.measure.metrics import METRICS

# STATISTICS: a denominator under 10 or under 5 contributing families prints counts, Korn-Graubard and the words.
FEW_ITEMS, FEW_FAMILIES = 10, 5
Place = tuple[int, float, int, tuple[float, float]]
PLACES = [(*place, judge) for place in GRID for judge in JUDGES]
PROPORTIONS = tuple(metric for metric in MEASURED if metric.proportion)
RESAMPLED = tuple(metric for metric in MEASURED if not metric.proportion)


@cache
def data_sets(place: Place, count: int) -> tuple[FamilyVectors, ...]:
    """Data sets of a cell's shape; other seeds than those of the table."""
    n, prevalence, size, judge = place
    generator = np.random.default_rng([1, n, int(prevalence * 10), size, int(judge[0] * 100)])
    return tuple(sample(n, prevalence, size, judge, generator) for _ in range(count))


def measured(cell: Cell, count: int) -> Iterator[tuple[FamilyVectors, Estimate]]:
    """The tool's estimates of a cell's metric, where it is defined."""
    metric = METRICS[cell.metric]
    for seed, families in enumerate(data_sets(cell.place, count)):
        (found,) = intervals((metric,), families, seed, RESAMPLES)
        if found.value is not None:
            yield families, found


def is_too_few(cell: Cell, families: FamilyVectors) -> bool:
    """Whether the data set at hand is under the limits of STATISTICS: 10 items in a denominator, 5 families."""
    metric = METRICS[cell.metric]
    return scarcest(metric, families) < FEW_ITEMS or contributing(metric, families) < FEW_FAMILIES


def says_too_few(found: Estimate) -> bool:
    """Counts in the place of a rate, the Korn-Graubard interval, and the words."""
    counted = found.denominator is None or found.cell().startswith(f"{found.numerator}/{found.denominator} [")
    exact = found.method == ("Korn-Graubard" if METRICS[found.name].proportion else CARRIED)
    return counted and exact and found.cell().endswith(f"] {TOO_FEW}")


def test_the_table_has_every_cell_once() -> None:
    assert sorted((cell.metric, *cell.place) for cell in cells()) == sorted(
        (m.name, *p) for m in MEASURED for p in PLACES
    )


def test_the_page_is_made_of_the_table() -> None:
    assert (FOLDER / "outside.md").read_text(encoding="utf-8") == outside_page(), "python tests/coverage_table.py"


def test_no_cell_that_must_hold_is_low() -> None:
    assert [cell for cell in cells() if cell.outside == "low"] == []


def test_a_cell_that_is_too_wide_is_listed_with_what_is_printed_instead() -> None:
    page = (FOLDER / "outside.md").read_text(encoding="utf-8").splitlines()
    for cell in cells():
        listed = [line for line in page if line.startswith(f"| {cell} | {cell.metric} |")]
        assert len(listed) == (cell.outside is not None), cell
        assert all(INSTEAD[str(cell.outside)] in line for line in listed)


WIDE_CELLS = [cell for cell in cells() if cell.outside == "wide"]


@pytest.mark.parametrize("cell", WIDE_CELLS, ids=str)
def test_a_wide_cell_prints_its_note(cell: Cell) -> None:
    noted = 0
    for families, found in measured(cell, 40):
        low, high = carried(METRICS[cell.metric], families)
        assert found.low is not None
        assert found.high is not None
        wide = found.method == STUDENTISED and found.high - found.low > WIDE_TIMES * (high - low)
        assert (found.note == WIDE) == found.wide == wide
        noted += found.wide
    # The table says that the mean width is at the limit, so that about half of the data sets lie above it.
    assert noted >= 10


def test_other_cells_cover_or_print_too_few() -> None:
    """Of each cell that need not hold: under the limits the words stand; where they do not stand mostly, it covers .90."""
    for cell in (cell for cell in cells() if not cell.must_hold):
        found = list(measured(cell, 5))
        for families, estimate in found:
            assert says_too_few(estimate) == is_too_few(cell, families) == estimate.too_few, (cell, estimate)
        if cell.coverage < 0.90:
            assert sum(estimate.too_few for _, estimate in found) > len(found) / 2, cell


@pytest.mark.parametrize("size", [1, 2, 4])
def test_the_table_was_made_by_this_tool(size: int) -> None:
    """Widths and the share of "too few" of a few data sets agree with the table within five standard errors."""
    table = {(cell.metric, cell.place): cell for cell in cells()}
    for place in (place for place in PLACES if place[2] == size):
        metrics = MEASURED if place[0] == 60 and place[3] == JUDGES[0] else PROPORTIONS
        found = [intervals(metrics, families, seed, RESAMPLES) for seed, families in enumerate(data_sets(place, 12))]
        for column in zip(*found, strict=True):
            defined = [e for e in column if e.low is not None and e.high is not None]
            cell = table[column[0].name, place]
            if len(defined) < 8:
                continue
            widths = np.array([e.high - e.low for e in defined if e.high is not None and e.low is not None])
            error = max(float(widths.std(ddof=1)), 0.01) / np.sqrt(len(widths))
            assert abs(widths.mean() - cell.width) < 5 * error, (cell, widths.mean())
            few, share = np.mean([e.too_few for e in defined]), cell.share_too_few
            spread = max(np.sqrt(share * (1 - share) / len(defined)), 0.02)
            assert abs(few - share) <= 5 * spread, (cell, few)
