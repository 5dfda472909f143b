"""Error rates from three votes an item, beside other tools, known mixtures and a plain search for the maximum."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.stats import binom

from bench.measure.latent import LEAST_FAMILIES, LEAST_ITEMS, LatentRates, agreed_wrong, latent_rates, mixture

Counts = tuple[int, int, int, int]


def rates_of(counts: Sequence[int], size: int = 1, resamples: int = 400) -> LatentRates:
    """Items with so many yes, in families of ``size`` (neighbours, so that items alike hang together)."""
    yes = [k for k, count in enumerate(counts) for _ in range(count)]
    return latent_rates(yes, [f"f{n // size}" for n in range(len(yes))], 1, resamples)


# crowd-kit 1.4.2, DawidSkene(n_iter=100000, tol=1e-15) on a table in which one worker "w" votes three times on each task,
# which gives all votes one confusion matrix: priors_["yes"], errors_["no" | yes], errors_["yes" | no].
CROWD_KIT = [
    ((40, 8, 6, 30), (0.42672190660182496, 0.057715, 0.060031)),
    ((20, 3, 2, 15), (0.4233249020997075, 0.039649, 0.046461)),
    ((60, 5, 1, 20), (0.2427088335610235, 0.014161, 0.026962)),
]


@pytest.mark.parametrize(("counts", "wanted"), CROWD_KIT)
def test_is_what_dawid_and_skenes_em_gives(counts: Counts, wanted: tuple[float, float, float]) -> None:
    found = mixture(np.array(counts, dtype=float))
    assert found[0] == pytest.approx(wanted[0], abs=1e-9)
    assert found[1:] == pytest.approx(wanted[1:], abs=5e-7)


@pytest.mark.parametrize("share", [0.1, 0.5, 0.85])
@pytest.mark.parametrize(("miss", "false_yes"), [(0.02, 0.05), (0.1, 0.1), (0.3, 0.01), (0.2, 0.45)])
def test_gives_back_the_mixture_that_made_the_counts(share: float, miss: float, false_yes: float) -> None:
    cells = share * binom.pmf(range(4), 3, 1 - miss) + (1 - share) * binom.pmf(range(4), 3, false_yes)
    assert mixture(1000 * cells) == pytest.approx([share, miss, false_yes], abs=1e-9)


def likelihood(rates: Sequence[float], counts: Sequence[int]) -> float:
    share, miss, false_yes = rates
    cells = share * binom.pmf(range(4), 3, 1 - miss) + (1 - share) * binom.pmf(range(4), 3, false_yes)
    return float(np.sum(np.where(np.array(counts) > 0, counts * np.log(np.maximum(cells, 1e-300)), 0.0)))


# inside the range, no false yes, no miss, neither
LIKELIEST = [(15, 3, 2, 10), (20, 0, 3, 15), (20, 1, 4, 10), (15, 4, 0, 20), (9, 5, 1, 20), (12, 0, 0, 18)]


@pytest.mark.parametrize("counts", LIKELIEST)
def test_no_other_rates_are_likelier(counts: Counts) -> None:
    found = mixture(np.array(counts, dtype=float))
    best = max(
        (
            minimize(
                lambda x: -likelihood(x, counts), start, bounds=[(1e-9, 1 - 1e-9), (0, 0.499), (0, 0.499)], tol=1e-12
            )
            for start in ([0.5, 0.05, 0.05], [0.3, 0.2, 0.01], [0.7, 0.01, 0.2])
        ),
        key=lambda result: -float(result.fun),
    )
    assert likelihood(list(found), counts) >= -float(best.fun) - 1e-6
    assert found == pytest.approx(best.x, abs=2e-3)


def test_yes_and_no_may_change_places() -> None:
    there, back = (mixture(np.array(counts, dtype=float)) for counts in ((15, 4, 0, 20), (20, 0, 4, 15)))
    assert there == pytest.approx([1 - back[0], back[2], back[1]])


def test_two_votes_that_agree_are_wrong_as_often_as_both_are() -> None:
    # By hand: share .5, both errors .1: both wrong .01, both right .81.
    assert agreed_wrong(np.array([0.5, 0.1, 0.1])) == pytest.approx(0.01 / 0.82)


UNDEFINED = [
    ((10, 1, 1, 7), 1, f"19 of {LEAST_ITEMS} items with three votes"),
    ((20, 4, 4, 20), 4, f"12 of {LEAST_FAMILIES} families with three votes"),
    ((30, 0, 0, 0), 1, "all items got the same votes"),
    ((0, 30, 0, 0), 1, "all items got the same votes"),
    ((5, 15, 15, 5), 1, "votes differ as if all items were alike"),
    ((20, 8, 8, 1), 1, "votes would be wrong more often than right"),
    ((0, 0, 0, 0), 1, f"0 of {LEAST_ITEMS} items with three votes"),
]


@pytest.mark.parametrize(("counts", "size", "reason"), UNDEFINED)
def test_says_why_there_is_nothing_to_tell(counts: Counts, size: int, reason: str) -> None:
    found = rates_of(counts, size)
    assert found.counts == counts
    told = {e.undefined for e in (found.true_yes, found.miss, found.false_yes, found.agreed_wrong)}
    assert told == {reason}


def test_an_error_rate_at_its_end_has_no_value_and_the_others_have() -> None:
    found = rates_of((20, 0, 3, 15))
    assert found.false_yes.undefined == "at its end 0, which has no interval"
    assert found.miss.value is not None
    assert found.agreed_wrong.value is not None
    without = rates_of((14, 0, 0, 16))
    assert (without.true_yes.value, without.miss.value, without.agreed_wrong.value) == (16 / 30, None, None)


def test_an_interval_holds_its_value_and_is_wider_where_families_hang_together() -> None:
    alone, together = rates_of((40, 8, 6, 30)), rates_of((40, 8, 6, 30), size=4)
    for one in (alone.true_yes, alone.miss, alone.false_yes, alone.agreed_wrong):
        assert one.low is not None
        assert one.high is not None
        assert one.value is not None
        assert 0 <= one.low <= one.value <= one.high <= 1
    wide = [(e.high or 0) - (e.low or 0) for e in (alone.true_yes, together.true_yes)]
    assert wide[0] < wide[1]


def test_neither_order_nor_names_move_a_figure() -> None:
    yes = [k for k, count in enumerate((20, 4, 4, 12)) for _ in range(count)]
    families = [f"f{n // 2}" for n in range(len(yes))]
    one = latent_rates(yes, families, 1, 300)
    other = latent_rates(yes[::-1], [f"g{name}" for name in families[::-1]], 1, 300)
    assert one == other


def test_covers() -> None:
    """60 items, half of them yes, errors .1 and .05: intervals of 95 % that are not at an end hold the truth."""
    rng, true, held, told = np.random.default_rng(3), (0.5, 0.1, 0.05), np.zeros(3), np.zeros(3)
    for _ in range(150):
        yes = rng.random(60) < true[0]
        counts = rng.binomial(3, np.where(yes, 1 - true[1], true[2]))
        found = latent_rates(counts.tolist(), [str(n) for n in range(60)], 1, 500)
        for index, estimate in enumerate((found.true_yes, found.miss, found.false_yes)):
            if estimate.low is not None and estimate.high is not None:
                told[index] += 1
                held[index] += estimate.low <= true[index] <= estimate.high
    assert (held / told > 0.89).all()  # .95 less three Monte Carlo errors
    assert (told > 130).all()


@pytest.mark.parametrize("votes", [[4], [-1]])
def test_refuses_what_is_no_count(votes: list[int]) -> None:
    with pytest.raises(ValueError, match="among 3 votes"):
        latent_rates(votes, ["f"], 1)
