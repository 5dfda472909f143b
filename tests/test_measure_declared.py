"""Claims with a margin: what holds, what does not, and what cannot be told."""

from __future__ import annotations

import numpy as np
import pytest

from bench.measure.compare import difference
from bench.measure.counts import FamilyVectors, count_joint
from bench.measure.declared import Claim, Declared, decide_claim, decide_claims
from bench.measure.metrics import METRICS

ACCURACY = METRICS["accuracy"]


def joint(a: float, b: float, n: int = 600, seed: int = 1) -> FamilyVectors:
    """Two judges that are right on exactly these shares of the items, which items being drawn."""
    generator = np.random.default_rng(seed)
    labels = generator.random(n) < 0.5
    right = [generator.permutation(np.arange(n) < round(skill * n)) for skill in (a, b)]
    said = [np.where(hits, labels, ~labels) for hits in right]
    return count_joint(labels, said[0], said[1], np.arange(n) // 2)


@pytest.mark.parametrize(
    ("claim", "margin", "a", "b", "n", "verdict"),
    [
        ("better by at least", 0.05, 0.9, 0.7, 600, "holds"),
        ("better by at least", 0.05, 0.7, 0.9, 600, "does not hold"),
        ("better by at least", 0.19, 0.9, 0.7, 600, "cannot tell"),
        ("better by at least", 0.05, 0.9, 0.7, 30, "cannot tell"),
        ("better by at least", 0.05, 0.9, 0.89, 6000, "does not hold"),  # better, and yet not by that much
        ("not worse by more than", 0.10, 0.8, 0.8, 2000, "holds"),
        ("not worse by more than", 0.02, 0.8, 0.8, 600, "cannot tell"),
        ("not worse by more than", 0.05, 0.6, 0.9, 600, "does not hold"),
    ],
)
def test_verdict(claim: Claim, margin: float, a: float, b: float, n: int, verdict: str) -> None:
    found = decide_claim(Declared(ACCURACY, claim, margin), joint(a, b, n), 1, 2000)
    assert found.verdict == verdict, found.reason


def test_the_interval_is_that_of_the_difference() -> None:
    found = decide_claim(Declared(METRICS["f1"], "better by at least", 0.05), joint(0.9, 0.7), 3, 500)
    assert repr(found.gap) == repr(difference(METRICS["f1"], joint(0.9, 0.7), 3, 500))
    assert str(found.declared) == "f1 better by at least 0.05" and "the mark 0.05" in found.reason


def test_undefined_cannot_be_told() -> None:
    labels = np.arange(40) < 20
    silent = count_joint(labels, labels, np.zeros(40, bool), np.arange(40))
    found = decide_claim(Declared(METRICS["precision"], "better by at least", 0.0), silent, 1)
    assert (found.verdict, found.reason) == ("cannot tell", "judge B: 0 predicted yes")


def test_several_claims_are_asked_by_holm() -> None:
    better = Declared(ACCURACY, "better by at least", 0.0)
    near = joint(0.85, 0.79, 600, seed=4)
    alone = decide_claim(better, near, 1, 2000)
    assert alone.verdict == "holds"
    equal = {f"equal {i}": (better, joint(0.8, 0.8, 600, seed=i + 20)) for i in range(8)}
    crowd = decide_claims({"near": (better, near), "clear": (better, joint(0.95, 0.6)), **equal}, 1, 2000)
    assert list(crowd)[:2] == ["near", "clear"] and crowd["clear"].verdict == "holds"
    assert crowd["clear"].level == pytest.approx(1 - 0.05 / 10) and crowd["near"].level >= 1 - 0.05 / 9 - 1e-12
    assert crowd["near"].gap.low is not None and alone.gap.low is not None and crowd["near"].gap.low < alone.gap.low
    assert decide_claims({}, 1) == {}


@pytest.mark.parametrize(
    ("metric", "margin", "text"),
    [("prevalence", 0.1, "no better end"), ("accuracy", -0.1, "0 or more"), ("accuracy", 1.0, "under the range")],
)
def test_what_cannot_be_declared(metric: str, margin: float, text: str) -> None:
    with pytest.raises(ValueError, match=text):
        Declared(METRICS[metric], "better by at least", margin)
