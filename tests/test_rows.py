"""Pairing verdicts with labels: the books balance, a tie is unscored, a missing sample is not run, labels keep their status."""

from __future__ import annotations

import itertools
import shutil
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from running_suites import Tree, case_tree, run_rows, suite_tree, votes_tree, without_timing, write

from bench.cases.layout import Layout
from bench.cli import main
from bench.labels.load import Label
from bench.measure.rows import NOT_RUN, Row, books, decide, pair
from bench.running.outcome import Outcome
from bench.running.store import StoredVerdict
from bench.running.suite import judge_suite
from bench.workspace import Selection, load, select, session_folders, views_of

EVERYTHING = Selection()
YES, NO, LATE, REFUSED = "yes", "no", "timeout", "refused"
REASONS = (LATE, REFUSED)


def sample(outcome: str | None, p: float | None = None, score: float | None = None) -> StoredVerdict | None:
    """A stored verdict; None where it is missing."""
    if outcome is None:
        return None
    if outcome in REASONS:
        return StoredVerdict(item="k", sample=0, unscored=outcome)  # type: ignore[arg-type]
    return StoredVerdict(item="k", sample=0, answer=outcome, p=p, score=score)


# samples -> answer, reason
DECISIONS: list[tuple[list[str | None], str | None, str | None]] = [
    ([YES], YES, None),
    ([NO], NO, None),
    ([LATE], None, LATE),
    ([None], None, NOT_RUN),
    ([YES, YES, NO], YES, None),
    ([NO, YES, NO], NO, None),
    ([YES, NO], None, "tied"),
    ([YES, NO, LATE], None, "tied"),  # majority of the scored samples, and these are two
    ([YES, LATE, LATE], YES, None),
    ([YES, YES, NO, NO], None, "tied"),
    (["1", "2", "2", "3"], "2", None),
    (["1", "1", "2", "2", "3"], None, "tied"),
    ([YES, YES, None], None, NOT_RUN),  # a majority now might not be one when the third is there
    ([LATE, None], None, NOT_RUN),
    ([LATE, REFUSED, REFUSED], None, REFUSED),
    ([LATE, REFUSED], None, REFUSED),  # even: the first by name
    ([REFUSED, LATE], None, REFUSED),
]


@pytest.mark.parametrize(("samples", "answer", "reason"), DECISIONS)
def test_the_decision_over_samples(samples: list[str | None], answer: str | None, reason: str | None) -> None:
    assert decide([sample(s) for s in samples])[:2] == (answer, reason)


@pytest.mark.parametrize("outcomes", [[YES, YES, NO], [YES, NO, LATE], [LATE, REFUSED, LATE], [YES, NO, None]])
def test_the_order_of_samples_decides_nothing(outcomes: list[str | None]) -> None:
    decisions = {decide([sample(o) for o in order]) for order in itertools.permutations(outcomes)}
    assert len(decisions) == 1


def test_numbers_are_the_mean_over_the_scored_samples() -> None:
    given = [sample(YES, 0.75, 4.0), sample(YES, 0.5), sample(NO, 0.25, 2.0), sample(LATE)]
    assert decide(given) == (YES, None, 0.5, 3.0)
    assert decide([sample(YES, p=0.0)]) == (YES, None, 0.0, None), "zero is a number"


LABELS = (
    Label("labelled", YES, "single_vote"),
    Label("labelled", NO, "adjudicated"),
    Label("unclear", None, "unanimous"),
    Label("unlabelled", None, "no_votes"),
    Label("unlabelled", None, "votes_differ"),
)


def row(outcome: str | None, label: Label) -> Row:
    answer, unscored, p, score = decide([sample(outcome)])
    return Row("S001", "a1", "polite", "f", "tickets", "all", label, answer, unscored, p, score, "S001.yaml", 1)


@given(st.lists(st.tuples(st.sampled_from([YES, NO, LATE, REFUSED, None]), st.sampled_from(LABELS)), max_size=30))
@settings(deadline=None)
def test_the_books_balance_for_every_mix(mix: list[tuple[str | None, Label]]) -> None:
    told = books([row(outcome, label) for outcome, label in mix])
    outcomes = Counter(outcome for outcome, _ in mix)
    assert told.balanced
    assert told.expected == len(mix)
    assert told.scored == outcomes[YES] + outcomes[NO]
    assert told.unscored == {reason: outcomes[reason] for reason in sorted(REASONS) if outcomes[reason]}
    assert told.not_run == outcomes[None]
    status = Counter(label.status for outcome, label in mix if outcome in (YES, NO))
    assert (told.labelled, told.unlabelled, told.unclear) == (
        status["labelled"],
        status["unlabelled"],
        status["unclear"],
    )


@pytest.mark.parametrize("outcome", [YES, LATE, None])
@pytest.mark.parametrize("label", LABELS)
def test_a_row_counts_where_both_sides_are_there(outcome: str | None, label: Label) -> None:
    assert row(outcome, label).counts is (outcome == YES and label.status == "labelled")


# --- on a suite ---

CASES = ("S001", "S002", "S003", "S004", "S005")


def votes() -> list[Tree]:
    """S001 agreed, S002 unclear, S003 differing, S004 one vote, S005 none."""
    return [
        votes_tree("S001", {"polite": "yes", "solved": "no"}),
        votes_tree("S001", {"polite": "yes", "solved": "no"}, "bea"),
        votes_tree("S002", {"polite": "unclear", "solved": "yes"}),
        votes_tree("S003", {"polite": "yes", "solved": "yes"}),
        votes_tree("S003", {"polite": "no", "solved": "yes"}, "bea"),
        votes_tree("S004", {"polite": "no"}),
    ]


def make(root: Path, samples: int = 1) -> Layout:
    judge = {"judge": "running_suites:Slow", "answers": ["polite", "solved"], "samples": samples}
    return write(root, suite_tree([judge]), [case_tree(case) for case in CASES], votes())


def paired(layout: Layout, selection: Selection = EVERYTHING, live: float | None = None) -> tuple[Outcome, list[Row]]:
    suite, labels = load(layout)
    chosen = select(suite, selection)
    (outcome,) = judge_suite(chosen, views_of(layout, session_folders(layout, [])), live_seconds=live)
    return outcome, list(pair(chosen, outcome, labels))


def test_the_label_of_each_status(tmp_path: Path) -> None:
    _, rows = paired(make(tmp_path))
    told = {f"{r.case}/{r.statement}": (r.label.status, r.label.answer, r.label.how) for r in rows}
    assert told == {
        "S001/polite": ("labelled", "yes", "unanimous"),
        "S001/solved": ("labelled", "no", "unanimous"),
        "S002/polite": ("unclear", None, "single_vote"),
        "S002/solved": ("labelled", "yes", "single_vote"),
        "S003/polite": ("unlabelled", None, "votes_differ"),
        "S003/solved": ("labelled", "yes", "unanimous"),
        "S004/polite": ("labelled", "no", "single_vote"),
        "S004/solved": ("unlabelled", None, "no_votes"),
        "S005/polite": ("unlabelled", None, "no_votes"),
        "S005/solved": ("unlabelled", None, "no_votes"),
    }
    tally = books(rows)
    assert (tally.expected, tally.labelled, tally.unlabelled, tally.unclear) == (10, 5, 4, 1) and tally.balanced


def test_a_ruling_settles(tmp_path: Path) -> None:
    layout = make(tmp_path)
    folder = layout.labels / "adjudicated"
    folder.mkdir(parents=True)
    (folder / "S003.yaml").write_text(
        'schema: 1\ncase: S003\nadjudicator: chair\nmade_by: person\nguide: "1"\nat: 2026-05-05T09:00:00+00:00\n'
        'rulings:\n  - {attempt: a1, statement: polite, answer: "no", reason: the guide says so}\n'
    )
    _, rows = paired(layout)
    assert {r.label for r in rows if (r.case, r.statement) == ("S003", "polite")} == {
        Label("labelled", "no", "adjudicated")
    }


def test_one_missing_sample_is_not_run_and_never_a_smaller_majority(tmp_path: Path) -> None:
    layout = make(tmp_path, samples=3)
    _, rows = paired(layout)
    assert all(r.answer is not None for r in rows)
    (path,) = layout.runs.glob("running-suites*.jsonl")
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[1:]))
    outcome, rows = paired(layout, live=0)
    assert len(outcome.missing) == 1
    assert Counter(r.unscored for r in rows) == {None: 9, NOT_RUN: 1}
    assert books(rows).not_run == 1 and books(rows).balanced


def test_rows_stand_in_order_with_the_place_of_their_attempt(tmp_path: Path) -> None:
    _, rows = paired(make(tmp_path))
    assert [(r.case, r.statement) for r in rows] == [(c, s) for c in CASES for s in ("polite", "solved")]
    assert {r.file for r in rows if r.case == "S002"} == {"cases/support/S002.yaml"}
    assert all(r.line == 1 and r.split == "all" for r in rows)


def test_a_selection_pairs_its_part_only(tmp_path: Path) -> None:
    layout = make(tmp_path)
    _, everything = paired(layout)
    _, part = paired(layout, Selection(cases=("S00[13]",)))
    assert part == [r for r in everything if r.case in ("S001", "S003")]


def test_judging_without_labels_gives_the_same_rows(tmp_path: Path) -> None:
    """No judge can see a label: with the whole tree of labels gone, every stored row is the same."""
    judges = [
        {"judge": "running_suites:Slow", "answers": ["polite", "solved"]},
        {"judge": "exact", "answers": ["solved"]},
        {"judge": "anchors", "answers": ["solved"]},
        {"judge": "prompts", "answers": ["polite"], "parameters": {"at_least": "1"}},
    ]
    runs = []
    for name in ("with", "without"):
        layout = write(tmp_path / name, suite_tree(judges), [case_tree(case) for case in CASES], votes())
        if name == "without":
            shutil.rmtree(layout.root / "labels")
        assert main(["run", "--suite", str(layout.suite)]) == 0
        indexes = (layout.runs / "projections.jsonl").read_bytes()
        manifests = {p.name: p.read_bytes() for p in layout.runs.glob("*.json")}
        rows = {judge: [without_timing(r) for r in rows] for judge, rows in run_rows(layout).items()}
        runs.append((rows, manifests, indexes))
    assert len(runs[0][0]) == 4
    assert runs[0] == runs[1]
