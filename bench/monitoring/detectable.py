"""What a watch that stayed quiet would probably have seen: the smallest steady shift found four times in five."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike

from bench.monitoring.exchangeability import SEED, Floats, log_capital, smoothed_ranks
from bench.monitoring.rates import log_evidence

POWER = 0.8
MOST_VALUES = 200  # simulated; an alarm by then is an alarm later too
_STREAMS, _HALVINGS = 60, 5
_STEEPEST = 24.0


def detectable_rate(reference: tuple[int, int], live: int, level: float, *, up: bool) -> float | None:
    """The nearest live rate above (or below) calibration's that so many outcomes would show in 80 of 100 streams.

    Formula: simulated with fixed draws against the given calibration outcomes, to a thirtieth of the way to 1 (or 0).
    Range 0 to 1; None where even 1 (or 0) would not be seen. Reference: none, a simulation of
    :func:`bench.monitoring.rates.rate_watch`. Easily confused with the shift that was seen: this says how blind the
    quiet is.
    """
    hits, of = reference
    start, end = hits / of, 1.0 if up else 0.0
    counts = np.array([of - hits, hits], dtype=np.float64)

    def capital(way: float, uniform: Floats, _ties: Floats) -> Floats:
        return log_evidence(counts, (uniform < start + way * (end - start)).astype(np.int64))

    way = _smallest(capital, live, level)
    return None if way is None else start + way * (end - start)


def detectable_mean(reference: ArrayLike, live: int, level: float, *, up: bool) -> float | None:
    """The nearest mean above (or below) calibration's that so many live values would show in 80 of 100 streams.

    Formula: live values are calibration's with weights exp(tilt x rank), simulated with fixed draws. Range that of the
    values; None where even the steepest tilt would not be seen. Reference: Esscher 1932 (the tilt); none for the
    simulation. Easily confused with every shift of that size: one of another shape may be seen sooner or later.
    """
    held = np.sort(np.asarray(reference, dtype=np.float64))
    rank = np.searchsorted(held, held, "left") / max(len(held) - 1, 1)

    def chances(way: float) -> Floats:
        weight = np.exp((1 if up else -1) * way * _STEEPEST * (rank - 0.5))
        return np.asarray(weight / weight.sum())

    def capital(way: float, uniform: Floats, ties: Floats) -> Floats:
        at = np.minimum(np.searchsorted(np.cumsum(chances(way)), uniform), len(held) - 1)
        ranks = [smoothed_ranks(held, row, tie) for row, tie in zip(held[at], ties, strict=True)]
        return log_capital(np.array(ranks))

    if held[0] == held[-1]:
        return None
    way = _smallest(capital, live, level)
    return None if way is None else float(chances(way) @ held)


def _smallest(capital: Callable[[float, Floats, Floats], Floats], live: int, level: float) -> float | None:
    """The smallest way, from 0 to 1, with the wanted power, by halving; None where the whole way has less."""
    generator = np.random.default_rng([SEED, 1000])
    size = _STREAMS, min(live, MOST_VALUES)
    uniform, ties = generator.random(size), generator.random(size)

    def seen(way: float) -> bool:
        rung = capital(way, uniform, ties).max(axis=1) >= -math.log(level)
        return bool(rung.mean() >= POWER)

    if not seen(1.0):
        return None
    low, high = 0.0, 1.0
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        low, high = (low, middle) if seen(middle) else (middle, high)
    return high
