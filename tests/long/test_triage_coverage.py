"""Coverage of the shares that are estimated from chosen labels, over draws from one pool; and what the bare share would cover.

The pool is fixed and the draw is random, as the estimates take it. Two judges of a latent score: one states a probability,
the other answers with errors of its own; uncertain sessions are the ones both get wrong.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from itertools import product

import numpy as np
import pytest

from bench.measure.estimate import Estimate
from bench.triage.design import DIRECTED, DISAGREEMENT, UNCERTAINTY, Unit, plan
from bench.triage.estimating import Design, hajek, horvitz_thompson
from bench.triage.scores import Said, disagreement, uncertainty

SCALE = float(os.environ.get("BENCH_COVERAGE_SCALE", "1"))
REPLICATES = int(1_000 * SCALE)
POOLS = 4  # of each kind: one pool's quirks are no rule
GRID = tuple(product((200, 1_000), (40, 100), (0.1, 0.3, 0.5), (0.2, 0.5)))  # units, picks, prevalence, random share
FIGURES = ("prevalence", "Horvitz-Thompson", "precision", "recall")


@dataclass(frozen=True)
class Pool:
    units: list[Unit]
    labels: np.ndarray
    said: np.ndarray


@dataclass(frozen=True)
class Cell:
    """``coverage`` among draws that gave the figure and are not told as too few; ``defined`` of ``tried`` were so."""

    figure: str
    tried: int
    defined: int
    coverage: float
    few: float  # coverage of those told as too few; nan where there are none
    width: float


def make_pool(count: int, prevalence: float, generator: np.random.Generator) -> Pool:
    labels = generator.random(count) < prevalence
    lean = generator.normal(np.where(labels, 1.0, -1.0), 1.0)
    p = 1 / (1 + np.exp(-lean))
    other = lean + generator.normal(0, 0.7, count) > 0
    units = []
    for i in range(count):
        said = {"a": Said(bool(p[i] >= 0.5), float(p[i])), "b": Said(bool(other[i]))}
        scores = {DISAGREEMENT: disagreement(said), UNCERTAINTY: uncertainty(said, (0.5,))}
        units.append(Unit(f"u{i}", f"s{i % 3}", scores))
    return Pool(units, labels, p >= 0.5)


@dataclass(frozen=True)
class Laid:
    """A pool's design as arrays; test_triage_design.py shows that ``draw`` draws with these chances."""

    design: Design
    parts: np.ndarray  # (2, units): chances of the two directed draws


def lay(pool: Pool, size: int, share: float) -> Laid:
    strata, chances = plan(pool.units, size, share)
    codes = {name: code for code, name in enumerate(strata)}
    parts = np.array([[one.by_component[name] for one in chances] for name in DIRECTED])
    design = Design(
        np.array([codes[one.stratum] for one in chances], dtype=np.int64),
        np.array([strata[one.stratum][0] for one in chances], dtype=float),
        np.array([strata[one.stratum][1] for one in chances], dtype=float),
        1 - np.prod(1 - parts, axis=0),
        len(chances),
    )
    return Laid(design, parts)


def one_draw(pool: Pool, laid: Laid, generator: np.random.Generator) -> list[Estimate]:
    picked = (generator.random(laid.parts.shape) < laid.parts).any(axis=0)
    for code in np.unique(laid.design.stratum):
        mine = np.flatnonzero(laid.design.stratum == code)
        picked[generator.permutation(mine)[: int(laid.design.taken[mine[0]])]] = True
    design, labels, said = laid.design.of(picked), pool.labels[picked], pool.said[picked]
    return [
        hajek("prevalence", labels, design),
        horvitz_thompson("Horvitz-Thompson", labels, design),
        hajek("precision", labels[said], design.of(said)),
        hajek("recall", said[labels], design.of(labels)),
    ]


def measure(count: int, size: int, prevalence: float, share: float) -> list[Cell]:
    generator = np.random.default_rng([count, size, int(100 * prevalence), int(100 * share)])
    inside: dict[str, list[bool]] = {name: [] for name in FIGURES}
    few: dict[str, list[bool]] = {name: [] for name in FIGURES}
    widths: dict[str, list[float]] = {name: [] for name in FIGURES}
    for _ in range(POOLS):
        pool = make_pool(count, prevalence, generator)
        true = [
            pool.labels.mean(), pool.labels.mean(), pool.labels[pool.said].mean(), pool.said[pool.labels].mean(),
        ]  # fmt: skip
        laid = lay(pool, size, share)
        for _ in range(REPLICATES // POOLS):
            for found, truth in zip(one_draw(pool, laid, generator), true, strict=True):
                if found.low is None or found.high is None:
                    continue
                hit = bool(found.low - 1e-12 <= truth <= found.high + 1e-12)
                (few if found.too_few else inside)[found.name].append(hit)
                if not found.too_few:
                    widths[found.name].append(found.high - found.low)
    return [
        Cell(
            name, REPLICATES, len(inside[name]), float(np.mean(inside[name] or [np.nan])),
            float(np.mean(few[name] or [np.nan])), float(np.mean(widths[name] or [np.nan])),
        )
        for name in FIGURES
    ]  # fmt: skip


@pytest.mark.long
def test_the_intervals_cover() -> None:
    slack = 2 * (0.95 * 0.05 / REPLICATES) ** 0.5
    cells = [(place, cell) for place in GRID for cell in measure(*place)]
    often = [(place, cell) for place, cell in cells if cell.defined >= 0.5 * cell.tried]
    assert [(place, cell) for place, cell in often if cell.coverage < 0.93 - slack] == []
    assert [(place, cell) for place, cell in cells if cell.few < 0.93 - slack] == []
    for figure in FIGURES:
        mine = [cell.coverage for _, cell in often if cell.figure == figure]
        assert mine
        assert 0.94 <= float(np.mean(mine)) <= 0.985, figure


@pytest.mark.long
def test_the_bare_precision_among_the_labelled_is_that_of_the_hard_ones() -> None:
    generator = np.random.default_rng(5)
    pool = make_pool(1_000, 0.3, generator)
    laid = lay(pool, 100, 0.2)
    bare, weighed = [], []
    for _ in range(300):
        picked = (generator.random(laid.parts.shape) < laid.parts).any(axis=0) & pool.said
        bare.append(float(pool.labels[picked].mean()))
        weighed.append(one_draw(pool, laid, generator)[2].value)
    true = float(pool.labels[pool.said].mean())
    assert float(np.mean(bare)) < true - 0.1
    assert abs(float(np.mean([value for value in weighed if value is not None])) - true) < 0.03


def main() -> None:
    print("units picks prevalence random | figure defined coverage few width")
    for place in GRID:
        for cell in measure(*place):
            figures = f"{cell.figure:17} {cell.defined:5} {cell.coverage:.3f} {cell.few:.3f} {cell.width:.2f}"
            print(*place, "|", figures, flush=True)


if __name__ == "__main__":
    main()
