"""Intervals for a single share of items whose families hang together: Wilson, cluster logit-t, Korn-Graubard.

References: Wilson 1927, JASA 22:209; Korn and Graubard 1998, Survey Methodology 24:193 (effective sample size in a
Clopper-Pearson interval); Franco et al. 2019, J. Survey Stat. Methodol. 7:334 (Wilson with a design effect).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.special import betaincinv, expit, gammaincinv, logit, stdtrit

from bench.measure.counts import FamilyVectors, Floats, Integers

Bounds = tuple[float, float]

# How many families' worth of full dependence is added to what the families show; simulated, see effective_size.
PRIOR_FAMILIES = 0.5


@dataclass(frozen=True)
class Share:
    """A share and what its intervals need.

    ``size`` is the number of items in the denominator, ``families`` the number of families that hold them,
    ``variance`` the linearised variance of the share, ``blocks`` the effective number of items if families were of
    one mind each (Kish), ``df`` the contributing families less their strata, ``sides`` the families that hold the
    rarer of hits and misses.
    """

    value: float
    size: float
    families: int
    df: int
    variance: float
    blocks: float
    sides: int

    @property
    def effective_size(self) -> float:
        """Items divided by the design effect, which is never taken below 1.

        The design effect is shrunk towards families of one mind as if half a family more had shown that: five misses
        in five families say little about dependence (unshrunk, Wilson covered .924 at recall .95 and 50 families of 4;
        so it covers .976), and without any miss nothing is known, so that each family counts as one block.
        """
        whole = self.size / self.blocks
        simple = self.value * (1 - self.value) / max(self.size - 1, 1)
        if self.variance <= 0 or simple <= 0:
            return self.blocks
        seen = max(self.variance / simple, 1.0)
        return self.size / max((self.sides * seen + PRIOR_FAMILIES * whole) / (self.sides + PRIOR_FAMILIES), 1.0)


def share_of(families: FamilyVectors, numerator: tuple[int, ...], denominator: tuple[int, ...]) -> Share:
    """The share of ``numerator`` cells in ``denominator`` cells, which must not be empty."""
    top = families.vectors[:, list(numerator)].sum(axis=1)
    mass = families.vectors[:, list(denominator)].sum(axis=1)
    items = families.items[:, list(denominator)].sum(axis=1)
    times = families.multiplicity
    total = float(times @ mass)
    hits, misses = float(times @ top), float(times @ (mass - top))
    # Exactly 1 and 0 for all and none, also with weights.
    value = 1.0 if misses == 0 else 0.0 if hits == 0 else hits / total
    here = items > 0
    residuals = (top - value * mass)[here] / total
    stratum = families.stratum[here]
    count = int(times[here].sum())
    return Share(
        value=value,
        size=float(times @ items),
        families=count,
        df=max(count - len(np.unique(stratum)), 0),
        variance=between_families(residuals, times[here], stratum),
        blocks=total**2 / float(times @ mass**2),
        sides=int(min(times[top > 0].sum(), times[mass > top].sum())),
    )


def between_families(values: Floats, times: Integers, stratum: Integers) -> float:
    """The variance of a sum of independent family values, families being fixed in number per stratum.

    A stratum with one family is compared with zero, the mean of all residuals.
    """
    total = 0.0
    for code in np.unique(stratum):
        here = stratum == code
        count = int(times[here].sum())
        if count == 1:
            total += float(values[here][0] ** 2)
        else:
            centre = float(times[here] @ values[here]) / count
            total += count / (count - 1) * float(times[here] @ (values[here] - centre) ** 2)
    # Residuals that are zero in exact arithmetic leave dust of this size.
    return 0.0 if total < 1e-24 else total


def wilson(share: Share, level: float) -> Bounds:
    """Wilson's score interval with the effective size, a t quantile (contributing families - 1) and its rare edge."""
    t = float(stdtrit(max(share.families - 1, 1), 0.5 + level / 2))
    n, p = share.effective_size, share.value
    middle = (p + t * t / (2 * n)) / (1 + t * t / n)
    half = t / (1 + t * t / n) * math.sqrt(p * (1 - p) / n + t * t / (4 * n * n))
    low = 0.0 if p == 0 else min(middle - half, _poisson_edge(p, n, level))
    high = 1.0 if p == 1 else max(middle + half, 1 - _poisson_edge(1 - p, n, level))
    return _clamped(low, high)


def logit_t(share: Share, level: float) -> Bounds:
    """A t interval on the logit with the linearised variance; the share must lie strictly inside 0 and 1."""
    t = float(stdtrit(max(share.families - 1, 1), 0.5 + level / 2))
    half = t * math.sqrt(share.variance) / (share.value * (1 - share.value))
    centre = float(logit(share.value))
    return _clamped(float(expit(centre - half)), float(expit(centre + half)))


def korn_graubard(share: Share, level: float) -> Bounds:
    """Clopper-Pearson at the effective size, adjusted for the few degrees of freedom of the variance.

    With single-item families in one stratum it is the Clopper-Pearson interval itself.
    """
    n = share.effective_size
    if n < share.size and share.variance > 0:
        full, few = stdtrit([max(share.size - 1, 1), max(share.df, 1)], 0.5 + level / 2)
        n = min(n, max(n * (float(full) / float(few)) ** 2, 1.0))
    x, tail = n * share.value, (1 - level) / 2
    low = 0.0 if share.value == 0 else float(betaincinv(x, n - x + 1, tail))
    high = 1.0 if share.value == 1 else float(betaincinv(x + 1, n - x, 1 - tail))
    return _clamped(low, high)


def _poisson_edge(rare: float, n: float, level: float) -> float:
    """The lower limit for a rare share, after Brown, Cai and DasGupta 2001, Stat. Sci. 16:101, sec. 4.1.1.

    Plain Wilson dips there: 16 of 17 would exclude a true .994, so that it covers .91 of the time at n = 17.
    """
    hits = n * rare
    return float(gammaincinv(hits, 1 - level)) / n if hits <= (2 if n <= 50 else 3) else 1.0


def _clamped(low: float, high: float) -> Bounds:
    return max(0.0, low), min(1.0, high)
