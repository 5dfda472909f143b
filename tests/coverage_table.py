"""The committed table of coverage, read: which cells lie outside the acceptance rule of STATISTICS.md.

python tests/coverage_table.py > reports/coverage/outside.md      (make coverage)
"""

from __future__ import annotations

import csv
import math
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from bench.measure.estimate import TOO_FEW, WIDE, WIDE_TIMES
from bench.measure.metrics import METRICS

FOLDER = Path(__file__).parent.parent / "reports" / "coverage"
# Replicates behind a cell of the committed table (make coverage).
REPLICATES = {True: 10_000, False: 3_000}
LOW, OTHER_LOW, MOST = 0.93, 0.90, 0.98
INSTEAD = {
    "wide": f'the same interval with the note "{WIDE}", wherever that is so of the data at hand',
    "low, too few to hold": f'counts, the Korn-Graubard interval and "{TOO_FEW}"',
    "low": "nothing: this breaks the rule",
}


@dataclass(frozen=True)
class Cell:
    """One line of intervals.csv."""

    must_hold: bool
    metric: str
    n: int
    prevalence: float
    size: int
    judge: tuple[float, float]
    coverage: float
    width: float
    exact_width: float
    undefined: int
    share_too_few: float

    @property
    def place(self) -> tuple[int, float, int, tuple[float, float]]:
        return self.n, self.prevalence, self.size, self.judge

    @property
    def proportion(self) -> bool:
        return METRICS[self.metric].proportion

    @property
    def error(self) -> float:
        """One Monte-Carlo error of a coverage of .95."""
        return math.sqrt(0.95 * 0.05 / max(REPLICATES[self.proportion] - self.undefined, 1))

    @property
    def times(self) -> float:
        """The width in widths of the Korn-Graubard interval."""
        return self.width / self.exact_width

    @property
    def outside(self) -> str | None:
        """Why the cell is outside the rule, or None."""
        if not self.must_hold:
            return "low, too few to hold" if self.coverage < OTHER_LOW else None
        if self.coverage < LOW - 2 * self.error:
            return "low"
        return "wide" if self.coverage > MOST and self.times > WIDE_TIMES else None

    def __str__(self) -> str:
        share = f"{self.prevalence:g}".replace("0.", ".")
        tpr, fpr = (f"{rate:g}".replace("0.", ".") for rate in self.judge)
        return f"n = {self.n}, share of yes {share}, families of {self.size}, TPR {tpr}, FPR {fpr}"


@cache
def cells() -> tuple[Cell, ...]:
    """The whole table."""
    with (FOLDER / "intervals.csv").open(encoding="utf-8", newline="") as file:
        return tuple(_cells(csv.DictReader(file)))


def _cells(lines: csv.DictReader[str]) -> Iterator[Cell]:
    for line in lines:
        yield Cell(
            line["must_hold"] == "1", line["metric"], int(line["n"]), float(line["prevalence"]), int(line["family_size"]),
            (float(line["true_positive_rate"]), float(line["false_positive_rate"])), float(line["coverage"]),
            float(line["width"]), float(line["korn_graubard_width"]), int(line["undefined"]), float(line["share_too_few"]),
        )  # fmt: skip


def over_true_values(cell: Cell) -> tuple[float, float]:
    """Over the true judges at the cell's n, prevalence and family size: mean coverage, and mean width over mean width."""
    alike = [
        other
        for other in cells()
        if other.must_hold and (other.metric, *other.place[:3]) == (cell.metric, *cell.place[:3])
    ]
    coverage = sum(other.coverage for other in alike) / len(alike)
    return coverage, sum(other.width for other in alike) / sum(other.exact_width for other in alike)


def outside_page() -> str:
    """The text of reports/coverage/outside.md."""
    must, other = ([cell for cell in cells() if cell.must_hold is held] for held in (True, False))
    few = [cell for cell in other if cell.share_too_few > 0.5]
    least = min(cell.coverage for cell in other if cell not in few)
    lines = [
        "# Cells outside the acceptance rule",
        "",
        "Made from `intervals.csv` by `make coverage`; `tests/test_interval_acceptance.py` holds table, page and tool together.",
        "",
        f"* {len(must)} cells must hold. Under {_told(LOW)} less two Monte-Carlo errors: {_count(must, 'low')}. "
        f"Over {_told(MOST)} and wider than {WIDE_TIMES} Korn-Graubard intervals: {_count(must, 'wide')}.",
        f"* {len(other)} other cells (expected denominator under 10 or under 15 contributing families). "
        f"Under {_told(OTHER_LOW)}: {_count(other, 'low, too few to hold')}. "
        f'In {len(few)} of them most data sets print "{TOO_FEW}"; '
        f"the other {len(other) - len(few)} print the usual interval and cover at least {_told(least, 3)}.",
        "",
        *_listed([cell for cell in cells() if cell.outside]),
        "",
        f"The rule takes means over the true judges, and over {_told(MOST)} it allows {WIDE_TIMES} widths. "
        "This page is stricter: it lists single cells.",
    ]  # fmt: skip
    return "\n".join(lines) + "\n"


def _listed(out: Sequence[Cell]) -> Iterator[str]:
    yield "| cell | metric | outside | coverage | width, of Korn-Graubard's | means over true judges | what the tool prints |"
    yield "|---|---|---|---|---|---|---|"
    for cell in out:
        coverage, times = over_true_values(cell) if cell.must_hold else (cell.coverage, cell.times)
        yield (
            f"| {cell} | {cell.metric} | {cell.outside} | {_told(cell.coverage, 3)} | {cell.times:.3f} | "
            f"{_told(coverage, 3)}, {times:.3f} | {INSTEAD[str(cell.outside)]} |"
        )


def _count(found: Sequence[Cell], why: str) -> int:
    return sum(cell.outside == why for cell in found)


def _told(share: float, digits: int = 2) -> str:
    return f"{share:.{digits}f}".replace("0.", ".", 1)


if __name__ == "__main__":
    sys.stdout.write(outside_page())
