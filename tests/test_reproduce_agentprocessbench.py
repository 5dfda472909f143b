"""AgentProcessBench's published table of 20 judges, and what becomes of it when failed calls are not credited.

Source of every expected value: ../shared/data/agentprocessbench/SOURCE.md and published_table.json, read from
figs/Results.png of RUCBM/AgentProcessBench @ 0a42606 (arXiv:2603.14465, main results table).
"""

from __future__ import annotations

import csv
import json
from collections import Counter, defaultdict
from fractions import Fraction
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from sklearn import metrics as oracle

from bench.labels.load import Label
from bench.measure.categories import CategoryTable, accuracy, cohen_kappa, count_categories, macro, precision_and_recall
from bench.measure.estimate import Estimate
from bench.measure.items import share_of_items
from bench.measure.rows import Row, books

DATA = Path(__file__).parents[2] / "shared" / "data" / "agentprocessbench"
pytestmark = pytest.mark.skipif(
    not DATA.is_dir(), reason="../shared/data/agentprocessbench is not beside this repository"
)

SUBSETS = {"HotPotQA": "hotpotqa", "GAIA": "gaia_dev", "BFCL": "bfcl", "tau2": "tau2"}
LLAMA_3B = "Llama-3.2-3B-Instruct"
NO_ERROR = "none"
Trajectory = tuple[str, str, str]  # dataset, query, sample; the samples of one query are a family
Step = dict[str, str]

OFF = 11  # SOURCE.md: cells of 200 that differ by 0.1 from the printed digit, all others do not differ


def read(name: str) -> list[Step]:
    with (DATA / name).open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines))


@cache
def published() -> dict[str, dict[str, float]]:
    found: dict[str, dict[str, float]] = json.loads((DATA / "published_table.json").read_text(encoding="utf-8"))
    return found


@cache
def steps() -> list[Step]:
    return read("steps_gold_and_20_judges.csv")


@cache
def trajectories() -> dict[Trajectory, list[Step]]:
    found: dict[Trajectory, list[Step]] = defaultdict(list)
    for step in steps():
        found[trajectory(step)].append(step)
    return found


@cache
def failed_calls() -> frozenset[tuple[str, Trajectory]]:
    return frozenset((call["judge"], trajectory(call)) for call in read("failed_judge_calls.csv"))


def trajectory(row: Step) -> Trajectory:
    return row["dataset"], row["query_index"], row["sample_index"]


def first_error(path: list[Step], column: str) -> str:
    errors = [int(step["step"]) for step in path if step[column] == "-1"]
    return str(min(errors)) if errors else NO_ERROR


def share(hits: list[bool], names: list[Trajectory]) -> Estimate:
    return share_of_items("accuracy", hits, ["/".join(name[:2]) for name in names])


def published_way(judge: str, subset: str | None) -> tuple[Estimate, Estimate]:
    """(StepAcc, FirstErrAcc) by the published definitions: a missing step label is wrong, and so never an error step."""
    mine = [step for step in steps() if subset in (None, step["dataset"])]
    paths = {name: path for name, path in trajectories().items() if subset in (None, name[0])}
    return (
        share([step[judge] == step["gold"] for step in mine], [trajectory(step) for step in mine]),
        share([first_error(path, judge) == first_error(path, "gold") for path in paths.values()], list(paths)),
    )


@cache
def cells() -> dict[tuple[str, str], tuple[Fraction, float]]:
    """(judge, column) -> the exact percentage here and the printed one."""
    found = {}
    for judge, row in published().items():
        for title, subset in (*SUBSETS.items(), ("Average", None)):
            for figure, estimate in zip(("StepAcc", "FirstErrAcc"), published_way(judge, subset), strict=True):
                assert estimate.numerator is not None and estimate.denominator is not None
                column = f"{title}.{figure}"
                found[judge, column] = Fraction(100 * estimate.numerator, estimate.denominator), row[column]
    return found


def tenths(value: Fraction) -> int:
    """Rounded to the printed digit, exactly (no share here lies half-way between two)."""
    assert (20 * value).denominator != 1 or (10 * value).denominator == 1
    return round(10 * value)


def rows(judge: str, failed: frozenset[Trajectory]) -> list[Row]:
    """The project's rows: the first error step is the answer; a failed call is unscored, whatever the gold says."""
    return [
        Row(
            case="/".join(name),
            attempt="a1",
            statement="first_error",
            family="/".join(name[:2]),
            stratum=name[0],
            split="all",
            label=Label("labelled", first_error(path, "gold"), "adjudicated"),
            answer=None if name in failed else first_error(path, judge),
            unscored="error" if name in failed else None,
            p=None,
            score=None,
            file="steps_gold_and_20_judges.csv",
            line=None,
        )
        for name, path in trajectories().items()
    ]


def failures_of(judge: str) -> frozenset[Trajectory]:
    return frozenset(name for whose, name in failed_calls() if whose == judge)


def hits_of(scored: list[Row]) -> Estimate:
    return share_of_items(
        "accuracy", [row.answer == row.label.answer for row in scored], [row.family for row in scored]
    )


# --- the published table ---


def test_the_items_are_those_of_the_paper() -> None:
    # Abstract: 8,509 steps; SOURCE.md: 1,000 trajectories, steps +1 5,347 / -1 2,710 / 0 452.
    assert len(steps()) == 8509 and len(trajectories()) == 1000
    assert Counter(step["gold"] for step in steps()) == {"1": 5347, "-1": 2710, "0": 452}
    assert len(cells()) == 200


def test_189_of_200_cells_come_out_to_the_digit_and_the_others_are_off_by_one_tenth() -> None:
    distance = Counter(abs(tenths(here) - round(10 * printed)) for here, printed in cells().values())
    assert distance == {0: 200 - OFF, 1: OFF}


def test_the_cells_that_are_off_are_all_of_step_accuracy() -> None:
    off = {cell: here for cell, (here, printed) in cells().items() if tenths(here) != round(10 * printed)}
    assert {column.split(".")[1] for _, column in off} == {"StepAcc"}
    # SOURCE.md: 75.749 printed 75.8 and 83.469 printed 83.4. Both lie beside a rounding edge: two roundings, or a cut.
    named = {("HotPotQA.StepAcc", "75.749", 75.8), ("tau2.StepAcc", "83.469", 83.4)}
    assert named <= {
        (column, f"{float(here):.3f}", published()[judge][column]) for (judge, column), here in off.items()
    }


def test_the_printed_average_is_over_steps_not_over_the_four_columns() -> None:
    column = "Average.StepAcc"
    assert all(
        abs(tenths(cells()[judge, column][0]) - round(10 * published()[judge][column])) <= 1 for judge in published()
    )
    # Printed of Llama-3.1-8B-Instruct: 34.6, 26.8, 61.2 and 61.1, whose mean is 45.9, and the average 52.3.
    row = published()["Llama-3.1-8B-Instruct"]
    mean = sum(row[f"{title}.StepAcc"] for title in SUBSETS) / 4
    assert (round(mean, 1), row[column], tenths(cells()["Llama-3.1-8B-Instruct", column][0])) == (45.9, 52.3, 523)


# --- failed calls, counted apart ---


def test_175_calls_failed_and_they_are_the_only_missing_labels() -> None:
    assert len(failed_calls()) == 175
    missing = {
        (judge, name)
        for name, path in trajectories().items()
        for judge in published()
        if any(step[judge] == "" for step in path)
    }
    assert missing == failed_calls()


def test_the_books_say_where_all_20_000_calls_went() -> None:
    every = [books(rows(judge, failures_of(judge))) for judge in published()]
    assert all(tally.balanced and tally.not_run == 0 for tally in every)
    assert (sum(t.expected for t in every), sum(t.scored for t in every)) == (20_000, 20_000 - 175)
    assert sum(t.unscored.get("error", 0) for t in every) == 175


def test_a_judge_that_always_fails_is_credited_38_6_by_the_published_rule() -> None:
    # SOURCE.md: 386 of 1,000 trajectories have no gold -1.
    credited = share([first_error(path, "gold") == NO_ERROR for path in trajectories().values()], list(trajectories()))
    assert (credited.numerator, credited.denominator) == (386, 1000)
    assert credited.percent(1) == "38.6 %" and published()[LLAMA_3B]["Average.FirstErrAcc"] < 38.6


def test_a_judge_that_always_fails_has_no_accuracy_here_and_coverage_0() -> None:
    all_failed = rows(LLAMA_3B, frozenset(trajectories()))
    tally = books(all_failed)
    assert tally.balanced and (tally.expected, tally.scored, tally.unscored) == (1000, 0, {"error": 1000})
    found = hits_of([row for row in all_failed if row.counts])
    assert found.value is None and found.cell() == "n/a (0 items)"
    coverage = share_of_items(
        "coverage", [row.answer is not None for row in all_failed], [row.family for row in all_failed]
    )
    assert coverage.percent() == "0 %" and (coverage.numerator, coverage.denominator) == (0, 1000)


def test_llama_3b_without_the_credit_for_its_failed_calls() -> None:
    # SOURCE.md: 30 of the 375 published hits come from failed calls; failed_judge_calls.csv holds 98 of this judge.
    mine = rows(LLAMA_3B, failures_of(LLAMA_3B))
    scored = [row for row in mine if row.counts]
    found, tally = hits_of(scored), books(mine)
    assert tally.unscored == {"error": 98}
    assert (found.numerator, found.denominator) == (375 - 30, 1000 - 98)
    coverage = share_of_items("coverage", [row.answer is not None for row in mine], [row.family for row in mine])
    assert (coverage.numerator, coverage.denominator) == (902, 1000)
    # Had the 98 been answered, all wrong or all right: 34.5 to 44.3; the published 37.5 is one guess between them.
    assert (375 - 30) / 1000 < published()[LLAMA_3B]["Average.FirstErrAcc"] / 100 < (375 - 30 + 98) / 1000


# --- three categories (-1, 0, 1), held against scikit-learn on the published labels ---


def table(judge: str) -> tuple[list[str], list[str], CategoryTable]:
    mine = [step for step in steps() if step[judge] != ""]
    gold, said = [step["gold"] for step in mine], [step[judge] for step in mine]
    families = ["/".join(trajectory(step)[:2]) for step in mine]
    return gold, said, count_categories(gold, said, families, declared=("-1", "0", "1"))


@pytest.mark.parametrize("judge", ["GPT-5.2-Chat", "Kimi-K2.5-Thinking", LLAMA_3B])
def test_three_categories_are_those_of_scikit_learn(judge: str) -> None:
    gold, said, found = table(judge)
    assert accuracy(found).value == pytest.approx(oracle.accuracy_score(gold, said), abs=1e-9)
    kappa = cohen_kappa(found, seed=1, resamples=500)
    assert kappa.value == pytest.approx(oracle.cohen_kappa_score(gold, said), abs=1e-9)
    assert kappa.low is not None and kappa.high is not None and kappa.low < kappa.value < kappa.high
    precision, recall, _, _ = oracle.precision_recall_fscore_support(gold, said, labels=found.categories)
    for index, (ours_precision, ours_recall) in enumerate(precision_and_recall(found).values()):
        assert ours_precision.value == pytest.approx(precision[index], abs=1e-9)
        assert ours_recall.value == pytest.approx(recall[index], abs=1e-9)
    assert macro("recall", found, 1, 500).value == pytest.approx(np.mean(recall), abs=1e-9)
    assert macro("precision", found, 1, 500).value == pytest.approx(np.mean(precision), abs=1e-9)
