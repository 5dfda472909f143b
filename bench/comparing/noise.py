"""The noise floor of a judge that is asked more than once."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from bench.comparing.metric_lines import Chance, Pairs
from bench.measure.estimate import Estimate, undefined_estimate
from bench.measure.means import mean_interval
from bench.measure.repeatability import flip_rate


@dataclass(frozen=True)
class Noise:
    """How often samples of one item differ: within the base, across base and head, and what is beyond the former."""

    within_base: Estimate
    across: Estimate
    beyond: Estimate
    items: int


def noise_of(common: Pairs, chance: Chance) -> Noise:
    """Whether base and head differ more than two samples of the base do.

    Formula: within, mean over items of 2 c (n - c) / (n (n - 1)); across, mean of (c (m - d) + (n - c) d) / (n m), where
    c of n samples of the base and d of m of the head say yes; beyond, the mean of their difference. Range -1 to 1 for
    the last, 0 to 1 for the others; near 0 is good. Undefined without an item of two scored samples in the base and one
    in the head. Reference: Gini 1912's index of diversity, unbiased (Simpson 1949, Nature 163:688), within and between.
    Easily confused with the share of items whose majority flipped, which is smaller than across.
    """
    twice = [(a, b) for a, b in common if a.samples_scored >= 2 and b.samples_scored >= 1]
    families = [b.family for _, b in twice]
    yes, size = (
        np.array([getattr(a, name) for a, _ in twice], dtype=np.int64) for name in ("said_yes", "samples_scored")
    )
    other, wide = (
        np.array([getattr(b, name) for _, b in twice], dtype=np.int64) for name in ("said_yes", "samples_scored")
    )
    if not twice:
        nothing = undefined_estimate("flip_rate", "0 items with two scored samples in the base")
        return Noise(nothing, nothing, nothing, 0)
    within = 2 * yes * (size - yes) / (size * (size - 1))
    across = (yes * (wide - other) + (size - yes) * other) / (size * wide)
    halved = mean_interval("half", (across - within + 1) / 2, families, chance.seed, None, chance.resamples)
    return Noise(
        flip_rate(yes, size, families, chance.seed, chance.resamples),
        mean_interval("flips_across", across, families, chance.seed, None, chance.resamples),
        _doubled(halved),
        len(twice),
    )


def _doubled(half: Estimate) -> Estimate:
    """From the mean of (x + 1) / 2 to the mean of x."""
    value, low, high = (None if end is None else 2 * end - 1 for end in (half.value, half.low, half.high))
    return replace(half, name="flips_beyond_noise", value=value, low=low, high=high, numerator=None, denominator=None)
