"""Fitted maps against closed forms, scikit-learn and simulation; the light map says what the fitting library says."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from scipy.special import beta as beta_function
from sklearn.isotonic import IsotonicRegression
from sklearn.linear_model import LogisticRegression

from bench.certifying.fitting import AGAINST, SEPARATED, Against, NoFit, apply_map, fit_map, losses
from bench.deciding.calibrator import EDGE, Calibrator, Kind, logit, sigmoid
from bench.measure.counts import Floats
from bench.measure.inputs import Truths

FITTED: tuple[Kind, ...] = ("temperature", "platt", "beta", "isotonic")


def repeated(values: list[float], hits: list[int], rows: int) -> tuple[Floats, Truths]:
    """``rows`` rows at each value, of which ``hits`` are yes."""
    yes = [i < count for count in hits for i in range(rows)]
    return np.repeat(np.array(values), rows), np.array(yes, dtype=bool)


def drawn(seed: int, rows: int, sharpness: float = 1.0, shift: float = 0.0) -> tuple[Floats, Truths]:
    """A judge that states sigmoid(sharpness x + shift) where yes has the chance sigmoid(x)."""
    generator = np.random.default_rng(seed)
    x = generator.normal(0, 1.5, rows)
    return 1 / (1 + np.exp(-(sharpness * x + shift))), generator.random(rows) < 1 / (1 + np.exp(-x))


def unregularised(features: Floats, yes: Truths, intercept: bool = True) -> LogisticRegression:
    model = LogisticRegression(C=np.inf, tol=1e-12, max_iter=10_000, solver="newton-cholesky", fit_intercept=intercept)
    return model.fit(features, yes)


# --- closed forms: where a map has as many parameters as there are distinct values, it meets every share of yes ---


def test_platt_through_two_values_is_the_line_through_their_log_odds() -> None:
    values, yes = repeated([0.2, 0.7], [1, 8], 10)
    low, high = math.log(1 / 9), math.log(8 / 2)
    slope = (high - low) / (logit(0.7) - logit(0.2))
    found = fit_map("platt", values, yes)
    assert found.parameters == pytest.approx((slope, low - slope * logit(0.2)), abs=1e-9)


def test_platt_of_scores_takes_them_as_they_are() -> None:
    values, yes = repeated([100.0, 300.0], [2, 6], 8)
    slope = (math.log(6 / 2) - math.log(2 / 6)) / 200
    found = fit_map("platt", values, yes, on_scores=True)
    assert found.on_scores
    assert found.parameters == pytest.approx((slope, math.log(2 / 6) - 100 * slope), abs=1e-9)


def test_platt_of_scores_far_from_zero_and_close_together() -> None:
    values, yes = repeated([1.7e9, 1.7e9 + 60], [2, 6], 8)
    found = fit_map("platt", values, yes, on_scores=True)
    assert [found(value) for value in (1.7e9, 1.7e9 + 60)] == pytest.approx([0.25, 0.75], abs=1e-5)


def test_temperature_of_two_mirrored_values_is_their_log_odds_over_those_found() -> None:
    values, yes = repeated([0.1, 0.9], [3, 7], 10)
    assert fit_map("temperature", values, yes).parameters == pytest.approx((math.log(9) / math.log(7 / 3),), abs=1e-9)


def test_beta_through_three_values_solves_three_equations() -> None:
    places, hits = [0.1, 0.4, 0.8], [2, 6, 15]
    values, yes = repeated(places, hits, 20)
    equations = [[math.log(p), -math.log1p(-p), 1.0] for p in places]
    solved = np.linalg.solve(np.array(equations), [math.log(h / (20 - h)) for h in hits])
    assert (solved[:2] > 0).all()
    assert fit_map("beta", values, yes).parameters == pytest.approx(tuple(solved), abs=1e-8)


@pytest.mark.parametrize("side", [0, 1])
def test_beta_holds_at_zero_a_slope_that_would_fall(side: int) -> None:
    # Shares of yes that turn down at one end ask for a falling side; Kull et al. 2017, sec. 4: drop it and fit again.
    places = [0.02, 0.1, 0.3, 0.5, 0.7]
    hits = [8, 4, 5, 10, 19]
    if side == 1:  # the mirror image: p -> 1 - p, yes -> no
        places, hits = [1 - p for p in reversed(places)], [20 - h for h in reversed(hits)]
    values, yes = repeated(places, hits, 20)
    found = fit_map("beta", values, yes)
    assert found.parameters[side] == 0
    kept = (-np.log1p(-values) if side == 0 else np.log(values))[:, None]
    model = unregularised(kept, yes)
    assert found.parameters[1 - side] == pytest.approx(float(model.coef_[0, 0]), abs=1e-6)
    assert found.parameters[2] == pytest.approx(float(model.intercept_[0]), abs=1e-6)


def test_beta_densities_give_kulls_parameters() -> None:
    # Kull et al. 2017, AISTATS, sec. 3: densities Beta(a1, b1) of yes and Beta(a0, b0) of no give a = a1 - a0, b = b0 - b1.
    generator = np.random.default_rng(7)
    rows, (a1, b1), (a0, b0) = 200_000, (4.0, 1.5), (1.5, 3.0)
    yes = generator.random(rows) < 0.5
    values = np.where(yes, generator.beta(a1, b1, rows), generator.beta(a0, b0, rows))
    shift = math.log(beta_function(a0, b0) / beta_function(a1, b1))
    assert fit_map("beta", values, yes).parameters == pytest.approx(
        (a1 - a0, b0 - b1, shift), abs=0.15
    )  # three of its standard errors


@pytest.mark.parametrize("temperature", [0.5, 1.0, 2.5])
def test_temperature_is_recovered_from_simulated_judges(temperature: float) -> None:
    values, yes = drawn(3, 100_000, sharpness=temperature)
    assert fit_map("temperature", values, yes).parameters[0] == pytest.approx(temperature, rel=0.03)


def test_isotonic_pools_what_falls() -> None:
    # Ayer et al. 1955: shares 1/4, 3/4, 2/4, 4/4 become 1/4, 5/8, 5/8, 1; the last is held at 1 - 1/(16 + 2).
    values, yes = repeated([0.1, 0.3, 0.6, 0.9], [1, 3, 2, 4], 4)
    found = fit_map("isotonic", values, yes)
    assert found.knots == ((0.1, 0.25), (0.3, 0.625), (0.6, 0.625), (0.9, 17 / 18))


# --- other tools ---


@pytest.mark.parametrize("seed", range(4))
def test_platt_is_logistic_regression_without_penalty(seed: int) -> None:
    values, yes = drawn(seed, 80, sharpness=2.0, shift=0.7)
    model = unregularised(np.array([logit(p) for p in values])[:, None], yes)
    found = fit_map("platt", values, yes)
    assert found.parameters == pytest.approx((float(model.coef_[0, 0]), float(model.intercept_[0])), abs=1e-7)


@pytest.mark.parametrize("seed", range(4))
def test_temperature_is_logistic_regression_without_intercept(seed: int) -> None:
    values, yes = drawn(seed, 80, sharpness=2.0)
    model = unregularised(np.array([logit(p) for p in values])[:, None], yes, intercept=False)
    assert 1 / fit_map("temperature", values, yes).parameters[0] == pytest.approx(float(model.coef_[0, 0]), abs=1e-7)


@pytest.mark.parametrize("seed", range(4))
def test_the_light_platt_map_says_what_scikit_learn_says(seed: int) -> None:
    values, yes = drawn(seed, 120, shift=0.5)
    model = unregularised(np.array([logit(p) for p in values])[:, None], yes)
    light = Calibrator(kind="platt", parameters=(float(model.coef_[0, 0]), float(model.intercept_[0])))
    fresh = np.linspace(0, 1, 101)
    told = model.predict_proba(np.array([logit(p) for p in fresh])[:, None])[:, 1]
    assert apply_map(light, fresh) == pytest.approx(told, abs=1e-9)
    assert apply_map(fit_map("platt", values, yes), fresh) == pytest.approx(told, abs=1e-7)


@given(
    rows=st.lists(st.tuples(st.integers(0, 12), st.booleans()), min_size=2, max_size=60),
    fresh=st.lists(st.floats(-1, 2), min_size=1, max_size=20),
)
@settings(deadline=None)
def test_isotonic_is_scikit_learns(rows: list[tuple[int, bool]], fresh: list[float]) -> None:
    values, yes = np.array([place / 12 for place, _ in rows]), np.array([said for _, said in rows])
    edge = 1 / (len(rows) + 2)
    try:
        found = fit_map("isotonic", values, yes, on_scores=True)
    except NoFit:
        return
    model = IsotonicRegression(y_min=edge, y_max=1 - edge, out_of_bounds="clip").fit(values, yes.astype(float))
    for places in (values, np.array(fresh)):
        assert apply_map(found, places) == pytest.approx(model.predict(places), abs=1e-9)


# --- what cannot be fitted ---

REFUSED: dict[str, tuple[Kind, list[float], list[int], str]] = {
    "one class": ("platt", [0.2, 0.8], [0, 0], "every label is no"),
    "separated": ("platt", [0.2, 0.8], [0, 4], SEPARATED),
    "separated but for one value of both": ("platt", [0.2, 0.5, 0.8], [0, 2, 4], SEPARATED),
    "separated for beta": ("beta", [0.2, 0.3, 0.8], [0, 0, 4], SEPARATED),
    "right on every row": ("temperature", [0.2, 0.8], [0, 4], SEPARATED),
    "against": ("platt", [0.2, 0.8], [3, 1], AGAINST),
    "against, and separated": ("platt", [0.2, 0.8], [4, 0], AGAINST),
    "against in temperature": ("temperature", [0.2, 0.8], [3, 1], AGAINST),
    "against in beta": ("beta", [0.2, 0.5, 0.8], [3, 2, 1], AGAINST),
    "against in isotonic": ("isotonic", [0.2, 0.8], [3, 1], AGAINST),
    "nothing either way": ("platt", [0.2, 0.8], [2, 2], AGAINST),
    "one value": ("platt", [0.4, 0.4], [1, 2], "all values are equal"),
    "always .5": ("temperature", [0.5, 0.5], [1, 2], "every probability is .5"),
    "two values for beta": ("beta", [0.2, 0.8], [1, 3], "three distinct"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refuses_with_the_reason(name: str) -> None:
    kind, places, hits, reason = REFUSED[name]
    values, yes = repeated(places, hits, 4)
    with pytest.raises(NoFit, match=reason):
        fit_map(kind, values, yes)


def test_a_flat_map_says_what_it_would_always_say() -> None:
    values, yes = repeated([0.2, 0.8], [3, 2], 4)
    for kind, always in (("platt", 5 / 8), ("isotonic", 5 / 8), ("temperature", 0.5)):
        with pytest.raises(Against) as flat:
            fit_map(kind, values, yes)
        assert flat.value.instead == always


# --- properties of every map ---

ROWS = st.lists(st.tuples(st.floats(0, 1), st.booleans()), min_size=6, max_size=80)
ROUNDING = 1e-12


@given(rows=ROWS, fresh=st.lists(st.floats(0, 1), min_size=2, max_size=30))
@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_maps_rise_stay_probabilities_and_do_not_see_the_order_of_rows(
    rows: list[tuple[float, bool]], fresh: list[float]
) -> None:
    values, yes = np.array([value for value, _ in rows]), np.array([said for _, said in rows])
    places = np.array(sorted(fresh))
    for kind in FITTED:
        try:
            found = fit_map(kind, values, yes)
        except NoFit:
            continue
        told = apply_map(found, places)
        assert ((told >= 0) & (told <= 1)).all()
        assert (np.diff(told) >= -ROUNDING).all()
        assert fit_map(kind, values[::-1], yes[::-1]) == found
        assert Calibrator.model_validate_json(found.model_dump_json()) == found
        assert told.tolist() == [found(place) for place in places.tolist()]


@given(rows=ROWS)
@settings(deadline=None)
def test_no_map_fits_its_own_rows_worse_than_a_constant(rows: list[tuple[float, bool]]) -> None:
    values, yes = np.array([value for value, _ in rows]), np.array([said for _, said in rows])
    share = float(np.mean(yes))
    for kind in ("platt", "beta"):
        try:
            found = fit_map(kind, values, yes)
        except NoFit:
            continue
        constant = losses(np.full(len(yes), share), yes).mean()
        assert losses(apply_map(found, values), yes).mean() <= constant + 1e-9


def test_temperature_and_platt_do_not_fit_worse_than_none() -> None:
    for seed in range(20):
        values, yes = drawn(seed, 60)
        told = {kind: losses(apply_map(fit_map(kind, values, yes), values), yes).mean() for kind in FITTED}
        none = losses(values, yes).mean()
        assert told["platt"] <= told["temperature"] + 1e-12 <= none + 2e-12
        assert told["beta"] <= told["platt"] + 1e-12


def test_certain_probabilities_are_held_at_the_edge() -> None:
    values, yes = np.array([0.0, 0.0, 0.0, 1.0, 1.0, 1.0]), np.array([False, False, True, False, True, True])
    found = fit_map("temperature", values, yes)
    assert found.parameters[0] == pytest.approx(logit(1 - EDGE) / math.log(2), rel=1e-9)
    assert found(1.0) == pytest.approx(2 / 3, abs=1e-9) and found(0.0) == pytest.approx(sigmoid(-math.log(2)), abs=1e-9)
    assert losses(values, yes)[3] == pytest.approx(-math.log(EDGE))
