"""Error rates of votes from three independent votes an item: a mixture of two binomials, by maximum likelihood.

The number of yes among three votes is Bin(3, 1 - miss) on true yes and Bin(3, false_yes) on true no. Three cells carry
three unknowns, so that inside their range the likelihood is greatest where the first three moments are met, in closed
form; outside it is greatest at an end of the range, where one error rate is 0. References: Dawid and Skene 1979, Applied
Statistics 28:20 (here with annotators that share their error rates); Blischke 1964, JASA 59:510 (moments of mixed
binomials).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from bench.measure.counts import FamilyVectors, Floats
from bench.measure.estimand import LEVEL, RESAMPLES
from bench.measure.estimate import Estimate, undefined_estimate
from bench.measure.means import sum_families
from bench.measure.resampling import DUST, JACKKNIFE_LIMIT, bca, draw, expanded

VOTES = 3
LEAST_ITEMS = 20
LEAST_FAMILIES = 15
BCA = "BCa family bootstrap, expanded to t"
_SHARE, _MISS, _FALSE_YES = 0, 1, 2
_EDGE = 1e-12


@dataclass(frozen=True)
class LatentRates:
    """What three votes an item tell about the truth and about votes.

    ``counts``: items with 0, 1, 2 and 3 votes for yes. ``true_yes``: share of items that are truly yes. ``miss`` and
    ``false_yes``: how often a vote is wrong on a true yes and on a true no. ``agreed_wrong``: how often the answer is
    wrong where two votes agree.
    """

    counts: tuple[int, int, int, int]
    true_yes: Estimate
    miss: Estimate
    false_yes: Estimate
    agreed_wrong: Estimate


def latent_rates(
    yes_votes: Sequence[int], families: Sequence[str], seed: int, resamples: int = RESAMPLES, level: float = LEVEL
) -> LatentRates:
    """The rates from the number of yes among three votes, one entry an item.

    Range 0 to 1; errors: 0 is good. Undefined under 20 items or 15 families, where counts of yes spread no more than
    one common rate explains, where votes would be wrong more often than right, and for an error rate at its end 0 (no
    interval can be given there). It takes votes on one item to be independent given the truth: shared mistakes count as
    truth, so that the errors are lower bounds. Easily confused with disagreement, which is about twice a vote's error.
    """
    summed = _summed(yes_votes, families)
    totals = summed.totals() if len(yes_votes) else np.zeros(VOTES + 1)
    counts = (int(totals[0]), int(totals[1]), int(totals[2]), int(totals[3]))
    reason = _why_undefined(len(yes_votes), summed.families, totals)
    if reason is not None:
        told = [undefined_estimate(name, reason, summed.families) for name in _NAMES]
        return LatentRates(counts, *told)
    drawn = draw(summed.multiplicity, summed.stratum, seed, resamples)
    sums = drawn @ summed.vectors
    few = len(summed.multiplicity) <= JACKKNIFE_LIMIT
    deleted = totals - summed.vectors if few else np.empty((0, VOTES + 1))
    reach = expanded(level, summed.families)
    return LatentRates(counts, *(_estimate(name, summed, sums, deleted, reach) for name in _NAMES))


def mixture(sums: Floats) -> Floats:
    """(share of true yes, miss, false yes) of greatest likelihood for counts (..., 4); NaN where one rate explains all.

    True yes is the part whose items get more votes for yes.
    """
    n0, n1, n2, n3 = (np.asarray(sums[..., cell], dtype=np.float64) for cell in range(VOTES + 1))
    total = n0 + n1 + n2 + n3
    with np.errstate(divide="ignore", invalid="ignore"):
        first, second, third = (n1 / 3 + 2 * n2 / 3 + n3) / total, (n2 / 3 + n3) / total, n3 / total
        spread = second - first**2
        # The two rates are the roots of x^2 - middle x + product, which their three moments fix.
        middle = (third - first * second) / spread
        product = middle * first - second
        half = np.sqrt(np.maximum(middle**2 / 4 - product, 0.0))
        high, low = middle / 2 + half, middle / 2 - half
        found = np.stack([(first - low) / (high - low), 1 - high, low], axis=-1)
        none_false = _at_the_end(n0, n1, n2, n3)
        none_missed = _at_the_end(n3, n2, n1, n0)
        mirrored = np.stack([1 - none_missed[0], np.zeros_like(total), none_missed[1]], axis=-1)
        plain = np.stack([none_false[0], none_false[1], np.zeros_like(total)], axis=-1)
        # The moments lie outside what any mixture has: an error rate would be negative.
        found = np.where((3 * n1 * n3 < n2**2)[..., None], plain, found)
        found = np.where((3 * n0 * n2 < n1**2)[..., None], mirrored, found)
        two_parts = (spread > _EDGE) & (found[..., _SHARE] > 0) & (found[..., _SHARE] < 1)
    return np.asarray(np.where(two_parts[..., None], found, np.nan))


def agreed_wrong(rates: Floats) -> Floats:
    """How often the answer is wrong where two votes agree, for (..., 3) of share, miss and false yes."""
    share, miss, false_yes = (rates[..., cell] for cell in range(3))
    wrong = share * miss**2 + (1 - share) * false_yes**2
    return np.asarray(wrong / (wrong + share * (1 - miss) ** 2 + (1 - share) * (1 - false_yes) ** 2))


_NAMES: dict[str, Callable[[Floats], Floats]] = {
    "true_yes": lambda rates: rates[..., _SHARE],
    "miss": lambda rates: rates[..., _MISS],
    "false_yes": lambda rates: rates[..., _FALSE_YES],
    "agreed_wrong": agreed_wrong,
}


def _at_the_end(n0: Floats, n1: Floats, n2: Floats, n3: Floats) -> tuple[Floats, Floats]:
    """(share of true yes, miss) where no vote on a true no says yes: items with a yes are true yes, and a binomial without
    its zero gives their rate; its mean 3 (1 - miss) / (1 - miss^3) is a quadratic in miss."""
    some = n1 + n2 + n3
    mean = (n1 + 2 * n2 + 3 * n3) / some
    miss = (np.sqrt(np.maximum(12 / mean - 3, 0.0)) - 1) / 2
    return some / (n0 + some) / (1 - miss**VOTES), miss


def _summed(yes_votes: Sequence[int], families: Sequence[str]) -> FamilyVectors:
    if any(not 0 <= count <= VOTES for count in yes_votes):
        raise ValueError(f"the number of yes among {VOTES} votes is 0 to {VOTES}")
    cells = np.eye(VOTES + 1)[np.asarray(yes_votes, dtype=np.int64)].reshape(-1, VOTES + 1)
    return sum_families(cells, cells, np.asarray(families, dtype=np.str_))


def _why_undefined(items: int, families: int, totals: Floats) -> str | None:
    if items < LEAST_ITEMS:
        return f"{items} of {LEAST_ITEMS} items with three votes"
    if families < LEAST_FAMILIES:
        return f"{families} of {LEAST_FAMILIES} families with three votes"
    rates = mixture(totals)
    if not np.isfinite(rates).all():
        alike = np.count_nonzero(totals) == 1
        return "all items got the same votes" if alike else "votes differ as if all items were alike"
    if max(rates[_MISS], rates[_FALSE_YES]) >= 0.5:
        return "votes would be wrong more often than right"
    return None


def _estimate(name: str, summed: FamilyVectors, sums: Floats, deleted: Floats, reach: float) -> Estimate:
    function = _NAMES[name]
    value = float(function(mixture(summed.totals())))
    if value <= _EDGE:
        return undefined_estimate(name, "at its end 0, which has no interval", summed.families)
    replicates = function(mixture(sums))
    defined = replicates[np.isfinite(replicates)]
    if len(defined) == 0 or np.ptp(defined) <= DUST:
        return undefined_estimate(name, "no spread over resamples", summed.families)
    bounds = bca(value, defined, function(mixture(deleted)), summed.multiplicity, reach)
    lost = len(replicates) - len(defined)
    return Estimate(name, value, min(bounds[0], value), max(bounds[1], value), BCA, summed.families,
                    undefined_resamples=lost)  # fmt: skip
