"""The table of count metrics: values from other tools, and properties every declared metric must have."""

from __future__ import annotations

import inspect
import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn import metrics as oracle

from bench.measure import metrics as module
from bench.measure.counts import count_families
from bench.measure.metrics import METRICS, Metric

SHARED = Path(__file__).parents[2] / "shared" / "data"
ALL = pytest.mark.parametrize("metric", METRICS.values(), ids=METRICS)
CELLS = st.tuples(*[st.integers(0, 40)] * 4).map(lambda cells: np.array(cells, float))
EXCHANGED = [0, 2, 1, 3]  # labels and verdicts change places: fp <-> fn
INVERTED = [3, 2, 1, 0]  # yes and no change places: tp <-> tn, fp <-> fn


def same(a: float, b: float) -> bool:
    return bool((np.isnan(a) and np.isnan(b)) or abs(a - b) < 1e-12)


def rows(cells: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    times = cells.astype(int)
    return np.repeat([True, False, True, False], times), np.repeat([True, True, False, False], times)


# Names of the same quantity in scikit-learn 1.x.
SKLEARN = {
    "precision": oracle.precision_score,
    "recall": oracle.recall_score,
    "specificity": lambda y, v: oracle.recall_score(y, v, pos_label=False),
    "npv": lambda y, v: oracle.precision_score(y, v, pos_label=False),
    "accuracy": oracle.accuracy_score,
    "prevalence": lambda y, v: float(np.mean(y)),
    "predicted_yes_rate": lambda y, v: float(np.mean(v)),
    "f1": oracle.f1_score,
    "balanced_accuracy": oracle.balanced_accuracy_score,
    "mcc": oracle.matthews_corrcoef,
    "cohen_kappa": oracle.cohen_kappa_score,
}


@pytest.mark.parametrize("name", SKLEARN)
def test_value_is_that_of_scikit_learn(name: str) -> None:
    generator = np.random.default_rng(7)
    for _ in range(20):
        y = generator.random(80) < generator.uniform(0.2, 0.8)
        v = np.where(generator.random(80) < 0.7, y, generator.random(80) < 0.5)
        got = float(METRICS[name].values(count_families(y, v, np.arange(80)).totals()))
        assert got == pytest.approx(SKLEARN[name](y, v), abs=1e-9)


def test_gwet_ac1_is_that_of_the_published_example() -> None:
    # Gwet 2008, table 2 and p. 35 (also irrCAC's documentation): 118 yes/yes, 5 no/yes, 2 yes/no, 0 no/no: AC1 .9408.
    assert float(METRICS["gwet_ac1"].values(np.array([118.0, 5.0, 2.0, 0.0]))) == pytest.approx(0.9408, abs=5e-5)


def test_finley_1884() -> None:
    path = SHARED / "tiny_published_scores" / "finley_1884.json"
    if not path.exists():
        pytest.skip("../shared/data is not beside this repository")
    table = json.loads(path.read_text())
    cells = np.array([table["hits"], table["false_alarms"], table["misses"], table["correct_negatives"]], float)
    value = {name: float(metric.values(cells)) for name, metric in METRICS.items()}
    published = table["published"]
    assert round(100 * value["accuracy"], 1) == published["accuracy_pct"]
    assert round(100 * (1 - value["prevalence"]), 1) == published["always_no_accuracy_pct"]
    assert round(100 * (1 - value["precision"])) == published["false_alarm_ratio_pct"]
    assert round(100 * (value["recall"] + value["specificity"] - 1)) == published["hanssen_kuipers_pct"]
    assert round(value["cohen_kappa"], 3) == 0.355  # Heidke skill score, SOURCE.md


def test_every_count_function_is_declared() -> None:
    functions = {
        name
        for name, found in inspect.getmembers(module, inspect.isfunction)
        if found.__module__ == module.__name__ and not name.startswith("_") and name != "share"
    }
    declared = {metric.function.__name__ for metric in METRICS.values()}
    assert functions <= declared, f"not in METRICS: {functions - declared}"


@ALL
def test_declaration_is_complete(metric: Metric) -> None:
    for text in (metric.sentence, metric.formula, metric.reference, metric.confused_with, metric.defined_when):
        assert len(text) > 5
    for partner in (metric.exchange_partner, metric.polarity_partner):
        assert partner is None or partner in METRICS
    assert metric.needs and metric.parts and metric.low < metric.high


@ALL
@given(cells=CELLS)
def test_range_and_reason(metric: Metric, cells: np.ndarray) -> None:
    value = float(metric.values(cells))
    assert np.isnan(value) == (metric.why_undefined(cells) is not None)
    assert np.isnan(value) or metric.low <= value <= metric.high


@ALL
@given(cells=CELLS)
def test_labels_and_verdicts_change_places(metric: Metric, cells: np.ndarray) -> None:
    if metric.exchange_partner is not None:
        assert same(float(metric.values(cells[EXCHANGED])), float(METRICS[metric.exchange_partner].values(cells)))


@ALL
@given(cells=CELLS)
def test_yes_and_no_change_places(metric: Metric, cells: np.ndarray) -> None:
    if metric.polarity_partner is not None:
        partner = float(METRICS[metric.polarity_partner].values(cells))
        assert same(float(metric.values(cells[INVERTED])), 1 - partner if metric.polarity_complement else partner)


@pytest.mark.parametrize("name", [name for name, metric in METRICS.items() if metric.exchange_partner is None])
def test_undeclared_symmetry_does_not_exist(name: str) -> None:
    cells = np.array([30.0, 4.0, 9.0, 20.0])
    swapped = float(METRICS[name].values(cells[EXCHANGED]))
    assert not any(same(swapped, float(other.values(cells))) for other in METRICS.values())


@ALL
@given(cells=CELLS, times=st.integers(2, 5))
def test_duplicates_do_not_move_the_value(metric: Metric, cells: np.ndarray, times: int) -> None:
    assert same(float(metric.values(cells * times)), float(metric.values(cells)))


@ALL
@given(cells=CELLS)
def test_composed_from_its_parts(metric: Metric, cells: np.ndarray) -> None:
    if metric.why_undefined(cells) is None:
        parts = [float(cells[list(p.numerator)].sum() / p.margin.size(cells)) for p in metric.parts]
        assert metric.compose(cells, parts) == pytest.approx(float(metric.values(cells)), abs=1e-9)


@ALL
@settings(max_examples=20)
@given(table=st.lists(CELLS, min_size=1, max_size=5))
def test_vectorised_over_leading_axes(metric: Metric, table: list[np.ndarray]) -> None:
    many = metric.values(np.array([table, table]))
    assert many.shape == (2, len(table))
    assert all(same(float(many[1, i]), float(metric.values(cells))) for i, cells in enumerate(table))


@pytest.mark.parametrize(
    ("cells", "name", "reason"),
    [
        ((0, 0, 3, 4), "precision", "0 predicted yes"),
        ((0, 3, 0, 4), "recall", "0 labelled yes"),
        ((3, 0, 4, 0), "specificity", "0 labelled no"),
        ((3, 4, 0, 0), "npv", "0 predicted no"),
        ((0, 0, 0, 9), "f1", "0 labelled or predicted yes"),
        ((9, 0, 0, 0), "cohen_kappa", "0 labelled no, 0 predicted no"),
        ((9, 0, 0, 0), "mcc", "0 labelled no, 0 predicted no"),
        ((5, 0, 4, 0), "balanced_accuracy", "0 labelled no"),
        ((0, 0, 0, 0), "accuracy", "0 items"),
    ],
)
def test_undefined_with_its_reason(cells: tuple[int, ...], name: str, reason: str) -> None:
    assert METRICS[name].why_undefined(np.array(cells, float)) == reason
    assert np.isnan(float(METRICS[name].values(np.array(cells, float))))


def test_mcc_of_many_rows_does_not_overflow() -> None:
    # Closed form: a diagonal table has MCC 1 at any size.
    assert float(METRICS["mcc"].values(np.array([1e12, 0.0, 0.0, 1e12]))) == pytest.approx(1.0)
