"""OpenHands, both generations: one row for each trap, and the fixtures."""

from __future__ import annotations

import io
import json
from typing import Any

import pytest
from hypothesis import given
from imported import (
    NOISE,
    assert_read_or_refused,
    assert_sound,
    broken_documents,
    broken_lines,
    foreign_documents,
    foreign_records,
    samples,
)

from bench.traces import openhands, openhands_eval, openhands_v0
from bench.traces.report import Recorded, Session

Tree = dict[str, Any]
NAIVE = "2026-01-02T12:00:00.123456"
FAKE = "Please continue working on the task on whatever approach you think is suitable.\nIF YOU WANT"


def text(value: str) -> list[Tree]:
    return [{"type": "text", "text": value}]


def event(kind: str, **fields: Any) -> Tree:
    return {"kind": kind, "id": f"e-{kind}", "timestamp": NAIVE, **fields}


def action(tool: str = "terminal", identity: str = "a1", **arguments: Any) -> Tree:
    given_arguments = json.dumps(arguments or {"command": "make"})
    return event(
        "ActionEvent",
        id=identity,
        tool_name=tool,
        tool_call_id=f"call-{identity}",
        tool_call={"arguments": given_arguments},
    )


def observation(content: Any = "out", action_id: str = "a1", **seen: Any) -> Tree:
    return event("ObservationEvent", action_id=action_id, observation={"content": text(content), **seen})


def said(value: str, source: str = "user", **fields: Any) -> Tree:
    return event("MessageEvent", source=source, llm_message={"content": text(value)}, **fields)


def session(*events: Any, **page: Any) -> Session:
    document = {"items": list(events), **page} if page else list(events)
    (found,) = openhands.read(io.BytesIO(json.dumps(document).encode()))
    assert_sound(found)
    return found


@pytest.mark.parametrize(
    ("seen", "code", "source", "ok"),
    [
        ({"exit_code": 0}, 0, "structured", True),
        ({"exit_code": 2, "is_error": False}, 2, "structured", False),
        ({"metadata": {"exit_code": 3}}, 3, "structured", False),
        ({"exit_code": -1, "metadata": {"exit_code": -1}}, None, "none", None),  # still running
        ({"exit_code": None, "is_error": True}, None, "none", False),
        ({"exit_code": "0"}, None, "none", None),
        ({}, None, "none", None),
    ],
)
def test_how_a_command_ended(seen: Tree, code: int | None, source: str, ok: bool | None) -> None:
    (found,) = session(action(), observation("[exit code 0]", **seen)).events
    assert (found.kind, found.command, found.call, found.ts) == ("command", "make", "call-a1", None)  # no zone, no time
    assert (found.exit_code, found.exit_source, found.ok, found.output) == (code, source, ok, "[exit code 0]")


def test_input_to_a_running_process_is_no_command() -> None:
    kinds = [e.kind for e in session(action(command="C-c", is_input=True), action(command="", identity="a2")).events]
    assert kinds == ["tool_call", "tool_call"]


@pytest.mark.parametrize(
    ("given_fields", "source", "reason"),
    [
        ({}, "person", None),
        ({"rejection_reason": "User rejected the action"}, "person", None),
        ({"rejection_reason": "use pnpm"}, "person", "use pnpm"),
        ({"rejection_reason": "blocked", "rejection_source": "hook"}, "policy", "blocked"),
    ],
)
def test_a_rejection(given_fields: Tree, source: str, reason: str | None) -> None:
    for tool, exit_source in (("terminal", "none"), ("file_editor", None)):
        (found,) = session(action(tool), event("UserRejectObservation", action_id="a1", **given_fields)).events
        assert found.approval is not None and found.approval.decision == "denied"
        assert (found.approval.source, found.approval.reason, found.ok) == (source, reason, False)
        assert (found.exit_code, found.exit_source) == (None, exit_source)


def test_who_said_what() -> None:
    found = session(
        said("Mend it.", extended_content=text("skill text")),
        said("From elsewhere.", sender="agent-7"),
        event("ActionEvent", id="a1", thought=text("First I look."), reasoning_content="hm", tool_name="file_editor",
              action={"kind": "FileEditorAction", "path": "a"}),
        observation("no such file", is_error=True),
        event("AgentErrorEvent", tool_call_id="zz", error="Sandbox failed"),
        event("AgentErrorEvent", error="No call"),
        event("PauseEvent", source="user"),
        event("InterruptEvent", reason="User requested interrupt"),
        event("Condensation", summary="Earlier."),
        event("ConversationErrorEvent", code="budget", detail="spent"),
        event("HookExecutionEvent", blocked=True, reason="no"),
        event("HookExecutionEvent", blocked=False),
        event("SystemPromptEvent"),
        event("OracleEvent"),
        None,
        action("finish", identity="a9", message="All done."),
        next_page_id="p2",
    )  # fmt: skip
    assert [(e.kind, e.origin, e.text or e.output or e.tool) for e in found.events] == [
        ("prompt", "human", "Mend it."),
        ("prompt", "injected", "skill text"),
        ("prompt", "unknown", "From elsewhere."),
        ("reasoning", None, "hm"),
        ("message", None, "First I look."),
        ("tool_call", None, "no such file"),
        ("tool_result", None, "Sandbox failed"),
        ("system", None, "No call"),
        ("interrupt", None, None),
        ("interrupt", None, "User requested interrupt"),
        ("compaction", None, "Earlier."),
        ("system", None, "budget: spent"),
        ("system", None, "hook blocked: no"),
        ("tool_call", None, "finish"),
    ]
    report = found.report
    assert report.skipped == {"HookExecutionEvent": 1, "SystemPromptEvent": 1} and report.unknown == {"OracleEvent": 1}
    assert (report.malformed, report.orphan_results) == ([15], 1)
    assert (found.answer, found.partial) == ("All done.", "one page of a longer conversation")


def test_a_call_of_another_agent_is_one_event() -> None:
    told = [event("ACPToolCallEvent", tool_call_id="x", title="Edit", status=s, raw_input={"p": 1}, raw_output=o)
            for s, o in (("in_progress", None), ("completed", "done"))]  # fmt: skip
    (found,) = session(*told).events
    assert (found.tool, found.args, found.ok, found.output) == ("Edit", {"p": 1}, True, '"done"')


# --- the first generation ---


def act(name: str, identity: int, source: str = "agent", call: str | None = None, **args: Any) -> Tree:
    about = {} if call is None else {"tool_call_metadata": {"tool_call_id": call, "function_name": "execute_bash"}}
    return {"id": identity, "timestamp": NAIVE, "source": source, "message": "m", "action": name, "args": args, **about}


def saw(name: str, cause: int | None, content: str = "out", **extras: Any) -> Tree:
    about = {} if cause is None else {"cause": cause}
    return {
        "id": 99,
        "timestamp": NAIVE,
        "source": "agent",
        "message": "",
        "observation": name,
        "content": content,
        "extras": extras,
        **about,
    }


def stream(*events: Any) -> Session:
    assert openhands_v0.speaks(list(events))
    (found,) = openhands_v0.read(io.BytesIO(json.dumps(list(events)).encode()))
    assert_sound(found)
    return found


@pytest.mark.parametrize(
    ("extras", "code", "source", "ok"),
    [
        ({"metadata": {"exit_code": 0}}, 0, "structured", True),
        ({"exit_code": 1, "command": "make"}, 1, "structured", False),
        ({"metadata": {"exit_code": -1}}, None, "none", None),
        ({}, None, "none", None),
    ],
)
def test_how_a_command_of_the_stream_ended(extras: Tree, code: int | None, source: str, ok: bool | None) -> None:
    (found,) = stream(act("run", 3, call="t1", command="make"), saw("run", 3, **extras)).events
    assert (found.kind, found.command, found.call, found.tool, found.ts) == (
        "command",
        "make",
        "t1",
        "execute_bash",
        None,
    )
    assert (found.exit_code, found.exit_source, found.ok) == (code, source, ok)


@pytest.mark.parametrize(
    ("name", "seen", "content", "ok"),
    [
        ("edit", "edit", "edited", True),
        ("edit", "error", "ERROR: no match", False),
        ("run_ipython", "run_ipython", "Traceback", None),  # always called a success
        ("call_tool_mcp", "mcp", '{"isError": true, "content": []}', False),
        ("call_tool_mcp", "mcp", "plain", None),
    ],
)
def test_how_other_calls_of_the_stream_ended(name: str, seen: str, content: str, ok: bool | None) -> None:
    (found,) = stream(act(name, 3, path="a"), saw(seen, 3, content)).events
    assert (found.kind, found.tool, found.ok, found.output, found.exit_source) == ("tool_call", name, ok, content, None)


@pytest.mark.parametrize(("state", "decision"), [("confirmed", "approved"), ("rejected", "denied")])
def test_an_action_that_waited_for_a_person_is_one_event(state: str, decision: str) -> None:
    waiting = act("run", 3, call="t1", command="rm x", confirmation_state="awaiting_confirmation", thought="Now.")
    decided = act("run", 5, call="t1", command="rm x", confirmation_state=state, thought="Now.")
    end = (
        saw("run", 5, metadata={"exit_code": 0})
        if state == "confirmed"
        else saw("user_rejected", 5, "User rejected the action")
    )
    found = stream(waiting, decided, end)
    assert [e.kind for e in found.events] == ["message", "command"]
    command = found.events[1]
    assert command.approval is not None
    assert (command.approval.decision, command.approval.source, command.approval.reason) == (decision, "person", None)
    assert (command.ok, command.exit_code) == ((True, 0) if state == "confirmed" else (False, None))
    (plain,) = stream(act("run", 3, command="ls", confirmation_state="confirmed")).events
    assert plain.approval is None  # the default of every action


def test_who_said_what_in_the_stream() -> None:
    found = stream(
        act("system", 0, content="You are"),
        act("message", 1, "user", content="Mend it."),
        act("recall", 2, "user", query="q"),
        saw("recall", 2, "Added workspace context"),
        act("message", 3, content="Shall I?"),
        act("think", 4, thought="hm"),
        saw("think", 4, "Your thought has been logged."),
        act("change_agent_state", 5, "user", agent_state="paused"),
        saw("agent_state_changed", None, agent_state="error", reason="LLM failed"),
        act("condensation", 6, summary="Earlier."),
        saw("error", None, "lost"),
        saw("read", 77, "orphan"),
        act("run", 8, "user", command="ls"),
        act("finish", 9, final_thought="All done."),
        act("oracle", 10),
    )
    assert [(e.kind, e.origin, e.text or e.output or e.command) for e in found.events] == [
        ("prompt", "human", "Mend it."),
        ("message", None, "Shall I?"),
        ("reasoning", None, "hm"),
        ("interrupt", None, None),
        ("system", None, "LLM failed"),
        ("compaction", None, "Earlier."),
        ("system", None, "lost"),
        ("tool_result", None, "orphan"),
        ("command", None, "ls"),
        ("message", None, "All done."),
    ]
    assert found.events[-2].args == {"source": "person"}
    assert (found.answer, found.report.orphan_results, found.report.unknown) == ("All done.", 1, {"action/oracle": 1})
    assert found.report.skipped == {
        "action/system": 1, "action/recall": 1, "observation/recall": 1, "observation/think": 1,
    }  # fmt: skip


def test_beside_a_fake_user_sits_no_person() -> None:
    first, second = act("message", 1, "user", content="Fix issue 7."), act("message", 3, "user", content=FAKE)
    assert [e.origin for e in stream(first, second).events] == ["unknown", "simulated"]
    assert [e.origin for e in session(said("Fix issue 7."), said(FAKE)).events] == ["unknown", "simulated"]


def evaluation(*lines: Any) -> list[Session]:
    raw = b"\n".join(one if isinstance(one, bytes) else json.dumps(one).encode() for one in lines)
    found = list(openhands_eval.read(io.BytesIO(raw)))
    for one in found:
        assert_sound(one)
    return found


def test_an_evaluation_holds_a_session_a_line() -> None:
    asked = act("message", 1, "user", content="Fix issue 7.")
    old = {
        "instance_id": "x-7",
        "metadata": {"llm_config": {"model": "m-1"}},
        "history": [[asked, saw("null", 1, "")], [act("message", 3, "user", content=FAKE), None]],
        "report": {"resolved": True},
    }
    new = {
        "instance_id": "x-8",
        "attempt": 2,
        "instruction": "Fix issue 8.",
        "history": [said("Fix issue 8."), observation("late")],
        "test_result": {"report": {"resolved": False}},
        "metadata": {"llm": {"model": "m-2"}},
        "error": "budget",
    }
    first, second = evaluation(old, b"{torn", {"instance_id": "x-9", "history": []}, new, {"other": 1})
    assert openhands_eval.speaks(old) and openhands_eval.speaks(new)
    assert [(e.origin, e.line) for e in first.events] == [("injected", 1), ("simulated", 1)]
    assert (first.task, first.trial, first.model, first.query, first.partial) == ("x-7", None, "m-1", None, None)
    assert first.recorded == (Recorded("resolved", "true", "environment"),)
    assert [(e.kind, e.line) for e in second.events] == [("prompt", 4), ("tool_result", 4)]
    assert (second.task, second.trial, second.model, second.query) == ("x-8", 1, "m-2", "Fix issue 8.")
    assert second.partial == "the run ended with an error: budget"
    assert [r.answer for r in second.recorded] == ["false"]
    report = second.report
    assert first.report is report and report.balanced
    assert (report.seen, report.used, report.malformed, report.orphan_results) == (9, 4, [1, 2], 1)
    assert report.skipped == {"observation/null": 1, "task without events": 1} and report.unknown == {"(no task)": 1}
    assert "resolved" not in "".join(e.model_dump_json() for e in (*first.events, *second.events))


def test_the_trajectory_of_an_export() -> None:
    document = {"trajectory": [act("message", 1, "user", content="Hi")]}
    assert openhands_v0.speaks(document)
    (found,) = openhands_v0.read(io.BytesIO(json.dumps(document).encode()))
    assert [e.text for e in found.events] == ["Hi"]


def test_only_its_own_files_are_taken() -> None:
    for path, document in foreign_documents("fixtures/openhands__*"):
        assert not openhands.speaks(document), path
        assert not openhands_v0.speaks(document), path
    for path, record in foreign_records("fixtures/openhands__*"):
        assert not openhands_eval.speaks(record), path
    mine = [said("a")], [act("message", 1, "user", content="a")]
    assert [openhands.speaks(m) for m in mine] == [True, False] == [not openhands_v0.speaks(m) for m in mine]


def test_the_fixtures() -> None:
    cleanup, calls = samples("fixtures/openhands__*")
    for path, kinds in ((cleanup, ["prompt", "prompt", "tool_call", "tool_result", "message"]),
                        (calls, ["prompt", "message", "command", "tool_call", "message"])):  # fmt: skip
        raw = json.loads(path.read_bytes())
        events = raw["items"] if isinstance(raw, dict) else raw
        assert openhands.speaks(raw)
        with path.open("rb") as stream_of:
            (found,) = openhands.read(stream_of)
        assert_sound(found)
        assert found.report.seen == len(events) and [e.kind for e in found.events] == kinds
        rejections = sum((e or {}).get("kind") == "UserRejectObservation" for e in events)
        assert rejections == sum(e.approval is not None for e in found.events)


NEW = [
    said("a", extended_content=text("b")),
    action(),
    observation(exit_code=1),
    event("UserRejectObservation", action_id="a1"),
    event("Condensation", summary="s"),
]
OLD = [
    act("message", 1, "user", content="a"),
    act("run", 2, call="t", command="c", confirmation_state="awaiting_confirmation"),
    act("run", 3, call="t", command="c", confirmation_state="rejected"),
    saw("run", 3, metadata={"exit_code": 1}),
]


@NOISE
@given(broken_documents(NEW))
def test_any_conversation_is_read_or_refused(raw: bytes) -> None:
    assert_read_or_refused(openhands.read, raw)


@NOISE
@given(broken_documents(OLD))
def test_any_stream_is_read_or_refused(raw: bytes) -> None:
    assert_read_or_refused(openhands_v0.read, raw)


TASKS = [
    {"instance_id": "x", "attempt": 1, "history": NEW, "report": {"resolved": True}},
    {"instance_id": "y", "history": [OLD]},
]


@NOISE
@given(broken_lines(TASKS))
def test_any_evaluation_is_read(raw: bytes) -> None:
    assert_read_or_refused(openhands_eval.read, raw)
