"""Rates after deployment against calibration's: a sequential test on categories, and the shift with its interval."""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import NormalDist

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import gammaln, xlogy

from bench.measure.estimand import LEVEL
from bench.measure.estimate import Estimate, undefined_estimate
from bench.measure.means import mean_interval
from bench.measure.proportions import Bounds, Share, wilson
from bench.monitoring.exchangeability import SEED, Floats, Integers, Watch

NEWCOMBE = "Newcombe (two Wilson intervals, joined)"
JOINED_MEANS = "family bootstrap of both means, joined (MOVER)"
_FROM_THE_FIRST = 0.5
_FIRST_CHANGE, _NEXT_CHANGE = 4, 1.15
_BOOTSTRAPPED = 2_000  # values; beyond them the mean is normal for all purposes


def rate_watch(reference: Sequence[int], live: ArrayLike, level: float) -> Watch:
    """A test that live outcomes come at calibration's rates, valid however often one looks.

    ``reference`` counts calibration's outcomes by category, ``live`` holds the category number of each live outcome in
    turn. Formula: alarm when Q(all outcomes so far) / max over rates of P(all outcomes so far) ever reaches 1 / level. P
    has one set of rates throughout; Q has new ones from some live outcome on (half of its weight: from the first), each
    stretch with Jeffreys' prior. P(alarm ever) <= level while the rates stay, for calibration counts of any size, which
    are as uncertain as the live ones; no draw is involved. Undefined without a live outcome. Reference: Wasserman,
    Ramdas and Balakrishnan 2020, PNAS 117:16880 (the ratio); Ramdas, Ruf, Larsson and Koolen 2022, Int. J. Approx.
    Reason. 141:83 (for exchangeable outcomes); Turner, Ly and Grünwald 2024, J. Stat. Plan. Inference 230:106116 (two
    streams by blocks: it would stop when calibration's outcomes are used up). Easily confused with a test against a
    known rate, which takes calibration's for the truth.
    """
    codes, before = np.asarray(live), np.asarray(reference, dtype=np.float64)
    if len(codes) == 0:
        raise ValueError("no live outcome")
    if not np.all(np.isin(codes, np.arange(len(before)))):
        raise ValueError(f"outcomes are numbers from 0 to {len(before) - 1}")
    path = log_evidence(before, codes.astype(np.int64)[None, :])[0]
    over = np.flatnonzero(path >= -math.log(level))
    first = int(over[0]) if len(over) else None
    return Watch(level, int(before.sum()), len(codes), float(path.max()), float(path[-1]), first)


def log_evidence(reference: Floats, codes: Integers) -> Floats:
    """ln Q / P of :func:`rate_watch` after each outcome; one row a stream, all against the same calibration counts."""
    seen = np.cumsum(codes[:, :, None] == np.arange(len(reference)), axis=1).astype(np.float64)
    whole = reference + seen
    best = xlogy(whole, whole / whole.sum(axis=-1, keepdims=True)).sum(axis=-1)
    steady = _jeffreys(whole)
    starts, weights = _changes(codes.shape[1])
    evidence = steady + math.log(1 - math.fsum(weights))
    for start, weight in zip(starts, weights, strict=True):
        old = seen[:, start - 1] if start else np.zeros_like(seen[:, 0])
        changed = steady.copy()
        changed[:, start:] = _jeffreys(reference + old)[:, None] + _jeffreys(seen[:, start:] - old[:, None])
        evidence = np.logaddexp(evidence, changed + math.log(weight))
    return np.asarray(evidence - best)


def _changes(length: int) -> tuple[list[int], list[float]]:
    """Where new rates may set in, and how much weight each start has; the same for a longer stream, which has more."""
    starts, weights, at = [0], [_FROM_THE_FIRST], _FIRST_CHANGE
    while at < length:
        rank = len(starts)
        starts.append(at)
        weights.append((1 - _FROM_THE_FIRST) * (1 / math.log2(rank + 1) - 1 / math.log2(rank + 2)))
        at = max(at + 1, int(at * _NEXT_CHANGE))
    return starts, weights


def _jeffreys(counts: Floats) -> Floats:
    """ln of the chance of a sequence with these counts, rates drawn from the Dirichlet distribution of halves."""
    size = counts.shape[-1] / 2
    whole = gammaln(size) - gammaln(counts.sum(axis=-1) + size)
    return np.asarray(whole + (gammaln(counts + 0.5) - gammaln(0.5)).sum(axis=-1))


def rate_shift(name: str, reference: tuple[int, int], live: tuple[int, int], level: float = LEVEL) -> Estimate:
    """The live rate minus calibration's; each argument is (hits, of how many).

    Formula: p1 - p0, with Wilson's intervals of both joined by the square-root rule. Range -1 to 1, 0 is no shift;
    undefined where one side is empty. Reference: Newcombe 1998, Statistics in Medicine 17:873, method 10. Easily
    confused with the sequential test: this interval holds for one look, planned beforehand, and decides nothing.
    """
    if not reference[1] or not live[1]:
        return undefined_estimate(name, f"0 {'live' if reference[1] else 'calibration'} outcomes")
    before, now = (_share(hits, of) for hits, of in (reference, live))
    low, high = _joined((before.value, *wilson(before, level)), (now.value, *wilson(now, level)))
    return Estimate(name, now.value - before.value, low, high, NEWCOMBE, reference[1] + live[1])


def mean_shift(name: str, reference: ArrayLike, live: ArrayLike, level: float = LEVEL) -> Estimate:
    """The mean of the live values minus that of calibration's.

    Formula: m1 - m0, with the studentised seeded bootstrap intervals of both joined by the square-root rule. Range minus
    to plus the width of the values, 0 is no shift; undefined where one side is empty. Reference: Zou and Donner 2008,
    Statistics in Medicine 27:1693 (MOVER). Easily confused with the sequential test, which also sees a change of spread
    at the same mean: this interval holds for one look and decides nothing.
    """
    before, now = np.asarray(reference, dtype=np.float64), np.asarray(live, dtype=np.float64)
    if not len(before) or not len(now):
        return undefined_estimate(name, f"0 {'live' if len(before) else 'calibration'} values")
    both = np.concatenate([before, now])
    # Probabilities keep their own ends: the exact interval of values that are all alike needs them.
    within = bool(both.min() >= 0 and both.max() <= 1)
    start, width = (0.0, 1.0) if within else (float(both.min()), float(np.ptp(both)) or 1.0)
    sides = [_mean(name, (side - start) / width, level) for side in (before, now)]
    low, high = _joined(*sides)
    gap = float(now.mean() - before.mean())
    return Estimate(name, gap, low * width, high * width, JOINED_MEANS, len(both))


def _share(hits: int, of: int) -> Share:
    """A share of outcomes that stand for themselves."""
    return Share(hits / of, of, of, of - 1, 0.0, of, min(hits, of - hits))


def _mean(name: str, values: Floats, level: float) -> tuple[float, float, float]:
    middle = float(values.mean())
    if len(values) > _BOOTSTRAPPED:
        half = NormalDist().inv_cdf(0.5 + level / 2) * float(values.std(ddof=1)) / math.sqrt(len(values))
        return middle, middle - half, middle + half
    found = mean_interval(name, np.clip(values, 0, 1), np.arange(len(values)), SEED, level=level)
    if found.low is None or found.high is None:
        raise AssertionError(f"{name}: a mean of {len(values)} values has an interval")
    return middle, found.low, found.high


def _joined(before: tuple[float, float, float], now: tuple[float, float, float]) -> Bounds:
    (old, old_low, old_high), (new, new_low, new_high) = before, now
    gap = new - old
    return gap - math.hypot(new - new_low, old_high - old), gap + math.hypot(new_high - new, old - old_low)
