"""Sessions of GitHub Copilot CLI: one row for each trap, and the fixtures."""

from __future__ import annotations

import io
import json
from typing import Any

import pytest
from hypothesis import given
from imported import NOISE, assert_sound, broken_lines, foreign_records, samples

from bench.traces.copilot_cli import read, speaks
from bench.traces.report import Session

Tree = dict[str, Any]
NOON = "2026-01-02T12:00:00.000Z"
PRINTED = "<exited with exit code 0>"


def event(name: str, data: Tree | None = None, **fields: Any) -> Tree:
    return {"id": "e", "type": name, "timestamp": NOON, "parentId": None, "data": data or {}, **fields}


def asked(tool: str = "bash", arguments: Any = None, call: str = "c1", **data: Any) -> Tree:
    given_arguments = {"command": "make"} if arguments is None else arguments
    return event(
        "assistant.message",
        {"content": "", "toolRequests": [{"toolCallId": call, "name": tool, "arguments": given_arguments}], **data},
    )


def done(content: Any = None, success: Any = True, **data: Any) -> Tree:
    result = {} if content is None else {"result": {"content": content}}
    return event("tool.execution_complete", {"toolCallId": "c1", "success": success, **result, **data})


def session(*records: Any) -> Session:
    raw = b"\n".join(r if isinstance(r, bytes) else json.dumps(r).encode() for r in records)
    (found,) = read(io.BytesIO(raw))
    assert_sound(found)
    return found


@pytest.mark.parametrize(
    ("complete", "code", "source", "ok"),
    [
        (done("fine\n<exited with exit code 0>"), 0, "text", True),
        (done("bad\n<exited with exit code 3>"), 3, "text", False),
        (done("<exited with exit code 0>\n<exited with exit code 2>"), 2, "text", False),
        (done("<exited with exit code 0>\n<command started in background with shellId: 0>"), None, "none", None),
        (done("x\n<shellId: 1 completed with exit code 4>"), 4, "text", False),
        (done("fine"), None, "none", None),  # success only says that the call went through
        (done(), None, "none", None),  # as VS Code writes it
        (done(result={"content": PRINTED, "contents": [{"type": "shell_exit", "exitCode": 5}]}), 5, "structured", False),
        (done(result={"content": "x", "contents": [{"type": "terminal", "exitCode": 0, "text": "x"}]}), 0, "structured", True),
        (done("x", shellExecution={"exitCode": 6}), 6, "structured", False),
        (done(success=False, error={"code": "failure", "message": "<exited with exit code 0>"}), None, "none", False),
    ],
)  # fmt: skip
def test_how_a_command_ended(complete: Tree, code: int | None, source: str, ok: bool | None) -> None:
    (found,) = session(asked(), complete).events
    assert (found.kind, found.command) == ("command", "make")
    assert (found.exit_code, found.exit_source, found.ok) == (code, source, ok)


@pytest.mark.parametrize(
    ("error", "source"),
    [
        ({"code": "rejected", "message": "The user rejected this tool call."}, "person"),
        ({"code": "denied", "message": "Permission denied and could not request permission from user"}, "config"),
        ({"code": "denied", "message": "no"}, "unknown"),
        ({"code": "failure", "message": "The user rejected this tool call."}, None),
    ],
)
def test_a_call_that_was_refused(error: Tree, source: str | None) -> None:
    (found,) = session(asked("edit", {"path": "a"}), done(success=False, error=error)).events
    assert (found.kind, found.ok, found.exit_source) == ("tool_call", False, None)
    assert (found.approval.source if found.approval else None) == source
    (fine,) = session(asked("edit", {"path": "a"}), done(error["message"], error=error)).events
    assert fine.ok is True and fine.approval is None


@pytest.mark.parametrize(
    ("kind", "decision", "source"),
    [
        ("approved", "approved", "unknown"),
        ("approved-for-session", "approved", "person"),
        ("denied-interactively-by-user", "denied", "person"),
        ("denied-by-rules", "denied", "config"),
        ("denied-by-content-exclusion-policy", "denied", "policy"),
    ],
)
def test_a_recorded_permission(kind: str, decision: str, source: str) -> None:
    request = event("permission.requested", {"requestId": "r1", "permissionRequest": {"toolCallId": "c1"}})
    completed = event("permission.completed", {"requestId": "r1", "result": {"kind": kind, "feedback": "why"}})
    (found,) = session(asked(), request, completed).events
    assert found.approval is not None
    assert (found.approval.decision, found.approval.source, found.approval.reason) == (decision, source, "why")
    (alone,) = session(completed).events
    assert alone.kind == "approval" and alone.approval == found.approval
    assert session(event("permission.completed", {"result": {"kind": "cancelled"}})).events == ()


@pytest.mark.parametrize(
    ("data", "fields", "origin", "thread"),
    [
        ({}, {}, "human", "main"),
        ({"source": "user"}, {}, "human", "main"),
        ({"source": "skill-pdf"}, {}, "injected", "main"),
        ({"source": "command-review"}, {}, "command", "main"),
        ({"source": "autopilot"}, {}, "injected", "main"),
        ({"inputOrigin": "authenticated-cross-session"}, {}, "injected", "main"),
        ({"source": "agent-s1"}, {"agentId": "a1"}, "injected", "sub:a1"),
    ],
)
def test_who_wrote_a_prompt(data: Tree, fields: Tree, origin: str, thread: str) -> None:
    (found,) = session(event("user.message", {"content": "Go", **data}, **fields)).events
    assert (found.kind, found.text, found.origin, found.thread) == ("prompt", "Go", origin, thread)


def test_a_prompt_is_told_once_though_a_hook_announced_it() -> None:
    hook = event("hook.start", {"hookType": "userPromptSubmitted", "input": {"prompt": "Go"}})
    assert [e.line for e in session(hook, event("user.message", {"content": "Go"})).events] == [2]
    assert [e.line for e in session(hook, event("hook.start", {"hookType": "preToolUse"})).events] == [1]


def test_everything_else() -> None:
    found = session(
        event("session.start", {"sessionId": "s1", "copilotVersion": "1.0.1", "selectedModel": "m-0"}),
        event("assistant.reasoning", {"content": "hm"}),
        event("assistant.message", {"content": "Done.", "reasoningText": "hm", "model": "m-1"}),
        event("tool.user_requested", {"toolCallId": "u1", "toolName": "bash", "arguments": {"command": "ls"}}),
        event("tool.execution_start", {"toolCallId": "u1", "toolName": "bash", "arguments": {"command": "ls"}}),
        event(
            "tool.execution_start",
            {"toolCallId": "u2", "toolName": "view", "arguments": '{"path": "a"}', "parentToolCallId": "c0"},
        ),
        event("abort", {"reason": "user_initiated"}),
        event("abort", {"reason": "mcp_server"}),
        event("session.compaction_complete", {"success": True, "summaryContent": "Earlier."}),
        event("session.compaction_complete", {"success": False}),
        event("session.error", {"errorType": "quota", "message": "no more"}),
        event("assistant.turn_end"),
        b"{torn",
        event("future.event"),
        event(
            "tool.execution_complete",
            {"toolCallId": "zz", "toolName": "view", "success": True, "result": {"content": "late"}},
        ),
    )
    assert [(e.kind, e.text or e.command or e.tool, e.thread) for e in found.events] == [
        ("reasoning", "hm", "main"),
        ("message", "Done.", "main"),
        ("command", "ls", "main"),
        ("tool_call", "view", "sub:c0"),
        ("interrupt", "aborted: user_initiated", "main"),
        ("system", "aborted: mcp_server", "main"),
        ("compaction", "Earlier.", "main"),
        ("system", "no more", "main"),
        ("tool_result", "view", "main"),
    ]
    assert found.events[2].args == {"source": "person"} and found.events[3].args == {"path": "a"}
    report = found.report
    assert report.skipped == {
        "session.start": 1,
        "tool.execution_start": 1,
        "session.compaction_complete": 1,
        "assistant.turn_end": 1,
    }
    assert (report.malformed, report.unknown, report.orphan_results) == ([13], {"future.event": 1}, 1)
    assert (found.id, found.model, report.versions) == ("s1", "m-1", {"1.0.1": 1})


def test_only_its_own_files_are_taken() -> None:
    for path, record in foreign_records("fixtures/copilot-cli__*"):
        assert not speaks(record), path
    assert speaks(event("session.start"))


def test_the_fixtures() -> None:
    for path, malformed, oks in zip(samples("fixtures/copilot-cli__*"), ([1], []), ([False], [True]), strict=True):
        with path.open("rb") as stream:
            (found,) = read(stream)
        raw = path.read_bytes()
        assert found.report.malformed == malformed and found.report.seen == len(raw.splitlines())
        assert [e.ok for e in found.events if e.kind == "tool_call"] == oks
        assert raw.count(b'"userPromptSubmitted"') == sum(e.origin == "human" for e in found.events) == 1


RECORDS = [
    event("session.start", {"sessionId": "s", "copilotVersion": "1"}),
    event("user.message", {"content": "a", "attachments": [{}]}),
    asked(),
    done("x\n<exited with exit code 1>"),
    done(result={"content": "x", "contents": [{"type": "shell_exit", "exitCode": 1}]}),
    event("permission.requested", {"requestId": "r", "permissionRequest": {"toolCallId": "c1"}}),
    event("permission.completed", {"requestId": "r", "result": {"kind": "approved"}}),
    event("abort", {"reason": "user"}),
]


@NOISE
@given(broken_lines(RECORDS))
def test_any_bytes_are_read(raw: bytes) -> None:
    (found,) = read(io.BytesIO(raw))
    assert_sound(found)
