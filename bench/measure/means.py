"""Means over items of values between 0 and 1, as sums and counts per family."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from bench.measure.counts import FamilyVectors, Floats, Integers, compress, family_codes
from bench.measure.estimand import LEVEL, RESAMPLES, Estimand, shortage
from bench.measure.estimate import Estimate, undefined_estimate
from bench.measure.proportions import korn_graubard, share_of
from bench.measure.resampling import blocks

_VALUE, _REST = 0, 1


def sum_families(
    values: ArrayLike, items: ArrayLike, families: ArrayLike, strata: ArrayLike | None = None
) -> FamilyVectors:
    """Sums per family of the columns of ``values`` (rows, C); ``items`` (rows, C) says what counts as items."""
    rows, counts = np.asarray(values, dtype=np.float64), np.asarray(items, dtype=np.float64)
    codes, stratum = family_codes(families, strata)
    if not len(rows) == len(counts) == len(codes):
        raise ValueError(f"one entry per row is wanted, found {len(rows)}, {len(counts)} and {len(codes)}")
    # Floating sums depend on their order; a canonical one keeps row order out of the last digit.
    order = np.lexsort((*rows.T, codes))
    sums, numbers = (_sums(table[order], codes[order], len(stratum)) for table in (rows, counts))
    return compress(sums, numbers, stratum)


def mean_interval(
    name: str,
    values: ArrayLike,
    families: ArrayLike,
    seed: int,
    strata: ArrayLike | None = None,
    resamples: int = RESAMPLES,
    level: float = LEVEL,
) -> Estimate:
    """The mean of values in [0, 1], shape (items,), with a family-aware interval; undefined without items."""
    items = np.asarray(values, dtype=np.float64)
    if len(items) == 0:
        return undefined_estimate(name, "0 items")
    if not np.all((items >= 0) & (items <= 1)):
        raise ValueError(f"{name}: values must lie between 0 and 1")
    pairs, ones = np.column_stack([items, 1 - items]), np.column_stack([np.ones(len(items)), np.zeros(len(items))])
    summed = sum_families(pairs, ones, families, strata)
    share = share_of(summed, (_VALUE,), (_VALUE, _REST))
    sides = min(int(summed.multiplicity[summed.vectors[:, side] > 0].sum()) for side in (_VALUE, _REST))
    note = shortage(share.size, share.families, sides)
    drawn = blocks(summed.multiplicity, summed.stratum, seed, resamples) if note is None else None
    target = Estimand(
        name, _mean, summed, 0.0, 1.0, share.families, lambda: korn_graubard(share, level), "Korn-Graubard", note
    )
    return target.estimate(drawn, level)


def _mean(sums: Floats) -> Floats:
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(sums[..., _VALUE] / (sums[..., _VALUE] + sums[..., _REST]))


def _sums(table: Floats, codes: Integers, families: int) -> Floats:
    columns = [np.bincount(codes, weights=column, minlength=families) for column in table.T]
    return np.column_stack(columns)
