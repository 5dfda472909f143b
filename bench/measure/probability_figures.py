"""What a judge's probabilities are worth: Brier score, log loss, calibration error beside its null, risk over coverage."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from bench.measure.calibration import calibration_error
from bench.measure.estimate import Estimate
from bench.measure.probability import brier, log_loss
from bench.measure.risk_coverage import RiskPoint, risk_coverage_area, risk_coverage_curve
from bench.measure.rows import Row


@dataclass(frozen=True)
class ProbabilityLine:
    """Figures of one judge's P(yes) in one table. They hold at this share of yes only."""

    items: int
    brier: Estimate
    log_loss: Estimate
    calibration: Estimate
    definition: str  # of the calibration error
    by_chance: float | None  # the mean calibration error of a judge that is as calibrated as can be
    p_value: float | None  # of an error as large, were the judge calibrated
    risk_area: Estimate  # the mean error rate over all coverages, most certain items first
    risk_curve: tuple[RiskPoint, ...]


def probability_line(rows: Sequence[Row], seed: int, resamples: int) -> ProbabilityLine | None:
    """The line, None where the judge gives no probability for every scored item. Rows are labelled and scored yes / no."""
    stated = [row.p for row in rows]
    known = [p for p in stated if p is not None]
    if not rows or len(known) < len(rows):
        return None
    probabilities = np.array(known, dtype=float)
    labels = np.array([row.label.answer == "yes" for row in rows], dtype=bool)
    families = [row.family for row in rows]
    certainty = np.round(np.maximum(probabilities, 1 - probabilities), 12)
    right = np.array([row.answer == row.label.answer for row in rows], dtype=bool)
    found = calibration_error(probabilities, labels, families, seed)
    return ProbabilityLine(
        items=len(rows),
        brier=brier(probabilities, labels, families, seed, resamples=resamples),
        log_loss=log_loss(probabilities, labels, families, seed, resamples=resamples),
        calibration=found.error,
        definition=found.definition,
        by_chance=found.null_mean,
        p_value=found.p_value,
        risk_area=risk_coverage_area(certainty, right, families, seed),
        risk_curve=risk_coverage_curve(certainty, right),
    )
