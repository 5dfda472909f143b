"""The table of declared properties of every public metric, of counts, ranks, probabilities and calibration.

A metric that is not here fails tests/test_measure_properties.py, and so does one whose declaration is not true.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np

from bench.measure.calibration import STANDARD, calibration_error
from bench.measure.counts import Floats, count_families
from bench.measure.inputs import Truths
from bench.measure.metrics import METRICS, Metric
from bench.measure.probability import Decomposition, brier, decompose_brier, log_loss
from bench.measure.ranking import RANK_METRICS, RankMetric, rank_value, score_families
from bench.measure.risk_coverage import risk_coverage_area

Kind = Literal["count", "rank", "probability", "calibration"]
Direction = Literal["higher is better", "lower is better", "neither"]
Value = Callable[[Floats, Truths], float | None]
"""The metric of stated probabilities of yes and labels, both (rows,); count metrics say yes from .5 on."""


@dataclass(frozen=True)
class Properties:
    """What a metric promises.

    ``symmetric``: labels and verdicts may change places (False where probabilities take the place of verdicts).
    ``swap_partner`` is the metric it turns into when yes and no change places (p to 1 - p, label to its opposite): its
    own name when nothing changes, None when the result is not in the table; with ``swap_complement`` it turns into one
    minus that. ``by_order_only``: any increasing map of the probabilities leaves it as it is.
    """

    name: str
    kind: Kind
    low: float
    high: float
    direction: Direction
    defined_when: str
    value: Value
    swap_partner: str | None
    order_invariant: bool = True
    symmetric: bool = False
    swap_complement: bool = False
    by_order_only: bool = False


def _of_counts(metric: Metric) -> Properties:
    def value(stated: Floats, yes: Truths) -> float | None:
        totals = count_families(yes, stated >= 0.5, np.arange(len(yes))).totals()
        return float(metric.values(totals)) if metric.why_undefined(totals) is None else None

    return Properties(
        metric.name, "count", metric.low, metric.high, metric.direction, metric.defined_when, value,
        metric.polarity_partner, symmetric=metric.symmetric, swap_complement=metric.polarity_complement,
    )  # fmt: skip


def _of_ranks(metric: RankMetric) -> Properties:
    def value(stated: Floats, yes: Truths) -> float | None:
        return rank_value(metric.function, score_families(stated, yes, np.arange(len(yes))))

    return Properties(
        metric.name, "rank", metric.low, metric.high, "higher is better", metric.defined_when, value,
        metric.swap_partner, by_order_only=True,
    )  # fmt: skip


def _brier(stated: Floats, yes: Truths) -> float | None:
    return brier(stated, yes, np.arange(len(yes)), 0, resamples=1).value


def _log_loss(stated: Floats, yes: Truths) -> float | None:
    return log_loss(stated, yes, np.arange(len(yes)), 0, resamples=1).value


def _component(pick: Callable[[Decomposition], float]) -> Value:
    def value(stated: Floats, yes: Truths) -> float | None:
        found = decompose_brier(stated, yes)
        return None if found is None else pick(found)

    return value


def _calibration_error(stated: Floats, yes: Truths) -> float | None:
    return calibration_error(stated, yes, np.arange(len(yes)), 0, definition=STANDARD, resamples=2).error.value


def _risk_coverage_area(stated: Floats, yes: Truths) -> float | None:
    certainty, right = np.round(np.abs(stated - 0.5), 12), (stated >= 0.5) == yes
    return risk_coverage_area(certainty, right, np.arange(len(yes)), 0, resamples=2).value


_DOWN: Direction = "lower is better"
_ITEM = "at least one item"
_OF_PROBABILITIES = (
    Properties("brier", "probability", 0.0, 1.0, _DOWN, _ITEM, _brier, "brier"),
    Properties(
        "log_loss", "probability", 0.0, float("inf"), _DOWN,
        "at least one item and no item certain and wrong, or a clip", _log_loss, "log_loss",
    ),
    Properties(
        "reliability", "probability", 0.0, 1.0, _DOWN, _ITEM, _component(lambda d: d.reliability), "reliability",
    ),
    Properties(
        "resolution", "probability", 0.0, 0.25, "higher is better", _ITEM, _component(lambda d: d.resolution),
        "resolution", by_order_only=True,
    ),
    Properties(
        "uncertainty", "probability", 0.0, 0.25, "neither", _ITEM, _component(lambda d: d.uncertainty), "uncertainty",
        by_order_only=True,
    ),
    Properties(
        "calibration_error", "calibration", 0.0, 1.0, _DOWN, _ITEM, _calibration_error, "calibration_error",
    ),
    Properties(
        "risk_coverage_area", "rank", 0.0, 1.0, _DOWN, _ITEM, _risk_coverage_area, "risk_coverage_area",
    ),
)  # fmt: skip

PROPERTIES: dict[str, Properties] = {
    found.name: found
    for found in (
        *(_of_counts(metric) for metric in METRICS.values()),
        *(_of_ranks(metric) for metric in RANK_METRICS.values()),
        *_OF_PROBABILITIES,
    )
}
