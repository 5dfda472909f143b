"""A/A: one judge against itself. Deterministic judges must repeat; stochastic ones say how often they flip."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bench.measure.compare import accuracy_test, difference
from bench.measure.counts import FamilyVectors, Integers, count_families
from bench.measure.estimand import LEVEL, RESAMPLES
from bench.measure.estimate import Estimate, undefined_estimate
from bench.measure.holm import Adjusted, holm
from bench.measure.inputs import Truths
from bench.measure.intervals import interval
from bench.measure.means import mean_interval
from bench.measure.metrics import METRICS, Metric

Names = NDArray[np.generic]
AA_LEVEL = 0.01
Equivalence = Literal["equivalent", "differs", "cannot tell"]


@dataclass(frozen=True)
class SampleFigures:
    """What several samples of the same items tell; ``excluded`` items have too few scored samples."""

    flip_rate: Estimate
    right_once: Estimate
    right_always: Estimate
    samples: int
    items: int
    excluded: int


@dataclass(frozen=True)
class Repeat:
    """Two runs of one judge: the difference of a metric, what it says about equivalence, and a test of accuracy."""

    gap: Estimate
    margin: float
    verdict: Equivalence
    reason: str
    p_value: float


def differing(first: Mapping[str, str], second: Mapping[str, str]) -> tuple[str, ...]:
    """The items whose answer, or reason for none, is not the same in both runs, sorted; an item of one run differs.

    Nothing is good. A deterministic judge must have none; there is no tolerance and no interval.
    """
    return tuple(sorted(item for item in first.keys() | second.keys() if first.get(item) != second.get(item)))


def flip_rate(
    yes: ArrayLike, samples: ArrayLike, families: ArrayLike, seed: int, resamples: int = RESAMPLES, level: float = LEVEL
) -> Estimate:
    """The chance that two samples of one item get different verdicts, averaged over items.

    Formula: mean over items of 2 c (n - c) / (n (n - 1)), c of n scored samples being yes. Range 0 to 1, at most .5
    for many samples, low is good. Undefined without an item of two samples; items with fewer are left out. Reference:
    Gini 1912's index of diversity in its unbiased form (Simpson 1949, Nature 163:688). Easily confused with the share
    of items that ever flip, which grows with the number of samples, and with being wrong.
    """
    hits, size, family = _counted(yes, samples, families)
    kept = size >= 2
    if not np.any(kept):
        return undefined_estimate("flip_rate", "0 items with two scored samples")
    hits, size = hits[kept], size[kept]
    return mean_interval(
        "flip_rate", 2 * hits * (size - hits) / (size * (size - 1)), family[kept], seed, None, resamples, level
    )


def sample_figures(
    yes: ArrayLike, right: ArrayLike, samples: ArrayLike, families: ArrayLike, wanted: int, seed: int
) -> SampleFigures:
    """Flip rate, and the shares of items right at least once and every time in ``wanted`` scored samples.

    ``yes`` and ``right`` count samples per item. Range 0 to 1; right at least once flatters and right every time is
    what a user of one sample can rely on; both are undefined without an item of exactly ``wanted`` scored samples, and
    other items are excluded and counted. Reference: pass@k and pass^k (Chen et al. 2021, Yao et al. 2024). Easily
    confused with accuracy, which lies between the two.
    """
    hits, size, family = _counted(right, samples, families)
    kept = size == wanted
    once, always = (
        _share(name, held[kept], family[kept], f"0 items with {wanted} scored samples", seed)
        for name, held in (("right_at_least_once", hits > 0), ("right_every_time", hits == size))
    )
    flips = flip_rate(np.asarray(yes)[kept], size[kept], family[kept], seed)
    return SampleFigures(flips, once, always, wanted, int(np.sum(kept)), int(np.sum(~kept)))


def equivalence(gap: Estimate, margin: float) -> tuple[Equivalence, str]:
    """Whether the interval of a difference lies inside plus or minus margin / 2, outside of it, or neither.

    An interval that is too wide proves nothing: "cannot tell". Reference: Schuirmann 1987, J. Pharmacokinet.
    Biopharm. 15:657 (two one-sided tests; here at half the margin). Easily confused with a difference that is not
    significant.
    """
    if not margin > 0:
        raise ValueError(f"the margin must be above 0, not {margin}")
    if gap.low is None or gap.high is None:
        return "cannot tell", gap.undefined or "no interval"
    half, span = margin / 2, f"[{gap.low:.3f}, {gap.high:.3f}]"
    if -half <= gap.low and gap.high <= half:
        return "equivalent", f"{span} lies inside +-{half:g}"
    if gap.low > half or gap.high < -half:
        return "differs", f"{span} lies outside +-{half:g}"
    return "cannot tell", f"{span} reaches across +-{half:g}"


def repeat(metric: Metric, joint: FamilyVectors, margin: float, seed: int, resamples: int = RESAMPLES) -> Repeat:
    """Two runs of a stochastic judge on the items both scored; ``joint`` counts label x run 1 x run 2."""
    gap = replace(difference(metric, joint, seed, resamples), name=f"{metric.name}: run 1 - run 2")
    return Repeat(gap, margin, *equivalence(gap, margin), accuracy_test(joint, seed).p_value)


def repeat_tests(repeats: Mapping[str, Repeat]) -> tuple[Adjusted, ...]:
    """All A/A tests of a report together: Holm at .01."""
    return holm({name: found.p_value for name, found in repeats.items()}, AA_LEVEL)


def _share(name: str, held: Truths, family: Names, reason: str, seed: int) -> Estimate:
    if len(held) == 0:
        return undefined_estimate(name, reason)
    counted = count_families(held, np.ones(len(held), dtype=bool), family)
    return replace(interval(METRICS["accuracy"], counted, seed), name=name)


def _counted(hits: ArrayLike, samples: ArrayLike, families: ArrayLike) -> tuple[Integers, Integers, Names]:
    number, size, family = np.asarray(hits), np.asarray(samples), np.asarray(families)
    if not len(number) == len(size) == len(family):
        raise ValueError(f"one entry per item is wanted, found {len(number)}, {len(size)} and {len(family)}")
    if len(size) and not all(array.dtype.kind in "iu" for array in (number, size)):
        raise TypeError(f"counts of samples must be whole numbers, not {number.dtype} and {size.dtype}")
    bad = np.flatnonzero((number < 0) | (number > size))
    if len(bad):
        raise ValueError(f"item {bad[0]}: {number[bad[0]]} of {size[bad[0]]} samples")
    return number.astype(np.int64), size.astype(np.int64), family
