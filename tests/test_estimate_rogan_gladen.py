"""The corrected share: the formula against published examples, the interval against what is known of it otherwise."""

from __future__ import annotations

import math
import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import brentq
from scipy.stats import norm
from scipy.stats import t as student

from bench.estimating.prevalence import Prevalence, Settings, estimate_prevalence
from bench.estimating.profile import Binomial, Shares, log_likelihood, prevalence_bounds
from bench.estimating.sides import LabelledSide, PoolSide


def labelled(tp: int, fp: int, fn: int, tn: int, family: int = 1) -> LabelledSide:
    """Rows of these counts; ``family`` neighbours in this order share a group."""
    yes = np.repeat([True, False, True, False], [tp, fp, fn, tn])
    said = np.repeat([True, True, False, False], [tp, fp, fn, tn])
    return LabelledSide(yes, said, None, np.arange(len(yes)) // family)


def pool(yes: int, no: int, missing: int = 0, family: int = 1) -> PoolSide:
    said = np.repeat([True, False, False], [yes, no, missing])
    return PoolSide(said, np.repeat([True, False], [yes + no, missing]), None, np.arange(len(said)) // family)


def estimated(mine: LabelledSide, theirs: PoolSide, by_group: bool = False) -> Prevalence:
    return estimate_prevalence(mine, theirs, Settings(by_group=by_group, resamples=500))


# (tp, fp, fn, tn), (yes, no) of the pool -> share
FORMULA = {
    # the worked example in public notes on judgy: TPR 1, TNR .75, observed .773 -> .697
    "judgy": ((20, 6, 0, 18), (773, 227), (0.773 + 0.75 - 1) / (1 + 0.75 - 1)),
    # Rogan and Gladen 1978: q = pi Se + (1 - pi)(1 - Sp); here pi .2, Se .9, Sp .8 give q .34
    "forwards": ((90, 20, 10, 80), (340, 660), 0.2),
    "perfect": ((30, 0, 0, 30), (200, 800), 0.2),
    "judge's errors alone": ((80, 10, 20, 90), (100, 900), 0.0),
}


@pytest.mark.parametrize("name", FORMULA)
def test_formula(name: str) -> None:
    counts, said, wanted = FORMULA[name]
    found = estimated(labelled(*counts), pool(*said)).corrected
    assert found.raw == pytest.approx(wanted, abs=1e-12)
    assert found.estimate.value == pytest.approx(wanted, abs=1e-12)
    assert found.estimate.low is not None and found.estimate.high is not None
    assert 0 <= found.estimate.low <= wanted + 1e-12 and wanted - 1e-12 <= found.estimate.high <= 1


UNDEFINED = {
    "one class": ((20, 0, 5, 0), "one class only"),
    "nothing labelled": ((0, 0, 0, 0), "nothing is labelled"),
    "guessing": ((20, 20, 20, 20), "not above its false-positive rate beyond noise"),
    "within noise": ((6, 10, 4, 20), "not above its false-positive rate beyond noise"),
    "upside down": ((5, 90, 95, 10), "is yes taken for no?"),
}


@pytest.mark.parametrize("name", UNDEFINED)
def test_no_figure_without_a_judge_that_knows(name: str) -> None:
    counts, reason = UNDEFINED[name]
    found = estimated(labelled(*counts), pool(300, 700))
    assert found.status == "cannot decide" and reason in str(found.reason)
    assert found.corrected.estimate.value is None and found.corrected.raw is None


def test_labels_balanced_by_design_are_refused() -> None:
    side = labelled(18, 2, 2, 18)
    twins = LabelledSide(side.yes, side.said, None, np.concatenate([np.arange(18), [0, 1], [18, 19], np.arange(2, 20)]))
    assert "set by design" in str(estimated(twins, pool(300, 700)).reason)
    assert estimated(side, pool(300, 700)).status == "estimated"


@pytest.mark.parametrize(("said", "value", "raw"), [((10, 990), 0.0, -0.09 / 0.7), ((950, 50), 1.0, 0.85 / 0.7)])
def test_cut_to_the_end_and_told(said: tuple[int, int], value: float, raw: float) -> None:
    found = estimated(labelled(80, 10, 20, 90), pool(*said)).corrected
    assert found.clipped and found.raw == pytest.approx(raw) and found.estimate.value == value
    assert value in (found.estimate.low, found.estimate.high) and found.estimate.low != found.estimate.high


def test_nothing_scored_is_no_zero() -> None:
    found = estimated(labelled(80, 10, 20, 90), pool(0, 0, 50))
    assert found.naive.value is None and found.status == "cannot decide" and "nothing in the pool" in str(found.reason)


def test_missing_verdicts_give_both_ends() -> None:
    found = estimated(labelled(80, 10, 20, 90), pool(200, 700, 100))
    assert found.naive.value == pytest.approx(2 / 9)
    assert found.naive_ends == pytest.approx((0.2, 0.3))
    assert found.corrected_ends == pytest.approx((0.1 / 0.7, 0.2 / 0.7))
    assert estimated(labelled(80, 10, 20, 90), pool(200, 700)).naive_ends is None


def test_an_all_failing_system_under_a_judge_with_false_positives() -> None:
    """The false-positive rate of .1 alone shows pass@1 = .1; corrected it is 0."""
    found = estimated(labelled(90, 10, 10, 90), pool(40, 360, family=4), by_group=True)
    assert found.naive.value == pytest.approx(0.1) and found.corrected.estimate.value == 0.0
    assert found.corrected.estimate.high is not None and found.corrected.estimate.high < 0.15


def test_pass_counts_each_case_once() -> None:
    """One case with 8 successes of 8, one with 0 of 2: mean .5, not .8."""
    groups = np.repeat([0, 1], [8, 2])
    theirs = PoolSide(groups == 0, np.ones(10, dtype=bool), None, groups)
    assert estimated(labelled(90, 10, 10, 90), theirs, by_group=True).naive.value == 0.5
    assert estimated(labelled(90, 10, 10, 90), theirs).naive.value == 0.8


def test_pass_and_random_sample_exclude_each_other() -> None:
    with pytest.raises(ValueError, match="class rates alone"):
        Settings(by_group=True, labels_are_random_sample=True)


# --- the interval ---


def by_hand(yes: int, rows: int, level: float) -> tuple[float, float]:
    """The likelihood-ratio interval of one binomial, with a t quantile: its ends by root finding."""
    rate = yes / rows

    def excess(p: float) -> float:
        fit = yes * math.log(rate / p) + (rows - yes) * math.log((1 - rate) / (1 - p))
        return 2 * fit - float(student.ppf(0.5 + level / 2, rows - 1)) ** 2

    return brentq(excess, 1e-9, rate), brentq(excess, rate, 1 - 1e-9)


@pytest.mark.parametrize(("yes", "rows"), [(3, 40), (200, 1000), (37, 40)])
def test_with_a_judge_known_to_be_right_it_is_the_binomial_interval(yes: int, rows: int) -> None:
    sure, rate = 10**9, Binomial(yes / rows, rows, rows - 1)
    shares = Shares(Binomial(1.0, sure, sure), Binomial(0.0, sure, sure), rate, 0.0)
    assert prevalence_bounds(shares, 0.95) == pytest.approx(by_hand(yes, rows, 0.95), abs=2e-4)


def test_with_known_rates_it_is_the_moved_binomial_interval() -> None:
    """Exact rates .8 and .1: the interval of q moved by (q - .1) / .7 (Reiczigel, Foldi and Ozsvari 2010)."""
    sure, rate = 10**9, Binomial(0.31, 500, 499)
    found = prevalence_bounds(Shares(Binomial(0.8, sure, sure), Binomial(0.1, sure, sure), rate, 0.0), 0.95)
    assert found == pytest.approx([(end - 0.1) / 0.7 for end in by_hand(155, 500, 0.95)], abs=3e-4)


def test_with_many_rows_it_is_the_delta_interval() -> None:
    """Rogan and Gladen's own variance: (q(1-q)/N + pi^2 a(1-a)/n1 + (1-pi)^2 b(1-b)/n0) / (a - b)^2."""
    a, b, pi, n1, n0, rows = 0.8, 0.1, 0.3, 30_000, 30_000, 200_000
    q = pi * a + (1 - pi) * b
    shares = Shares(Binomial(a, n1, n1), Binomial(b, n0, n0), Binomial(q, rows, rows), 0.0)
    variance = (q * (1 - q) / rows + pi**2 * a * (1 - a) / n1 + (1 - pi) ** 2 * b * (1 - b) / n0) / (a - b) ** 2
    half = float(norm.ppf(0.975)) * math.sqrt(variance)
    assert prevalence_bounds(shares, 0.95) == pytest.approx((pi - half, pi + half), abs=2e-4)


@pytest.mark.parametrize(
    ("mine", "no", "theirs"),
    [((5, 6), (5, 54), (200, 1000)), ((6, 6), (0, 54), (150, 1000)), ((3, 4), (1, 9), (0, 50))],
)
def test_the_profile_is_the_maximum_over_a_fine_grid(
    mine: tuple[int, int], no: tuple[int, int], theirs: tuple[int, int]
) -> None:
    parts = [Binomial(hits / rows, rows, rows - 1) for hits, rows in (mine, no, theirs)]
    axis = np.linspace(0, 1, 1001)
    a, b = np.meshgrid(axis, axis)

    def fit(part: Binomial, p: np.typing.NDArray[np.float64]) -> np.typing.NDArray[np.float64]:
        with np.errstate(divide="ignore", invalid="ignore"):
            both = np.where(part.hits > 0, part.hits * np.log(p), 0) + np.where(
                part.size > part.hits, (part.size - part.hits) * np.log1p(-p), 0
            )
        return np.asarray(both)

    for pi in (0.0, 0.13, 0.5, 1.0):
        best = np.max(fit(parts[0], a) + fit(parts[1], b) + fit(parts[2], pi * a + (1 - pi) * b))
        found = log_likelihood(np.array([pi]), Shares(parts[0], parts[1], parts[2], 0.0))[0]
        assert best - 1e-9 <= found <= best + 0.01


def test_rows_that_repeat_each_other_are_no_more_evidence() -> None:
    alone = estimated(labelled(40, 6, 10, 44), pool(90, 210)).corrected.estimate
    fourfold = estimated(labelled(160, 24, 40, 176, family=4), pool(360, 840, family=4)).corrected.estimate
    assert fourfold.value == pytest.approx(alone.value)
    assert (fourfold.low, fourfold.high) == pytest.approx((alone.low, alone.high), abs=0.02)
    free = estimated(labelled(160, 24, 40, 176), pool(360, 840)).corrected.estimate
    assert free.low is not None and alone.low is not None and free.low > alone.low + 0.02


COUNT = st.integers(0, 30)


@settings(max_examples=40, deadline=None)
@given(st.tuples(COUNT, COUNT, COUNT, COUNT), COUNT, COUNT, st.sampled_from([1, 3]))
def test_order_names_and_polarity(counts: tuple[int, int, int, int], yes: int, no: int, family: int) -> None:
    mine, theirs = labelled(*counts, family=family), pool(yes, no, 2, family=family)
    found = estimated(mine, theirs)
    shuffled = np.random.default_rng(1).permutation(len(mine.yes))
    moved = np.random.default_rng(2).permutation(theirs.rows)
    again = estimated(
        LabelledSide(mine.yes[shuffled], mine.said[shuffled], None, 1000 - mine.groups[shuffled]),
        PoolSide(theirs.said[moved], theirs.scored[moved], None, 1000 - theirs.groups[moved]),
    )
    assert again == found
    turned = estimated(
        LabelledSide(~mine.yes, ~mine.said, None, mine.groups),
        PoolSide(~theirs.said, theirs.scored, None, theirs.groups),
    ).corrected.estimate
    before = found.corrected.estimate
    assert (turned.value is None) == (before.value is None)
    if before.value is not None and before.low is not None and before.high is not None:
        assert 0 <= before.low <= before.value <= before.high <= 1
        assert (turned.value, turned.low, turned.high) == pytest.approx(
            (1 - before.value, 1 - before.high, 1 - before.low), abs=1e-3
        )


def test_an_interval_takes_a_moment() -> None:
    mine, theirs = labelled(40, 10, 10, 140), pool(300, 700)
    asked = Settings(labels_are_random_sample=True)
    spent = []
    for _ in range(5):
        start = time.process_time()
        estimate_prevalence(mine, theirs, asked)
        spent.append(time.process_time() - start)
    assert min(spent) < 0.2  # judgy takes 4.3 s for the one interval
