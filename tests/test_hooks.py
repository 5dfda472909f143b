"""Payloads of Claude Code's hooks: calls with and without ids, how they ended, refusals, and what hooks never see."""

from __future__ import annotations

import io
import json
from typing import Any

import pytest

from bench.schema.event import Event
from bench.traces.hooks import FORMAT, read, speaks
from bench.traces.report import Session

MAKE = {"command": "make", "description": "Build"}
FINE = {"stdout": "done", "stderr": "", "interrupted": False, "isImage": False}


def payload(name: str, **fields: Any) -> dict[str, Any]:
    about = {"session_id": "s1", "transcript_path": "/t", "cwd": "/w", "permission_mode": "default"}
    return {**about, "hook_event_name": name, **fields}


def before(given: Any = MAKE, tool: str = "Bash", call: str | None = "c1", **more: Any) -> dict[str, Any]:
    named = {} if call is None else {"tool_use_id": call}
    return payload("PreToolUse", tool_name=tool, tool_input=given, **named, **more)


def after(response: Any = FINE, given: Any = MAKE, tool: str = "Bash", call: str | None = "c1") -> dict[str, Any]:
    return before(given, tool, call) | {"hook_event_name": "PostToolUse", "tool_response": response}


def failed(error: str, *, interrupt: bool = False, tool: str = "Bash", given: Any = MAKE) -> dict[str, Any]:
    return before(given, tool) | {"hook_event_name": "PostToolUseFailure", "error": error, "is_interrupt": interrupt}


def sessions(*records: Any) -> list[Session]:
    lines = [r if isinstance(r, bytes) else json.dumps(r).encode() for r in records]
    return list(read(io.BytesIO(b"\n".join(lines))))


def only(*records: Any) -> Session:
    (found,) = sessions(*records)
    assert found.report.balanced
    assert all(Event.model_validate(e.model_dump()) == e for e in found.events)
    return found


@pytest.mark.parametrize(
    ("end", "code", "source", "ok", "output"),
    [
        (after(), 0, "implied", True, "done"),
        (after({**FINE, "stderr": "warn\n"}), 0, "implied", True, "done\nwarn\n"),
        (after({**FINE, "interrupted": True}), None, "none", None, "done"),
        (after({**FINE, "backgroundTaskId": "b1"}), None, "none", None, "done"),
        (after({**FINE, "returnCodeInterpretation": "No matches found"}), None, "none", None, "done"),
        (failed("Exit code 2\nno rule"), 2, "text", False, "no rule"),
        (failed("spawn ENOENT"), None, "none", False, "spawn ENOENT"),
        (failed("it printed\nExit code 3"), None, "none", False, "it printed\nExit code 3"),  # printed, not told
    ],
)
def test_how_a_command_ended(end: dict[str, Any], code: int | None, source: str, ok: bool | None, output: str) -> None:
    for records in ([before(), end], [end]):  # a hook after the call tells it whole
        (event,) = only(*records).events
        assert (event.kind, event.command, event.args) == ("command", "make", {"description": "Build"})
        assert (event.exit_code, event.exit_source, event.ok, event.output) == (code, source, ok, output)


def test_a_tool_that_is_no_shell() -> None:
    read_it = {"file_path": "/w/a"}
    blocks = {"content": [{"type": "text", "text": "of an MCP tool"}]}
    found = only(
        before(read_it, "Read", "r"),
        after({"type": "text", "file": {"content": "x"}}, read_it, "Read", "r"),
        after(blocks, {}, "mcp__a__b", "m"),
        failed("File does not exist.", tool="Edit", given=read_it) | {"tool_use_id": "e"},
    )
    assert [(e.kind, e.tool, e.ok, e.exit_source) for e in found.events] == [
        ("tool_call", "Read", True, None),
        ("tool_call", "mcp__a__b", True, None),
        ("tool_call", "Edit", False, None),
    ]
    assert found.events[1].output == "of an MCP tool"


def test_calls_without_an_id_meet_by_tool_and_arguments() -> None:
    other = {"command": "ls"}
    found = only(
        before(call=None), before(other, call=None), before(call=None),
        after(call=None), after({**FINE, "stdout": "a"}, other, call=None), after({**FINE, "stdout": "again"}, call=None),
        after({**FINE, "stdout": "unheard of"}, {"command": "pwd"}, call=None),
    )  # fmt: skip
    assert [(e.command, e.output) for e in found.events] == [
        ("make", "done"),
        ("ls", "a"),
        ("make", "again"),
        ("pwd", "unheard of"),
    ]
    assert found.report.orphan_results == 0


def test_an_interrupt_and_a_refusal_of_the_automatic_mode() -> None:
    found = only(
        failed("stopped", interrupt=True),
        payload("PermissionRequest", tool_name="Bash", tool_input=MAKE),
        payload("PermissionDenied", tool_name="Bash", tool_input=MAKE, tool_use_id="c2", reason="too wide"),
    )
    stopped, interrupt, refused = found.events
    assert (stopped.ok, stopped.exit_code, interrupt.kind) == (None, None, "interrupt")
    assert refused.approval is not None and refused.ok is False
    assert (refused.approval.decision, refused.approval.source, refused.approval.reason) == (
        "denied",
        "policy",
        "too wide",
    )
    assert found.report.skipped == {"PermissionRequest": 1}  # a question, not an answer


@pytest.mark.parametrize(
    ("text", "origin"),
    [
        ("Mend it.", "human"),
        ("<command-name>/clear</command-name>", "command"),
        ("<task-notification>done</task-notification>", "injected"),
        ("Stop hook feedback: go on", "hook"),
    ],
)
def test_who_wrote_a_prompt(text: str, origin: str) -> None:
    (event,) = only(payload("UserPromptSubmit", prompt=text, timestamp="2026-01-02T12:00:00Z")).events
    assert (event.kind, event.origin, event.ts) == ("prompt", origin, "2026-01-02T12:00:00Z")


def test_what_is_said_at_the_end_once_and_compaction_once() -> None:
    found = only(
        payload("SessionStart", source="startup", model="m-1"),
        payload("Stop", stop_hook_active=False, last_assistant_message="Done."),
        payload("Stop", stop_hook_active=True, last_assistant_message="Done."),
        payload("SubagentStop", agent_id="a7", last_assistant_message="Found it."),
        payload("PreCompact", trigger="auto"),
        payload("PostCompact", trigger="auto", compact_summary="Earlier: much."),
        payload("SessionStart", source="compact", model="m-1"),
        payload("SessionStart", source="compact"),
        payload("StopFailure", error="rate_limit"),
        payload("Notification", message="Claude is waiting for your input"),
        payload("FileChanged", file_path="/w/.envrc"),
        payload("BrandNew"),
    )
    assert [(e.kind, e.thread, e.text or e.path) for e in found.events] == [
        ("message", "main", "Done."),
        ("message", "sub:a7", "Found it."),
        ("compaction", "main", "Earlier: much."),
        ("compaction", "main", None),
        ("system", "main", 'error: "rate_limit"'),
        ("system", "main", "Claude is waiting for your input"),
        ("file", "main", "/w/.envrc"),
    ]
    assert found.report.unknown == {"BrandNew": 1} and found.model == "m-1"
    assert found.report.skipped == {"SessionStart": 2, "Stop": 1, "PreCompact": 1}
    assert found.partial == "only the moments for which a hook was registered"


def test_sessions_side_by_side_and_torn_lines() -> None:
    found = sessions(
        payload("UserPromptSubmit", prompt="A"), b'{"hook', payload("UserPromptSubmit", prompt="B", session_id="s2")
    )
    assert [(s.id, [e.text for e in s.events]) for s in found] == [("s1", ["A"]), ("s2", ["B"])]
    assert found[0].report is found[1].report and found[0].report.balanced and found[0].report.malformed == [2]
    assert [s.events for s in sessions()] == [()]


@pytest.mark.parametrize(
    "record",
    [
        {},
        [],
        payload("preToolUse"),
        payload("BeforeTool"),
        {**payload("Stop"), "session_id": 1},
        {**payload("Stop"), "type": "user"},
    ],
)
def test_what_is_no_payload(record: Any) -> None:
    assert speaks(payload("Stop")) and not speaks(record)
    assert (FORMAT.name, FORMAT.shape) == ("claude-code-hooks", "lines")
