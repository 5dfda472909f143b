"""More than two categories: accuracy, precision and recall per category, their macro averages, Cohen's kappa.

Everything is a function of one table: how many items have this label and that verdict, per family. It is made for a
handful of categories; the two sides must use the same label set (:mod:`bench.measure.labels`).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from bench.measure.counts import FamilyVectors, Floats, Integers, compress
from bench.measure.estimand import LEVEL, RESAMPLES, Estimand, shortage
from bench.measure.estimate import Estimate, undefined_estimate
from bench.measure.intervals import interval, proportion_interval
from bench.measure.labels import Categories, Category, plain, same_label_set
from bench.measure.means import sum_families
from bench.measure.metrics import METRICS
from bench.measure.proportions import Bounds, Share, korn_graubard, share_of
from bench.measure.resampling import draw

_CARRIED = "Korn-Graubard of accuracy, carried over"
_JOINED = "Korn-Graubard per category, joined (MOVER)"


@dataclass(frozen=True, eq=False)
class CategoryTable:
    """Items by label and verdict, per family: cell K * label + verdict, numbered in the order of ``categories``."""

    categories: tuple[Category, ...]
    families: FamilyVectors

    def items(self) -> Floats:
        """All items by label (rows) and verdict (columns), shape (K, K)."""
        return _square(self.families.totals(), len(self.categories))

    def against_the_rest(self, category: Category) -> FamilyVectors:
        """(tp, fp, fn, tn) per family, with this category as yes and all others as no: what count metrics take."""
        here = self.categories.index(category)
        yes, said = (cells == here for cells in _cells(len(self.categories)))
        return self.families.merged(np.column_stack([yes & said, ~yes & said, yes & ~said, ~yes & ~said]).astype(float))


def count_categories(
    labels: Categories,
    verdicts: Categories,
    families: ArrayLike,
    strata: ArrayLike | None = None,
    declared: Categories | None = None,
) -> CategoryTable:
    """The table of one row per scored item; ValueError when labels and verdicts use different label sets."""
    ours, theirs = plain(labels), plain(verdicts)
    known = same_label_set(ours, theirs, declared)
    number = {value: index for index, value in enumerate(known)}
    cells = [len(known) * number[label] + number[verdict] for label, verdict in zip(ours, theirs, strict=True)]
    rows = np.zeros((len(cells), len(known) ** 2))
    rows[np.arange(len(cells)), cells] = 1
    return CategoryTable(known, sum_families(rows, rows, families, strata) if known else compress(rows, rows, []))


def accuracy(table: CategoryTable, level: float = LEVEL) -> Estimate:
    """The share of items whose verdict is the label.

    Formula: sum of n_ii / N. Range 0 to 1, high is good; undefined without items. Reference: Powers 2011, J. Machine Learning
    Technologies 2(1):37-63. Easily confused with macro recall, which weighs categories alike, and with the mean of the
    accuracies of subsets.
    """
    if not table.items().sum():
        return undefined_estimate("accuracy", "0 items")
    share = _agreement(table)
    method, (low, high), note = proportion_interval(share, False, level)
    return Estimate(
        "accuracy", share.value, low, high, method, share.families, note,
        numerator=round(table.items().trace()), denominator=round(table.items().sum()),
    )  # fmt: skip


def precision_and_recall(table: CategoryTable, level: float = LEVEL) -> dict[Category, tuple[Estimate, Estimate]]:
    """Per category: of the items called so, the share labelled so; of the items labelled so, the share called so.

    Formula: n_ii / n_.i and n_ii / n_i. (rows are labels). Range 0 to 1, high is good; precision is undefined for a
    category that was never called, recall for one that was never labelled. Reference: Powers 2011, J. Machine Learning
    Technologies 2(1):37-63. Easily confused with each
    other, and with the one-sided precision of a yes / no statement.
    """
    found = {}
    for category in table.categories:
        one = table.against_the_rest(category)
        precision, recall = (interval(METRICS[name], one, 0, level=level) for name in ("precision", "recall"))
        found[category] = _because(precision, f"0 predicted {category}"), _because(recall, f"0 labelled {category}")
    return found


def macro(
    of: Literal["precision", "recall"],
    table: CategoryTable,
    seed: int,
    resamples: int = RESAMPLES,
    level: float = LEVEL,
) -> Estimate:
    """The plain mean of precision or recall over the categories that occur among the labels.

    Formula: sum of n_ii / n_.i (precision) or n_ii / n_i. (recall) over the K categories with n_i. > 0, over K. Range 0
    to 1, high is good (macro recall is 1 / K by chance). Undefined without items, and for precision when a
    labelled category was never called; a category that is never labelled has no part in it and is named in the note.
    Reference: Sokolova and Lapalme 2009, Inf. Process. Manag. 45:427. Easily confused with the micro average, which is
    accuracy, and with averages that count an absent category as 0 or 1.
    """
    name, items = f"macro_{of}", table.items()
    present = [index for index, labelled in enumerate(items.sum(axis=1)) if labelled]
    if not present:
        return undefined_estimate(name, "0 items")
    axis = 0 if of == "precision" else 1
    empty = [f"0 predicted {table.categories[i]}" for i in present if not items.sum(axis=axis)[i]]
    if empty:
        return undefined_estimate(name, ", ".join(empty))
    width, cells = len(table.categories), _cells(len(table.categories))[1 - axis]
    shares = [share_of(table.families, (i * width + i,), tuple(np.flatnonzero(cells == i).tolist())) for i in present]

    def mean(sums: Floats) -> Floats:
        square = _square(sums, width)
        hits = np.diagonal(square, axis1=-2, axis2=-1)
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.asarray((hits / square.sum(axis=axis - 2))[..., present].mean(axis=-1))

    note = shortage(min(s.size for s in shares), min(s.families for s in shares), min(s.sides for s in shares))
    drawn = draw(table.families.multiplicity, table.families.stratum, seed, resamples) if note is None else None
    target = Estimand(
        name, mean, table.families, 0.0, 1.0, min(s.families for s in shares), lambda: _mover(shares, level), _JOINED, note
    )  # fmt: skip
    estimate = target.estimate(drawn, level)
    absent = [f"0 labelled {category}" for i, category in enumerate(table.categories) if i not in present]
    notes = [text for text in (estimate.note, ", ".join(absent)) if text]
    return replace(estimate, note="; ".join(notes) or None)


def cohen_kappa(table: CategoryTable, seed: int, resamples: int = RESAMPLES, level: float = LEVEL) -> Estimate:
    """Agreement beyond what both sides' use of the categories would give by chance, as a share of what was possible.

    Formula: (p_o - p_e) / (1 - p_e), p_e = sum of p_i. p_.i; categories are nominal. Range -1 to 1, 0 is chance, high is good;
    undefined without items and when either side used one category only. Reference: Cohen 1960, Educ. Psychol. Meas.
    20:37-46. Easily confused with accuracy, with weighted kappa, and with Krippendorff's alpha.
    """
    items = table.items()
    if not items.sum():
        return undefined_estimate("cohen_kappa", "0 items")
    share = _agreement(table)
    for side, used in (("labels", items.sum(axis=1)), ("verdicts", items.sum(axis=0))):
        if np.count_nonzero(used) == 1:
            only = table.categories[int(used.argmax())]
            return undefined_estimate("cohen_kappa", f"{side} hold 1 category only ({only})", share.families)
    chance = float(_chance(items))

    def statistic(sums: Floats) -> Floats:
        square = _square(sums, len(table.categories))
        with np.errstate(divide="ignore", invalid="ignore"):
            observed = np.trace(square, axis1=-2, axis2=-1) / square.sum(axis=(-2, -1))
            expected = _chance(square)
            return np.asarray(np.where(expected < 1, (observed - expected) / (1 - expected), np.nan))

    def exact() -> Bounds:
        low, high = korn_graubard(share, level)
        return (low - chance) / (1 - chance), (high - chance) / (1 - chance)

    note = shortage(share.size, share.families, share.sides)
    drawn = draw(table.families.multiplicity, table.families.stratum, seed, resamples) if note is None else None
    target = Estimand("cohen_kappa", statistic, table.families, -1.0, 1.0, share.families, exact, _CARRIED, note)
    return target.estimate(drawn, level)


def _because(estimate: Estimate, reason: str) -> Estimate:
    return estimate if estimate.value is not None else replace(estimate, undefined=reason)


def _cells(width: int) -> tuple[Integers, Integers]:
    """Label and verdict number of each cell."""
    return np.repeat(np.arange(width), width), np.tile(np.arange(width), width)


def _square(sums: Floats, width: int) -> Floats:
    return sums.reshape(*sums.shape[:-1], width, width)


def _agreement(table: CategoryTable) -> Share:
    width = len(table.categories)
    return share_of(table.families, tuple(range(0, width * width, width + 1)), tuple(range(width * width)))


def _chance(square: Floats) -> Floats:
    both = square.sum(axis=-1) * square.sum(axis=-2)
    return np.asarray(both.sum(axis=-1) / square.sum(axis=(-2, -1)) ** 2)


def _mover(shares: Sequence[Share], level: float) -> Bounds:
    """Bounds of a mean of shares by the square-root rule (MOVER, Zou and Donner 2008, Statistics in Medicine 27:1693)."""
    middle = sum(share.value for share in shares) / len(shares)
    bounds = [(share.value, *korn_graubard(share, level)) for share in shares]
    down = math.hypot(*(value - low for value, low, _ in bounds)) / len(shares)
    return middle - down, middle + math.hypot(*(high - value for value, _, high in bounds)) / len(shares)
