"""AUROC, average precision and the Brier score against scikit-learn, and their intervals."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import average_precision_score, brier_score_loss, roc_auc_score

from bench.measure.probability import brier
from bench.measure.ranking import RANK_METRICS, RankMetric, rank_interval, score_families, weighted

ALL = pytest.mark.parametrize("metric", RANK_METRICS.values(), ids=RANK_METRICS)
ORACLE = {"auroc": roc_auc_score, "average_precision": average_precision_score}


def data(seed: int, n: int = 90) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    generator = np.random.default_rng(seed)
    labels = generator.random(n) < 0.4
    scores = np.round(np.clip(generator.normal(0.4 + 0.2 * labels, 0.2), 0, 1), 1)  # rounded: many ties
    return scores, labels, np.arange(n) // 3


@ALL
@pytest.mark.parametrize("seed", range(5))
def test_value_is_that_of_scikit_learn(metric: RankMetric, seed: int) -> None:
    scores, labels, family = data(seed)
    found = rank_interval(metric, score_families(scores, labels, family), seed=1, resamples=50)
    assert found.value == pytest.approx(ORACLE[metric.name](labels, scores), abs=1e-9)


@ALL
def test_weights_are_those_of_scikit_learn(metric: RankMetric) -> None:
    scores, labels, _ = data(6)
    families = score_families(scores, labels, np.arange(90))
    drawn = np.random.default_rng(2).multinomial(90, families.multiplicity / 90)[None, :].astype(float)
    # scikit-learn weighs rows; our distinct rows come back through their level and label.
    levels = np.unique(scores)[families.level]
    expected = ORACLE[metric.name](families.yes, levels, sample_weight=drawn[0][families.family])
    assert weighted(metric.function, families, drawn)[0] == pytest.approx(expected, abs=1e-9)


@ALL
@settings(max_examples=10, deadline=None)
@given(seed=st.integers(0, 1000))
def test_row_order_and_names_change_nothing(metric: RankMetric, seed: int) -> None:
    scores, labels, family = data(seed)
    stratum = np.array(["p", "q"])[family % 2]
    order = np.random.default_rng(seed).permutation(90)
    renamed, restratum = np.array([f"f{(7 * f) % 30:02d}" for f in family]), np.array(["z", "a"])[family % 2]
    plain = rank_interval(metric, score_families(scores, labels, family, stratum), 3, 100)
    moved = score_families(scores[order], labels[order], renamed[order], restratum[order])
    assert plain == rank_interval(metric, moved, 3, 100)


@ALL
def test_interval_holds_the_value_and_lies_in_range(metric: RankMetric) -> None:
    found = rank_interval(metric, score_families(*data(8)), 1, 500)
    assert found.method == "BCa family bootstrap, expanded to t" and found.low is not None and found.high is not None
    assert found.value is not None and 0 <= found.low < found.value < found.high <= 1


@ALL
def test_a_perfect_ranking_is_not_certain(metric: RankMetric) -> None:
    labels = np.arange(40) < 20
    found = rank_interval(metric, score_families(labels.astype(float), labels, np.arange(40)), 1, 200)
    assert found.value == 1.0 and found.note is not None and "degenerate" in found.note
    assert found.low == pytest.approx(0.025 ** (1 / 20))  # 20 disjoint pairs, all right: Clopper-Pearson, closed form


def test_one_class() -> None:
    families = score_families([0.2, 0.3], [True, True], [1, 2])
    assert rank_interval(RANK_METRICS["auroc"], families, 1).undefined == "0 labelled no"
    assert rank_interval(RANK_METRICS["auroc"], score_families([], [], []), 1).undefined == (
        "0 labelled yes, 0 labelled no"
    )


def test_few_items_say_so() -> None:
    scores, labels, _ = data(9, n=12)
    assert rank_interval(RANK_METRICS["auroc"], score_families(scores, labels, np.arange(12)), 1).too_few


def test_scores_must_be_numbers() -> None:
    with pytest.raises(ValueError, match="finite"):
        score_families([0.1, float("nan")], [True, False], [1, 2])


def test_brier_is_that_of_scikit_learn() -> None:
    scores, labels, family = data(10)
    found = brier(scores, labels, family, seed=1, resamples=500)
    assert found.value == pytest.approx(brier_score_loss(labels, scores), abs=1e-9)
    assert found.low is not None and found.high is not None and found.low < found.high


def test_brier_without_items_or_with_a_wrong_probability() -> None:
    assert brier([], np.array([], bool), [], seed=1).undefined == "0 items"
    with pytest.raises(ValueError, match="between 0 and 1"):
        brier([1.2], [True], ["a"], seed=1)


def test_perfect_brier_is_not_certain() -> None:
    labels = np.arange(40) < 20
    found = brier(labels.astype(float), labels, np.arange(40), seed=1)
    assert found.value == 0.0 and found.high is not None and found.high > 0.05
