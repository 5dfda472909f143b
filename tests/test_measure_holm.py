"""Holm against statsmodels."""

from __future__ import annotations

import numpy as np
import pytest
from statsmodels.stats.multitest import multipletests

from bench.measure.holm import holm


@pytest.mark.parametrize("seed", range(10))
def test_adjusted_values_are_those_of_statsmodels(seed: int) -> None:
    generator = np.random.default_rng(seed)
    given = generator.random(int(generator.integers(1, 12))) ** 3
    given[: len(given) // 3] = given[0]  # ties
    rejected, adjusted, *_ = multipletests(given, alpha=0.05, method="holm")
    found = {test.name: test for test in holm({f"t{i}": float(p) for i, p in enumerate(given)})}
    for i in range(len(given)):
        assert found[f"t{i}"].adjusted == pytest.approx(adjusted[i], abs=1e-9)
        assert found[f"t{i}"].rejected == rejected[i]


def test_order_and_count() -> None:
    found = holm({"b": 0.01, "a": 0.01, "c": 0.9}, level=0.03)
    assert [(t.name, t.rejected, t.tests) for t in found] == [("a", True, 3), ("b", True, 3), ("c", False, 3)]
    assert holm({}) == ()


@pytest.mark.parametrize("bad", [float("nan"), -0.1, 1.2])
def test_what_is_no_p_value_is_named(bad: float) -> None:
    with pytest.raises(ValueError, match="p-value of rule: found"):
        holm({"rule": bad})
