"""Plain chats: both dialects, as a document and as lines; and that no harness's own file is taken for one."""

from __future__ import annotations

import io
import json
from typing import Any

import pytest
from hypothesis import given
from imported import (
    NOISE,
    assert_read_or_refused,
    assert_sound,
    broken_documents,
    broken_texts,
    foreign_documents,
    foreign_records,
    samples,
)

from bench.traces import chat, chat_lines
from bench.traces.lines import read_lines
from bench.traces.report import Session

Tree = dict[str, Any]
NOON = "2026-01-02T12:00:00Z"


def said(role: str, content: Any = None, **fields: Any) -> Tree:
    return {"role": role, "content": content, **fields}


def function(name: str, arguments: Any, identity: str = "c1") -> Tree:
    return {"id": identity, "type": "function", "function": {"name": name, "arguments": json.dumps(arguments)}}


def used(name: str, given: Tree, identity: str = "u1") -> Tree:
    return {"type": "tool_use", "id": identity, "name": name, "input": given}


def result(content: Any, identity: str = "u1", **fields: Any) -> Tree:
    return {"type": "tool_result", "tool_use_id": identity, "content": content, **fields}


def sessions(document: Any) -> list[Session]:
    found = list(chat.read(io.BytesIO(json.dumps(document).encode())))
    for one in found:
        assert_sound(one)
    return found


def session(*messages: Tree) -> Session:
    (found,) = sessions(list(messages))
    return found


OPENAI = [
    said("system", "Be brief."),
    said("user", [{"type": "text", "text": "Mend it."}, {"type": "image_url", "image_url": {"url": "x"}}]),
    said("assistant", "Looking.", reasoning_content="hm", tool_calls=[function("bash", {"command": "make"})]),
    said("tool", "exit code 2", tool_call_id="c1"),
    said("assistant", None, refusal="I will not."),
]
ANTHROPIC = {
    "model": "m-1",
    "id": "s1",
    "system": [{"type": "text", "text": "Be brief."}],
    "messages": [
        said("user", "Mend it."),
        said(
            "assistant",
            [
                {"type": "thinking", "thinking": "hm", "signature": "x"},
                {"type": "redacted_thinking", "data": "x"},
                {"type": "text", "text": "Looking."},
                used("bash", {"command": "make"}),
                used("edit", {"path": "a"}, "u2"),
            ],
        ),
        said(
            "user",
            [
                result([{"type": "text", "text": "fine"}]),
                result("no", "u2", is_error=True),
                {"type": "text", "text": "Stop."},
            ],
        ),
    ],
}


def test_openai() -> None:
    found = session(*OPENAI)
    assert [(e.kind, e.origin, e.text or e.command) for e in found.events] == [
        ("system", None, "Be brief."),
        ("prompt", "unknown", "Mend it.\n[image]"),
        ("reasoning", None, "hm"),
        ("message", None, "Looking."),
        ("command", None, "make"),
        ("message", None, "I will not."),
    ]
    command = found.events[4]
    assert (command.output, command.exit_code, command.exit_source, command.ok) == ("exit code 2", None, "none", None)


def test_anthropic() -> None:
    (found,) = sessions(ANTHROPIC)
    assert [(e.kind, e.text or e.output) for e in found.events] == [
        ("system", "Be brief."),
        ("prompt", "Mend it."),
        ("reasoning", "hm"),
        ("message", "Looking."),
        ("command", "fine"),
        ("tool_call", "no"),
        ("prompt", "Stop."),
    ]
    assert (found.model, found.id, found.report.seen) == ("m-1", "s1", 4)


@pytest.mark.parametrize(
    ("tool", "flags", "ok"),
    [
        ("edit", {}, None),
        ("edit", {"is_error": False}, True),
        ("edit", {"is_error": True}, False),
        ("bash", {"is_error": False}, None),  # that the call went through says nothing of the exit code
        ("bash", {"is_error": True}, False),
    ],
)
def test_the_error_flag(tool: str, flags: Tree, ok: bool | None) -> None:
    found = session(said("assistant", [used(tool, {"command": "x"})]), said("user", [result("out", **flags)]))
    assert [(e.ok, e.exit_code) for e in found.events] == [(ok, None)]


def test_functions_without_ids_are_answered_by_name_in_order() -> None:
    asked = [said("assistant", None, function_call={"name": "f", "arguments": text}) for text in ('{"n": 1}', "torn {")]
    answered = [said("function", "1", name="f"), said("function", "2", name="f"), said("function", "3", name="f")]
    found = session(*asked, *answered)
    assert [(e.kind, e.args, e.output) for e in found.events] == [
        ("tool_call", {"n": 1}, "1"),
        ("tool_call", {"value": "torn {"}, "2"),
        ("tool_result", None, "3"),
    ]
    assert found.report.orphan_results == 1


def test_ids_may_repeat_from_turn_to_turn() -> None:
    turn = [said("assistant", "", tool_calls=[function("f", {})]), said("tool", "1", tool_call_id="c1")]
    again = [said("assistant", "", tool_calls=[function("f", {})]), said("tool", "2", tool_call_id="c1")]
    assert [e.output for e in session(*turn, *again).events] == ["1", "2"]


def test_the_books_balance() -> None:
    found = sessions([said("user", "x"), "torn", said("oracle", "who?"), said("assistant", "")])[0].report
    assert (
        found.malformed == [2] and found.unknown == {"message/oracle": 1} and found.skipped == {"message/assistant": 1}
    )


def test_several_conversations_are_sessions_of_their_own() -> None:
    found = sessions([ANTHROPIC, {"messages": OPENAI}])
    assert [len(one.events) for one in found] == [7, 6] and [one.report.seen for one in found] == [4, 5]


def lines(*records: Any) -> list[Session]:
    raw = b"\n".join(r if isinstance(r, bytes) else json.dumps(r).encode() for r in records)
    found = list(chat_lines.read(io.BytesIO(raw)))
    for one in found:
        assert_sound(one)
    return found


def test_a_message_a_line() -> None:
    (found,) = lines(*OPENAI[:3], b'{"role": "tool", "con', OPENAI[4])
    assert [e.line for e in found.events] == [1, 2, 3, 3, 3, 5]
    assert (found.harness, found.report.format, found.report.malformed) == ("chat", "chat-lines", [4])


def test_a_conversation_a_line_between_single_messages() -> None:
    stray = said("tool", "late", tool_call_id="c9")
    found = lines(said("user", "a"), ANTHROPIC, b"{", {"messages": [*OPENAI, stray, 5]}, said("user", "b"))
    assert [len(one.events) for one in found] == [1, 7, 7, 1]
    assert {e.line for e in found[2].events} == {4}
    report = found[-1].report
    assert (report.seen, report.malformed, report.orphan_results) == (1 + 4 + 1 + 7 + 1, [3, 4], 1)


def test_what_is_a_chat() -> None:
    assert chat.speaks(OPENAI) and chat.speaks(ANTHROPIC) and chat.speaks([ANTHROPIC])
    assert chat_lines.speaks(ANTHROPIC) and chat_lines.speaks(OPENAI[2])
    marked = [*OPENAI, said("user", "<returncode>0</returncode>\n<output>\n</output>")]
    assert not chat.speaks(marked)
    for other in (None, [], {}, {"messages": []}, [5], "x", {"messages": OPENAI, "info": {}}):
        assert not chat.speaks(other)
    codex = {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "x"}]}
    cursor = {"role": "user", "message": {"content": "x"}}
    assert not chat_lines.speaks(codex) and not chat_lines.speaks(cursor)


def test_no_other_formats_file_is_taken() -> None:
    assert [path.name for path, document in foreign_documents("no/*") if chat.speaks(document)] == []
    assert [path.name for path, record in foreign_records("no/*") if chat_lines.speaks(record)] == []


def test_real_chats_inside_other_formats() -> None:
    (path,) = samples("tau_bench/*.json")
    for run in json.loads(path.read_bytes()):
        found = session(*run["traj"])
        calls = [call["id"] for message in run["traj"] for call in message.get("tool_calls") or []]
        answers = [message["content"] for message in run["traj"] if message["role"] == "tool"]
        assert [e.call for e in found.events if e.kind == "tool_call"] == calls
        assert [e.output for e in found.events if e.kind == "tool_call" and e.output is not None] == answers
        assert sum(e.kind == "prompt" for e in found.events) == sum(m["role"] == "user" for m in run["traj"])


LEGACY = [said("assistant", None, function_call={"name": "f", "arguments": "{}"}), said("function", "1", name="f")]


@NOISE
@given(broken_documents({**ANTHROPIC, "messages": [*ANTHROPIC["messages"], *OPENAI, *LEGACY]}))
def test_any_document_is_read_or_refused_with_a_reason(raw: bytes) -> None:
    assert_read_or_refused(chat.read, raw, chat.speaks)


@NOISE
@given(broken_texts("\n".join(json.dumps(r) for r in [*OPENAI, ANTHROPIC, {"messages": LEGACY}, *LEGACY])))
def test_any_lines_are_read(raw: bytes) -> None:
    for found in chat_lines.read(io.BytesIO(raw)):
        assert_sound(found)
    for line in read_lines(io.BytesIO(raw)):
        assert line.record is None or chat_lines.speaks(line.record) in (True, False)
