"""The family bootstrap: one multinomial per design stratum over distinct family vectors, then BCa or studentised.

References: Efron 1987, JASA 82:171 (BCa); Davison and Hinkley 1997, Bootstrap Methods, ch. 5 (studentised).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from scipy.special import ndtr, ndtri, stdtrit

from bench.measure.counts import FamilyVectors, Floats, Integers

Statistic = Callable[[Floats], Floats]
"""A function of sums of family vectors, (..., C) -> (...), with NaN where it is undefined."""

# Above this many distinct families the skewness of a mean is negligible and its jackknife costs more than it tells.
JACKKNIFE_LIMIT = 2_000
# Differences below this are rounding, not spread.
DUST = 1e-11
_STEP = 1e-4
# Above this many distinct families they are drawn one by one: a multinomial costs 40 ns for each, an index 5 ns.
_ONE_BY_ONE = 2_000
# Floating numbers in a draw that is kept (16 MB).
_KEPT = 2_000_000
# Floating numbers in one block of resamples (32 MB).
_BLOCK = 4_000_000


def draw(multiplicity: Integers, stratum: Integers, seed: int | Sequence[int], resamples: int) -> Floats:
    """How often each distinct family is drawn, (resamples, D): families per stratum fixed, drawn with replacement.

    Whole numbers in floating point: every use is a matrix product, which is thirty times slower on integers.
    """
    generator = np.random.default_rng(seed)
    drawn = np.empty((resamples, len(multiplicity)))
    for code in np.unique(stratum):
        here = np.flatnonzero(stratum == code)
        times = multiplicity[here]
        drawn[:, here] = _draw_stratum(generator, times, resamples)
    return drawn


def draw_again(multiplicity: Integers, stratum: Integers, seed: int | Sequence[int], resamples: int) -> Floats:
    """The same as :func:`draw`, read only. The same families are drawn for one metric and judge after another, so the last
    small draws are kept."""
    if resamples * len(multiplicity) > _KEPT:
        return draw(multiplicity, stratum, seed, resamples)
    key = seed if isinstance(seed, int) else tuple(seed)
    return _kept(_bytes(multiplicity), _bytes(stratum), key, resamples)


def _bytes(numbers: Integers) -> bytes:
    return np.ascontiguousarray(numbers, dtype=np.int64).tobytes()


@lru_cache(maxsize=4)
def _kept(multiplicity: bytes, stratum: bytes, seed: int | tuple[int, ...], resamples: int) -> Floats:
    drawn = draw(np.frombuffer(multiplicity, np.int64), np.frombuffer(stratum, np.int64), seed, resamples)
    drawn.flags.writeable = False
    return drawn


def _draw_stratum(generator: np.random.Generator, times: Integers, resamples: int) -> Floats | Integers:
    families, distinct = int(times.sum()), len(times)
    if not _ONE_BY_ONE < distinct <= families < 8 * distinct:
        return np.asarray(generator.multinomial(families, times / families, size=resamples))
    owner, drawn = np.repeat(np.arange(distinct), times), np.empty((resamples, distinct))
    for resample in drawn:
        resample[:] = np.bincount(owner[generator.integers(0, families, families, np.int32)], minlength=distinct)
    return drawn


def blocks(multiplicity: Integers, stratum: Integers, seed: int | Sequence[int], resamples: int) -> Iterator[Floats]:
    """The resamples in blocks (b, D), so that memory does not grow with them; one block is the whole draw."""
    size = max(1, _BLOCK // max(len(multiplicity), 1))
    if size >= resamples:
        yield draw_again(multiplicity, stratum, seed, resamples)
        return
    key = (seed,) if isinstance(seed, int) else tuple(seed)
    for start in range(0, resamples, size):
        yield draw(multiplicity, stratum, (*key, start), min(size, resamples - start))


def expanded(level: float, families: int) -> float:
    """The level at which normal quantiles reach as far as t's times sqrt(F / (F - 1)), for few families.

    Reference: Hesterberg 2015, The American Statistician 69:371, sec. 5.2 (expanded percentile intervals).
    """
    count = max(families, 2)
    reach = float(stdtrit(count - 1, (1 + level) / 2)) * float(np.sqrt(count / (count - 1)))
    return 2 * float(ndtr(reach)) - 1


def bca(value: float, replicates: Floats, deleted: Floats, times: Integers, level: float) -> tuple[float, float]:
    """The bias-corrected accelerated interval.

    ``replicates`` (B,) are finite; ``deleted`` (D,) are the values without one family of each distinct kind, of which
    there are ``times``; an empty ``deleted`` means no acceleration.
    """
    count = len(replicates)
    tolerance = 1e-12 * max(1.0, abs(value))
    below = (np.sum(replicates < value - tolerance) + np.sum(replicates <= value + tolerance)) / 2
    bias = float(ndtri(np.clip(below / count, 1 / (count + 1), count / (count + 1))))
    z = ndtri([(1 - level) / 2, (1 + level) / 2])
    shifted = bias + (bias + z) / (1 - _acceleration(deleted, times) * (bias + z))
    low, high = np.quantile(replicates, ndtr(shifted))
    return float(low), float(high)


@dataclass(frozen=True)
class BootstrapBounds:
    """What a bootstrap says: bounds, resamples without a value, and whether there was no spread at all."""

    low: float
    high: float
    undefined: int
    degenerate: bool


def studentised(
    statistic: Statistic, families: FamilyVectors, drawn: Iterable[Floats], level: float, df: int
) -> BootstrapBounds:
    """The bootstrap-t interval with a linearised standard error in every resample; ``drawn`` are blocks (b, D).

    Its quantiles are never taken inside those of t with ``df`` degrees of freedom: on the lattice of paired
    differences the bare bootstrap-t covers .930 where t covers .949 (50 families of 4, 1,500 replicates).
    """
    value = float(statistic(families.totals()))
    error = float(linearised_error(statistic, families, families.multiplicity[None, :].astype(np.float64))[0])
    pairs = [(statistic(block @ families.vectors), linearised_error(statistic, families, block)) for block in drawn]
    replicates, errors = (np.concatenate(column) for column in zip(*pairs, strict=True))
    defined = np.isfinite(replicates)
    undefined = int(np.sum(~defined))
    if error <= DUST or not defined.any() or np.ptp(replicates[defined]) <= DUST:
        return BootstrapBounds(value, value, undefined, degenerate=True)
    # A resample of one mind has no error of its own; half the smallest one seen keeps its pivot large but finite.
    usable = defined & (errors > DUST)
    floor = float(np.min(errors[usable])) / 2 if usable.any() else error
    pivots = (replicates[defined] - value) / np.maximum(errors[defined], floor)
    t = float(stdtrit(max(df, 1), (1 + level) / 2))
    low, high = np.quantile(pivots, [(1 - level) / 2, (1 + level) / 2])
    low, high = min(float(low), -t), max(float(high), t)
    return BootstrapBounds(value - high * error, value - low * error, undefined, degenerate=False)


def linearised_error(statistic: Statistic, families: FamilyVectors, drawn: Floats) -> Floats:
    """The delta-method standard error of the statistic in each resample of ``drawn`` (B, D), shape (B,)."""
    vectors = families.vectors
    slope = gradient(statistic, drawn @ vectors)
    width = vectors.shape[1]
    products = (vectors[:, :, None] * vectors[:, None, :]).reshape(len(vectors), width * width)
    variance = np.zeros(len(drawn))
    for code in np.unique(families.stratum):
        here = np.flatnonzero(families.stratum == code)
        count = int(families.multiplicity[here].sum())
        times = drawn[:, here]
        centre = np.einsum("bi,bi->b", slope, times @ vectors[here]) / count
        outer = (slope[:, :, None] * slope[:, None, :]).reshape(len(slope), width * width)
        spread = np.einsum("bk,bk->b", outer, times @ products[here]) - count * centre**2
        variance += spread * (count / (count - 1) if count > 1 else 1.0)
    return np.sqrt(np.maximum(variance, 0.0))


def gradient(statistic: Statistic, sums: Floats) -> Floats:
    """The slope of the statistic in each cell of (..., C) sums, by central differences."""
    steps = _STEP * np.eye(sums.shape[-1])
    return np.stack([(statistic(sums + step) - statistic(sums - step)) / (2 * _STEP) for step in steps], axis=-1)


def _acceleration(deleted: Floats, times: Integers) -> float:
    if len(deleted) == 0 or not np.all(np.isfinite(deleted)):
        return 0.0
    spread = float(times @ deleted) / float(times.sum()) - deleted
    squares = float(times @ spread**2)
    return 0.0 if squares <= 0 else float(times @ spread**3) / (6 * squares**1.5)
