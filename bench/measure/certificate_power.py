"""How many rows a certificate takes: "at most so many wrong among what is decided, at confidence 1 - delta".

Rows are independent: with families larger than one, one seeded item of each. A bet on family sums needs as many
families, since none can multiply the stake by more than 1 / (1 - target), all right.
"""

from __future__ import annotations

import math
from functools import cache

import numpy as np
from scipy.special import bdtr, bdtrc

from bench.measure.counts import Integers
from bench.measure.power import POWER, binomial_chances, check_share, check_within, first_reaching


def rows_for_certificate(errors: int, target: float, delta: float) -> int:
    """The fewest selected rows with which "at most ``target`` wrong" holds at confidence 1 - delta, with such errors.

    Formula: the smallest n with P(Bin(n, target) <= errors) <= delta; without errors ceil(log delta / log(1 -
    target)): 29 at 10 % / 95 %. Range 1 up, low is good; undefined for limits outside 0 to 1. Reference: Clopper and
    Pearson 1934, Biometrika 26:404; Wilks 1941, Ann. Math. Stat. 12:91 (the same numbers). Easily confused with the
    rows at which the observed share is under the target. Rows are independent: one a family.
    """
    check_within("target", target, 1.0)
    check_within("delta", delta, 1.0)
    if errors < 0:
        raise ValueError(f"{errors} errors: wanted 0 or more")
    return _rows(errors, target, delta)


def errors_allowed(rows: int, target: float, delta: float) -> int | None:
    """The most errors among so many selected rows with which the certificate holds; None where none will do.

    Formula: the largest k with P(Bin(rows, target) <= k) <= delta. High is good. Reference: as
    :func:`rows_for_certificate`, its inverse. Easily confused with target x rows, which is more.
    """
    found = int(np.searchsorted(_row_steps(rows, target, delta), rows, side="right")) - 1
    return found if found >= 0 else None


def labels_for_selected(selected: int, selection: float, assurance: float = POWER) -> int | None:
    """The fewest labelled rows of which, with the wanted chance, at least so many are selected.

    Formula: the smallest N with P(Bin(N, selection) >= selected) >= assurance. Range ``selected`` up, low is good; None
    beyond ``MOST_ITEMS``. Reference: the negative binomial distribution. Easily confused with selected / selection,
    which is reached only half of the time.
    """
    check_share(selection)
    if selection == 0:
        return None
    return first_reaching(lambda n: float(bdtrc(selected - 1, n, selection)) if n >= selected else 0.0, assurance)


def certificate_chance(labels: int, selection: float, wrong: float, target: float, delta: float) -> float:
    """The chance that one threshold, fixed beforehand, gets its certificate from so many labelled rows.

    Formula: sum over s of Bin(s; labels, selection) x P(Bin(s, wrong) <= errors_allowed(s)). Range 0 to 1, high is
    good; at most delta when ``wrong`` is the target or more. Reference: as :func:`rows_for_certificate`. Easily confused
    with the confidence 1 - delta, which says nothing on how often a good judge is certified.
    """
    check_share(selection)
    check_share(wrong)
    rows = np.arange(labels + 1)
    allowed = np.searchsorted(_row_steps(labels, target, delta), rows, side="right") - 1
    issued = np.where(allowed >= 0, bdtr(np.maximum(allowed, 0), np.maximum(rows, 1), wrong), 0.0)
    return min(1.0, float(binomial_chances(labels, selection) @ issued))


def labels_for_certificate(
    selection: float, wrong: float, target: float, delta: float, power: float = POWER
) -> int | None:
    """The fewest labelled rows with which a judge of this error rate gets its certificate with the wanted chance.

    Formula: the smallest N with certificate_chance(N) >= power. Range rows_for_certificate(0) up, low is good; None
    where ``wrong`` is not under the target, or beyond ``MOST_ITEMS``. Reference: as
    :func:`certificate_chance`. Easily confused with the fewest with which it can be issued at all.
    """
    if wrong >= target or selection <= 0:
        return None
    least = rows_for_certificate(0, target, delta)
    return first_reaching(lambda n: certificate_chance(n, selection, wrong, target, delta), power, least)


@cache
def _rows(errors: int, target: float, delta: float) -> int:
    if errors == 0:
        return max(1, math.ceil(math.log(delta) / math.log1p(-target) - 1e-12))
    low, high = errors, errors + 1
    while bdtr(errors, high, target) > delta:
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if bdtr(errors, middle, target) > delta else (low, middle)
    return high


def _row_steps(most: int, target: float, delta: float) -> Integers:
    """Rows needed with 0, 1, 2, ... errors, as far as ``most`` rows reach."""
    steps: list[int] = []
    while not steps or steps[-1] <= most:
        steps.append(rows_for_certificate(len(steps), target, delta))
    return np.array(steps, dtype=np.int64)
