"""Write the simulated coverage of the prevalence estimates as a page: reports/certificates/prevalence.md."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parent / "long"))

from test_estimate_coverage import (
    CORRELATION,
    HIDDEN,
    LEVEL,
    METHODS,
    MORE_YES,
    POOL,
    REPLICATES,
    Cell,
    every_cell,
)

HEAD = f"""# Prevalence on unlabelled sessions: simulated coverage

Nominal {LEVEL:g}; {REPLICATES:,} draws a cell; a pool of {POOL:,} rows; families on both sides, rows of one family
correlate at {CORRELATION:g} in truth and in the judge's luck. Coverage is among draws that gave a figure; in the others
the judge's two rates could not be told apart, or a class was missing ("undefined"). Bold: under .93 less two Monte-Carlo
errors, in a cell with ten expected labels of each class, fifteen families and a figure in most draws. "Other prevalence":
the labelled rows hold .6 - share of yes. "{HIDDEN}": the labelled rows hold {MORE_YES:g} more yes than the pool, and
coverage is among the draws in which the shift test did not reject; the last column is its power.

Made by `python tests/prevalence_table.py > reports/certificates/prevalence.md`; asserted by
`tests/long/test_estimate_coverage.py`.
"""


def main() -> None:
    cells = every_cell()
    print(HEAD)
    print(_summary(cells))
    for method in (*METHODS, HIDDEN):
        print(f"\n## {method}\n")
        other = "power" if method == HIDDEN else "undefined"
        print(f"| labels | family | share | TPR | FPR | coverage | width | {other} |")
        print("| --- | --- | --- | --- | --- | --- | --- | --- |")
        for cell in cells:
            if cell.method == method:
                print(_line(cell))


def _summary(cells: list[Cell]) -> str:
    lines = [
        "| method | cells with enough | mean coverage | lowest | all cells, lowest |",
        "| --- | --- | --- | --- | --- |",
    ]
    for method in METHODS:
        mine = [cell for cell in cells if cell.method == method]
        held = [cell.coverage for cell in mine if cell.must_hold]
        least = min(cell.coverage for cell in mine if cell.defined)
        lines.append(f"| {method} | {len(held)} | {np.mean(held):.3f} | {min(held):.3f} | {least:.3f} |")
    hidden = [cell for cell in cells if cell.method == HIDDEN and cell.defined >= 50]
    if hidden:
        ends = min(cell.coverage for cell in hidden), max(cell.coverage for cell in hidden)
        lines.append(f"| {HIDDEN} | - | - | - | {ends[0]:.3f} (highest {ends[1]:.3f}) |")
    return "\n".join(lines)


def _line(cell: Cell) -> str:
    place = cell.place
    short = cell.must_hold and cell.coverage < 0.93 - 2 * cell.error
    told = f"**{cell.coverage:.3f}**" if short else f"{cell.coverage:.3f}"
    told = "-" if cell.defined == 0 else told
    gone = 1 - cell.defined / cell.tried
    a, b = place.judge
    return f"| {place.n} | {place.family} | {place.prevalence:g} | {a:g} | {b:g} | {told} | {cell.width:.3f} | {gone:.3f} |"


if __name__ == "__main__":
    main()
