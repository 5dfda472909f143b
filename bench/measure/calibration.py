"""Calibration error with its definition, its interval, and what a perfectly calibrated judge would show.

A plug-in calibration error is never zero by chance: it is read beside its null, which is drawn from the judge's own
probabilities (Broecker and Smith 2007, Weather and Forecasting 22:651; Vaicenavicius et al. 2019, AISTATS).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from bench.measure.binning import Binning, Bins, assign_bins
from bench.measure.calibration_null import NULL_DRAWS, Null, draw_null, own_correlation
from bench.measure.counts import FamilyVectors, Floats, Integers, family_codes
from bench.measure.estimand import DEGENERATE, LEVEL, shortage
from bench.measure.estimate import TOO_FEW, Estimate, undefined_estimate
from bench.measure.inputs import Truths, same_rows, truths
from bench.measure.inputs import probabilities as stated_probabilities
from bench.measure.means import sum_families
from bench.measure.resampling import DUST, blocks

Norm = Literal["l1", "l2", "max"]
CALIBRATION_RESAMPLES = 2_000
LABEL_MIX = "holds at this label mix only"
BOOTSTRAP = "family bootstrap of the bins' gaps"
UNSEEN = "room for kinds of families not seen"


TEN_EQUAL_MASS = Binning("equal mass", 10)


@dataclass(frozen=True)
class Definition:
    """Which calibration error: the norm over bins, and the bins."""

    norm: Norm = "l1"
    binning: Binning = TEN_EQUAL_MASS

    def __post_init__(self) -> None:
        if self.binning.kind == "distinct":
            raise ValueError("calibration error needs equal-mass or equal-width bins; distinct ones show noise only")

    def __str__(self) -> str:
        return f"{self.norm}, {self.binning}"


STANDARD = Definition()


@dataclass(frozen=True)
class Point:
    """One bin of the reliability curve; a perfect judge's share of yes lies in the band with the level's chance."""

    stated: float
    share_yes: float
    items: int
    families: int
    band_low: float
    band_high: float


@dataclass(frozen=True)
class Calibration:
    """A calibration error and what is needed to read it.

    ``null_mean`` and ``null_high`` (95th percentile) are those of a perfectly calibrated judge with the same
    probabilities and families; ``p_value`` is the share of such judges that look as bad; ``correlation`` is the
    dependence of labels within families that they were drawn with. All are None where the error is undefined.
    """

    definition: str
    error: Estimate
    items: int
    bins: int
    empty_bins: int
    null_mean: float | None = None
    null_high: float | None = None
    p_value: float | None = None
    correlation: float | None = None
    points: tuple[Point, ...] = ()


def calibration_error(
    probabilities: ArrayLike,
    labels: ArrayLike,
    families: ArrayLike,
    seed: int,
    strata: ArrayLike | None = None,
    definition: Definition = STANDARD,
    resamples: int = CALIBRATION_RESAMPLES,
    level: float = LEVEL,
) -> Calibration:
    """How far the stated probabilities of yes lie from the shares labelled yes, over bins of the probability.

    Formula, with gap g_k = share of yes - mean probability in bin k of n_k items: l1 sum n_k |g_k| / N, l2 square root
    of sum n_k g_k^2 / N, max the largest |g_k|. Range 0 to 1, low is good, but a perfect judge of 84 items in ten bins
    shows .11 by chance: compare with the null. Undefined without items. Reference: Naeini et al. 2015, AAAI (l1, max);
    Kumar et al. 2019, NeurIPS (l2). Easily confused with the Brier score, which also rewards sharpness, and with errors
    of the confidence in the chosen class. A judge that always says the prevalence has none.

    The interval holds bins as they are: its upper end is the bootstrap's, less the bias that it shows; its lower end is
    0 unless the null is refused, else the error less the norm of the resampled gaps' movement (triangle inequality).
    """
    stated, yes = stated_probabilities(probabilities), truths(labels, "labels")
    same_rows(probabilities=stated, labels=yes)
    if len(yes) == 0:
        return Calibration(str(definition), undefined_estimate("calibration_error", "0 items"), 0, 0, 0)
    bins = assign_bins(stated, definition.binning)
    codes, _ = family_codes(families, strata)
    correlation = own_correlation(stated, yes, codes)
    null = draw_null(stated, bins, codes, correlation, seed, NULL_DRAWS)
    found = np.bincount(bins.of_row, yes) - bins.stated
    value = float(norm_of(definition.norm, found, bins.sizes))
    chance = norm_of(definition.norm, null.yes - bins.stated, bins.sizes)
    p_value = (int(np.sum(chance >= value - DUST)) + 1) / (len(chance) + 1)
    summed = _gap_families(stated, yes, bins, families, strata)
    refused = p_value <= (1 - level) / 2
    return Calibration(
        str(definition), _interval(definition.norm, value, summed, refused, seed, resamples, level),
        len(yes), len(bins), bins.empty, float(np.mean(chance)), float(np.quantile(chance, 0.95)), p_value, correlation,
        _points(bins, yes, codes, null, level),
    )  # fmt: skip


def norm_of(norm: Norm, gaps: Floats, sizes: Floats) -> Floats:
    """The error from each bin's sum of label minus probability and its number of items, both (..., K); shape (...)."""
    held = np.maximum(sizes, 1e-300)
    total = np.sum(sizes, axis=-1)
    if norm == "l1":
        return np.asarray(np.abs(gaps).sum(axis=-1) / total)
    if norm == "l2":
        return np.asarray(np.sqrt((gaps**2 / held).sum(axis=-1) / total))
    return np.asarray(np.max(np.abs(gaps) / held, axis=-1))


def _gap_families(
    stated: Floats, yes: Truths, bins: Bins, families: ArrayLike, strata: ArrayLike | None
) -> FamilyVectors:
    """Per family: for each bin the sum of label minus probability, then for each bin the number of items."""
    rows, width = np.arange(len(yes)), len(bins)
    table, items = np.zeros((len(yes), 2 * width)), np.zeros((len(yes), 2 * width))
    table[rows, bins.of_row] = yes - stated
    table[rows, width + bins.of_row] = items[rows, width + bins.of_row] = 1
    return sum_families(table, items, families, strata)


def _interval(
    norm: Norm, value: float, summed: FamilyVectors, refused: bool, seed: int, resamples: int, level: float
) -> Estimate:
    families, items = summed.families, float(summed.items.sum(axis=1) @ summed.multiplicity)
    if shortage(items, families, families) == TOO_FEW:
        return _unseen(norm, value, families, level, TOO_FEW)
    errors, moves = _replicates(norm, summed, seed, resamples)
    if np.ptp(errors) <= DUST and np.max(moves) <= DUST:
        return _unseen(norm, value, families, level, DEGENERATE)
    tail = (1 - level) / 2
    high = float(np.quantile(errors, 1 - tail)) - max(float(np.mean(errors)) - value, 0.0)
    low = value - float(np.quantile(moves, 1 - tail)) if refused else 0.0
    return Estimate(
        "calibration_error", value, max(low, 0.0), min(max(high, value), 1.0), BOOTSTRAP, families, LABEL_MIX
    )  # fmt: skip


def _replicates(norm: Norm, summed: FamilyVectors, seed: int, resamples: int) -> tuple[Floats, Floats]:
    """In each resample the error, and the norm of how far the bins' gaps moved."""
    width = summed.vectors.shape[1] // 2
    whole = summed.totals()
    mean_gap = whole[:width] / whole[width:]
    errors, moves = [], []
    for block in blocks(summed.multiplicity, summed.stratum, (seed, 1), resamples):
        sums = block @ summed.vectors
        gaps, sizes = sums[:, :width], sums[:, width:]
        errors.append(norm_of(norm, gaps, sizes))
        moves.append(norm_of(norm, gaps - sizes * mean_gap, sizes))
    return np.concatenate(errors), np.concatenate(moves)


def _unseen(norm: Norm, value: float, families: int, level: float, note: str) -> Estimate:
    """A share q of families may be of kinds not seen; they can move l1 by no more than q, the others anywhere."""
    unseen = 1 - ((1 - level) / 2) ** (1 / families)
    low, high = (max((1 - unseen) * value - unseen, 0.0), (1 - unseen) * value + unseen) if norm == "l1" else (0.0, 1.0)
    return Estimate("calibration_error", value, low, high, UNSEEN, families, f"{note}; {LABEL_MIX}")


def _points(bins: Bins, yes: Truths, codes: Integers, null: Null, level: float) -> tuple[Point, ...]:
    found = np.bincount(bins.of_row, yes)
    count = int(codes.max()) + 1
    holding = np.bincount(np.unique(bins.of_row * count + codes) // count)
    low, high = np.quantile(null.yes / bins.sizes, [(1 - level) / 2, (1 + level) / 2], axis=0)
    return tuple(
        Point(
            float(bins.stated[k] / bins.sizes[k]), float(found[k] / bins.sizes[k]), int(bins.sizes[k]),
            int(holding[k]), float(low[k]), float(high[k]),
        )
        for k in range(len(bins))
    )  # fmt: skip
