"""Rankings with their doubt: how often each judge ranks first when families are drawn anew."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from bench.measure.counts import CELLS, FamilyVectors, Floats, cells_of, compress, family_codes
from bench.measure.estimand import LEVEL, RESAMPLES
from bench.measure.inputs import same_rows, truths
from bench.measure.metrics import Metric
from bench.measure.resampling import blocks

# Values closer than this are one value.
_TIE = 1e-12


@dataclass(frozen=True)
class Rank:
    """One judge's place: 1 is best, tied judges share the mean of their places.

    ``first`` is the share of resamples in which it ranks first (tied ones share it); ``low`` and ``high`` bound its
    place. All are None where the judge, or every resample, has no value; ``undefined`` says why.
    """

    judge: str
    value: float | None
    place: float | None
    first: float | None
    low: float | None
    high: float | None
    undefined: str | None = None


@dataclass(frozen=True)
class Ranking:
    """The judges by place; ``skipped`` resamples had a judge without a value and are not counted."""

    metric: str
    ranks: tuple[Rank, ...]
    resamples: int
    skipped: int


def count_judges(
    labels: ArrayLike, verdicts: Mapping[str, ArrayLike], families: ArrayLike, strata: ArrayLike | None = None
) -> FamilyVectors:
    """For each family tp, fp, fn, tn of the first judge, then of the next; rows are items that all judges scored."""
    yes = truths(labels, "labels")
    codes, stratum = family_codes(families, strata)
    width = len(CELLS) * len(verdicts)
    table = np.zeros(len(stratum) * width)
    for place, (judge, column) in enumerate(verdicts.items()):
        said = truths(column, f"verdicts of {judge}")
        same_rows(labels=yes, verdicts=said, families=codes)
        slots = codes * width + len(CELLS) * place + cells_of(yes, said)
        table += np.bincount(slots, minlength=len(table))
    counts = table.reshape(len(stratum), width)
    return compress(counts, counts, stratum)


def rank_judges(
    metric: Metric,
    judges: Sequence[str],
    counted: FamilyVectors,
    seed: int,
    resamples: int = RESAMPLES,
    level: float = LEVEL,
) -> Ranking:
    """Each judge's place by a count metric, the share of family resamples in which it is first, and its place's range.

    Formula: share of resamples b with value_b(judge) = max; k judges tied for first get 1/k each. Range 0 to 1, high is
    good; shares sum to 1. Undefined for a judge without a value; resamples where a ranked judge has no value are
    skipped and counted. ``counted`` comes from :func:`count_judges` with the same order of judges. Reference: Hall and
    Miller 2009, Ann. Statist. 37:3929. Easily confused with the probability that a judge is best, which it is not, and
    with a test of the difference. The order of rows changes no figure; the order of judges only which draws are made.
    """
    return rank_judges_by([metric], judges, counted, seed, resamples, level)[0]


def rank_judges_by(
    metrics: Sequence[Metric],
    judges: Sequence[str],
    counted: FamilyVectors,
    seed: int,
    resamples: int = RESAMPLES,
    level: float = LEVEL,
) -> tuple[Ranking, ...]:
    """:func:`rank_judges` by several metrics on the same resamples: where the winner changes, the metric decides it."""
    for metric in metrics:
        if metric.direction == "neither":
            raise ValueError(f"{metric.name} has no better end, so that judges cannot be ranked by it")
    totals = counted.totals().reshape(len(judges), len(CELLS))
    drawn: list[list[Floats]] = [[] for _ in metrics]
    for block in blocks(counted.multiplicity, counted.stratum, seed, resamples):
        counts = (block @ counted.vectors).reshape(-1, len(judges), len(CELLS))
        for held, metric in zip(drawn, metrics, strict=True):
            held.append(metric.values(counts))
    return tuple(
        _ranking(metric, judges, totals, np.concatenate(held), level)
        for metric, held in zip(metrics, drawn, strict=True)
    )


def _ranking(metric: Metric, judges: Sequence[str], totals: Floats, replicates: Floats, level: float) -> Ranking:
    whole = metric.values(totals)
    ranked = np.isfinite(whole)
    kept = replicates[:, ranked]
    kept = kept[np.all(np.isfinite(kept), axis=1)]
    shares = rank_shares(whole[ranked], kept, level) if ranked.any() else []
    names = [name for name, there in zip(judges, ranked, strict=True) if there]
    ranks = [Rank(name, *row) for name, row in zip(names, shares, strict=True)]
    for name, counts in zip(judges, totals, strict=True):
        if (reason := metric.why_undefined(counts)) is not None:
            ranks.append(Rank(name, None, None, None, None, None, reason))
    ranks.sort(key=lambda rank: (rank.place is None, rank.place or 0.0, rank.judge))
    return Ranking(metric.name, tuple(ranks), len(replicates), len(replicates) - len(kept))


Row = tuple[float, float, float | None, float | None, float | None]


def rank_shares(values: Floats, replicates: Floats, level: float = LEVEL) -> list[Row]:
    """(value, place, share first, lowest and highest place) of each judge, from values (J,) and resamples (B, J).

    Higher is better; any metric may be ranked whose resamples draw the same families for all judges.
    """
    places = _places(values[None, :])[0].tolist()
    if len(replicates) == 0:
        return [(value, place, None, None, None) for value, place in zip(values.tolist(), places, strict=True)]
    best = replicates >= replicates.max(axis=1, keepdims=True) - _TIE
    first = (best / best.sum(axis=1, keepdims=True)).mean(axis=0)
    tails = [(1 - level) / 2, (1 + level) / 2]
    low, high = np.quantile(_places(replicates), tails, axis=0, method="inverted_cdf")
    return list(zip(values.tolist(), places, first.tolist(), low.tolist(), high.tolist(), strict=True))


def _places(values: Floats) -> Floats:
    """The place of each judge in each row (B, J), 1 for the highest; tied judges get the mean of their places."""
    above = np.zeros(values.shape)
    tied = np.zeros(values.shape)
    for judge in range(values.shape[1]):
        gap = values - values[:, judge : judge + 1]
        above[:, judge] = np.sum(gap > _TIE, axis=1)
        tied[:, judge] = np.sum(np.abs(gap) <= _TIE, axis=1)
    return above + (tied + 1) / 2
