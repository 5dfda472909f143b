"""Abandoned branches: what a person went back from, told apart from calls made in parallel."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest

from bench.traces.claude_code import read
from bench.traces.claude_tree import branches, on_branches

SHARED = Path(__file__).parents[2] / "shared"


def said(identity: str, parent: str | None, text: str = "ok", **fields: Any) -> dict[str, Any]:
    message = {"role": "assistant", "content": [{"type": "text", "text": text}]}
    return {"type": "assistant", "uuid": identity, "parentUuid": parent, "message": message, **fields}


def typed(identity: str, parent: str | None, text: str = "go", **fields: Any) -> dict[str, Any]:
    return {"type": "user", "uuid": identity, "parentUuid": parent, "message": {"content": text}, **fields}


def result(identity: str, parent: str) -> dict[str, Any]:
    return typed(identity, parent) | {"message": {"content": [{"type": "tool_result", "tool_use_id": "t"}]}}


def found(*records: dict[str, Any]) -> dict[int, str]:
    return branches([json.dumps(record).encode() + b"\n" for record in records])


@pytest.mark.parametrize(
    ("records", "expected"),
    [
        pytest.param([typed("a", None), said("b", "a"), typed("c", "b")], {}, id="one-line"),
        pytest.param(
            [typed("a", None), said("b", "a"), typed("c", "b"), said("d", "c"), typed("e", "b"), said("f", "e")],
            {3: "branch:3", 4: "branch:3"},
            id="typed-anew",
        ),
        pytest.param([typed("a", None), typed("b", None)], {1: "branch:1"}, id="the-first-prompt-typed-anew"),
        pytest.param(
            [typed("a", None, sessionId="s1"), typed("b", None, sessionId="s2")], {}, id="two-sessions-in-one-file"
        ),
        pytest.param(
            [said("a", None), said("b", "a"), result("c", "a"), result("d", "b"), typed("e", "d")],
            {},
            id="parallel-calls",
        ),
        pytest.param([said("a", None), said("b", "a"), said("c", "a")], {}, id="two-answers"),
        pytest.param(
            [said("a", None), typed("b", "a", "[Request interrupted by user]"), typed("c", "a")], {}, id="interrupt"
        ),
        pytest.param(
            [said("a", None), typed("b", "a", "<command-name>/exit</command-name>"), typed("c", "a")], {}, id="command"
        ),
        pytest.param([said("a", None), typed("b", "a", isMeta=True), typed("c", "a")], {}, id="meta"),
        pytest.param([typed("s", None, isSidechain=True), typed("t", None, isSidechain=True)], {}, id="two-sub-agents"),
        pytest.param([typed("a", None), typed("a", None)], {}, id="a-copied-record"),
        pytest.param(
            [typed("a", None), said("b", "a"), typed("c", "b"), typed("d", "b"), said("e", "d"), typed("f", None)],
            {1: "branch:1", 2: "branch:1", 3: "branch:3", 4: "branch:1", 5: "branch:1"},
            id="a-branch-within-a-branch",
        ),
        pytest.param(
            [typed("a", "b"), said("b", "a"), typed("c", "b")], dict.fromkeys((1, 2, 3), "branch:1"), id="a-circle"
        ),
        pytest.param(
            [typed("a", None), said("b", "a"), typed("c", None, logicalParentUuid="b")], {}, id="after-a-compaction"
        ),
    ],
)
def test_branches(records: list[dict[str, Any]], expected: dict[int, str]) -> None:
    assert found(*records) == expected


def test_events_keep_their_order_and_are_told_by_number() -> None:
    records = [typed("a", None), said("b", "a", "x"), typed("c", None, "again"), said("d", "c", "y")]
    raw = b"".join(json.dumps(record).encode() + b"\n" for record in records)
    events = read(io.BytesIO(raw)).events
    assert [e.text for e in events] == ["go", "x", "again", "y"] and {e.thread for e in events} == {"main"}
    assert on_branches(events, branches(io.BytesIO(raw))) == {1: "branch:1", 2: "branch:1"}


@pytest.mark.skipif(
    not SHARED.is_dir(), reason="needs the real sessions in ../shared, which are not part of the project"
)
def test_real_sessions() -> None:
    # Read by eye: a prompt pasted anew fourteen seconds later, and one typed anew after a second look.
    expected = {"R093": {412: "branch:412"}, "R099": dict.fromkeys((5, 6, 7, 8), "branch:5")}
    told = {}
    for path in sorted(SHARED.glob("data/real_sessions/R*.jsonl")):
        with path.open("rb") as stream:
            told[path.stem] = branches(stream)
    assert {name: lines for name, lines in told.items() if lines} == expected
