"""Training: development alone, the same bytes each time, families whole; arithmetic against scikit-learn."""

from __future__ import annotations

from functools import cache
from math import comb
from pathlib import Path

import numpy as np
import pytest
from head_sessions import lesson_suite
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.linear_model import LogisticRegression

from bench.cases.layout import Layout
from bench.commands.train import head_text
from bench.judges.head.model import load_head
from bench.problems import BrokenInput, CannotDecide
from bench.training.calibrate import calibrate
from bench.training.candidates import CANDIDATES, Candidate, Fitted, fit
from bench.training.citations import citations
from bench.training.crossfit import Effort, folds, out_of_fold
from bench.training.curve import inside_development, over_all_splits, part_of
from bench.training.material import Material, development_material
from bench.training.solve import boosted_stumps, expit, logistic, nonnegative_logistic
from bench.training.table import Table, table_of
from bench.training.train import train, write_head
from bench.workspace import load, session_folders

QUICK = Effort(folds=3, repeats=1, inner_folds=2)


def material_at(layout: Layout, statement: str = "solved") -> Material:
    suite, labels = load(layout)
    return development_material(suite, labels, session_folders(layout, []), statement)


@pytest.fixture(scope="module")
def material(tmp_path_factory: pytest.TempPathFactory) -> Material:
    return material_at(lesson_suite(tmp_path_factory.mktemp("suite")))


@pytest.fixture(scope="module")
def text(material: Material) -> str:
    return head_text(train(material, QUICK))


# --- what it is trained on ---


def test_only_development_rows_are_seen(material: Material) -> None:
    assert len(material.rows) == 24
    assert {int(row.family.removeprefix("family-S")) % 3 for row in material.rows} == {0}


def test_the_same_material_gives_the_same_bytes(material: Material, text: str) -> None:
    assert head_text(train(material, QUICK)) == text


@pytest.mark.parametrize("flipped", [["calibration"], ["test"]])
def test_labels_of_other_splits_move_no_byte(flipped: list[str], text: str, tmp_path: Path) -> None:
    assert head_text(train(material_at(lesson_suite(tmp_path, flipped)), QUICK)) == text


def test_labels_of_development_do(text: str, tmp_path: Path) -> None:
    assert head_text(train(material_at(lesson_suite(tmp_path, ["development"])), QUICK)) != text


def test_order_of_rows_and_names_of_families_move_no_byte(text: str, tmp_path: Path) -> None:
    renamed = lesson_suite(tmp_path, shuffled=True, rename=lambda name: f"x{name[::-1]}")
    assert head_text(train(material_at(renamed), QUICK)) == text


def test_citations_are_shares_of_annotators(material: Material) -> None:
    assert {row.cited for row in material.rows if row.yes} == {((2, 1.0),)}
    assert {row.cited for row in material.rows if not row.yes} == {()}


def test_too_few_labels_cannot_decide(tmp_path: Path) -> None:
    with pytest.raises(
        CannotDecide, match="6 families of the primary strata in development are labelled yes; at least 10"
    ):
        material_at(lesson_suite(tmp_path, families=12))


def test_one_class_cannot_decide(material: Material, tmp_path: Path) -> None:
    with pytest.raises(CannotDecide, match=r"0 families .* labelled no"):
        material_at(lesson_suite(tmp_path), "polite")


@pytest.mark.parametrize("statement", ["nonsense", ""])
def test_an_unknown_statement_is_told(statement: str, tmp_path: Path) -> None:
    with pytest.raises(BrokenInput, match="use one of polite, solved"):
        material_at(lesson_suite(tmp_path), statement)


# --- candidates ---


@cache
def random_table(seed: int = 0, rows: int = 40) -> Table:
    """Rows in families of two, of which the last ten are of no primary stratum."""
    generator = np.random.default_rng(seed)
    patterns = generator.integers(0, 2, (12, 30)).astype(np.float64)
    columns = generator.normal(size=(rows, 22))
    columns[::5, 20] = np.nan
    events = generator.integers(0, 5, (rows, 12)).astype(np.float64)
    return Table(
        generator.random(rows) < 0.5,
        np.arange(rows) // 2,
        np.arange(rows) < rows - 10,
        columns,
        patterns,
        events,
        events * generator.random((rows, 12)),
        generator.normal(size=(rows, 4096)) / 64,
    )


@pytest.mark.parametrize("candidate", CANDIDATES, ids=lambda c: c.name)
def test_the_file_says_what_was_fitted(candidate: Candidate, material: Material, tmp_path: Path) -> None:
    table = table_of(material.rows)
    fitted = fit(candidate, table, np.arange(len(table)))
    plain = calibrate(np.zeros(len(table)), table.yes.astype(float), table.family, 0)
    head = write_head(material, table, candidate.name, fitted, plain)
    sums = [head.weigh(row.projection, row.seen) for row in material.rows]
    assert sums == pytest.approx(fitted.logits(table).tolist(), abs=5e-3)  # weights have four decimals


def test_a_written_head_reads_back(text: str, material: Material, tmp_path: Path) -> None:
    path = tmp_path / "head.json"
    path.write_text(text, encoding="utf-8")
    assert load_head(path, "head.json") == train(material, QUICK).head


def test_columns_do_not_learn_from_rows_outside_the_primary_strata() -> None:
    table = random_table()
    flipped = Table(**{**table.__dict__, "yes": np.where(table.primary, table.yes, ~table.yes)})
    for candidate in CANDIDATES:
        if candidate.kind not in ("words", "mean"):
            rows = np.arange(len(table))
            assert fit(candidate, table, rows).columns == fit(candidate, flipped, rows).columns


def test_the_additive_score_has_equal_weights_in_standard_units() -> None:
    fitted = fit(next(c for c in CANDIDATES if c.name == "all columns, equal"), random_table(), np.arange(40))
    assert len({weight for _, _, weight in fitted.columns.values()}) == 1


# --- folds ---


@given(st.integers(0, 1000), st.integers(2, 7))
@settings(max_examples=30, deadline=None)
def test_folds_keep_families_whole_and_even(seed: int, count: int) -> None:
    table = random_table()
    fold = folds(table, np.arange(40), count, np.random.default_rng(seed))
    assert all(len(set(fold[table.family == family].tolist())) == 1 for family in range(20))
    sizes = np.bincount(fold, minlength=count)
    assert sizes.max() - sizes.min() <= 2  # one family


def test_no_row_is_scored_by_a_fit_that_saw_its_family(monkeypatch: pytest.MonkeyPatch) -> None:
    table, rows = random_table(), np.arange(40)
    seen: list[set[int]] = []

    def spy(candidate: Candidate, of: Table, kept: np.ndarray) -> Fitted:
        seen.append(set(of.family[kept].tolist()))
        return Fitted(float(len(seen)))

    monkeypatch.setattr("bench.training.crossfit.fit", spy)
    sums = out_of_fold(CANDIDATES[:1], table, rows, 5, 2, (1,))
    for repeat in sums[0]:
        assert all(int(table.family[row]) not in seen[int(call) - 1] for row, call in enumerate(repeat))


# --- arithmetic ---


@pytest.mark.parametrize("wide", [3, 80])
@pytest.mark.parametrize("penalty", [0.1, 1.0, 30.0])
def test_logistic_agrees_with_scikit_learn(wide: int, penalty: float) -> None:
    generator = np.random.default_rng(4)
    inputs, weight = generator.normal(size=(50, wide)), generator.random(50) + 0.1
    yes = (generator.random(50) < 0.4).astype(float)
    found, bias = logistic(inputs, yes, weight, penalty)
    theirs = LogisticRegression(C=1 / penalty, tol=1e-10, max_iter=10_000).fit(inputs, yes, sample_weight=weight)
    assert found == pytest.approx(theirs.coef_[0], abs=1e-4)
    assert bias == pytest.approx(theirs.intercept_[0], abs=1e-4)


@given(st.integers(0, 200))
@settings(max_examples=30, deadline=None)
def test_nonnegative_logistic_meets_its_conditions(seed: int) -> None:
    # Karush-Kuhn-Tucker: the gradient is 0 where a coefficient is positive and not negative where it is 0.
    generator = np.random.default_rng(seed)
    inputs, yes = generator.normal(size=(40, 6)), (generator.random(40) < 0.5).astype(float)
    found, bias = nonnegative_logistic(inputs, yes, np.ones(40), 1.0)
    slope = inputs.T @ (expit(inputs @ found + bias) - yes) + found
    assert (found >= 0).all()
    assert np.abs(slope[found > 0]).max(initial=0) < 1e-6
    assert slope[found == 0].min(initial=0) > -1e-6


def test_stumps_find_the_split_that_is_there() -> None:
    inputs = np.array([[0.0, 5], [1, 5], [2, 5], [3, 5], [10, 5], [11, 5], [12, 5], [np.nan, 5]])
    splits, _ = boosted_stumps(inputs, np.array([0.0, 0, 0, 0, 1, 1, 1, 1]), 3, 0.5, 2)
    assert {(column, at) for column, at, _, _ in splits} == {(0, 6.5)}
    assert all(below < 0 < above for _, _, below, above in splits)


def test_stumps_without_a_possible_split_are_none() -> None:
    assert boosted_stumps(np.zeros((6, 2)), np.array([0.0, 1, 0, 1, 0, 1]), 3, 0.5, 2) == ([], 0.0)


def test_calibration_is_kept_only_where_it_helps() -> None:
    generator = np.random.default_rng(2)
    truth = generator.normal(size=400)
    yes, family = (generator.random(400) < expit(truth)).astype(float), np.arange(400)
    assert calibrate(truth, yes, family, 0).kind == "none"
    assert calibrate(4 * truth, yes, family, 0).kind == "temperature"
    assert calibrate(4 * truth, yes, family, 0).slope == pytest.approx(0.25, abs=0.08)
    moved = calibrate(truth - 2, yes, family, 0)
    assert moved.kind == "platt"
    assert moved.offset == pytest.approx(2, abs=0.5)


# --- citations ---


def test_a_head_that_cites_what_annotators_cite_hits_every_time(material: Material) -> None:
    table = table_of(material.rows)
    events = next(c for c in CANDIDATES if c.name == "evidence")
    plain = calibrate(np.zeros(len(table)), table.yes.astype(float), table.family, 0)
    # In this suite the third event is cited for every yes; only corrections have this weight there.
    found = citations(material, table, events, lambda fitted: write_head(material, table, "x", fitted, plain), QUICK)
    held = [row for row in material.rows if row.yes and "corrects" in row.seen.signals[2]]
    yes = [row for row in material.rows if row.yes]
    assert found.hit.value is not None
    assert found.hit.value >= len(held) / len(yes)
    by_hand = [1 - comb(len(r.seen.signals) - 1, 3) / comb(len(r.seen.signals), 3) for r in yes]
    assert found.by_chance.value == pytest.approx(sum(by_hand) / len(by_hand))


# --- learning curves ---


def test_parts_keep_families_whole_and_hold_their_share() -> None:
    table = random_table()
    kept = part_of(table, np.arange(40), 0.5, np.random.default_rng(1))
    assert all((table.family[kept] == family).sum() in (0, 2) for family in range(20))
    assert 16 <= len(kept) <= 26


def test_the_curve_inside_development_grows_to_all_that_is_there(material: Material) -> None:
    steps = inside_development(material, "length")
    sizes = [step.trained_on for step in steps]
    assert sizes == sorted(sizes)
    assert sizes[-1] == pytest.approx(24 * 6 / 7)


def test_the_curve_over_all_splits_is_fitted_to_1_2_and_4_times_as_many(tmp_path: Path) -> None:
    layout = lesson_suite(tmp_path)
    suite, labels = load(layout)
    steps = over_all_splits(suite, labels, session_folders(layout, []), "solved", "length")
    assert [round(step.trained_on) for step in steps] == pytest.approx([24, 48, 58], abs=1)  # four fifths of 72 is 58
    assert all(step.line.auroc.families > 24 for step in steps)
