"""From lines to items: a judge of several samples answers an item once all of them are there; each counts once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bench.monitoring.exchangeability import Floats, Integers

ALONE = np.uint64(0)  # the top bit of a line that stands for itself


@dataclass(frozen=True, eq=False)
class Items:
    """Items in the order in which they were complete; ``position`` is the line, from 0, that completed each.

    ``value`` is NaN and ``yes`` is -1 where there is none.
    """

    position: Integers
    scored: NDArray[np.bool_]
    value: Floats
    yes: Integers
    repeats: int
    incomplete: int


def closed_items(
    item: NDArray[Any], sample: NDArray[Any], scored: NDArray[Any], value: NDArray[Any], yes: NDArray[Any], samples: int
) -> Items:
    """One outcome per item from lines in their order, as the gate makes it.

    An item is complete at the line that brings its last sample; its value is the mean over scored samples, its yes their
    majority, and a tie is unscored. What comes later about it is a repeat and moves nothing, so that a longer file
    never changes what a shorter one said. An item whose top bit is clear is a line that stands for itself.
    """
    names = np.asarray(item, dtype=np.uint64)
    lines = _first_of_each(names, np.asarray(sample, dtype=np.int64))
    group, size = _groups(names[lines])
    needed = np.where(names[lines] >> np.uint64(63) == ALONE, 1, samples)
    rank = np.arange(len(lines)) - (np.cumsum(size) - size)[group]
    whole = size[group] >= needed
    taken = lines[whole & (rank < needed)]
    group, size = _groups(names[taken])
    ends = taken[np.cumsum(size) - 1] if len(taken) else taken
    voted = np.asarray(scored, dtype=bool)[taken]
    said = np.where(voted, np.asarray(yes, dtype=np.int64)[taken], -1)
    ayes, noes = (np.bincount(group[said == side], minlength=len(size)) for side in (1, 0))
    tied = (ayes == noes) & (ayes > 0)
    held = (np.bincount(group[voted], minlength=len(size)) > 0) & ~tied
    mean = np.where(held, _means(group, np.where(voted, np.asarray(value, float)[taken], np.nan), len(size)), np.nan)
    majority = np.where(held & (ayes + noes > 0), ayes > noes, -1)
    order = np.argsort(ends)
    repeats, incomplete = len(names) - len(taken) - int((~whole).sum()), len(np.unique(names[lines[~whole]]))
    return Items(ends[order], held[order], mean[order], majority[order], repeats, incomplete)


def _first_of_each(names: NDArray[np.uint64], sample: Integers) -> Integers:
    """Positions of the first line of each item and sample, by item and then by position."""
    order = np.lexsort((np.arange(len(names)), sample, names))
    new = np.ones(len(order), dtype=bool)
    new[1:] = (names[order][1:] != names[order][:-1]) | (sample[order][1:] != sample[order][:-1])
    first = order[new]
    return first[np.lexsort((first, names[first]))]


def _groups(sorted_names: NDArray[np.uint64]) -> tuple[Integers, Integers]:
    """The number of each entry's group, from 0, and the size of each group."""
    new = np.ones(len(sorted_names), dtype=bool)
    new[1:] = sorted_names[1:] != sorted_names[:-1]
    group = np.cumsum(new) - 1
    return group, np.bincount(group)


def _means(group: Integers, values: Floats, groups: int) -> Floats:
    """The mean of each group's numbers, NaN for none; added up by size, so that the order of lines moves no digit."""
    order = np.argsort(values, kind="stable")
    order = order[np.isfinite(values[order])]
    count = np.bincount(group[order], minlength=groups)
    total = np.bincount(group[order], weights=values[order], minlength=groups)
    return np.asarray(np.where(count > 0, total / np.maximum(count, 1), np.nan))
