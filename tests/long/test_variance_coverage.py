"""Variance components by simulation: no bias over drawn items and levels, and how often the intervals cover.

Items of a family hang together (correlation .5 of their own effect). The truth of a coverage cell is the same
estimate on 200,000 families of one under the same levels, since the interval is about other cases, not other levels.
300 replicates of 500 resamples in each cell; set BENCH_COVERAGE_SCALE to make them more.
"""

from __future__ import annotations

import math
import os
from dataclasses import dataclass
from itertools import product

import numpy as np
import pytest

from bench.measure.factor_levels import factor_levels
from bench.measure.variance import Moments, crossed
from bench.measure.variance_shares import CARRIED, Breakdown, variance_breakdown

REPLICATES = int(300 * float(os.environ.get("BENCH_COVERAGE_SCALE", "1")))
RESAMPLES = 500
TRUTH_ITEMS = 200_000
SLACK = 0.002  # how well the truth itself is known


@dataclass(frozen=True)
class World:
    """How answers come about: log odds = mean + item + level + item x everything; and the data's size."""

    name: str
    mean: float
    item: float
    level: float
    item_level: float

    def hits(
        self, n: int, size: int, levels: tuple[int, ...], samples: int, generator: np.random.Generator
    ) -> np.ndarray:
        family = np.arange(n) // size

        def effect(shape: tuple[int, ...], spread: float) -> np.ndarray:
            shared = generator.normal(size=(family[-1] + 1, *shape))[family]
            return np.asarray(spread * (shared + generator.normal(size=(n, *shape))) / math.sqrt(2))

        first = self.level * np.linspace(-1, 1, levels[0]).reshape(-1, *[1] * (len(levels) - 1))
        own = effect((), self.item).reshape(n, *[1] * len(levels))
        odds = self.mean + own + first + effect(levels, self.item_level)
        return np.asarray(generator.binomial(samples, 1 / (1 + np.exp(-odds))))


WORLDS = (
    World("no factor matters", 1.5, 2.2, 0.0, 0.0),
    World("all matter", 1.5, 2.2, 0.6, 1.2),
    World("nearly always right", 3.5, 2.2, 0.4, 0.8),
)
SIZES = ((20, 1), (60, 1), (60, 4), (200, 4))  # items, in families of
DESIGNS = (((2,), 1), ((2,), 3), ((4,), 3), ((2, 2), 3))


def breakdown(world: World, place: tuple[int, int], design: tuple[tuple[int, ...], int], seed: int) -> Breakdown:
    (n, size), (levels, samples) = place, design
    hits = world.hits(n, size, levels, samples, np.random.default_rng([seed, n, size, samples, *levels]))
    return variance_breakdown(crossed(hits, samples, tuple("ab"[: len(levels)]), np.arange(n) // size), seed, RESAMPLES)


def truth(world: World, levels: tuple[int, ...], samples: int) -> np.ndarray:
    hits = world.hits(TRUTH_ITEMS, 1, levels, samples, np.random.default_rng(0))
    moments = Moments(levels, samples)
    table = crossed(hits, samples, tuple("ab"[: len(levels)]), np.arange(TRUTH_ITEMS))
    values = moments.components(moments.family_vectors(table).totals())
    told = np.maximum([values[list(c.parts)].sum() for c in moments.named(table.factors)], 0)
    return np.asarray(told / told.sum())


@pytest.mark.long
@pytest.mark.parametrize("size", [1, 2, 4])
@pytest.mark.parametrize(("levels", "samples"), [((2,), 1), ((3,), 3), ((2, 3), 2)])
def test_components_are_unbiased_over_items_and_levels(levels: tuple[int, ...], samples: int, size: int) -> None:
    """P(yes) = .5 + sums of independent uniform effects, so every component is known: a uniform's width squared / 12."""
    generator = np.random.default_rng([*levels, samples, size])
    moments, n, replicates = Moments(levels, samples), 16, 20 * REPLICATES
    effects = moments.effects
    width = 0.9 / (2 * len(effects) - 1)  # all effects together stay within 0 and 1
    found = []
    for _ in range(replicates):
        family, p = np.arange(n) // size, np.full((n, *levels), 0.5)
        for effect in effects:
            shape = tuple(levels[at] if at in effect else 1 for at in range(len(levels)))
            if effect:
                p = p + generator.uniform(-width / 2, width / 2, (1, *shape))
            # Of a family's items, half share the family's effect.
            shared = generator.uniform(-width / 2, width / 2, (n, *shape))[family]
            own = generator.uniform(-width / 2, width / 2, (n, *shape))
            p = p + np.where((generator.random(n) < 0.5).reshape(n, *[1] * len(levels)), shared, own)
        table = crossed(generator.binomial(samples, p), samples, tuple("ab"[: len(levels)]), family)
        values = moments.components(moments.family_vectors(table).totals())
        found.append(values if samples > 1 else values[:-1])
    one = width**2 / 12
    noise = 0.25 - (2 * len(effects) - 1) * one
    expected = np.full(2 * len(effects) - 1, one)
    expected = np.append(expected, noise) if samples > 1 else np.append(expected[:-1], one + noise)
    z = (np.mean(found, axis=0) - expected) / (np.std(found, axis=0) / math.sqrt(replicates))
    print(f"bias {levels} x {samples}, families of {size}: z {np.round(z, 1)}")
    assert np.all(np.abs(z) < 4)


@pytest.mark.long
@pytest.mark.parametrize("place", SIZES, ids=lambda place: f"{place[0]}-items-in-{place[0] // place[1]}-families")
@pytest.mark.parametrize("design", DESIGNS, ids=lambda d: f"{'x'.join(map(str, d[0]))}-levels-{d[1]}-samples")
@pytest.mark.parametrize("world", WORLDS, ids=lambda world: world.name)
def test_intervals_cover(world: World, design: tuple[tuple[int, ...], int], place: tuple[int, int]) -> None:
    true = truth(world, *design)
    runs = [breakdown(world, place, design, seed) for seed in range(REPLICATES)]
    defined = [run for run in runs if run.undefined is None]
    names = [share.component.name for share in defined[0].shares]
    for j, name in enumerate(names):
        told = [run.shares[j].share for run in defined if run.shares[j].share.low is not None]
        few = 1 - len(told) / len(runs)
        if not told:
            print(f"{world.name}, {design}, {place}, {name}: true {true[j]:.3f}, no interval (too few)")
            continue
        covers = [(e.low or 0) - SLACK <= true[j] <= (e.high or 0) + SLACK for e in told]
        wide = np.mean([e.method == CARRIED for e in told])
        width = np.mean([(e.high or 0) - (e.low or 0) for e in told])
        print(
            f"{world.name}, {design}, {place}, {name}: true {true[j]:.3f}, covered {np.mean(covers):.3f}, width {width:.2f}, "
            f"too few {few:.2f}, wide bound {wide:.2f}"
        )
        if few < 0.5:
            assert np.mean(covers) >= 0.90 - 2 * math.sqrt(0.09 / len(told)), name


@pytest.mark.long
@pytest.mark.parametrize(("levels", "shift"), list(product((2, 4), (0.0, 0.6))))
def test_the_range_covers(levels: int, shift: float) -> None:
    world = World("levels", 1.5, 2.2, shift, 1.2)
    generator = np.random.default_rng(levels)
    means = world.hits(TRUTH_ITEMS, 1, (levels,), 3, np.random.default_rng(0)).mean(axis=0) / 3
    true = float(np.ptp(means)) if shift else 0.0
    covers = []
    for seed in range(REPLICATES):
        table = crossed(world.hits(60, 2, (levels,), 3, generator), 3, ("a",), np.arange(60) // 2)
        found = factor_levels(table, 0, seed, RESAMPLES).range
        covers.append((found.low or 0) - SLACK <= true <= (found.high or 0) + SLACK)
    print(f"range of {levels} levels, true {true:.3f}: covered {np.mean(covers):.3f}")
    assert np.mean(covers) >= 0.93 - 2 * math.sqrt(0.07 * 0.93 / REPLICATES)
