"""Variance components of crossed designs: published tables, other tools, closed forms, and what is undefined."""

from __future__ import annotations

from itertools import product
from math import prod

import numpy as np
import pandas as pd
import pytest
from statsmodels.formula.api import ols
from statsmodels.stats.anova import anova_lm

from bench.measure.factor_levels import factor_levels
from bench.measure.variance import HIGHER, ITEM, NOISE, SAMPLES, Crossed, Moments, crossed
from bench.measure.variance_shares import CARRIED, Breakdown, variance_breakdown

# Brennan 2001, Generalizability Theory, Synthetic Data Set No. 3 (10 persons x 2 occasions x 4 items).
BRENNAN = (
    ((2, 6, 7, 5), (2, 5, 5, 5)), ((4, 5, 6, 7), (6, 7, 5, 7)), ((5, 5, 4, 6), (5, 4, 5, 5)),
    ((5, 9, 8, 6), (5, 7, 7, 6)), ((4, 3, 5, 6), (4, 5, 6, 4)), ((4, 4, 4, 7), (6, 4, 7, 8)),
    ((2, 6, 6, 5), (2, 7, 7, 5)), ((3, 4, 4, 5), (6, 6, 6, 4)), ((0, 5, 4, 5), (5, 5, 5, 3)),
    ((6, 8, 7, 6), (6, 8, 8, 6)),
)  # fmt: skip


def draw(seed: int, items: int = 60, levels: tuple[int, ...] = (2, 3), samples: int = 3, size: int = 1) -> Crossed:
    """Items that differ, a first factor that matters, an interaction of it with items."""
    generator = np.random.default_rng(seed)
    shape = (items, *levels)
    first = np.linspace(-0.5, 0.5, levels[0]).reshape(1, -1, *[1] * (len(levels) - 1))
    lean = generator.normal(0.5, 1.5, items).reshape(-1, *[1] * len(levels)) + first + generator.normal(0, 1, shape)
    hits = generator.binomial(samples, 1 / (1 + np.exp(-lean)))
    return crossed(hits, samples, tuple("abc"[: len(levels)]), np.arange(items) // size)


def components(table: Crossed, moments: Moments | None = None) -> dict[str, float]:
    """By name, negative ones as they are."""
    moments = moments or Moments(table.levels, table.samples)
    values = moments.components(moments.family_vectors(table).totals())
    return {c.name: float(sum(values[part] for part in c.parts)) for c in moments.named(table.factors)}


def answers(table: Crossed) -> pd.DataFrame:
    """One row an answer."""
    rows = [
        (*place, int(sample < table.hits[place]))
        for place in product(*(range(size) for size in table.hits.shape))
        for sample in range(table.samples)
    ]
    return pd.DataFrame(rows, columns=["i", *table.factors, "y"])


def mean_squares(table: Crossed, formula: str) -> dict[str, float]:
    """statsmodels' mean squares, by letters of the effect; the residual under ``e``."""
    found = anova_lm(ols(formula, answers(table)).fit())["mean_sq"]
    return {
        name.replace("C(", "").replace(")", "").replace(":", "").replace("Residual", "e"): v
        for name, v in found.items()
    }


def test_brennan_synthetic_data_set_3() -> None:
    # Published, Brennan 2001, Table 3.2: p .5528, i .4417, o .0074, pi .5750, po .1009, io .1565, pio .9352.
    table = Crossed(np.array(BRENNAN), 1, ("o", "i"), np.arange(10))
    found = components(table)
    published = {
        ITEM: 0.5528, "o": 0.0074, "i": 0.4417, "o x i": 0.1565, "item x o": 0.1009, "item x i": 0.5750, NOISE: 0.9352,
    }  # fmt: skip
    assert {name: round(value, 4) for name, value in found.items()} == published


def test_one_factor_by_hand() -> None:
    # Four items, two levels, one sample: rows 11 10 10 00. Means: items 1 .5 .5 0, levels .75 .25, all .5.
    # SS item = 2 (.25 + 0 + 0 + .25) = 1, df 3; SS level = 4 (.0625 + .0625) = .5, df 1; SS rest = 2 - 1 - .5 = .5, df 3.
    # item = (1/3 - 1/6) / 2 = 1/12; level = (1/2 - 1/6) / 4 = 1/12; rest = 1/6.
    found = components(crossed([[1, 1], [1, 0], [1, 0], [0, 0]], 1, ("a",), range(4)))
    assert found == pytest.approx({ITEM: 1 / 12, "a": 1 / 12, NOISE: 1 / 6})


@pytest.mark.parametrize("seed", range(3))
def test_one_factor_against_anova(seed: int) -> None:
    table = draw(seed, items=12, levels=(3,), samples=2)
    m = mean_squares(table, "y ~ C(i) * C(a)")
    expected = {
        ITEM: (m["i"] - m["ia"]) / (2 * 3),
        "a": (m["a"] - m["ia"]) / (2 * 12),
        "item x a": (m["ia"] - m["e"]) / 2,
        SAMPLES: m["e"],
    }
    assert components(table) == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("seed", range(3))
def test_two_factors_against_anova(seed: int) -> None:
    n, a, b, r = 8, 2, 3, 3
    table = draw(seed, n, (a, b), r)
    m = mean_squares(table, "y ~ C(i) * C(a) * C(b)")
    expected = {
        ITEM: (m["i"] - m["ia"] - m["ib"] + m["iab"]) / (r * a * b),
        "a": (m["a"] - m["ia"] - m["ab"] + m["iab"]) / (r * n * b),
        "b": (m["b"] - m["ib"] - m["ab"] + m["iab"]) / (r * n * a),
        "a x b": (m["ab"] - m["iab"]) / (r * n),
        "item x a": (m["ia"] - m["iab"]) / (r * b),
        "item x b": (m["ib"] - m["iab"]) / (r * a),
        HIGHER: (m["iab"] - m["e"]) / r,
        SAMPLES: m["e"],
    }
    assert components(table) == pytest.approx(expected, abs=1e-9)


def test_three_factors_of_one_sample_add_up_to_what_anova_says() -> None:
    # Higher orders and noise are one sum: a x b x c, every item x pair, and item x all three (statsmodels' residual).
    n, (a, b, c) = 6, (2, 2, 2)
    table = draw(5, n, (a, b, c), 1)
    m = mean_squares(table, "y ~ (C(i) + C(a) + C(b) + C(c)) ** 3")
    pairs = {"iab": c, "iac": b, "ibc": a}
    expected = (m["abc"] - m["e"]) / n + sum((m[name] - m["e"]) / size for name, size in pairs.items()) + m["e"]
    assert components(table)[NOISE] == pytest.approx(expected, abs=1e-9)


def test_pairs_within_a_family_say_nothing_about_a_factor() -> None:
    # Two families of two equal items: one likes level 1, the other level 2. By rows the level means agree by luck;
    # items as units would put -1/6 there (MS 0 less MS 2/3, over 4). Between families, answers to one level have the mean
    # product 0 and those to any two levels 1/4, so the component is 2 (0 - 1/4).
    table = crossed([[1, 0], [1, 0], [0, 1], [0, 1]], 1, ("a",), ["x", "x", "y", "y"])
    assert components(table)["a"] == pytest.approx(-0.5)
    assert components(crossed(table.hits, 1, ("a",), range(4)))["a"] == pytest.approx(-1 / 6)


def shares(found: Breakdown) -> dict[str, tuple[float | None, float | None, float | None]]:
    return {s.component.name: (s.share.value, s.share.low, s.share.high) for s in found.shares}


def test_neither_the_order_of_rows_nor_names_change_a_digit() -> None:
    table = draw(1, size=2)
    order = np.random.default_rng(2).permutation(60)
    names = np.array([f"family {97 - family}" for family in table.families])
    turned = crossed(table.hits[order], 3, ("x", "y"), names[order])
    first, second = variance_breakdown(table, 1, 300), variance_breakdown(turned, 1, 300)
    assert list(shares(first).values()) == list(shares(second).values())
    assert factor_levels(table, 0, 1, 300) == factor_levels(turned, 0, 1, 300)


def test_levels_may_change_places() -> None:
    table = draw(3)
    turned = crossed(table.hits[:, ::-1], 3, table.factors, table.families)
    assert components(table) == pytest.approx(components(turned), abs=1e-12)
    swapped = crossed(table.hits.transpose(0, 2, 1), 3, ("b", "a"), table.families)
    found = {name.replace("b x a", "a x b"): value for name, value in components(swapped).items()}
    assert components(table) == pytest.approx(found, abs=1e-12)


def test_yes_and_no_may_change_places() -> None:
    table = draw(4)
    assert components(table) == pytest.approx(
        components(crossed(3 - table.hits, 3, table.factors, table.families)), abs=1e-12
    )


def test_shares_add_to_one_and_lie_in_their_intervals() -> None:
    found = variance_breakdown(draw(6, size=2), 1, 400)
    assert sum(share.share.value or 0 for share in found.shares) == pytest.approx(1)
    assert sum(share.variance or 0 for share in found.shares) == pytest.approx(found.total)
    for share in found.shares:
        value, low, high = share.share.value, share.share.low, share.share.high
        assert value is not None and low is not None and high is not None
        assert 0 <= low <= value <= high <= 1 and high > low


def test_a_negative_estimate_counts_as_none_and_says_so() -> None:
    hits = [[1, 0], [0, 1]] * 20  # the levels' means agree, items do not: less than chance would give
    found = {s.component.name: s for s in variance_breakdown(crossed(hits, 1, ("a",), range(40)), 1, 200).shares}
    # MS a 0, MS rest 20 / 39: a = -(20 / 39) / 40; MS item 0: item = -(20 / 39) / 2.
    assert found["a"].negative and found[ITEM].negative and not found[NOISE].negative
    assert found["a"].variance == 0 and found["a"].share.value == 0 and found[NOISE].share.value == 1
    assert found["a"].share.high is not None and found["a"].share.high > 0


@pytest.mark.parametrize("hit", [0, 3])
def test_no_spread_at_all_is_undefined(hit: int) -> None:
    found = variance_breakdown(crossed(np.full((30, 2), hit), 3, ("a",), range(30)), 1, 200)
    assert found.undefined == "every answer is the same: there is no spread" and found.total is None
    assert all(s.share.value is None and s.share.undefined == found.undefined for s in found.shares)


@pytest.mark.parametrize("items", [0, 5])
def test_one_family_is_undefined(items: int) -> None:
    hits = np.arange(items * 2).reshape(items, 2) % 2
    found = variance_breakdown(crossed(hits, 1, ("a",), ["x"] * items), 1, 200)
    assert found.undefined is not None and "2 are needed" in found.undefined


def test_judges_that_never_differ_are_no_proof_that_they_never_would() -> None:
    hits = np.repeat(np.arange(40) % 4 > 0, 2).reshape(40, 2) * 3
    found = {s.component.name: s for s in variance_breakdown(crossed(hits, 3, ("a",), range(40)), 1, 200).shares}
    assert found[ITEM].share.value == 1 and found[SAMPLES].share.value == 0
    # Clopper-Pearson of 0 of 40, u: answers within cells vary by at most 3 / 8 u (three samples), and all that differs
    # within an item by at most u / 2 (two levels), beside the items' own variance 7.5 / 39.
    u, own = 1 - 0.025 ** (1 / 40), 7.5 / 39
    assert found[SAMPLES].share.high == pytest.approx(3 / 8 * u / own)
    assert found[ITEM].share.low == pytest.approx(1 - u / 2 / own)
    assert {s.share.method for s in found.values()} == {CARRIED}
    assert all("bound" in (s.share.note or "") for s in found.values())


def test_few_families_have_no_interval() -> None:
    table = draw(1, items=4)
    assert all(s.share.low is None and s.share.too_few for s in variance_breakdown(table, 1, 200).shares)
    rare = crossed(np.array([[0, 1]] * 3 + [[1, 1]] * 57), 1, ("a",), range(60))
    assert all(s.share.low is None and s.share.too_few for s in variance_breakdown(rare, 1, 200).shares)


def test_levels_by_hand() -> None:
    table = crossed([[[3, 1], [0, 0]], [[3, 3], [2, 0]]] * 20, 3, ("a", "b"), range(40))
    found = factor_levels(table, 0, 1, 300)
    # Level 1: (4 + 6) / 12; level 2: (0 + 2) / 12.
    assert [mean.value for mean in found.means] == pytest.approx([10 / 12, 2 / 12])
    assert found.range.value == pytest.approx(8 / 12)
    low, high = found.range.low, found.range.high
    assert low is not None and high is not None and 0 < low < 8 / 12 <= high <= 1


def test_the_range_of_three_levels_is_wider_than_that_of_two() -> None:
    hits = draw(8, levels=(3,)).hits
    three = factor_levels(crossed(hits, 3, ("a",), range(60)), 0, 1, 500).range
    ends = np.argsort(hits.sum(axis=0))[[0, 2]]
    two = factor_levels(crossed(hits[:, ends], 3, ("a",), range(60)), 0, 1, 500).range
    assert three.value == pytest.approx(two.value) and "3 pairs" in three.method
    assert three.low is not None and two.low is not None and three.low <= two.low


def test_levels_that_are_equal_have_a_range_that_reaches_up_from_nothing() -> None:
    found = factor_levels(crossed([[1, 1], [0, 0]] * 20, 1, ("a",), range(40)), 0, 1, 200).range
    assert found.value == 0 and found.low == 0
    assert found.high == pytest.approx(1 - 0.025 ** (1 / 40))  # Clopper-Pearson of 0 of 40


@pytest.mark.parametrize(
    ("hits", "samples", "factors", "families", "error", "text"),
    [
        ([[4, 0]], 3, ("a",), ["x"], ValueError, "3 samples"),
        ([[0.5, 0]], 3, ("a",), ["x"], TypeError, "whole"),
        ([[1], [0]], 3, ("a",), ["x", "y"], ValueError, "two levels"),
        ([[1, 1]], 3, ("a", "b"), ["x"], ValueError, "two levels"),
        ([[1, 1]], 3, ("a",), [], ValueError, "one family an item"),
    ],
)
def test_impossible_tables(
    hits: object, samples: int, factors: tuple[str, ...], families: list[str], error: type[Exception], text: str
) -> None:
    with pytest.raises(error, match=text):
        crossed(hits, samples, factors, families)  # type: ignore[arg-type]


def test_what_is_told_adds_up_every_computed_component_once() -> None:
    for levels, samples in (((2,), 1), ((2,), 3), ((2, 3), 1), ((2, 3), 3), ((2, 2, 2), 1), ((2, 2, 3, 2), 2)):
        moments = Moments(levels, samples)
        parts = [part for c in moments.named(tuple("abcd"[: len(levels)])) for part in c.parts]
        whole = 2 * 2 ** len(levels) - 1 + (samples > 1)
        assert sorted(parts) == list(range(whole)), (levels, samples)
        assert prod(levels) == Crossed(np.zeros((1, *levels), int), samples, (), np.array(["x"])).cells
