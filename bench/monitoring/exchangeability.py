"""Whether live values look like more of the calibration values, watched value by value: a conformal test martingale.

Each live value gets its rank among the calibration values and the live values before it, ties broken by a seeded draw.
While all are exchangeable these ranks are independent and uniform on 0 to 1, for values of any kind, rounded ones too.
A bettor with capital 1 then gains nothing on average, and by Ville's inequality ever holds 1 / level with a chance of at
most ``level``, however often one looks.

The bets are fixed beforehand: a mixture of beta densities (ranks too low, too high, too far out, too central; mild and
sharp), each started at every possible time with the weight 1 / log2(t + 1) - 1 / log2(t + 2) of the t-th value, so that
a change after a long quiet costs about log t. Bets may depend on the ranks only, never on the values behind them, or
the guarantee is lost. References: Vovk 2021, Stat. Sci. 36:595 (testing randomness online); Fedorova, Gammerman,
Nouretdinov and Vovk 2012, ICML (bets other than one power); Ville 1939.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

# Not to be chosen by the user: who may try seeds finds one that rings, or one that does not.
SEED = 0
_SHARPNESS = (0.2, 0.4, 0.6, 0.8, 1.25, 1.6, 2.5, 5.0)
_SPREAD = (0.5, 0.75, 1.4, 2.0, 4.0)
# Beta densities by their two parameters; they integrate to 1, so that each is a fair bet on a uniform rank.
BETS = (*((1.0, k) for k in _SHARPNESS), *((k, 1.0) for k in _SHARPNESS), *((k, k) for k in _SPREAD))
_EDGE = 2.0**-53
_BLOCK = 1024
_CELLS = 4_000_000  # densities held at once


@dataclass(frozen=True)
class Watch:
    """What the bets earned: natural logarithms of the capital, and the first value (from 0) at which it was enough."""

    level: float
    reference: int
    live: int
    largest: float
    last: float
    crossed: int | None

    @property
    def alarm(self) -> bool:
        """Whether the capital ever reached 1 / level."""
        return self.crossed is not None

    @property
    def limit(self) -> float:
        """The natural logarithm of the capital that is enough."""
        return -math.log(self.level)


def watch(reference: ArrayLike, live: ArrayLike, level: float) -> Watch:
    """A test that live values, in their order, are exchangeable with the reference values, valid at every moment at once.

    Formula: alarm when the capital (see the module) ever reaches 1 / level; P(ever) <= level while nothing changes. A
    low capital shows nothing: it is no evidence of sameness. Needs one live value; with few reference values it hardly
    ever rings. Reference: Vovk 2021, Stat. Sci. 36:595. Easily confused with a two-sample test repeated every day,
    whose error grows with each look. Values that hang together (families, one session asked twice) break the premise.
    """
    if not 0 < level < 1:
        raise ValueError(f"a level lies between 0 and 1, not {level}")
    held, seen = _values(reference), _values(live)
    if len(seen) == 0:
        raise ValueError("no live value")
    draws = np.random.default_rng(SEED).random(len(seen))
    path = log_capital(smoothed_ranks(held, seen, draws)[None, :])[0]
    over = np.flatnonzero(path >= -math.log(level))
    first = int(over[0]) if len(over) else None
    return Watch(level, len(held), len(seen), float(path.max()), float(path[-1]), first)


def smoothed_ranks(reference: ArrayLike, live: ArrayLike, draws: ArrayLike) -> Floats:
    """The share of values under each live value, among the reference, the live ones before it and itself.

    Formula: (#smaller + draw x #equal, itself included) / #all, the smoothed conformal p-value of the value itself.
    Range 0 to 1; uniform and independent under exchangeability. Reference: Vovk 2021, Stat. Sci. 36:595. Easily
    confused with a p-value that is only valid where values never tie.
    """
    held, seen = np.sort(_values(reference)), _values(live)
    less, equal = _earlier(seen)
    less += np.searchsorted(held, seen, "left")
    equal += np.searchsorted(held, seen, "right") - np.searchsorted(held, seen, "left") + 1
    total = len(held) + np.arange(1, len(seen) + 1)
    return np.asarray((less + np.asarray(draws) * equal) / total)


def log_capital(ranks: Floats) -> Floats:
    """The bettor's capital after each rank, as a natural logarithm; one row a stream, shape (streams, values)."""
    streams, length = ranks.shape
    path = np.empty((streams, length))
    running, scale = np.zeros((streams, len(BETS))), np.zeros(streams)
    waiting = _still_waiting(length)
    started = (waiting[:-1] - waiting[1:]) / len(BETS)
    for at, densities in _densities(ranks):
        for step in range(densities.shape[1]):
            t = at + step
            # Capital is held divided by exp(scale), so that neither a boom nor a long decline leaves the floats.
            held_back = np.exp(-scale)
            running += (started[t] * held_back)[:, None]
            running *= densities[:, step]
            total = running.sum(axis=1) + waiting[t + 1] * held_back
            running /= total[:, None]
            scale += np.log(total)
            path[:, t] = scale
    return path


def _still_waiting(length: int) -> Floats:
    """The weight that has not been put on any bet before the t-th value."""
    return np.asarray(1 / np.log2(np.arange(length + 1) + 2.0))


def _densities(ranks: Floats) -> Iterator[tuple[int, Floats]]:
    a, b = (np.array([bet[side] for bet in BETS]) for side in (0, 1))
    constant = np.array([math.lgamma(x + y) - math.lgamma(x) - math.lgamma(y) for x, y in BETS])
    chunk = max(1, _CELLS // (len(BETS) * max(len(ranks), 1)))
    for at in range(0, ranks.shape[1], chunk):
        p = np.clip(ranks[:, at : at + chunk, None], _EDGE, 1 - _EDGE)
        yield at, np.exp(constant + (a - 1) * np.log(p) + (b - 1) * np.log1p(-p))


def _earlier(values: Floats) -> tuple[Integers, Integers]:
    """How many earlier values are smaller than each value, and how many equal it."""
    less, equal = np.zeros(len(values), dtype=np.int64), np.zeros(len(values), dtype=np.int64)
    before = np.empty(0)
    for at in range(0, len(values), _BLOCK):
        block = values[at : at + _BLOCK]
        here = slice(at, at + len(block))
        earlier = np.tri(len(block), k=-1, dtype=bool)
        left = np.searchsorted(before, block, "left")
        less[here] = left + ((block[None, :] < block[:, None]) & earlier).sum(axis=1)
        equal[here] = (np.searchsorted(before, block, "right") - left) + (
            (block[None, :] == block[:, None]) & earlier
        ).sum(axis=1)
        before = np.sort(np.concatenate([before, block]), kind="stable")
    return less, equal


def _values(given: ArrayLike) -> Floats:
    values = np.asarray(given, dtype=np.float64)
    if values.ndim != 1 or not np.all(np.isfinite(values)):
        raise ValueError("finite numbers in one row are wanted")
    return values
