"""LLMBar's published counts, all of them; and why its published kappas are refused.

Source of every expected value: ../shared/data/llmbar/SOURCE.md and the ``published_statistics`` beside each run
(statistics.json of princeton-nlp/LLMBar @ 900616b; arXiv:2310.07641).
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from pathlib import Path

import pytest
from sklearn import metrics as oracle

from bench.measure.categories import accuracy, cohen_kappa, count_categories, macro, precision_and_recall
from bench.measure.estimate import Estimate
from bench.measure.items import share_of_items
from bench.measure.labels import same_label_set

DATA = Path(__file__).parents[2] / "shared" / "data" / "llmbar"
needs_data = pytest.mark.skipif(not DATA.is_dir(), reason="../shared/data/llmbar is not beside this repository")

ADVERSARIAL = ("Neighbor", "GPTInst", "GPTOut", "Manual")
UNREADABLE = "None"  # the verdict of a reply that named neither output


@dataclass(frozen=True)
class Run:
    """One evaluator on one subset: gold, and verdicts in both orders of presentation (the second turned back)."""

    subset: str
    evaluator: str
    gold: tuple[str, ...]
    first: tuple[str, ...]
    second: tuple[str, ...]
    published: dict[str, str | float]

    def sides(self) -> Iterator[tuple[str, tuple[str, ...], tuple[str, ...]]]:
        """The three kappas and what each compares."""
        yield "kappa_False", self.gold, self.first
        yield "kappa_True", self.gold, self.second
        yield "kappa_agreement", self.first, self.second


@cache
def runs() -> tuple[Run, ...]:
    found = [run for part in ("LLMBar", "Processed", "CaseStudy") for run in read(f"{part}_verdicts.json")]
    return tuple(
        Run(
            r["subset"],
            r["evaluator"],
            tuple(map(str, r["gold"])),
            tuple(r["verdict_order_AB"]),
            tuple(r["verdict_order_BA"]),
            r["published_statistics"],
        )
        for r in found
    )


def read(name: str) -> list[dict[str, object]]:
    found: list[dict[str, object]] = json.loads((DATA / name).read_text(encoding="utf-8"))
    return found


def items(count: int) -> list[str]:
    return [f"item{i}" for i in range(count)]


def count_of(text: str | float) -> tuple[int, int]:
    """'33 / 92 = 35.9%' -> (33, 92)."""
    hits, size = str(text).split("=")[0].split("/")
    return int(hits), int(size)


def right(run: Run, verdicts: tuple[str, ...]) -> Estimate:
    """Accuracy as the authors count: a reply that named neither output is a wrong answer."""
    hits = [label == verdict for label, verdict in zip(run.gold, verdicts, strict=True)]
    return share_of_items("accuracy", hits, items(len(hits)))


def kappa(labels: tuple[str, ...], verdicts: tuple[str, ...], declared: tuple[str, ...]) -> Estimate:
    return cohen_kappa(count_categories(labels, verdicts, items(len(labels)), declared=declared), seed=1, resamples=20)


def coded(values: tuple[str, ...]) -> tuple[str, ...]:
    """What the repository does to verdicts before a kappa: everything but "0" and "1" becomes 0 (SOURCE.md)."""
    return tuple(value if value in ("0", "1") else "0" for value in values)


def as_published(name: str, first: tuple[str, ...]) -> tuple[str, ...]:
    """Gold keeps its 1 and 2; verdicts are coded."""
    return coded(first) if name == "kappa_agreement" else first


# --- the counts ---


@needs_data
def test_1_996_of_1_996_counts_and_499_of_499_averages() -> None:
    matching: Counter[str] = Counter()
    for run in runs():
        both = [a == b == label for label, a, b in zip(run.gold, run.first, run.second, strict=True)]
        equal = [a == b for a, b in zip(run.first, run.second, strict=True)]
        found = {
            "correct_False": right(run, run.first),
            "correct_True": right(run, run.second),
            "correct_both": share_of_items("both", both, items(len(both))),
            "equal": share_of_items("equal", equal, items(len(equal))),
        }
        for name, estimate in found.items():
            matching[name] += (estimate.numerator, estimate.denominator) == count_of(run.published[name])
        values = [found[name].value for name in ("correct_False", "correct_True")]
        average = 100 * sum(value for value in values if value is not None) / 2
        matching["correct_average"] += abs(average - float(str(run.published["correct_average"]).rstrip("%"))) < 1e-9
    assert matching == dict.fromkeys(("correct_False", "correct_True", "correct_both", "equal", "correct_average"), 499)


@needs_data
def test_the_best_evaluator_scores_82_8_on_adversarial() -> None:
    # arXiv:2310.07641: GPT-4 with Metrics and Reference, 82.8, the plain mean of four subsets and two orders.
    best = [
        run for run in runs() if run.evaluator == "GPT-4/Metrics_Reference" and run.subset.split("/")[-1] in ADVERSARIAL
    ]
    values = [right(run, side).value for run in best for side in (run.first, run.second)]
    assert len(best) == 4 and None not in values
    assert round(100 * sum(value for value in values if value is not None) / len(values), 1) == 82.8


# --- the kappas ---


@needs_data
def test_the_label_sets_behind_the_published_kappas_are_refused() -> None:
    """Gold holds 1 and 2, coded verdicts 0 and 1: no kappa comes of any of the 998."""
    outcome: Counter[str] = Counter()
    for run in runs():
        for verdicts in (run.first, run.second):
            outcome[refusal_or_reason(run.gold, coded(verdicts))] += 1
    refusal = (
        "labels use {'1', '2'}, verdicts use {'0', '1'}: verdict '0' is outside the label set, and nothing is recoded"
    )
    # Where nothing but "1" was said no foreign label shows, and one category gives no kappa either.
    assert outcome == {
        refusal: 998 - one_word_runs("1") - only_foreign(),
        refusal.replace("{'0', '1'}", "{'0'}"): only_foreign(),
        "verdicts hold 1 category only (1)": one_word_runs("1"),
    }


def refusal_or_reason(labels: tuple[str, ...], verdicts: tuple[str, ...]) -> str:
    try:
        table = count_categories(labels, verdicts, items(len(labels)))
    except ValueError as refusal:
        return str(refusal)
    return str(cohen_kappa(table, seed=1).undefined)


def only_foreign() -> int:
    """Runs without a single "1", which the coding turns into nothing but 0."""
    return sum("1" not in verdicts for run in runs() for verdicts in (run.first, run.second))


def one_word_runs(word: str) -> int:
    return sum(set(verdicts) == {word} for run in runs() for verdicts in (run.first, run.second))


@needs_data
def test_verdicts_that_named_neither_output_are_refused_as_they_stand() -> None:
    holed = next(run for run in runs() if UNREADABLE in run.first)
    with pytest.raises(ValueError, match=r"labels use \{'1', '2'\}, verdicts use \{'1', '2', 'None'\}"):
        count_categories(holed.gold, holed.first, items(len(holed.gold)))


@needs_data
def test_with_their_coding_1_497_of_1_497_published_kappas_are_reproduced() -> None:
    """Only a declared set {0, 1, 2} lets the coding in. Where one side holds one word, 0.0 is printed and is none."""
    outcome: Counter[str] = Counter()
    for run in runs():
        for name, first, second in run.sides():
            found = kappa(as_published(name, first), coded(second), ("0", "1", "2"))
            if found.value is None:
                assert run.published[name] == 0.0
            outcome["undefined" if found.value is None else same(found.value, run.published[name])] += 1
    assert outcome["differs"] == 0 and outcome.total() == 1497
    assert outcome["undefined"] == one_sided()


@needs_data
def test_computed_correctly_1_087_of_1_497_differ() -> None:
    """SOURCE.md's 1,087 takes "None" for a third category; that is a declaration, and nothing is recoded by it."""
    outcome: dict[str, Counter[str]] = {"judge": Counter(), "agreement": Counter()}
    for run in runs():
        for name, first, second in run.sides():
            found = kappa(first, second, ("1", "2", UNREADABLE))
            assert is_by_hand(found, first, second)
            kind = "agreement" if name == "kappa_agreement" else "judge"
            outcome[kind]["undefined" if found.value is None else same(found.value, run.published[name])] += 1
    total = outcome["judge"] + outcome["agreement"]
    assert total["differs"] == 1087 and total.total() == 1497 and total["undefined"] == one_sided()
    # No kappa of judge and gold is right; two codings of both orders alike lose something only where "None" was said.
    assert outcome["judge"]["same"] == 0 and outcome["agreement"]["differs"] <= runs_with_unreadable()


@needs_data
def test_unreadable_verdicts_left_out_as_unscored() -> None:
    """The project's own way with "None": unscored, so that no kappa of judge and gold comes out as published either."""
    for run in runs():
        for name, first, second in run.sides():
            scored = [pair for pair in zip(first, second, strict=True) if UNREADABLE not in pair]
            said, also = (tuple(side) for side in zip(*scored, strict=True))
            found = kappa(said, also, ("1", "2"))
            assert is_by_hand(found, said, also)
            if name != "kappa_agreement":
                assert found.value is None or same(found.value, run.published[name]) == "differs"


@needs_data
def test_gpt_4_vanilla_on_natural() -> None:
    # SOURCE.md: published kappa_False 0.268 beside an accuracy of 95 of 100.
    run = next(r for r in runs() if r.subset == "LLMBar/Natural" and r.evaluator == "GPT-4/Vanilla")
    found = right(run, run.first)
    assert round(float(run.published["kappa_False"]), 3) == 0.268
    assert (found.numerator, found.denominator) == (95, 100)
    correct = kappa(run.gold, run.first, ("1", "2")).value
    assert correct == pytest.approx(oracle.cohen_kappa_score(run.gold, run.first), abs=1e-9)
    assert correct is not None and correct > 0.85


def same(value: float, printed: str | float) -> str:
    return "same" if abs(value - float(printed)) < 1e-9 else "differs"


def is_by_hand(found: Estimate, first: tuple[str, ...], second: tuple[str, ...]) -> bool:
    """Whether it is (p_o - p_e) / (1 - p_e) in fractions, or nothing where a side holds one word (Cohen 1960)."""
    ours, theirs, size = Counter(first), Counter(second), len(first)
    if 1 in (len(ours), len(theirs)):
        return found.value is None
    observed = Fraction(sum(a == b for a, b in zip(first, second, strict=True)), size)
    chance = Fraction(sum(ours[word] * theirs[word] for word in ours), size * size)
    return found.value is not None and abs(found.value - (observed - chance) / (1 - chance)) < 1e-9


def runs_with_unreadable() -> int:
    return sum(UNREADABLE in run.first + run.second for run in runs())


def one_sided() -> int:
    """Comparisons in which one side used one word only, so that chance explains everything."""
    return sum(len(set(first)) == 1 or len(set(second)) == 1 for run in runs() for _, first, second in run.sides())


# --- the label set itself ---


def test_the_set_is_that_of_the_labels_and_a_judge_need_not_use_all_of_it() -> None:
    assert same_label_set(["b", "a", "b"], ["b", "b", "b"]) == ("a", "b")
    assert same_label_set(["a"], ["b"], declared=["c", "b", "a"]) == ("a", "b", "c")
    assert same_label_set([], []) == ()


@pytest.mark.parametrize(
    ("labels", "verdicts", "declared", "message"),
    [
        ([1, 2], [0, 1], None, r"labels use \{1, 2\}, verdicts use \{0, 1\}: verdict 0 is outside the label set"),
        ([1, 2], ["1", "2"], None, r"labels use \{1, 2\}, verdicts use \{'1', '2'\}: verdict '1' is outside"),
        ([True, False], [1, 0], None, r"labels use \{False, True\}, verdicts use \{0, 1\}"),
        (["yes", "no"], ["Yes", "no"], None, "verdict 'Yes' is outside"),
        (["yes", "maybe"], ["yes"], ["yes", "no"], r"declared are \{'no', 'yes'\}: label 'maybe' is outside"),
        (["yes", "no"], ["maybe"], ["yes", "no"], "verdict 'maybe' is outside"),
        ([1, "1"], [1, "1"], None, "one kind of value"),
        (["a", None], ["a", "a"], None, "labels: None is no category"),
        (["a", "a"], ["a", float("nan")], None, "verdicts: nan is no category"),
        ([1.0, 2.0], [1, 2], None, "labels: 1.0 is no category|labels: 2.0 is no category"),
    ],
)
def test_another_label_set_is_an_error(
    labels: list[str | int], verdicts: list[str | int], declared: list[str | int] | None, message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        same_label_set(labels, verdicts, declared)
    with pytest.raises(ValueError, match=message):
        count_categories(labels, verdicts, items(len(labels)), declared=declared)


def test_a_category_that_is_absent_has_no_part_in_a_macro_average() -> None:
    # By hand: recall of a is 2/3, of b 1/1; c is declared and never labelled. Dividing by three would give .56.
    table = count_categories(["a", "a", "a", "b"], ["a", "a", "c", "b"], items(4), declared=["a", "b", "c"])
    recall = macro("recall", table, seed=1)
    assert recall.value == pytest.approx((2 / 3 + 1) / 2, abs=1e-12)
    assert recall.note is not None and "0 labelled c" in recall.note and recall.too_few
    assert macro("precision", table, seed=1).value == pytest.approx(1.0)
    assert precision_and_recall(table)["c"][1].undefined == "0 labelled c"
    assert precision_and_recall(table)["c"][0].cell().startswith("0/1")


def test_nothing_is_made_up_where_nothing_is_defined() -> None:
    never = count_categories(["a", "b", "b"], ["b", "b", "b"], items(3))
    assert macro("precision", never, seed=1).undefined == "0 predicted a"
    assert cohen_kappa(never, seed=1).undefined == "verdicts hold 1 category only (b)"
    one = count_categories(["a"] * 5, ["a"] * 5, items(5))
    assert cohen_kappa(one, seed=1).undefined == "labels hold 1 category only (a)"
    assert (accuracy(one).cell()).startswith("5/5")
    for nothing in (count_categories([], [], []), count_categories([], [], [], declared=["a", "b"])):
        found = (accuracy(nothing), cohen_kappa(nothing, seed=1), macro("recall", nothing, seed=1))
        assert [estimate.undefined for estimate in found] == ["0 items"] * 3
