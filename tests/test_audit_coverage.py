"""Counts of authored cases and cells: what is there, what is demanded, what may be empty; where deciding events stand."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from running_suites import Tree, case_tree, note_tree, suite_tree, votes_tree, write
from twin_suites import material_of, twin_suite, twin_trees, write_twins

from bench.audits.audits import AUDITS, audit_checks
from bench.audits.authored import Authored, middle_third
from bench.audits.coverage import coverage_matrix, deciding_event_position, phenomena
from bench.audits.lengths import length_on_natural
from bench.audits.lint import lint
from bench.audits.material import Material
from bench.benchmark import examine
from bench.cli import main
from bench.problems import BrokenInput, Problem
from bench.workspace import session_folders

WORDS = {"praise": "praise after a tool call", "two-lessons": "more than one lesson"}


def suite(minimums: list[Tree] = [], **rules: Any) -> Tree:  # noqa: B006 (never changed)
    tree = suite_tree([], rules={"minimums": minimums, "votes_per_item": 0, **rules})
    tree["vocabulary"] |= {"phenomena": WORDS, "tags": {"non-english": "no English", "long": "long"}}
    return tree


def three_cases() -> tuple[list[Tree], list[Tree]]:
    """Three authored cases of 3 events each; two with praise, one of them not English, its deciding event in the middle."""
    cases = [case_tree(f"S00{i}") for i in (1, 2, 3)]
    cases[0]["metadata"]["tags"] = ["non-english"]
    notes = [note_tree(case["id"]) for case in cases]
    notes[0] |= {"phenomena": ["praise"], "deciding_events": [2, 3]}
    notes[1] |= {"phenomena": ["praise", "praise"], "deciding_events": [3]}
    return cases, notes


def authored(root: Path, tree: Tree) -> Material:
    cases, notes = three_cases()
    return material_of(write(root, tree, cases, notes=notes))


def findings(material: Material) -> list[Problem]:
    return lint(material.suite, material.labels, material.views)


# minimum, found, met
MINIMUMS = [
    ({"phenomenon": "praise", "at_least": 2}, "phenomenon praise: 2", True),
    ({"phenomenon": "praise", "at_least": 3}, "phenomenon praise: 2, wanted is at least 3", False),
    ({"every": "phenomenon", "at_least": 1}, "phenomenon two-lessons: 0, wanted is at least 1", False),
    ({"tag": "non-english", "at_least": 1}, "tag non-english: 1", True),
    ({"tag": "long", "at_least": 1}, "tag long: 0, wanted is at least 1", False),
    ({"events_over": 2, "at_least": 3}, "attempts over 2 events: 3", True),
    ({"events_over": 3, "at_least": 1}, "attempts over 3 events: 0, wanted is at least 1", False),
    # a third is the middle one of three; the case that names no event counts as not in the middle
    ({"deciding_event": "middle_third", "events_over": 2, "share": 0.3}, "1 of 3", True),
    ({"deciding_event": "middle_third", "events_over": 2, "share": 0.4}, "1 of 3, wanted is a share of 0.4", False),
    ({"deciding_event": "middle_third", "events_over": 3, "share": 1}, "0 of 0", True),
]


@pytest.mark.parametrize(("minimum", "found", "met"), MINIMUMS)
def test_a_minimum_that_is_not_reached_is_a_finding(tmp_path: Path, minimum: Tree, found: str, met: bool) -> None:
    material = authored(tmp_path, suite([minimum]))
    told = findings(material)
    assert phenomena(material).passed is met
    if met:
        assert told == []
    else:
        (problem,) = told
        assert (problem.file, problem.field) == ("cases/support/suite.yaml", "rules.minimums[0]")
        assert found in problem.found


@pytest.mark.parametrize(
    ("minimum", "word"),
    [
        ({"at_least": 2}, "a minimum is one of"),
        ({"phenomenon": "praise"}, "a minimum is one of"),
        ({"phenomenon": "praise", "tag": "long", "at_least": 1}, "a minimum is one of"),
        ({"deciding_event": "middle_third", "share": 0.5}, "a minimum is one of"),
        ({"phenomenon": "blame", "at_least": 1}, "'blame' is not declared; declared are praise, two-lessons"),
        ({"tag": "short", "at_least": 1}, "'short' is not declared"),
        ({"tag": "long", "at_least": 0}, "1"),
    ],
)
def test_a_minimum_that_demands_nothing_known_is_refused(tmp_path: Path, minimum: Tree, word: str) -> None:
    with pytest.raises(BrokenInput, match=word):
        authored(tmp_path, suite([minimum]))


def test_the_table_stands_in_the_report_and_in_the_terminal(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    cases, notes = three_cases()
    layout = write(tmp_path, suite([{"phenomenon": "praise", "at_least": 3}]), cases, notes=notes)
    result = phenomena(material_of(layout))
    assert result.found == "0 of 1 minimums are reached"
    assert main(["lint", "--counts", "--suite", str(layout.suite)]) == 3
    printed = capsys.readouterr().out.splitlines()
    assert [line for line in printed if line in result.details] == list(result.details)
    assert [line.split() for line in result.details[2:]] == [
        ["phenomenon", "praise", "2", "3", "!"],
        ["phenomenon", "two-lessons", "0"],
        ["tag", "non-english", "1"],
        ["tag", "long", "0"],
    ]
    assert max(map(len, result.details)) <= 80


def test_counts_go_without_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="3"):
        main(["lint", "--counts", "--json", "--suite", str(tmp_path)])
    assert "not allowed with" in capsys.readouterr().err


def test_without_minimums_phenomena_only_report(tmp_path: Path) -> None:
    result = phenomena(authored(tmp_path, suite()))
    assert (result.passed, result.found) == (None, "4 counts, no minimum is declared")


# --- notes ---


def test_a_phenomenon_that_nobody_explained_is_a_finding(tmp_path: Path) -> None:
    notes = [note_tree("S001") | {"phenomena": ["praise", "blame"]}]
    (problem,) = findings(material_of(write(tmp_path, suite(), [case_tree("S001")], notes=notes)))
    assert (problem.file, problem.field) == ("labels/support/notes/S001.yaml", "phenomena[1]")
    assert "'blame'" in problem.found and "praise, two-lessons" in problem.fix


def test_a_deciding_event_that_is_not_there_is_a_finding(tmp_path: Path) -> None:
    notes = [note_tree("S001") | {"deciding_events": [3, 4]}]
    (problem,) = findings(material_of(write(tmp_path, suite(), [case_tree("S001")], notes=notes)))
    assert (problem.field, problem.found) == ("deciding_events", "event 4, the attempt has 3 events")


def test_event_numbers_start_at_one(tmp_path: Path) -> None:
    notes = [note_tree("S001") | {"deciding_events": [0]}]
    told = findings(material_of(write(tmp_path, suite(), [case_tree("S001")], notes=notes)))
    assert any(problem.field == "deciding_events[0]" for problem in told)


def test_several_attempts_have_no_deciding_event(tmp_path: Path) -> None:
    notes = [note_tree("S001") | {"deciding_events": [1]}]
    (problem,) = findings(material_of(write(tmp_path, suite(), [case_tree("S001", attempts=2)], notes=notes)))
    assert problem.found == "deciding events of a case with 2 attempts"


@pytest.mark.parametrize(("audit", "count"), [("twin-attack-masked", 4), ("twin-attack", 0)])
def test_twins_need_deciding_events_where_the_masked_attack_is_declared(tmp_path: Path, audit: str, count: int) -> None:
    tree = twin_suite(audits=[{"audit": audit, "expect": "pass", "reason": "r"}])
    told = findings(material_of(write_twins(tmp_path, twin_trees(2), tree, numbers=())))
    assert [problem.field for problem in told] == ["deciding_events"] * count
    assert findings(material_of(write_twins(tmp_path / "named", twin_trees(2), tree))) == []


# --- cells ---


def cells(root: Path, *empty: tuple[str, str]) -> Any:
    declared = [{"capability": c, "difficulty": d, "reason": "later"} for c, d in empty]
    return coverage_matrix(authored(root, suite(empty_cells=declared)))


def test_an_undeclared_empty_cell_fails(tmp_path: Path) -> None:
    result = cells(tmp_path)
    assert (result.passed, result.found) == (False, "1 of 2 cells hold a case, 1 of 1 empty ones undeclared")
    assert result.details == ("empty and undeclared: refund x plain", "repair x plain: 3", "refund x plain: 0")


@pytest.mark.parametrize("empty", [("refund", "plain"), ("re*d", "*"), ("*", "*")])
def test_a_declared_empty_cell_passes_with_its_reason(tmp_path: Path, empty: tuple[str, str]) -> None:
    result = cells(tmp_path, empty)
    assert (result.passed, result.found) == (True, "1 of 2 cells hold a case, empty ones are declared")
    assert "refund x plain: 0 (declared empty: later)" in result.details


def test_an_empty_cell_of_no_vocabulary_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BrokenInput, match="'sale' is not declared; declared are repair, refund"):
        cells(tmp_path, ("sale", "plain"))


# --- positions ---


@pytest.mark.parametrize(
    ("total", "inside"),
    [(3, {2}), (6, {3, 4}), (9, {4, 5, 6}), (1, {1}), (2, set()), (4, {2, 3}), (90, set(range(31, 61)))],
)
def test_the_middle_third(total: int, inside: set[int]) -> None:
    """An event's place is its middle, (number - 1/2) / total; from 1/3 to 2/3 is in."""
    for number in range(1, total + 1):
        assert middle_third(Authored({}, {}, (total,), ((total, number),)), 0) == (int(number in inside), 1)


def test_positions_are_reported(tmp_path: Path) -> None:
    minimum = {"deciding_event": "middle_third", "events_over": 2, "share": 0.1}
    result = deciding_event_position(authored(tmp_path / "a", suite([minimum])))
    assert result.passed is None
    assert result.found == "middle third in 1 of 2 sessions over 2 events (1 more name none)"
    assert result.details == ("event 2 of 3", "event 3 of 3")
    undeclared = deciding_event_position(authored(tmp_path / "b", suite()))
    assert undeclared.found == "middle third in 0 of 0 sessions over 80 events"


# --- the table of audits ---


def test_an_audit_that_there_is_not_is_named(tmp_path: Path) -> None:
    tree = suite() | {"audits": [{"audit": "twin-atack", "expect": "pass", "reason": "r"}]}
    with pytest.raises(BrokenInput, match="'twin-atack'\n    to mend: use one of anchors-match, near-duplicates"):
        audit_checks(authored(tmp_path, tree))


def test_every_audit_runs_through_the_benchmark(tmp_path: Path) -> None:
    """On few pairs: none crashes, and those that only report are met."""
    tree = twin_suite(
        audits=[{"audit": name, "expect": "report", "reason": "r"} for name in AUDITS],
        judges=[{"judge": "length", "answers": ["solved"], "parameters": {"at_least": "3"}}],
    )
    layout = write_twins(tmp_path, twin_trees(12), tree)
    found = {check.name: check for check in examine(layout, session_folders(layout, [])).checks}
    assert {found[f"audit {name}"].status for name in AUDITS} == {"met"}
    assert found["audit length-on-natural"].found.startswith("length: AUROC ")  # its stratum is primary too


def test_length_on_natural_without_counts(tmp_path: Path) -> None:
    cases = [case_tree("S001")]
    layout = write(tmp_path, suite(), cases, [votes_tree("S001", {"polite": "yes"})])
    result = length_on_natural(material_of(layout))
    assert (result.passed, result.found) == (None, "no item of a primary stratum has a label and a count")
    assert result.details == ()
