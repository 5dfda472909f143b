"""Sensitivity to wrong labels, against simulated labels whose errors are known."""

from __future__ import annotations

import numpy as np
import pytest

from bench.measure.counts import count_families
from bench.measure.label_noise import LABEL_ERRORS, NoiseModel, label_noise_table, noisy_value, true_counts
from bench.measure.metrics import METRICS

MODELS: tuple[NoiseModel, ...] = ("independent", "shared")


def simulated(model: NoiseModel, error: float, n: int = 400_000) -> tuple[np.ndarray, np.ndarray]:
    """(counts against the truth, counts against labels of which a share is wrong)."""
    generator = np.random.default_rng(int(error * 100))
    truth = generator.random(n) < 0.3
    verdicts = np.where(generator.random(n) < np.where(truth, 0.8, 0.9), truth, ~truth)
    wrong = generator.random(n) < error
    labels = truth ^ wrong
    if model == "shared":
        verdicts = np.where(wrong, labels, verdicts)
    one = np.arange(n)
    return count_families(truth, verdicts, one).totals(), count_families(labels, verdicts, one).totals()


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("error", LABEL_ERRORS)
def test_expected_counts_are_those_of_a_simulation(model: NoiseModel, error: float) -> None:
    true, labelled = simulated(model, error)
    # Four Monte-Carlo errors of a cell of 400,000 items.
    assert true_counts(labelled, error, model) == pytest.approx(true, abs=4 * 0.5 * 400_000**0.5)


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("name", ["precision", "recall", "f1", "accuracy", "mcc"])
def test_values_are_those_of_a_simulation(model: NoiseModel, name: str) -> None:
    true, labelled = simulated(model, 0.1)
    found = noisy_value(METRICS[name], labelled, 0.1, model)
    assert found.value == pytest.approx(float(METRICS[name].values(true)), abs=0.005)


def test_by_hand() -> None:
    # 40 5 10 45, e = .1. Independent: tp = (.9 * 40 - .1 * 5) / .8 = 44.375, fn = (.9 * 10 - .1 * 45) / .8 = 5.625.
    # Shared: true yes = (50 - 10) / .8 = 50; 5 of tp are fp, 5 of tn are fn.
    counts = np.array([40.0, 5, 10, 45])
    assert true_counts(counts, 0.1, "independent") == pytest.approx([44.375, 0.625, 5.625, 49.375])
    assert true_counts(counts, 0.1, "shared") == pytest.approx([35, 10, 15, 40])


@pytest.mark.parametrize("model", MODELS)
def test_no_error_changes_nothing_and_the_sum_stays(model: NoiseModel) -> None:
    counts = np.random.default_rng(1).integers(1, 50, (20, 4)).astype(float)
    assert true_counts(counts, 0.0, model) == pytest.approx(counts)
    assert true_counts(counts, 0.07, model).sum(axis=1) == pytest.approx(counts.sum(axis=1))


def test_shared_errors_make_a_judge_look_better_than_it_is() -> None:
    table = label_noise_table(np.array([40.0, 5, 10, 45]))
    assert len(table) == 5 * 4 * 2
    by = {(row.metric, row.error, row.model): row.value for row in table}
    for name in ("precision", "recall", "f1", "accuracy", "mcc"):
        plain, shared, independent = (
            by[name, *key] for key in ((0.0, "shared"), (0.1, "shared"), (0.1, "independent"))
        )
        assert shared is not None and plain is not None and independent is not None
        assert shared < plain < independent and by[name, 0.0, "independent"] == plain


def test_an_error_that_cannot_be_gives_no_number() -> None:
    found = noisy_value(METRICS["accuracy"], np.array([50.0, 0, 0, 50]), 0.05, "independent")
    assert found.value is None and found.undefined is not None
    assert found.undefined == "labels cannot be that wrong: fp would be -2.8, fn would be -2.8"
    assert (
        noisy_value(METRICS["precision"], np.array([0.0, 0, 5, 5]), 0.05, "independent").undefined == "0 predicted yes"
    )
    with pytest.raises(ValueError, match=r"\[0, .5\)"):
        true_counts(np.ones(4), 0.5, "shared")
