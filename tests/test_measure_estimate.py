"""How a number stands in a table."""

from __future__ import annotations

import pytest

from bench.measure.estimate import Estimate, rounded, undefined_estimate


def estimate(value: float, low: float, high: float, **more: object) -> Estimate:
    return Estimate("recall", value, low, high, "Wilson", 30, **more)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("found", "text"),
    [
        (undefined_estimate("precision", "0 predicted yes"), "n/a (0 predicted yes)"),
        (estimate(0.62, 0.48, 0.75), ".62 [.48, .75]"),
        (estimate(3 / 7, 0.10, 0.82, note="too few", numerator=3, denominator=7), "3/7 [.10, .82] too few"),
        (estimate(0.5, 0.1, 0.9, note="too few"), ".50 [.10, .90] too few"),
        (estimate(1.0, 0.83, 1.0), "1.00 [.83, 1.00]"),
        (estimate(0.9996, 0.98, 0.9999), ">.99 [.98, >.99]"),
        (estimate(-0.25, -1.0, 0.004), "-.25 [-1.00, <.01]"),
        (estimate(0.0, -0.001, 0.3), ".00 [>-.01, .30]"),
        (Estimate("x", 0.5, None, None, "none", 3), ".50"),
    ],
)
def test_cell(found: Estimate, text: str) -> None:
    assert found.cell() == text


@pytest.mark.parametrize(
    ("value", "text"), [(1.0, "100 %"), (0.9996, ">99 %"), (0.0, "0 %"), (0.0004, "<1 %"), (0.62, "62 %")]
)
def test_percent_is_100_only_for_all(value: float, text: str) -> None:
    assert estimate(value, 0.0, 1.0).percent() == text


def test_more_digits() -> None:
    assert rounded(0.35, 3) == ".350"


def test_a_missing_value_needs_its_reason() -> None:
    with pytest.raises(ValueError, match="needs its reason"):
        Estimate("recall", None, None, None, "none", 0)
    with pytest.raises(ValueError, match="needs its reason"):
        Estimate("recall", 0.5, None, None, "none", 0, undefined="why")
