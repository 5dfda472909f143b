"""Agreement between annotators: raw, pairwise Cohen kappa, Krippendorff's alpha for nominal categories.

A rating is one row: unit, annotator, category, and the family of the unit; a missing vote has no row.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from bench.measure.counts import FamilyVectors, Floats
from bench.measure.estimand import LEVEL, RESAMPLES, Estimand, shortage
from bench.measure.estimate import Estimate, undefined_estimate
from bench.measure.intervals import proportion_interval
from bench.measure.means import sum_families
from bench.measure.proportions import korn_graubard, share_of
from bench.measure.resampling import Statistic, draw

_AGREE, _DIFFER = 0, 1
_NO_PAIRS = "0 units with two votes"
_Settings = tuple[int, int, float]
_CARRIED = "Korn-Graubard of raw agreement, carried over"


@dataclass(frozen=True, order=True)
class Rating:
    """One annotator's category for one unit; ``family`` groups units that hang together."""

    family: str
    unit: str
    annotator: str
    category: str
    stratum: str = ""


@dataclass(frozen=True)
class PairKappa:
    """Cohen's kappa between two annotators on the units both rated."""

    first: str
    second: str
    units: int
    kappa: Estimate


@dataclass(frozen=True, eq=False)
class _Table:
    """Votes per unit and category (units, K), with each unit's family and stratum."""

    votes: Floats
    families: list[str]
    strata: list[str]
    categories: list[str]


def raw_agreement(ratings: Sequence[Rating], level: float = LEVEL) -> Estimate:
    """The share of pairs of votes on the same unit that name the same category.

    Formula: sum over units of agreeing pairs / sum over units of pairs. Range 0 to 1, high is good; undefined without a
    unit that has two votes. Reference: Scott 1955, POQ 19:321. Easily confused with kappa and alpha, which subtract
    chance.
    """
    table = _pairable(ratings)
    if len(table.votes) == 0:
        return undefined_estimate("raw_agreement", _NO_PAIRS)
    summed = _pair_sums(table, np.full(len(table.votes), 0.5))
    share = share_of(summed, (_AGREE,), (_AGREE, _DIFFER))
    method, (low, high), note = proportion_interval(share, False, level)
    pairs = summed.totals()
    return Estimate(
        "raw_agreement", share.value, low, high, method, share.families, note,
        numerator=round(pairs[_AGREE]), denominator=round(pairs[_AGREE] + pairs[_DIFFER]),
    )  # fmt: skip


def krippendorff_alpha(
    ratings: Sequence[Rating], seed: int, resamples: int = RESAMPLES, level: float = LEVEL
) -> Estimate:
    """One minus observed over expected disagreement, for nominal categories and any number of votes per unit.

    Formula: 1 - D_o / D_e over the n votes of units with m >= 2 votes, D_o = sum over units of differing ordered pairs
    / (m - 1), over n; D_e = 1 - sum over categories of n_c (n_c - 1) / (n (n - 1)). Range below 0 to 1, 0 is chance,
    high is good; undefined without a unit that has two votes or with one category. Reference: Krippendorff 2011,
    Computing Krippendorff's Alpha-Reliability. Easily confused with Fleiss kappa, which has no small-sample correction
    and cannot have missing votes.
    """
    table = _pairable(ratings)
    if len(table.votes) == 0:
        return undefined_estimate("krippendorff_alpha", _NO_PAIRS)
    used = [name for name, votes in zip(table.categories, table.votes.sum(axis=0), strict=True) if votes > 0]
    if len(used) == 1:
        return undefined_estimate("krippendorff_alpha", f"1 category only ({used[0]})", len(set(table.families)))
    summed = _pair_sums(table, 1 / (table.votes.sum(axis=1) - 1))
    return _beyond_chance("krippendorff_alpha", _alpha, _chance_of_alpha, summed, (seed, resamples, level))


def pairwise_kappas(
    ratings: Sequence[Rating], seed: int, resamples: int = RESAMPLES, level: float = LEVEL
) -> tuple[PairKappa, ...]:
    """Cohen's kappa for each pair of annotators, on the units both rated, in the order of their names.

    Formula: (p_o - p_e) / (1 - p_e), p_e = sum over categories of the product of both annotators' shares. Range -1 to 1,
    0 is chance, high is good; undefined without common units or when either used one category only. Reference: Cohen
    1960, Educ. Psychol. Meas. 20:37. Easily confused with raw agreement, and with Krippendorff's alpha, which pools the
    annotators' shares.
    """
    names = sorted({rating.annotator for rating in ratings})
    return tuple(_pair_kappa(ratings, pair, (seed, resamples, level)) for pair in combinations(names, 2))


def _pairable(ratings: Sequence[Rating]) -> _Table:
    _check(ratings)
    categories = sorted({rating.category for rating in ratings})
    column = {name: index for index, name in enumerate(categories)}
    units = {(r.family, r.unit): r.stratum for r in ratings}
    row = {key: index for index, key in enumerate(units)}
    votes = np.zeros((len(units), len(categories)))
    for rating in ratings:
        votes[row[rating.family, rating.unit], column[rating.category]] += 1
    kept = votes.sum(axis=1) >= 2
    families = [family for (family, _), keep in zip(units, kept, strict=True) if keep]
    strata = [stratum for stratum, keep in zip(units.values(), kept, strict=True) if keep]
    return _Table(votes[kept], families, strata, categories)


def _check(ratings: Sequence[Rating]) -> None:
    seen: set[tuple[str, str]] = set()
    family_of: dict[str, str] = {}
    for rating in ratings:
        if (rating.unit, rating.annotator) in seen:
            raise ValueError(f"{rating.annotator} rated unit {rating.unit} twice")
        if family_of.setdefault(rating.unit, rating.family) != rating.family:
            raise ValueError(f"unit {rating.unit} lies in families {family_of[rating.unit]} and {rating.family}")
        seen.add((rating.unit, rating.annotator))


def _pair_sums(table: _Table, scale: Floats) -> FamilyVectors:
    """Per family: agreeing pairs, differing pairs (ordered pairs times ``scale``), then votes per category."""
    sizes = table.votes.sum(axis=1)
    agree = (table.votes * (table.votes - 1)).sum(axis=1) * scale
    differ = sizes * (sizes - 1) * scale - agree
    rows = np.column_stack([agree, differ, table.votes])
    units = np.zeros_like(rows)
    units[:, _AGREE] = 1
    return sum_families(rows, units, table.families, table.strata)


def _alpha(sums: Floats) -> Floats:
    with np.errstate(divide="ignore", invalid="ignore"):
        observed = sums[..., _DIFFER] / (sums[..., _AGREE] + sums[..., _DIFFER])
        expected = 1 - _chance_of_alpha(sums)
        return np.asarray(np.where(expected > 0, 1 - observed / expected, np.nan))


def _chance_of_alpha(sums: Floats) -> Floats:
    votes = sums[..., 2:]
    total = votes.sum(axis=-1)
    return np.asarray((votes * (votes - 1)).sum(axis=-1) / (total * (total - 1)))


def _pair_kappa(ratings: Sequence[Rating], pair: tuple[str, str], settings: _Settings) -> PairKappa:
    votes = [{r.unit: r for r in ratings if r.annotator == name} for name in pair]
    common = [(votes[0][unit], votes[1][unit]) for unit in votes[0] if unit in votes[1]]
    _check(ratings)
    return PairKappa(*pair, len(common), _kappa(common, settings))


def _kappa(common: list[tuple[Rating, Rating]], settings: _Settings) -> Estimate:
    if not common:
        return undefined_estimate("cohen_kappa", "0 units rated by both")
    categories = sorted({rating.category for both in common for rating in both})
    for side in (0, 1):
        if len(used := {both[side].category for both in common}) == 1:
            reason = f"{common[0][side].annotator} used 1 category only ({used.pop()})"
            return undefined_estimate("cohen_kappa", reason, len({first.family for first, _ in common}))
    rows = np.array([_kappa_row(first.category, second.category, categories) for first, second in common])
    units = np.zeros_like(rows)
    units[:, _AGREE] = 1
    summed = sum_families(rows, units, [first.family for first, _ in common], [first.stratum for first, _ in common])
    return _beyond_chance("cohen_kappa", _cohen, _chance_of_cohen, summed, settings)


def _kappa_row(first: str, second: str, categories: list[str]) -> list[float]:
    same = first == second
    named = [float(category == name) for category in (first, second) for name in categories]
    return [float(same), float(not same), *named]


def _cohen(sums: Floats) -> Floats:
    with np.errstate(divide="ignore", invalid="ignore"):
        observed = sums[..., _AGREE] / (sums[..., _AGREE] + sums[..., _DIFFER])
        chance = _chance_of_cohen(sums)
        return np.asarray(np.where(chance < 1, (observed - chance) / (1 - chance), np.nan))


def _chance_of_cohen(sums: Floats) -> Floats:
    width = (sums.shape[-1] - 2) // 2
    first, second = sums[..., 2 : 2 + width], sums[..., 2 + width :]
    return np.asarray((first * second).sum(axis=-1) / (first.sum(axis=-1) * second.sum(axis=-1)))


def _beyond_chance(
    name: str,
    statistic: Statistic,
    chance_of: Statistic,
    summed: FamilyVectors,
    settings: _Settings,
) -> Estimate:
    seed, resamples, level = settings
    share = share_of(summed, (_AGREE,), (_AGREE, _DIFFER))
    sides = min(int(summed.multiplicity[summed.vectors[:, side] > 0].sum()) for side in (_AGREE, _DIFFER))
    note = shortage(share.size, share.families, sides)
    drawn = draw(summed.multiplicity, summed.stratum, seed, resamples) if note is None else None
    chance = float(chance_of(summed.totals()))

    def exact() -> tuple[float, float]:
        low, high = korn_graubard(share, level)
        return (low - chance) / (1 - chance), (high - chance) / (1 - chance)

    target = Estimand(name, statistic, summed, -1.0, 1.0, share.families, exact, _CARRIED, note)
    return target.estimate(drawn, level)
