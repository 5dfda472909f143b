"""Exports of OpenCode: one row for each trap, and the fixtures."""

from __future__ import annotations

import io
import json
from typing import Any

import pytest
from hypothesis import given
from imported import NOISE, assert_read_or_refused, assert_sound, broken_documents, foreign_documents, samples

from bench.traces.opencode import FORMAT, read, speaks
from bench.traces.report import Session

Tree = dict[str, Any]
NOON_MS = 1767355200000
NOON = "2026-01-02T12:00:00.000+00:00"


def user(*parts: Tree, **info: Any) -> Tree:
    return {"info": {"id": "m", "role": "user", "time": {"created": NOON_MS}, **info}, "parts": list(parts)}


def assistant(*parts: Tree, **info: Any) -> Tree:
    return user(*parts, **{"role": "assistant", "modelID": "m-1", **info})


def text(value: str, **fields: Any) -> Tree:
    return {"type": "text", "text": value, **fields}


def tool(state: Tree, name: str = "bash") -> Tree:
    arguments = {"command": "make", "description": "d"} if name == "bash" else {"path": "a"}
    return {"type": "tool", "callID": "c1", "tool": name, "state": {"input": arguments, **state}}


def session(*messages: Any, **info: Any) -> Session:
    document = {"info": {"id": "s1", "version": "1.2.0", **info}, "messages": list(messages)}
    (found,) = read(io.BytesIO(json.dumps(document).encode()))
    assert_sound(found)
    return found


def done(output: str, **metadata: Any) -> Tree:
    return {
        "status": "completed",
        "output": output,
        "metadata": metadata,
        "time": {"start": NOON_MS + 5, "end": NOON_MS},
    }


def failed(error: str, **metadata: Any) -> Tree:
    return {"status": "error", "error": error, "metadata": metadata}


REJECTED = "The user rejected permission to use this specific tool call"


@pytest.mark.parametrize(
    ("state", "code", "source", "ok", "output"),
    [
        (done("fine", exit=0), 0, "structured", True, "fine"),
        (done("exit 0", exit=2), 2, "structured", False, "exit 0"),
        (done("(Command timed out after 5 ms)", exit=None), None, "none", None, "(Command timed out after 5 ms)"),
        (done("x", exit=True), None, "none", None, "x"),
        (done("x", exit=10**30), None, "none", None, "x"),
        (failed("spawn failed"), None, "none", False, "spawn failed"),
        (failed("Tool execution aborted"), None, "none", None, "Tool execution aborted"),
        (failed("stopped", interrupted=True, output="half"), None, "none", None, "half"),
        ({"status": "running"}, None, "none", None, None),
        ({"status": "pending"}, None, "none", None, None),
    ],
)
def test_how_a_command_ended(state: Tree, code: int | None, source: str, ok: bool | None, output: str | None) -> None:
    (event,) = session(assistant(tool(state))).events
    assert (event.kind, event.command, event.args) == ("command", "make", {"description": "d"})
    assert (event.exit_code, event.exit_source, event.ok, event.output) == (code, source, ok, output)
    assert event.ts == ("2026-01-02T12:00:00.005+00:00" if "time" in state else NOON)


@pytest.mark.parametrize(
    ("error", "source", "reason"),
    [
        (REJECTED + ".", "unknown", None),
        (REJECTED + " with the following feedback: use pnpm", "person", "use pnpm"),
        (
            "The user has specified a rule which prevents you from using this specific tool call. Here",
            "config",
            "whole",
        ),
        ("ENOENT: " + REJECTED, None, None),
    ],
)
def test_who_refused(error: str, source: str | None, reason: str | None) -> None:
    (event,) = session(assistant(tool(failed(error), "edit"))).events
    assert (event.kind, event.ok, event.exit_source) == ("tool_call", False, None)
    found = (event.approval.source, event.approval.reason) if event.approval else (None, None)
    assert found == (source, error if reason == "whole" else reason)
    (finished,) = session(assistant(tool(done(error), "edit"))).events
    assert finished.approval is None and finished.ok is True  # what a tool printed is no refusal


def test_who_said_what() -> None:
    found = session(
        user(text("Look"), {"type": "file", "mime": "image/png", "url": "data:"}, text("Called Read", synthetic=True)),
        user({"type": "subtask", "prompt": "Review it.", "agent": "review"}),
        user({"type": "compaction", "auto": True}),
        assistant(text("Earlier: much."), summary=True),
        assistant(
            {"type": "step-start"},
            {"type": "reasoning", "text": "hm", "time": {"start": NOON_MS + 1}},
            text("Done."),
            {"type": "patch", "hash": "h", "files": ["/w/a.go", 7]},
            {"type": "brand-new", "x": 1},
            error={"name": "MessageAbortedError", "data": {"message": "aborted"}},
        ),
        assistant(error={"name": "APIError", "data": {"message": "overloaded"}}),
        {"info": {"role": "sibyl"}, "parts": []},
        None,
    )
    assert [(e.kind, e.origin, e.text or e.path) for e in found.events] == [
        ("prompt", "human", "Look\n[image]"),
        ("prompt", "injected", "Called Read"),
        ("prompt", "command", "Review it."),
        ("compaction", None, "Earlier: much."),
        ("reasoning", None, "hm"),
        ("message", None, "Done."),
        ("file", None, "/w/a.go"),
        ("other", None, '{"type": "brand-new", "x": 1}'),
        ("interrupt", None, "aborted"),
        ("system", None, "APIError: overloaded"),
    ]
    report = found.report
    assert (report.seen, report.used, report.malformed) == (8, 5, [8])
    assert report.skipped == {"user": 1} and report.unknown == {"sibyl": 1} and report.versions == {"1.2.0": 1}
    assert (found.harness, found.model, found.id, found.events[0].line) == ("opencode", "m-1", "s1", 1)


def test_a_child_session_is_prompted_by_its_parent() -> None:
    (event,) = session(user(text("Find it.")), parentID="s0").events
    assert (event.origin, event.thread) == ("injected", "sub:s1")


def test_a_document_of_another_shape_is_refused() -> None:
    with pytest.raises(ValueError, match="an export of OpenCode"):
        list(read(io.BytesIO(b'{"info": {}}')))


def test_only_its_own_files_are_taken() -> None:
    for path, document in foreign_documents("fixtures/opencode__*"):
        assert not speaks(document), path


def test_the_fixtures() -> None:
    for path, calls, oks in zip(samples("fixtures/opencode__*"), (1, 1), ([False], [True]), strict=True):
        raw = json.loads(path.read_bytes())
        assert FORMAT.speaks(raw)
        parts = [part for message in raw["messages"] for part in message["parts"]]
        with path.open("rb") as stream:
            (found,) = read(stream)
        assert_sound(found)
        assert sum(part["type"] == "tool" for part in parts) == calls
        assert [e.ok for e in found.events if e.kind == "tool_call"] == oks
        assert sum(part["type"] == "text" for part in parts) == sum(
            e.kind in ("prompt", "message") for e in found.events
        )


WHOLE: Tree = {
    "info": {"id": "s", "version": "1"},
    "messages": [
        user(text("a"), {"type": "file", "mime": "x"}),
        assistant({"type": "reasoning", "text": "b"}, tool(done("o", exit=1)), tool(failed(REJECTED), "x"), error={"name": "n"}),
    ],
}  # fmt: skip


@NOISE
@given(broken_documents(WHOLE))
def test_any_bytes_are_read_or_refused(raw: bytes) -> None:
    assert_read_or_refused(read, raw)
