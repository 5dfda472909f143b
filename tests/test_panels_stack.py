"""The stack against scikit-learn, and its missing values by hand."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from bench.policies.stack import fit_stack


def data(seed: int, gaps: bool) -> tuple[list[list[float | None]], list[bool]]:
    generator = np.random.default_rng(seed)
    labels = generator.random(60) < 0.4
    table = generator.random((60, 3)) + labels[:, None] * np.array([0.5, 0.1, 0.0])
    gone = generator.random(table.shape) < (0.2 if gaps else 0.0)
    rows = [[None if g else float(v) for v, g in zip(*pair, strict=True)] for pair in zip(table, gone, strict=True)]
    return rows, labels.tolist()


@pytest.mark.parametrize("gaps", [False, True])
@pytest.mark.parametrize("seed", range(3))
def test_the_fit_is_scikit_learns(seed: int, gaps: bool) -> None:
    rows, labels = data(seed, gaps)
    model = fit_stack(rows, labels)
    assert model is not None
    table = np.array([[np.nan if v is None else v for v in row] for row in rows])
    filled = np.where(np.isnan(table), np.nanmedian(table, axis=0), table)
    columns = (filled - filled.mean(axis=0)) / filled.std(axis=0)
    design = np.hstack([columns, np.isnan(table)])
    oracle = LogisticRegression(C=1.0, tol=1e-10, max_iter=10_000).fit(design, labels)
    assert [model.p(row) for row in rows] == pytest.approx(oracle.predict_proba(design)[:, 1], abs=1e-5)
    assert model.cut == pytest.approx(np.mean(labels))


def test_a_value_that_is_missing_only_later_is_the_median() -> None:
    rows, labels = data(1, gaps=False)
    model = fit_stack(rows, labels)
    assert model is not None and model.missing == (0.0, 0.0, 0.0)
    assert model.p([None, 0.2, 0.3]) == model.p([model.median[0], 0.2, 0.3])


def test_separable_columns_have_finite_coefficients() -> None:
    model = fit_stack([[0.0], [0.0], [1.0], [1.0]], [False, False, True, True])
    assert model is not None and 0 < model.coefficients[0] < 10
    assert model.says_yes(model.p([1.0])) and not model.says_yes(model.p([0.0]))


def test_columns_that_never_vary_weigh_nothing() -> None:
    rows, labels = data(2, gaps=False)
    flat = fit_stack([[*row, 0.7] for row in rows], labels)
    plain = fit_stack(rows, labels)
    assert flat is not None and plain is not None
    assert flat.coefficients[3] == 0 and flat.p([0.1, 0.2, 0.3, 0.9]) == pytest.approx(plain.p([0.1, 0.2, 0.3]))
    assert fit_stack([[0.5], [0.5]], [True, False]) is None


def test_yes_begins_at_the_share_of_yes() -> None:
    model = fit_stack([[1.0]] * 12 + [[0.0]] * 4 + [[1.0]] * 1 + [[0.0]] * 3, [True] * 16 + [False] * 4)
    assert model is not None and model.cut == 0.8
    assert 0.5 < model.p([0.0]) < 0.8 and not model.says_yes(model.p([0.0]))
    assert model.says_yes(model.p([1.0])) and model.says_yes(0.8) and not model.says_yes(0.79)
