"""How well scores put yes above no: AUROC and average precision, weighted by how often a family is drawn.

These are not functions of summed family vectors, so a resample weights rows; families with the same rows are one
distinct family with a multiplicity. Rank functions take the weight of yes and of no at each distinct score, lowest
first, both of shape (..., levels), and give (...).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import betaincinv

from bench.measure.counts import Floats, Integers, family_codes
from bench.measure.estimand import DEGENERATE, LEVEL, shortage
from bench.measure.estimate import TOO_FEW, Estimate, undefined_estimate
from bench.measure.inputs import finite_scores, same_rows, truths
from bench.measure.proportions import Bounds
from bench.measure.resampling import DUST, JACKKNIFE_LIMIT, bca, draw, expanded

RankFunction = Callable[[Floats, Floats], Floats]
# Each resample passes over every row, unlike the counts; 2,000 place a bound to about .003 of its tail.
RANK_RESAMPLES = 2_000
_CHUNK = 4_000_000
# Floating numbers that are worked on at once; more leave the processor's cache.
_CACHED = 400_000
BCA = "BCa family bootstrap, expanded to t"
_DISJOINT = "Clopper-Pearson on disjoint pairs"


@dataclass(frozen=True, eq=False)
class ScoredFamilies:
    """Rows sorted by score: ``level`` (rows,) is the rank of the score among distinct scores, ``family`` (rows,) the
    distinct family, which stands ``multiplicity`` times (D,) in ``stratum`` (D,)."""

    yes: NDArray[np.bool_]
    level: Integers
    family: Integers
    multiplicity: Integers
    stratum: Integers

    def holding(self, value: bool) -> int:
        """How many families hold an item with this label."""
        return int(self.multiplicity[np.unique(self.family[self.yes == value])].sum())

    def items(self, value: bool) -> int:
        """How many items have this label."""
        return int(self.multiplicity[self.family[self.yes == value]].sum())


@dataclass(frozen=True)
class RankMetric:
    """A metric of scores and labels; ``swap_partner`` is what it turns into when yes and no change places."""

    name: str
    sentence: str
    formula: str
    function: RankFunction
    defined_when: str
    reference: str
    confused_with: str
    swap_partner: str | None
    low: float = 0.0
    high: float = 1.0
    direction: str = "higher is better"


def auroc(yes: Floats, no: Floats) -> Floats:
    """The chance that a yes scores above a no, ties counting half; 0 to 1, .5 is chance; NaN with one class."""
    below = np.cumsum(no, axis=-1) - no / 2
    pairs = yes.sum(axis=-1) * no.sum(axis=-1)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(np.where(pairs > 0, (yes * below).sum(axis=-1) / pairs, np.nan))


def average_precision(yes: Floats, no: Floats) -> Floats:
    """Precision at each distinct score, averaged over the yes items; 0 to 1, prevalence is chance; NaN without yes."""
    hits = np.cumsum(yes[..., ::-1], axis=-1)
    called = np.cumsum((yes + no)[..., ::-1], axis=-1)
    total = yes.sum(axis=-1)
    with np.errstate(divide="ignore", invalid="ignore"):
        precision = np.where(called > 0, hits / called, 0.0)
        return np.asarray(np.where(total > 0, (yes[..., ::-1] * precision).sum(axis=-1) / total, np.nan))


RANK_METRICS: dict[str, RankMetric] = {
    "auroc": RankMetric(
        "auroc", "The chance that an item labelled yes scores above one labelled no.",
        "(#(s_yes > s_no) + #(s_yes = s_no) / 2) / (n_yes n_no)", auroc, "at least one labelled yes and one no",
        "Hanley and McNeil 1982, Radiology 143:29", "accuracy at a threshold; average precision; calibration", "auroc",
    ),
    "average_precision": RankMetric(
        "average_precision", "Precision at each score where recall rises, weighted by that rise.",
        "sum over scores of (R_i - R_{i-1}) P_i, no interpolation", average_precision, "at least one labelled yes",
        "Davis and Goadrich 2006, ICML", "the trapezoid under the precision-recall curve; AUROC", None,
    ),
}  # fmt: skip


def score_families(
    scores: ArrayLike, labels: ArrayLike, families: ArrayLike, strata: ArrayLike | None = None
) -> ScoredFamilies:
    """Distinct families of (score, label) rows in canonical order; all arguments have shape (rows,)."""
    score, yes = finite_scores(scores), truths(labels, "labels")
    same_rows(scores=score, labels=yes)
    codes, stratum = family_codes(families, strata)
    contents, multiplicity, family_stratum = _distinct(score, yes, codes, stratum)
    rows = np.array([row for content in contents for row in content]).reshape(-1, 2)
    owner = np.repeat(np.arange(len(contents)), [len(content) for content in contents])
    order = np.argsort(rows[:, 0], kind="stable")
    level = np.unique(rows[order, 0], return_inverse=True)[1].reshape(-1)
    return ScoredFamilies(rows[order, 1] > 0, level, owner[order], multiplicity, family_stratum)


def rank_interval(
    metric: RankMetric, families: ScoredFamilies, seed: int, resamples: int = RANK_RESAMPLES, level: float = LEVEL
) -> Estimate:
    """The metric with a BCa family-bootstrap interval; exact on disjoint pairs when there is too little to resample."""
    whole = rank_value(metric.function, families)
    classes = {name: families.items(value) for name, value in (("labelled yes", True), ("labelled no", False))}
    holding = min(families.holding(True), families.holding(False))
    if whole is None:
        return undefined_estimate(metric.name, ", ".join(f"0 {k}" for k, v in classes.items() if v == 0), holding)
    if shortage(min(classes.values()), holding, holding) == TOO_FEW:
        return _on_pairs(metric.name, whole, families, holding, level, TOO_FEW, 0)
    # Plain BCa covers .931 (AUROC) and .887 (average precision) at 15 families of 4; reaching to t, .953 and .920.
    reach = expanded(level, holding)
    bounds, undefined = rank_bootstrap(metric.function, families, whole, seed, resamples, reach)
    if bounds is None:
        return _on_pairs(metric.name, whole, families, holding, level, DEGENERATE, undefined)
    return Estimate(metric.name, whole, *bounds, BCA, holding, undefined_resamples=undefined)


def rank_value(function: RankFunction, families: ScoredFamilies) -> float | None:
    """The function of all families, or None where it is undefined."""
    value = float(weighted(function, families, families.multiplicity[None, :].astype(np.float64))[0])
    return value if np.isfinite(value) else None


def rank_bootstrap(
    function: RankFunction, families: ScoredFamilies, value: float, seed: int, resamples: int, level: float
) -> tuple[Bounds | None, int]:
    """BCa bounds, or None where resamples have no spread, and the number of resamples without a value."""
    replicates = _replicates(function, families, seed, resamples)
    defined = replicates[np.isfinite(replicates)]
    undefined = resamples - len(defined)
    if len(defined) == 0 or np.ptp(defined) <= DUST:
        return None, undefined
    return bca(value, defined, _deleted(function, families), families.multiplicity, level), undefined


def _replicates(function: RankFunction, families: ScoredFamilies, seed: int, resamples: int) -> Floats:
    """The function in each resample, drawn block by block so that memory does not grow with resamples."""
    size = max(1, _CHUNK // max(len(families.family), 1))
    starts = range(0, resamples, size)
    blocks = (
        draw(families.multiplicity, families.stratum, (seed, start), min(size, resamples - start)) for start in starts
    )
    return np.concatenate([weighted(function, families, block) for block in blocks])


def weighted(function: RankFunction, families: ScoredFamilies, drawn: Floats) -> Floats:
    """A rank function for each row of family weights (B, D), shape (B,)."""
    step = max(1, _CACHED // max(len(families.family), 1))
    parts = [_chunk(function, families, drawn[start : start + step]) for start in range(0, len(drawn), step)]
    return np.concatenate(parts)


def _chunk(function: RankFunction, families: ScoredFamilies, drawn: Floats) -> Floats:
    if len(families.level) == 0:
        return np.full(len(drawn), np.nan)
    weights = np.take(drawn, families.family, axis=1)
    yes = weights * families.yes
    no = weights - yes
    if families.level[-1] + 1 < len(families.level):
        starts = np.flatnonzero(np.diff(families.level, prepend=-1))
        yes, no = np.add.reduceat(yes, starts, axis=1), np.add.reduceat(no, starts, axis=1)
    return function(yes, no)


def _deleted(function: RankFunction, families: ScoredFamilies) -> Floats:
    distinct = len(families.multiplicity)
    if distinct > JACKKNIFE_LIMIT:
        return np.empty(0)
    return weighted(function, families, families.multiplicity - np.eye(distinct))


def _on_pairs(
    name: str, value: float, families: ScoredFamilies, holding: int, level: float, note: str, undefined: int
) -> Estimate:
    low, high = _pair_bounds(value, max(min(holding, int(families.multiplicity.sum()) // 2), 1), level)
    return Estimate(
        name, value, min(low, value), max(high, value), _DISJOINT, holding, note, undefined_resamples=undefined
    )


def _pair_bounds(value: float, pairs: int, level: float) -> Bounds:
    # Pairs (one yes, one no) from families used once are independent, and each is ordered rightly with the AUROC's
    # chance. The average precision borrows their number.
    hits, tail = pairs * value, (1 - level) / 2
    low = 0.0 if value == 0 else float(betaincinv(hits, pairs - hits + 1, tail))
    high = 1.0 if value == 1 else float(betaincinv(hits + 1, pairs - hits, 1 - tail))
    return max(low, 0.0), min(high, 1.0)


Content = tuple[tuple[float, float], ...]


def _distinct(
    score: Floats, yes: NDArray[np.bool_], codes: Integers, stratum: Integers
) -> tuple[list[Content], Integers, Integers]:
    order = np.lexsort((yes, score, codes))
    rows = list(zip(score[order].tolist(), yes[order].astype(float).tolist(), strict=True))
    edges = np.searchsorted(codes[order], np.arange(len(stratum) + 1))
    counts: dict[int, Counter[Content]] = {}
    for family, code in enumerate(stratum.tolist()):
        counts.setdefault(code, Counter())[tuple(rows[edges[family] : edges[family + 1]])] += 1
    # Strata are ordered by what they hold, so that their names move nothing.
    strata = sorted(sorted(counter.items()) for counter in counts.values())
    contents = [content for held in strata for content, _ in held]
    multiplicity = np.array([times for held in strata for _, times in held], dtype=np.int64)
    return contents, multiplicity, np.repeat(np.arange(len(strata)), [len(held) for held in strata])
