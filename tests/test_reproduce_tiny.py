"""Finley's tornado forecasts, the figures that are not in test_measure_metrics.py (accuracy, FAR, HK and kappa are).

Source of every expected value: ../shared/data/tiny_published_scores (SOURCE.md; the table and scores are printed at
cawcr.gov.au/projects/verification/Finley/Finley_Tornados.html). CRUXEval and tau-bench: test_measure_passk.py.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from bench.measure.categories import CategoryTable, cohen_kappa, count_categories, macro, precision_and_recall
from bench.measure.counts import count_families
from bench.measure.intervals import interval
from bench.measure.metrics import METRICS

DATA = Path(__file__).parents[2] / "shared" / "data" / "tiny_published_scores" / "finley_1884.json"
pytestmark = pytest.mark.skipif(
    not DATA.is_file(), reason="../shared/data/tiny_published_scores is not beside this repository"
)


@cache
def finley() -> dict[str, int]:
    found: dict[str, int] = json.loads(DATA.read_text(encoding="utf-8"))
    return found


def published(name: str) -> float:
    found: float = json.loads(DATA.read_text(encoding="utf-8"))["published"][name]
    return found


def forecasts() -> tuple[np.ndarray, np.ndarray]:
    """(was there a tornado, was one forecast), a row per forecast."""
    times = [finley()[name] for name in ("hits", "false_alarms", "misses", "correct_negatives")]
    return np.repeat([True, False, True, False], times), np.repeat([True, True, False, False], times)


def as_words() -> CategoryTable:
    words = np.array(["no tornado", "tornado"])
    labels, verdicts = (words[side.astype(int)] for side in forecasts())
    return count_categories(labels, verdicts, np.arange(len(labels)))


def totals() -> np.ndarray:
    labels, verdicts = forecasts()
    return count_families(labels, verdicts, np.arange(len(labels))).totals()


def test_the_rows_are_finleys_table() -> None:
    assert totals().tolist() == [28, 72, 23, 2680] and as_words().items().tolist() == [[2680, 72], [23, 28]]


def test_threat_score() -> None:
    # Threat score (critical success index) = TP / (TP + FP + FN): the share inside F1, and F1 / (2 - F1).
    part = METRICS["f1"].parts[0]
    threat = float(totals()[list(part.numerator)].sum() / part.margin.size(totals()))
    f1 = float(METRICS["f1"].values(totals()))
    assert round(100 * threat) == published("threat_score_pct") and threat == pytest.approx(f1 / (2 - f1), abs=1e-12)


def test_equitable_threat_score() -> None:
    # ETS .216 (SOURCE.md) = kappa / (2 - kappa), as the threat score is to F1: Schaefer 1990, Weather and Forecasting 5:570.
    kappa = float(METRICS["cohen_kappa"].values(totals()))
    assert round(kappa / (2 - kappa), 3) == 0.216


def test_heidke_is_kappa_over_categories_too() -> None:
    # Heidke .355 (SOURCE.md), from the table of words instead of the four counts.
    found = cohen_kappa(as_words(), seed=1, resamples=500)
    assert found.value is not None and round(found.value, 3) == 0.355
    assert found.low is not None and found.high is not None and found.low < 0.355 < found.high


def test_hanssen_kuipers_is_twice_macro_recall_less_one() -> None:
    found = macro("recall", as_words(), seed=1, resamples=500)
    assert found.value is not None and round(100 * (2 * found.value - 1)) == published("hanssen_kuipers_pct")


def test_false_alarm_ratio_from_the_words() -> None:
    precision, _ = precision_and_recall(as_words())["tornado"]
    assert precision.value is not None and round(100 * (1 - precision.value)) == published("false_alarm_ratio_pct")


def test_never_forecasting_is_right_more_often_and_has_no_skill_to_print() -> None:
    labels, _ = forecasts()
    never = count_families(labels, np.zeros(len(labels), dtype=bool), np.arange(len(labels)))
    assert interval(METRICS["accuracy"], never, seed=1).percent(1) == f"{published('always_no_accuracy_pct')} %"
    assert interval(METRICS["precision"], never, seed=1).cell() == "n/a (0 predicted yes)"
    assert interval(METRICS["cohen_kappa"], never, seed=1).cell() == "n/a (0 predicted yes)"
