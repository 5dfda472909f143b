"""Any bytes: the readers of traces, logs and payloads neither crash nor hang, their books balance, their events are valid.

And each takes its own files only, among the samples of every other format.
"""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, BinaryIO

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from otlp_files import export, log, logs, note, span

from bench.schema.event import Event
from bench.traces import agent_logs, beacon, hooks, opencode_payloads, otel
from bench.traces.lines import parse
from bench.traces.objects import read_objects
from bench.traces.report import Format, Session

SHARED = Path(__file__).parents[2] / "shared"
FORMATS: tuple[Format, ...] = (
    *otel.FORMATS,
    *beacon.FORMATS,
    agent_logs.FORMAT,
    hooks.FORMAT,
    *opencode_payloads.FORMATS,
)

_TOOL = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "bash", "process.exit.code": 1}
_CHAT = {
    "gen_ai.operation.name": "chat",
    "gen_ai.input.messages": json.dumps([{"role": "user", "parts": [{"type": "text", "content": "a"}]}]),
    "llm.input_messages.0.message.tool_calls.1.tool_call.function.name": "x",
    "annotations.0.annotation.name": "n",
    "annotations.0.annotation.label": "l",
}
_LOGGED = {"session.id": "s", "tool_name": "Bash", "tool_use_id": "c", "success": "true", "event.sequence": 3}
_CALL = {"session_id": "s", "tool_name": "Bash", "tool_input": {"command": "a"}, "tool_use_id": "c"}
_TRACED = {
    "action": "command.executed",
    "command": {"command": "a", "exit_code": 1, "output": {"text": "x"}},
    "tool_call_id": "c",
    "approval": {"decision": "denied"},
    "tool": {"name": "Bash", "arguments": {"a": 1}, "result": [{"type": "text", "text": "r"}]},
}
SEEDS: dict[str, list[Any]] = {
    "otel": [
        export(
            span("a", 0, 1, _CHAT, events=[note("gen_ai.choice", {"gen_ai.event.content": "{}"})]),
            span("b", 1, 2, _TOOL, parent="a"),
        ),
        logs(
            log("gen_ai.user.message", {}, body={"content": "x"}, owner="a"),
            log("", _LOGGED, body="claude_code.tool_result"),
        ),
    ],
    "beacon": [
        {
            "schema_version": beacon.SCHEMA,
            "summary": {"event_count": 1},
            "events": [_TRACED],
            "range": {"total_events": 3},
        },
        {
            "vendor": "beacon",
            "event": {"action": "tool.invoked"},
            "session": {"id": "s"},
            **{k: _TRACED[k] for k in ("tool", "command")},
        },
    ],
    "agent_logs": [
        {"runtime": "x", "version": "1", "records": [{"body": "claude_code.tool_decision", "attributes": _LOGGED}]}
    ],
    "hooks": [
        {"hook_event_name": "PreToolUse", **_CALL},
        {"hook_event_name": "PostToolUse", "tool_response": {"stdout": "x"}, **_CALL},
        {"hook_event_name": "UserPromptSubmit", "session_id": "s", "prompt": "a"},
    ],
    "opencode_payloads": [
        {
            "type": "tool.execute.after",
            "session_id": "s",
            "tool_name": "bash",
            "tool_input": {"command": "a"},
            "tool_response": {"metadata": {"exit": 1}},
        },
        {
            "type": "message.part.updated",
            "session_id": "s",
            "part": {"type": "tool", "state": {"status": "completed", "input": {}}},
        },
        {"type": "permission.replied", "session_id": "s", "properties": {"reply": "reject", "diff": [{"file": "a"}]}},
    ],
}
READERS: dict[str, Callable[[BinaryIO], Iterator[Session]]] = {
    "otel": otel.read,
    "beacon": beacon.read,
    "agent_logs": agent_logs.read,
    "hooks": hooks.read,
    "opencode_payloads": opencode_payloads.read,
}

scalars = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.text(),
    st.sampled_from(
        [
            "",
            "\x00",
            "9" * 40,
            "-1",
            "true",
            "2026-01-02T12:00:00Z",
            "\ud800",
            "<command-name>",
            "Exit code 1\n",
            10**400,
        ]
    ),
)
json_values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)


def places(tree: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    steps = tree.items() if isinstance(tree, dict) else enumerate(tree) if isinstance(tree, list) else ()
    for step, inner in steps:
        yield (*path, step)
        yield from places(inner, (*path, step))


@st.composite
def mutated(draw: st.DrawFn, name: str) -> bytes:
    """Files of a format with keys deleted, types swapped, lists doubled, lines torn."""
    lines = []
    for seed in draw(st.lists(st.sampled_from(SEEDS[name]), min_size=1, max_size=4)):
        tree = json.loads(json.dumps(seed))
        for _ in range(draw(st.integers(0, 4))):
            found = list(places(tree))
            if not found:
                break
            *above, last = draw(st.sampled_from(found))
            node = tree
            for step in above:
                node = node[step]
            change = draw(st.sampled_from(["delete", "swap", "double"]))
            if change == "delete":
                del node[last]
            elif change == "swap":
                node[last] = draw(json_values)
            else:
                node[last] = [node[last], node[last]]
        lines.append(json.dumps(tree).encode())
    whole = b"\n".join(lines)
    cut = draw(st.integers(0, 40))
    return whole[: len(whole) - cut] if draw(st.booleans()) else whole


def check(reader: Callable[[BinaryIO], Iterator[Session]], raw: bytes) -> None:
    found = list(reader(io.BytesIO(raw)))
    assert found
    for session in found:
        assert session.report.balanced
        for event in session.events:
            assert Event.model_validate(event.model_dump()) == event
            event.model_dump_json()


@pytest.mark.parametrize("name", READERS)
@settings(max_examples=60, deadline=2000, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data())
def test_mutated_files(name: str, data: st.DataObject) -> None:
    check(READERS[name], data.draw(mutated(name)))


@pytest.mark.parametrize("name", READERS)
@settings(max_examples=30, deadline=2000)
@given(raw=st.binary(max_size=200))
def test_any_bytes(name: str, raw: bytes) -> None:
    check(READERS[name], raw)


@pytest.mark.parametrize("name", READERS)
@settings(max_examples=30, deadline=2000)
@given(value=json_values)
def test_any_json(name: str, value: Any) -> None:
    check(READERS[name], json.dumps(value).encode())
    for known in FORMATS:
        assert known.speaks(value) in (True, False)


@pytest.mark.parametrize("name", READERS)
@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"\n\n",
        b"[" * 100_000,
        b'{"a":' * 90 + b"1" + b"}" * 90,
        b'{"resourceSpans":[{"scopeSpans":[{"spans":' + b"[" * 90 + b"]" * 90 + b"}]}]}",
        b'{"events":[' + b"{}," * 1000 + b"{}]}",
        b'{"x":1e999}\n{"x":NaN}',
        b"\xef\xbb\xbf{}",
    ],
    ids=lambda raw: raw[:20].decode("latin-1"),
)
def test_traps(name: str, raw: bytes) -> None:
    check(READERS[name], raw)


def test_long_chains_and_many_spans_take_linear_time() -> None:
    chain = [span(str(i), i, 9000, {"gen_ai.operation.name": "invoke_agent"}, parent=str(i - 1)) for i in range(3000)]
    flat = [span(f"t{i}", i, i + 1, {**_TOOL, "gen_ai.tool.call.id": str(i)}, parent="0") for i in range(3000)]
    check(otel.read, json.dumps(export(*chain, *flat)).encode())


def test_a_document_beyond_the_cap_is_refused() -> None:
    with pytest.raises(ValueError, match="more than 10 bytes"):
        list(read_objects(io.BytesIO(b"{\n" + b" " * 20), limit=10))


OURS = {  # folder of samples -> the formats that take its files
    "otel": {"otel"},
    "beacon_synthetic": {"beacon"},
    "beacon": {"agent-logs", "opencode-payloads"},
}


@pytest.mark.skipif(not SHARED.is_dir(), reason="../shared is not here")
def test_each_takes_its_own_files_only() -> None:
    folders = [*sorted((SHARED / "traces").iterdir()), SHARED / "data/real_sessions"]
    looked = 0
    for path in (p for folder in folders if folder.is_dir() for p in sorted(folder.iterdir())[:40]):
        if path.suffix in (".md", ".eval", ".csv"):
            continue
        raw = path.read_bytes()[: 1 << 22]
        document = parse(raw) if path.suffix != ".jsonl" else None
        lines = [r for line in raw.split(b"\n")[:400] if (r := parse(line)) is not None]
        taken = {f.name for f in FORMATS if f.shape == "document" and document is not None and f.speaks(document)}
        taken |= {f.name for f in FORMATS if f.shape == "lines" and any(f.speaks(record) for record in lines)}
        looked += 1
        expected = OURS.get(path.parent.name, set())
        assert taken <= expected and bool(taken) == bool(expected), path.name
    assert looked > 70
