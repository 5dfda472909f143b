"""How much of the spread in answers is the cases, each factor, and asking again: shares with intervals.

| the data | the interval of a share |
|---|---|
| 15 families, 10 with a hit and 10 with a miss, 5 that show the part | studentised family bootstrap |
| fewer, or no spread over resamples | what items show of it at most (Korn-Graubard), the total held as observed |
| under 10 items, or under 5 families with a hit, with a miss, or at all | none: too few |

The interval is about other families of cases under these very levels, never about other levels: two templates say
nothing about templates at large. The bootstrap's pivots are centred at the value in the population of these families
(all pairs of items), since the estimate itself takes pairs of different families only.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from scipy.special import stdtrit

from bench.measure.counts import FamilyVectors, Floats
from bench.measure.estimand import (
    BOOTSTRAP_FAMILIES,
    BOOTSTRAP_SIDES,
    FEW_FAMILIES,
    FEW_ITEMS,
    LEVEL,
    RESAMPLES,
    STUDENTISED,
)  # fmt: skip
from bench.measure.estimate import TOO_FEW, Estimate, undefined_estimate
from bench.measure.means import mean_interval
from bench.measure.proportions import Bounds
from bench.measure.resampling import DUST, blocks
from bench.measure.variance import Component, Crossed, Moments

CARRIED = "interval of what items show, carried over"
THIN = "too thin to resample; a wide bound is printed"
DEGENERATE = "degenerate over resamples; a wide bound is printed"
# With fewer families that hold the rarer of hits and misses, the bootstrap of shares covered .81 to .89 (20 items).
FAMILIES_A_SIDE = 10
_STEP = 1e-4


@dataclass(frozen=True)
class Share:
    """One component: its variance (never below 0), whether the estimate was negative, and its share of the total."""

    component: Component
    variance: float | None
    negative: bool
    share: Estimate


@dataclass(frozen=True)
class Breakdown:
    """Where the spread comes from. ``undefined`` says why there is none; then the shares say so too."""

    shares: tuple[Share, ...]
    total: float | None
    items: int
    families: int
    undefined: str | None


def variance_breakdown(table: Crossed, seed: int, resamples: int = RESAMPLES, level: float = LEVEL) -> Breakdown:
    """How much of the spread of 0 / 1 answers is cases, each factor, their interactions, and asking again.

    Formula: components of variance of the random-effects design item x factors (x samples) by expected mean squares,
    over their sum; pairs of items of one family are left out of means' products, so that dependence within families
    adds to no factor. A negative estimate counts as 0 and is marked. Range 0 to 1, shares add to 1; no end is good:
    a large share of the cases is what a benchmark wants, one of a factor is what its user should fix. Undefined with
    fewer than 2 families, or where every answer is the same. Reference: Brennan 2001, Generalizability Theory, ch. 3
    and 5; Cornfield and Tukey 1956, Ann. Math. Stat. 27:907. Easily confused with significance, with how good a level
    is (see its accuracy), and with item x factor: a factor may hardly move the mean and yet decide which items go wrong.
    """
    moments = Moments(table.levels, table.samples)
    named = moments.named(table.factors)
    families = moments.family_vectors(table)
    reason = _why_undefined(table, families)
    if reason is not None:
        missing = tuple(Share(c, None, False, undefined_estimate(c.name, reason, families.families)) for c in named)
        return Breakdown(missing, None, len(table.hits), families.families, reason)
    raw = _gathered(moments, named, families.totals())
    intervals = _Intervals(table, moments, named, families, level).of_all(seed, resamples)
    shares = tuple(
        Share(c, max(float(value), 0.0), bool(value < -DUST), estimate)
        for c, value, estimate in zip(named, raw, intervals, strict=True)
    )
    return Breakdown(shares, float(np.maximum(raw, 0).sum()), len(table.hits), families.families, None)


def _why_undefined(table: Crossed, families: FamilyVectors) -> str | None:
    if families.families < 2:
        return f"{families.families} families with items scored in every cell, 2 are needed"
    if not np.any(table.hits) or np.all(table.hits == table.samples):
        return "every answer is the same: there is no spread"
    return None


def _gathered(moments: Moments, named: tuple[Component, ...], sums: Floats, *, between: bool = True) -> Floats:
    """Variances (..., components), those that are told together added up."""
    every = moments.components(sums, between=between)
    return np.stack([every[..., list(component.parts)].sum(axis=-1) for component in named], axis=-1)


@dataclass(frozen=True, eq=False)
class _Intervals:
    table: Crossed
    moments: Moments
    named: tuple[Component, ...]
    families: FamilyVectors
    level: float

    def shares(self, sums: Floats, *, between: bool = True) -> Floats:
        """Over the sum of what is not negative; a negative component stays negative here, so that it has a spread."""
        raw = _gathered(self.moments, self.named, sums, between=between)
        total = np.maximum(raw, 0).sum(axis=-1, keepdims=True)
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.asarray(np.where(total > DUST, raw / total, np.nan))

    def of_all(self, seed: int, resamples: int) -> list[Estimate]:
        values = self.shares(self.families.totals())
        if len(self.table.hits) < FEW_ITEMS or self._scarcer_side() < FEW_FAMILIES:
            return [self._estimate(j, values, None, "none", TOO_FEW, 0) for j in range(len(self.named))]
        few = self.families.families < BOOTSTRAP_FAMILIES or self._scarcer_side() < FAMILIES_A_SIDE
        thin = [few or self._showing(c) < BOOTSTRAP_SIDES for c in self.named]
        carried = self._carried(seed, resamples)
        if all(thin):
            return [self._estimate(j, values, carried[j], CARRIED, THIN, 0) for j in range(len(thin))]
        drawn = blocks(self.families.multiplicity, self.families.stratum, seed, resamples)
        bounds, undefined = self._studentised(values, drawn)
        told = []
        for j, found in enumerate(bounds):
            if thin[j]:
                told.append(self._estimate(j, values, carried[j], CARRIED, THIN, 0))
            elif found is None or found[1] <= 0 or found[0] >= 1:
                told.append(self._estimate(j, values, carried[j], CARRIED, DEGENERATE, undefined))
            else:
                told.append(self._estimate(j, values, found, STUDENTISED, None, undefined))
        return told

    def _scarcer_side(self) -> int:
        """How many families hold a hit, or a miss, whichever are fewer."""
        hits, known = self.table.hits, self.table.families
        spread = tuple(range(1, hits.ndim))
        sides = (hits > 0).any(axis=spread), (hits < self.table.samples).any(axis=spread)
        return min(len(np.unique(known[side])) for side in sides)

    def _estimate(
        self, j: int, values: Floats, bounds: Bounds | None, method: str, note: str | None, undefined: int
    ) -> Estimate:
        name, value = self.named[j].name, float(min(max(values[j], 0.0), 1.0))
        low, high = (None, None) if bounds is None else (max(min(bounds[0], value), 0), min(max(bounds[1], value), 1))
        return Estimate(name, value, low, high, method, self.families.families, note, undefined_resamples=undefined)

    def _showing(self, component: Component) -> int:
        """How many families hold an item that shows the component; every family does the cases."""
        shown = np.ones(len(self.table.hits)) if component.effects == ((),) else self._shown(component)[0]
        return len(np.unique(self.table.families[shown > DUST]))

    def _shown(self, component: Component) -> tuple[Floats, float]:
        return self.moments.shown(self.table, component)

    def _carried(self, seed: int, resamples: int) -> list[Bounds]:
        """From what items show of a component at most, the total held as observed; at least for the cases."""
        total = float(np.maximum(_gathered(self.moments, self.named, self.families.totals()), 0).sum())
        bounds = []
        for component in self.named:
            shown, most = self._shown(component)
            found = mean_interval("shown", shown, self.table.families, seed, None, resamples, self.level)
            reach = (found.high or 0.0) * most / total
            bounds.append((1 - reach, 1.0) if component.effects == ((),) else (0.0, reach))
        return bounds

    def _studentised(self, values: Floats, drawn: Iterable[Floats]) -> tuple[list[Bounds | None], int]:
        centre = self.shares(self.families.totals(), between=False)
        errors = self._errors(self.families.multiplicity[None, :].astype(np.float64))[0]
        pairs = [(self.shares(block @ self.families.vectors), self._errors(block)) for block in drawn]
        replicates, spreads = (np.concatenate(column) for column in zip(*pairs, strict=True))
        defined = np.isfinite(replicates).all(axis=1)
        t = float(stdtrit(self.families.families - 1, (1 + self.level) / 2))
        bounds: list[Bounds | None] = []
        for j, error in enumerate(errors):
            found, spread = replicates[defined, j], spreads[defined, j]
            usable = np.isfinite(spread) & (spread > DUST)
            if not error > DUST or not usable.any() or np.ptp(found) <= DUST:
                bounds.append(None)
                continue
            # A resample of one mind has no error of its own; half the smallest one seen keeps its pivot finite.
            pivots = (found - centre[j]) / np.where(usable, spread, float(spread[usable].min()) / 2)
            low, high = np.quantile(pivots, [(1 - self.level) / 2, (1 + self.level) / 2])
            bounds.append((values[j] - max(float(high), t) * error, values[j] - min(float(low), -t) * error))
        return bounds, int(np.sum(~defined))

    def _errors(self, drawn: Floats) -> Floats:
        """Delta-method standard errors of all shares in each resample of ``drawn`` (B, D), shape (B, shares)."""
        vectors, count = self.families.vectors, self.families.families
        sums = drawn @ vectors
        steps = _STEP * np.eye(vectors.shape[1])
        slopes = np.stack([(self.shares(sums + s) - self.shares(sums - s)) / (2 * _STEP) for s in steps], axis=1)
        variances = []
        for j in range(slopes.shape[-1]):
            influence = slopes[..., j] @ vectors.T
            middle = (drawn * influence).sum(axis=1, keepdims=True) / count
            variances.append((drawn * (influence - middle) ** 2).sum(axis=1) * count / (count - 1))
        return np.asarray(np.sqrt(np.stack(variances, axis=-1)))
