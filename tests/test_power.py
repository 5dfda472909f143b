"""How many items it takes: published tables, other tools, brute force, and the tests that will be used later."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.proportion import proportion_confint

from bench.measure.certificate_power import (
    certificate_chance,
    errors_allowed,
    labels_for_certificate,
    labels_for_selected,
    rows_for_certificate,
)
from bench.measure.compare import mcnemar_mid_p
from bench.measure.power import (
    design_effect,
    difference_at_best,
    families_for_half_width,
    half_width,
    items_for_difference,
    items_for_difference_approximately,
    items_for_half_width,
    least_discordant,
    paired_power,
    smallest_difference,
)

# --- a proportion ---


@pytest.mark.parametrize(("hits", "items"), [(5, 10), (8, 16), (0, 30), (3, 40), (95, 100), (700, 1000)])
@pytest.mark.parametrize("level", [0.9, 0.95])
def test_half_width_is_statsmodels_wilson(hits: int, items: int, level: float) -> None:
    low, high = proportion_confint(hits, items, alpha=1 - level, method="wilson")
    assert half_width(items, hits / items, level=level) == pytest.approx((high - low) / 2, abs=1e-12)


@pytest.mark.parametrize("share", [0.0, 0.02, 0.1, 0.5, 0.9, 1.0])
@pytest.mark.parametrize("wanted", [0.02, 0.05, 0.1, 0.2])
def test_items_for_a_half_width_are_the_fewest(share: float, wanted: float) -> None:
    items = items_for_half_width(wanted, share)
    assert half_width(items, share) <= wanted < half_width(items - 1, share)


def test_items_at_one_half_have_the_closed_form() -> None:
    # Piegorsch 2004, Comput. Stat. Data Anal. 46:309: z^2 (1 / 4h^2 - 1); 1.959964^2 x 24 = 92.2, x 99 = 380.3.
    assert (items_for_half_width(0.1), items_for_half_width(0.05)) == (93, 381)


def test_the_design_effect_multiplies_items() -> None:
    assert design_effect(4, 0.0) == 1
    assert design_effect(4, 1.0) == 4
    # Kish 1965, sec. 5.4: 1 + (20 - 1) 0.05 = 1.95.
    assert design_effect(20, 0.05) == pytest.approx(1.95)
    assert half_width(400, design=4.0) == half_width(100)
    assert items_for_half_width(0.1, design=2.0) == 185  # 2 x 92.2


def test_few_families_cost_a_t_quantile() -> None:
    assert half_width(16, families=16) > half_width(16)
    families = families_for_half_width(0.1)
    assert items_for_half_width(0.1) <= families <= items_for_half_width(0.1) + 5
    assert half_width(families, families=families) <= 0.1 < half_width(families - 1, families=families - 1)


@pytest.mark.parametrize("wrong", [{"wanted": 0.0}, {"wanted": 0.5}, {"wanted": 0.1, "share": 1.1}])
def test_what_is_no_plan_is_refused(wrong: dict[str, float]) -> None:
    with pytest.raises(ValueError, match="wanted"):
        items_for_half_width(**wrong)
    with pytest.raises(ValueError, match="wanted more than 0"):
        half_width(0)


# --- a paired difference ---


def test_the_approximation_is_connors() -> None:
    # p01 = .45, p10 = .05, power .8: 23 pairs. powerandsamplesize.com, after Connor 1987, Biometrics 43:207, p. 209;
    # and 22.0 when rounded in MESS, tests/testthat/test_power_mcnemar_test.R.
    found = items_for_difference_approximately(0.4, 0.5)
    assert (round(found), int(np.ceil(found))) == (22, 23)


@pytest.mark.parametrize(
    ("items", "difference", "discordance"), [(16, 0.3, 0.5), (40, 0.2, 0.2), (60, 0.1, 0.3), (144, 0.2, 0.7)]
)
def test_power_is_the_sum_over_all_outcomes(items: int, difference: float, discordance: float) -> None:
    better, worse = (discordance + difference) / 2, (discordance - difference) / 2
    total = 0.0
    for a in range(items + 1):
        for b in range(items + 1 - a):
            if mcnemar_mid_p(a, b) <= 0.05:
                total += float(stats.multinomial.pmf([a, b, items - a - b], items, [better, worse, 1 - better - worse]))
    assert paired_power(items, difference, discordance) == pytest.approx(total, abs=1e-9)


@pytest.mark.parametrize("n", [1, 4, 5, 6, 30, 199, 1000])
def test_no_difference_is_found_about_as_often_as_promised(n: int) -> None:
    assert paired_power(n, 1e-9, 0.5) <= 0.055  # mid-p may exceed .05 a little (Fagerland et al. 2013)


@pytest.mark.parametrize(("difference", "discordance"), [(0.1, 0.2), (0.2, 0.3), (0.3, 0.3), (0.15, 0.5)])
def test_items_for_a_difference_are_the_first_by_brute_force(difference: float, discordance: float) -> None:
    found = items_for_difference(difference, discordance)
    powers = [paired_power(n, difference, discordance) for n in range(1, 260)]
    assert found == next(n for n, power in enumerate(powers, 1) if power >= 0.8)
    assert found == pytest.approx(items_for_difference_approximately(difference, discordance), abs=6)


@pytest.mark.parametrize(("items", "discordance"), [(60, 0.2), (152, 0.2), (400, 0.3)])
def test_the_smallest_difference_has_the_wanted_power(items: int, discordance: float) -> None:
    found = smallest_difference(items, discordance)
    assert found is not None
    assert paired_power(items, found, discordance) == pytest.approx(0.8, abs=1e-6)


def test_too_few_items_show_no_difference() -> None:
    assert smallest_difference(16, 0.2) is None
    assert smallest_difference(0, 0.2) is None
    assert difference_at_best(4) is None
    assert items_for_difference(0.001, 0.2) is None


def test_five_discordant_items_are_the_least() -> None:
    # 2^-5 = .031 is the first power of one half under .05.
    assert least_discordant() == 5
    assert mcnemar_mid_p(5, 0) <= 0.05 < mcnemar_mid_p(4, 0)


@pytest.mark.parametrize("items", [6, 16, 60])
def test_at_best_every_discordant_item_favours_the_better(items: int) -> None:
    found = difference_at_best(items)
    assert found is not None
    assert stats.binom.sf(4, items, found) == pytest.approx(0.8, abs=1e-9)
    assert paired_power(items, found, found) == pytest.approx(0.8, abs=1e-9)


@pytest.mark.parametrize(("difference", "discordance"), [(0.3, 0.2), (0.0, 0.2), (0.1, 1.1)])
def test_a_difference_above_the_discordance_is_refused(difference: float, discordance: float) -> None:
    with pytest.raises(ValueError, match="difference <= discordance"):
        items_for_difference(difference, discordance)


# --- a certificate ---


@pytest.mark.parametrize(
    ("target", "published"),
    [
        # 95 % confidence, 90 % conforming: MIL-HDBK-17 / CMH-17-1G, B-basis sample sizes by rank.
        (0.10, [29, 46, 61, 76, 89, 103]),
        # 95/95: Wilks 1941, Ann. Math. Stat. 12:91; as tabled by Guba, Makai and Pal 2003, Reliab. Eng. Syst. Saf. 80:217.
        (0.05, [59, 93, 124, 153, 181, 208]),
    ],
)
def test_rows_are_those_of_published_tables(target: float, published: list[int]) -> None:
    assert [rows_for_certificate(errors, target, 0.05) for errors in range(6)] == published


@pytest.mark.parametrize("errors", [0, 1, 2, 7, 30])
@pytest.mark.parametrize("target", [0.01, 0.1, 0.2, 0.5])
@pytest.mark.parametrize("delta", [0.025, 0.05, 0.1])
def test_rows_are_the_fewest_by_clopper_pearson(errors: int, target: float, delta: float) -> None:
    rows = rows_for_certificate(errors, target, delta)
    bounds = [stats.beta.ppf(1 - delta, errors + 1, n - errors) if n > errors else 1.0 for n in (rows, rows - 1)]
    assert bounds[0] <= target < bounds[1]
    assert stats.binom.cdf(errors, rows, target) <= delta < stats.binom.cdf(errors, rows - 1, target)


def test_errors_allowed_is_the_inverse() -> None:
    assert [errors_allowed(n, 0.1, 0.05) for n in (0, 28, 29, 45, 46, 61, 103)] == [None, None, 0, 0, 1, 2, 5]


@pytest.mark.parametrize(("selected", "selection"), [(29, 0.5), (29, 0.1), (14, 1.0)])
def test_labels_for_selected_rows(selected: int, selection: float) -> None:
    found = labels_for_selected(selected, selection)
    assert found is not None
    assert stats.binom.sf(selected - 1, found, selection) >= 0.8
    assert found == selected or stats.binom.sf(selected - 1, found - 1, selection) < 0.8
    assert labels_for_selected(29, 0.0) is None


@pytest.mark.parametrize("labels", [20, 60, 100])
def test_the_chance_of_a_certificate_is_the_sum_over_all_outcomes(labels: int) -> None:
    total = 0.0
    for selected in range(labels + 1):
        for errors in range(selected + 1):
            if stats.binom.cdf(errors, selected, 0.1) <= 0.05:
                total += float(stats.binom.pmf(selected, labels, 0.6) * stats.binom.pmf(errors, selected, 0.03))
    assert certificate_chance(labels, 0.6, 0.03, 0.1, 0.05) == pytest.approx(total, abs=1e-9)


@pytest.mark.parametrize("labels", [29, 46, 100, 1000])
def test_a_judge_at_the_target_is_certified_at_most_as_often_as_delta(labels: int) -> None:
    assert certificate_chance(labels, 0.7, 0.1, 0.1, 0.05) <= 0.05


@pytest.mark.parametrize(
    ("selection", "wrong", "target"), [(0.5, 0.02, 0.1), (1.0, 0.02, 0.1), (0.3, 0.01, 0.2), (1.0, 0.0, 0.1)]
)
def test_labels_for_a_certificate_are_the_first_by_brute_force(selection: float, wrong: float, target: float) -> None:
    found = labels_for_certificate(selection, wrong, target, 0.05)
    chances = [certificate_chance(n, selection, wrong, target, 0.05) for n in range(1, 260)]
    assert found == next(n for n, chance in enumerate(chances, 1) if chance >= 0.8)


def test_no_number_of_labels_certifies_a_judge_that_is_wrong_too_often() -> None:
    assert labels_for_certificate(0.5, 0.1, 0.1, 0.05) is None
    with pytest.raises(ValueError, match="0 or more"):
        rows_for_certificate(-1, 0.1, 0.05)
    with pytest.raises(ValueError, match="target"):
        rows_for_certificate(0, 0.0, 0.05)
