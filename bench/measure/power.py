"""How many items it takes: for an interval of a given width, and for a difference between two judges.

Everything counts independent items. Families larger than one bring a design effect (Kish 1965), or are counted as one
item each, which is the cautious end. Planning never replaces the interval or test of the data that were then found.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from scipy.special import bdtr, betaincinv, gammaln, ndtri, stdtrit, xlog1py, xlogy

from bench.measure.counts import Floats, Integers
from bench.measure.estimand import LEVEL

POWER = 0.8
SIGNIFICANCE = 0.05
MOST_ITEMS = 100_000  # no plan looks further; beyond it the answer is None
_BISECTIONS = 40
_OFFSETS = np.arange(-3, 4)


# --- a proportion ---


def design_effect(family_size: float, correlation: float) -> float:
    """How many times more items are needed because items of a family resemble each other: 1 + (m - 1) rho.

    Range 1 (unrelated items) to m (families of one mind); low is good; undefined under one item a family. Reference:
    Kish 1965, Survey Sampling, sec. 5.4. Easily confused with its inverse, the effective share of the items.
    """
    if family_size < 1 or not 0 <= correlation <= 1:
        raise ValueError(f"families of {family_size}, correlation {correlation}: wanted 1 or more, and 0 to 1")
    return 1 + (family_size - 1) * correlation


def half_width(
    items: float, share: float = 0.5, design: float = 1.0, families: int | None = None, level: float = LEVEL
) -> float:
    """Half the length of the Wilson interval that so many items give when the share is as assumed.

    Formula: t / (n + t^2) sqrt(n p (1 - p) + t^2 / 4) with n = items / design effect and t the normal quantile, or the
    t quantile with families - 1 degrees of freedom. Range 0 to 0.5, low is good; undefined without items. Reference:
    Wilson 1927, JASA 22:209. Easily confused with a margin to each side: off one half, Wilson reaches further inwards.
    """
    check_share(share)
    if items <= 0 or design < 1:
        raise ValueError(f"{items} items, design effect {design}: wanted more than 0, and 1 or more")
    n, t = items / design, _quantile(level, families)
    return t / (n + t * t) * math.sqrt(n * share * (1 - share) + t * t / 4)


def items_for_half_width(wanted: float, share: float = 0.5, design: float = 1.0, level: float = LEVEL) -> int:
    """The fewest items whose Wilson interval is at most ``wanted`` to each side of its middle, by the normal quantile.

    Formula: n = z^2 (pq - 2h^2 + sqrt(p^2 q^2 + h^2 (1 - 4pq))) / (2h^2), times the design effect, rounded up; the
    root of :func:`half_width`. At p = .5 it is z^2 (1 / 4h^2 - 1). Range 1 up, low is good; undefined for h outside 0
    to .5. Reference: Wilson 1927; Piegorsch 2004, Comput. Stat. Data Anal. 46:309. Easily confused with the Wald
    number z^2 pq / h^2, which is z^2 larger at one half and far too small near 0 and 1.
    """
    check_share(share)
    check_within("half-width", wanted, 0.5)
    z, pq, h = _quantile(level, None), share * (1 - share), wanted
    effective = z * z * (pq - 2 * h * h + math.sqrt(pq * pq + h * h * (1 - 4 * pq))) / (2 * h * h)
    return max(1, math.ceil(effective * design - 1e-9))


def families_for_half_width(wanted: float, share: float = 0.5, level: float = LEVEL) -> int:
    """The fewest families, each counted as one item, whose interval with a t quantile is at most ``wanted`` wide.

    Formula: the smallest F with half_width(F, families=F) <= wanted; never more than needed if families hold several
    items of different minds. Range 2 up, low is good; undefined as :func:`items_for_half_width`, which starts the
    search and is a few families lower. Reference: as there. Easily confused with a number of items.
    """
    count = max(2, items_for_half_width(wanted, share, 1.0, level))
    while half_width(count, share, 1.0, count, level) > wanted:
        count += 1
    return count


# --- a paired difference of accuracies ---


def paired_power(items: int, difference: float, discordance: float, significance: float = SIGNIFICANCE) -> float:
    """The chance that McNemar's mid-p test finds a true paired difference of accuracies, either way round.

    Formula: sum over m of Bin(m; n, discordance) x P(mid-p <= alpha | m discordant), each of which favours the better
    judge with chance (1 + difference / discordance) / 2. Range 0 to 1, high is good; undefined where the difference
    exceeds the discordance. Reference: Fagerland et al. 2013, BMC Med. Res. Methodol. 13:91 (the test); Duffy 1984,
    Biometrics 40:1005 (its exact unconditional power). Easily confused with the power given the discordant items.
    """
    _pair(difference, discordance)
    if items < 1:
        raise ValueError(f"{items} items: wanted at least 1")
    counts, most = np.arange(items + 1), _critical(items, significance)
    favour = (1 + difference / discordance) / 2
    tails = bdtr(np.maximum(most, 0), counts, favour) + bdtr(np.maximum(most, 0), counts, 1 - favour)
    return min(1.0, float(binomial_chances(items, discordance) @ np.where(most >= 0, tails, 0.0)))


def items_for_difference_approximately(
    difference: float, discordance: float, power: float = POWER, significance: float = SIGNIFICANCE
) -> float:
    """The normal approximation to the number of items at which McNemar's test finds a difference.

    Formula: (z_{1-alpha/2} sqrt(psi) + z_{power} sqrt(psi - d^2))^2 / d^2. Range 0 up, low is good; undefined where
    the difference exceeds the discordance. Reference: Connor 1987, Biometrics 43:207, eq. p. 209. Easily confused with
    the number of discordant items.
    """
    _pair(difference, discordance)
    reach = float(ndtri(1 - significance / 2)) * math.sqrt(discordance)
    return (reach + float(ndtri(power)) * math.sqrt(discordance - difference**2)) ** 2 / difference**2


def items_for_difference(
    difference: float, discordance: float, power: float = POWER, significance: float = SIGNIFICANCE
) -> int | None:
    """The fewest items at which McNemar's mid-p test finds a paired difference with the wanted chance.

    Formula: the smallest n with paired_power(n) >= power, by bisection and a walk down. Range 5 up, low is good; None
    beyond ``MOST_ITEMS``, undefined as :func:`paired_power`. Reference: as there. Easily confused with what equally
    many *unpaired* items show, which is far less.
    """
    _pair(difference, discordance)
    return first_reaching(lambda n: paired_power(n, difference, discordance, significance), power)


def smallest_difference(
    items: int, discordance: float, power: float = POWER, significance: float = SIGNIFICANCE
) -> float | None:
    """The smallest true paired difference of accuracies that so many items show with the wanted chance.

    Formula: the d with paired_power(items, d) = power. Range up to the discordance, low is good; None where even a
    difference as large as the discordance is missed too often. Reference: as :func:`paired_power`. Easily confused
    with the smallest *observed* difference that is significant, which is smaller.
    """
    if items < 1 or paired_power(items, discordance, discordance, significance) < power:
        return None
    low, high = 0.0, discordance
    for _ in range(_BISECTIONS):
        middle = (low + high) / 2
        if paired_power(items, middle, discordance, significance) >= power:
            high = middle
        else:
            low = middle
    return high


def least_discordant(significance: float = SIGNIFICANCE) -> int:
    """The fewest discordant items that can be significant, all of them in favour of one judge.

    Formula: McNemar's mid-p at 0 of m is 2^-m, so the smallest m with 2^-m <= alpha: 5 at .05. Low is good; always
    defined. Reference: Fagerland et al. 2013. Easily confused with the exact test's 6 (2^(1-m) <= .05).
    """
    return math.ceil(-math.log2(significance) - 1e-12)


def difference_at_best(items: int, power: float = POWER, significance: float = SIGNIFICANCE) -> float | None:
    """The smallest difference that so many items show if the worse judge is never right alone.

    Formula: the d with P(Bin(n, d) >= least_discordant) = power, a beta quantile: no discordance does better. Range
    0 to 1, low is good; None under that many items. Reference: as :func:`least_discordant`. Easily confused with
    :func:`smallest_difference` at a given discordance, which is larger.
    """
    needed = least_discordant(significance)
    return float(betaincinv(needed, items - needed + 1, power)) if items >= needed else None


# --- shared ---


def _critical(items: int, significance: float) -> Integers:
    """For 0..items discordant items, the most that may favour the worse judge; -1 where nothing is significant."""
    counts = np.arange(items + 1)
    near = np.floor(counts / 2 + float(ndtri(significance / 2)) * np.sqrt(counts) / 2).astype(np.int64)
    tried = near[:, None] + _OFFSETS
    whole = np.clip(tried, 0, counts[:, None])
    below = np.where(whole > 0, bdtr(np.maximum(whole - 1, 0), counts[:, None], 0.5), 0.0)
    mid_p = below + bdtr(whole, counts[:, None], 0.5)
    good = (tried >= 0) & (2 * tried < counts[:, None]) & (mid_p <= significance)
    return np.asarray(np.where(good, tried, -1).max(axis=1))


def binomial_chances(items: int, share: float) -> Floats:
    """The chances of 0..items."""
    counts = np.arange(items + 1)
    ways = gammaln(items + 1) - gammaln(counts + 1) - gammaln(items - counts + 1)
    return np.asarray(np.exp(ways + xlogy(counts, share) + xlog1py(items - counts, -share)))


def first_reaching(chance: Callable[[int], float], aim: float, start: int = 1) -> int | None:
    """The smallest number whose chance reaches the aim. Chances rise with it but for steps, hence the walk."""
    low, high = start - 1, start
    while chance(high) < aim:
        if high >= MOST_ITEMS:
            return None
        low, high = high, min(2 * high, MOST_ITEMS)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if chance(middle) < aim else (low, middle)
    while high > start and chance(high - 1) >= aim:
        high -= 1
    return high


def _quantile(level: float, families: int | None) -> float:
    check_within("level", level, 1.0)
    return float(ndtri(0.5 + level / 2) if families is None else stdtrit(max(families - 1, 1), 0.5 + level / 2))


def check_share(value: float) -> None:
    """Refuse what is no share."""
    if not 0 <= value <= 1:
        raise ValueError(f"share {value}: wanted 0 to 1")


def check_within(name: str, value: float, high: float) -> None:
    """Refuse what does not lie strictly between 0 and ``high``."""
    if not 0 < value < high:
        raise ValueError(f"{name} {value}: wanted more than 0 and less than {high:g}")


def _pair(difference: float, discordance: float) -> None:
    if not 0 < difference <= discordance <= 1:
        raise ValueError(
            f"difference {difference}, discordance {discordance}: wanted 0 < difference <= discordance <= 1"
        )
