"""Aider on SWE-bench Lite: the published tables, and its self-check as a judge of its own work.

Source of every expected value: ../shared/data/aider_swebench_lite/SOURCE.md (predictions README of
paul-gauthier/aider-swe-bench @ 6e98cd6 and aider.chat/2024/05/22/swe-bench-lite.html).
"""

from __future__ import annotations

import csv
from collections.abc import Callable
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from bench.measure.counts import FamilyVectors, count_families
from bench.measure.estimate import Estimate
from bench.measure.intervals import intervals
from bench.measure.items import share_of_items
from bench.measure.metrics import METRICS
from bench.measure.passk import CaseAttempts, mean_pass

DATA = Path(__file__).parents[2] / "shared" / "data" / "aider_swebench_lite" / "instances.csv"
pytestmark = pytest.mark.skipif(
    not DATA.is_file(), reason="../shared/data/aider_swebench_lite is not beside this repository"
)

Instance = dict[str, str]


@cache
def instances() -> list[Instance]:
    with DATA.open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines))


def by_opus(row: Instance) -> bool:
    """Eight rows have no model and count as gpt-4o."""
    return "opus" in row["model"]


def attempt(row: Instance) -> int:
    """GPT-4o and Opus take turns, three times at most."""
    return 2 * int(row["try"]) - (not by_opus(row))


def resolved(row: Instance) -> bool:
    return truth(row["resolved"]) is True


def truth(word: str) -> bool | None:
    return {"True": True, "False": False, "": None}[word]


def vouched(row: Instance) -> bool:
    """The rule judge: edit, lint and test all True; a check that was never reached vouches for nothing."""
    return all(truth(row[f"{check}_outcome"]) is True for check in ("edit", "lint", "test"))


def share(hit: Callable[[Instance], bool], rows: list[Instance]) -> Estimate:
    return share_of_items("share", [hit(row) for row in rows], [row["instance_id"] for row in rows])


def counts() -> FamilyVectors:
    labels, verdicts = (np.array([side(row) for row in instances()]) for side in (resolved, vouched))
    return count_families(labels, verdicts, [row["instance_id"] for row in instances()])


@pytest.mark.parametrize(
    ("number", "proposed", "correct"),
    # The attempts table: proposed solutions and, of these, resolved ones.
    [(1, 208, 61), (2, 49, 10), (3, 20, 3), (4, 9, 2), (5, 11, 2), (6, 3, 1)],
)
def test_the_attempts_table(number: int, proposed: int, correct: int) -> None:
    found = share(resolved, [row for row in instances() if attempt(row) == number])
    assert (found.denominator, found.numerator) == (proposed, correct)


def test_no_instance_is_outside_the_attempts_table() -> None:
    assert len(instances()) == 300 and {attempt(row) for row in instances()} == set(range(1, 7))


@pytest.mark.parametrize(("opus", "size", "hits", "percent"), [(False, 239, 66, "27.6 %"), (True, 61, 13, "21.3 %")])
def test_the_table_by_model(opus: bool, size: int, hits: int, percent: str) -> None:
    found = share(resolved, [row for row in instances() if by_opus(row) is opus])
    assert (found.denominator, found.numerator, found.percent(1)) == (size, hits, percent)


def test_pass_at_1_is_26_3() -> None:
    cases = [CaseAttempts(row["instance_id"], row["instance_id"], 1, int(resolved(row))) for row in instances()]
    found = mean_pass("pass@k", cases, 1, seed=1, resamples=200)
    assert (found.cases, found.excluded) == (300, 0) and found.estimate.percent(1) == "26.3 %"
    assert sum(map(resolved, instances())) == 79


def test_the_right_file_was_in_the_chat_in_70_3_percent() -> None:
    def found_it(row: Instance) -> bool:
        return bool(set(row["gold_files"].split("|")) & set(row["added_files"].split("|")))

    found = share(found_it, instances())
    assert (found.numerator, found.percent(1)) == (211, "70.3 %")  # 211 = .703 x 300


def test_the_self_check_as_a_judge() -> None:
    # SOURCE.md, computed there and not published: TP 70 FP 144 FN 9 TN 77; precision .3271 recall .8861 F1 .4778.
    assert counts().totals().tolist() == [70, 144, 9, 77]
    names = ("precision", "recall", "f1")
    found = dict(zip(names, intervals([METRICS[n] for n in names], counts(), seed=1, resamples=500), strict=True))
    assert {name: estimate.cell(4).split()[0] for name, estimate in found.items()} == {
        "precision": ".3271",
        "recall": ".8861",
        "f1": ".4778",
    }
    assert all(e.low is not None and e.high is not None and e.low < (e.value or 0) < e.high for e in found.values())


def test_a_judge_that_vouches_for_itself_nearly_trebles_pass_at_1() -> None:
    # Closed form from the counts above: (70 + 144) / 300 against (70 + 9) / 300.
    judged = share(vouched, instances())
    assert (judged.numerator, judged.denominator) == (70 + 144, 300)
