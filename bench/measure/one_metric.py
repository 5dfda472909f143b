"""Each count and rank metric as a function of plain columns, with its documentation."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from bench.measure.columns import ROLES, Column, read_rows
from bench.measure.counts import count_families
from bench.measure.estimand import LEVEL, RESAMPLES
from bench.measure.estimate import Estimate
from bench.measure.intervals import intervals
from bench.measure.metrics import METRICS, Metric
from bench.measure.ranking import RANK_METRICS, RANK_RESAMPLES, RankMetric, rank_interval, score_families

SEED = 0


def _single(metric: Metric) -> Callable[..., Estimate]:
    def of(
        labels: Column,
        verdicts: Column,
        *,
        groups: Column | None = None,
        positive: object = None,
        seed: int = SEED,
        resamples: int = RESAMPLES,
        level: float = LEVEL,
    ) -> Estimate:
        rows = read_rows({"labels": labels, "verdicts": verdicts, "groups": groups}, {r: r for r in ROLES}, positive)
        both = rows.both()
        yes, said = (np.array([column[i] for i in both], dtype=bool) for column in (rows.labels, rows.verdicts))
        return intervals((metric,), count_families(yes, said, rows.groups[both]), seed, resamples, level)[0]

    return _documented(of, metric)


def _ranked(metric: RankMetric) -> Callable[..., Estimate]:
    def of(
        labels: Column,
        probabilities: Column,
        *,
        groups: Column | None = None,
        positive: object = None,
        seed: int = SEED,
        resamples: int = RANK_RESAMPLES,
        level: float = LEVEL,
    ) -> Estimate:
        columns = {"labels": labels, "probabilities": probabilities, "groups": groups}
        rows = read_rows(columns, {r: r for r in ROLES}, positive)
        both = rows.both()
        stated = np.array([(rows.stated or [])[i] for i in both], dtype=np.float64)
        scored = score_families(stated, np.array([rows.labels[i] for i in both], dtype=bool), rows.groups[both])
        return rank_interval(metric, scored, seed, resamples, level)

    return _documented(of, metric)


def _documented(function: Callable[..., Estimate], metric: Metric | RankMetric) -> Callable[..., Estimate]:
    function.__name__ = function.__qualname__ = metric.name
    function.__doc__ = (
        f"{metric.sentence}\n\nFormula: {metric.formula}. Range {metric.low:g} to {metric.high:g}, {metric.direction}.\n"
        f"Defined with {metric.defined_when}; else undefined, with the reason.\nReference: {metric.reference}.\n"
        f"Easily confused with: {metric.confused_with}.\n\nRows that lack one of the columns are left out."
    )
    return function


precision, recall = _single(METRICS["precision"]), _single(METRICS["recall"])
specificity, npv = _single(METRICS["specificity"]), _single(METRICS["npv"])
accuracy, balanced_accuracy = _single(METRICS["accuracy"]), _single(METRICS["balanced_accuracy"])
prevalence, predicted_yes_rate = _single(METRICS["prevalence"]), _single(METRICS["predicted_yes_rate"])
f1, mcc = _single(METRICS["f1"]), _single(METRICS["mcc"])
cohen_kappa, gwet_ac1 = _single(METRICS["cohen_kappa"]), _single(METRICS["gwet_ac1"])
auroc, average_precision = (_ranked(RANK_METRICS[name]) for name in ("auroc", "average_precision"))
