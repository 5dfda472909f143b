"""How often a certificate is false: every method of bench.certifying.sequence over populations of known risk.

    python tests/long/certificate_simulation.py reports/certificates      (make certificates)

All draws of a cell are tested at once. tests/long/test_certificate_simulation.py holds this against sequence.py draw by
draw.
"""

from __future__ import annotations

import csv
import math
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from certificate_populations import GRID, PATH, Place, Population, population
from certificate_report import page
from scipy.special import betainc, stdtrit

from bench.certifying.evidence import STAKES
from bench.certifying.sequence import ADJUSTED, BETTING, ONE_ITEM
from bench.measure.certificate_power import errors_allowed
from bench.measure.proportions import PRIOR_FAMILIES

DELTA, DRAWS, SEED = 0.05, 4_000, 20_260_914
OBSERVED = "observed share"  # the rule without a guarantee: the loosest threshold that looks good enough
METHODS = (ONE_ITEM, BETTING, ADJUSTED, OBSERVED)
BATCH = 200_000  # rows drawn at once


@dataclass(frozen=True, eq=False)
class Draws:
    """Rows of many data sets: the first path point that selects a row, each (draws, families, largest)."""

    first: np.ndarray
    wrong: np.ndarray
    there: np.ndarray
    picked: np.ndarray  # one row of each family


@dataclass(frozen=True, eq=False)
class Tested:
    """(draws, path points): whether a method has enough to test, and whether the test is passed."""

    enough: np.ndarray
    passed: np.ndarray


@dataclass(frozen=True)
class Cell:
    """One method at one place, its path whole or begun at the key point; ``can_err``: a bad threshold lies on it."""

    place: Place
    path: str
    method: str
    can_err: bool
    draws: int
    issued: int
    false: int

    @property
    def limit(self) -> float:
        """delta and two Monte-Carlo errors."""
        return DELTA + 2 * math.sqrt(DELTA * (1 - DELTA) / self.draws)

    @property
    def held(self) -> bool:
        return self.false / self.draws <= self.limit


def draw(people: Population, draws: int, generator: np.random.Generator) -> Draws:
    """Data sets of one population."""
    atom, wrong, there = people.draw(draws, generator)
    place = (generator.random(atom.shape[:2]) * there.sum(axis=2)).astype(np.int64)
    picked = np.arange(atom.shape[2]) == place[..., None]
    return Draws(np.where(there, people.first[atom], len(PATH)), wrong & there, there, picked)


def counted(rows: Draws, among: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(selected, wrong) rows at each path point, (draws, points)."""
    number, width = len(rows.first), len(PATH) + 1
    slots = np.arange(number)[:, None, None] * width + rows.first

    def total(mask: np.ndarray) -> np.ndarray:
        found = np.bincount(slots[mask], minlength=number * width).reshape(number, width)
        return np.asarray(found[:, :-1].cumsum(axis=1))

    return total(among), total(among & rows.wrong)


def family_table(rows: Draws) -> np.ndarray:
    """How many families have s selected rows, w of them wrong: (draws, points, s, w)."""
    number, width = len(rows.first), rows.first.shape[2] + 1
    offset = np.arange(number)[:, None] * width * width
    tables = []
    for point in range(len(PATH)):
        selected = rows.first <= point
        kind = selected.sum(axis=2) * width + (selected & rows.wrong).sum(axis=2)
        found = np.bincount((offset + kind).ravel(), minlength=number * width * width)
        tables.append(found.reshape(number, width, width))
    return np.stack(tables, axis=1)


def one_item(rows: Draws, target: float) -> Tested:
    """The exact binomial test on the picked rows."""
    n, k = counted(rows, rows.picked & rows.there)
    allowed = np.array(
        [-1 if (most := errors_allowed(rows_, target, DELTA)) is None else most for rows_ in range(n.max() + 1)]
    )
    return Tested(allowed[n] >= 0, k <= allowed[n])


def betting(table: np.ndarray, target: float) -> Tested:
    """The bet on family sums."""
    largest = table.shape[2] - 1
    size, wrong = np.meshgrid(np.arange(largest + 1), np.arange(largest + 1), indexing="ij")

    def made(bad: np.ndarray) -> np.ndarray:
        sums = (bad - target * size) / ((1 - target) * largest)
        logs = np.log(np.maximum(1 - STAKES[:, None, None] * sums, 1e-300))
        return np.asarray(np.exp(np.minimum(np.tensordot(table, logs, axes=([2, 3], [1, 2])), 700)).mean(axis=-1))

    return Tested(made(np.zeros_like(wrong)) >= 1 / DELTA, made(wrong) >= 1 / DELTA)


def adjusted(table: np.ndarray, target: float) -> Tested:
    """The Korn-Graubard limit of bench.measure.proportions, for all draws at once."""
    size, wrong = np.meshgrid(*[np.arange(table.shape[2])] * 2, indexing="ij")

    def total(values: np.ndarray) -> np.ndarray:
        return np.asarray(np.tensordot(table, values, axes=([2, 3], [0, 1])).astype(float))

    items, bad, families = total(size), total(wrong), total(size > 0)
    squares = total(size**2)
    blocks = np.divide(items**2, squares, out=np.zeros_like(items), where=squares > 0)
    share = np.divide(bad, items, out=np.zeros_like(items), where=items > 0)
    residuals = total(wrong**2) - 2 * share * total(wrong * size) + share**2 * squares
    some = np.maximum(items, 1)
    spread = np.where(families > 1, families / np.maximum(families - 1, 1), 1.0)
    variance = np.where((bad > 0) & (bad < items), spread * np.maximum(residuals, 0) / some**2, 0.0)
    variance = np.where(variance < 1e-24, 0.0, variance)
    simple = share * (1 - share) / np.maximum(items - 1, 1)
    ratio = np.divide(variance, simple, out=np.ones_like(items), where=simple > 0)
    sides = np.minimum(total(wrong > 0), total(size > wrong))
    whole = np.divide(items, blocks, out=np.ones_like(items), where=blocks > 0)
    effect = (sides * np.maximum(ratio, 1) + PRIOR_FAMILIES * whole) / (sides + PRIOR_FAMILIES)
    n = np.where((variance > 0) & (simple > 0), items / np.maximum(effect, 1), blocks)
    most = int(items.max(initial=0)) + 1
    quantiles = np.concatenate([[1.0], stdtrit(np.arange(1, most + 1), 1 - DELTA)])
    few = quantiles[np.maximum(families.astype(int) - 1, 1)] if most > 1 else 1.0
    shrunk = n * (quantiles[np.maximum(items.astype(int) - 1, 1)] / few) ** 2
    n = np.where((n < items) & (variance > 0), np.minimum(n, np.maximum(shrunk, 1.0)), n)
    x = n * share
    inside = (bad < items) & (items > 0)
    passed = inside & (betainc(x + 1, np.where(inside, n - x, 1.0), target) >= 1 - DELTA)
    return Tested(blocks >= math.log(DELTA) / math.log1p(-target), passed)


def certified(tested: Tested, selected: np.ndarray, begin: int = 0) -> np.ndarray:
    """The path point that is certified in each draw, or -1; the strictest of those that select the same rows."""
    enough, passed, rows = (part[:, begin:] for part in (tested.enough, tested.passed, selected))
    draws, points = passed.shape
    place = np.arange(points)
    start = np.where(enough.any(axis=1), enough.argmax(axis=1), points)[:, None]
    failed = (place >= start) & ~(passed & enough)
    stop = np.where(failed.any(axis=1), failed.argmax(axis=1), points)
    last = np.where(stop > start[:, 0], stop - 1, -1)
    same = rows == rows[np.arange(draws), np.maximum(last, 0)][:, None]
    return np.where(last >= 0, same.argmax(axis=1) + begin, -1)


def looks_good(selected: np.ndarray, wrong: np.ndarray, target: float, begin: int = 0) -> np.ndarray:
    """The loosest path point whose observed share wrong is at most the target, or -1: no test, no guarantee."""
    good = (selected > 0) & (wrong <= target * selected + 1e-9)
    good[:, :begin] = False
    return np.where(good.any(axis=1), good.shape[1] - 1 - good[:, ::-1].argmax(axis=1), -1)


def outcomes(rows: Draws, target: float, begin: int) -> dict[str, np.ndarray]:
    """What each method certifies in each draw."""
    selected, wrong = counted(rows, rows.there)
    table = family_table(rows)
    found = {
        name: certified(tested, selected, begin)
        for name, tested in (
            (ONE_ITEM, one_item(rows, target)),
            (BETTING, betting(table, target)),
            (ADJUSTED, adjusted(table, target)),
        )
    }
    return {**found, OBSERVED: looks_good(selected, wrong, target, begin)}


def simulate(place: Place, draws: int = DRAWS, seed: int = SEED) -> list[Cell]:
    """All methods at one place of the grid; a certificate at exactly the target counts as false."""
    people = population(place)
    generator = np.random.default_rng([seed, GRID.index(place)])
    risks = {method: people.by_family if method == ONE_ITEM else people.by_item for method in METHODS}
    begins = {"whole": 0} if place.truth == "good" else {"whole": 0, "from the key point": people.key_point}
    tally = {(path, method): np.zeros(2, dtype=np.int64) for path in begins for method in METHODS}
    left = draws
    while left > 0:
        size = min(left, max(1, BATCH // place.items))
        rows = draw(people, size, generator)
        for path, begin in begins.items():
            for method, point in outcomes(rows, place.target, begin).items():
                above = risks[method][np.maximum(point, 0)] >= place.target - 1e-9
                tally[path, method] += [(point >= 0).sum(), ((point >= 0) & above).sum()]
        left -= size
    return [
        Cell(
            place, path, method, bool(np.any(risks[method][begins[path] :] >= place.target - 1e-9)), draws, *n.tolist()
        )
        for (path, method), n in tally.items()
    ]


def table(places: Sequence[Place] = GRID, draws: int = DRAWS, seed: int = SEED) -> Iterator[Cell]:
    """Every cell of the grid."""
    with ProcessPoolExecutor() as pool:
        for cells in pool.map(simulate, places, [draws] * len(places), [seed] * len(places), chunksize=4):
            yield from cells


def write(folder: Path) -> None:
    """The two files of the report."""
    cells = list(table())
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "simulation.csv").open("w", encoding="utf-8", newline="") as file:
        lines = csv.writer(file, lineterminator="\n")
        counts = [f"{method.replace(' ', '_')}_{what}" for method in METHODS for what in ("issued", "false")]
        lines.writerow(["judge", "true_share_wrong", "target", "families", "items", "path", "draws", *counts])
        for start in range(0, len(cells), len(METHODS)):
            first, at = cells[start], cells[start].place
            found = [number for cell in cells[start : start + len(METHODS)] for number in (cell.issued, cell.false)]
            lines.writerow([at.judge, at.truth, at.target, at.ties.name, at.items, first.path, first.draws, *found])
    (folder / "simulation.md").write_text(page(cells, DELTA, SEED), encoding="utf-8")


if __name__ == "__main__":
    write(Path(sys.argv[1]))
