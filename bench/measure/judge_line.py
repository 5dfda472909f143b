"""One judge in one table: counts, metrics, coverage, and what unscored items could have made of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from bench.cases.load import LoadedSuite
from bench.measure.counts import FamilyVectors, count_families
from bench.measure.estimate import Estimate, undefined_estimate
from bench.measure.intervals import intervals
from bench.measure.items import share_of_items
from bench.measure.metrics import METRICS, Metric
from bench.measure.probability_figures import ProbabilityLine, probability_line
from bench.measure.ranking import RANK_METRICS, rank_interval, score_families
from bench.measure.repeatability import SampleFigures, sample_figures
from bench.measure.rows import Books, Row, books
from bench.measure.signature import Signature
from bench.running.outcome import Outcome
from bench.schema.suite import Stratum

_METRICS = ("precision", "recall", "specificity", "f1", "mcc", "balanced_accuracy", "accuracy", "predicted_yes_rate")
_NOT_IN_PAIRS = ("precision", "f1")  # prevalence set by design decides them


@dataclass(frozen=True)
class Worst:
    """What a metric could be, had the judge answered every item it left unscored: all wrong, all right."""

    low: float | None
    high: float | None


@dataclass(frozen=True)
class JudgeLine:
    """One judge in one table."""

    judge: str
    judge_id: str
    books: Books
    coverage: Estimate
    counts: Mapping[str, int]
    metrics: Mapping[str, Estimate]
    probability: ProbabilityLine | None
    samples: SampleFigures | None  # of a judge that is asked more than once
    bounds: Mapping[str, Worst]  # only where coverage is under 1
    signature: Signature


def judge_line(
    suite: LoadedSuite, outcome: Outcome, rows: Sequence[Row], stratum: Stratum, signature: Signature
) -> JudgeLine:
    seed, resamples = suite.suite.seed, suite.suite.resamples
    counted = [row for row in rows if row.counts and row.answer in ("yes", "no")]
    vectors = _vectors(counted)
    wanted = _wanted(stratum)
    if counted:
        metrics = dict(zip((m.name for m in wanted), intervals(wanted, vectors, seed, resamples), strict=True))
    else:
        metrics = {m.name: undefined_estimate(m.name, _why_nothing(rows)) for m in wanted}
        metrics["accuracy"] = _exact_agreement(rows)
    if not stratum.precision_means_something:
        metrics["paired_accuracy"] = _paired_accuracy(rows)
    metrics["auroc"] = _auroc(counted, seed)
    tally = books(rows)
    return JudgeLine(
        judge=outcome.judge.judge.name,
        judge_id=outcome.judge.id,
        books=tally,
        coverage=share_of_items("coverage", [row.answer is not None for row in rows], [row.family for row in rows]),
        counts=dict(zip(("tp", "fp", "fn", "tn"), (int(c) for c in vectors.totals()), strict=True)) if counted else {},
        metrics=metrics,
        probability=probability_line(counted, seed, resamples),
        samples=_samples(counted, outcome.judge.entry.samples, seed),
        bounds=_bounds(rows, wanted) if tally.scored < tally.expected else {},
        signature=replace(
            signature,
            judge=outcome.judge.id,
            preset=outcome.judge.preset.label,
            stratum=stratum.id,
            statement=rows[0].statement,
            samples=outcome.judge.entry.samples,
        ),
    )


def _wanted(stratum: Stratum) -> list[Metric]:
    hidden = () if stratum.precision_means_something else _NOT_IN_PAIRS
    return [METRICS[name] for name in _METRICS if name not in hidden]


def _vectors(rows: Sequence[Row]) -> FamilyVectors:
    labels = np.array([row.label.answer == "yes" for row in rows], dtype=bool)
    verdicts = np.array([row.answer == "yes" for row in rows], dtype=bool)
    return count_families(labels, verdicts, [row.family for row in rows])


def _samples(rows: Sequence[Row], wanted: int, seed: int) -> SampleFigures | None:
    if wanted < 2 or not rows:
        return None
    yes = np.array([row.said_yes for row in rows])
    size = np.array([row.samples_scored for row in rows])
    right = np.where([row.label.answer == "yes" for row in rows], yes, size - yes)
    return sample_figures(yes, right, size, np.array([row.family for row in rows]), wanted, seed)


def _why_nothing(rows: Sequence[Row]) -> str:
    return "no yes / no statement" if any(row.counts for row in rows) else "nothing labelled and scored"


def _exact_agreement(rows: Sequence[Row]) -> Estimate:
    """The share of items with the labelled answer: all there is to say of scores and choices so far."""
    known = [row for row in rows if row.counts]
    return share_of_items("accuracy", [row.answer == row.label.answer for row in known], [row.family for row in known])


def _paired_accuracy(rows: Sequence[Row]) -> Estimate:
    """The share of families in which every item is decided as labelled; a family with an unscored item is not right."""
    families: dict[str, list[Row]] = {}
    for row in rows:
        if row.label.status == "labelled":
            families.setdefault(row.family, []).append(row)
    whole = {name: members for name, members in families.items() if len(members) > 1}
    right = [all(row.answer == row.label.answer for row in members) for members in whole.values()]
    return share_of_items("paired_accuracy", right, list(whole))


def _auroc(rows: Sequence[Row], seed: int) -> Estimate:
    if not rows or any(row.ranks is None for row in rows):
        return undefined_estimate("auroc", "no ranking number")
    scored = score_families(
        np.array([row.ranks for row in rows], dtype=float),
        np.array([row.label.answer == "yes" for row in rows], dtype=bool),
        [row.family for row in rows],
    )
    return rank_interval(RANK_METRICS["auroc"], scored, seed)


def _bounds(rows: Sequence[Row], wanted: Sequence[Metric]) -> dict[str, Worst]:
    labelled = [row for row in rows if row.label.answer in ("yes", "no")]
    if not labelled:
        return {}
    ends = [_vectors([_filled(row, right) for row in labelled]).totals() for right in (False, True)]
    values = {m.name: [None if m.why_undefined(end) else float(m.values(end)) for end in ends] for m in wanted}
    return {name: Worst(low, high) for name, (low, high) in values.items()}


def _filled(row: Row, right: bool) -> Row:
    if row.answer is not None:
        return row
    yes = (row.label.answer == "yes") is right
    return replace(row, answer="yes" if yes else "no")
