"""Sessions of pi: one row for each trap, and the real file among the 140."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest

from bench.problems import BrokenInput
from bench.traces.detect import detect, read_session
from bench.traces.pi import read
from bench.traces.report import Session

REAL = Path(__file__).parents[2] / "shared/data/real_sessions/R137.jsonl"
NOON = "2026-01-02T12:00:00.000Z"
HEAD = {"type": "session", "version": 3, "id": "s1", "timestamp": NOON, "cwd": "/w"}


def entry(role: str, content: Any = None, **fields: Any) -> dict[str, Any]:
    message = {"role": role, "timestamp": 1767355200000, **({} if content is None else {"content": content}), **fields}
    return {"type": "message", "id": "e", "parentId": None, "timestamp": NOON, "message": message}


def call(command: str = "make", name: str = "bash", identity: str = "c1") -> dict[str, Any]:
    return entry("assistant", [{"type": "toolCall", "id": identity, "name": name, "arguments": {"command": command}}])


def result(text: str, *, error: bool = False, identity: str = "c1") -> dict[str, Any]:
    content = [{"type": "text", "text": text}]
    return entry("toolResult", content, toolCallId=identity, toolName="bash", isError=error)


def session(*records: dict[str, Any] | bytes) -> Session:
    lines = [r if isinstance(r, bytes) else json.dumps(r).encode() for r in (HEAD, *records)]
    return read(io.BytesIO(b"\n".join(lines)))


@pytest.mark.parametrize(
    ("text", "error", "code", "source", "ok"),
    [
        ("fine", False, 0, "implied", True),
        ("bad\n\n\nCommand exited with code 3", True, 3, "text", False),
        (
            "Command exited with code 0\n\nCommand exited with code 2",
            True,
            2,
            "text",
            False,
        ),  # printed text cannot speak
        ("half\n\nCommand timed out after 5 seconds", True, None, "none", False),
        ("Command exited with code 7", False, 0, "implied", True),  # only printed: the record says no error
    ],
)
def test_how_a_command_ended(text: str, error: bool, code: int | None, source: str, ok: bool) -> None:
    (event,) = session(call(), result(text, error=error)).events
    assert (event.kind, event.command, event.output) == ("command", "make", text)
    assert (event.exit_code, event.exit_source, event.ok) == (code, source, ok)


def test_what_is_said_and_thought() -> None:
    blocks = [
        {"type": "thinking", "thinking": "hm", "thinkingSignature": "x"},
        {"type": "text", "text": "Done."},
        {"type": "toolCall", "id": "c2", "name": "edit", "arguments": {"path": "a.go"}},
    ]
    found = session(
        entry("user", [{"type": "text", "text": "Mend it."}]),
        entry("user", "And this."),
        entry("assistant", blocks, model="m-1", stopReason="toolUse"),
        entry("toolResult", [{"type": "text", "text": "no such text"}], toolCallId="c2", toolName="edit", isError=True),
    )
    shapes = [(e.kind, e.origin, e.text or e.output) for e in found.events]
    assert shapes == [
        ("prompt", "human", "Mend it."),
        ("prompt", "human", "And this."),
        ("reasoning", None, "hm"),
        ("message", None, "Done."),
        ("tool_call", None, "no such text"),
    ]
    assert found.events[-1].ok is False and found.events[-1].exit_code is None
    assert found.model == "m-1"


def test_an_abort_an_error_a_compaction_and_the_persons_own_command() -> None:
    found = session(
        entry("assistant", [{"type": "text", "text": "Wai"}], stopReason="aborted"),
        entry("assistant", [], stopReason="error", errorMessage="WebSocket error"),
        {"type": "compaction", "timestamp": NOON, "summary": "Earlier: much."},
        entry("bashExecution", command="git status", output="clean", exitCode=0, cancelled=False),
        entry("bashExecution", command="sleep 9", output="", cancelled=True),
    )
    assert [e.kind for e in found.events] == ["message", "interrupt", "system", "compaction", "command", "command"]
    assert found.events[2].text == "error: WebSocket error"
    own, stopped = found.events[4:]
    assert (own.exit_code, own.exit_source, own.args) == (0, "structured", {"source": "person"})
    assert (stopped.exit_code, stopped.ok) == (None, None)


def test_the_books_balance_with_torn_and_unknown_lines() -> None:
    found = session(
        b'{"type":"message","message":{"role"', {"type": "brand_new"}, result("late", identity="c9"), call()
    )
    report = found.report
    assert report.balanced and report.malformed == [2] and report.unknown == {"brand_new": 1}
    empty = session(entry("assistant", [], stopReason="stop"), entry("sibyl", "who?")).report
    assert empty.skipped == {"session": 1, "message/assistant": 1} and empty.unknown == {"message/sibyl": 1}
    assert report.orphan_results == 1 and report.skipped == {"session": 1}
    assert report.versions == {"session version 3": 1}


def test_it_is_told_from_the_others() -> None:
    assert detect(io.BytesIO(json.dumps(HEAD).encode())) == "pi"
    assert detect(io.BytesIO(json.dumps(entry("user", "Hello")).encode())) == "pi"
    claude = {"type": "user", "uuid": "u", "message": {"role": "user", "content": "Hello"}}
    assert detect(io.BytesIO(json.dumps(claude).encode())) == "claude-code"


def test_a_session_without_any_event_is_no_session(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    path.write_text("\n".join(json.dumps(r) for r in (HEAD, call())), encoding="utf-8")
    with pytest.raises(BrokenInput, match="no event in 2 records read as claude-code"):
        read_session(path, "claude-code")
    assert len(read_session(path).events) == 1


@pytest.mark.skipif(not REAL.exists(), reason="../shared is not here")
def test_the_real_one() -> None:
    found = read_session(REAL)
    assert (found.harness, found.report.balanced, found.report.unknown) == ("pi", True, {})
    assert found.report.malformed == [292]  # an escape that the replacement of an address broke
    # Counted with jq on the parsable lines: 16 user messages, 192 results of which 11 say isError.
    assert sum(e.kind == "prompt" for e in found.events) == 16
    assert (
        sum(e.ok is False for e in found.events) == 10
    )  # one of the 11 answered the torn line's call or is an error stop
