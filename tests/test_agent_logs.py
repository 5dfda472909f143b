"""What coding agents log about themselves, and what a plugin of OpenCode is told."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest
from otlp_files import log, logs, only

from bench.schema.event import Event
from bench.traces import agent_logs, opencode_payloads
from bench.traces.report import Session

SHARED = Path(__file__).parents[2] / "shared"
BASH = {"tool_name": "Bash", "tool_use_id": "c1", "session.id": "s1"}
EXEC = {"tool_name": "exec_command", "call_id": "c1", "conversation.id": "s1"}
COMMAND = json.dumps({"command": "make", "description": "Build"})


def record(name: str, **about: Any) -> dict[str, Any]:
    return {"name": "x", "body": name, "attributes": {"session.id": "s1", **about}}


def told(*records: dict[str, Any]) -> Session:
    document = {"runtime": "Claude Code", "version": "2.1", "records": list(records)}
    (found,) = agent_logs.read(io.BytesIO(json.dumps(document).encode()))
    assert found.report.balanced
    assert all(Event.model_validate(e.model_dump()) == e for e in found.events)
    return found


def result(body: str, about: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"name": "x", "body": body, "attributes": {**about, **more}}


@pytest.mark.parametrize(
    ("about", "code", "source", "ok"),
    [
        ({"success": "true"}, 0, "implied", True),
        ({"success": True}, 0, "implied", True),
        ({"success": "false", "error": "Exit code 2"}, None, "none", False),
        ({}, None, "none", None),
    ],
)
def test_how_a_command_of_claude_code_ended(
    about: dict[str, Any], code: int | None, source: str, ok: bool | None
) -> None:
    (event,) = told(result("claude_code.tool_result", BASH, tool_input=COMMAND, **about)).events
    assert (event.kind, event.command, event.args) == ("command", "make", {"description": "Build"})
    assert (event.exit_code, event.exit_source, event.ok, event.output) == (code, source, ok, None)


@pytest.mark.parametrize(
    ("about", "code", "source", "ok"),
    [
        ({"success": "true"}, None, "none", None),  # the flag of Codex says that the tool ran
        ({"success": "false"}, None, "none", False),
        ({"success": "true", "output": "Exit code: 3\nWall time: 1 seconds\nOutput:\nExit code: 0"}, 3, "text", False),
        ({"success": "true", "output": "Exit code: 3"}, None, "none", None),
    ],
)
def test_how_a_command_of_codex_ended(about: dict[str, Any], code: int | None, source: str, ok: bool | None) -> None:
    given = json.dumps({"cmd": "make"})
    (event,) = told(result("codex.tool_result", EXEC, arguments=given, **about)).events
    assert (event.command, event.exit_code, event.exit_source, event.ok) == ("make", code, source, ok)


@pytest.mark.parametrize(
    ("decision", "source", "expected"),
    [
        ("accept", "config", ("approved", "config")),
        ("accept", "hook", ("approved", "policy")),
        ("accept", "user_permanent", ("approved", "person")),
        ("reject", "user_reject", ("denied", "person")),
        ("reject", "user_abort", ("denied", "person")),
        ("reject", "oracle", ("denied", "unknown")),
        ("approved_for_session", "User", ("approved", "person")),
        ("denied", "AutomatedReviewer", ("denied", "policy")),
        ("abort", "User", ("denied", "person")),
    ],
)
def test_who_decided(decision: str, source: str, expected: tuple[str, str]) -> None:
    (event,) = told(
        result("claude_code.tool_decision", BASH, decision=decision, source=source, tool_parameters=COMMAND)
    ).events
    assert event.approval is not None and (event.approval.decision, event.approval.source) == expected
    assert event.ok is (False if expected[0] == "denied" else None)
    assert (event.kind, event.exit_source) == ("command", "none")


def test_a_decision_before_the_arguments_are_known() -> None:
    found = told(
        result("claude_code.tool_decision", BASH, decision="accept", source="config"),
        result("claude_code.tool_result", BASH, success="true", tool_input=COMMAND),
        result("claude_code.tool_decision", {"tool_name": "Read", "session.id": "s1"}, decision="accept"),
        result("claude_code.tool_result", {"tool_name": "Read", "session.id": "s1"}, success="true"),
    )
    assert [(e.kind, e.command, e.exit_code, e.ok) for e in found.events] == [
        ("command", "make", 0, True),
        ("tool_call", None, None, True),
    ]


def test_what_is_said_and_noticed_in_the_order_of_time() -> None:
    prompt = record("claude_code.user_prompt", prompt="Mend it.", **{"event.timestamp": "2026-01-02T12:00:00Z"})
    answer = record("claude_code.assistant_response", response="Done.", **{"event.timestamp": "2026-01-02T12:00:00.5Z"})
    late = record("claude_code.api_error", error="overloaded", **{"event.timestamp": "2026-01-02T13:00:01+01:00"})
    found = told(
        late, answer, prompt, record("claude_code.auth"), record("claude_code.brand_new"), record("other.thing")
    )
    assert [(e.kind, e.text) for e in found.events] == [
        ("prompt", "Mend it."),
        ("message", "Done."),
        ("system", 'api_error: {"error": "overloaded"}'),
    ]
    assert found.report.unknown == {"brand_new": 1, "other.thing": 1} and found.report.skipped == {"auth": 1}


def test_as_otlp_log_records() -> None:
    about = {**BASH, "success": "true", "tool_input": COMMAND}
    odd = log("codex.odd", {"conversation.id": "s1"})
    found = only(logs(log("", about, body="claude_code.tool_result", second=2), odd))
    assert [(e.command, e.ts) for e in found.events] == [("make", "2026-01-02T12:00:02+00:00")]
    assert (found.harness, found.id, found.report.unknown) == ("claude-code", "s1", {"odd": 1})


def payloads(*records: Any) -> Session:
    lines = b"\n".join(json.dumps(r).encode() for r in records)
    (found,) = opencode_payloads.read(io.BytesIO(lines))
    assert found.report.balanced
    assert all(Event.model_validate(e.model_dump()) == e for e in found.events)
    return found


def payload(name: str, **fields: Any) -> dict[str, Any]:
    return {"type": name, "session_id": "s1", **fields}


def test_what_the_plugin_is_told() -> None:
    call = {"tool_name": "bash", "call_id": "c1", "tool_input": {"command": "make"}}
    response = {"output": "no rule", "metadata": {"exit": 2}}
    text = {"id": "p1", "messageID": "m1", "type": "text", "text": "It f"}
    assistant = {"info": {"id": "m1", "role": "assistant", "providerID": "p", "modelID": "m", "time": {"created": 1}}}
    completed = {"info": {**assistant["info"], "time": {"created": 1, "completed": 2}, "tokens": {"input": 3}}}
    state = {"status": "error", "input": {"filePath": "/a"}, "error": "not found"}
    found = payloads(
        payload(
            "chat.message", output={"parts": [{"type": "text", "text": "Build"}, {"type": "file", "filename": "a.c"}]}
        ),
        payload("tool.execute.before", **call),
        payload("permission.replied", properties={"callID": "c1", "reply": "always"}),
        payload("tool.execute.after", tool_response=response, **call),
        payload("message.updated", properties=assistant),
        payload("message.part.updated", part=text),
        payload("message.part.updated", part={**text, "text": "It failed.", "time": {"start": 1, "end": 2}}),
        payload("message.part.updated", part={**text, "text": "It failed.", "time": {"start": 1, "end": 2}}),
        payload("message.updated", properties=completed),
        payload("message.part.updated", part={"type": "tool", "tool": "read", "callID": "c2", "state": state}),
        payload(
            "session.diff", properties={"diff": [{"file": "/w/a", "after": "x"}, {"file": "/w/a", "after": "x"}, 3]}
        ),
        payload("permission.replied", properties={"requestID": "r", "reply": "reject"}),
        payload("permission.replied", properties={"requestID": "r", "reply": "perhaps"}),
        payload("session.error", properties={"error": {"name": "Aborted"}}),
        payload("session.idle"),
        payload("brand.new"),
    )
    assert [(e.kind, e.text or e.command or e.tool or e.path) for e in found.events] == [
        ("prompt", "Build\n[a.c]"),
        ("command", "make"),
        ("message", "It failed."),
        ("usage", None),
        ("tool_call", "read"),
        ("file", "/w/a"),
        ("approval", None),
        ("system", 'error: {"name": "Aborted"}'),
    ]
    command, refused = found.events[1], found.events[6]
    assert (command.exit_code, command.exit_source, command.ok, command.output) == (2, "structured", False, "no rule")
    assert command.approval is not None and (command.approval.decision, command.approval.source) == (
        "approved",
        "unknown",
    )
    assert refused.approval is not None and refused.approval.decision == "denied"
    assert found.events[0].origin == "unknown" and found.model == "p/m"
    assert found.report.unknown == {"brand.new": 1} and found.report.orphan_results == 0


@pytest.mark.skipif(not SHARED.is_dir(), reason="../shared is not here")
def test_the_samples() -> None:
    folder = SHARED / "traces/beacon"
    counted = {}
    for path in sorted(folder.glob("*.json")):
        tree = json.loads(path.read_bytes())
        documented = "records" in tree
        reader = agent_logs if documented else opencode_payloads
        assert reader.speaks(tree) and not (opencode_payloads if documented else agent_logs).speaks(tree)
        with path.open("rb") as stream:
            (found,) = reader.read(stream)
        assert found.report.balanced and found.report.unknown == {} and found.report.malformed == []
        assert found.report.seen == (len(tree["records"]) if documented else 1)
        if documented:  # every call that the raw records name, once
            calls = {r["attributes"].get("tool_use_id") or r["attributes"].get("call_id") for r in tree["records"]} - {
                None
            }
            assert {e.call for e in found.events if e.call} == calls
        counted[path.name] = len(found.events)
    assert counted == {
        "assistant_completed.json": 1,
        "chat_message.json": 1,
        "claude-code-2.1.220.json": 4,
        "claude-code-lifecycle-2.1.220.json": 8,
        "codex-0.142.4.json": 1,
        "permission_replied.json": 1,
        "session_diff.json": 1,
        "tool_execute_after_bash.json": 1,
        "tool_part_error.json": 1,
    }
