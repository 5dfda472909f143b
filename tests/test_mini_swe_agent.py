"""Trajectories of mini-swe-agent: both versions, refusals, and output that pretends to be a header."""

from __future__ import annotations

import io
import json
import time
from typing import Any

import pytest
from hypothesis import given
from imported import NOISE, assert_read_or_refused, assert_sound, broken_documents, foreign_documents, samples

from bench.traces.mini_swe_agent import read, speaks
from bench.traces.mini_swe_results import actions_in
from bench.traces.report import Session

Tree = dict[str, Any]
HEAD = [{"role": "system", "content": "You help."}, {"role": "user", "content": "Please solve this issue: x"}]


def user(content: str, **extra: Any) -> Tree:
    return {"role": "user", "content": content, **({"extra": extra} if extra else {})}


def old(command: str) -> Tree:
    return {"role": "assistant", "content": f"THOUGHT: go\n\n```bash\n{command}\n```"}


def new(*commands: str) -> Tree:
    actions = [{"command": command, "tool_call_id": f"c{n}"} for n, command in enumerate(commands)]
    calls = [
        {"id": f"c{n}", "function": {"name": "bash", "arguments": json.dumps({"command": command})}}
        for n, command in enumerate(commands)
    ]
    extra = {"actions": actions, "timestamp": 1767355200.5}
    return {"role": "assistant", "content": "go", "tool_calls": calls, "extra": extra}


def seen(content: str, call: str = "c0", **extra: Any) -> Tree:
    return {"role": "tool", "tool_call_id": call, "content": content, "extra": extra}


def session(*messages: Tree, **around: Any) -> Session:
    document: Any = [*HEAD, *messages]
    if around:
        document = {"messages": document, "trajectory_format": "mini-swe-agent-1.1", **around}
    (found,) = read(io.BytesIO(json.dumps(document).encode()))
    assert_sound(found)
    return found


@pytest.mark.parametrize(
    ("content", "output", "code", "source", "ok"),
    [
        ("<returncode>0</returncode>\n<output>\nfine\n</output>", "fine", 0, "text", True),
        ("<returncode>2</returncode>\n<output>\nbad</output>", "bad", 2, "text", False),
        (
            "<returncode>0</returncode>\n<output>\n<returncode>7</returncode>\n</output>",
            "<returncode>7</returncode>",
            0,
            "text",
            True,
        ),
        (
            "<returncode>0</returncode>\n<output>\na\n</output>\n<output>\nb\n</output>",
            "a\n</output>\n<output>\nb",
            0,
            "text",
            True,
        ),
        (
            "<exception>'x</exception>\n<returncode>0</returncode>' timed out</exception>\n<returncode>-1</returncode>",
            None,
            None,
            "none",
            False,
        ),
        ("The last command <command>make</command> timed out and has been killed.", None, None, "none", False),
        ("Observation: {'output': '', 'returncode': 0}", None, None, "none", None),
        ('{"returncode": 3, "output": "bad"}', "bad", 3, "structured", False),
        ('{"returncode": -1, "output": "half", "exception_info": "timed out"}', "half", None, "none", False),
    ],
)
def test_results_of_version_1(content: str, output: str | None, code: int | None, source: str, ok: bool | None) -> None:
    found = session(old("make"), user(content), old("ls"))
    command = found.events[3]
    assert (command.command, command.output) == ("make", content if output is None else output)
    assert (command.exit_code, command.exit_source, command.ok) == (code, source, ok)


@pytest.mark.parametrize(
    ("extra", "code", "source", "ok"),
    [
        ({"returncode": 2, "raw_output": "real", "exception_info": ""}, 2, "structured", False),
        ({"returncode": 0, "raw_output": "real", "exception_info": None}, 0, "structured", True),
        ({"returncode": -1, "raw_output": "real", "exception_info": "action was not executed"}, None, "none", False),
        ({"returncode": None, "raw_output": "real"}, None, "none", None),
    ],
)
def test_results_of_version_2(extra: Tree, code: int | None, source: str, ok: bool | None) -> None:
    found = session(
        new("ls", "make"), seen("<returncode>9</returncode>", "c1", **extra), info={"mini_version": "2.4.6"}
    )
    ls, make = found.events[3:]
    assert (ls.output, ls.exit_source, make.call, make.output) == (None, "none", "c1", "real")
    assert (make.exit_code, make.exit_source, make.ok) == (code, source, ok)
    assert make.ts == "2026-01-02T12:00:00.500+00:00"
    assert found.report.versions == {"2.4.6": 1, "mini-swe-agent-1.1": 1}


def test_a_person_refuses_interrupts_and_asks_for_more_in_version_2() -> None:
    refused = "Commands not executed. The user rejected your commands with the following message: no, use pnpm"
    found = session(
        new("npm i"),
        seen("", returncode=-1, raw_output="", exception_info="action was not executed"),
        user(refused, interrupt_type="UserRejection"),
        user("Interrupted by user: Temporary interruption caught.", interrupt_type="UserInterruption"),
        user("Interrupted by user: wait", interrupt_type="UserInterruption"),
        user("The user added a new task: and this", interrupt_type="UserNewTask"),
        user("Tool call error", interrupt_type="FormatError"),
        user("User command: \n```bash\nls\n```", actions=[{"command": "ls"}]),
        user("out", returncode=0, raw_output="a.py"),
        {"role": "exit", "content": "diff", "extra": {"exit_status": "Submitted", "submission": "diff"}},
        info={},
    )
    command, *rest = found.events[3:]
    assert command.approval is not None
    assert (command.approval.decision, command.approval.source, command.approval.reason) == (
        "denied",
        "person",
        "no, use pnpm",
    )
    assert (command.ok, command.exit_source) == (False, "none")
    assert [(e.kind, e.origin, e.text or e.command, e.exit_code) for e in rest] == [
        ("interrupt", None, None, None),
        ("interrupt", None, None, None),
        ("prompt", "human", "wait", None),
        ("prompt", "human", "and this", None),
        ("system", None, "Tool call error", None),
        ("command", None, "ls", 0),
        ("system", None, "Submitted: diff", None),
    ]
    assert {e.fidelity for e in rest} == {"observed"} and rest[5].args == {"source": "person"}
    assert found.answer == "diff"


def test_what_a_person_said_in_version_1_is_inferred() -> None:
    found = session(
        old("npm i"),
        user("Command not executed. The user rejected your command with the following message: no"),
        old("ls"),
        user("<returncode>0</returncode>\nInterrupted by user: run rm -rf"),
        {"role": "assistant", "content": "no command at all"},
        user("Please always provide EXACTLY ONE action"),
        user("Interrupted by user: stop"),
        old("echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT; cat patch"),
        user("The user added a new task: spoof"),
    )
    refused = found.events[3]
    assert refused.approval is not None and (refused.approval.reason, refused.output) == ("no", None)
    assert [(e.text, e.fidelity) for e in found.events if e.kind == "prompt"][1:] == [("stop", "inferred")]
    assert [e.text for e in found.events if e.kind == "system"][1:] == ["Please always provide EXACTLY ONE action"]
    assert found.answer == found.events[-1].output == "The user added a new task: spoof"  # the agent printed it


@pytest.mark.parametrize(
    ("text", "commands"),
    [
        ("a\n```bash\nls\n```\nb", ["ls"]),
        ("```mswea_bash_command\nls\n```\n```bash\nno\n```", ["ls"]),
        ("<mswea_bash_command>ls</mswea_bash_command>", ["ls"]),
        ("```bash\nls\n```\n```bash\nls\n```", []),
        ("```bash ls```", []),
        ("```python\nls\n```", []),
        ("```bash\nls", []),
    ],
)
def test_the_harness_runs_one_command_or_none(text: str, commands: list[str]) -> None:
    assert actions_in(text) == commands


@pytest.mark.parametrize("text", ["```bash x", "```bash\n```", "```bash\n", "<mswea_bash_command>"])
def test_looking_for_commands_takes_linear_time(text: str) -> None:
    start = time.perf_counter()
    actions_in(text * 200_000)
    assert time.perf_counter() - start < 5


def test_answers_of_the_responses_api() -> None:
    response = {
        "object": "response",
        "output": [
            {"type": "reasoning", "summary": [{"type": "summary_text", "text": "hm"}]},
            {"type": "message", "content": [{"type": "output_text", "text": "go"}]},
            {"type": "function_call", "call_id": "c0", "name": "bash", "arguments": '{"command": "ls"}'},
        ],
        "extra": {"actions": [{"command": "ls", "tool_call_id": "c0"}]},
    }
    output = {
        "type": "function_call_output",
        "call_id": "c0",
        "output": "x",
        "extra": {"returncode": 0, "raw_output": "y"},
    }
    found = session(response, output, info={})
    assert [(e.kind, e.text or e.output) for e in found.events[2:]] == [
        ("reasoning", "hm"),
        ("message", "go"),
        ("command", "y"),
    ]


def test_it_is_told_from_plain_chats() -> None:
    assert speaks([*HEAD, old("ls"), user("<returncode>0</returncode>")]) and not speaks([*HEAD, old("ls"), user("x")])
    assert speaks({"messages": [], "trajectory_format": "mini-swe-agent-1"}) and not speaks({"messages": HEAD})
    assert [path.name for path, document in foreign_documents("mini_swe_agent/*") if speaks(document)] == []


def test_the_real_ones() -> None:
    """Counted over the raw messages: each answer runs one command; all but the submission have a code."""
    counts = {}
    for path in samples("mini_swe_agent/*"):
        messages = json.loads(path.read_bytes())
        (found,) = read(io.BytesIO(path.read_bytes()))
        assert speaks(messages)
        assert_sound(found)
        commands = [e for e in found.events if e.kind == "command"]
        assert len(commands) == sum(m["role"] == "assistant" for m in messages)
        texts = [m["content"] for m in messages if m["content"].startswith("<returncode>")]
        assert [e.exit_code for e in commands[:-1]] == [
            int(t.split("</", 1)[0].removeprefix("<returncode>")) for t in texts
        ]
        assert commands[-1].exit_code is None and found.report.used == found.report.seen == len(messages)
        counts[path.name] = (len(commands), sum(e.ok is False for e in commands))
    assert counts == {"github_issue.traj.json": (10, 2), "local.traj.json": (2, 0)}


@NOISE
@given(
    broken_documents(
        {
            "trajectory_format": "mini-swe-agent-1.1",
            "info": {"mini_version": "2", "submission": "x", "config": {"model": {"model_name": "m"}}},
            "messages": [
                *HEAD,
                old("ls"),
                user("<returncode>1</returncode>\n<output>\nx\n</output>"),
                new("ls", "make"),
                seen("x", returncode=1, raw_output="y"),
                user("Commands not executed. x", interrupt_type="UserRejection"),
                {
                    "object": "response",
                    "output": [{"type": "message", "content": "x"}],
                    "extra": {"actions": [{"command": "x"}]},
                },
                {"type": "function_call_output", "call_id": "c", "output": "x"},
                {"role": "exit", "content": "", "extra": {"exit_status": "x"}},
            ],
        }
    )
)
def test_any_bytes_are_read_or_refused_with_a_reason(raw: bytes) -> None:
    assert_read_or_refused(read, raw, speaks)
