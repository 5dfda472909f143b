"""The health checks: each met, not met or undecidable as it should be; the exit code; the baseline."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, field, replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from running_suites import Tree, case_tree, suite_tree, votes_tree, write

from bench.benchmark import Benchmark, examine
from bench.cases.layout import Layout
from bench.cli import main
from bench.measure.call_figures import CallLine
from bench.measure.rows import Books
from bench.problems import BrokenInput, Problem
from bench.verify import checks
from bench.verify.baseline import figures_are_as_accepted, flatten, moved, read_baseline, write_baseline
from bench.verify.checks import Check, exit_code
from bench.workspace import Selection, session_folders

EVERYTHING = Selection()
BOTH = ["polite", "solved"]
ALWAYS: list[Tree] = [{"judge": "always-yes", "answers": BOTH}, {"judge": "always-no", "answers": BOTH}]
ANSWERS = {
    "S001": {"polite": "yes", "solved": "no"},
    "S002": {"polite": "no", "solved": "yes"},
    "S003": {"polite": "yes", "solved": "yes"},
}


@dataclass
class Material:
    """A suite that is healthy but for its baseline; a test breaks one thing."""

    judges: list[Tree] = field(default_factory=lambda: [dict(j) for j in ALWAYS])
    answers: dict[str, dict[str, str]] = field(default_factory=lambda: {c: dict(a) for c, a in ANSWERS.items()})
    more: dict[str, Any] = field(default_factory=dict)
    notes: list[Tree] | None = None

    def write(self, root: Path) -> Layout:
        votes = [votes_tree(case, answers) for case, answers in self.answers.items() if answers]
        return write(
            root, suite_tree(self.judges, **self.more), [case_tree(c) for c in ANSWERS], votes, notes=self.notes
        )


def examined(layout: Layout, selection: Selection = EVERYTHING, live: float | None = None) -> Benchmark:
    return examine(layout, session_folders(layout, []), selection=selection, live_seconds=live)


def status(benchmark: Benchmark) -> dict[str, str]:
    return {check.name: check.status for check in benchmark.checks}


def named(benchmark: Benchmark, name: str) -> Check:
    return next(check for check in benchmark.checks if check.name == name)


def test_a_healthy_suite_without_a_baseline(tmp_path: Path) -> None:
    benchmark = examined(Material(more={"rules": {"unlabelled": "forbidden"}}).write(tmp_path))
    assert status(benchmark) == {
        "data lint-clean": "met",
        "no secrets": "met",
        "something to measure": "met",
        "labels whole": "met",
        "runs complete": "met",
        "books balanced": "met",
        "coverage": "met",
        "one model a judge": "met",
        "figures equal to the baseline": "cannot decide",
    }
    assert benchmark.exit_code == 2
    assert "no baseline yet" in benchmark.sentence


# --- one check each, broken ---


def test_data_that_lint_does_not_like(tmp_path: Path) -> None:
    check = named(examined(Material(notes=[]).write(tmp_path)), "data lint-clean")
    assert check.status == "not met"
    assert check.found.startswith("3 findings, the first: cases/support/S001.yaml:1, case S001")
    assert len(check.details) == 3 and check.fix


def test_lint_lists_every_problem() -> None:
    problems = [Problem("a.yaml", 3, "A", "query", "odd", "mend it"), Problem("b.yaml", None, None, None, "odd", "so")]
    check = checks.data_is_clean(problems)
    assert (check.status, len(check.details)) == ("not met", 2)
    assert check.found == "2 findings, the first: a.yaml:3, case A, field query: odd"
    assert checks.data_is_clean([]).status == "met"


@pytest.mark.parametrize("answer", ["yes", "no"])
def test_one_class_only_cannot_be_decided(tmp_path: Path, answer: str) -> None:
    material = Material(answers={case: dict.fromkeys(BOTH, answer) for case in ANSWERS})
    check = named(examined(material.write(tmp_path)), "something to measure")
    assert (check.status, check.found) == ("cannot decide", f"only one class is labelled ({answer})")


def test_no_label_at_all_cannot_be_decided(tmp_path: Path) -> None:
    check = named(examined(Material(answers={}).write(tmp_path)), "something to measure")
    assert (check.status, check.found) == ("cannot decide", "nothing is labelled")


@pytest.mark.parametrize(
    "selection", [Selection(cases=("S999",)), Selection(strata=("calls",))], ids=["no case", "no stratum"]
)
def test_an_empty_selection_cannot_be_decided(tmp_path: Path, selection: Selection) -> None:
    benchmark = examined(Material().write(tmp_path), selection)
    check = named(benchmark, "something to measure")
    assert (check.status, check.found) == ("cannot decide", "the selection is empty")
    assert benchmark.exit_code == 2


def test_no_judge_cannot_be_decided(tmp_path: Path) -> None:
    benchmark = examined(Material().write(tmp_path), Selection(judges=("nobody",)))
    assert named(benchmark, "something to measure").found == "no judge scored anything"
    assert benchmark.exit_code == 2


def test_everything_unscored_cannot_be_decided(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MOOD", "abstained")
    benchmark = examined(Material(judges=[{"judge": "running_suites:Moody", "answers": BOTH}]).write(tmp_path))
    assert named(benchmark, "something to measure").status == "cannot decide"
    assert named(benchmark, "coverage").status == "cannot decide"
    assert named(benchmark, "runs complete").status == "met"
    assert benchmark.exit_code == 2


def test_open_labels_are_not_met_where_the_suite_forbids_them(tmp_path: Path) -> None:
    material = Material(more={"rules": {"unlabelled": "forbidden", "votes_per_item": 0}})
    del material.answers["S003"]["solved"]
    check = named(examined(material.write(tmp_path)), "labels whole")
    assert (check.status, check.found) == ("not met", "1 reported items have no label")


def test_open_labels_are_counted_where_the_suite_allows_them(tmp_path: Path) -> None:
    material = Material(more={"rules": {"unlabelled": "counted", "votes_per_item": 0}})
    del material.answers["S003"]["solved"]
    assert "labels whole" not in status(examined(material.write(tmp_path)))


def test_a_missing_verdict_cannot_be_decided(tmp_path: Path) -> None:
    layout = Material().write(tmp_path)
    benchmark = examined(layout, live=0)
    check = named(benchmark, "runs complete")
    assert (check.status, check.found) == ("cannot decide", "12 verdicts missing")
    assert "always-yes: 6 missing (6 were left when the time was over)" in check.details
    assert not layout.runs.exists() or not list(layout.runs.glob("always-*")), "nothing was asked, nothing is stored"


def test_a_session_that_is_not_at_hand_is_told(tmp_path: Path) -> None:
    reference = {"repository": "r", "commit": "c", "path": "p", "format": "claude-code", "sha256": "0" * 64}
    attempt = {"id": "a1", "harness": "desk", "events_from": {"reference": reference}}
    judge = {"judge": "prompts", "answers": BOTH, "parameters": {"at_least": "1"}}
    layout = write(tmp_path, suite_tree([judge]), [case_tree("S001"), case_tree("S002") | {"attempts": [attempt]}])
    check = named(examined(layout), "runs complete")
    assert check.details == ("prompts: 2 missing (2 need a session that is not at hand)",)


def test_stale_rows_are_told_and_not_counted(tmp_path: Path) -> None:
    material = Material()
    examined(material.write(tmp_path))
    layout = material.write(tmp_path)
    text = (layout.suite / "suite.yaml").read_text().replace("The agent is polite.", "The agent is kind.")
    (layout.suite / "suite.yaml").write_text(text)
    check = named(examined(layout), "runs complete")
    assert check.found == "every expected verdict is stored; 2 stale rows are not counted"


BALANCED = Books(expected=10, scored=6, unscored={"timeout": 3}, not_run=1, labelled=3, unlabelled=2, unclear=1)


@pytest.mark.parametrize("off", ["expected", "scored", "not_run", "labelled", "unlabelled", "unclear"])
def test_books_that_are_off_by_one(off: str) -> None:
    assert checks.books_are_balanced({"j": BALANCED}).status == "met"
    wrong = replace(BALANCED, **{off: getattr(BALANCED, off) + 1})
    check = checks.books_are_balanced({"i": BALANCED, "j": wrong})
    assert (check.status, check.found) == ("not met", "off for j")


@pytest.mark.parametrize(
    ("floor", "scored", "expected", "met"),
    [
        ("1.0", 3, 3, True),
        ("1.0", 2, 3, False),
        ("0.95", 19, 20, True),  # a tie is met
        ("0.95", 18, 20, False),
        ("0.7", 7, 10, True),  # 0.7 * 10 is 7.000000000000001 in other notations of the same thing
        ("0.29", 29, 100, True),  # 0.29 * 100 is 28.999999999999996
        ("0.57", 57, 100, True),  # 0.57 * 100 is 56.99999999999999
        ("0.55", 55, 100, True),  # 0.55 * 100 is 55.00000000000001
        ("0.66666", 2, 3, True),
        ("0.66667", 2, 3, False),
        ("0.99999", 99_998, 100_000, False),
        ("0.99999", 99_999, 100_000, True),
        ("0", 0, 3, True),
        ("1.0", 0, 0, True),
    ],
)
def test_a_coverage_floor_is_compared_exactly(
    tmp_path: Path, floor: str, scored: int, expected: int, met: bool
) -> None:
    (outcome, rows), *_ = examined(Material(judges=[{**ALWAYS[0], "coverage_floor": floor}]).write(tmp_path)).judged
    lost = replace(rows[0], answer=None, unscored="timeout")
    check = checks.coverage_holds([(outcome, [rows[0]] * scored + [lost] * (expected - scored))])
    assert check.status == ("met" if met else "cannot decide")
    assert met is (scored >= Fraction(floor) * expected)
    assert met or check.details == (f"always-yes: {scored} of {expected}, promised {float(floor):g}",)


def test_one_judge_on_two_chairs_keeps_whole_books_and_both_floors(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As where two statements happen to have one prior."""
    monkeypatch.setenv("MOOD", "abstained")
    chairs = [
        {"judge": "running_suites:Moody", "answers": ["polite"], "coverage_floor": "0"},
        {"judge": "running_suites:Moody", "answers": ["solved"], "coverage_floor": "0.5"},
    ]
    benchmark = examined(Material(judges=[*chairs, *ALWAYS]).write(tmp_path))
    moody, *_ = benchmark.figures.books.values()
    assert (moody.expected, moody.unscored) == (6, {"abstained": 6})
    assert named(benchmark, "coverage").details == ("running_suites:Moody: 0 of 3, promised 0.5",)
    assert named(benchmark, "runs complete").found == "every expected verdict is stored; 0 stale rows are not counted"
    assert named(benchmark, "books balanced").found == "18 items accounted for"


def test_audits_run_against_what_the_suite_declares(tmp_path: Path) -> None:
    audits = [{"audit": "near-duplicates", "expect": expect, "reason": "r"} for expect in ("pass", "fail", "report")]
    benchmark = examined(Material(more={"audits": audits}).write(tmp_path))
    told = [check.status for check in benchmark.checks if check.name == "audit near-duplicates"]
    assert told == ["met", "not met", "met"]


def test_an_audit_that_cannot_be_made_cannot_decide(tmp_path: Path) -> None:
    audits = [{"audit": "length-on-twins", "expect": "pass", "reason": "r"}]
    benchmark = examined(Material(more={"audits": audits}).write(tmp_path))
    assert status(benchmark)["audit length-on-twins"] == "cannot decide"


# --- exit code and sentence ---


@pytest.mark.parametrize(
    ("statuses", "code"),
    [
        ([], 0),
        (["met"], 0),
        (["met", "not asked"], 0),
        (["met", "cannot decide"], 2),
        (["not met", "cannot decide", "met"], 1),
        (["cannot decide", "not met"], 1),
        (["not met", "not asked"], 1),
    ],
)
def test_not_met_comes_before_cannot_decide_before_met(statuses: list[Any], code: int, tmp_path: Path) -> None:
    made = [Check(f"check {n}", told, f"found {n}") for n, told in enumerate(statuses)]
    assert exit_code(made) == code
    benchmark = replace(examined(Material().write(tmp_path)), checks=tuple(made))
    assert benchmark.exit_code == code
    words = {0: "is healthy", 1: "is not healthy", 2: "cannot be decided"}
    assert words[code] in benchmark.sentence
    for number, told in enumerate(statuses):
        failed = told == {1: "not met", 2: "cannot decide"}.get(code)
        assert (f"check {number} (found {number})" in benchmark.sentence) is failed


# --- baseline ---


def accepted(root: Path, material: Material | None = None) -> Layout:
    layout = (material or Material()).write(root)
    assert main(["run", "--suite", str(layout.suite)]) == 0
    assert main(["accept", "--suite", str(layout.suite)]) == 0
    return layout


def test_after_accept_all_is_met(tmp_path: Path) -> None:
    benchmark = examined(accepted(tmp_path), live=0)
    assert benchmark.exit_code == 0
    assert set(status(benchmark).values()) == {"met"}


def test_a_flipped_label_names_the_figure_that_moved(tmp_path: Path) -> None:
    accepted(tmp_path)
    material = Material()
    material.answers["S003"]["polite"] = "no"
    benchmark = examined(material.write(tmp_path), live=0)
    check = named(benchmark, "figures equal to the baseline")
    assert check.status == "not met" and benchmark.exit_code == 1
    assert "the first: tickets/polite/" in check.found
    assert "tickets/polite/labels/yes: 2 -> 1" in check.details
    assert "tickets/polite/labels/no: 1 -> 2" in check.details
    assert any(line.startswith("tickets/polite/always-yes-") and "/tp: 2 -> 1" in line for line in check.details)
    assert not any(line.startswith("tickets/solved/") for line in check.details), "the other statement did not move"
    assert "tickets/polite/" in benchmark.sentence


def test_accept_shows_what_moves_and_is_refused_while_anything_else_is_off(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    layout = accepted(tmp_path)
    before = (layout.reports / "baseline.json").read_bytes()
    material = Material()
    material.answers["S003"]["polite"] = "no"
    material.notes = []
    material.write(tmp_path)
    for note in (layout.labels / "notes").glob("*"):
        note.unlink()
    assert main(["accept", "--suite", str(layout.suite)]) == 1
    assert (layout.reports / "baseline.json").read_bytes() == before
    material.notes = None
    material.write(tmp_path)
    capsys.readouterr()
    assert main(["accept", "--suite", str(layout.suite)]) == 0
    assert "tickets/polite/labels/yes: 2 -> 1" in capsys.readouterr().out
    assert examined(layout, live=0).exit_code == 0


def test_a_selection_is_not_compared(tmp_path: Path) -> None:
    benchmark = examined(accepted(tmp_path), Selection(cases=("S001", "S002")), live=0)
    assert status(benchmark)["figures equal to the baseline"] == "not asked"
    assert benchmark.exit_code == 0


def test_renamed_cases_and_reordered_votes_move_no_figure(tmp_path: Path) -> None:
    layout = accepted(tmp_path)
    for old in (*layout.suite.glob("S*"), *layout.labels.rglob("S*.yaml")):
        old.unlink()
    names = {"S001": "S107", "S002": "S002", "S003": "S000"}
    cases = [{**case_tree(case), "id": names[case]} for case in ANSWERS]
    votes = [votes_tree(names[case], dict(reversed(a.items()))) for case, a in reversed(ANSWERS.items())]
    benchmark = examined(write(tmp_path, suite_tree(ALWAYS), cases, votes), live=0)
    assert sorted(loaded.case.id for loaded in benchmark.suite.cases) == sorted(names.values())
    assert benchmark.exit_code == 0


@pytest.mark.parametrize(
    ("old", "new", "same"),
    [
        (0.5, 0.5 + 9e-10, True),
        (0.5, 0.5 + 2e-9, False),
        (0.0, 9e-10, True),
        (0.0, 2e-9, False),
        (7, 7, True),
        (7, 8, False),
        (10**10, 10**10 + 1, False),  # a count is exact, however large
        (1.0, 1, True),
        (None, None, True),
        (None, 0.0, False),
        ("undefined: 0 predicted yes", "undefined: 0 predicted yes", True),
        ("undefined: 0 predicted yes", 0.0, False),
    ],
)
def test_floats_are_equal_to_a_billionth_and_counts_exactly(old: object, new: object, same: bool) -> None:
    assert (moved({"figure": old}, {"figure": new}) == ()) is same
    assert (moved({"figure": new}, {"figure": old}) == ()) is same


def test_a_figure_that_came_or_went_has_moved() -> None:
    assert moved({"a": 1}, {"b": 2}) == ("a: 1 -> absent", "b: absent -> 2")


def test_the_first_figure_named_is_no_interval_end_even_of_a_judge_with_a_colon() -> None:
    old = {"pass/rule:own/pass@1/low": 0.1, "pass/rule:own/recall": 0.5}
    new = {"pass/rule:own/pass@1/low": 0.2, "pass/rule:own/recall": 0.6}
    check = figures_are_as_accepted(old, new, selected=False)
    assert "the first: pass/rule:own/recall: 0.5 -> 0.6" in check.found


def test_the_baseline_holds_plain_numbers_and_reads_back(tmp_path: Path) -> None:
    figures = flatten(examined(Material().write(tmp_path)).figures)
    assert figures and {type(value) for value in figures.values()} <= {int, float, str, type(None)}
    assert all(math.isfinite(value) for value in figures.values() if isinstance(value, float))
    path = tmp_path / "baseline.json"
    write_baseline(path, "other", {"x": 1})
    write_baseline(path, "support", figures)
    assert read_baseline(path, "support") == figures
    assert read_baseline(path, "other") == {"x": 1}
    assert read_baseline(path, "third") is None


def test_judges_that_share_a_name_keep_their_figures_apart(tmp_path: Path) -> None:
    judges = [{"judge": "prompts", "answers": BOTH, "parameters": {"at_least": n}} for n in ("1", "2")]
    pass_k = {"statement": "solved", "k": [1], "strata": ["tickets"]}
    figures = flatten(examined(Material(judges=judges, more={"pass_k": pass_k}).write(tmp_path)).figures)
    rates = {path: value for path, value in figures.items() if path.startswith("pass/prompts-") and path.endswith("@1")}
    assert sorted(rates.values(), key=str) == [0.0, 1.0]


def test_no_baseline_is_no_answer(tmp_path: Path) -> None:
    assert read_baseline(tmp_path / "baseline.json", "support") is None
    assert figures_are_as_accepted(None, {"x": 1}, selected=False).status == "cannot decide"


@pytest.mark.parametrize("text", ["", "{", "[]", "null", '{"support": []}', '"support"', b"\xff{}"])
def test_a_broken_baseline_is_broken_input(
    tmp_path: Path, text: str | bytes, capsys: pytest.CaptureFixture[str]
) -> None:
    layout = Material().write(tmp_path)
    layout.reports.mkdir(exist_ok=True)
    (layout.reports / "baseline.json").write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(BrokenInput):
        read_baseline(layout.reports / "baseline.json", "support")
    for command in ("verify", "accept", "all", "report"):
        capsys.readouterr()
        assert main([command, "--suite", str(layout.suite)]) == 3
        err = capsys.readouterr().err
        assert "baseline.json" in err and "crashed" not in err


def test_the_baseline_has_no_clock_host_or_commit(tmp_path: Path) -> None:
    one, two = accepted(tmp_path / "one"), accepted(tmp_path / "two")
    first = (one.reports / "baseline.json").read_bytes()
    assert first == (two.reports / "baseline.json").read_bytes()
    assert str(tmp_path).encode() not in first
    assert json.loads(first).keys() == {"support"}


def test_a_model_that_moved_under_one_identity_is_told(tmp_path: Path) -> None:
    benchmark = examined(Material().write(tmp_path))
    line = CallLine("decision:x", "decision-x-1", 2, 2, None, None, None, 2, None, None, {}, ("x-1.0", "x-1.1"))
    check = checks.one_model_answered(replace(benchmark.figures, calls=(line,)))
    assert (check.status, check.details) == ("not met", ("decision-x-1: x-1.0, x-1.1",))
    assert checks.one_model_answered(benchmark.figures).status == "met"
