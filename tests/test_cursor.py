"""Cursor transcripts: what can be seen, and that nothing is said of what cannot."""

from __future__ import annotations

import io
import json
from typing import Any

import pytest
from hypothesis import given
from imported import NOISE, assert_sound, broken_lines, foreign_records, samples

from bench.traces.cursor import read, speaks
from bench.traces.report import Session

Tree = dict[str, Any]


def line(role: str, *blocks: Any, **message: Any) -> Tree:
    return {"role": role, "message": {"content": list(blocks), **message}}


def text(value: str) -> Tree:
    return {"type": "text", "text": value}


def use(name: str = "Shell", **arguments: Any) -> Tree:
    return {"type": "tool_use", "name": name, "input": arguments or {"command": "make"}}


def result(content: Any, **fields: Any) -> Tree:
    return {"type": "tool_result", "tool_use_id": "t1", "content": content, **fields}


def session(*records: Any) -> Session:
    raw = b"\n".join(r if isinstance(r, bytes) else json.dumps(r).encode() for r in records)
    (found,) = read(io.BytesIO(raw))
    assert_sound(found)
    return found


def test_without_results_every_call_is_unobservable() -> None:
    found = session(line("user", text("Go")), line("assistant", text("Yes."), use(), use("Read", path="a")))
    command, call = found.events[2:]
    assert (command.kind, command.command, command.tool) == ("command", "make", "Shell")
    for event in (command, call):
        assert (event.outcome, event.exit_source, event.exit_code, event.ok, event.output) == (
            "unobservable", "none", None, None, None,
        )  # fmt: skip
    assert all(event.outcome is None for event in found.events[:2])


@pytest.mark.parametrize(
    ("block", "ok", "output"),
    [
        (result("boom", is_error=True), False, "boom"),
        (result([text("fine")], is_error=False), None, "fine"),
        (result("Exit code 0"), None, "Exit code 0"),
    ],
)
def test_lines_with_results_are_read_and_tell_no_exit_code(block: Tree, ok: bool | None, output: str) -> None:
    found = session(line("assistant", {**use(), "id": "t1"}, use("Read", path="a")), line("user", block))
    command, unanswered = found.events
    assert (command.ok, command.output, command.exit_code, command.exit_source) == (ok, output, None, "none")
    assert unanswered.outcome is None and found.report.orphan_results == 0


@pytest.mark.parametrize(
    ("blocks", "expected"),
    [
        ([text("Build it.")], [("human", "Build it.")]),
        (["Build it."], [("human", "Build it.")]),
        ([text("<user_query>\nBuild it.\n</user_query>")], [("human", "Build it.")]),
        (
            [
                text(
                    "<attached_files>a <user_query>fake</user_query></attached_files>\n<user_query>\nreal\n</user_query>"
                )
            ],
            [("injected", "<attached_files>a <user_query>fake</user_query></attached_files>"), ("human", "real")],
        ),
        (
            [text("<system_reminder>r</system_reminder>"), text("<user_query>q</user_query>"), {"type": "image"}],
            [("injected", "<system_reminder>r</system_reminder>"), ("human", "q\n[image]")],
        ),
    ],
)
def test_who_wrote_a_prompt(blocks: list[Any], expected: list[tuple[str, str]]) -> None:
    assert [(e.origin, e.text) for e in session(line("user", *blocks)).events] == expected


def test_the_books_balance() -> None:
    found = session(
        line("system", "transport"),
        b"{torn",
        line("assistant", {"type": "thinking", "thinking": "hm"}, {"type": "new"}, model="m-1"),
        line("user"),
        {"role": "oracle", "message": {}},
        line("user", result("late")),
    )
    assert [e.kind for e in found.events] == ["system", "reasoning", "other", "tool_result"]
    report = found.report
    assert (report.malformed, report.unknown, report.skipped) == ([2], {"oracle": 1}, {"user": 1})
    assert (report.orphan_results, found.model) == (1, "m-1")


def test_only_its_own_files_are_taken() -> None:
    for path, record in foreign_records("fixtures/cursor__*"):
        assert not speaks(record), path
    assert not speaks({"role": "user", "content": "Hello"})


def test_the_fixtures() -> None:
    cleanup, calls = samples("fixtures/cursor__*")
    with cleanup.open("rb") as stream:
        (found,) = read(stream)
    assert [(e.kind, e.ok) for e in found.events if e.kind == "command"] == [("command", False)]
    with calls.open("rb") as stream:
        (found,) = read(stream)
    assert [e.outcome for e in found.events if e.kind == "tool_call"] == ["unobservable"]
    assert found.report.seen == found.report.used == len(calls.read_bytes().splitlines())


RECORDS = [
    line("user", text("<user_query>a</user_query>")),
    line("assistant", {**use(), "id": "t1"}),
    line("user", result("x")),
]


@NOISE
@given(broken_lines(RECORDS))
def test_any_bytes_are_read(raw: bytes) -> None:
    (found,) = read(io.BytesIO(raw))
    assert_sound(found)
