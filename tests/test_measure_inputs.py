"""What the measuring part refuses, and that it names the row."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from bench.measure.calibration import calibration_error
from bench.measure.counts import count_families, count_joint
from bench.measure.inputs import finite_scores, probabilities, truths
from bench.measure.probability import brier, decompose_brier, log_loss
from bench.measure.ranking import score_families
from bench.measure.risk_coverage import risk_coverage_area, risk_coverage_curve


@pytest.mark.parametrize(
    ("values", "row", "found"),
    [
        (["fail", "pass"], 0, "'fail'"),
        ([True, "no"], 1, "'no'"),
        ([True, False, 0], 2, "0"),
        (np.array([1, 0]), 0, "1"),
        ([True, None], 1, "None"),
        ([True, float("nan")], 1, "nan"),
    ],
)
def test_words_and_numbers_are_no_truth_values(values: list[object], row: int, found: str) -> None:
    with pytest.raises(TypeError, match=f"labels, row {row}: found {found}, wanted truth values"):
        truths(values, "labels")  # type: ignore[arg-type]


@pytest.mark.parametrize("values", [[True, False], np.array([True, np.False_], dtype=object), [np.True_, False], []])
def test_truth_values_are_let_in(values: list[object]) -> None:
    assert truths(values, "labels").dtype == np.bool_  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("values", "error", "text"),
    [
        ([0.5, 1.7], ValueError, "row 1: found 1.7, wanted a number between 0 and 1"),
        ([0.5, 0.2, float("nan")], ValueError, "row 2: found nan"),
        ([-0.1], ValueError, "row 0: found -0.1"),
        ([0.5, "0.5"], TypeError, "row 1: found '0.5'"),
        ([0.5, None], TypeError, "row 1: found None"),
        ([True, False], TypeError, "row 0: found True"),
    ],
)
def test_what_is_no_probability(values: list[object], error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=text):
        probabilities(values)  # type: ignore[arg-type]


def test_scores_may_be_any_finite_number() -> None:
    assert finite_scores([-3, 1.7]).tolist() == [-3.0, 1.7]
    with pytest.raises(ValueError, match="scores, row 1: found inf, wanted a finite number"):
        finite_scores([0.0, float("inf")])


FAMILY = ["a", "b", "c"]
ENTRANCES: dict[str, Callable[[object, object], object]] = {
    "brier": lambda p, y: brier(p, y, FAMILY, 1),  # type: ignore[arg-type]
    "log_loss": lambda p, y: log_loss(p, y, FAMILY, 1),  # type: ignore[arg-type]
    "decompose_brier": lambda p, y: decompose_brier(p, y),  # type: ignore[arg-type]
    "calibration_error": lambda p, y: calibration_error(p, y, FAMILY, 1),  # type: ignore[arg-type]
    "score_families": lambda p, y: score_families(p, y, FAMILY),  # type: ignore[arg-type]
    "risk_coverage_area": lambda p, y: risk_coverage_area(p, y, FAMILY, 1),  # type: ignore[arg-type]
    "risk_coverage_curve": lambda p, y: risk_coverage_curve(p, y),  # type: ignore[arg-type]
}


@pytest.mark.parametrize("name", ENTRANCES)
def test_every_entrance_names_the_row(name: str) -> None:
    ask = ENTRANCES[name]
    with pytest.raises(TypeError, match="row 0: found 'fail'"):
        ask([0.1, 0.2, 0.3], ["fail", "no", "pass"])
    with pytest.raises(ValueError, match="row 1: found nan"):
        ask([0.1, float("nan"), 0.3], [True, False, True])
    with pytest.raises(ValueError, match="one entry per row"):
        ask([0.1, 0.2], [True, False, True])


def test_counts_name_the_row_and_the_side() -> None:
    with pytest.raises(TypeError, match="verdicts, row 1: found 'no'"):
        count_families([True, False], [True, "no"], [1, 2])  # type: ignore[list-item]
    with pytest.raises(TypeError, match="verdicts B, row 0: found 0"):
        count_joint([True], [True], [0], [1])
