"""A session and its sub-agents in files beside it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from bench.problems import BrokenInput
from bench.traces.claude_files import read_together


def record(text: str, second: int | None, agent: str | None = None, **fields: Any) -> dict[str, Any]:
    message = {"role": "assistant", "content": [{"type": "text", "text": text}]}
    moment = {} if second is None else {"timestamp": f"2026-01-02T12:00:{second:02d}Z"}
    side = {"isSidechain": True, "agentId": agent} if agent else {"isSidechain": False}
    return {"type": "assistant", "uuid": text, "sessionId": "s1", "message": message, **moment, **side, **fields}


def write(path: Path, *records: dict[str, Any] | bytes) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"".join(r if isinstance(r, bytes) else json.dumps(r).encode() + b"\n" for r in records))
    return path


def texts(paths: list[Path]) -> list[tuple[str | None, str, int | None]]:
    return [(event.text, event.thread, event.line) for event in read_together(paths).events]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write(tmp_path / "s1.jsonl", record("start", 0), b"{torn\n", record("no moment", None), record("end", 30))
    agents = tmp_path / "s1" / "subagents"
    write(
        agents / "agent-a1.jsonl",
        record("a1 first", 10, "a1"),
        record("a1 early", 5, "a1"),
        record("a1 last", 20, "a1"),
    )
    write(agents / "agent-a2.jsonl", record("a2", 15, "a2"), {"type": "brand-new"})
    write(agents / "agent-acompact-1.jsonl", record("a copy of all", 1, "acompact-1"))
    write(agents / "agent-aprompt_suggestion-1.jsonl", record("suggested", 1, "aprompt_suggestion-1"))
    return tmp_path


def test_a_folder_is_one_session_in_the_order_of_time(folder: Path) -> None:
    assert texts([folder]) == [
        ("start", "main", 1),
        ("no moment", "main", 3),
        ("a1 first", "sub:a1", 1),
        ("a1 early", "sub:a1", 2),  # each file keeps its own order
        ("a2", "sub:a2", 1),
        ("a1 last", "sub:a1", 3),
        ("end", "main", 4),
    ]


def test_the_books_are_those_of_all_files(folder: Path) -> None:
    report = read_together([folder]).report
    assert report.balanced and (report.seen, report.used, report.malformed) == (9, 7, [2])
    assert report.unknown == {"brand-new": 1}


def test_files_given_together_and_what_they_are_does_not_hang_on_their_names(folder: Path, tmp_path: Path) -> None:
    renamed = write(tmp_path / "elsewhere" / "x.jsonl", record("sub", 12, "a9"))
    assert texts([renamed, folder / "s1.jsonl"]) == [
        ("start", "main", 1),
        ("no moment", "main", 3),
        ("sub", "sub:a9", 1),
        ("end", "main", 4),
    ]
    assert texts([renamed]) == [("sub", "sub:a9", 1)]


def test_files_without_moments_come_last(tmp_path: Path) -> None:
    main = write(tmp_path / "m.jsonl", record("one", None), record("two", 3))
    agent = write(tmp_path / "a.jsonl", record("sub", None, "a1"))
    assert [text for text, _, _ in texts([agent, main])] == ["one", "two", "sub"]


def test_what_is_not_one_session_is_refused(folder: Path) -> None:
    write(folder / "rows.jsonl", {"no": "session"})
    assert len(read_together([folder]).events) == 7
    write(folder / "s2.jsonl", record("another", 0, sessionId="s2"))
    with pytest.raises(BrokenInput, match=r"2 sessions: s1\.jsonl, s2\.jsonl"):
        read_together([folder])
    agents = sorted((folder / "s1" / "subagents").glob("agent-a?.jsonl"))
    with pytest.raises(BrokenInput, match="2 files of sub-agents without a session"):
        read_together(agents)
    with pytest.raises(BrokenInput, match="cannot be read"):
        read_together([folder / "s3.jsonl"])
