"""Edit one thing, run again: which verdicts are asked anew, and no others (DESIGN.md, Identity)."""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from running_suites import RULE, Tree, case_tree, note_tree, rule_tree, run_rows, suite_tree, write

from bench.cases.layout import Layout
from bench.cli import main

WORLD = "running_suites:SeesWorld"
BOTH = ["polite", "solved"]
JUDGES: list[Tree] = [
    {"judge": "always-yes", "answers": BOTH},
    {"judge": "prompts", "answers": BOTH, "parameters": {"at_least": "2"}},
    {"judge": "anchors", "answers": BOTH},
    {"judge": RULE, "answers": BOTH},
    {"judge": WORLD, "answers": BOTH},
]
ATTEMPTS = ("S001/a1", "S001/a2", "S002/a1", "S003/a1")
WORLDS = ("S001/a1", "S002/a1", "S003/a1")  # both attempts of S001 have one world, so one key
Asked = set[tuple[str, str, int]]


@dataclass
class Material:
    """All files of a suite, to be edited."""

    suite: Tree = field(default_factory=lambda: suite_tree(copy.deepcopy(JUDGES)))
    cases: dict[str, Tree] = field(
        default_factory=lambda: {
            "S001": case_tree("S001", 2),
            "S002": case_tree("S002"),
            "S003": case_tree("S003"),
        }
    )
    splits: dict[str, str] = field(
        default_factory=lambda: {"family-S001": "test", "family-S002": "test", "family-S003": "development"}
    )
    notes: dict[str, Tree] = field(default_factory=lambda: {n: note_tree(n) for n in ("S001", "S002", "S003")})
    rule: Tree = field(default_factory=rule_tree)

    def write(self, root: Path) -> Layout:
        for old in root.glob("cases/support/S*.yaml"):
            old.unlink()
        return write(
            root,
            self.suite,
            self.cases.values(),
            splits=self.splits,
            notes=[n for name, n in self.notes.items() if name in self.cases],
            rule=self.rule,
        )

    def set(self, path: str, value: object) -> None:
        """Set ``part.key.0.key`` to a value."""
        first, *steps = path.split(".")
        place: Any = getattr(self, first)
        for step in steps[:-1]:
            place = place[int(step) if step.isdecimal() and isinstance(place, list) else step]
        last = steps[-1]
        place[int(last) if isinstance(place, list) else last] = value


def asked(judge: str, attempts: tuple[str, ...], statements: tuple[str, ...] = ("polite", "solved")) -> Asked:
    return {(judge, f"{attempt}/{statement}", 0) for attempt in attempts for statement in statements}


def all_of(*statements: str) -> Asked:
    """Everything about these statements."""
    shown = {k for judge in ("prompts", "anchors", "rule:own") for k in asked(judge, ATTEMPTS, statements)}
    return shown | asked(WORLD, WORLDS, statements) | asked("always-yes", ATTEMPTS[:1], statements)


def projection_of(attempt: str) -> Asked:
    return {k for judge in ("prompts", "anchors", "rule:own") for k in asked(judge, (attempt,))}


def editing(path: str, value: object) -> Callable[[Material], None]:
    return lambda material: material.set(path, value)


def renamed_case(material: Material) -> None:
    case = material.cases.pop("S002")
    material.cases["S009"] = {**case, "id": "S009"}
    material.notes["S009"] = note_tree("S009")


def moved_to_another_family(material: Material) -> None:
    material.set("cases.S002.family", "family-S001")
    del material.splits["family-S002"]


def renamed_statement(material: Material) -> None:
    material.set("suite.statements.0.id", "courteous")
    for entry in material.suite["judges"]:
        entry["answers"] = ["courteous", "solved"]
    for case in material.cases.values():
        case["judgment"]["statements"] = ["courteous", "solved"]


def another_stratum(material: Material) -> None:
    material.suite["strata"].append({"id": "calls", "meaning": "calls", "design": "authored"})
    material.set("cases.S002.stratum", "calls")


def new_attempt(material: Material) -> None:
    material.cases["S003"] = case_tree("S003", 2)


S, C = "suite.statements.0", "cases.S002"
TESTS_OF_RULE = rule_tree()["tests"]
MOVES: dict[str, tuple[Callable[[Material], None], Asked]] = {
    "one word of a statement": (editing(f"{S}.text", "The agent is kind."), all_of("polite")),
    "its true criterion": (editing(f"{S}.true", "It greets first."), all_of("polite")),
    "its false criterion": (editing(f"{S}.false", "No."), all_of("polite")),
    "one event of a case": (editing(f"{C}.attempts.0.events.2.text", "Hello."), projection_of("S002/a1")),
    "the harness": (editing(f"{C}.attempts.0.harness", "line"), projection_of("S002/a1")),
    "the final answer": (editing(f"{C}.attempts.0.answer", "Done."), projection_of("S002/a1")),
    "the query": (editing(f"{C}.query", "Mend it."), projection_of("S002/a1")),
    "the query of two attempts": (
        editing("cases.S001.query", "Mend it."),
        projection_of("S001/a1") | projection_of("S001/a2"),
    ),
    "the preset of a judge": (editing("suite.judges.1.preset", "windows-1k"), asked("prompts", ATTEMPTS)),
    "a parameter of a judge": (editing("suite.judges.1.parameters.at_least", "3"), asked("prompts", ATTEMPTS)),
    "the condition of a rule": (editing("rule.match", 'e.text.startsWith("Hello")'), asked("rule:own", ATTEMPTS)),
    "when a rule is asked": (editing("rule.when", "session_end"), asked("rule:own", ATTEMPTS)),
    "the anchors": (editing(f"{C}.trajectory_anchors.order", "given"), asked("anchors", ("S002/a1",))),
    "a fact": (editing(f"{C}.world_state.facts.lamp", "red"), asked(WORLD, ("S002/a1",))),
    "the reference time": (
        editing(f"{C}.world_state.reference_time", "2026-05-04T09:00:01+00:00"),
        asked(WORLD, ("S002/a1",)),
    ),
    "more samples": (
        editing("suite.judges.1.samples", 3),
        {(judge, name, sample) for judge, name, _ in asked("prompts", ATTEMPTS) for sample in (1, 2)},
    ),
    "one attempt more": (new_attempt, projection_of("S003/a2")),
}
STAYS: dict[str, Callable[[Material], None]] = {
    "the title of a rule": editing("rule.title", "Greets"),
    "the description of a rule": editing("rule.description", "It fires where somebody greets."),
    "the tests of a rule": editing("rule.tests", [*TESTS_OF_RULE, {**TESTS_OF_RULE[1], "name": "one more"}]),
    "metadata": editing(f"{C}.metadata.language", "de"),
    "the version of a case": editing(f"{C}.metadata.version", 2),
    "the family": moved_to_another_family,
    "the stratum": another_stratum,
    "a note": editing("notes.S002.intention", "shows another thing"),
    "the split": editing("splits.family-S002", "calibration"),
    "the weight": editing(f"{S}.weight", "2.5"),
    "the polarity": editing(f"{S}.polarity", "must_not"),
    "critical": editing(f"{S}.critical", True),
    "what annotators are asked also": editing(f"{S}.ask_also", [{"name": "gap", "when": "no", "meaning": "what"}]),
    "the snapshot, which no judge receives": editing(f"{C}.world_state.snapshot", "git:1f3c9a7"),
    "the id of a case": renamed_case,
    "the id of an attempt": editing(f"{C}.attempts.0.id", "b7"),
    "the id of a statement": renamed_statement,
    "the order of the statements": editing(f"{C}.judgment.statements", ["solved", "polite"]),
    "the order of the judges": editing("suite.judges", copy.deepcopy(JUDGES)[::-1]),
    "a coverage floor": editing("suite.judges.1.coverage_floor", "0.5"),
    "fewer statements for a judge": editing("suite.judges.1.answers", ["solved"]),
    "the harness's id of a call": editing(f"{C}.attempts.0.events.1.call", "call-7"),
    "the version of the suite": editing("suite.version", "0.2.0"),
    "seed and resamples": lambda m: (m.set("suite.seed", 7), m.set("suite.resamples", 200))[0],
}


def run(layout: Layout, capsys: pytest.CaptureFixture[str]) -> dict[str, int]:
    """``bench run``; how many verdicts it asked of each judge."""
    assert main(["run", "--suite", str(layout.suite)]) == 0
    lines = [line.split() for line in capsys.readouterr().out.splitlines()]
    return {words[0]: int(words[2]) for words in lines if len(words) == 5 and words[1].isdecimal()}


def stored(layout: Layout) -> set[tuple[str, str, str, int]]:
    """(judge name, asked_for, key, sample) of every stored row."""
    names = {p.stem: json.loads(p.read_text())["name"] for p in layout.runs.glob("*-????????????.json")}
    return {
        (names[judge], row["asked_for"], f"{judge} {row['item']}", row["sample"])
        for judge, rows in run_rows(layout).items()
        for row in rows
    }


def test_the_first_run_asks_every_key_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    layout = Material().write(tmp_path)
    counts = run(layout, capsys)
    assert counts == {"always-yes": 2, "prompts": 8, "anchors": 8, "rule:own": 8, WORLD: 6}
    assert {(judge, name, sample) for judge, name, _, sample in stored(layout)} == all_of("polite", "solved")


@pytest.mark.parametrize("edit", [*MOVES, *STAYS])
def test_an_edit_asks_what_it_moves_and_nothing_else(
    edit: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    change, wanted = MOVES[edit] if edit in MOVES else (STAYS[edit], set())
    material = Material()
    layout = material.write(tmp_path)
    run(layout, capsys)
    before = stored(layout)
    change(material)
    material.write(tmp_path)
    counts = run(layout, capsys)
    new = stored(layout) - before
    assert {(judge, name, sample) for judge, name, _, sample in new} == wanted
    assert sum(counts.values()) == len(wanted)
    assert before <= stored(layout), "a stored row went away"
    assert run(layout, capsys) == dict.fromkeys(counts, 0)


def test_undoing_an_edit_finds_the_old_verdicts(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    material = Material()
    layout = material.write(tmp_path)
    run(layout, capsys)
    material.set("cases.S002.query", "Mend it.")
    run(material.write(tmp_path), capsys)
    assert set(run(Material().write(tmp_path), capsys).values()) == {0}


def test_the_source_of_an_own_judge_is_its_identity(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    material = Material(suite=suite_tree([{"judge": "edited_judge_a:Own", "answers": BOTH}]))
    source = "class Own:\n    def judge(self, item, question):\n        return True\n"
    (tmp_path / "edited_judge_a.py").write_text(source)
    (tmp_path / "edited_judge_b.py").write_text(source + "# another word\n")
    layout = material.write(tmp_path)
    assert run(layout, capsys) == {"edited_judge_a:Own": 8}
    material.set("suite.judges.0.judge", "edited_judge_b:Own")
    assert run(material.write(tmp_path), capsys) == {"edited_judge_b:Own": 8}
    sources = [json.loads(p.read_text())["fingerprint"]["source"] for p in layout.runs.glob("edited-judge*.json")]
    assert len(set(sources)) == 2


def test_ids_are_readable_names_with_a_digest(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    layout = Material().write(tmp_path)
    run(layout, capsys)
    assert all(re.fullmatch(r"[A-Za-z0-9.-]{1,48}-[0-9a-f]{12}", judge) for judge in run_rows(layout))


def test_one_judge_for_one_statement_twice_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    twice = [{"judge": "always-yes", "answers": BOTH}, {"judge": "always-yes", "answers": ["solved"]}]
    layout = Material(suite=suite_tree(twice)).write(tmp_path)
    assert main(["run", "--suite", str(layout.suite)]) == 3
    assert "the judge always-yes answers solved twice" in capsys.readouterr().err


def test_one_judge_with_another_preset_is_another_judge(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    entry = JUDGES[1]
    presets = [{**entry, "preset": preset} for preset in ("events", "windows-1k")]
    run(layout := Material(suite=suite_tree(presets)).write(tmp_path), capsys)
    assert [len(rows) for rows in run_rows(layout).values()] == [8, 8]
    blind = [{**JUDGES[0], "preset": "windows-1k"}]
    run(layout := Material(suite=suite_tree(JUDGES[:1])).write(tmp_path / "blind"), capsys)
    assert run(Material(suite=suite_tree(blind)).write(tmp_path / "blind"), capsys) == {"always-yes": 0}
