"""Intervals: closed forms and other tools where they agree by design, and what must never be printed."""

from __future__ import annotations

import math
import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.proportion import proportion_confint

from bench.measure.counts import FamilyVectors, count_families
from bench.measure.intervals import carried, interval, intervals
from bench.measure.metrics import METRICS, Metric
from bench.measure.proportions import Share, korn_graubard, share_of, wilson
from bench.measure.resampling import draw, linearised_error

ALL = pytest.mark.parametrize("metric", METRICS.values(), ids=METRICS)
RESAMPLED = [name for name, metric in METRICS.items() if not metric.proportion]


def table(tp: int, fp: int, fn: int, tn: int, size: int = 1) -> FamilyVectors:
    labels = np.repeat([True, False, True, False], [tp, fp, fn, tn])
    verdicts = np.repeat([True, True, False, False], [tp, fp, fn, tn])
    return count_families(labels, verdicts, np.arange(len(labels)) // size)


def noisy(seed: int, n: int = 240, size: int = 3) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    generator = np.random.default_rng(seed)
    labels = generator.random(n) < 0.4
    return labels, np.where(generator.random(n) < 0.75, labels, generator.random(n) < 0.5), np.arange(n) // size


def single(hits: int, size: int) -> Share:
    families = count_families(np.ones(size, bool), np.arange(size) < hits, np.arange(size))
    return share_of(families, (0,), (0, 2))


@pytest.mark.parametrize(("hits", "size"), [(7, 9), (0, 12), (20, 20), (3, 40), (55, 90)])
def test_single_item_families_give_clopper_pearson(hits: int, size: int) -> None:
    # Oracle: scipy.stats.binomtest(method="exact").
    expected = stats.binomtest(hits, size).proportion_ci(0.95, method="exact")
    assert korn_graubard(single(hits, size), 0.95) == pytest.approx((expected.low, expected.high), abs=1e-9)


@pytest.mark.parametrize(("hits", "size"), [(20, 20), (3, 40), (55, 90), (450, 1000)])
def test_wilson_is_the_usual_one_at_the_level_of_its_t_quantile(hits: int, size: int) -> None:
    # Oracle: statsmodels proportion_confint(method="wilson"), asked for the z that equals our t.
    alpha = 2 * stats.norm.sf(stats.t.ppf(0.975, size - 1))
    expected = proportion_confint(hits, size, alpha=alpha, method="wilson")
    assert wilson(single(hits, size), 0.95) == pytest.approx(expected, abs=1e-9)


def test_families_of_one_mind_count_as_one_item() -> None:
    # Closed form: 4 equal items per family have design effect 4, up to the (n - 1) factors of the two variances;
    # 20 families hold misses, so that the estimate has 20 parts in 20.5 and full dependence the half.
    labels = np.ones(240, bool)
    families = count_families(labels, np.arange(240) // 4 % 3 > 0, np.arange(240) // 4)
    share = share_of(families, (0,), (0, 2))
    seen = 4 * (60 / 59) * (239 / 240)
    assert share.effective_size == pytest.approx(240 / ((20 * seen + 0.5 * 4) / 20.5), rel=1e-9)


def test_variance_is_the_textbook_linearisation_by_stratum() -> None:
    # Cochran 1977, eq. 6.13 and 5A: sum over strata of n/(n-1) sum (residual - stratum mean)^2 / total^2.
    labels, verdicts, family = noisy(3)
    stratum = family % 2
    found = share_of(count_families(labels, verdicts, family, stratum), (0,), (0, 1))
    top = np.bincount(family, labels & verdicts)
    mass = np.bincount(family, verdicts)
    expected = 0.0
    for code in (0, 1):
        here = (np.arange(80) % 2 == code) & (mass > 0)
        residual = top[here] - found.value * mass[here]
        expected += len(residual) * residual.var(ddof=1)
    assert found.variance == pytest.approx(expected / mass.sum() ** 2, rel=1e-9)


@ALL
@pytest.mark.parametrize("cells", [(20, 0, 0, 20), (20, 0, 0, 0), (6, 0, 0, 60), (0, 20, 20, 0), (10, 10, 10, 10)])
@pytest.mark.parametrize("size", [1, 4])
def test_no_interval_is_a_point_or_leaves_the_range(metric: Metric, cells: tuple[int, ...], size: int) -> None:
    found = interval(metric, table(*cells, size=size), seed=1, resamples=500)
    if found.value is not None:
        assert found.low is not None and found.high is not None
        assert metric.low <= found.low <= found.value <= found.high <= metric.high
        assert found.high - found.low > 0.01


@pytest.mark.parametrize("name", ["precision", "recall", "accuracy", "f1"])
def test_twenty_of_twenty(name: str) -> None:
    found = interval(METRICS[name], table(20, 0, 0, 0), seed=1)
    assert found.value == 1.0 and found.high == 1.0
    # Clopper-Pearson's lower bound of 20/20 is .832 (closed form .025 ** (1/20)).
    exact = 0.025 ** (1 / 20)
    wanted = 2 * exact / (1 + exact) if name == "f1" else exact
    assert found.low is not None and wanted - 0.03 < found.low <= wanted + 1e-12


def test_one_class_has_no_kappa() -> None:
    found = interval(METRICS["cohen_kappa"], table(20, 0, 0, 0), seed=1)
    assert found.value is None and found.undefined == "0 labelled no, 0 predicted no"
    assert interval(METRICS["mcc"], table(20, 0, 5, 0), seed=1).value is None


def test_nothing_predicted_has_no_precision() -> None:
    found = interval(METRICS["precision"], table(0, 0, 9, 9), seed=1)
    assert found.cell() == "n/a (0 predicted yes)"


def test_few_items_show_counts_and_say_so() -> None:
    found = interval(METRICS["recall"], table(3, 2, 4, 30), seed=1)
    # Clopper-Pearson of 3/7: [.099, .816].
    assert found.cell() == "3/7 [.10, .82] too few"
    assert found.method == "Korn-Graubard"


def test_under_five_families_is_too_few() -> None:
    found = interval(METRICS["accuracy"], table(20, 5, 5, 20, size=13), seed=1)
    assert found.families == 4 and found.too_few


@pytest.mark.parametrize("name", RESAMPLED)
def test_no_spread_over_resamples_is_said(name: str) -> None:
    labels, verdicts = np.tile([True, True, False, False], 30), np.tile([True, False, True, False], 30)
    found = interval(METRICS[name], count_families(labels, verdicts, np.arange(120) // 4), seed=1, resamples=200)
    assert found.note == "degenerate over resamples; exact interval printed"
    assert found.high is not None and found.low is not None and found.high - found.low > 0.1


def test_precision_of_twins_has_a_logit_interval() -> None:
    generator = np.random.default_rng(5)
    labels = np.tile([True, False], 40)
    verdicts = generator.random(80) < np.where(labels, 0.8, 0.3)
    assert interval(METRICS["precision"], count_families(labels, verdicts, np.arange(80) // 2), 1).method == (
        "cluster logit-t"
    )
    assert interval(METRICS["recall"], count_families(labels, verdicts, np.arange(80) // 2), 1).method.startswith(
        "Wilson"
    )


@ALL
@settings(max_examples=8, deadline=None)
@given(seed=st.integers(0, 10_000))
def test_row_order_and_names_change_no_figure(metric: Metric, seed: int) -> None:
    labels, verdicts, family = noisy(seed)
    order = np.random.default_rng(seed).permutation(len(labels))
    renamed = np.array([f"f{(37 * f) % 80:03d}" for f in family])
    plain = interval(metric, count_families(labels, verdicts, family), seed=9, resamples=300)
    moved = interval(metric, count_families(labels[order], verdicts[order], renamed[order]), seed=9, resamples=300)
    assert plain == moved


@pytest.mark.parametrize("name", RESAMPLED)
def test_same_seed_same_bytes_other_seed_other_interval(name: str) -> None:
    families = count_families(*noisy(11))
    assert repr(interval(METRICS[name], families, 4, 500)) == repr(interval(METRICS[name], families, 4, 500))
    assert interval(METRICS[name], families, 4, 500) != interval(METRICS[name], families, 5, 500)


def test_together_is_the_same_as_alone() -> None:
    families = count_families(*noisy(12))
    assert intervals(METRICS.values(), families, 3, 300) == tuple(
        interval(m, families, 3, 300) for m in METRICS.values()
    )


@pytest.mark.parametrize("name", RESAMPLED)
def test_linearised_error_is_the_bootstrap_error(name: str) -> None:
    # Oracle: the spread of the resamples themselves, a different route to the same quantity.
    families, metric = count_families(*noisy(13, n=3000)), METRICS[name]
    drawn = draw(families.multiplicity, families.stratum, 1, 4000)
    linear = float(linearised_error(metric.values, families, families.multiplicity[None, :].astype(float))[0])
    assert linear == pytest.approx(float(np.std(metric.values(drawn @ families.vectors))), rel=0.05)


def test_draws_fix_the_families_of_each_stratum() -> None:
    labels, verdicts, family = noisy(14)
    families = count_families(labels, verdicts, family, np.array(["a", "b"])[(family >= 30).astype(int)])
    drawn = draw(families.multiplicity, families.stratum, 1, 50)
    held = [drawn[:, families.stratum == code].sum(axis=1) for code in (0, 1)]
    assert sorted({int(n) for part in held for n in part}) == [30, 50]


@pytest.mark.parametrize("name", ["precision", "recall", "accuracy"])
def test_equal_weights_change_nothing(name: str) -> None:
    labels, verdicts, family = noisy(15)
    plain = interval(METRICS[name], count_families(labels, verdicts, family), 1)
    heavy = interval(METRICS[name], count_families(labels, verdicts, family, weights=np.full(240, 2.5)), 1)
    assert (heavy.value, heavy.low, heavy.high) == pytest.approx((plain.value, plain.low, plain.high), abs=1e-9)
    assert heavy.numerator is None and plain.denominator is not None


def test_carried_f1_is_the_interval_of_jaccard() -> None:
    # Closed form: F1 = 2J / (1 + J), J = TP / (TP + FP + FN); Clopper-Pearson of 12/16 from scipy.
    expected = stats.binomtest(12, 16).proportion_ci(0.95, method="exact")
    low, high = carried(METRICS["f1"], table(12, 2, 2, 40))
    assert (low, high) == pytest.approx(
        (2 * expected.low / (1 + expected.low), 2 * expected.high / (1 + expected.high))
    )


def test_no_bound_is_above_one_by_its_last_bit() -> None:
    for size in range(1, 200):
        low, high = wilson(single(size, size), 0.95)
        assert high == 1.0 and 0 < low < 1 and not math.isnan(korn_graubard(single(size, size), 0.95)[0])


def test_many_rows_are_fast() -> None:
    labels, verdicts, family = noisy(16, n=99_999)
    families = count_families(labels, verdicts, family)
    started = time.perf_counter()
    intervals(METRICS.values(), families, 1, 10_000)
    assert time.perf_counter() - started < 1.0
