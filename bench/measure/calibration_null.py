"""What a perfectly calibrated judge would show: labels drawn from the judge's own probabilities, whole families at once.

Within a family each item takes, with chance sqrt(r), one draw that the family shares, else a draw of its own; an item
is yes when its draw lies under its probability. So two labels have the covariance r (min(p, q) - p q).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bench.measure.binning import Bins
from bench.measure.counts import Floats, Integers
from bench.measure.inputs import Truths

Singles = NDArray[np.float32]
NULL_DRAWS = 2_000
# Uniform numbers held at once.
_BLOCK = 400_000


@dataclass(frozen=True, eq=False)
class Null:
    """For each draw and bin the number of items that are yes, shape (draws, K)."""

    yes: Floats


def own_correlation(stated: Floats, yes: Truths, codes: Integers) -> float:
    """The dependence r of labels within families, by moments, between 0 and 1.

    Formula: sum over pairs in a family of (y - p)(y' - p'), over the sum of min(p, p') - p p'. Unbiased for a perfect
    judge; 0 without pairs; what is negative (twins of opposite labels) counts as 0, which widens the null.
    """
    order = np.lexsort((yes, stated, codes))
    p, gap, family = stated[order], (yes - stated)[order], codes[order]
    together = _canonical_sum(_pair_sums(gap, family))
    # In a family sorted by p each is the smaller one of its pairs with all that follow.
    sizes = np.bincount(family)
    place = np.arange(len(p)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    smaller = p * (sizes[family] - 1 - place)
    possible = _canonical_sum(np.bincount(family, smaller) - _pair_sums(p, family))
    return float(np.clip(together / possible, 0, 1)) if possible > 0 else 0.0


def draw_null(stated: Floats, bins: Bins, codes: Integers, correlation: float, seed: int, draws: int) -> Null:
    """Labels of a perfect judge, ``draws`` times, summed over bins; ``codes`` are the rows' families as 0..F-1."""
    rows, family = _canonical(stated, codes)
    by_bin = np.argsort(bins.of_row[rows], kind="stable")
    p, family, of_bin = stated[rows][by_bin].astype(np.float32), family[by_bin], bins.of_row[rows][by_bin]
    starts = np.flatnonzero(np.diff(of_bin, prepend=-1))
    generator = np.random.default_rng((seed, 2))
    step = max(1, _BLOCK // len(p))
    parts = []
    for start in range(0, draws, step):
        uniform = _uniform(generator, min(step, draws - start), family, correlation)
        parts.append(np.add.reduceat(uniform < p, starts, axis=1, dtype=np.int32))
    return Null(np.concatenate(parts).astype(np.float64))


def _uniform(generator: np.random.Generator, draws: int, family: Integers, correlation: float) -> Singles:
    shape = (draws, len(family))
    own = generator.random(shape, dtype=np.float32)
    if correlation == 0:
        return own
    shared = generator.random((draws, int(family.max()) + 1), dtype=np.float32)
    takes = generator.random(shape, dtype=np.float32) < np.sqrt(correlation)
    return np.where(takes, np.take(shared, family, axis=1), own)


def _canonical(stated: Floats, codes: Integers) -> tuple[Integers, Integers]:
    """Rows, and their families' new numbers, in an order that only what families hold decides, not rows or names."""
    order = np.lexsort((stated, codes))
    held = np.split(order, np.cumsum(np.bincount(codes))[:-1])
    contents = [tuple(stated[part].tolist()) for part in held]
    ranked = [held[i] for i in sorted(range(len(held)), key=contents.__getitem__)]
    return np.concatenate(ranked), np.repeat(np.arange(len(ranked)), [len(part) for part in ranked])


def _pair_sums(values: Floats, family: Integers) -> Floats:
    """The sum of products over the pairs of each family."""
    return (np.bincount(family, values) ** 2 - np.bincount(family, values**2)) / 2


def _canonical_sum(values: Floats) -> float:
    return float(np.sum(np.sort(values)))
