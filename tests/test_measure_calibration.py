"""Calibration error: published values, its null, its interval, and what must not move it."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from bench.measure.binning import DISTINCT, Binning
from bench.measure.calibration import STANDARD, Definition, Norm, calibration_error
from bench.measure.calibration_null import own_correlation

TORCHMETRICS = Path(__file__).parents[2] / "shared" / "data" / "tiny_published_scores" / "torchmetrics_binary_ece.json"
NORMS: tuple[Norm, ...] = ("l1", "l2", "max")


def judge(seed: int, n: int = 84, size: int = 1, power: float = 1.0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Labels drawn from the stated probabilities; with a power above 1 the judge says yes too often."""
    generator = np.random.default_rng(seed)
    stated = generator.random(n)
    return stated, generator.random(n) < stated**power, np.arange(n) // size


@pytest.mark.parametrize("norm", NORMS)
def test_torchmetrics_docstring(norm: Norm) -> None:
    if not TORCHMETRICS.exists():
        pytest.skip("../shared/data is not beside this repository")
    given = json.loads(TORCHMETRICS.read_text())
    definition = Definition(norm, Binning("equal width", given["n_bins"]))
    labels = np.array(given["label"], bool)
    found = calibration_error(given["prob"], labels, np.arange(5), 1, definition=definition)
    assert found.error.value == pytest.approx(given["published"][norm], abs=5e-5)
    assert found.definition == f"{norm}, 2 equal-width bins, ties whole" and found.error.too_few


def test_a_perfect_judge_of_84_items_shows_eleven_hundredths() -> None:
    # STATISTICS.md: mean ECE .11 at n = 84; closed form for ten bins of 8.4 items at uniform p:
    # sqrt(2 / pi) * mean over bins of sqrt(p (1 - p) / 8.4) = .11. By the tool's null and by a simulation beside it.
    found = calibration_error(*judge(0), seed=1, resamples=50)
    middles = (np.arange(10) + 0.5) / 10
    closed = float(np.mean(np.sqrt(2 / np.pi * middles * (1 - middles) / 8.4)))
    assert found.null_mean == pytest.approx(0.11, abs=0.005) and closed == pytest.approx(0.11, abs=0.005)
    simulated = [calibration_error(*judge(seed), seed=1, resamples=2).error.value or 0.0 for seed in range(100)]
    assert np.mean(simulated) == pytest.approx(0.11, abs=0.01)


@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize("kind", ["equal mass", "equal width"])
def test_ties_of_a_calibrated_judge_have_no_error(norm: Norm, kind: str) -> None:
    definition = Definition(norm, Binning(kind, 10))  # type: ignore[arg-type]
    right = np.random.default_rng(1).permutation(np.arange(200) < 180)
    found = calibration_error(np.full(200, 0.9), right, np.arange(200), 1, definition=definition, resamples=200)
    assert found.error.value == 0.0 and (found.bins, found.empty_bins) == (1, 9)
    assert found.p_value == 1.0 and found.error.high is not None and found.error.high > 0.01


def test_a_judge_that_says_yes_too_often_is_told_apart() -> None:
    found = calibration_error(*judge(2, n=400, size=2, power=2.5), seed=1)
    assert found.p_value is not None and found.p_value < 0.01
    assert found.error.low is not None and found.error.high is not None and found.error.value is not None
    assert 0 < found.error.low < found.error.value < found.error.high
    assert found.null_high is not None and found.error.value > found.null_high
    assert found.error.note == "holds at this label mix only"


def test_an_error_within_the_null_has_zero_in_its_interval() -> None:
    found = calibration_error(*judge(3), seed=1)
    assert found.p_value is not None and found.p_value > 0.025 and found.error.low == 0.0


def test_families_of_one_mind_widen_the_null() -> None:
    generator = np.random.default_rng(4)
    family = np.arange(200) // 4
    stated = np.repeat(generator.random(50), 4)
    yes = np.repeat(generator.random(50), 4) < stated
    found = calibration_error(stated, yes, family, 1, resamples=100)
    alone = calibration_error(stated, yes, np.arange(200), 1, resamples=100)
    assert found.correlation == pytest.approx(1.0, abs=0.15) and alone.correlation == 0.0
    # Four equal items count as one: the null is twice as wide (closed form).
    assert found.null_mean is not None and alone.null_mean is not None
    assert found.null_mean == pytest.approx(2 * alone.null_mean, rel=0.15)


@pytest.mark.parametrize("true", [0.0, 0.3, 0.8])
def test_correlation_is_that_of_the_draw(true: float) -> None:
    # Independent generator of the same model: a shared draw with chance sqrt(r), many families of three.
    generator = np.random.default_rng(5)
    family, stated = np.repeat(np.arange(20_000), 3), generator.random(60_000)
    shared = generator.random(60_000) < true**0.5
    draws = np.where(shared, generator.random(20_000)[family], generator.random(60_000))
    assert own_correlation(stated, draws < stated, family) == pytest.approx(true, abs=0.03)


def test_twins_count_as_independent() -> None:
    yes = np.tile([True, False], 50)
    assert own_correlation(np.full(100, 0.5), yes, np.arange(100) // 2) == 0.0


def test_reliability_points() -> None:
    stated, yes, family = judge(6, n=200, size=2)
    found = calibration_error(stated, yes, family, 1)
    assert sum(point.items for point in found.points) == 200 and len(found.points) == found.bins == 10
    gaps = [point.items * abs(point.share_yes - point.stated) for point in found.points]
    assert found.error.value == pytest.approx(sum(gaps) / 200)
    assert all(p.band_low <= p.stated <= p.band_high and 0 < p.families <= p.items for p in found.points)
    inside = sum(point.band_low <= point.share_yes <= point.band_high for point in found.points)
    assert inside >= 8  # each with a chance of .95 or more


@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize("seed", range(3))
def test_row_order_names_and_seed(norm: Norm, seed: int) -> None:
    stated, yes, family = judge(seed, n=120, size=3)
    stated = np.round(stated, 1)
    stratum = family % 2
    order = np.random.default_rng(seed).permutation(120)
    renamed, restratum = (37 * family) % 101 + 500, np.array(["z", "a"])[stratum]
    ask = {"seed": 7, "definition": Definition(norm), "resamples": 200}
    plain = calibration_error(stated, yes, family, strata=stratum, **ask)  # type: ignore[arg-type]
    moved = calibration_error(stated[order], yes[order], renamed[order], strata=restratum[order], **ask)  # type: ignore[arg-type]
    assert repr(plain) == repr(moved)


def test_undefined_and_degenerate() -> None:
    assert calibration_error([], [], [], 1).error.undefined == "0 items"
    yes = np.arange(40) < 20
    found = calibration_error(yes.astype(float), yes, np.arange(40), 1)
    assert found.error.value == 0.0 and found.error.note is not None and "degenerate" in found.error.note
    assert found.error.high == pytest.approx(1 - 0.025 ** (1 / 40))  # Clopper-Pearson of 0 of 40, closed form
    with pytest.raises(ValueError, match="distinct ones show noise only"):
        Definition("l1", DISTINCT)
    assert str(STANDARD) == "l1, 10 equal-mass bins, ties whole"
