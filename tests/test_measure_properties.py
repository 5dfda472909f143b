"""A closed world: every public metric of the package is declared, and what it declares is true.

Count metrics have more properties of their own, in test_measure_metrics.py.
"""

from __future__ import annotations

import inspect
import pkgutil
from collections.abc import Iterator
from dataclasses import fields
from importlib import import_module

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bench.measure
from bench.measure.probability import Decomposition
from bench.measure.properties import PROPERTIES, Properties

ALL = pytest.mark.parametrize("metric", PROPERTIES.values(), ids=PROPERTIES)
SEEDS = st.integers(0, 100_000)

# A function with one of these results is taken for a metric until it is named below.
FIGURES = {"Estimate", "Floats", "float", "float | None", "Fraction | None", "Calibration", "Decomposition | None"}
# Of other data than labels beside verdicts or probabilities; each is tested in its own file.
OTHER_KINDS = {
    "agreement",
    "categories",
    "certificate_power",
    "factor_levels",
    "latent",
    "passk",
    "power",
    "repeatability",
    "sensitivity",
    "variance",
    "variance_shares",
}
# The project's glue: figures of suites, made of the metrics.
GLUE = {
    "agreement_figures",
    "call_figures",
    "experiment_figures",
    "figures",
    "items",
    "judge_line",
    "pass_figures",
    "rows",
    "signature",
}
PUBLIC_NAMES = {"area": "risk_coverage_area"}
NOT_METRICS = {
    "calibration.norm_of": "the norm inside calibration_error",
    "calibration_null.own_correlation": "dependence of the null, no score of a judge",
    "compare.difference": "of two judges; its metric is in the table",
    "compare.mcnemar_mid_p": "a p-value",
    "estimate.undefined_estimate": "an estimate that does not exist",
    "inputs.finite_scores": "lets input in",
    "inputs.probabilities": "lets input in",
    "intervals.interval": "any count metric with its interval",
    "intervals.scarcest": "items in a margin",
    "label_noise.true_counts": "counts",
    "means.mean_interval": "any mean with its interval",
    "probability.decompose_brier": "its fields are in the table",
    "proportions.between_families": "a variance",
    "ranking.rank_interval": "any rank metric with its interval",
    "ranking.rank_value": "any rank metric",
    "ranking.weighted": "any rank metric over resamples",
    "resampling.draw": "resamples",
    "resampling.draw_again": "resamples that are kept",
    "resampling.expanded": "a level",
    "resampling.gradient": "a slope",
    "resampling.linearised_error": "a standard error",
}


def figure_functions() -> Iterator[str]:
    """module.function of everything public that gives a figure, outside glue and other kinds."""
    for found in pkgutil.iter_modules(bench.measure.__path__):
        if found.name in OTHER_KINDS | GLUE:
            continue
        module = import_module(f"bench.measure.{found.name}")
        for name, function in inspect.getmembers(module, inspect.isfunction):
            public = function.__module__ == module.__name__ and not name.startswith("_")
            if public and inspect.signature(function).return_annotation.lstrip("_") in FIGURES:
                yield f"{found.name}.{name}"


def test_every_public_metric_is_declared() -> None:
    unknown = {
        path
        for path in set(figure_functions()) - set(NOT_METRICS)
        if PUBLIC_NAMES.get(name := path.split(".")[1], name) not in PROPERTIES
    }
    assert unknown == set(), f"declare them in bench/measure/properties.py: {unknown}"


def test_nothing_is_excused_that_does_not_exist() -> None:
    assert set(NOT_METRICS) <= set(figure_functions())
    assert not {path.split(".")[1] for path in NOT_METRICS} & set(PROPERTIES)


def test_every_part_of_the_decomposition_is_declared() -> None:
    assert {f.name for f in fields(Decomposition)} - set(PROPERTIES) == {"within", "binning", "bins", "items"}


def data(seed: int, n: int = 90, digits: int = 6) -> tuple[np.ndarray, np.ndarray]:
    """Probabilities strictly inside 0 to 1 and off .5, with both labels and verdicts present."""
    generator = np.random.default_rng(seed)
    stated = np.clip(np.round(generator.beta(1.1, 1.3, n), digits), 0.01, 0.99)
    stated[stated == 0.5] = 0.51
    stated[:2] = 0.9, 0.1
    yes = generator.random(n) < stated
    yes[:4] = True, False, False, True
    return stated, yes


def same(a: float | None, b: float | None) -> bool:
    return a == b or (a is not None and b is not None and abs(a - b) < 1e-9)


@ALL
def test_declaration_is_complete(metric: Properties) -> None:
    assert metric.low < metric.high and len(metric.defined_when) > 5 and metric.order_invariant
    assert metric.swap_partner is None or metric.swap_partner in PROPERTIES
    assert metric.kind == "count" or not metric.symmetric


@ALL
@settings(max_examples=15, deadline=None)
@given(seed=SEEDS, digits=st.sampled_from([1, 6]))
def test_range(metric: Properties, seed: int, digits: int) -> None:
    value = metric.value(*data(seed, digits=digits))
    assert value is not None and metric.low - 1e-12 <= value <= metric.high + 1e-12


@ALL
@settings(max_examples=8, deadline=None)
@given(seed=SEEDS)
def test_row_order_changes_nothing(metric: Properties, seed: int) -> None:
    stated, yes = data(seed, digits=1)
    order = np.random.default_rng(seed).permutation(90)
    assert metric.value(stated, yes) == metric.value(stated[order], yes[order])


@ALL
@settings(max_examples=8, deadline=None)
@given(seed=SEEDS)
def test_yes_and_no_change_places(metric: Properties, seed: int) -> None:
    stated, yes = data(seed)
    turned = metric.value(1 - stated, ~yes)
    if metric.swap_partner is None:
        return
    partner = PROPERTIES[metric.swap_partner].value(stated, yes)
    assert same(turned, 1 - partner if metric.swap_complement and partner is not None else partner)


@pytest.mark.parametrize("name", [name for name, metric in PROPERTIES.items() if metric.swap_partner is None])
def test_a_partner_that_is_not_declared_does_not_exist(name: str) -> None:
    stated, yes = data(1)
    turned = PROPERTIES[name].value(1 - stated, ~yes)
    assert not any(same(turned, other.value(stated, yes)) for other in PROPERTIES.values())


@ALL
def test_better_is_where_the_direction_says(metric: Properties) -> None:
    generator = np.random.default_rng(3)
    yes = np.arange(200) % 2 == 0
    noise = generator.integers(0, 2, 200) * 0.05  # ties, so that bins hold more than one item
    good = np.where(yes, 0.85 + noise, 0.05 + noise)
    bad = np.where(generator.random(200) < 0.5, good, 1 - good)
    better, worse = metric.value(good, yes), metric.value(bad, yes)
    assert better is not None and worse is not None
    if metric.direction != "neither":
        assert (better > worse) == (metric.direction == "higher is better")


@ALL
def test_only_the_order_counts_where_it_is_said(metric: Properties) -> None:
    stated, yes = data(5)
    bent = metric.value(stated**3 / (stated**3 + (1 - stated) ** 3) * 0.9 + 0.02, yes)
    if metric.kind != "count" and metric.name != "risk_coverage_area":
        assert same(bent, metric.value(stated, yes)) == metric.by_order_only


@ALL
def test_undefined_is_no_number(metric: Properties) -> None:
    assert metric.value(np.array([]), np.array([], bool)) is None


ONE_CLASS = np.full(20, 0.3), np.zeros(20, bool)


@ALL
def test_one_class_leaves_undefined_what_needs_two(metric: Properties) -> None:
    needs_yes = "labelled yes" in metric.defined_when or "predicted yes" in metric.defined_when
    assert (metric.value(*ONE_CLASS) is None) == needs_yes


def test_certain_and_wrong_has_no_log_loss() -> None:
    assert PROPERTIES["log_loss"].value(np.array([0.0, 1.0]), np.array([True, True])) is None
