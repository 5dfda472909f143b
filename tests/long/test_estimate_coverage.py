"""Coverage of the estimates for a pool without labels: Rogan-Gladen, PPI++, and PPI++ after a shift that no test saw.

    PYTHONPATH=tests/long python tests/prevalence_table.py > reports/certificates/prevalence.md

runs the same cells and writes them all. Families of four are of one mind by a copying model: each row takes its
family's draw with probability sqrt(.4), for the truth and for the judge's error alike, so that two rows correlate at .4.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from itertools import product

import numpy as np
import pytest

from bench.estimating.ppi import ppi_plus_plus
from bench.estimating.rogan_gladen import class_rates, rogan_gladen
from bench.estimating.shift import shift_test
from bench.estimating.sides import LabelledSide, PoolSide, said_yes
from bench.measure.counts import Floats
from bench.measure.estimate import Estimate

SCALE = float(os.environ.get("BENCH_COVERAGE_SCALE", "1"))
REPLICATES = int(400 * SCALE)
POOL = 1_000
CORRELATION = 0.4
RESAMPLES = 500  # of the interval of TPR - FPR, which only decides whether there is a figure
LEVEL = 0.95
JUDGES = ((0.95, 0.03), (0.8, 0.1), (0.7, 0.3))
GRID = tuple(product((60, 200, 400), (1, 4), (0.1, 0.5)))
MORE_YES = 0.15  # of the labelled rows, where labels are a hidden shift away from the pool
METHODS = ("Rogan-Gladen", "Rogan-Gladen, other prevalence", "PPI++, verdicts", "PPI++, probabilities")
HIDDEN = "PPI++ after a shift that the test passed"


@dataclass(frozen=True)
class Place:
    """Where on the grid: labelled rows, rows a family, true share in the pool, the judge's two rates."""

    n: int
    family: int
    prevalence: float
    judge: tuple[float, float]


@dataclass(frozen=True)
class Cell:
    """One method at one place; ``defined`` of ``tried`` draws gave a figure, and ``coverage`` is among those."""

    method: str
    place: Place
    tried: int
    defined: int
    coverage: float
    width: float

    @property
    def must_hold(self) -> bool:
        """Enough: ten expected labels of each class and fifteen families; and a figure in most draws."""
        place = self.place
        rarer = place.n * min(place.prevalence, 1 - place.prevalence)
        return self.method != HIDDEN and rarer >= 10 and place.n / place.family >= 15 and self.defined >= self.tried / 2

    @property
    def error(self) -> float:
        return math.sqrt(LEVEL * (1 - LEVEL) / max(self.defined, 1))


def drawn(place: Place, rows: int, prevalence: float, generator: np.random.Generator) -> tuple[Floats, Floats, Floats]:
    """Truth, the judge's probability and the family of each row; the verdict is probability at least .5."""
    groups = np.arange(rows) // place.family
    copy = math.sqrt(CORRELATION) if place.family > 1 else 0.0

    def uniform() -> Floats:
        own, whole = generator.random(rows), generator.random(groups[-1] + 1)[groups]
        return np.where(generator.random(rows) < copy, whole, own)

    yes = uniform() < prevalence
    luck, rate = uniform(), np.where(yes, *place.judge)
    # A yes for the luckiest share: how far above or below .5 follows from the same draw, so that it means something.
    p = np.where(luck < rate, 1 - luck / rate / 2, (1 - luck) / (1 - rate) / 2 * 0.999)
    return yes, p, groups


def sides(place: Place, labelled_share: float, generator: np.random.Generator) -> tuple[LabelledSide, PoolSide]:
    yes, p, groups = drawn(place, place.n, labelled_share, generator)
    _, q, others = drawn(place, POOL, place.prevalence, generator)
    mine = LabelledSide(yes.astype(bool), p >= 0.5, p, groups.astype(np.int64))
    return mine, PoolSide(q >= 0.5, np.ones(POOL, dtype=bool), q, others.astype(np.int64))


def bare(mine: LabelledSide, theirs: PoolSide) -> tuple[LabelledSide, PoolSide]:
    """Without the probabilities."""
    return (
        LabelledSide(mine.yes, mine.said, None, mine.groups),
        PoolSide(theirs.said, theirs.scored, None, theirs.groups),
    )


def corrected(mine: LabelledSide, theirs: PoolSide, seed: int) -> Estimate:
    families, said = mine.families(), said_yes(theirs, by_group=False)
    if said is None:
        raise ValueError("an empty pool")
    rates = class_rates(families, seed, RESAMPLES, LEVEL)
    return rogan_gladen("share", families, said, rates, LEVEL).estimate


def measure(place: Place) -> list[Cell]:
    """Every method at one place of the grid."""
    generator = np.random.default_rng(
        [place.n, place.family, int(place.prevalence * 100), int(place.judge[0] * 100)]
    )  # fmt: skip
    spans: dict[str, list[tuple[float, float]]] = {method: [] for method in (*METHODS, HIDDEN)}
    for replicate in range(REPLICATES):
        found: dict[str, Estimate] = {}
        mine, theirs = sides(place, place.prevalence, generator)
        found["PPI++, probabilities"] = ppi_plus_plus("share", mine, theirs, LEVEL).corrected.estimate
        mine, theirs = bare(mine, theirs)
        found["PPI++, verdicts"] = ppi_plus_plus("share", mine, theirs, LEVEL).corrected.estimate
        found["Rogan-Gladen"] = corrected(mine, theirs, replicate)
        elsewhere = sides(place, 0.6 - place.prevalence, generator)
        found["Rogan-Gladen, other prevalence"] = corrected(*bare(*elsewhere), replicate)
        mine, theirs = bare(*sides(place, place.prevalence + MORE_YES, generator))
        if not shift_test(mine, theirs, replicate, 199).rejected:
            found[HIDDEN] = ppi_plus_plus("share", mine, theirs, LEVEL).corrected.estimate
        for method, estimate in found.items():
            if estimate.low is not None and estimate.high is not None:
                spans[method].append((estimate.low, estimate.high))
    return [_cell(method, place, ends) for method, ends in spans.items()]


def _cell(method: str, place: Place, ends: list[tuple[float, float]]) -> Cell:
    hits = sum(low <= place.prevalence <= high for low, high in ends)
    width = sum(high - low for low, high in ends)
    return Cell(method, place, REPLICATES, len(ends), hits / max(len(ends), 1), width / max(len(ends), 1))


def places() -> Iterator[Place]:
    yield from (Place(*cell, judge) for cell, judge in product(GRID, JUDGES))


def every_cell() -> list[Cell]:
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    with ProcessPoolExecutor(max_workers=2) as workers:
        return [cell for cells in workers.map(measure, places()) for cell in cells]


@pytest.fixture(scope="module")
def cells() -> list[Cell]:
    return every_cell()


@pytest.mark.long
def test_coverage_where_there_is_enough(cells: list[Cell]) -> None:
    held = [cell for cell in cells if cell.must_hold]
    assert len(held) >= 80
    assert [cell for cell in held if cell.coverage < 0.93 - 2 * cell.error] == []


@pytest.mark.long
def test_coverage_elsewhere(cells: list[Cell]) -> None:
    rest = [cell for cell in cells if cell.method in METHODS and not cell.must_hold and cell.defined >= 50]
    assert [cell for cell in rest if cell.coverage < 0.9 - 2 * cell.error] == []


@pytest.mark.long
def test_coverage_on_the_average(cells: list[Cell]) -> None:
    for method in METHODS:
        held = [cell.coverage for cell in cells if cell.must_hold and cell.method == method]
        assert 0.94 - 0.005 <= float(np.mean(held)) <= 0.985, method


@pytest.mark.long
def test_a_passed_shift_test_does_not_save_ppi(cells: list[Cell]) -> None:
    """With a judge that decides little the test has next to no power, and the figure is wrong."""
    hidden = [cell for cell in cells if cell.method == HIDDEN and cell.place.n >= 200 and cell.defined >= 50]
    assert hidden and min(cell.coverage for cell in hidden) < 0.75
