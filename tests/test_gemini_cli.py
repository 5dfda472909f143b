"""Chats and checkpoints of Gemini CLI: one row for each trap, and the real files."""

from __future__ import annotations

import io
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from imported import (
    NOISE,
    assert_read_or_refused,
    assert_sound,
    broken_documents,
    broken_lines,
    foreign_documents,
    foreign_records,
    samples,
)

from bench.schema.event import Approval, Event
from bench.traces import gemini_checkpoint, gemini_cli
from bench.traces.report import Session

Tree = dict[str, Any]
NOON = "2026-01-02T12:00:00.000Z"
HEAD = {"sessionId": "s1", "projectHash": "p", "startTime": NOON, "lastUpdated": NOON}


def message(kind: str, content: Any = "", **fields: Any) -> Tree:
    return {
        "id": fields.pop("id", f"m-{kind}-{len(str(content))}"),
        "timestamp": NOON,
        "type": kind,
        "content": content,
        **fields,
    }


def call(response: Any, status: str = "success", name: str = "run_shell_command", **fields: Any) -> Tree:
    result = [{"functionResponse": {"id": "c1", "name": name, "response": response}}]
    args = {"command": "make"} if name == "run_shell_command" else {"path": "a"}
    return {"id": "c1", "name": name, "args": args, "result": result, "status": status, "timestamp": NOON, **fields}


def chat(*messages: Tree, **fields: Any) -> Session:
    (found,) = gemini_cli.read(io.BytesIO(json.dumps({**HEAD, **fields, "messages": list(messages)}).encode()))
    assert_sound(found)
    return found


def log(*records: Tree | bytes) -> Session:
    lines = [record if isinstance(record, bytes) else json.dumps(record).encode() for record in (HEAD, *records)]
    (found,) = gemini_cli.read_log(io.BytesIO(b"\n".join(lines)))
    assert_sound(found)
    return found


def ended(*args: Any, **fields: Any) -> Event:
    (event,) = chat(message("gemini", toolCalls=[call(*args, **fields)])).events
    return event


OLD = (
    "Command: make\nDirectory: (root)\nOutput: {}\nError: (none)\nExit Code: {}\nSignal: 0\nBackground PIDs: (none)"
    "\nProcess Group PGID: 7"
)


@pytest.mark.parametrize(
    ("text", "display", "code", "source", "ok", "fidelity"),
    [
        (OLD.format("fine", 0), "fine", 0, "text", True, "observed"),
        (OLD.format("bad", 2), "bad", 2, "text", False, "observed"),
        (OLD.format(OLD.format("x", 0), 2), None, 2, "text", False, "observed"),  # printed text cannot come last
        (OLD.format("", "(none)").replace("Signal: 0", "Signal: 9"), "", None, "none", False, "observed"),
        ("Output: fine\nProcess Group PGID: 7", "fine", 0, "implied", True, "observed"),
        ("Output: bad\nExit Code: 3\nProcess Group PGID: 7", "bad", 3, "text", False, "observed"),
        # Printed, not written by the harness: the display shows where the output ends.
        ("Output: x\nExit Code: 3\nProcess Group PGID: 7", "x\nExit Code: 3", 0, "implied", True, "observed"),
        ("Output: x\nExit Code: 0\nExit Code: 4", "x\nExit Code: 0", 4, "text", False, "observed"),
        ("Output: (empty)\nExit Code: 5", "Command exited with code: 5", 5, "text", False, "observed"),
        ("Output: (empty)", "", 0, "implied", True, "observed"),
        ("Output: (empty)\nError: spawn make ENOENT", "Command failed: spawn", None, "none", False, "observed"),
        ("Output: x\nExit Code: 3", None, 3, "text", False, "inferred"),
        ("Output: x\nSignal: 9", "x", None, "none", False, "observed"),
        ("Command moved to background (PID: 7). Output hidden.", "", None, "none", None, "observed"),
        ("Command was automatically cancelled because it exceeded the timeout of", "", None, "none", False, "observed"),
        ("A model summed up what was printed.\nExit Code: 1", "", None, "none", None, "observed"),
    ],
)  # fmt: skip
def test_how_a_shell_call_ended(
    text: str, display: str | None, code: int | None, source: str, ok: bool | None, fidelity: str
) -> None:
    event = ended({"output": text}, **({} if display is None else {"resultDisplay": display}))
    assert (event.kind, event.command, event.output) == ("command", "make", text)
    assert (event.exit_code, event.exit_source, event.ok, event.fidelity) == (code, source, ok, fidelity)


@pytest.mark.parametrize(
    ("response", "status", "ok", "decision"),
    [
        ({"output": "done"}, "success", True, None),
        ({"error": "no such file"}, "error", False, None),
        ({"error": "[Operation Cancelled] Reason: User denied execution."}, "cancelled", False, "person"),
        ({"error": "[Operation Cancelled] Reason: User denied execution."}, "success", False, "person"),
        ({"error": "[Operation Cancelled] User cancelled tool execution."}, "cancelled", None, None),
        ({"output": "half", "error": "[Operation Cancelled] User cancelled tool execution."}, "cancelled", None, None),
        ({"error": "Tool execution denied by policy. Plan mode."}, "error", False, "policy"),
        ({"error": 'Tool execution for "E" requires user confirmation, which is not supported in x'}, "error", False, "config"),
        ({"output": "Tool execution denied by policy."}, "success", True, None),
        ({"output": "half"}, "executing", None, None),
    ],
)  # fmt: skip
def test_how_other_calls_ended(response: Tree, status: str, ok: bool | None, decision: str | None) -> None:
    event = ended(response, status, "replace")
    assert (event.kind, event.tool, event.ok, event.exit_source) == ("tool_call", "replace", ok, None)
    assert (event.approval.source if event.approval else None) == decision


@pytest.mark.parametrize(
    ("content", "fields", "expected"),
    [
        ("Mend it.", {}, [("human", "Mend it.")]),
        ([{"text": "Look"}, {"inlineData": {"mimeType": "image/png", "data": "x"}}], {}, [("human", "Look\n[media]")]),
        ("System: Please continue.", {}, [("injected", "System: Please continue.")]),
        ("Please continue.", {}, [("unknown", "Please continue.")]),
        ("<session_context>\nThis is", {}, [("injected", "<session_context>\nThis is")]),
        ("Go <hook_context>h</hook_context>", {}, [("human", "Go"), ("hook", "<hook_context>h</hook_context>")]),
        (
            [{"text": "Read @a"}, {"text": "\n--- Content from referenced files ---"}, {"text": "secret plan"}],
            {},
            [("human", "Read @a"), ("injected", "\n--- Content from referenced files ---\nsecret plan")],
        ),
        (
            [{"text": "Read /w/a"}, {"text": "body"}],
            {"displayContent": [{"text": "Read @a"}]},
            [("human", "Read @a"), ("injected", "Read /w/a\nbody")],
        ),
        ([{"functionResponse": {"id": "c1", "response": {"output": "x"}}}], {}, []),
    ],
)
def test_who_wrote_a_prompt(content: Any, fields: Tree, expected: list[tuple[str, str]]) -> None:
    found = chat(message("user", content, **fields))
    assert [(e.origin, e.text) for e in found.events] == expected


def test_notices_thoughts_and_a_sub_agents_own_file() -> None:
    thought = {"subject": "Plan", "description": "first a", "timestamp": "2026-01-02T12:00:05.000Z"}
    found = chat(
        message("info", "Request cancelled."),
        message("info", "Update available"),
        message("warning", "Hook failed"),
        message("gemini", "Done.", thoughts=[thought], model="g-1"),
        message("user", "<state_snapshot>all</state_snapshot>", id="z"),
    )
    assert [(e.kind, e.text) for e in found.events] == [
        ("interrupt", "Request cancelled."),
        ("system", "Update available"),
        ("system", "Hook failed"),
        ("reasoning", "Plan\nfirst a"),
        ("message", "Done."),
        ("compaction", "<state_snapshot>all</state_snapshot>"),
    ]
    assert (found.model, found.id, found.events[3].ts) == ("g-1", "s1", "2026-01-02T12:00:05.000Z")
    (sub,) = chat(message("user", "Search."), kind="subagent").events
    assert (sub.origin, sub.thread) == ("injected", "sub:s1")


def test_the_log_gives_the_last_version_of_a_message_at_its_first_place() -> None:
    found = log(
        message("user", "Mend it.", id="u1"),
        message("gemini", "", id="g1", toolCalls=[call({}, "executing", "replace")]),
        {"$set": {"lastUpdated": NOON}},
        message("gemini", "Mended.", id="g1", toolCalls=[call({"output": "ok"}, "success", "replace")]),
        message("user", "No, back.", id="u2"),
        {"$rewindTo": "u2"},
        {"$set": {"messages": [message("user", "Mend it.", id="u1"), message("user", "<state_snapshot>s", id="n1")]}},
        {"$set": {"messages": [message("user", "<state_snapshot>s", id="n1")]}},
        b'{"id":"torn',
        message("sibyl", "?", id="q"),
    )
    assert [(e.kind, e.line) for e in found.events] == [
        ("prompt", 2), ("message", 5), ("tool_call", 5), ("prompt", 6), ("system", 7), ("compaction", 8),
    ]  # fmt: skip
    assert found.events[2].ok is True
    report = found.report
    assert report.skipped == {"metadata": 1, "superseded": 1, "$set": 2} and report.unknown == {"sibyl": 1}
    assert (report.seen, report.used, report.malformed) == (11, 5, [10])


def checkpoint(*turns: Tree, wrapped: bool = False) -> Session:
    document: Any = {"history": list(turns), "authType": "x"} if wrapped else list(turns)
    assert gemini_checkpoint.speaks(document)
    (found,) = gemini_checkpoint.read(io.BytesIO(json.dumps(document).encode()))
    assert_sound(found)
    return found


def turn(role: str, *parts: Tree) -> Tree:
    return {"role": role, "parts": list(parts)}


@pytest.mark.parametrize("wrapped", [False, True])
def test_a_checkpoint(wrapped: bool) -> None:
    asked = {"functionCall": {"name": "run_shell_command", "args": {"command": "ls"}}}
    answers = [
        {"functionResponse": {"name": "run_shell_command", "response": {"output": text}}}
        for text in ("Output: a\nProcess Group PGID: 1", "Output: b\nExit Code: 2")
    ]
    late = {"functionResponse": {"id": "c9", "name": "edit", "response": {"error": "no"}}}
    found = checkpoint(
        turn("user", {"text": "This is the Gemini CLI. We are setting up the context for our chat."}),
        turn("model", {"text": "Got it. Thanks for the context!"}),
        turn("user", {"text": "List."}),
        turn("model", {"text": "hm", "thought": True}, asked, asked),
        turn("user", *answers, late),
        wrapped=wrapped,
    )
    assert [(e.kind, e.origin) for e in found.events] == [
        ("prompt", "injected"), ("system", None), ("prompt", "human"), ("reasoning", None),
        ("command", None), ("command", None), ("tool_result", None),
    ]  # fmt: skip
    first, second, orphan = found.events[4:]
    assert (first.exit_code, first.exit_source, first.fidelity) == (0, "implied", "observed")
    assert (second.exit_code, second.exit_source, second.fidelity) == (2, "text", "inferred")
    assert (orphan.ok, found.report.orphan_results) == (False, 1)
    assert found.partial is not None


def test_a_refusal_without_words_has_no_reason() -> None:
    event = ended({"error": "[Operation Cancelled] Reason: User denied execution."}, "cancelled")
    assert event.approval == Approval(decision="denied", source="person") and event.exit_source == "none"


def test_only_its_own_files_are_taken() -> None:
    for path, document in foreign_documents("gemini_cli/*"):
        if "gemini" not in path.name:
            assert not gemini_cli.speaks(document), path
        assert not gemini_checkpoint.speaks(document), path
    for path, record in foreign_records("gemini_cli/*"):
        assert not gemini_cli.speaks_line(record), path
    assert gemini_cli.speaks_line(HEAD) and gemini_cli.speaks_line({"$set": {}})


def test_the_real_files() -> None:
    counted: dict[str, int] = {"user": 0, "calls": 0, "shell": 0, "thoughts": 0, "said": 0, "notices": 0}
    events: list[Event] = []
    for path in samples("gemini_cli/*.json"):
        raw = json.loads(path.read_bytes())
        for one in raw["messages"]:
            calls = one.get("toolCalls", [])
            counted["user"] += one["type"] == "user"
            counted["notices"] += one["type"] in ("info", "warning")
            counted["calls"] += len(calls)
            counted["shell"] += sum(c["name"] == "run_shell_command" for c in calls)
            counted["thoughts"] += len(one.get("thoughts", []))
            counted["said"] += one["type"] == "gemini" and one["content"] != ""
        with path.open("rb") as stream:
            (found,) = gemini_cli.read(stream)
        assert_sound(found)
        assert (found.report.seen, found.report.used, found.id) == (len(raw["messages"]),) * 2 + (raw["sessionId"],)
        events += found.events
    assert counted == {"user": 5, "calls": 12, "shell": 6, "thoughts": 25, "said": 13, "notices": 2}
    kinds = [e.kind for e in events]
    assert kinds.count("prompt") == 5 and kinds.count("command") == 6 and kinds.count("tool_call") == 6
    assert kinds.count("reasoning") == 25 and kinds.count("message") == 13 and kinds.count("system") == 2
    assert all(
        (e.exit_code, e.exit_source, e.fidelity) == (0, "text", "observed") for e in events if e.kind == "command"
    )
    assert [e.text for e in events if e.origin == "injected"] == ["System: Please continue."]


WHOLE: Tree = {
    **HEAD,
    "messages": [
        message("user", [{"text": "Go"}], displayContent="Go"),
        message("gemini", "x", thoughts=[{"subject": "a", "description": "b", "timestamp": NOON}], model="g",
                toolCalls=[call({"output": "Output: x\nExit Code: 1"}, resultDisplay="x"), call({"error": "e"}, "error", "t")]),
        message("info", "i"),
    ],
}  # fmt: skip
TURNS = [
    turn("user", {"text": "a"}),
    turn("model", {"functionCall": {"name": "n", "args": {}}}),
    turn("user", {"functionResponse": {"name": "n", "response": {"output": "x"}}}),
]
MESSAGES: list[Any] = WHOLE["messages"]
RECORDS = [HEAD, *MESSAGES, {"$set": {"messages": [message("user", "n", id="n")]}}, {"$rewindTo": "n"}]


@NOISE
@given(st.one_of(broken_documents(WHOLE), broken_documents(TURNS)))
def test_any_document_is_read_or_refused(raw: bytes) -> None:
    assert_read_or_refused(gemini_cli.read, raw)
    assert_read_or_refused(gemini_checkpoint.read, raw)


@NOISE
@given(broken_lines(RECORDS))
def test_any_lines_are_read(raw: bytes) -> None:
    (found,) = gemini_cli.read_log(io.BytesIO(raw))
    assert_sound(found)
