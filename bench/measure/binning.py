"""Which stated probabilities share a bin. Tied probabilities always do, so that no order of rows can move a figure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from bench.measure.counts import Floats, Integers

Kind = Literal["distinct", "equal mass", "equal width"]


@dataclass(frozen=True)
class Binning:
    """A rule for bins; its text is printed beside every number that rests on it."""

    kind: Kind
    bins: int = 0

    def __post_init__(self) -> None:
        if (self.kind == "distinct") != (self.bins == 0) or self.bins < 0:
            raise ValueError(f"{self.kind}: {self.bins} bins; distinct bins have no number, all others at least 1")

    def __str__(self) -> str:
        if self.kind == "distinct":
            return "each distinct probability a bin"
        return f"{self.bins} {self.kind.replace(' ', '-')} bins, ties whole"


DISTINCT = Binning("distinct")


@dataclass(frozen=True, eq=False)
class Bins:
    """The bin of each row, and for each bin (K,) its number of items and the sum of their probabilities.

    Bins without items are dropped; ``empty`` counts them.
    """

    of_row: Integers
    sizes: Floats
    stated: Floats
    empty: int

    def __len__(self) -> int:
        return len(self.sizes)


def assign_bins(stated: Floats, binning: Binning) -> Bins:
    """Put each row's probability, shape (rows,), into a bin.

    Equal-width bins are closed below (the last one above too). Equal-mass bins take each block of ties where its
    middle falls among the sorted items, so that they may differ in size.
    """
    values, row, counts = np.unique(stated, return_inverse=True, return_counts=True)
    wanted = _bin_of_value(values, counts, binning)
    used, of_value = np.unique(wanted, return_inverse=True)
    of_value = of_value.reshape(-1).astype(np.int64)
    sizes = np.bincount(of_value, counts, minlength=len(used)).astype(np.float64)
    # Count times value is exact where a sum of equal values is not (200 times .9 is 180).
    sums = np.bincount(of_value, counts * values, minlength=len(used)).astype(np.float64)
    return Bins(of_value[row.reshape(-1)], sizes, sums, max(binning.bins - len(used), 0))


def _bin_of_value(values: Floats, counts: Integers, binning: Binning) -> Integers:
    if binning.kind == "distinct":
        return np.arange(len(values))
    if binning.kind == "equal width":
        edges = np.linspace(0, 1, binning.bins + 1)
        place = np.searchsorted(edges, values, side="right") - 1
    else:
        middle = 2 * np.cumsum(counts) - counts
        place = middle * binning.bins // (2 * counts.sum())
    return np.minimum(place, binning.bins - 1)
