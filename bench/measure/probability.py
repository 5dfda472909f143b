"""Scores of stated probabilities: Brier with Murphy's decomposition, and log loss. Both are proper: honesty scores best."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import xlogy

from bench.measure.binning import DISTINCT, Binning, assign_bins
from bench.measure.counts import Floats
from bench.measure.estimand import LEVEL, RESAMPLES
from bench.measure.estimate import Estimate, undefined_estimate
from bench.measure.inputs import Truths, same_rows, truths
from bench.measure.inputs import probabilities as stated_probabilities
from bench.measure.means import mean_interval

_CERTAIN = "none: one certain and wrong item would make it infinite"


@dataclass(frozen=True)
class Decomposition:
    """brier = reliability - resolution + uncertainty + within, and the binning that this was found with.

    ``within`` is what the bins hide; it is 0 when each distinct probability is its own bin.
    """

    brier: float
    reliability: float
    resolution: float
    uncertainty: float
    within: float
    binning: str
    bins: int
    items: int


def brier(
    probabilities: ArrayLike,
    labels: ArrayLike,
    families: ArrayLike,
    seed: int,
    strata: ArrayLike | None = None,
    resamples: int = RESAMPLES,
    level: float = LEVEL,
) -> Estimate:
    """The mean squared distance between the stated probability of yes and what was labelled.

    Formula: mean of (p - y)^2; shapes (rows,). Range 0 to 1, low is good; always saying .5 scores .25, always saying
    the prevalence q scores q (1 - q). Undefined without items. Reference: Brier 1950, Monthly Weather Review 78:1.
    Easily confused with the two-class form, which is twice as large, and with calibration error, which ignores
    sharpness.
    """
    stated, yes = _rows(probabilities, labels)
    return mean_interval("brier", (stated - yes) ** 2, families, seed, strata, resamples, level)


def decompose_brier(probabilities: ArrayLike, labels: ArrayLike, binning: Binning = DISTINCT) -> Decomposition | None:
    """What the Brier score is made of: how far stated and found shares differ, how far bins differ, and the labels' mix.

    Formula, over bins of n_k items with mean probability p_k and share of yes o_k, overall share o:
    reliability = sum n_k (p_k - o_k)^2 / N, resolution = sum n_k (o_k - o)^2 / N, uncertainty = o (1 - o).
    Range of reliability 0 to 1, low is good; of resolution 0 to uncertainty, high is good; of uncertainty 0 to .25,
    neither end is better, as it is the labels' doing. None without items.
    Exact when bins are distinct probabilities, but then bins of one item each make resolution equal uncertainty: with
    many distinct probabilities give a binning. Reference: Murphy 1973, J. Appl. Meteorology 12:595; the within-bin
    rest: Stephenson et al. 2008, Weather and Forecasting 23:752. Easily confused with calibration error (reliability
    is the square of its l2 form on the same bins).
    """
    stated, yes = _rows(probabilities, labels)
    if len(yes) == 0:
        return None
    bins = assign_bins(stated, binning)
    found = np.bincount(bins.of_row, yes) / bins.sizes
    share, sizes = float(np.mean(yes)), bins.sizes / len(yes)
    score = float(np.mean(np.sort((stated - yes) ** 2)))
    reliability = float(sizes @ (bins.stated / bins.sizes - found) ** 2)
    resolution = float(sizes @ (found - share) ** 2)
    uncertainty = share * (1 - share)
    within = score - (reliability - resolution + uncertainty)
    return Decomposition(score, reliability, resolution, uncertainty, within, str(binning), len(bins), len(yes))


def log_loss(
    probabilities: ArrayLike,
    labels: ArrayLike,
    families: ArrayLike,
    seed: int,
    strata: ArrayLike | None = None,
    clip: float | None = None,
    resamples: int = RESAMPLES,
    level: float = LEVEL,
) -> Estimate:
    """The mean surprise, in nats, at what was labelled: minus the log of the probability that was stated for it.

    Formula: mean of -(y log p + (1 - y) log(1 - p)). Range 0 to infinity, low is good; always saying .5 scores
    log 2 = .693. Undefined without items, and when an item was stated with certainty and wrong, where it is infinite;
    with ``clip`` probabilities are moved into [clip, 1 - clip] first, and the note says how many were. Reference: Good
    1952, J. R. Stat. Soc. B 14:107. Easily confused with the base-2 form (bits), and between tools with other clips
    (scikit-learn: machine epsilon).
    """
    stated, yes = _rows(probabilities, labels)
    moved, note = _clipped(stated, clip)
    certain_wrong = int(np.sum(moved[yes] == 0) + np.sum(moved[~yes] == 1))
    if len(yes) == 0 or certain_wrong:
        reason = f"infinite: {certain_wrong} of {len(yes)} items certain and wrong" if len(yes) else "0 items"
        return undefined_estimate("log_loss", reason, len(np.unique(np.asarray(families))))
    losses = np.abs(xlogy(yes, moved) + xlogy(~yes, 1 - moved))
    rarer = np.minimum(moved, 1 - moved)
    worst = -float(np.log(np.min(rarer[rarer > 0], initial=0.5)))
    found = mean_interval("log_loss", np.minimum(losses / worst, 1), families, seed, strata, resamples, level)
    return _scaled(found, worst, bool(np.any(rarer == 0)), note)


def _scaled(found: Estimate, worst: float, certain: bool, clip_note: str | None) -> Estimate:
    """From shares of the worst possible loss back to nats; a bound above is only there where loss is bounded."""
    if found.value is None or found.low is None or found.high is None:
        return found
    notes = [note for note in (found.note, clip_note) if note is not None]
    bounded = not (certain and found.note is not None)
    return replace(
        found,
        value=found.value * worst,
        low=found.low * worst,
        high=found.high * worst if bounded else None,
        method=found.method if bounded else _CERTAIN,
        note="; ".join(notes) or None,
    )


def _clipped(stated: Floats, clip: float | None) -> tuple[Floats, str | None]:
    if clip is None:
        return stated, None
    if not 0 < clip < 0.5:
        raise ValueError(f"clip must lie between 0 and .5, not {clip}")
    moved = np.clip(stated, clip, 1 - clip)
    return moved, f"{int(np.sum(moved != stated))} probabilities clipped to [{clip:g}, 1 - {clip:g}]"


def _rows(probabilities: ArrayLike, labels: ArrayLike) -> tuple[Floats, Truths]:
    stated, yes = stated_probabilities(probabilities), truths(labels, "labels")
    same_rows(probabilities=stated, labels=yes)
    return stated, yes
