"""From rows to families: one vector of counts per family, kept as distinct vectors with multiplicities.

Everything later is a function of sums of these vectors, so the distinct vectors hold all there is to know, the cost
of a bootstrap does not grow with rows, and neither row order nor the names of families or strata can move a figure.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bench.measure.inputs import same_rows, truths

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

CELLS = ("tp", "fp", "fn", "tn")
# Cell 4 * label + 2 * verdict A + verdict B: 0 is no no no, 7 is yes yes yes.
JOINT_WIDTH = 8
# Where cell 2 * label + verdict stands in CELLS: no/no -> tn, no/yes -> fp, yes/no -> fn, yes/yes -> tp.
_CELL_OF_BITS = np.array([3, 1, 2, 0])


@dataclass(frozen=True, eq=False)
class FamilyVectors:
    """Distinct family vectors (D, C), how many families have each (D,), and their design stratum (D,).

    ``vectors`` may be weighted; ``items`` holds the same cells as plain numbers of items. Order is canonical.
    """

    vectors: Floats
    items: Floats
    multiplicity: Integers
    stratum: Integers

    @property
    def families(self) -> int:
        """How many families there are."""
        return int(self.multiplicity.sum())

    @property
    def weighted(self) -> bool:
        """Whether the vectors differ from plain counts."""
        return not np.array_equal(self.vectors, self.items)

    def totals(self) -> Floats:
        """The sum of all families' vectors, shape (C,)."""
        return np.asarray(self.multiplicity @ self.vectors, dtype=np.float64)

    def contributing(self, cells: tuple[int, ...]) -> int:
        """How many families have at least one item in these cells."""
        return int(self.multiplicity[self.items[:, list(cells)].sum(axis=1) > 0].sum())

    def merged(self, matrix: Floats) -> FamilyVectors:
        """The families after a linear map of their cells, (C, K); vectors that became equal are joined."""
        vectors, items = self.vectors @ matrix, self.items @ matrix
        return compress(vectors, items, self.stratum, self.multiplicity)


def count_families(
    labels: ArrayLike,
    verdicts: ArrayLike,
    families: ArrayLike,
    strata: ArrayLike | None = None,
    weights: ArrayLike | None = None,
) -> FamilyVectors:
    """Counts (tp, fp, fn, tn) per family from one row per item; all arguments have shape (rows,).

    Yes is True. A family lies in one design stratum; weights are positive and default to 1.
    """
    yes, said = truths(labels, "labels"), truths(verdicts, "verdicts")
    same_rows(labels=yes, verdicts=said, families=np.asarray(families))
    return _count(cells_of(yes, said), len(CELLS), families, strata, weights)


def cells_of(labels: NDArray[np.bool_], verdicts: NDArray[np.bool_]) -> Integers:
    """Where each row stands in ``CELLS``, shape (rows,)."""
    return np.asarray(_CELL_OF_BITS[2 * labels.astype(np.int64) + verdicts])


def count_joint(
    labels: ArrayLike,
    verdicts_a: ArrayLike,
    verdicts_b: ArrayLike,
    families: ArrayLike,
    strata: ArrayLike | None = None,
    weights: ArrayLike | None = None,
) -> FamilyVectors:
    """Counts over label x verdict A x verdict B (8 cells, bits in that order) per family; rows are common items."""
    yes, a, b = truths(labels, "labels"), truths(verdicts_a, "verdicts A"), truths(verdicts_b, "verdicts B")
    same_rows(labels=yes, verdicts_a=a, verdicts_b=b, families=np.asarray(families))
    return _count(4 * yes.astype(np.int64) + 2 * a + b, JOINT_WIDTH, families, strata, weights)


def compress(vectors: Floats, items: Floats, strata: ArrayLike, multiplicity: Integers | None = None) -> FamilyVectors:
    """Distinct (vector, items) pairs per stratum with multiplicities; strata ordered by content, not by name."""
    both = np.hstack([vectors, items])
    times = np.ones(len(both), dtype=np.int64) if multiplicity is None else multiplicity
    codes = np.unique(np.asarray(strata), return_inverse=True)[1].reshape(-1)
    parts = [_distinct(both[codes == code], times[codes == code]) for code in range(codes.max(initial=-1) + 1)]
    parts.sort(key=lambda part: (part[0].tolist(), part[1].tolist()))
    rows = np.vstack([part[0] for part in parts]) if parts else both
    counts = np.concatenate([part[1] for part in parts]) if parts else times
    sizes = [len(part[0]) for part in parts]
    width = vectors.shape[1]
    return FamilyVectors(rows[:, :width], rows[:, width:], counts, np.repeat(np.arange(len(parts)), sizes))


def family_codes(families: ArrayLike, strata: ArrayLike | None) -> tuple[Integers, Integers]:
    """Each row's family as 0..F-1, and each family's stratum code; a family in two strata is an error."""
    names, first, codes = np.unique(np.asarray(families), return_index=True, return_inverse=True)
    codes = codes.reshape(-1)
    if strata is None:
        return codes, np.zeros(len(names), dtype=np.int64)
    row_strata = np.unique(np.asarray(strata), return_inverse=True)[1].reshape(-1)
    same_rows(families=codes, strata=row_strata)
    torn = np.flatnonzero(row_strata != row_strata[first][codes])
    if len(torn):
        raise ValueError(f"family {names[codes[torn[0]]]!r} lies in two design strata; a family is drawn whole")
    return codes, row_strata[first]


def _count(
    cells: Integers, width: int, families: ArrayLike, strata: ArrayLike | None, weights: ArrayLike | None
) -> FamilyVectors:
    codes, stratum = family_codes(families, strata)
    shape = (len(stratum), width)
    slots = codes * width + cells
    items = np.bincount(slots, minlength=shape[0] * width).reshape(shape).astype(np.float64)
    if weights is None:
        return compress(items, items, stratum)
    mass = _weights(weights, len(cells))
    # Floating sums depend on their order; a canonical one keeps row order out of the last digit.
    order = np.lexsort((mass, slots))
    sums = np.bincount(slots[order], weights=mass[order], minlength=shape[0] * width)
    return compress(sums.astype(np.float64).reshape(shape), items, stratum)


def _distinct(rows: Floats, times: Integers) -> tuple[Floats, Integers]:
    order = np.lexsort(rows.T[::-1])
    rows, times = rows[order], times[order]
    new = np.ones(len(rows), dtype=bool)
    new[1:] = (rows[1:] != rows[:-1]).any(axis=1)
    starts = np.flatnonzero(new)
    return rows[starts], np.add.reduceat(times, starts) if len(starts) else times


def _weights(values: ArrayLike, rows: int) -> Floats:
    mass = np.asarray(values, dtype=np.float64)
    if mass.shape != (rows,) or not np.all(np.isfinite(mass)) or np.any(mass <= 0):
        raise ValueError(f"weights must be {rows} positive finite numbers")
    return mass
