"""How good each level of a factor is, the rest averaged out, and how far the best and the worst level lie apart."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from bench.measure.counts import Floats
from bench.measure.estimand import BOOTSTRAP_SIDES, LEVEL, RESAMPLES
from bench.measure.estimate import Estimate, undefined_estimate
from bench.measure.means import mean_interval
from bench.measure.proportions import Bounds
from bench.measure.variance import Crossed


@dataclass(frozen=True)
class FactorLevels:
    """One factor: the mean of each level, in the table's order, and the range between the best and the worst."""

    means: tuple[Estimate, ...]
    range: Estimate


def factor_levels(
    table: Crossed, factor: int, seed: int, resamples: int = RESAMPLES, level: float = LEVEL
) -> FactorLevels:
    """How good each level of a factor is, the rest averaged out, and how far best and worst lie apart.

    Formula: mean of the hits over items, samples and the levels of all other factors; the range is the largest less
    the smallest. Range 0 to 1; for accuracy high is good, and a small range means that the choice matters little.
    Undefined without an item that is scored in every cell. The range's interval holds for every pair of levels at once
    (Bonferroni), so that picking the best and the worst costs nothing. Reference: simultaneous intervals of all
    pairs, Hochberg and Tamhane 1987, Multiple Comparison Procedures, ch. 2. Easily confused with the factor's share of
    the spread: a level may be worse on some items and better on as many others.
    """
    others = tuple(place for place in range(1, table.hits.ndim) if place != factor + 1)
    shares = table.hits.mean(axis=others) / table.samples
    means = tuple(
        mean_interval("mean", column, table.families, seed, None, resamples, level) for column in np.round(shares, 12).T
    )
    return FactorLevels(means, _range(shares, table, seed, resamples, level))


def _range(shares: Floats, table: Crossed, seed: int, resamples: int, level: float) -> Estimate:
    if len(shares) == 0:
        return undefined_estimate("range", "0 items")
    pairs = list(combinations(range(shares.shape[1]), 2))
    each = 1 - (1 - level) / len(pairs)
    bounds, found = [], []
    for a, b in pairs:
        gap, reach = _gap(shares[:, a] - shares[:, b], table, seed, resamples, each)
        bounds.append(reach)
        found.append((abs(float(shares[:, a].mean() - shares[:, b].mean())), gap))
    value, widest = max(found, key=lambda pair: pair[0])
    many = f", Bonferroni over {len(pairs)} pairs" if len(pairs) > 1 else ""
    low, high = max(low for low, _ in bounds), max(high for _, high in bounds)
    return replace(
        widest, value=value, low=min(low, value), high=min(max(high, value), 1.0), method=widest.method + many
    )


def _gap(differences: Floats, table: Crossed, seed: int, resamples: int, level: float) -> tuple[Estimate, Bounds]:
    """An estimate whose method and families hold for the distance of two levels, and how small and large that may be.

    Where few families show any difference, the mean distance within items bounds the distance of the means.
    """
    apart = np.round(np.abs(differences), 12)
    if len(np.unique(table.families[apart > 0])) < BOOTSTRAP_SIDES:
        gap = mean_interval("range", apart, table.families, seed, None, resamples, level)
        return gap, (0.0, 1.0 if gap.high is None else gap.high)
    halves = np.clip(np.round((1 + differences) / 2, 12), 0, 1)
    gap = mean_interval("range", halves, table.families, seed, None, resamples, level)
    low, high = 2 * (gap.low or 0.0) - 1, 2 * (1.0 if gap.high is None else gap.high) - 1
    return gap, (max(low, -high, 0.0), max(high, -low))
