"""Traces of agent-beacon: what is told before and after a call, decisions, pages of a trace, and the runtime log."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest

from bench.schema.event import Event
from bench.traces.beacon import read, speaks_log, speaks_trace
from bench.traces.report import Session

SHARED = Path(__file__).parents[2] / "shared"


def entry(action: str, **fields: Any) -> dict[str, Any]:
    return {"id": "e", "number": 1, "timestamp": "2026-01-02T12:00:00Z", "type": "t", "action": action, **fields}


def text(words: str) -> dict[str, Any]:
    return {"text": words, "retention": "full", "included": True}


def shown(*events: Any, total: int | None = None, **summary: Any) -> dict[str, Any]:
    pages = {"total_events": len(events) if total is None else total, "returned_events": len(events), "offset": 1}
    return {
        "trace": {"id": "session:x:s1", "harness": {"name": "x"}, **summary},
        "events": list(events),
        "range": pages,
    }


def only(tree: Any) -> Session:
    (found,) = read(io.BytesIO(json.dumps(tree, indent=1).encode()))
    assert found.report.balanced
    assert all(Event.model_validate(e.model_dump()) == e for e in found.events)
    return found


BEFORE = entry("tool.invoked", tool={"name": "Bash", "command": "make"}, tool_call_id="c1")
AFTER = entry("command.executed", command={"command": "make", "exit_code": 2, "output": text("no rule")})


@pytest.mark.parametrize(
    "events",
    [
        [BEFORE, {**AFTER, "tool_call_id": "c1"}],  # the id says that both are one call
        [BEFORE, AFTER],  # no id, but its command waits
        [{**AFTER, "tool": {"name": "Bash"}}],
    ],
)
def test_before_and_after_a_call(events: list[Any]) -> None:
    (event,) = only(shown(*events)).events
    assert (event.kind, event.tool, event.command, event.output) == ("command", "Bash", "make", "no rule")
    assert (event.exit_code, event.exit_source, event.ok) == (2, "structured", False)


def test_calls_that_are_not_the_same_stay_two() -> None:
    other = entry("command.executed", command={"command": "make", "exit_code": 0}, tool_call_id="c9")
    found = only(shown(BEFORE, other, entry("command.executed", command={"command": "ls"}))).events
    assert [(e.command, e.call, e.exit_code) for e in found] == [
        ("make", "c1", None),
        ("make", "c9", 0),
        ("ls", None, None),
    ]


def test_the_same_command_twice() -> None:
    again = {**BEFORE, "tool_call_id": "c2"}
    red = {**AFTER, "command": {"command": "make", "exit_code": 1}}
    found = only(shown(BEFORE, again, red, {**red, "command": {"command": "make", "exit_code": 0}}, AFTER)).events
    assert [(e.call, e.exit_code) for e in found] == [("c1", 1), ("c2", 0), (None, 2)]


@pytest.mark.parametrize(
    ("action", "fields", "kind", "tool", "ok"),
    [
        ("tool.completed", {"tool": {"name": "Grep", "result": "x"}}, "tool_call", "Grep", True),
        ("tool.failed", {"tool": {"name": "Grep"}, "error": {"type": "e"}}, "tool_call", "Grep", False),
        ("file.read", {"file": {"path": "/a"}}, "tool_call", "file.read", None),
        ("file.modified", {"file": {"path": "/a"}, "tool": {"name": "Edit"}}, "tool_call", "Edit", None),
        ("file.modified", {"file": {"path": "/a", "diff": text("+x")}}, "file", "file.modified", None),
        ("mcp.tool_invoked", {"mcp": {"server": "jira", "tool": "get"}}, "tool_call", "mcp__jira__get", None),
        ("command.executed", {"command": {"command": "ls"}}, "command", "command.executed", None),
    ],
)
def test_kinds_of_calls(action: str, fields: dict[str, Any], kind: str, tool: str, ok: bool | None) -> None:
    (event,) = only(shown(entry(action, fidelity="inferred", **fields))).events
    assert (event.kind, event.tool, event.ok, event.fidelity) == (kind, tool, ok, "inferred")


@pytest.mark.parametrize(
    ("action", "approval", "policy", "expected"),
    [
        ("approval.denied", {"decision": "denied", "reason": "no"}, {}, ("denied", "unknown", "no")),
        ("approval.allowed", {"decision": "allow"}, {}, ("approved", "unknown", None)),
        ("approval.allowed", {"decision": "reject"}, {}, ("denied", "unknown", None)),  # the decision, not the action
        ("approval.allowed", {}, {}, ("approved", "unknown", None)),
        ("approval.denied", {"decision": "unknown"}, {}, ("denied", "unknown", None)),
        ("policy.blocked", {}, {"decision": "deny", "reason": "rule 7"}, ("denied", "policy", "rule 7")),
        ("approval.allowed", {"decision": "unknown"}, {}, None),
        ("approval.requested", {"decision": "requested"}, {}, None),
    ],
)
def test_decisions(action: str, approval: Any, policy: Any, expected: tuple[str, str, str | None] | None) -> None:
    decided = entry(action, approval=approval, policy=policy)
    found = only(shown(decided))
    if expected is None:
        assert found.events == () and found.report.skipped == {action: 1}
        return
    (event,) = found.events
    assert event.kind == "approval" and event.approval is not None
    assert (event.approval.decision, event.approval.source, event.approval.reason) == expected
    (call,) = only(shown(BEFORE, {**decided, "tool_call_id": "c1"})).events  # on a call that it names
    assert call.kind == "command" and call.approval == event.approval
    assert call.ok is (False if expected[0] == "denied" else None)


def test_what_is_said() -> None:
    found = only(
        shown(
            entry("prompt.submitted", content=text("Mend it.")),
            entry("prompt.submitted", content=text("<command-name>/clear</command-name>")),
            entry("prompt.submitted", content={"retention": "metadata", "included": False}),
            entry("agent.reasoning", content=text("hm")),
            entry("agent.message", content=text("Done.")),
            entry("session.compacted"),
            entry("token.usage", usage={"input_tokens": 3}),
            entry("session.started"),
            entry("brand.new"),
            7,
        )
    )
    assert [(e.kind, e.origin, e.text) for e in found.events] == [
        ("prompt", "human", "Mend it."),
        ("prompt", "command", "<command-name>/clear</command-name>"),
        ("reasoning", None, "hm"),
        ("message", None, "Done."),
        ("compaction", None, None),
        ("usage", None, None),
    ]
    report = found.report
    assert (report.skipped, report.unknown) == ({"prompt.submitted": 1, "session.started": 1}, {"brand.new": 1})
    assert report.malformed == [10]


@pytest.mark.parametrize(
    ("tree", "reason"),
    [
        (shown(BEFORE), None),
        (shown(BEFORE, event_count=1), None),
        (shown(BEFORE, total=40), "1 of 40 events, from number 1"),
        (shown(BEFORE, event_count=9), "filtered: the trace has 9 events, the range counts 1"),
        (shown(BEFORE, content={"retention": "metadata"}), "texts were not retained"),
        (shown(BEFORE, content={"has_truncations": True}), "texts were cut"),
        (
            {"schema_version": "beacon.trace.v1", "id": "t", "summary": {"event_count": 3}, "events": [BEFORE]},
            "1 of 3 events",
        ),
    ],
)
def test_a_page_of_a_trace_is_partial(tree: Any, reason: str | None) -> None:
    assert only(tree).partial == reason


def line(action: str, session: str = "s1", **fields: Any) -> dict[str, Any]:
    about = {
        "vendor": "beacon",
        "product": "endpoint-agent",
        "schema_version": "1.0",
        "timestamp": "2026-01-02T12:00:00Z",
    }
    return {**about, "event": {"kind": "agent_runtime", "action": action}, "session": {"id": session}, **fields}


def test_the_runtime_log_holds_many_sessions() -> None:
    blocks = {"content": [{"type": "text", "text": "rain"}], "code": 200}
    fetched = {"tool": {"name": "WebFetch", "call": {"id": "c1", "arguments": {"url": "u"}, "result": blocks}}}
    records = [
        line("prompt.submitted", prompt={"text": "Mend it."}),
        line("command.executed", "s2", command={"command": "ls", "exit_code": 0}, model="m"),
        line("tool.invoked", gen_ai=fetched),
        line("inventory.heartbeat", ""),
        {"vendor": "other"},
    ]
    written = b"\n".join([*(json.dumps(r).encode() for r in records), b'{"vendor": "bea'])
    first, second = read(io.BytesIO(written))
    assert [(e.kind, e.text, e.output, e.line) for e in first.events] == [
        ("prompt", "Mend it.", None, 1),
        ("tool_call", None, "rain", 3),
    ]
    assert (second.id, second.model, second.events[0].exit_code) == ("s2", "m", 0)
    report = first.report
    assert report is second.report and report.balanced and (report.seen, report.malformed) == (6, [6])
    assert report.skipped == {"inventory.heartbeat": 1}
    assert report.unknown == {"line that is no event of beacon": 1}


@pytest.mark.parametrize(
    "tree", [{}, [], {"events": []}, {"trace": {}, "events": [], "range": {}}, {"vendor": "beacon"}]
)
def test_what_is_no_trace(tree: Any) -> None:
    assert not speaks_trace(tree) and not speaks_log(tree)


@pytest.mark.skipif(not SHARED.is_dir(), reason="../shared is not here")
def test_the_sample() -> None:
    path = SHARED / "traces/beacon_synthetic/trace_show_result_v1.json"
    tree = json.loads(path.read_bytes())
    assert speaks_trace(tree)
    found = only(tree)
    actions = [e["action"] for e in tree["events"]]
    assert found.report.seen == found.report.used == len(actions) == 6
    # Of the two that tell of "pytest" before and after it ran, one event; the inferred one has no code.
    assert [(e.kind, e.exit_code, e.exit_source, e.fidelity) for e in found.events if e.kind == "command"] == [
        ("command", 1, "structured", "observed"),
        ("command", None, "none", "inferred"),
    ]
    assert sum(e.kind == "prompt" for e in found.events) == actions.count("prompt.submitted")
    assert (found.id, found.partial) == ("s1", None)
