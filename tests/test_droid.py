"""Sessions of Factory Droid: one row for each trap, and the fixture."""

from __future__ import annotations

import io
import json
from typing import Any

import pytest
from hypothesis import given
from imported import NOISE, assert_sound, broken_lines, foreign_records, samples

from bench.traces.droid import read, speaks
from bench.traces.report import Session

Tree = dict[str, Any]
NOON = "2026-01-02T12:00:00.000Z"
START = {"type": "session_start", "id": "s1", "title": "T", "version": 2, "cwd": "/w"}


def message(role: str, *blocks: Any, **fields: Any) -> Tree:
    return {
        "type": "message",
        "id": "m",
        "timestamp": NOON,
        "message": {"role": role, "content": list(blocks), **fields},
    }


def text(value: str) -> Tree:
    return {"type": "text", "text": value}


def use(name: str = "Execute") -> Tree:
    arguments = {"command": "make", "timeout": 5} if name == "Execute" else {"path": "a"}
    return {"type": "tool_use", "id": "t1", "name": name, "input": arguments}


def result(content: Any, **fields: Any) -> Tree:
    return {"type": "tool_result", "tool_use_id": "t1", "content": content, **fields}


def session(*records: Any) -> Session:
    raw = b"\n".join(r if isinstance(r, bytes) else json.dumps(r).encode() for r in (START, *records))
    (found,) = read(io.BytesIO(raw))
    assert_sound(found)
    return found


@pytest.mark.parametrize(
    ("tool", "block", "ok", "source"),
    [
        ("Execute", result("fine", is_error=False), None, "none"),  # that the call went through is no exit code
        ("Execute", result("bad\n[Process exited with code 2]", is_error=True), False, "none"),
        ("Execute", result("x"), None, "none"),
        ("Read", result("body", is_error=False), True, None),
        ("Read", result([text("gone")], is_error=True), False, None),
        ("Read", result("x", is_error="no"), None, None),
    ],
)
def test_how_a_call_ended(tool: str, block: Tree, ok: bool | None, source: str | None) -> None:
    (event,) = session(message("assistant", use(tool)), message("user", block)).events
    assert (event.kind, event.ok) == ("command" if tool == "Execute" else "tool_call", ok)
    assert (event.exit_code, event.exit_source, event.ts) == (None, source, NOON)


def test_who_said_what() -> None:
    found = session(
        message("user", text("<system-reminder>r</system-reminder>\nMend it."), {"type": "image"}),
        message("assistant", {"type": "thinking", "thinking": "hm"}, text("Done."), {"type": "new"}, model="m-1"),
        {"type": "compaction_state", "timestamp": NOON, "summaryText": "Earlier: much."},
        {"type": "compaction_state"},
        {"type": "todo_state", "todos": []},
        {"type": "oracle"},
        b"{torn",
        message("user", result("late")),
        message("system", text("x")),
    )
    assert [(e.kind, e.origin, e.text or e.output) for e in found.events] == [
        ("prompt", "human", "Mend it."),
        ("prompt", "injected", "<system-reminder>r</system-reminder>"),
        ("prompt", "human", "[image]"),
        ("reasoning", None, "hm"),
        ("message", None, "Done."),
        ("other", None, '{"type": "new"}'),
        ("compaction", None, "Earlier: much."),
        ("tool_result", None, "late"),
    ]
    report = found.report
    assert report.skipped == {"session_start": 1, "compaction_state": 1, "todo_state": 1}
    assert report.unknown == {"oracle": 1, "message/system": 1} and report.malformed == [8]
    assert (found.id, found.model, report.orphan_results) == ("s1", "m-1", 1)


def test_only_its_own_files_are_taken() -> None:
    for path, record in foreign_records("fixtures/droid__*"):
        assert not speaks(record), path
    assert speaks(START) and speaks(message("user", text("a")))
    assert not speaks({**message("user"), "message": {"role": "user", "content": [], "timestamp": 1}})  # pi


def test_the_fixture() -> None:
    (path,) = samples("fixtures/droid__*")
    with path.open("rb") as stream:
        (found,) = read(stream)
    blocks = [b for raw in path.read_bytes().splitlines()[1:] for b in json.loads(raw)["message"]["content"]]
    names = [block["type"] for block in blocks]
    assert [e.kind for e in found.events] == ["prompt", "reasoning", "command", "message"]
    assert len(found.events) == len(names) - names.count("tool_result") and found.report.orphan_results == 0
    assert found.events[2].output == "file1.txt\nfile2.txt" and found.events[2].exit_code is None


RECORDS = [START, message("user", text("a")), message("assistant", use(), text("b")), message("user", result("x"))]


@NOISE
@given(broken_lines(RECORDS))
def test_any_bytes_are_read(raw: bytes) -> None:
    (found,) = read(io.BytesIO(raw))
    assert_sound(found)
