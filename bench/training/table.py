"""Rows as arrays: what every candidate is fitted to, made once."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bench.judges.head.features import COLUMNS, hashed_words
from bench.judges.head.signals import SIGNALS
from bench.training.material import Row
from bench.training.solve import Floats, Integers

BITS = 12  # of the hashed words


@dataclass(frozen=True, eq=False)
class Table:
    """All rows of a material. Columns hold NaN where a session has no value."""

    yes: NDArray[np.bool_]  # (rows,)
    family: Integers  # (rows,) numbered in the order of the rows
    primary: NDArray[np.bool_]  # (rows,)
    columns: Floats  # (rows, COLUMNS)
    patterns: Floats  # (patterns, SIGNALS): the distinct sets of signals that events show
    events: Floats  # (rows, patterns): how many events of a row show the set
    cited: Floats  # (rows, patterns): how many of them are cited for a yes, by share of annotators
    words: Floats  # (rows, 2^BITS)

    def __len__(self) -> int:
        return len(self.yes)


def table_of(rows: Sequence[Row]) -> Table:
    """The arrays of these rows, which stand in canonical order."""
    numbers: dict[str, int] = {}
    family = [numbers.setdefault(row.family, len(numbers)) for row in rows]
    distinct = sorted({names for row in rows for names in row.seen.signals})
    place = {names: i for i, names in enumerate(distinct)}
    events, cited = np.zeros((len(rows), len(distinct))), np.zeros((len(rows), len(distinct)))
    words = np.zeros((len(rows), 1 << BITS))
    for i, row in enumerate(rows):
        for names in row.seen.signals:
            events[i, place[names]] += 1
        for at, share in row.cited:
            cited[i, place[row.seen.signals[at]]] += share
        for cell, value in hashed_words(row.projection, BITS).items():
            words[i, cell] = value
    columns = [[_number(row.seen.columns[name]) for name in COLUMNS] for row in rows]
    patterns = [[float(name in names) for name in SIGNALS] for names in distinct]
    return Table(
        np.array([row.yes for row in rows], dtype=bool),
        np.array(family, dtype=np.int64),
        np.array([row.primary for row in rows], dtype=bool),
        np.array(columns, dtype=np.float64).reshape(len(rows), len(COLUMNS)),
        np.array(patterns, dtype=np.float64).reshape(len(distinct), len(SIGNALS)),
        events,
        cited,
        words,
    )


def _number(value: float | None) -> float:
    return math.nan if value is None else value
