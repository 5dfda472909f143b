"""Class rates with bounds that hold together, the prevalence that meets a target, and how many more labels would do."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.certifying.more_labels import more_labels
from bench.certifying.rates import BandRates, Verb, band_rates, carried_over, prevalence_range, wrong_share
from bench.certifying.sequence import BETTING, ONE_ITEM, BandTest, walk_path
from bench.measure.certificate_power import certificate_chance
from bench.measure.counts import count_families
from bench.measure.intervals import interval
from bench.measure.metrics import METRICS

RATES = st.integers(0, 1_000).map(lambda x: x / 1_000)
BANDS = st.lists(st.tuples(st.sampled_from(("promote", "discard")), RATES, RATES), min_size=1, max_size=2)


def table(yes_in: int, yes_out: int, no_in: int, no_out: int) -> tuple[np.ndarray, np.ndarray]:
    """Labels and decisions of so many rows."""
    sizes = [yes_in, yes_out, no_in, no_out]
    return np.repeat([True, True, False, False], sizes), np.repeat([True, False, True, False], sizes)


# --- the share wrong ---


def test_the_share_wrong_of_the_contract() -> None:
    # STATISTICS.md: TPR .8, FPR .05: 6 % at prevalence .5, 36 % at .1. By hand .025/.425 and .045/.125.
    promote: list[tuple[Verb, float, float]] = [("promote", 0.8, 0.05)]
    assert wrong_share(promote, 0.5) == pytest.approx(0.025 / 0.425) == pytest.approx(0.06, abs=0.005)
    assert wrong_share(promote, 0.1) == pytest.approx(0.36)
    assert prevalence_range(promote, 0.36).span == (pytest.approx(0.1), 1.0)


def test_the_range_of_promote_has_the_closed_form() -> None:
    # p >= FPR (1 - t) / (FPR (1 - t) + t TPR) = .045 / (.045 + .08).
    assert prevalence_range([("promote", 0.8, 0.05)], 0.1).span == (pytest.approx(0.045 / 0.125), 1.0)
    # Discard keeps the share of yes low: .1 x .6 / (.1 x .6 + .9 x .02).
    assert prevalence_range([("discard", 0.6, 0.02)], 0.1).span == (0.0, pytest.approx(0.06 / 0.078))


@pytest.mark.parametrize(
    ("bands", "span"),
    [
        ([("promote", 0.8, 0.0)], (0.0, 1.0)), ([("promote", 0.0, 0.1)], None), ([("promote", 0.0, 0.0)], None),
        ([("discard", 0.5, 0.0)], (0.0, 1.0)), ([("discard", 0.0, 0.2)], None),
        ([("promote", 0.8, 0.01), ("discard", 0.8, 0.01)], (0.0, 1.0)),
        ([("promote", 0.5, 0.5), ("discard", 0.5, 0.5)], None),
    ],
)  # fmt: skip
def test_ends_of_the_range(bands: list[tuple[Verb, float, float]], span: tuple[float, float] | None) -> None:
    found = prevalence_range(bands, 0.1)
    assert found.span == span and (found.why_none is None) == (span is not None)


def test_nothing_decided_says_so() -> None:
    assert prevalence_range([("promote", 0.0, 0.0)], 0.1).why_none == "nothing is decided"
    assert wrong_share([("promote", 0.0, 0.0)], 0.5) is None and wrong_share([("promote", 0.5, 0.0)], 0.0) is None


@given(BANDS, st.floats(0.01, 0.99), st.floats(0.001, 0.999))
def test_the_range_is_where_the_share_wrong_meets_the_target(
    bands: list[tuple[Verb, float, float]], target: float, prevalence: float
) -> None:
    span, wrong = prevalence_range(bands, target).span, wrong_share(bands, prevalence)
    if wrong is not None and abs(wrong - target) > 1e-9:
        assert (span is not None and span[0] <= prevalence <= span[1]) == (wrong < target)


@given(BANDS, st.floats(0.01, 0.99))
def test_worse_rates_never_widen_the_range(bands: list[tuple[Verb, float, float]], target: float) -> None:
    worse = prevalence_range([(band, right / 2, min(1.0, wrong + 0.1)) for band, right, wrong in bands], target).span
    better = prevalence_range(bands, target)
    if worse is not None and better.why_none != "nothing is decided":
        assert better.span is not None
        assert better.span[0] <= worse[0] + 1e-9 and worse[1] <= better.span[1] + 1e-9


# --- rates of a band ---


def test_rates_are_recall_and_its_complement_at_the_shared_level() -> None:
    labels, decided = table(40, 10, 3, 47)
    families = np.arange(100)
    found = band_rates(labels, decided, families, "promote", 0.05)
    counted = count_families(labels, decided, families)
    recall = interval(METRICS["recall"], counted, 0, level=0.975)
    specificity = interval(METRICS["specificity"], counted, 0, level=0.975)
    assert (found.right.value, found.wrong.value) == (0.8, 0.06)
    assert (found.right.low, found.right.high) == (recall.low, recall.high)
    assert specificity.low is not None and specificity.high is not None
    assert found.wrong.low == pytest.approx(1 - specificity.high) and found.wrong.high == pytest.approx(
        1 - specificity.low
    )
    assert (found.level, found.together) == (0.975, 0.95)


def test_four_intervals_are_wider_than_two() -> None:
    labels, decided = table(40, 10, 3, 47)
    two, four = (band_rates(labels, decided, np.arange(100), "promote", 0.05, intervals=n) for n in (2, 4))
    assert two.wrong.high is not None and four.wrong.high is not None and four.wrong.high > two.wrong.high
    with pytest.raises(ValueError, match="2 or more"):
        band_rates(labels, decided, np.arange(100), "promote", 0.05, intervals=1)


def test_discard_is_right_on_no() -> None:
    labels, decided = table(2, 48, 30, 20)
    found = band_rates(labels, decided, np.arange(100), "discard", 0.05)
    assert (found.right.value, found.wrong.value) == (0.6, 0.04)
    assert (found.right.name, found.wrong.name) == ("discard rate of no", "discard rate of yes")


def test_the_worst_corner_lies_inside_the_range_as_found() -> None:
    labels, decided = table(40, 10, 3, 47)
    rates = band_rates(labels, decided, np.arange(100), "promote", 0.05)
    both = carried_over([rates], 0.2)
    assert both.found.span == (pytest.approx(0.06 * 0.8 / (0.06 * 0.8 + 0.2 * 0.8)), 1.0)
    assert rates.right.low is not None and rates.wrong.high is not None
    assert both.worst == prevalence_range([("promote", rates.right.low, rates.wrong.high)], 0.2)
    assert both.worst.span is not None and both.worst.span[0] > 0.3


def test_one_class_gives_no_range() -> None:
    rates = band_rates([True] * 20, [True] * 20, np.arange(20), "promote", 0.05)
    assert rates.wrong.value is None and rates.undefined == "0 labelled no"
    assert carried_over([rates], 0.1).worst.why_none == "promote: 0 labelled no"


def test_families_hold_rows_together() -> None:
    labels, decided = table(40, 10, 10, 40)
    alone: BandRates = band_rates(labels, decided, np.arange(100), "promote", 0.05)
    tied = band_rates(labels, decided, np.arange(100) // 5, "promote", 0.05)
    assert alone.right.low is not None and tied.right.low is not None and tied.right.low < alone.right.low


def test_simultaneous_bounds_cover_together() -> None:
    # TPR .8, FPR .1, 60 + 60 independent rows, 400 draws at .95: two Monte-Carlo errors are .022.
    generator, hits, draws = np.random.default_rng(4), 0, 400
    labels = np.arange(120) < 60
    for _ in range(draws):
        decided = generator.random(120) < np.where(labels, 0.8, 0.1)
        found = band_rates(labels, decided, np.arange(120), "promote", 0.05)
        hits += (found.right.low or 0) <= 0.8 <= (found.right.high or 0) and (found.wrong.low or 0) <= 0.1 <= (
            found.wrong.high or 0
        )
    assert hits / draws >= 0.95 - 0.022


# --- more labels ---


def band(right: int, wrong: int, others: int = 0, method: str = ONE_ITEM, target: float = 0.1) -> BandTest:
    """Single-item families: selected right and wrong ones, and others that are not selected."""
    scores = np.repeat([0.9, 0.1], [right + wrong, others])
    bad = np.arange(len(scores)) < wrong
    return walk_path(
        scores, bad, np.arange(len(scores)), (0.9, 0.8), target, 0.05,
        method=method, seed=0, largest_family=1, side="high",
    )  # type: ignore[arg-type]  # fmt: skip


def test_more_families_bring_the_chance_to_four_in_five() -> None:
    found = more_labels(band(19, 1, others=20))
    assert found.families is not None and (found.threshold, found.selection, found.error) == (0.9, 0.5, 0.05)
    needed = found.families + 40
    assert (
        certificate_chance(needed, 0.5, 0.05, 0.1, 0.05) >= 0.8 > certificate_chance(needed - 1, 0.5, 0.05, 0.1, 0.05)
    )
    assert found.told == f"about {found.families} more labelled families would probably (4 in 5) do"


def test_an_error_above_the_target_is_not_cured_by_labels() -> None:
    # 11 of 50 wrong.
    found = more_labels(band(39, 11))
    assert found.families is None
    assert found.told == "its observed error .22 is above the target of .10: more labels do not help"
    assert "is the target" in more_labels(band(27, 3)).told


def test_nothing_selected_and_few_selected_are_told() -> None:
    assert "no row was selected" in more_labels(band(0, 0, others=30)).told
    assert "a rough guess from 5 selected rows" in more_labels(band(5, 0, others=30)).told
    assert more_labels(band(12, 0, others=12, method=BETTING)).told.startswith("at least about ")


def test_enough_labels_and_yet_no_certificate_is_told() -> None:
    scores = np.repeat([0.9, 0.5], [29, 300])
    wrong = np.arange(329) == 0
    found = more_labels(
        walk_path(
            scores,
            wrong,
            np.arange(329),
            (0.9, 0.5),
            0.1,
            0.05,
            method=ONE_ITEM,
            seed=0,
            largest_family=None,
            side="high",
        )
    )
    assert found.families is None and "a stricter threshold failed" in found.told
