"""Trajectories in ATIF: what a step says, what the format cannot say, and that what we write reads back equal."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from imported import NOISE, assert_read_or_refused, assert_sound, broken_documents, foreign_documents, samples

from bench.schema.event import Approval, Event
from bench.traces.atif import FORMAT, read, session_of, speaks
from bench.traces.atif_write import to_atif
from bench.traces.detect import read_session
from bench.traces.report import ImportReport, Recorded, Session

Tree = dict[str, Any]
NOON = "2026-01-02T12:00:00Z"
AGENT = {"name": "terminus-2", "version": "2.0.0"}


def step(source: str, message: Any = "", **fields: Any) -> Tree:
    return {"source": source, "message": message, **fields}


def trajectory(*steps: Tree, **fields: Any) -> Tree:
    numbered = [{"step_id": number, **one} for number, one in enumerate(steps, start=1)]
    return {"schema_version": "ATIF-v1.7", "agent": AGENT, "steps": numbered, **fields}


def session(*steps: Tree, **fields: Any) -> Session:
    (found,) = read(io.BytesIO(json.dumps(trajectory(*steps, **fields)).encode()))
    assert_sound(found)
    return found


def call(name: str, arguments: Any, identity: str = "c1") -> Tree:
    return {"tool_call_id": identity, "function_name": name, "arguments": arguments}


def acted(calls: list[Tree], results: list[Tree], **fields: Any) -> Tree:
    return step("agent", tool_calls=calls, observation={"results": results}, **fields)


# --- reading ---


def test_who_says_what() -> None:
    found = session(
        step("system", "Use the tools."),
        step("user", [{"type": "text", "text": "Mend it."}, {"type": "image", "source": {"path": "a.png"}}]),
        step("agent", "Looking.", reasoning_content="hm", model_name="m-1", timestamp=NOON),
        step("agent", ""),
    )
    assert [(e.kind, e.origin, e.text) for e in found.events] == [
        ("system", None, "Use the tools."),
        ("prompt", "unknown", "Mend it.\n[image]"),
        ("reasoning", None, "hm"),
        ("message", None, "Looking."),
    ]
    assert (found.harness, found.model, found.events[2].ts, found.events[3].line) == ("terminus-2", "m-1", NOON, 3)
    assert found.report.skipped == {"step/agent": 1}
    assert found.report.versions == {"ATIF-v1.7": 1, "terminus-2 2.0.0": 1}


@pytest.mark.parametrize(
    ("result", "code", "source", "ok"),
    [
        ({}, None, "none", None),
        ({"extra": {"exit_code": 3}}, 3, "structured", False),
        ({"extra": {"returncode": 0}}, 0, "structured", True),
        ({"extra": {"exit_code": "3"}}, None, "none", None),
        ({"extra": {"exit_code": True}}, None, "none", None),
        ({"extra": {"is_error": True}}, None, "none", False),
    ],
)
def test_an_exit_code_stands_in_extra_or_nowhere(result: Tree, code: int | None, source: str, ok: bool | None) -> None:
    printed = {"source_call_id": "c1", "content": "Exit code 7", **result}
    (event,) = session(acted([call("bash", {"command": "make", "timeout": 5})], [printed])).events
    assert (event.kind, event.command, event.args, event.output) == ("command", "make", {"timeout": 5}, "Exit code 7")
    assert (event.exit_code, event.exit_source, event.ok) == (code, source, ok)


def test_the_error_flag_that_harbor_puts_on_the_step() -> None:
    printed = [{"source_call_id": "c1", "content": "no"}]
    flagged = acted([call("Edit", {"p": 1})], printed, extra={"tool_result_is_error": True})
    two = acted([call("Edit", {}), call("Edit", {}, "c2")], printed, extra={"tool_result_is_error": True})
    assert [e.ok for e in session(flagged, two).events] == [False, None, None]


def test_keystrokes_are_a_command_and_one_screen_belongs_to_no_single_call() -> None:
    calls = [
        call("bash_command", {"keystrokes": "ls\n", "duration": 0.5}),
        call("bash_command", {"keystrokes": ""}, "c2"),
    ]
    found = session(acted(calls, [{"content": "screen"}]))
    assert [(e.kind, e.command, e.output) for e in found.events] == [
        ("command", "ls\n", None),
        ("tool_call", None, None),
        ("tool_result", None, "screen"),
    ]
    assert found.report.orphan_results == 1


def test_results_find_their_calls_by_id_in_order_and_in_later_steps() -> None:
    twice = [call("read", {}, "x"), call("read", {}, "x"), call("bash", {"command": "make"}, "late")]
    first = acted(twice, [{"source_call_id": "x", "content": "1"}, {"source_call_id": "x", "content": "2"}])
    later = step(
        "agent",
        observation={
            "results": [
                {"source_call_id": "late", "content": "3", "extra": {"exit_code": 2}},
                {"source_call_id": "nobody", "content": "4"},
            ]
        },
    )
    found = session(first, later)
    assert [(e.kind, e.output, e.exit_code) for e in found.events] == [
        ("tool_call", "1", None),
        ("tool_call", "2", None),
        ("command", "3", 2),
        ("tool_result", "4", None),
    ]
    assert found.report.orphan_results == 1


def test_copied_context_is_dropped_and_the_books_balance() -> None:
    found = session(
        step("user", "before", is_copied_context=True),
        step("oracle", "who?"),
        step("user", "now"),
    )
    assert [e.text for e in found.events] == ["now"]
    assert found.report.skipped == {"copied context": 1} and found.report.unknown == {"step/oracle": 1}
    torn = trajectory(step("user", "now"))
    torn["steps"].append("torn")
    assert session_of(torn).report.malformed == [2]


def test_a_compaction_and_other_notices() -> None:
    summary = step(
        "system",
        "Context compaction performed",
        observation={"results": [{"content": "Earlier: much."}]},
        extra={"context_management": {"type": "compaction", "boundary": "replace"}},
    )
    found = session(summary, step("system", "", observation={"results": [{"content": "environment reset"}]}))
    assert [(e.kind, e.text) for e in found.events] == [
        ("compaction", "Earlier: much."),
        ("system", "environment reset"),
    ]


def test_sub_agents_embedded_and_elsewhere() -> None:
    inner = {**trajectory(step("agent", "inner")), "trajectory_id": "t2"}
    loose = {**trajectory(step("agent", "loose")), "trajectory_id": "sub:t3"}
    refers = {"source_call_id": "c1", "subagent_trajectory_ref": [{"trajectory_id": "t2"}]}
    away = {"source_call_id": "c2", "subagent_trajectory_ref": [{"trajectory_path": "sub/x.json"}]}
    calls = [call("delegate", {"task": "a"}), call("delegate", {"task": "b"}, "c2")]
    found = session(
        acted(calls, [refers, away]),
        step("agent", "end"),
        subagent_trajectories=[loose, inner],
        continued_trajectory_ref="next.json",
    )
    said = [(e.thread, e.text or e.tool, e.line) for e in found.events]
    assert said == [
        ("main", "delegate", 1),
        ("main", "delegate", 1),
        ("sub:t2", "inner", 2),
        ("main", "end", 3),
        ("sub:t3", "loose", 4),
    ]
    assert found.partial == "sub-agents stand in files of their own: sub/x.json; it goes on in next.json"
    assert found.report.seen == 4


def test_arguments_that_are_no_object_and_moments_without_a_zone() -> None:
    (event,) = session(acted([call("check", ["fast"])], [], timestamp="2026-01-02T12:00:00")).events
    assert (event.args, event.ts, event.ok) == ({"value": ["fast"]}, None, None)


def test_what_is_ours_is_checked_like_anything_else() -> None:
    lies = {"lessonbench": {"events": [{"kind": "nonsense", "exit_code": "x"}], "first": "y"}}
    many = {"lessonbench": {"events": [{"kind": "message"}, 5, {"kind": "usage"}]}}
    found = session(step("agent", "said", extra=lies), step("agent", "said", extra=many))
    assert [(e.kind, e.text) for e in found.events] == [
        ("message", "said"),
        ("other", None),
        ("other", None),
        ("usage", None),
    ]


# --- writing ---

TEXTS = st.text(max_size=8)
WORDS = st.text(min_size=1, max_size=6)
MOMENTS = st.sampled_from([NOON, "2026-01-02T12:00:00.123+02:00", "20260102T120000Z", "2026-01-02Z12:00:00+00:00"])
ARGUMENTS = st.dictionaries(
    st.sampled_from(["command", "cmd", "path", "keystrokes", "n"]),
    st.one_of(st.none(), st.booleans(), st.integers(-9, 9), st.floats(-2, 2), TEXTS, st.lists(TEXTS, max_size=2)),
    max_size=3,
)
APPROVALS = st.builds(
    Approval,
    decision=st.sampled_from(["approved", "denied"]),
    source=st.sampled_from(["person", "config", "policy", "unknown"]),
    reason=st.none() | WORDS,
)


@st.composite
def events(draw: st.DrawFn) -> Event:
    """Any event that the schema allows."""
    kinds = (
        "prompt message reasoning tool_call tool_result command file approval interrupt compaction usage system other"
    )
    kind = draw(st.sampled_from(kinds.split()))
    exit_source = draw(st.sampled_from([None, "structured", "text", "implied", "none"]))
    coded = exit_source in ("structured", "text", "implied")
    fields: Tree = {
        "kind": kind,
        "ts": draw(st.none() | MOMENTS),
        "origin": draw(st.sampled_from(["human", "injected", "unknown"])) if kind == "prompt" else None,
        "call": draw(st.none() | st.sampled_from(["a", "b", "call"])),
        "tool": draw(st.sampled_from(["bash", "bash_command", "edit"]) | st.none()),
        "args": draw(st.none() | ARGUMENTS),
        "text": draw(st.none() | TEXTS),
        "command": draw(st.none() | WORDS),
        "output": draw(st.none() | TEXTS),
        "exit_code": draw(st.none() | st.integers(-2, 2)) if coded else None,
        "exit_source": exit_source,
        "ok": draw(st.sampled_from([None, True, False])),
        "outcome": draw(st.sampled_from([None, "unobservable"])),
        "approval": draw(st.none() | APPROVALS),
        "path": draw(st.none() | WORDS),
        "fidelity": draw(st.sampled_from(["observed", "inferred"])),
        "thread": draw(st.sampled_from(["main", "main", "main", "sub:1", "1", "sub:main"])),
        "line": draw(st.none() | st.integers(1, 3)),
    }
    needed = {"prompt": "text", "message": "text", "reasoning": "text", "tool_call": "tool", "tool_result": "output"}
    needed |= {"command": "command", "file": "path", "approval": "approval"}
    if kind in needed and fields[needed[kind]] is None:
        fields[needed[kind]] = Approval(decision="denied") if kind == "approval" else "x"
    return Event(**fields)


def written(found: list[Event], **fields: Any) -> Tree:
    return to_atif(Session("pi", tuple(found), ImportReport("pi"), **fields))


@settings(deadline=None, max_examples=300)
@given(st.lists(events(), max_size=8))
def test_what_is_written_reads_back_equal(given_events: list[Event]) -> None:
    (back,) = read(io.BytesIO(json.dumps(written(given_events)).encode()))
    assert list(back.events) == given_events
    assert_sound(back)


@settings(deadline=None, max_examples=300)
@given(st.lists(events(), max_size=8))
def test_what_is_written_suits_the_models_of_the_format(given_events: list[Event]) -> None:
    models = pytest.importorskip("atif", reason="needs the models of the package atif")
    models.Trajectory.model_validate(written(given_events))


def test_the_session_itself_comes_back_and_its_labels_only_when_asked_for() -> None:
    said = Event(kind="message", text="done", line=1)
    labels = (Recorded("reward", "1.0", "environment", (1,), "all tests"), Recorded("mistake", "yes", "person"))
    report = ImportReport("pi")
    report.versions["1.2"] += 1
    given_session = Session(
        "pi",
        (said,),
        report,
        model="m-1",
        id="s1",
        task="t1",
        trial=2,
        query="q",
        answer="a",
        recorded=labels,
        partial="p",
    )
    bare, whole = session_of(to_atif(given_session)), session_of(to_atif(given_session, with_recorded=True))
    assert bare.recorded == () and whole.recorded == labels
    for back in (bare, whole):
        told = (back.harness, back.model, back.id, back.task, back.trial, back.query, back.answer, back.partial)
        assert told == ("pi", "m-1", "s1", "t1", 2, "q", "a", "p")
    assert "reward" not in json.dumps(to_atif(given_session))


def test_what_other_readers_of_the_format_find() -> None:
    document = written(
        [
            Event(kind="prompt", text="Mend it.", origin="human"),
            Event(kind="reasoning", text="hm", line=2),
            Event(kind="message", text="Looking.", line=2),
            Event(
                kind="command",
                command="make",
                call="c1",
                output="bad",
                exit_code=2,
                exit_source="text",
                ok=False,
                line=2,
            ),
            Event(kind="tool_call", tool="edit", args={"path": "a"}, call="c2", line=2),
            Event(kind="command", command="ls"),
            Event(kind="message", text="inner", thread="sub:7"),
        ]
    )
    user, turn, alone = document["steps"]
    assert (user["source"], user["message"]) == ("user", "Mend it.")
    assert (turn["message"], turn["reasoning_content"], alone["step_id"]) == ("Looking.", "hm", 3)
    assert turn["tool_calls"] == [call("bash", {"command": "make"}), call("edit", {"path": "a"}, "c2")]
    assert turn["observation"]["results"] == [{"source_call_id": "c1", "content": "bad", "extra": {"exit_code": 2}}]
    (inner,) = document["subagent_trajectories"]
    assert (inner["trajectory_id"], inner["steps"][0]["message"]) == ("sub:7", "inner")


def test_calls_share_a_step_only_where_one_record_made_them_under_ids_of_their_own() -> None:
    def calls(line: int | None, *ids: str) -> int:
        return len(written([Event(kind="tool_call", tool="f", call=one, line=line) for one in ids])["steps"])

    assert (calls(1, "a", "b"), calls(1, "a", "a"), calls(None, "a", "b")) == (1, 2, 2)


# --- hostile files, others' files, real files ---


@NOISE
@given(broken_documents(trajectory(
    step("user", "x"),
    acted([call("bash", {"command": "make"})], [{"source_call_id": "c1", "content": "y", "extra": {"exit_code": 1}}]),
    subagent_trajectories=[{**trajectory(step("agent", "z")), "trajectory_id": "t"}],
    extra={"lessonbench": {"recorded": [{"name": "n", "answer": "a", "by": "b", "evidence": [1]}], "trial": 1}},
)))  # fmt: skip
def test_any_bytes_are_read_or_refused_with_a_reason(raw: bytes) -> None:
    assert_read_or_refused(read, raw, speaks)


def test_no_other_formats_file_is_taken() -> None:
    assert [path.name for path, document in foreign_documents("fixtures/atif*") if speaks(document)] == []
    assert not speaks([]) and not speaks({"schema_version": "ATIF-v2.0", "steps": []}) and FORMAT.reader == "atif@1"


def test_the_samples() -> None:
    for path in samples("fixtures/atif*"):
        document = json.loads(path.read_bytes())
        (found,) = read(io.BytesIO(path.read_bytes()))
        assert speaks(document)
        assert_sound(found)
        assert found.report.seen == found.report.used == _steps_of(document)
        assert sum(e.kind in ("command", "tool_call") for e in found.events) == path.read_text().count("tool_call_id")
        assert session_of(to_atif(found)).events == found.events


def _steps_of(document: Tree) -> int:
    return len(document["steps"]) + sum(_steps_of(inner) for inner in document.get("subagent_trajectories", []))


def test_real_sessions_of_other_harnesses_come_through_unchanged() -> None:
    paths: list[Path] = samples("claude_code/*.jsonl") + samples("codex/*.jsonl")
    for path in paths:
        found = read_session(path)
        assert session_of(json.loads(json.dumps(to_atif(found)))).events == found.events
