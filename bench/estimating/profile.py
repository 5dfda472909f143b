"""The profile likelihood of a prevalence behind an imperfect judge: three shares, one equation between them.

With shares a (yes among true yes), b (yes among true no) and t (yes in the pool), t = pi a + (1 - pi) b. For each pi the
likelihood is maximised over a and b; a prevalence belongs to the interval where this maximum is close to the highest.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.special import stdtrit, xlog1py, xlogy

from bench.measure.counts import Floats

_COARSE, _FINE = 201, 51
_HALVINGS = 60
_REACH = 40.0  # sinh(40) is 1e17: a multiplier no counts of ours come near


@dataclass(frozen=True)
class Binomial:
    """A share as so many independent answers: ``size`` is the effective number, ``df`` what its spread rests on."""

    share: float
    size: float
    df: int

    @property
    def hits(self) -> float:
        """The effective number of yes."""
        return self.share * self.size

    @property
    def spread(self) -> float:
        """Its variance, with half an answer more on each side, so that 5 of 5 has one."""
        smoothed = (self.hits + 0.5) / (self.size + 1)
        return smoothed * (1 - smoothed) / self.size


@dataclass(frozen=True)
class Shares:
    """What the judge said: of the true yes, of the true no, and of the pool; ``shared`` is the covariance of the first
    two, since families can hold both."""

    among_yes: Binomial
    among_no: Binomial
    pool: Binomial
    shared: float


def prevalence_bounds(shares: Shares, level: float) -> tuple[float, float]:
    """The prevalences from 0 to 1 whose profile likelihood is near the highest one.

    Formula: {pi: 2 (max l - l(pi)) <= t^2 D(pi)}, t at Satterthwaite's degrees of freedom and D >= 1 the variance that
    families with both classes add. Always an interval within [0, 1]; it is all of it where the judge tells nothing.
    Reference: Rao and Scott 1984, Annals of Statistics 12:46 (likelihood ratios divided by a design effect); Lang and
    Reiczigel 2014, Preventive Veterinary Medicine 113:13 (why Wald's interval will not do here). Easily confused with
    the interval of the judge's rate of yes moved by the correction, which takes the judge's rates for known.
    """
    grid = np.linspace(0.0, 1.0, _COARSE)
    heights = log_likelihood(grid, shares)
    peak = int(np.argmax(heights))
    close = np.linspace(grid[max(peak - 1, 0)], grid[min(peak + 1, _COARSE - 1)], _FINE)
    highest = max(float(heights.max()), float(log_likelihood(close, shares).max()))

    def inside(points: Floats) -> Floats:
        return 2 * (highest - log_likelihood(points, shares)) - _limit(points, shares, level)

    kept = np.flatnonzero(inside(grid) <= 0)
    kept = kept if len(kept) else np.array([peak])
    low, high = int(kept[0]), int(kept[-1])
    return (
        0.0 if low == 0 else _edge(inside, grid[low], grid[low - 1]),
        1.0 if high == _COARSE - 1 else _edge(inside, grid[high], grid[high + 1]),
    )


def log_likelihood(prevalence: Floats, shares: Shares) -> Floats:
    """The highest log likelihood at each prevalence, shape (P,).

    The maximum under t = pi a + (1 - pi) b has one multiplier m; given m each share is a root of a quadratic, and the
    gap in the equation grows with m, so that halving finds it, also where a share is 0 or 1.
    """
    yes, no, pool = shares.among_yes, shares.among_no, shares.pool
    low, high = np.full(prevalence.shape, -_REACH), np.full(prevalence.shape, _REACH)
    a = b = np.zeros_like(prevalence)
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        multiplier = np.sinh(middle)
        a, b = _root(yes, -prevalence * multiplier), _root(no, -(1 - prevalence) * multiplier)
        short = prevalence * a + (1 - prevalence) * b < _root(pool, multiplier)
        low, high = np.where(short, middle, low), np.where(short, high, middle)
    said = np.clip(prevalence * a + (1 - prevalence) * b, 0.0, 1.0)
    return _binomial(yes, a) + _binomial(no, b) + _binomial(pool, said)


def _limit(prevalence: Floats, shares: Shares, level: float) -> Floats:
    parts = (
        (shares.pool, np.ones_like(prevalence)),
        (shares.among_yes, prevalence**2),
        (shares.among_no, (1 - prevalence) ** 2),
    )
    variances = [weight * part.spread for part, weight in parts]
    whole = sum(variances)
    freedom = whole**2 / sum(v**2 / max(part.df, 1) for v, (part, _) in zip(variances, parts, strict=True))
    together = 2 * prevalence * (1 - prevalence) * shares.shared
    return np.asarray(stdtrit(freedom, 0.5 + level / 2) ** 2 * np.maximum(1.0, 1 + together / whole))


def _edge(inside: Callable[[Floats], Floats], kept: float, lost: float) -> float:
    """Where the statistic crosses its limit between a point that is kept and its neighbour that is not."""
    points = np.linspace(kept, lost, _FINE)
    excess = inside(points)
    last = int(np.flatnonzero(excess <= 0)[-1]) if bool(np.any(excess <= 0)) else 0
    if last == _FINE - 1:
        return float(lost)
    before, after = float(min(excess[last], 0.0)), float(excess[last + 1])
    return float(points[last] + (points[last + 1] - points[last]) * (-before / (after - before)))


def _root(part: Binomial, slope: Floats) -> Floats:
    """The share in [0, 1] at which the part's log likelihood has this slope."""
    total = slope + part.size
    reach = np.sqrt(np.maximum(total**2 - 4 * slope * part.hits, 0.0))
    with np.errstate(divide="ignore", invalid="ignore"):
        found = np.where(total > 0, 2 * part.hits / (total + reach), (total - reach) / (2 * slope))
    return np.clip(found, 0.0, 1.0)


def _binomial(part: Binomial, share: Floats) -> Floats:
    return np.asarray(xlogy(part.hits, share) + xlog1py(part.size - part.hits, -share))
