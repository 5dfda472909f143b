"""An arrangement replayed over stored verdicts: quality with family intervals, and what it would have taken."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from bench.measure.compare import difference
from bench.measure.counts import FamilyVectors, count_families, count_joint
from bench.measure.estimand import LEVEL
from bench.measure.estimate import Estimate, undefined_estimate
from bench.measure.intervals import intervals
from bench.measure.items import share_of_items
from bench.measure.metrics import METRICS, Metric
from bench.measure.rows import Books, Row, books
from bench.policies.combine import REVIEW, Arrangement, Ruling
from bench.policies.members import Item
from bench.schema.suite import Stratum

PRICE_UNKNOWN = "price unknown"


@dataclass(frozen=True)
class Chance:
    """What an interval needs beside the rows."""

    seed: int
    resamples: int


@dataclass(frozen=True)
class Recorded:
    """A recorded figure of these items, no estimate of others; None with the reason.

    ``items`` are those it is taken over; ``unknown`` of them do not say, and then there is no figure.
    """

    value: float | None
    items: int
    unknown: int
    why: str | None = None


@dataclass(frozen=True)
class Figures:
    """One arrangement on the items of some splits. ``asked`` counts the items that each member was asked about."""

    books: Books
    metrics: Mapping[str, Estimate]
    reviewed: Estimate
    escalated: Estimate  # items that needed more than the first judge
    asked: tuple[int, ...]
    usd: Recorded  # per item
    ms_median: Recorded
    ms_mean: Recorded


@dataclass(frozen=True)
class Replayed:
    """The rows that the arrangement would have written, and how each came about."""

    items: tuple[Item, ...]
    rulings: tuple[Ruling, ...]
    rows: tuple[Row, ...]


def replay(arrangement: Arrangement, items: Sequence[Item]) -> Replayed:
    """Decide every item from its stored voices."""
    return written(items, [arrangement.decide(item.voices) for item in items])


def written(items: Sequence[Item], rulings: Sequence[Ruling]) -> Replayed:
    """The rows of rulings that were made elsewhere (out of fold)."""
    rows = tuple(_row(item, ruling) for item, ruling in zip(items, rulings, strict=True))
    return Replayed(tuple(items), tuple(rulings), rows)


def wanted_metrics(stratum: Stratum, metric: str) -> tuple[str, ...]:
    """The metrics of a table; where prevalence is set by design, precision and F1 tell the design and are left out."""
    rest = ("precision", "recall", "f1") if stratum.precision_means_something else ("recall", "specificity")
    return tuple(dict.fromkeys((metric, "balanced_accuracy", *rest)))


def figures(done: Replayed, metrics: Sequence[str], members: int, chance: Chance) -> Figures:
    """Quality over the decided, labelled items; shares, cost and time over all of them."""
    families = [row.family for row in done.rows]
    tolls = [_toll(item, ruling) for item, ruling in zip(done.items, done.rulings, strict=True)]
    run = [toll for toll in tolls if toll is not None]
    times = _known([ms for _, ms in run], "no latency recorded")
    return Figures(
        books=books(done.rows),
        metrics=_quality(done.rows, [METRICS[name] for name in metrics], chance),
        reviewed=share_of_items("review share", [r.why == REVIEW for r in done.rulings], families),
        escalated=share_of_items("escalated", [_went_on(r) for r in done.rulings], families),
        asked=tuple(sum(place in ruling.asked for ruling in done.rulings) for place in range(members)),
        usd=_told(_known([usd for usd, _ in run], PRICE_UNKNOWN), "mean"),
        ms_median=_told(times, "median"),
        ms_mean=_told(times, "mean"),
    )


def bounds(done: Replayed, metric: str) -> tuple[float | None, float | None]:
    """What the metric would be with all undecided items wrong, and with all of them right."""
    return point(filled(done, right=False), metric), point(filled(done, right=True), metric)


def filled(done: Replayed, right: bool) -> Replayed:
    """As if every labelled item without a decision had been decided: rightly, or wrongly."""
    opposite = {"yes": "no", "no": "yes"}
    rows = []
    for row in done.rows:
        label = row.label.answer or ""
        undecided = row.answer is None and row.label.status == "labelled" and label in opposite
        rows.append(replace(row, answer=label if right else opposite[label], unscored=None) if undecided else row)
    return replace(done, rows=tuple(rows))


def point(done: Replayed, metric: str) -> float | None:
    """The metric alone, without its interval; None where it is undefined."""
    counted = _counted(done.rows)
    if not counted:
        return None
    value = float(METRICS[metric].values(_vectors(counted).totals()))
    return None if np.isnan(value) else value


def gap(metric: str, a: Replayed, b: Replayed, chance: Chance, level: float = LEVEL) -> Estimate:
    """The metric of A minus that of B on the items that both decided, with a paired family interval."""
    said = {(row.case, row.attempt): row.answer for row in _counted(b.rows)}
    common = [row for row in _counted(a.rows) if (row.case, row.attempt) in said]
    if not common:
        return undefined_estimate(f"{metric}: A - B", "no item that both decided")
    joint = count_joint(
        np.array([row.label.answer == "yes" for row in common]),
        np.array([row.answer == "yes" for row in common]),
        np.array([said[row.case, row.attempt] == "yes" for row in common]),
        [row.family for row in common],
    )
    return difference(METRICS[metric], joint, chance.seed, chance.resamples, level)


def _row(item: Item, ruling: Ruling) -> Row:
    answer = None if ruling.answer is None else ("yes" if ruling.answer else "no")
    return replace(item.row, answer=answer, unscored=ruling.why, p=None, score=ruling.score, by_sample=())


def _went_on(ruling: Ruling) -> bool:
    return len(ruling.asked) > 1 or ruling.why == REVIEW


def _counted(rows: Sequence[Row]) -> list[Row]:
    return [row for row in rows if row.counts and row.label.answer in ("yes", "no")]


def _vectors(rows: Sequence[Row]) -> FamilyVectors:
    labels = np.array([row.label.answer == "yes" for row in rows], dtype=bool)
    said = np.array([row.answer == "yes" for row in rows], dtype=bool)
    return count_families(labels, said, [row.family for row in rows])


def _quality(rows: Sequence[Row], metrics: Sequence[Metric], chance: Chance) -> dict[str, Estimate]:
    counted = _counted(rows)
    if not counted:
        return {metric.name: undefined_estimate(metric.name, "0 labelled items decided") for metric in metrics}
    found = intervals(metrics, _vectors(counted), chance.seed, chance.resamples)
    return {metric.name: estimate for metric, estimate in zip(metrics, found, strict=True)}


def _toll(item: Item, ruling: Ruling) -> tuple[float | None, float | None] | None:
    """Cost and time of the members asked, one after the other; None where one of them was not run."""
    voices = [item.voices[place] for place in ruling.asked]
    if not voices or any(not voice.was_run for voice in voices):
        return None
    return _sum([voice.usd for voice in voices]), _sum([voice.ms for voice in voices])


def _sum(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) if len(known) == len(values) else None


@dataclass(frozen=True)
class _Known:
    values: tuple[float, ...]
    items: int
    unknown: int
    why: str


def _known(values: Sequence[float | None], why: str) -> _Known:
    known = tuple(sorted(value for value in values if value is not None))
    return _Known(known, len(values), len(values) - len(known), why)


def _told(held: _Known, how: str) -> Recorded:
    if not held.items:
        return Recorded(None, 0, 0, "nothing was run")
    if held.unknown:
        return Recorded(None, held.items, held.unknown, held.why)
    value = statistics.fmean(held.values) if how == "mean" else statistics.median(held.values)
    return Recorded(value, held.items, 0)
