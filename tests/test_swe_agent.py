"""Trajectories of SWE-agent: steps, history, demonstrations, attempts; and the real ones."""

from __future__ import annotations

import io
import json
from typing import Any

from hypothesis import given
from imported import NOISE, assert_read_or_refused, assert_sound, broken_documents, foreign_documents, samples

from bench.traces.report import Recorded, Session
from bench.traces.swe_agent import read, speaks

Tree = dict[str, Any]


def entry(role: str, content: str, **fields: Any) -> Tree:
    return {"role": role, "content": content, "agent": "main", **fields}


def acted(action: str, thought: str = "Look.") -> Tree:
    return entry("assistant", f"{thought}\n```\n{action}\n```", thought=thought, action=action, message_type="action")


def step(action: str, observation: str, thought: str = "Look.", **fields: Any) -> Tree:
    return {
        "action": action,
        "observation": observation,
        "response": thought,
        "thought": thought,
        "state": {},
        **fields,
    }


HEAD = [
    entry("system", "SETTING"),
    entry("user", "Here is a demonstration.", is_demo=True),
    entry("assistant", "demo", is_demo=True, action="ls"),
    entry("user", "ISSUE: it breaks"),
]


def sessions(document: Any) -> list[Session]:
    found = list(read(io.BytesIO(json.dumps(document).encode())))
    for one in found:
        assert_sound(one)
    return found


def shapes(session: Session) -> list[tuple[Any, ...]]:
    return [(e.kind, e.origin, e.text or e.command, e.output) for e in session.events]


def test_the_history_alone() -> None:
    history = [*HEAD, acted("ls\n"), entry("tool", "a.py\n(Open file: n/a)"), entry("user", "again"), acted("submit")]
    (found,) = sessions({"history": history})
    assert shapes(found) == [
        ("system", None, "SETTING", None),
        ("prompt", "injected", "ISSUE: it breaks", None),
        ("reasoning", None, "Look.", None),
        ("command", None, "ls", "a.py\n(Open file: n/a)"),
        ("system", None, "again", None),
        ("reasoning", None, "Look.", None),
        ("command", None, "submit", None),
    ]
    assert {(e.exit_code, e.exit_source, e.ok) for e in found.events if e.kind == "command"} == {(None, "none", None)}
    assert found.report.skipped == {"demonstration": 2}


def test_steps_come_before_their_shortened_copies() -> None:
    (found,) = sessions(
        {
            "environment": "main",
            "history": [*HEAD, acted("ls"), entry("tool", "[old]")],
            "trajectory": [
                step("ls", "whole", reasoning_content="hidden"),
                step("", "", thought="", response="no action"),
                step("", "Exited (autosubmitted)", thought="Exit due to cost limit"),
            ],
            "info": {
                "exit_status": "exit_cost",
                "submission": "diff",
                "swe_agent_version": "1.1.0",
                "review": {"accept": 0.5},
            },
            "replay_config": json.dumps(
                {"problem_statement": {"text": "it breaks", "id": "i1"}, "agent": {"model": {"name": "m-1"}}}
            ),
        }
    )
    assert shapes(found)[2:] == [
        ("reasoning", None, "hidden", None),
        ("reasoning", None, "Look.", None),
        ("command", None, "ls", "whole"),
        ("reasoning", None, "no action", None),
        ("system", None, "Exit due to cost limit", None),
        ("system", None, "Exited (autosubmitted)", None),
        ("system", None, "exit status: exit_cost", None),
    ]
    assert found.report.skipped == {"demonstration": 2, "copy of a step": 2}
    assert (found.model, found.task, found.query, found.answer) == ("m-1", "i1", "it breaks", "diff")
    assert found.recorded == (Recorded("review", "0.5", "model"),) and found.report.versions == {"1.1.0": 1}


def test_other_agents_are_threads_of_their_own() -> None:
    other = {**acted("look"), "agent": "helper"}
    (found,) = sessions({"history": [*HEAD, acted("ls"), other]})
    assert [e.thread for e in found.events][-2:] == ["sub:helper", "sub:helper"]


def test_attempts_are_sessions_of_one_task_and_the_copy_of_the_best_is_none() -> None:
    first, second = (
        {"history": HEAD, "trajectory": [step("ls", "1")]},
        {"history": HEAD, "trajectory": [step("ls", "2")]},
    )
    document = {**second, "attempts": [first, second, "torn"], "info": {"best_attempt_idx": 1}}
    assert speaks(document)
    found = sessions(document)
    assert [(one.trial, one.events[-1].output, one.recorded[0].answer) for one in found] == [
        (0, "1", "no"),
        (1, "2", "yes"),
    ]
    report = found[0].report
    assert report is found[1].report and report.seen == 3 * 5 + 1
    assert report.skipped == {"copy of the best attempt": 5, "demonstration": 4} and report.malformed == [3]


def test_no_other_formats_file_is_taken() -> None:
    assert [path.name for path, document in foreign_documents("swe_agent/*") if speaks(document)] == []


def test_the_real_ones() -> None:
    """Counted over the raw JSON: actions, and what of the history is not a demonstration."""
    counts = {}
    for path in samples("swe_agent/*"):
        document = json.loads(path.read_bytes())
        (found,) = sessions(document)
        assert speaks(document)
        steps = document.get("trajectory") or [
            e for e in document["history"] if e.get("action") and not e.get("is_demo")
        ]
        commands = [e for e in found.events if e.kind == "command"]
        assert [e.command for e in commands] == [one["action"].rstrip("\n") for one in steps]
        assert found.report.seen == len(document["history"]) + len(document.get("trajectory", []))
        assert [e.origin for e in found.events if e.kind == "prompt"] == ["injected"]
        if "trajectory" in document:
            assert [e.output for e in commands] == [one["observation"] for one in steps]
        counts[path.name] = (len(commands), found.report.skipped["demonstration"])
    assert counts == {
        "function_calling_simple.traj": (5, 0),
        "marshmallow-1867.traj": (11, 0),
        "test-repo-i1.traj": (5, 1),
    }


@NOISE
@given(
    broken_documents(
        {
            "history": [*HEAD, acted("ls"), entry("tool", "x")],
            "trajectory": [step("ls", "1")],
            "attempts": [{"history": HEAD, "trajectory": [step("ls", "1")], "info": {"review": {"accept": True}}}],
            "info": {"best_attempt_idx": 0, "exit_status": "x", "submission": None},
            "replay_config": {"problem_statement": {"id": "i"}},
        }
    )
)
def test_any_bytes_are_read_or_refused_with_a_reason(raw: bytes) -> None:
    assert_read_or_refused(read, raw, speaks)
