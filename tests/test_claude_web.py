"""Exports of Claude Code on the web."""

from __future__ import annotations

import io
import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from imported import (
    NOISE,
    assert_read_or_refused,
    assert_sound,
    broken_documents,
    foreign_documents,
    foreign_records,
    samples,
)

from bench.traces.claude_web import FORMAT, read, speaks

PROMPT = {"type": "user", "timestamp": "2026-01-02T12:00:00Z", "message": {"role": "user", "content": "Build it."}}
CALL = {"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": "make"}}
RESULT = {"type": "tool_result", "tool_use_id": "t1", "content": "Exit code 2\nno rule", "is_error": True}
EXPORT: dict[str, Any] = {
    "loglines": [
        PROMPT,
        {"type": "assistant", "message": {"role": "assistant", "model": "m", "content": [CALL]}},
        {"type": "user", "message": {"role": "user", "content": [RESULT]}},
        {"type": "user", "isCompactSummary": True, "message": {"role": "user", "content": "So far: a failure."}},
        {"type": "brand-new"},
        "no record",
    ]
}


def test_its_records_are_those_of_a_session_file() -> None:
    (found,) = read(io.BytesIO(json.dumps(EXPORT).encode()))
    assert [(e.kind, e.line) for e in found.events] == [("prompt", 1), ("command", 2), ("compaction", 4)]
    command = found.events[1]
    assert (command.exit_code, command.exit_source, command.output) == (2, "text", "no rule")
    report = found.report
    assert report.balanced and report.seen == 6 and report.malformed == [6] and report.unknown == {"brand-new": 1}
    assert (found.harness, found.model, FORMAT.shape) == ("claude-code-web", "m", "document")


def test_it_speaks_for_nothing_else() -> None:
    assert speaks(EXPORT)
    for other in (
        None,
        [],
        {},
        {"loglines": []},
        {"loglines": {}},
        {"loglines": ["x"]},
        {"loglines": [{"type": "user"}]},
    ):
        assert not speaks(other)
    own = "claude_code_web/*.json"
    assert [path for path, document in foreign_documents(own) if speaks(document)] == []
    assert [path for path, record in foreign_records(own) if speaks(record)] == []


def test_the_sample() -> None:
    (path,) = samples("claude_code_web/*.json")
    with path.open("rb") as stream:
        (found,) = read(stream)
    records = json.loads(path.read_bytes())["loglines"]
    blocks = [b for r in records if isinstance(r["message"]["content"], list) for b in r["message"]["content"]]
    kinds = [b["type"] for b in blocks]
    assert_sound(found)
    assert found.report.seen == found.report.used == len(records)
    assert kinds.count("tool_use") == sum(e.kind in ("tool_call", "command") for e in found.events)
    assert kinds.count("tool_result") == sum(e.output is not None for e in found.events)
    assert kinds.count("tool_use") == 12 and sum(e.exit_source == "text" for e in found.events) == 1


@given(st.data())
@NOISE
def test_documents_that_went_wrong(data: st.DataObject) -> None:
    assert_read_or_refused(read, data.draw(broken_documents(EXPORT)))
