"""Which calibrator is kept: the rule of one standard error, folds of whole families, and what is refused."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss as sklearn_log_loss

from bench.certifying.fitting import AGAINST, apply_map
from bench.certifying.recalibration import FEWEST_ROWS, FLEXIBLE_FROM, Recalibration, fit_calibrator
from bench.certifying.reliability import before_and_after
from bench.deciding.calibrator import logit
from bench.measure.counts import Floats
from bench.measure.inputs import Truths
from bench.problems import CannotDecide


def drawn(seed: int, rows: int, sharpness: float = 1.0, shift: float = 0.0) -> tuple[Floats, Truths]:
    """A judge that states sigmoid(sharpness x + shift) where yes has the chance sigmoid(x)."""
    generator = np.random.default_rng(seed)
    x = generator.normal(0, 1.5, rows)
    return 1 / (1 + np.exp(-(sharpness * x + shift))), generator.random(rows) < 1 / (1 + np.exp(-x))


def fitted(sample: int, rows: int, sharpness: float = 1.0, shift: float = 0.0, **options: object) -> Recalibration:
    values, yes = drawn(sample, rows, sharpness, shift)
    return fit_calibrator(values, yes, np.arange(rows), **{"seed": 1, **options})


def of(found: Recalibration, kind: str) -> tuple[float | None, float | None, float | None, str | None]:
    one = next(candidate for candidate in found.candidates if candidate.kind == kind)
    return one.log_loss, one.gain, one.error, one.why_not


# --- the choice ---


def test_a_calibrated_judge_keeps_none() -> None:
    found = fitted(1, 60)
    assert found.calibrator.kind == "none"
    assert "none is kept" in found.sentence
    assert found.before == found.out_of_fold


def test_an_overconfident_judge_keeps_a_temperature() -> None:
    found = fitted(1, 200, sharpness=3.0)
    assert found.calibrator.kind == "temperature"
    assert 2 < found.calibrator.parameters[0] < 4
    assert of(found, "platt")[3] == "not more than one standard error better than temperature, which is simpler"
    assert of(found, "none")[3] == "temperature gains more than one standard error"


def test_a_shifted_judge_keeps_platt_and_says_why_not_temperature() -> None:
    found = fitted(1, 200, shift=2.0)
    assert found.calibrator.kind == "platt"
    assert of(found, "temperature")[3] in (
        "platt is better by more than one standard error",
        "the gain is not more than one standard error",
        "no gain",
    )


def test_freer_maps_from_300_rows_on() -> None:
    kinds = [[one.kind for one in fitted(1, rows).candidates] for rows in (FLEXIBLE_FROM - 1, FLEXIBLE_FROM)]
    assert kinds == [["none", "temperature", "platt"], ["none", "temperature", "platt", "beta", "isotonic"]]
    scores = fitted(1, FLEXIBLE_FROM, scale="score")
    assert [one.kind for one in scores.candidates] == ["none", "platt", "isotonic"]
    assert all(one.calibrator is None or one.kind == "none" or one.calibrator.on_scores for one in scores.candidates)


def test_isotonic_wins_where_no_sigmoid_fits() -> None:
    generator = np.random.default_rng(4)
    values = generator.random(2_000)
    yes = generator.random(2_000) < np.select([values < 0.3, values < 0.5], [0.03, 0.5], 0.55)
    found = fit_calibrator(values, yes, np.arange(2_000), seed=1)
    assert found.calibrator.kind == "isotonic"
    assert of(found, "beta")[3] == "isotonic is better by more than one standard error"


@pytest.mark.parametrize("scale", ["probability", "score"])
def test_exactly_one_is_kept_and_the_others_say_why_not(scale: str) -> None:
    for seed in range(10):
        found = fitted(seed, 40, sharpness=2.0, scale=scale)
        assert [one.kept for one in found.candidates].count(True) == 1
        assert all((one.why_not is None) == one.kept for one in found.candidates)
        kept = next(one for one in found.candidates if one.kept)
        assert kept.calibrator == found.calibrator
        assert kept.gain is None or (kept.error is not None and kept.gain > kept.error)


# --- cross-validation ---


def test_figures_are_scikit_learns_with_each_family_left_out() -> None:
    values, yes = drawn(5, 100, sharpness=2.0, shift=0.5)
    family = np.arange(100) // 10
    found = fit_calibrator(values, yes, family, seed=3)
    lifted = np.array([logit(p) for p in values])[:, None]
    stated = np.empty(100)
    for out in range(10):
        model = LogisticRegression(C=np.inf, tol=1e-10, solver="newton-cholesky").fit(
            lifted[family != out], yes[family != out]
        )
        stated[family == out] = model.predict_proba(lifted[family == out])[:, 1]
    loss, gain, error, _ = of(found, "platt")
    assert loss == pytest.approx(sklearn_log_loss(yes, stated), abs=1e-7)
    assert gain == pytest.approx(sklearn_log_loss(yes, values) - loss, abs=1e-7)
    saved = np.where(yes, np.log(stated / values), np.log((1 - stated) / (1 - values)))
    by_family = saved.reshape(10, 10).mean(axis=1)  # families of one size: the error of a mean of ten numbers
    assert error == pytest.approx(by_family.std(ddof=1) / math.sqrt(10), abs=1e-7)


def test_none_of_scores_is_the_share_of_yes_in_the_other_folds() -> None:
    values, yes = drawn(6, 50)
    family = np.arange(50) // 5
    found = fit_calibrator(values * 100, yes, family, scale="score", seed=1)
    expected = [yes[family != one].mean() for one in family]
    assert found.before == pytest.approx(expected)
    assert of(found, "none")[0] == pytest.approx(sklearn_log_loss(yes, expected))


def test_a_family_is_never_in_two_folds() -> None:
    # Copies of a row in one family: were one in the fitting rows, blind scores would be learnt by heart from it.
    generator = np.random.default_rng(2)
    values, yes = np.repeat(generator.random(60), 6), np.repeat(generator.random(60) < 0.5, 6)
    kept = sum(
        fit_calibrator(values, yes, np.repeat(np.arange(60), 6), scale="score", seed=seed).calibrator.kind == "isotonic"
        for seed in range(5)
    )
    alone = fit_calibrator(values, yes, np.arange(360), scale="score", seed=0)
    assert kept == 0
    assert alone.calibrator.kind == "isotonic"


@given(seed=st.integers(0, 10_000), mix=st.randoms(use_true_random=False))
@settings(max_examples=25, deadline=None)
def test_row_order_and_names_change_no_figure(seed: int, mix: object) -> None:
    values, yes = drawn(seed, 45, sharpness=2.0)
    values = np.round(values, 2)
    family = np.arange(45) // 2
    order = list(range(45))
    mix.shuffle(order)  # type: ignore[attr-defined]
    names = [f"f{(7 * int(one) + 3) % 23}" for one in family[order]]
    found = fit_calibrator(values, yes, family, seed=9)
    again = fit_calibrator(values[order], yes[order], names, seed=9)
    assert replace(again, before=(), out_of_fold=()) == replace(found, before=(), out_of_fold=())
    assert sorted(zip(again.before, again.out_of_fold, yes[order], strict=True)) == sorted(
        zip(found.before, found.out_of_fold, yes, strict=True)
    )


def test_the_seed_deals_ten_folds_and_under_300_rows_nothing() -> None:
    figures = {of(fitted(1, FLEXIBLE_FROM, seed=seed), "platt")[0] for seed in range(5)}
    assert len(figures) == 5
    assert max(f for f in figures if f) - min(f for f in figures if f) < 0.02
    few = [fitted(1, 60, seed=seed) for seed in (1, 2)]
    assert few[0] == replace(few[1], seed=1)
    assert (few[0].folds, few[0].how) == (60, "each family left out in turn")


# --- what is refused ---


def test_too_few_rows() -> None:
    with pytest.raises(CannotDecide, match=f"{FEWEST_ROWS - 1} rows"):
        fitted(1, FEWEST_ROWS - 1)
    assert fitted(1, FEWEST_ROWS).rows == FEWEST_ROWS


@pytest.mark.parametrize(
    ("yes", "families", "reason"),
    [
        ([True] * 30, list(range(30)), "every label is yes"),
        ([False] * 30, list(range(30)), "every label is no"),
        ([True, False] * 15, [i // 8 for i in range(30)], "4 families"),
        ([True] * 2 + [False] * 28, [i // 2 for i in range(30)], "every yes is of one family"),
        ([False] * 2 + [True] * 28, [i // 2 for i in range(30)], "every no is of one family"),
    ],
)
def test_labels_that_carry_no_fit(yes: list[bool], families: list[int], reason: str) -> None:
    values = np.linspace(0.1, 0.9, 30)
    with pytest.raises(CannotDecide, match=reason):
        fit_calibrator(values, yes, families, seed=1)


def test_a_judge_that_runs_against_the_labels_is_not_turned_around() -> None:
    values, yes = drawn(1, 100)
    found = fit_calibrator(1 - values, yes, np.arange(100), seed=1)
    assert found.calibrator.kind == "none"
    assert of(found, "platt") == (None, None, None, AGAINST)
    assert of(found, "temperature")[3] == AGAINST


def test_values_that_are_no_probabilities_are_refused_on_that_scale() -> None:
    with pytest.raises(ValueError, match=r"row 1: found 3\.0"):
        fit_calibrator([0.5, 3.0] * 20, [True, False] * 20, list(range(40)), seed=1)
    assert fit_calibrator([0.5, 3.0] * 20, [True, False] * 20, list(range(40)), scale="score", seed=1).rows == 40


# --- before and after ---


def test_changes_are_paired_and_equal_the_difference_of_the_means() -> None:
    values, yes = drawn(1, 300, sharpness=3.0)
    found = fit_calibrator(values, yes, np.arange(300), seed=1)
    fresh, labels = drawn(2, 300, sharpness=3.0)
    told = before_and_after("fresh", fresh, apply_map(found.calibrator, fresh), labels, list(range(300)), 1)
    assert told.after is not None and told.log_loss_change is not None and told.brier_change is not None
    for name, change in (("log_loss", told.log_loss_change), ("brier", told.brier_change)):
        difference = getattr(told.after, name).value - getattr(told.before, name).value
        assert change.value == pytest.approx(difference, abs=1e-12)
        assert change.low < change.value < change.high < 0
    assert told.after.calibration.error.value < told.before.calibration.error.value
    assert told.before.calibration.p_value < 0.01 < told.after.calibration.p_value


def test_without_a_map_there_is_no_after() -> None:
    values, yes = drawn(1, 60)
    told = before_and_after("fresh", values, None, yes, list(range(60)), 1)
    assert (told.after, told.log_loss_change, told.brier_change) == (None, None, None)
    assert told.before.log_loss.value == pytest.approx(sklearn_log_loss(yes, values))


def test_a_change_of_nothing_is_not_certain() -> None:
    values, yes = drawn(1, 60)
    told = before_and_after("fresh", values, values, yes, list(range(60)), 1).brier_change
    assert told is not None and told.value == 0 and told.low is not None and told.high is not None
    assert told.low < 0 < told.high
