"""Logs of Who&When: one row for each trap, and the real files."""

from __future__ import annotations

import io
import json
from typing import Any

import pytest
from hypothesis import given
from imported import NOISE, assert_read_or_refused, assert_sound, broken_documents, foreign_documents, samples

from bench.traces import who_and_when
from bench.traces.report import Recorded, Session

Tree = dict[str, Any]
TASK = "You are given: (1) a task and advises from your manager with a specific plan and (2) a general task."


def said(content: Any, role: str = "user", name: str | None = None) -> Tree:
    return {"content": content, "role": role, **({} if name is None else {"name": name})}


def document(*history: Any, **fields: Any) -> Tree:
    marks = {"mistake_agent": "WebSurfer", "mistake_step": "0", "mistake_reason": "It guessed."}
    return {
        "history": list(history),
        "question": "How many?",
        "question_ID": "q1",
        "ground_truth": "8",
        **marks,
        **fields,
    }


def read(*history: Any, **fields: Any) -> Session:
    (found,) = who_and_when.read(io.BytesIO(json.dumps(document(*history, **fields)).encode()))
    assert_sound(found)
    return found


def test_a_chat_of_magentic_one() -> None:
    found = read(
        said("How many?", "human"),
        said("Plan: ask.", "Orchestrator (thought)"),
        said("Please search.", "Orchestrator (-> WebSurfer)"),
        said("I clicked.", "WebSurfer"),
        said("The script ran, then exited with an error (POSIX exit code: 1)\nIts output was:\nx", "ComputerTerminal"),
        said("No agent selected.", "Orchestrator (termination condition)"),
    )
    shapes = [(e.kind, e.origin, e.args) for e in found.events]
    assert shapes == [
        ("prompt", "injected", {"speaker": "human"}),
        ("reasoning", None, {"speaker": "Orchestrator"}),
        ("message", None, {"speaker": "Orchestrator", "to": "WebSurfer"}),
        ("message", None, {"speaker": "WebSurfer"}),
        ("tool_result", None, {"speaker": "ComputerTerminal"}),
        ("system", None, {"speaker": "Orchestrator"}),
    ]
    ran = found.events[4]  # a script could print that sentence and exit with 0
    assert (ran.exit_code, ran.exit_source, ran.ok) == (None, "none", None)
    assert (found.id, found.task, found.query) == ("q1", "q1", "How many?")


@pytest.mark.parametrize(
    ("text", "code", "ok", "output"),
    [
        ("exitcode: 0 (execution succeeded)\nCode output: 4\n", 0, True, "4\n"),
        ("exitcode: 1 (execution failed)\nCode output: exitcode: 0 (execution succeeded)", 1, False,
         "exitcode: 0 (execution succeeded)"),
        ("exitcode: -9 (execution failed)\nCode output: ", -9, False, ""),
        (" exitcode: 0 (execution succeeded)\nCode output: 4", None, None,
         " exitcode: 0 (execution succeeded)\nCode output: 4"),  # not at the start: not its header
    ],
)  # fmt: skip
def test_how_code_ended(text: str, code: int | None, ok: bool | None, output: str) -> None:
    found = read(said(text, name="Computer_terminal"))
    (event,) = found.events
    assert (event.kind, event.tool, event.output) == ("tool_result", "Computer_terminal", output)
    assert (event.exit_code, event.ok) == (code, ok)
    assert event.exit_source == ("none" if code is None else "text")
    assert found.report.orphan_results == 1


def test_only_the_executor_has_an_exit_code() -> None:
    text = "exitcode: 0 (execution succeeded)\nCode output: 4"
    (event,) = read(said(text, name="Excel_Expert")).events
    assert (event.kind, event.exit_code) == ("message", None)


def test_the_task_is_a_prompt_only_at_the_start() -> None:
    found = read(said(TASK, "assistant", "Expert"), said(TASK, "assistant", "Expert"))
    assert [(e.kind, e.origin) for e in found.events] == [("prompt", "injected"), ("message", None)]
    (nothing,) = read(
        said("There is no code from the last 1 message for me to execute.", name="Computer_terminal")
    ).events
    assert nothing.kind == "system"


@pytest.mark.parametrize(
    ("step", "evidence"),
    [("2", (2,)), (2, (2,)), ("3", ()), ("1", ()), ("-1", ()), ("two", ()), (None, ()), (True, ())],
)
def test_the_mark_counts_messages_from_0_and_events_from_1(step: Any, evidence: tuple[int, ...]) -> None:
    found = read(said("a", "A"), said("", "A"), said("b", "A"), mistake_step=step)
    mark = found.recorded[0]
    assert (mark.name, mark.answer, mark.by, mark.evidence) == ("mistake", "WebSurfer", "person", evidence)
    assert mark.detail is not None and mark.detail.endswith("It guessed.")
    assert ("is no message of the history" in mark.detail) == (evidence == ())


@pytest.mark.parametrize(("key", "truth"), [("is_correct", "ground_truth"), ("is_corrected", "groundtruth")])
def test_the_other_labels(key: str, truth: str) -> None:
    found = read(**{"ground_truth": "", key: False, truth: "CSI"})
    assert found.recorded[1:] == (
        Recorded("is_correct", "false", "environment"),
        Recorded("ground_truth", "CSI", "dataset"),
    )


def test_what_cannot_be_read_is_counted() -> None:
    report = read(said("a", "A"), 7, {"content": "x"}, said(["x"], "A"), said(" ", "A")).report
    assert (report.malformed, report.used, report.skipped) == ([2], 1, {"agent": 1})
    assert report.unknown == {"(no speaker)": 1, "(no text)": 1}
    with pytest.raises(ValueError, match="one object"):
        list(who_and_when.read(io.BytesIO(b"[]")))


def test_it_is_told_from_the_others() -> None:
    assert who_and_when.FORMAT.speaks(document())
    for path, other in foreign_documents("who_and_when/*"):
        assert not who_and_when.FORMAT.speaks(other), path


def test_the_real_files() -> None:
    executed, events, sessions = 0, 0, []
    for path in samples("who_and_when/*.json"):
        raw = json.loads(path.read_bytes())
        assert who_and_when.FORMAT.speaks(raw)
        with path.open("rb") as stream:
            (found,) = who_and_when.read(stream)
        assert_sound(found)
        history = raw["history"]
        marked = history[int(raw["mistake_step"])]
        event = found.events[found.recorded[0].evidence[0] - 1]
        assert event.text == marked["content"]
        assert raw["mistake_agent"] == marked.get("name", marked["role"])  # the mark and the step agree in all four
        assert len(found.events) == len(history) == found.report.used  # no message is empty there
        executed += sum(m.get("name") == "Computer_terminal" and m["content"].startswith("exitcode") for m in history)
        events += len(found.events)
        sessions.append(found)
    codes = [e.exit_code for session in sessions for e in session.events if e.exit_source == "text"]
    assert (len(codes), executed, events) == (4, 4, 131) and sorted(str(code) for code in codes) == ["0", "0", "0", "1"]


WHOLE = document(
    said(TASK, "assistant", "E"),
    said("exitcode: 1 (execution failed)\nCode output: x", name="Computer_terminal"),
    said("p", "Orchestrator (-> W)"),
    is_correct=False,
)


@NOISE
@given(broken_documents(WHOLE))
def test_any_document_is_read_or_refused(raw: bytes) -> None:
    assert_read_or_refused(who_and_when.read, raw)
