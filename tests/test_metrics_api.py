"""The library on plain columns: what is let in, what is refused with its row, and figures that scikit-learn confirms."""

from __future__ import annotations

import json
import math
import random
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bench import metrics
from bench.metrics import Evaluation, Limit, WrongValues, evaluate, evaluate_table

FEW = 200  # resamples, where the interval is not the point


def measured(labels: Any, verdicts: Any, **more: Any) -> Evaluation:
    return evaluate(labels, verdicts, resamples=FEW, **more)


def sample(rows: int, seed: int) -> tuple[list[bool], list[bool], list[float]]:
    generator = random.Random(seed)
    labels = [generator.random() < 0.4 for _ in range(rows)]
    stated = [round(min(0.99, max(0.01, generator.gauss(0.7 if yes else 0.3, 0.25))), 2) for yes in labels]
    return labels, [p >= 0.5 for p in stated], stated


# --- what is let in ---

READ = {
    "truth values": ([True, False, True], [True, False, False], None),
    "numpy's": (np.array([True, False, True]), np.array([True, False, False]), None),
    "whole numbers": ([1, 0, 1], np.array([1, 0, 0]), None),
    "floats that are 1 and 0": ([1.0, 0.0, 1.0], [1, 0, 0], None),
    "words in any case": (["Yes", "no", " YES"], ["yes", "No", "no "], None),
    "pass and fail": (["pass", "fail", "pass"], ["pass", "fail", "fail"], None),
    "digits as text": (["1", "0", "1"], ["1", "0", "0"], None),
    "correct and incorrect": (["correct", "incorrect", "correct"], ["correct", "incorrect", "incorrect"], None),
    "a named yes": (["unsafe", "safe", "unsafe"], ["unsafe", "safe", "safe"], "unsafe"),
    "a coding in 2 and 1": ([2, 1, 2], [2, 1, 1], 2),
    "the other way round": (["no", "yes", "no"], ["no", "yes", "yes"], "no"),
    "a generator": ((x for x in (True, False, True)), iter([True, False, False]), None),
}


@pytest.mark.parametrize("name", READ)
def test_is_read(name: str) -> None:
    labels, verdicts, positive = READ[name]
    assert measured(labels, verdicts, positive=positive).counts == {"tp": 1, "fp": 0, "fn": 1, "tn": 1}


# --- what is refused: the column, the row, what was found, the fix ---

NAN = float("nan")
REFUSED = {
    "a third word": (["yes", "no", "maybe"], ["yes", "no", "no"], None, ("labels, row 2", "maybe", "'yes' and 'no'")),
    "NaN": ([True, False], [True, NAN], None, ("verdicts, row 1", "nan", "give None")),
    "1.7": ([1, 0], [1, 1.7], None, ("verdicts, row 1", "1.7", "1 and 0")),
    "another set": (["yes", "no"], ["pass", "fail"], None, ("verdicts, row 0", "pass", "nothing is recoded")),
    "1/2 against 1/0": ([1, 2], [1, 0], None, ("labels, row 1", "2", "positive=")),
    "truth values against words": ([True, False], ["true", "false"], None, ("verdicts, row 0", "true", "recoded")),
    "truth values among numbers": ([True, 0], [True, False], None, ("labels, row 1", "0", "True and False")),
    "an unknown pair": (["safe", "unsafe"], ["safe", "safe"], None, ("labels, row 0", "safe", "positive=")),
    "a misspelt yes": (["yes", "yes"], ["yes", "yes"], "yess", ("labels, row 0", "yes", "positive=")),
    "three under a named yes": (["a", "b", "c"], ["a", "b", "b"], "a", ("labels, row 2", "c", "'a' and 'b'")),
    "a list": ([["yes"], "no"], ["yes", "no"], None, ("labels, row 0", "yes", "'yes' and 'no'")),
    "the word nan": (["yes", "no"], ["nan", "no"], None, ("verdicts, row 0", "nan", "leave it empty")),
    "bytes": ([b"yes", "no"], ["yes", "no"], None, ("labels, row 0", "yes", "'yes' and 'no'")),
}


@pytest.mark.parametrize("name", REFUSED)
def test_is_refused(name: str) -> None:
    labels, verdicts, positive, words = REFUSED[name]
    with pytest.raises(WrongValues) as caught:
        measured(labels, verdicts, positive=positive)
    assert [word for word in words if word not in str(caught.value)] == []


@pytest.mark.parametrize("p", [NAN, 1.7, -0.1, math.inf, "0,5", "85%", "nan", True, "1" * 500, 10**400])
def test_no_probability(p: object) -> None:
    with pytest.raises(WrongValues, match="probabilities, row 1"):
        measured([True, False], [True, False], probabilities=[0.5, p])


@pytest.mark.parametrize("group", [None, "", NAN, ["a"]])
def test_no_group(group: object) -> None:
    with pytest.raises(WrongValues, match="groups, row 1"):
        measured([True, False], [True, False], groups=["a", group])


def test_everything_wrong_is_said_at_once_and_a_flood_is_cut_short() -> None:
    with pytest.raises(WrongValues) as caught:
        measured(["yes", "no", *["?"] * 1000], ["yes", "no", *["maybe"] * 1000], probabilities=[2] * 1002)
    assert {problem.column for problem in caught.value.problems} == {"labels", "verdicts", "probabilities"}
    assert len(caught.value.problems) == 60
    assert "981 more" not in str(caught.value) and "980 more" in str(caught.value)


def test_columns_of_different_length_and_text_as_a_column() -> None:
    with pytest.raises(ValueError, match="one value per row"):
        measured([True], [True, False])
    with pytest.raises(TypeError, match="one value per row"):
        measured("yes", ["yes"])


@pytest.mark.parametrize("level", [0, 1, NAN, 95])
def test_no_level(level: float) -> None:
    with pytest.raises(ValueError, match="level"):
        evaluate([True], [True], level=level)


# --- missing is neither wrong nor dropped ---


def test_missing_verdicts_are_unscored_missing_labels_unlabelled_and_the_books_balance() -> None:
    found = measured(["yes", "no", None, "", "yes"], ["yes", None, "yes", " ", "no"])
    books = found.books
    assert (books.expected, books.scored, books.unscored) == (5, 3, 2)
    assert (books.measured, books.unlabelled, books.labelled_unscored) == (2, 1, 1)
    assert found.coverage.value == 3 / 5
    assert found.worst["accuracy"] == (1 / 3, 2 / 3)


def test_nothing_measured_has_reasons_not_numbers() -> None:
    for found in (measured([], []), measured(["yes", None], [None, "no"])):
        assert {e.value for e in found.metrics.values()} == {None}
        assert "Nothing could be measured" in found.sentence
        assert found.decide(Limit("accuracy", 0.0)).status == "cannot decide"
        json.dumps(found.to_dict(), allow_nan=False)


def test_without_verdicts_yes_is_a_probability_of_at_least_a_half() -> None:
    found = measured([True, False, False], None, probabilities=[0.5, 0.49, None])
    assert found.counts == {"tp": 1, "fp": 0, "fn": 0, "tn": 1} and found.books.unscored == 1


def test_confidence_in_the_verdict_is_not_taken_in_silence() -> None:
    found = measured([True, False] * 10, [True, False] * 10, probabilities=[0.9] * 20)
    assert "confidence in the verdict" in found.notes[0]


# --- figures ---


@pytest.mark.parametrize("seed", range(3))
def test_figures_are_those_of_scikit_learn(seed: int) -> None:
    from sklearn import metrics as oracle

    labels, verdicts, stated = sample(150, seed)
    found = measured(labels, verdicts, probabilities=stated).metrics
    expected = {
        "precision": oracle.precision_score(labels, verdicts),
        "recall": oracle.recall_score(labels, verdicts),
        "specificity": oracle.recall_score(labels, verdicts, pos_label=False),
        "npv": oracle.precision_score(labels, verdicts, pos_label=False),
        "accuracy": oracle.accuracy_score(labels, verdicts),
        "f1": oracle.f1_score(labels, verdicts),
        "balanced_accuracy": oracle.balanced_accuracy_score(labels, verdicts),
        "mcc": oracle.matthews_corrcoef(labels, verdicts),
        "cohen_kappa": oracle.cohen_kappa_score(labels, verdicts),
        "auroc": oracle.roc_auc_score(labels, stated),
        "average_precision": oracle.average_precision_score(labels, stated),
        "brier": oracle.brier_score_loss(labels, stated),
        "log_loss": oracle.log_loss(labels, stated),
    }
    assert {name: found[name].value for name in expected} == pytest.approx(expected, abs=1e-9)
    for name in ("precision", "f1", "mcc"):
        assert getattr(metrics, name)(labels, verdicts, resamples=FEW).value == pytest.approx(expected[name], abs=1e-9)
    assert metrics.auroc(labels, stated, resamples=FEW).value == pytest.approx(expected["auroc"], abs=1e-9)


def test_twenty_of_twenty_is_never_certain() -> None:
    found = measured([True, False] * 10, [True, False] * 10)
    sure = [e.name for e in found.metrics.values() if e.value is not None and e.low == e.high]
    assert sure == [] and found.metrics["accuracy"].low is not None and found.metrics["accuracy"].low < 1
    assert "[1, 1]" not in found.table() and "[1.00, 1.00]" not in found.table()
    assert found.decide(Limit("accuracy", 1.0)).status == "cannot decide"


def test_one_class_gives_no_kappa_and_nothing_in_favour() -> None:
    found = measured([True] * 30, [True] * 30)
    assert found.metrics["cohen_kappa"].value is None and "every label is True" in found.sentence
    assert found.decide(Limit("recall", 0.5)).status == "cannot decide"


def test_always_yes_on_twins_claims_no_precision() -> None:
    found = measured(["yes", "no"] * 100, ["yes"] * 200, groups=[i // 2 for i in range(200)])
    assert "precision" not in found.sentence and "one cannot tell it from always saying 'yes'" in found.sentence
    assert found.metrics["precision"].value is None and "by design" in str(found.metrics["precision"].undefined)
    assert found.decide(Limit("precision", 0.3)).status == "cannot decide"


def test_a_good_judge_on_twins_claims_recall_and_specificity() -> None:
    labels = ["yes", "no"] * 100
    verdicts = ["yes" if yes == "yes" or i % 20 == 1 else "no" for i, yes in enumerate(labels)]
    told = measured(labels, verdicts, groups=[i // 2 for i in range(200)]).sentence
    assert "precision" not in told and "recall is at least ." in told and "specificity is at least ." in told


def test_a_judge_that_is_always_wrong_is_worse_than_guessing() -> None:
    assert "worse than guessing" in measured([True, False] * 30, [False, True] * 30).sentence


def test_a_judge_that_guesses_is_told_so_and_claims_nothing() -> None:
    generator = random.Random(4)
    found = measured([i % 10 != 0 for i in range(200)], [generator.random() < 0.5 for _ in range(200)])
    assert "cannot tell it from guessing" in found.sentence and "at least" not in found.sentence
    assert "Always saying True agrees with 180" in found.sentence


def test_a_limit_is_met_by_the_lower_bound_and_not_met_by_the_upper() -> None:
    labels, verdicts, _ = sample(200, 1)
    found = measured(labels, verdicts)
    recall = found.metrics["recall"]
    assert recall.low is not None and recall.high is not None and recall.value is not None
    assert found.decide(Limit("recall", recall.low)).status == "met"
    assert found.decide(Limit("recall", recall.high)).status == "cannot decide"
    assert found.decide(Limit("recall", recall.high + 1e-9)).status == "not met"
    straddling = found.decide(Limit("recall", recall.low + 0.02))
    assert straddling.status == "cannot decide" and "more labels" in straddling.reason and straddling.more_labels


def test_missing_verdicts_can_undo_a_limit() -> None:
    found = measured([True, False] * 50, [True, False] * 25 + [None] * 50)
    decision = found.decide(Limit("accuracy", 0.8))
    assert decision.status == "cannot decide" and "missing verdict wrong it would be .50" in decision.reason


def test_the_promised_labels_decide_about_four_times_in_five() -> None:
    generator = np.random.default_rng(5)
    labels = np.ones(100, dtype=bool)
    verdicts = np.arange(100) < 86
    found = evaluate(labels, verdicts, resamples=FEW)
    more = metrics.Evaluation.decide(found, Limit("accuracy", 0.8)).more_labels
    assert more is not None
    size = 100 + more
    decided = 0
    for _ in range(300):
        low = metrics.accuracy(np.ones(size, dtype=bool), generator.random(size) < 0.86, resamples=FEW).low
        decided += low is not None and low >= 0.8
    assert 0.7 < decided / 300 < 0.93


# --- nothing but the data moves a figure ---

COLUMN = st.lists(
    st.tuples(st.booleans(), st.sampled_from([True, False, None]), st.integers(0, 6), st.sampled_from([0.1, 0.5, 0.8])),
    max_size=30,
)


@settings(max_examples=25, deadline=None)
@given(COLUMN, st.randoms(use_true_random=False))
def test_row_order_and_names_change_nothing(rows: list[tuple[Any, ...]], shuffle: random.Random) -> None:
    def of(rows: list[tuple[Any, ...]], name: str) -> dict[str, Any]:
        labels, verdicts, groups, stated = ([row[i] for row in rows] for i in range(4))
        named = [f"{name}{(g * 5) % 7}" for g in groups]
        return evaluate(labels, verdicts, groups=named, probabilities=stated, resamples=50).to_dict()

    moved = list(rows)
    shuffle.shuffle(moved)
    assert of(rows, "a") == of(moved, "z")


VALUE = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=4), st.sampled_from(["yes", "no"])
)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(VALUE, VALUE, VALUE), max_size=8), VALUE)
def test_any_values_are_measured_or_refused(rows: list[tuple[Any, ...]], positive: object) -> None:
    labels, verdicts, stated = ([row[i] for row in rows] for i in range(3))
    for probabilities in (None, stated):
        try:
            found = evaluate(labels, verdicts, probabilities=probabilities, positive=positive, resamples=20)
        except ValueError:
            continue
        json.dumps(found.to_dict(), allow_nan=False)
        assert max(map(len, found.table().splitlines())) <= 80


# --- tables in memory ---


def test_a_table_is_a_frame_or_columns_or_rows() -> None:
    import pandas as pd

    rows = [{"gold": "yes", "says": "yes", "id": i} for i in range(3)] + [{"gold": "no", "says": "yes", "id": 9}]
    frame = pd.DataFrame(rows)
    tables = (rows, frame, {name: frame[name].tolist() for name in frame.columns})
    found = [evaluate_table(t, label="gold", verdict="says", id="id", resamples=FEW).to_dict() for t in tables]
    assert found[0] == found[1] == found[2] and found[0]["counts"]["fp"] == 1


def test_a_frame_with_nan_is_told_how_to_mend_it() -> None:
    import pandas as pd

    frame = pd.DataFrame({"gold": ["yes", "no"], "says": ["yes", None]}, dtype="str")
    with pytest.raises(WrongValues, match=r"says, row 1 .*give None"):
        evaluate_table(frame, label="gold", verdict="says")
    mended = {"gold": frame["gold"], "says": frame["says"].astype(object).where(frame["says"].notna(), None)}
    assert evaluate_table(mended, label="gold", verdict="says", resamples=FEW).books.unscored == 1


@pytest.mark.parametrize("ids", [["a", "a"], [1, "1"], ["a", None]])
def test_an_id_stands_once(ids: list[object]) -> None:
    rows = [{"gold": True, "says": True, "id": name} for name in ids]
    with pytest.raises(WrongValues, match="id, row 1"):
        evaluate_table(rows, label="gold", verdict="says", id="id")


def test_a_column_that_is_not_there() -> None:
    with pytest.raises(ValueError, match="no column 'gold'; there are a, b"):
        evaluate_table({"a": [], "b": []}, label="gold", verdict="b")


@pytest.mark.parametrize("name", [*metrics.METRICS, *metrics.RANK_METRICS])
def test_every_metric_is_a_documented_function(name: str) -> None:
    told = getattr(metrics, name).__doc__
    parts = ("Formula:", "Range", "undefined", "Reference:", "Easily confused with")
    assert [part for part in parts if part not in told] == [] and name in metrics.__all__
