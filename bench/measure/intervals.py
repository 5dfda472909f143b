"""One primary interval per number: which method a count metric gets, and the number with it.

| the data | the interval |
|---|---|
| a proportion | Wilson at items / max(design effect, 1) with a t quantile |
| precision or npv where each family holds both label classes (twins) | cluster logit-t |
| a proportion with a denominator under 10 or under 5 contributing families | Korn-Graubard, "too few" |
| F1, MCC, kappa, AC1, balanced accuracy | studentised family bootstrap |
| those with a thin part, or without spread over resamples | Korn-Graubard of the parts, carried over |

A bootstrap interval over 1.3 times as wide as the carried one says "wide" (reports/coverage/outside.md).
Thin: a margin under 10 items, under 15 families in one, or a part with fewer than 5 families on its hit or its miss
side. There the bare bootstrap covers .5 to .9, the carried interval .94 or more (tests/long/test_interval_coverage.py).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import replace

import numpy as np

from bench.measure.counts import FamilyVectors, Floats
from bench.measure.estimand import LEVEL, RESAMPLES, STUDENTISED, Estimand, shortage
from bench.measure.estimate import TOO_FEW, WIDE, WIDE_TIMES, Estimate, undefined_estimate
from bench.measure.metrics import LABELLED_NO, LABELLED_YES, PREDICTED_NO, PREDICTED_YES, Metric
from bench.measure.proportions import Bounds, Share, korn_graubard, logit_t, share_of, wilson
from bench.measure.resampling import draw_again

CARRIED = "Korn-Graubard of its parts"


def interval(
    metric: Metric, families: FamilyVectors, seed: int, resamples: int = RESAMPLES, level: float = LEVEL
) -> Estimate:
    """The metric with its primary interval, from (tp, fp, fn, tn) family vectors."""
    return intervals((metric,), families, seed, resamples, level)[0]


def intervals(
    metrics: Iterable[Metric], families: FamilyVectors, seed: int, resamples: int = RESAMPLES, level: float = LEVEL
) -> tuple[Estimate, ...]:
    """Several metrics of the same families; those that need resamples share one draw."""
    wanted = tuple(metrics)
    drawn: Floats | None = None
    if any(not metric.proportion and scarcity(metric, families) is None for metric in wanted):
        drawn = draw_again(families.multiplicity, families.stratum, seed, resamples)
    return tuple(_measure(metric, families, drawn, level) for metric in wanted)


def carried(metric: Metric, families: FamilyVectors, level: float = LEVEL) -> Bounds:
    """The Korn-Graubard intervals of a metric's parts, carried over with the margins held as observed.

    Two parts are joined by the square-root rule (MOVER, Zou and Donner 2008, Statistics in Medicine 27:1693).
    """
    totals = families.totals()
    shares = [share_of(families, part.numerator, part.margin.cells) for part in metric.parts]
    values = [share.value for share in shares]
    centre = metric.compose(totals, values)
    bounds = [korn_graubard(share, level) for share in shares]

    def reach(end: int) -> float:
        moved = [metric.compose(totals, [*values[:i], b[end], *values[i + 1 :]]) for i, b in enumerate(bounds)]
        return math.sqrt(sum((value - centre) ** 2 for value in moved))

    return max(metric.low, centre - reach(0)), min(metric.high, centre + reach(1))


def scarcity(metric: Metric, families: FamilyVectors) -> str | None:
    """Why the metric is not resampled on these families (too few, or too thin), or None."""
    sides = [
        families.contributing(cells)
        for part in metric.parts
        for cells in (part.numerator, tuple(set(part.margin.cells) - set(part.numerator)))
    ]
    return shortage(scarcest(metric, families), contributing(metric, families), min(sides))


def scarcest(metric: Metric, families: FamilyVectors) -> float:
    """The items in the metric's smallest margin."""
    items = families.multiplicity @ families.items
    return min(float(margin.size(items)) for margin in metric.needs)


def contributing(metric: Metric, families: FamilyVectors) -> int:
    """The families with items in the metric's scarcest margin."""
    return min(families.contributing(margin.cells) for margin in metric.needs)


def _measure(metric: Metric, families: FamilyVectors, drawn: Floats | None, level: float) -> Estimate:
    reason = metric.why_undefined(families.totals())
    if reason is not None:
        return undefined_estimate(metric.name, reason, contributing(metric, families))
    if metric.proportion:
        return _proportion(metric, families, level)
    target = Estimand(
        metric.name, metric.values, families, metric.low, metric.high, contributing(metric, families),
        lambda: carried(metric, families, level), CARRIED, scarcity(metric, families),
    )  # fmt: skip
    return _marked(target.estimate(drawn, level), lambda: carried(metric, families, level))


def _marked(found: Estimate, exact: Callable[[], Bounds]) -> Estimate:
    """With a note where a bootstrap interval is much wider than the exact one; no bound is moved."""
    if found.method != STUDENTISED or found.low is None or found.high is None:
        return found
    low, high = exact()
    return replace(found, note=WIDE) if found.high - found.low > WIDE_TIMES * (high - low) else found


def _proportion(metric: Metric, families: FamilyVectors, level: float) -> Estimate:
    part = metric.parts[0]
    share = share_of(families, part.numerator, part.margin.cells)
    crossing = part.margin in (PREDICTED_YES, PREDICTED_NO)
    method, (low, high), note = proportion_interval(share, crossing and _twins(families), level)
    items = families.multiplicity @ families.items
    hits, size = int(items[list(part.numerator)].sum()), int(part.margin.size(items))
    return Estimate(
        metric.name, share.value, low, high, method, share.families, note,
        numerator=None if families.weighted else hits, denominator=None if families.weighted else size,
    )  # fmt: skip


def proportion_interval(share: Share, twins: bool, level: float) -> tuple[str, Bounds, str | None]:
    """The method's name, the bounds and the note for one share; ``twins``: its denominator cuts across twin pairs."""
    if shortage(share.size, share.families, share.families) == TOO_FEW:
        return "Korn-Graubard", korn_graubard(share, level), TOO_FEW
    if twins and 0 < share.value < 1 and share.variance > 0:
        return "cluster logit-t", logit_t(share, level), None
    return "Wilson, design effect, t", wilson(share, level), None


def _twins(families: FamilyVectors) -> bool:
    """Whether every family holds items of both label classes, and so has a fixed make-up."""
    sides = [families.items[:, list(margin.cells)].sum(axis=1) for margin in (LABELLED_YES, LABELLED_NO)]
    return bool(np.all((sides[0] > 0) & (sides[1] > 0)))
