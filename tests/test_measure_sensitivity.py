"""Precision at other mixes: the figures of STATISTICS, the formula at its ends, what stays undefined."""

from __future__ import annotations

import pytest

from bench.measure.estimate import TOO_FEW, Estimate, undefined_estimate
from bench.measure.sensitivity import precision_at


def rate(name: str, value: float, spread: float = 0.0, note: str | None = None) -> Estimate:
    return Estimate(name, value, max(value - spread, 0.0), min(value + spread, 1.0), "given", 40, note)


def test_the_rates_of_a_textbook() -> None:
    # TPR .8, FPR .05: wrong among promoted is 6 % at prevalence .5 and 36 % at .1 (Bayes' rule).
    found = [precision_at(p, 0.0, rate("recall", 0.8), rate("specificity", 0.95), rate("s", 0.5)) for p in (0.5, 0.1)]
    assert [round(1 - (f.value or 0), 2) for f in found] == [0.06, 0.36]
    assert [(f.low, f.high) for f in found] == [(pytest.approx(f.value), pytest.approx(f.value)) for f in found]


def test_near_misses_lower_it_in_proportion() -> None:
    soft, hard = rate("specificity", 0.9), rate("specificity", 0.6)
    for share in (0.0, 0.5, 1.0):
        wrong = share * 0.4 + (1 - share) * 0.1
        found = precision_at(0.2, share, rate("recall", 0.7), soft, hard)
        assert found.value == pytest.approx(0.2 * 0.7 / (0.2 * 0.7 + 0.8 * wrong))


def test_the_interval_of_one_uncertain_rate_is_the_rate_s_own_carried_over() -> None:
    found = precision_at(0.2, 0.0, rate("recall", 0.7, 0.1), rate("specificity", 0.9), rate("s", 0.5))
    ends = [0.2 * t / (0.2 * t + 0.8 * 0.1) for t in (0.6, 0.8)]
    assert (found.low, found.high) == (pytest.approx(ends[0]), pytest.approx(ends[1]))


def test_what_is_not_used_may_be_undefined_and_what_is_used_may_not() -> None:
    none = undefined_estimate("specificity", "0 labelled no")
    recall, known = rate("recall", 0.7), rate("specificity", 0.9)
    assert precision_at(0.2, 0.0, recall, known, none).value is not None
    assert precision_at(0.2, 1.0, recall, none, known).value is not None
    assert precision_at(0.2, 0.5, recall, known, none).undefined == "specificity: 0 labelled no"


def test_a_judge_that_never_says_yes_has_none_and_few_items_are_said() -> None:
    silent = precision_at(0.2, 0.5, rate("recall", 0.0), rate("specificity", 1.0), rate("specificity", 1.0))
    assert silent.undefined == "the judge would never say yes"
    few = precision_at(0.2, 0.5, rate("recall", 0.7), rate("specificity", 0.9, note=TOO_FEW), rate("specificity", 0.9))
    assert few.too_few
    with pytest.raises(ValueError, match="prevalence"):
        precision_at(0.0, 0.5, rate("recall", 0.7), rate("specificity", 0.9), rate("specificity", 0.9))
