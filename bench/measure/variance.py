"""Where the spread of answers comes from: variance components of items crossed with factors, asked several times.

References: Brennan 2001, Generalizability Theory, ch. 3 and 5 (random-effects designs by expected mean squares);
Cornfield and Tukey 1956, Annals of Mathematical Statistics 27:907 (the expectations themselves).
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain, combinations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bench.measure.counts import FamilyVectors, Floats, Integers, compress

ITEM, SAMPLES = "item", "samples"
HIGHER = "higher interactions"
NOISE = "item x everything and noise, not separable"
Names = NDArray[np.generic]
Effect = tuple[int, ...]  # positions of factors, ascending


@dataclass(frozen=True)
class Component:
    """A component as it is told: its name, the effects of factors that it holds, and which of the computed ones it adds up.

    The cases themselves hold the empty effect, samples hold none.
    """

    name: str
    effects: tuple[Effect, ...]
    parts: tuple[int, ...]


@dataclass(frozen=True, eq=False)
class Crossed:
    """Every item answered in every cell: ``hits`` (items, levels of factor 1, of factor 2, ...) of ``samples`` each."""

    hits: Integers
    samples: int
    factors: tuple[str, ...]
    families: Names

    @property
    def levels(self) -> tuple[int, ...]:
        return self.hits.shape[1:]

    @property
    def cells(self) -> int:
        return math.prod(self.levels)


def crossed(hits: ArrayLike, samples: int, factors: tuple[str, ...], families: ArrayLike) -> Crossed:
    """Let a table in: whole numbers from 0 to ``samples``, one axis a factor of at least two levels, one family an item."""
    table, family = np.asarray(hits), np.asarray(families)
    if table.dtype.kind not in "iu" and table.size:
        raise TypeError(f"hits must be whole numbers, not {table.dtype}")
    if table.ndim != len(factors) + 1 or not factors or min(table.shape[1:]) < 2:
        raise ValueError(f"one axis of at least two levels for each of {factors} is wanted, found shape {table.shape}")
    if len(table) != len(family):
        raise ValueError(f"one family an item is wanted, found {len(family)} for {len(table)} items")
    if samples < 1 or (table.size and not (table.min() >= 0 and table.max() <= samples)):
        raise ValueError(f"hits must lie between 0 and the {samples} samples")
    return Crossed(table.astype(np.int64), samples, factors, family)


@dataclass(frozen=True, eq=False)
class Moments:
    """Which sums of a family stand where, and how components follow from them.

    A family's vector: items, items squared, hits by cell, then for each effect the squares of the items' hits and of
    the family's, and last hits times misses. All are whole numbers, so no order of rows can move a digit.
    """

    levels: tuple[int, ...]
    samples: int

    @property
    def effects(self) -> list[Effect]:
        """Every set of factors, the empty one first."""
        places = range(len(self.levels))
        return list(chain.from_iterable(combinations(places, size) for size in range(len(self.levels) + 1)))

    def size(self, effect: Effect) -> int:
        """How many combinations of levels the effect has."""
        return math.prod(self.levels[place] for place in effect)

    def named(self, factors: tuple[str, ...]) -> tuple[Component, ...]:
        """What is told: items, factors, pairs; what is of higher order in one sum; and samples.

        One sample a cell cannot be told from the interaction of the item with everything.
        """
        effects, full = self.effects, self.effects[-1]
        words = {effect: " x ".join(factors[place] for place in effect) for effect in effects}
        of_items = {effect: len(effects) - 1 + number for number, effect in enumerate(effects)}
        found = [Component(ITEM, ((),), (of_items[()],))]
        found += [Component(words[e], (e,), (n,)) for n, e in enumerate(effects[1:]) if len(e) <= 2]
        apart = [e for e in effects if self.samples > 1 or e != full]
        found += [Component(f"{ITEM} x {words[e]}", (e,), (of_items[e],)) for e in apart if len(e) == 1]
        rest = [(e, n) for n, e in enumerate(effects[1:]) if len(e) > 2]
        rest += [(e, of_items[e]) for e in apart if len(e) > 1]
        if self.samples == 1:
            rest.append((full, of_items[full]))
        if rest:
            summed = tuple(dict.fromkeys(e for e, _ in rest))
            found.append(Component(HIGHER if self.samples > 1 else NOISE, summed, tuple(n for _, n in rest)))
        return (*found, Component(SAMPLES, (), (2 * len(effects) - 1,))) if self.samples > 1 else tuple(found)

    def shown(self, table: Crossed, component: Component) -> tuple[Floats, float]:
        """How far each item shows the component, 0 to 1, and how large it is at most where that is 1 on the mean.

        An item shows an effect of factors in its own swing, of samples where they differ; for the cases themselves, what
        is told is everything that differs within an item. Swings hold noise and wider effects too: they bound from above.
        """
        hits = table.hits.astype(np.float64) / table.samples
        inside = tuple(range(1, hits.ndim))
        if component.effects == ((),):
            fewest = min(self.levels)  # of L levels' variance, an item's answers show at least 1 - 1 / L
            mean = hits.mean(axis=inside)
            return 4 * mean * (1 - mean), fewest / (4 * (fewest - 1))
        if not component.effects:
            return 4 * (hits * (1 - hits)).mean(axis=inside), self.samples / (4 * (self.samples - 1))
        swings = np.zeros(len(hits))
        for effect in component.effects:
            swing = sum(
                (-1.0) ** (len(effect) - len(part))
                * hits.mean(axis=tuple(c for c in inside if c - 1 not in part), keepdims=True)
                for part in _within(effect)
            )
            swings += np.mean(swing**2, axis=inside)
        most = max(self.size(e) / math.prod(self.levels[at] - 1 for at in e) for e in component.effects)
        return np.clip(np.round(4 * swings, 12), 0, 1), most / 4

    def marginal(self, cells: Floats, effect: Effect) -> Floats:
        """Sums of (..., levels) over all factors that are not in the effect, flat: (..., size)."""
        start = cells.ndim - len(self.levels)
        others = tuple(start + place for place in range(len(self.levels)) if place not in effect)
        summed = cells.sum(axis=others) if others else cells
        return np.asarray(summed.reshape(*cells.shape[:start], self.size(effect)))

    def family_vectors(self, table: Crossed) -> FamilyVectors:
        """The table as families."""
        hits = table.hits.astype(np.float64)
        codes = np.unique(table.families, return_inverse=True)[1].reshape(-1)
        count = int(codes.max(initial=-1)) + 1

        def of_family(values: Floats) -> Floats:
            summed = np.zeros((count, *values.shape[1:]))
            np.add.at(summed, codes, values)
            return summed

        items, sums = of_family(np.ones(len(hits))), of_family(hits)
        columns = [items, items**2, *sums.reshape(count, table.cells).T]
        for effect in self.effects:
            columns.append(of_family((self.marginal(hits, effect) ** 2).sum(axis=1)))
            columns.append((self.marginal(sums, effect) ** 2).sum(axis=1))
        columns.append(of_family((hits * (table.samples - hits)).reshape(len(hits), table.cells).sum(axis=1)))
        vectors = np.column_stack(columns)
        return compress(vectors, vectors, np.zeros(count, dtype=np.int64))

    def components(self, sums: Floats, *, between: bool = True) -> Floats:
        """Components (..., effects + items with effects + samples) of (..., C) sums, NaN where there are none.

        The mean of a product of two items is taken over pairs of different families, which for families of one is the
        expected-mean-squares estimate. ``between`` False takes all pairs: the value in a population of these families.
        """
        with np.errstate(divide="ignore", invalid="ignore"):
            return self._components(sums, between)

    def _components(self, sums: Floats, between: bool) -> Floats:
        items, squared = sums[..., 0], sums[..., 1]
        cells = math.prod(self.levels)
        means = sums[..., 2 : 2 + cells].reshape(*sums.shape[:-1], *self.levels)
        common: dict[Effect, Floats] = {}
        apart: dict[Effect, Floats] = {}
        for number, effect in enumerate(self.effects):
            size = self.size(effect)
            scale = size * (self.samples * cells / size) ** 2
            own, family = (sums[..., 2 + cells + 2 * number + k] for k in (0, 1))
            whole = (self.marginal(means, effect) ** 2).sum(axis=-1)
            pairs = (whole - family) / (items**2 - squared) if between else whole / items**2
            common[effect] = pairs / scale
            apart[effect] = own / items / scale - common[effect]
        noise = np.zeros_like(items)
        if self.samples > 1:
            noise = sums[..., -1] / (items * cells * self.samples * (self.samples - 1))
        of_factors, of_items = self._separated(common), self._separated(apart)
        full = self.effects[-1]
        of_items[full] = of_items[full] - noise / self.samples if self.samples > 1 else of_items[full]
        found = [of_factors[e] for e in self.effects[1:]] + [of_items[e] for e in self.effects] + [noise]
        return np.stack(found, axis=-1)

    def _separated(self, squares: dict[Effect, Floats]) -> dict[Effect, Floats]:
        """Components from mean squares of marginal means, by inclusion and exclusion over effects, twice."""
        mean_squares = {}
        for effect in self.effects:
            swing = sum((-1) ** (len(effect) - len(part)) * squares[part] for part in _within(effect))
            mean_squares[effect] = swing / math.prod(self.levels[place] - 1 for place in effect)
        return {
            effect: self.size(effect)
            * sum(
                (-1) ** (len(wider) - len(effect)) * mean_squares[wider]
                for wider in self.effects
                if set(effect) <= set(wider)
            )
            for effect in self.effects
        }


def _within(effect: Effect) -> Iterator[Effect]:
    return chain.from_iterable(combinations(effect, size) for size in range(len(effect) + 1))
