"""Rates against calibration's: an e-process whose level is computed exactly, and shifts with published intervals."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import ttest_ind
from statsmodels.stats.proportion import confint_proportions_2indep

from bench.monitoring.detectable import detectable_mean, detectable_rate
from bench.monitoring.rates import log_evidence, mean_shift, rate_shift, rate_watch

outcomes = st.lists(st.integers(0, 2), min_size=1, max_size=12)
counts = st.tuples(*[st.integers(0, 30)] * 3)


def sequential(codes: list[int], kinds: int) -> Fraction:
    """Krichevsky and Trofimov's product: each outcome's chance is (times seen + 1/2) / (seen + kinds / 2)."""
    chance, seen = Fraction(1), [0] * kinds
    for code in codes:
        chance *= (seen[code] + Fraction(1, 2)) / (sum(seen) + Fraction(kinds, 2))
        seen[code] += 1
    return chance


@given(counts, outcomes)
def test_evidence_is_a_mixture_over_one_change_of_rates(reference: tuple[int, int, int], live: list[int]) -> None:
    before = [code for code, count in enumerate(reference) for _ in range(count)]
    starts = range(4, len(live))
    weights = [0.5 * (1 / math.log2(rank + 2) - 1 / math.log2(rank + 3)) for rank in range(len(starts))]
    every = [*before, *live]
    mixture = (0.5 - sum(weights)) * float(sequential(every, 3)) + 0.5 * float(
        sequential(before, 3) * sequential(live, 3)
    )
    for start, weight in zip(starts, weights, strict=True):
        mixture += weight * float(sequential(every[: len(before) + start], 3) * sequential(live[start:], 3))
    best = math.prod((every.count(code) / len(every)) ** every.count(code) for code in range(3))
    found = log_evidence(np.array(reference, float), np.array([live]))[0, -1]
    assert found == pytest.approx(math.log(mixture / best), rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("rate", [0.02, 0.1, 0.3, 0.5, 0.8])
@pytest.mark.parametrize("calibration", [1, 6, 20])
def test_the_level_is_kept_exactly_over_all_looks(rate: float, calibration: int) -> None:
    """Every stream of ten outcomes after every calibration, with its chance: no simulation."""
    streams = np.array(list(itertools.product([0, 1], repeat=10)))
    chance = rate ** streams.sum(axis=1) * (1 - rate) ** (10 - streams.sum(axis=1))
    crossed, mean = {0.5: 0.0, 0.2: 0.0, 0.05: 0.0}, 0.0
    for hits in range(calibration + 1):
        prior = math.comb(calibration, hits) * rate**hits * (1 - rate) ** (calibration - hits)
        path = log_evidence(np.array([calibration - hits, hits], float), streams)
        mean += prior * float(chance @ np.exp(path[:, -1]))
        for level in crossed:
            crossed[level] += prior * float(chance @ (path.max(axis=1) >= -math.log(level)))
    assert mean <= 1 + 1e-9
    assert all(share <= level for level, share in crossed.items())


def test_looking_at_every_outcome_keeps_the_level() -> None:
    generator, streams = np.random.default_rng(3), 2_000
    hits = generator.binomial(60, 0.3, streams)
    live = (generator.random((streams, 300)) < 0.3).astype(int)
    paths = [log_evidence(np.array([60 - k, k], float), live[hits == k]).max(axis=1) for k in np.unique(hits)]
    assert np.mean(np.concatenate(paths) >= math.log(20)) <= 0.05 + 2 * math.sqrt(0.05 * 0.95 / streams)


@pytest.mark.parametrize(("rate", "by"), [(0.7, 60), (0.02, 100)])
def test_a_changed_rate_is_seen(rate: float, by: int) -> None:
    generator = np.random.default_rng(1)
    found = [rate_watch([70, 30], generator.random(300) < rate, 0.0025).crossed for _ in range(40)]
    assert np.median([300 if at is None else at for at in found]) <= by


@given(counts, outcomes, st.permutations([0, 1, 2]))
def test_categories_have_no_order(reference: tuple[int, int, int], live: list[int], names: list[int]) -> None:
    renamed = [reference[names.index(code)] for code in range(3)]
    one, other = rate_watch(reference, live, 0.05), rate_watch(renamed, [names[code] for code in live], 0.05)
    assert one.largest == pytest.approx(other.largest, abs=1e-9)


def test_a_longer_stream_says_the_same_about_its_beginning() -> None:
    live = (np.random.default_rng(2).random(500) < 0.6).astype(int)
    whole = rate_watch([70, 30], live, 0.0025)
    assert whole.crossed is not None
    assert rate_watch([70, 30], live[: whole.crossed + 1], 0.0025).crossed == whole.crossed
    assert not rate_watch([70, 30], live[: whole.crossed], 0.0025).alarm


def test_what_is_no_outcome_is_refused() -> None:
    with pytest.raises(ValueError, match="no live outcome"):
        rate_watch([3, 4], [], 0.05)
    with pytest.raises(ValueError, match="from 0 to 1"):
        rate_watch([3, 4], [2], 0.05)


def test_the_shift_has_newcombes_interval() -> None:
    # Newcombe 1998, Statistics in Medicine 17:873, table II, method 10: 56/70 - 48/80 is .2000 [.0524, .3339]. Ours has
    # t quantiles (69 and 79 degrees of freedom), which are wider by 2 %.
    found = rate_shift("", (48, 80), (56, 70))
    assert found.value == pytest.approx(0.2)
    assert (found.low, found.high) == pytest.approx((0.0524, 0.3339), abs=0.005)
    low, high = confint_proportions_2indep(300, 1000, 520, 2000, method="newcomb")
    assert (rate_shift("", (520, 2000), (300, 1000)).low, rate_shift("", (520, 2000), (300, 1000)).high) == (
        pytest.approx((low, high), abs=3e-4)
    )


def test_shifts_without_a_side_are_undefined() -> None:
    assert rate_shift("", (1, 30), (0, 0)).undefined == "0 live outcomes"
    assert rate_shift("", (0, 0), (1, 30)).undefined == "0 calibration outcomes"
    assert mean_shift("", [0.1], []).undefined == "0 live values"


@settings(max_examples=10, deadline=None)
@given(st.lists(st.floats(0, 1), min_size=2, max_size=20), st.lists(st.floats(0, 1), min_size=2, max_size=20))
def test_a_shift_lies_in_its_interval_and_turns_with_its_sides(old: list[float], new: list[float]) -> None:
    found = mean_shift("", old, new)
    assert found.value is not None and found.low is not None and found.high is not None
    assert found.low - 1e-12 <= found.value <= found.high + 1e-12
    back = mean_shift("", new, old)
    assert (back.value, back.low, back.high) == pytest.approx((-found.value, -found.high, -found.low), abs=1e-9)


def test_the_mean_shift_is_welchs_where_that_holds_and_scales_with_the_values() -> None:
    generator = np.random.default_rng(9)
    old, new = generator.beta(2, 3, 400), generator.beta(3, 2, 600)
    welch = ttest_ind(new, old, equal_var=False).confidence_interval(0.95)
    found = mean_shift("", old, new)
    assert (found.low, found.high) == pytest.approx((welch.low, welch.high), abs=2e-3)
    many = mean_shift("", old, np.tile(new, 10))  # no bootstrap beyond 2,000 values
    welch = ttest_ind(np.tile(new, 10), old, equal_var=False).confidence_interval(0.95)
    assert (many.low, many.high) == pytest.approx((welch.low, welch.high), abs=2e-3)
    wide = mean_shift("", 1000 * old - 7, 1000 * new - 7)
    assert (wide.value, wide.low, wide.high) == pytest.approx(
        (1000 * (found.value or 0), 1000 * (found.low or 0), 1000 * (found.high or 0)), rel=0.02
    )


def test_what_would_have_been_seen_is_seen_in_other_streams_too() -> None:
    generator = np.random.default_rng(7)
    rate = detectable_rate((30, 100), 150, 0.0025, up=True)
    assert rate is not None and 0.4 < rate < 0.9
    seen = [rate_watch([70, 30], generator.random(150) < rate, 0.0025).alarm for _ in range(200)]
    assert 0.65 <= np.mean(seen) <= 0.98
    assert detectable_rate((0, 100), 150, 0.0025, up=False) is None
    few, many = (detectable_rate((30, 100), live, 0.0025, up=True) for live in (15, 200))
    assert few is not None and many is not None and many < few


def test_a_mean_that_would_have_been_seen_lies_within_the_values() -> None:
    held = np.linspace(0, 1, 101)
    up, down = (detectable_mean(held, 100, 0.0025, up=up) for up in (True, False))
    assert up is not None and down is not None and 0.55 < up < 1 and 0 < down < 0.45
    assert detectable_mean(np.full(40, 0.3), 100, 0.0025, up=True) is None
