"""Results of tau-bench: one row for each trap, and the real file."""

from __future__ import annotations

import io
import json
from typing import Any

import pytest
from hypothesis import given
from imported import NOISE, assert_read_or_refused, assert_sound, broken_documents, foreign_documents, samples

from bench.traces import tau_bench
from bench.traces.report import Recorded, Session

Tree = dict[str, Any]
ACTING = "# Policy\n#Available tools\n[]\n# Instruction\nYou need to act as an agent that use the above tools to help."


def said(role: str, content: Any, **fields: Any) -> Tree:
    return {"role": role, "content": content, **fields}


def calling(name: str, arguments: str, identity: str = "c1") -> Tree:
    function = {"name": name, "arguments": arguments}
    return said("assistant", None, tool_calls=[{"id": identity, "type": "function", "function": function}])


def answered(content: str, name: str = "get_user", identity: str = "c1") -> Tree:
    return said("tool", content, tool_call_id=identity, name=name)


def run(*traj: Any, **fields: Any) -> Tree:
    info = {"task": {"user_id": "u", "actions": [], "instruction": "You want a flight.", "outputs": []}}
    return {"task_id": 3, "trial": 1, "reward": 0.0, "info": info, "traj": list(traj), **fields}


def read(*runs: Any) -> list[Session]:
    found = list(tau_bench.read(io.BytesIO(json.dumps(list(runs)).encode())))
    for session in found:
        assert_sound(session)
    return found


def test_a_run_with_tool_calls() -> None:
    (found,) = read(
        run(
            said("system", "Policy."),
            said("user", "Hi"),
            calling("get_user", '{"id": "u1"}'),
            answered('{"name": "Error: Ann"}'),
            said("assistant", "Done."),
            said("user", "###STOP###"),
        )
    )
    shapes = [(e.kind, e.origin, e.text, e.tool, e.args, e.output) for e in found.events]
    assert shapes == [
        ("system", None, "Policy.", None, None, None),
        ("prompt", "simulated", "Hi", None, None, None),
        ("tool_call", None, None, "get_user", {"id": "u1"}, '{"name": "Error: Ann"}'),
        ("message", None, "Done.", None, None, None),
        ("prompt", "simulated", "###STOP###", None, None, None),
    ]
    assert (found.task, found.trial, found.query, found.model) == ("3", 1, "You want a flight.", None)


@pytest.mark.parametrize(
    ("output", "ok"),
    [
        ("Error: user not found", False),
        ("Unknown action get_user", False),
        ("Unknown action other", None),  # only the name that was called is the environment's sentence
        ("No Error: here", None),
        ("", None),
    ],
)
def test_how_a_tool_went(output: str, ok: bool | None) -> None:
    (found,) = read(run(calling("get_user", "{}"), answered(output)))
    (event,) = found.events
    assert (event.ok, event.output, event.exit_code, event.exit_source) == (ok, output, None, None)


def test_arguments_that_are_no_json_are_kept_as_text() -> None:
    (found,) = read(run(calling("get_user", '{"id": ')))
    assert found.events[0].args == {"arguments": '{"id": '} and found.events[0].output is None


def test_a_result_without_its_call_is_an_orphan() -> None:
    (found,) = read(run(answered("late", identity="c9")))
    assert found.events[0].kind == "tool_result" and found.report.orphan_results == 1


def test_agents_that_act_in_text() -> None:
    (found,) = read(
        run(
            said("system", ACTING),
            said("user", "Book it."),
            said(
                "assistant", 'Thought:\nLook it up. Action: or not.\nAction:\n{"name": "find", "arguments": {"x": 1}}'
            ),
            said("user", "API output: Error: none"),
            said("assistant", 'Thought:\nTell.\nAction:\n{"name": "respond", "arguments": {"content": "None left."}}'),
            said("user", "API output: is what I say myself"),
            said("assistant", "Action:\nI just talk"),
            said("user", "API output: again"),
        )
    )
    shapes = [(e.kind, e.text or e.tool) for e in found.events]
    assert shapes == [
        ("system", ACTING),
        ("prompt", "Book it."),
        ("reasoning", "Look it up. Action: or not."),
        ("tool_call", "find"),
        ("reasoning", "Tell."),
        ("message", "None left."),
        ("prompt", "API output: is what I say myself"),
        ("message", "I just talk"),
        ("prompt", "API output: again"),
    ]
    call = found.events[3]
    assert (call.args, call.output, call.ok) == ({"x": 1}, "Error: none", False)
    assert found.report.used == 8


def test_other_agents_may_write_as_if_they_acted() -> None:
    text = 'Action:\n{"name": "find", "arguments": {}}'
    (found,) = read(run(said("system", "Policy."), said("assistant", text), said("user", "API output: x")))
    assert [e.kind for e in found.events] == ["system", "message", "prompt"]


@pytest.mark.parametrize(
    ("reward", "answer"), [(1.0, "1"), (0, "0"), (0.25, "0.25"), (None, None), ("1", None), (True, None)]
)
def test_the_reward_is_a_label_and_no_event(reward: Any, answer: str | None) -> None:
    (found,) = read(run(said("user", "Hi"), reward=reward))
    assert found.recorded == (() if answer is None else (Recorded("reward", answer, "environment"),))


def test_what_the_reward_was_made_of() -> None:
    info = {"reward_info": {"reward": 0.0, "info": {"r_outputs": 0.0, "outputs": {"a": False}}, "actions": []}}
    (found,) = read(run(info=info))
    assert found.recorded == (Recorded("reward", "0", "environment", detail="r_outputs 0"),)


def test_a_run_that_broke_is_told_from_one_that_failed() -> None:
    (found,) = read(run(info={"error": "rate limit", "traceback": "..."}))
    assert found.partial == "the run ended in an error: rate limit" and found.events == ()
    assert found.recorded == (Recorded("reward", "0", "environment"),)


def test_what_cannot_be_read_is_counted() -> None:
    good, no_run, no_list = read(
        run(said("user", "Hi"), "torn", said("critic", "?")), 7, run(traj="gone") | {"traj": 5}
    )
    assert (good.report.malformed, good.report.unknown, good.report.used) == ([2], {"critic": 1}, 1)
    assert no_run.partial == "entry 2 of the list cannot be read as a run" and no_run.report.malformed == [2]
    assert (no_list.task, no_list.trial, no_list.report.malformed) == ("3", 1, [3])
    with pytest.raises(ValueError, match="a list of runs"):
        list(tau_bench.read(io.BytesIO(b"{}")))


def test_it_is_told_from_the_others() -> None:
    assert tau_bench.FORMAT.speaks([run()]) and not tau_bench.FORMAT.speaks([])
    assert not tau_bench.FORMAT.speaks([{"task_id": 1, "trial": 0}])
    for path, document in foreign_documents("tau_bench/*"):
        assert not tau_bench.FORMAT.speaks(document), path


def test_the_real_file() -> None:
    (path,) = samples("tau_bench/*.json")
    raw = json.loads(path.read_bytes())
    assert tau_bench.FORMAT.speaks(raw)
    with path.open("rb") as stream:
        found = list(tau_bench.read(stream))
    assert len(found) == len(raw) == 12
    for session, entry in zip(found, raw, strict=True):
        assert_sound(session)
        roles = [message["role"] for message in entry["traj"]]
        calls = [call for message in entry["traj"] for call in message.get("tool_calls") or []]
        spoken = [m for m in entry["traj"] if m["role"] == "assistant" and (m["content"] or "").strip()]
        kinds = [event.kind for event in session.events]
        assert (session.report.seen, session.report.used) == (len(roles), len(roles))
        assert (kinds.count("prompt"), kinds.count("system")) == (roles.count("user"), roles.count("system"))
        assert (kinds.count("tool_call"), kinds.count("message")) == (len(calls), len(spoken))
        results = [m["content"] for m in entry["traj"] if m["role"] == "tool"]
        assert [e.output for e in session.events if e.kind == "tool_call"] == results
        given_arguments = [json.loads(call["function"]["arguments"]) for call in calls]
        assert [e.args for e in session.events if e.kind == "tool_call"] == given_arguments
        assert (session.task, session.trial) == (str(entry["task_id"]), entry["trial"])
        assert float(session.recorded[0].answer) == entry["reward"]
    assert sum(len(session.events) for session in found) == 263  # 12 system, 80 user, 99 calls, 72 spoken, by the loop
    assert {session.report.orphan_results for session in found} == {0}


WHOLE = [
    run(
        said("system", ACTING),
        said("user", "Hi"),
        said("assistant", 'Thought: x\nAction: {"name": "find", "arguments": {"x": 1}}'),
        said("user", "API output: Error: y"),
    ),
    run(said("system", "s"), calling("t", '{"a": 1}'), answered("o"), said("assistant", "m"), info={"error": "e"}),
]


@NOISE
@given(broken_documents(WHOLE))
def test_any_document_is_read_or_refused(raw: bytes) -> None:
    assert_read_or_refused(tau_bench.read, raw)
