"""``bench import --as-case``: what is proposed holds on the session itself, names no home or repository, and is marked."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from suites import SUITE, make_suite

from bench.cases.layout import Layout
from bench.cases.load import load_suite
from bench.cli import main
from bench.judges.anchors import check
from bench.schema.case import Pattern
from bench.schema.event import Approval, Event
from bench.triage.proposal import MARK, propose

HOME = "/home/ada/work/secretrepo"


def edit(path: str, **more: Any) -> Event:
    return Event(kind="tool_call", tool="Edit", args={"file_path": path, "old_string": "a", "new_string": "b"}, **more)


def run(command: str, code: int = 0) -> Event:
    return Event(kind="command", command=command, exit_code=code, exit_source="structured", ok=code == 0)


GOOD = [
    Event(kind="prompt", origin="human", text="Mend it.", ts="2026-03-01T09:00:00+01:00"),
    edit(f"{HOME}/src/api/users.ts", ok=True),
    edit(f"{HOME}/tests/users.test.ts", ok=True),
    run("pnpm install"),
    run(f"cd {HOME} && pnpm test users -- --watch=false", 1),
    edit(f"{HOME}/src/api/users.ts", ok=True),
    run("pnpm test users -- --watch=false"),
    Event(kind="message", text="Done.", ts="2026-03-01T09:20:00+01:00"),
]


def test_a_session_that_ended_well() -> None:
    found = propose(GOOD)
    assert found.anchors is not None
    assert found.anchors.expect == (
        Pattern(tool="Edit", args={"path": "api/users.ts"}),
        Pattern(tool="Edit", args={"path": "tests/users.test.ts"}),
        Pattern(command="pnpm test users --*", ok=True),
    )
    assert found.reference_time == "2026-03-01T09:20:00+01:00"
    assert found.facts == {"language": "typescript", "package_manager": "pnpm"}


def test_nothing_of_home_and_repository_is_proposed() -> None:
    text = "\n".join(propose(GOOD).lines())
    assert not [word for word in ("ada", "secretrepo", "home", "work") if word in text]
    lone = propose([edit(f"{HOME}/main.go"), run("go test ./...")])
    assert lone.anchors is not None
    assert lone.anchors.expect[0] == Pattern(tool="Edit", args={"path": "main.go"})
    assert "secretrepo" not in "".join(lone.lines())


@pytest.mark.parametrize(
    ("events", "why"),
    [
        ([edit("a.py"), run("pytest", 1)], "the last check failed"),
        ([edit("a.py"), run("pytest"), run("pytest -q", 1)], "the last check failed"),
        ([edit("a.py"), run("ls")], "no test, build or linter"),
        ([], "no test, build or linter"),
    ],
)
def test_without_a_check_that_passed_at_the_end_no_anchor_is_proposed(events: list[Event], why: str) -> None:
    found = propose(events)
    assert found.anchors is None and found.why is not None and why in found.why
    assert any(why in line for line in found.lines()) and any(why in line for line in found.note_lines())


@pytest.mark.parametrize(
    "event",
    [
        edit("/home/ada/.claude/plans/plan.md"),
        edit("/tmp/scratch.py"),
        edit("src/a.py", ok=False),
        edit("src/a.py", approval=Approval(decision="denied")),
        Event(kind="tool_call", tool="Read", args={"file_path": "src/a.py"}),
    ],
)
def test_what_is_no_change_of_the_project_is_no_anchor(event: Event) -> None:
    found = propose([event, run("make check")])
    assert found.anchors is not None
    assert found.anchors.expect == (Pattern(command="make check", ok=True),)


def test_a_tie_is_no_fact() -> None:
    assert propose([edit("a.py"), edit("b.go"), run("npm ci"), run("yarn")]).facts == {}


_PATHS = st.sampled_from(
    ["a.py", f"{HOME}/a.py", f"{HOME}/x/b.go", "C:\\Users\\ada\\r\\c.cs", "../d.rs", "/", "x/*.py", "~/e"]
)
_COMMANDS = st.one_of(
    st.sampled_from(["pytest", "go test ./...", "A=1 pytest -q", "npm test && npm run lint", "make", 'sh -c "pytest"']),
    st.text(),
)
_EVENTS = st.lists(
    st.one_of(
        st.builds(edit, st.one_of(_PATHS, st.text(min_size=1)), ok=st.sampled_from([True, False, None])),
        st.builds(run, _COMMANDS.filter(bool), st.integers(0, 1)),
    ),
    max_size=12,
)


@settings(deadline=None)
@given(_EVENTS)
def test_what_is_proposed_holds_on_the_session_itself(events: list[Event]) -> None:
    found = propose(events)
    if found.anchors is not None:
        assert check(found.anchors, events, range(1, len(events) + 1)).answer == "yes"
        told = json.dumps([pattern.args for pattern in found.anchors.expect])
        assert "secretrepo" not in told and "ada" not in told


# --- the command ---


def session(folder: Path) -> Path:
    """A Claude Code session that edits, checks and ends well; its record holds a verdict of somebody else's."""
    noon = "2026-01-02T12:00:00.000Z"
    calls = [
        ("Edit", {"file_path": f"{HOME}/src/a.py", "old_string": "x", "new_string": "y"}),
        ("Edit", {"file_path": f"{HOME}/tests/test_a.py", "old_string": "x", "new_string": "y"}),
        ("Bash", {"command": "uv run pytest -q"}),
    ]
    records: list[dict[str, Any]] = [{"type": "user", "message": {"role": "user", "content": "Mend it."}}]
    for n, (tool, given_args) in enumerate(calls):
        use = {"type": "tool_use", "id": f"t{n}", "name": tool, "input": given_args}
        result = {"type": "tool_result", "tool_use_id": f"t{n}", "content": "fine", "is_error": False}
        records += [
            {"type": "assistant", "message": {"role": "assistant", "model": "m", "content": [use]}},
            {"type": "user", "message": {"role": "user", "content": [result]}},
        ]
    lines = [json.dumps({"sessionId": "s", "uuid": f"u{i}", "timestamp": noon, **r}) for i, r in enumerate(records)]
    path = folder / "session.jsonl"
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


def imported(tmp_path: Path, *words: str) -> tuple[int, Layout]:
    layout = make_suite(tmp_path, suite=SUITE.replace("{desk: the", "{claude-code: a coding agent, desk: the"))
    given_words = [
        "import",
        str(session(tmp_path)),
        "--suite",
        str(layout.suite),
        "--id",
        "S007",
        "--family",
        "refund-a",
    ]
    return main([*given_words, *words]), layout


def test_the_case_has_its_proposals_and_says_that_they_are_some(tmp_path: Path) -> None:
    code, layout = imported(tmp_path, "--as-case")
    assert code == 0
    case = next(c for c in load_suite(layout).cases if c.case.id == "S007").case
    assert case.trajectory_anchors.expect[0] == Pattern(tool="Edit", args={"path": "src/a.py"})
    assert case.trajectory_anchors.expect[-1] == Pattern(command="uv run pytest -q", ok=True)
    assert case.world_state.reference_time is not None and case.world_state.facts["language"] == "python"
    text = (layout.suite / "pairs" / "S007.yaml").read_text(encoding="utf-8")
    assert text.count(MARK) == 2
    note = (layout.labels / "notes" / "S007.yaml").read_text(encoding="utf-8")
    assert "# proposed by bench import, to be checked by a person: world_state, trajectory_anchors" in note
    assert "# still to fill in: capability" in note


def test_the_lint_takes_a_note_with_proposals_once_it_is_written(tmp_path: Path, capsys: Any) -> None:
    _, layout = imported(tmp_path, "--as-case")
    path = layout.labels / "notes" / "S007.yaml"
    note = path.read_text(encoding="utf-8").replace("what this case is meant to show", "mends a test")
    path.write_text(note.replace("which event decides", "event 4"), encoding="utf-8")
    capsys.readouterr()
    main(["lint", "--suite", str(layout.suite)])
    told = "".join(capsys.readouterr())
    assert "notes/S007" not in told and "trajectory_anchors" not in told and "world_state" not in told


def test_without_the_flag_nothing_is_proposed(tmp_path: Path) -> None:
    code, layout = imported(tmp_path)
    assert code == 0
    case = next(c for c in load_suite(layout).cases if c.case.id == "S007").case
    assert case.trajectory_anchors.expect == () and case.world_state.facts == {}
    assert "proposed" not in (layout.labels / "notes" / "S007.yaml").read_text(encoding="utf-8")


@pytest.mark.parametrize("beside", [["--reference", f"o/d@{'a' * 40}:x.jsonl"], ["--events", "out.jsonl"]])
def test_proposals_need_the_text_in_the_case(tmp_path: Path, capsys: Any, beside: list[str]) -> None:
    code, layout = imported(tmp_path, "--as-case", *beside)
    assert code == 3
    assert "leave one of the two out" in capsys.readouterr().err
    assert not list(layout.suite.rglob("S007.yaml"))
