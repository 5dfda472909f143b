"""The conformal test martingale: fair bets, exact ranks, its level under daily looks, and what it sees."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bench.monitoring.exchangeability import BETS, log_capital, smoothed_ranks, watch

LEVEL = 0.05
STREAMS = 2_000
few = st.lists(st.sampled_from([0.0, 0.1, 0.25, 0.5, 0.9, 1.0]), max_size=12)
some = st.lists(st.sampled_from([0.0, 0.1, 0.25, 0.5, 0.9, 1.0]), min_size=1, max_size=12)


def bet(ranks: list[float]) -> float:
    return float(math.exp(log_capital(np.array([ranks]))[0, -1]))


@given(few, some, st.integers(0, 99))
def test_a_rank_is_the_share_of_smaller_values_and_a_drawn_part_of_the_equal_ones(
    reference: list[float], live: list[float], seed: int
) -> None:
    draws = np.random.default_rng(seed).random(len(live))
    for at, value in enumerate(live):
        so_far = [*reference, *live[: at + 1]]
        expected = (sum(v < value for v in so_far) + draws[at] * so_far.count(value)) / len(so_far)
        assert smoothed_ranks(reference, live, draws)[at] == pytest.approx(expected)


def test_ranks_of_long_streams_are_counted_across_blocks() -> None:
    generator = np.random.default_rng(5)
    reference, live, draws = generator.integers(0, 40, 100), generator.integers(0, 40, 2500), generator.random(2500)
    found = smoothed_ranks(reference, live, draws)
    for at in (0, 1023, 1024, 2047, 2048, 2499):
        so_far = np.concatenate([reference, live[: at + 1]])
        expected = (np.sum(so_far < live[at]) + draws[at] * np.sum(so_far == live[at])) / len(so_far)
        assert found[at] == pytest.approx(expected)


def test_a_bet_is_fair() -> None:
    """The capital after one more uniform rank is, on average, the capital before; floats end 2^-53 short of 1."""
    for before in ([], [0.03, 0.9]):
        # p = t^20 and 1 - t^20: the densities have poles at both ends.
        t = (np.arange(20_000) + 0.5) / 20_000 * 0.5 ** (1 / 20)
        step = 0.5 ** (1 / 20) / 20_000 * 20 * t**19
        ends = (log_capital(np.array([[*before, p] for p in side]))[:, -1] for side in (t**20, 1 - t**20))
        mean = sum(float(np.exp(end) @ step) for end in ends)
        assert mean == pytest.approx(bet(before) if before else 1.0, rel=1e-3)


@settings(max_examples=30)
@given(st.lists(st.floats(0.001, 0.999), min_size=1, max_size=6))
def test_the_capital_is_the_mixture_over_bets_and_starting_times(ranks: list[float]) -> None:
    def density(p: float, a: float, b: float) -> float:
        whole = math.gamma(a) * math.gamma(b) / math.gamma(a + b)
        return p ** (a - 1) * (1 - p) ** (b - 1) / whole

    total = 1 / math.log2(len(ranks) + 2)  # not started yet
    for start in range(len(ranks)):
        weight = 1 / math.log2(start + 2) - 1 / math.log2(start + 3)
        for a, b in BETS:
            total += weight / len(BETS) * math.prod(density(p, a, b) for p in ranks[start:])
    assert bet(ranks) == pytest.approx(total, rel=1e-9)


def crossings(reference: np.ndarray, live: np.ndarray) -> float:
    """The share of streams that ever cross when every single value is a look."""
    draws = np.random.default_rng(11).random(live.shape)
    ranks = [smoothed_ranks(*one) for one in zip(reference, live, draws, strict=True)]
    return float(np.mean(log_capital(np.array(ranks)).max(axis=1) >= -math.log(LEVEL)))


@pytest.mark.parametrize("kind", ["normal", "0 or 1", "grid of .1", "nearly all alike"])
def test_looking_at_every_value_keeps_the_level(kind: str) -> None:
    generator = np.random.default_rng(2)

    def draw(length: int) -> np.ndarray:
        uniform = generator.random((STREAMS, length))
        rules = {"0 or 1": uniform < 0.3, "grid of .1": np.round(uniform**2, 1), "nearly all alike": uniform < 0.02}
        return np.asarray(rules.get(kind, generator.normal(size=uniform.shape)), dtype=float)

    share = crossings(draw(40), draw(300))
    assert share <= LEVEL + 2 * math.sqrt(LEVEL * (1 - LEVEL) / STREAMS)
    assert share > 0  # the test can ring at all


@pytest.mark.parametrize(("centre", "spread", "by"), [(1, 1, 60), (-1, 1, 60), (0, 2.5, 80), (0, 0.4, 80)])
def test_a_shift_or_another_spread_is_seen(centre: float, spread: float, by: int) -> None:
    generator = np.random.default_rng(4)
    found = [watch(generator.normal(size=100), generator.normal(centre, spread, 200), 0.0025) for _ in range(40)]
    assert np.median([200 if one.crossed is None else one.crossed for one in found]) <= by


def test_a_change_after_a_long_quiet_is_seen() -> None:
    generator = np.random.default_rng(6)
    live = np.concatenate([generator.normal(size=1000), generator.normal(1.5, 1, 200)])
    found = watch(generator.normal(size=200), live, 0.0025)
    assert found.crossed is not None and 1000 < found.crossed < 1100


@given(some, some, st.integers(0, 99))
def test_neither_the_order_of_calibration_nor_the_scale_moves_anything(
    reference: list[float], live: list[float], seed: int
) -> None:
    mixed = np.random.default_rng(seed).permutation(reference)
    assert watch(mixed, live, LEVEL) == watch(reference, live, LEVEL)
    stretched = [np.exp(3 * np.array(values)) for values in (reference, live)]
    assert watch(*stretched, LEVEL) == watch(reference, live, LEVEL)


def test_a_longer_stream_says_the_same_about_its_beginning() -> None:
    generator = np.random.default_rng(8)
    reference, live = generator.random(100), np.round(generator.random(400) ** 0.4, 2)
    whole = watch(reference, live, LEVEL)
    assert whole.crossed is not None
    for looked in (whole.crossed + 1, whole.crossed + 50, 400):
        assert watch(reference, live[:looked], LEVEL).crossed == whole.crossed
    assert not watch(reference, live[: whole.crossed], LEVEL).alarm


def test_capital_stays_finite_whatever_happens() -> None:
    far = log_capital(np.concatenate([np.full((1, 4000), 1e-300), np.full((1, 4000), 1.0)], axis=1))
    assert np.all(np.isfinite(far))


def test_what_is_no_stream_is_refused() -> None:
    with pytest.raises(ValueError, match="no live value"):
        watch([0.1], [], LEVEL)
    with pytest.raises(ValueError, match="finite"):
        watch([0.1], [float("nan")], LEVEL)
    with pytest.raises(ValueError, match="level"):
        watch([0.1], [0.2], 1.0)
