"""Traces of OpenTelemetry: every spelling of the same conversation, what repeats, what ends how, and the books."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest
from otlp_files import export, log, logs, note, only, sessions, span

from bench.schema.event import Event
from bench.traces.otel import FORMATS, read, speaks
from bench.traces.report import Recorded, Session

SHARED = Path(__file__).parents[2] / "shared"
ASK, CALL_ID, ARGUMENTS = "Weather in Paris?", "c1", {"city": "Paris"}


def told(session: Session) -> list[tuple[str, str | None]]:
    return [(e.kind, e.text if e.kind != "tool_call" else e.output) for e in session.events]


def part(text: str) -> dict[str, Any]:
    return {"type": "text", "content": text}


ASKED = {"role": "user", "parts": [part(ASK)]}
CALLED = {
    "role": "assistant",
    "parts": [{"type": "tool_call", "id": CALL_ID, "name": "weather", "arguments": ARGUMENTS}],
}
ANSWERED = {"role": "tool", "parts": [{"type": "tool_call_response", "id": CALL_ID, "response": "rain"}]}
SAID = {"role": "assistant", "parts": [part("It rains.")], "finish_reason": "stop"}
OPERATION = {"gen_ai.operation.name": "chat", "gen_ai.request.model": "m-1"}
FUNCTION = {"name": "weather", "arguments": json.dumps(ARGUMENTS)}
OLD_CALL = {"id": CALL_ID, "type": "function", "function": FUNCTION}


def newest(given: list[Any], answer: Any) -> dict[str, Any]:
    return {
        "about": {
            **OPERATION,
            "gen_ai.input.messages": json.dumps(given),
            "gen_ai.output.messages": json.dumps([answer]),
        }
    }


def structured(given: list[Any], answer: Any) -> dict[str, Any]:
    return {"about": {**OPERATION, "gen_ai.input.messages": given, "gen_ai.output.messages": [answer]}}


def details(given: list[Any], answer: Any) -> dict[str, Any]:
    about = newest(given, answer)["about"]
    return {"about": OPERATION, "events": [note("gen_ai.client.inference.operation.details", about)]}


def old(messages: list[Any]) -> list[dict[str, Any]]:
    """The messages in the form of the chat API."""
    found = []
    for message in messages:
        piece = message["parts"][0]
        if piece["type"] == "text":
            found.append({"role": message["role"], "content": piece["content"]})
        elif piece["type"] == "tool_call":
            found.append({"role": "assistant", "tool_calls": [OLD_CALL]})
        else:
            found.append({"role": "tool", "tool_call_id": CALL_ID, "content": piece["response"]})
    return found


def as_events(given: list[Any], answer: Any) -> dict[str, Any]:
    events = []
    for message in old(given):
        content = {k: v for k, v in message.items() if k not in ("role", "tool_call_id")}
        if message["role"] == "tool":
            content["id"] = CALL_ID
        events.append(note(f"gen_ai.{message['role']}.message", {"gen_ai.event.content": json.dumps(content)}))
    choice = {"index": 0, "message": old([answer])[0]}
    return {
        "about": OPERATION,
        "events": [*events, note("gen_ai.choice", {"gen_ai.event.content": json.dumps(choice)})],
    }


def flat(prefix: str, message: dict[str, Any], middle: str = "", call: str = "", function: str = "") -> dict[str, Any]:
    about = {f"{prefix}.{middle}role": message["role"]}
    if "content" in message:
        about[f"{prefix}.{middle}content"] = message["content"]
    if "tool_call_id" in message:
        about[f"{prefix}.{middle}tool_call_id"] = CALL_ID
    if "tool_calls" in message:
        at = f"{prefix}.{middle}tool_calls.0.{call}"
        about |= {
            f"{at}id": CALL_ID,
            f"{at}{function}name": "weather",
            f"{at}{function}arguments": FUNCTION["arguments"],
        }
    return about


def openinference(given: list[Any], answer: Any) -> dict[str, Any]:
    about: dict[str, Any] = {"openinference.span.kind": "LLM", "llm.model_name": "m-1"}
    spelling = {"middle": "message.", "call": "tool_call.", "function": "function."}
    for index, message in enumerate(old(given)):
        about |= flat(f"llm.input_messages.{index}", message, **spelling)
    return {"about": about | flat("llm.output_messages.0", old([answer])[0], **spelling)}


def openllmetry(given: list[Any], answer: Any) -> dict[str, Any]:
    about: dict[str, Any] = {"llm.request.type": "chat", "gen_ai.response.model": "m-1"}
    for index, message in enumerate(old(given)):
        about |= flat(f"gen_ai.prompt.{index}", message)
    return {"about": about | flat("gen_ai.completion.0", old([answer])[0])}


def oldest(given: list[Any], answer: Any) -> dict[str, Any]:
    about = {"gen_ai.prompt": json.dumps(old(given)), "gen_ai.completion": json.dumps(old([answer]))}
    return {"about": {"gen_ai.system": "openai", "gen_ai.request.model": "m-1", **about}}


def content_events(given: list[Any], answer: Any) -> dict[str, Any]:
    about = oldest(given, answer)["about"]
    return {
        "about": OPERATION,
        "events": [
            note("gen_ai.content.prompt", {"gen_ai.prompt": about["gen_ai.prompt"]}),
            note("gen_ai.content.completion", {"gen_ai.completion": about["gen_ai.completion"]}),
        ],
    }


SPELLINGS = [newest, structured, details, as_events, openinference, openllmetry, oldest, content_events]


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_one_conversation_in_every_spelling(spelling: Any) -> None:
    """Two calls of a model with a tool between them: the second repeats the whole history."""
    found = only(
        export(
            span("second", 4, 5, **spelling([ASKED, CALLED, ANSWERED], SAID)),  # order in the file means nothing
            span("first", 0, 1, **spelling([ASKED], CALLED)),
        )
    )
    assert told(found) == [("prompt", ASK), ("tool_call", "rain"), ("message", "It rains.")]
    prompt, call, message = found.events
    assert (prompt.origin, call.tool, call.args, call.call) == ("unknown", "weather", ARGUMENTS, CALL_ID)
    assert (call.ok, call.exit_code, call.exit_source) == (None, None, None)  # a text says nothing of how it ended
    assert (prompt.ts, message.ts) == ("2026-01-02T12:00:00+00:00", "2026-01-02T12:00:05+00:00")
    assert (found.model, found.id, found.report.orphan_results) == ("m-1", "t1", 0)


def test_messages_as_log_records_of_their_span() -> None:
    body = {"index": 0, "message": {"content": "It rains."}}
    records = [log("gen_ai.user.message", {}, body={"content": ASK}, owner="first")]
    records += [log("gen_ai.choice", {}, body=body, owner="first"), log("gen_ai.choice", {}, body=body, owner="gone")]
    found = only(export(span("first", 0, 1, OPERATION)), logs(*records, log("http", {})))
    assert told(found) == [("prompt", ASK), ("message", "It rains.")]
    assert found.report.skipped == {"log record whose span is not in the file": 1, "log record of no agent": 1}


TOOL = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "weather", "gen_ai.tool.call.id": CALL_ID}
OI_TOOL = {"openinference.span.kind": "TOOL", "tool.name": "weather", "output.value": "rain"}
LOOP_TOOL = {"traceloop.span.kind": "tool", "traceloop.entity.name": "weather", "traceloop.entity.output": "rain"}


@pytest.mark.parametrize(
    ("about", "status", "ok"),
    [
        ({**TOOL, "gen_ai.tool.call.result": "rain"}, 1, True),
        ({**TOOL, "gen_ai.tool.call.result": "rain"}, "STATUS_CODE_OK", True),
        ({**TOOL, "gen_ai.tool.call.result": "rain"}, None, None),  # a status that is not set says nothing
        ({**TOOL, "gen_ai.tool.call.result": "rain", "error.type": "Timeout"}, None, False),
        ({**OI_TOOL, "tool_call.id": CALL_ID}, 2, False),
        ({**OI_TOOL, "tool.parameters": json.dumps(ARGUMENTS)}, 1, True),  # no id: the arguments tell
        (OI_TOOL, 1, True),  # nor arguments: one call of this tool waits
        (LOOP_TOOL, 1, True),
    ],
)
def test_the_span_of_a_tool_is_the_end_of_the_call(about: dict[str, Any], status: Any, ok: bool | None) -> None:
    first, tool = span("first", 0, 1, **newest([ASKED], CALLED)), span("tool", 2, 3, about, status=status)
    found = only(export(first, tool, span("second", 4, 5, **newest([ASKED, CALLED, ANSWERED], SAID))))
    assert told(found) == [("prompt", ASK), ("tool_call", "rain"), ("message", "It rains.")]
    assert found.events[1].ok is ok
    assert found.report.used == 3


def test_two_calls_that_look_alike_are_not_guessed_at() -> None:
    twice = {"role": "assistant", "parts": [{**CALLED["parts"][0], "id": i} for i in ("a", "b")]}  # type: ignore[dict-item]
    found = only(export(span("first", 0, 1, **newest([ASKED], twice)), span("tool", 2, 3, OI_TOOL)))
    assert [(e.call, e.output) for e in found.events if e.kind == "tool_call"] == [
        ("a", None),
        ("b", None),
        ("span tool", "rain"),
    ]


@pytest.mark.parametrize(
    ("name", "given", "command"),
    [
        ("bash", {"command": "make", "timeout": 5}, "make"),
        ("exec_command", {"cmd": "make"}, "make"),
        ("shell", {"command": ["sh", "-c", "make all"]}, "sh -c 'make all'"),
        ("weather", {"command": "make"}, None),
        ("bash", {"command": ""}, None),
    ],
)
def test_a_shell_and_its_code(name: str, given: Any, command: str | None) -> None:
    about = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": name, "process.exit.code": 2}
    (event,) = only(export(span("tool", 0, 1, {**about, "gen_ai.tool.call.arguments": json.dumps(given)}))).events
    assert (event.kind, event.command) == ("command" if command else "tool_call", command)
    assert (event.exit_code, event.exit_source, event.ok) == (2, "structured", False)


def test_a_command_without_a_code() -> None:
    about = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "bash"}
    given = json.dumps({"command": "make"})
    printed = {"gen_ai.tool.call.arguments": given, "gen_ai.tool.call.result": "Exit code: 7"}
    (event,) = only(export(span("tool", 0, 1, {**about, **printed}, status=1))).events
    assert (event.exit_code, event.exit_source, event.ok) == (None, "none", True)  # printed text is no code


def test_the_same_words_twice_are_two_prompts() -> None:
    def typed(text: str) -> dict[str, Any]:
        return {"role": "user", "parts": [part(text)]}

    yes, more = typed("yes"), {"role": "assistant", "parts": [part("More?")]}
    found = only(
        export(
            span("a", 0, 1, **newest([yes], more)),
            span("b", 2, 3, **newest([yes, more, yes], more)),
            span("c", 4, 5, **newest([yes, more, yes, more, typed("no")], SAID)),
        )
    )
    assert [e.text for e in found.events] == ["yes", "More?", "yes", "More?", "no", "It rains."]


def test_agents_in_agents_and_content_that_two_spans_repeat() -> None:
    agent = {
        **newest([ASKED], SAID)["about"],
        "gen_ai.operation.name": "invoke_agent",
    }
    inner = newest([{"role": "user", "parts": [part("Look it up.")]}], SAID)
    found = only(
        export(
            span("outer", 0, 20, agent),
            span("model", 1, 2, parent="outer", **newest([ASKED], CALLED)),
            span("driver", 1, 2, parent="model", **newest([ASKED], CALLED)),  # a second library, same call
            span("tool", 3, 9, TOOL, parent="outer", status=1),
            span("helper", 4, 8, {"gen_ai.operation.name": "invoke_agent"}, parent="tool"),
            span("its model", 5, 6, parent="helper", **inner),
        )
    )
    shapes = [(e.kind, e.thread, e.origin) for e in found.events]
    assert shapes == [
        ("prompt", "main", "unknown"),
        ("tool_call", "main", None),
        ("prompt", "sub:helper", "injected"),
        ("message", "sub:helper", None),
    ]
    alone = only(export(span("outer", 0, 20, agent)))
    assert told(alone) == [("prompt", ASK), ("message", "It rains.")]  # where no model call tells it


def test_what_the_program_around_the_agent_asks() -> None:
    asked, answered = '{"state": "x"}', '{"answers": {"q": {"noul": 0.9}}}'
    decision = {"openinference.span.kind": "DECISION", "decision.system": "typesafe", "input.value": asked}
    strands = [note("gen_ai.decision.questions", {"gen_ai.decision.questions": ["q"]})]
    found = only(
        export(
            span(
                "whole", 0, 9, {"openinference.span.kind": "CHAIN", "input.value": "Mend it.", "output.value": "Done."}
            ),
            span("decide", 1, 2, {**decision, "output.value": answered}, parent="whole"),
            span("ask", 3, 4, {"gen_ai.operation.name": "decision"}, parent="whole", events=strands),
            span("vectors", 5, 6, {"openinference.span.kind": "EMBEDDING"}, parent="whole"),
            span("GET", 5, 6, {"http.method": "GET"}, parent="whole"),
            span("dream", 5, 6, {"openinference.span.kind": "DREAM"}, parent="whole"),
            span("sing", 5, 6, {"gen_ai.operation.name": "sing"}, parent="whole"),
        )
    )
    assert [(e.kind, e.tool, e.text, e.output) for e in found.events] == [
        ("other", "decision", asked, answered),
        ("other", "decision", '["q"]', None),
    ]
    assert (found.query, found.answer) == ("Mend it.", "Done.")
    assert found.report.unknown == {"DREAM span": 1, "sing span": 1}
    assert found.report.skipped == {"CHAIN span": 1, "EMBEDDING span": 1, "span of no agent": 1}


def test_labels_are_recorded_and_shown_to_no_judge() -> None:
    marks = {
        "annotations.0.annotation.name": "correct",
        "annotations.0.annotation.label": "yes",
        "annotations.0.annotation.annotator_kind": "HUMAN",
        "evaluations.0.evaluation.name": "toxicity",
        "evaluations.0.evaluation.score": 0.5,
        "evaluations.1.evaluation.score": 1,  # without a name
    }
    about = newest([ASKED], SAID)["about"] | marks
    verdict = {"gen_ai.evaluation.name": "relevance", "gen_ai.evaluation.score.value": 4.0}
    found = only(export(span("a", 0, 1, about, events=[note("gen_ai.evaluation.result", verdict)])))
    assert found.recorded == (
        Recorded("relevance", "4.0", "evaluator", (1,)),
        Recorded("correct", "yes", "person", (1,)),
        Recorded("toxicity", "0.5", "evaluator", (1,)),
    )
    assert "toxicity" not in str(found.events)


def test_sessions_by_conversation_else_by_trace_in_the_order_of_time() -> None:
    def turn(name: str, second: int, text: str, **more: str) -> dict[str, Any]:
        about = newest([{"role": "user", "parts": [part(text)]}], SAID)["about"] | {
            k.replace("_", "."): v for k, v in more.items()
        }
        return span(name, second, second + 1, about, trace=f"t-{name}")

    lines = [
        export(turn("late", 8, "late")),
        export(turn("two", 4, "two", session_id="s"), turn("one", 2, "one", session_id="s")),
    ]
    found = sessions(*lines)
    assert [(s.id, [e.text for e in s.events if e.kind == "prompt"]) for s in found] == [
        ("s", ["one", "two"]),
        ("t-late", ["late"]),
    ]
    assert {id(s.report) for s in found} == {id(found[0].report)} and found[0].report.balanced
    assert [e.line for e in found[1].events] == [1, 1]


def test_other_candidates_and_errors() -> None:
    other = {"role": "assistant", "parts": [part("Sun.")]}
    about = {**OPERATION, "gen_ai.output.messages": json.dumps([SAID, other]), "error.type": "Overloaded"}
    found = only(export(span("a", 0, 1, about, status=2)))
    assert told(found) == [("message", "It rains."), ("other", "Sun."), ("system", "error: Overloaded")]


def test_times_and_numbers_that_lie() -> None:
    odd = span("a", 0, 1, **newest([ASKED], SAID))
    odd |= {"startTimeUnixNano": "9" * 19, "endTimeUnixNano": True}
    assert all(e.ts is not None and e.ts.startswith("2286") for e in only(export(odd)).events)
    for bad in (None, -5, "x", "9" * 30, 10**40, 1.5):
        odd |= {"startTimeUnixNano": bad, "endTimeUnixNano": bad}
        assert {e.ts for e in only(export(odd)).events} == {None}
    loop = [span("a", 0, 1, parent="b", **newest([ASKED], SAID)), span("b", 0, 1, OPERATION, parent="a")]
    assert len(only(export(*loop)).events) == 2


def test_the_books_balance_with_torn_lines_and_entries_that_are_no_spans() -> None:
    good = export(span("a", 0, 1, **newest([ASKED], SAID)), 7, None)
    found = only(good, b'{"resourceSpans": [', {"resourceSpans": [{"scopeSpans": []}]}, {"something": "else"})
    report = found.report
    assert (report.seen, report.used, report.malformed, report.unknown) == (
        5,
        1,
        [1, 1, 2],
        {"object that is no export": 1},
    )
    assert report.versions == {"shop 2": 1}


def test_a_document_spread_over_lines_is_the_same_as_one_line() -> None:
    tree = export(span("a", 0, 1, **newest([ASKED], SAID)))
    (spread,) = read(io.BytesIO(json.dumps(tree, indent=2).encode()))
    assert spread.events == only(tree).events
    assert all(Event.model_validate(e.model_dump()) == e for e in spread.events)


@pytest.mark.parametrize(
    "tree", [{}, [], None, {"resourceSpans": []}, {"resourceSpans": [1]}, {"resourceSpans": [{"spans": []}]}]
)
def test_what_is_no_export(tree: Any) -> None:
    assert not speaks(tree)


def test_it_is_read_as_a_document_and_as_lines() -> None:
    assert [(f.name, f.shape, f.reader) for f in FORMATS] == [
        ("otel", "document", "otel@1"),
        ("otel", "lines", "otel@1"),
    ]


@pytest.mark.skipif(not SHARED.is_dir(), reason="../shared is not here")
def test_the_real_export() -> None:
    path = SHARED / "traces/otel/test-traces.json"
    lines = [json.loads(line) for line in path.read_bytes().splitlines() if line.strip()]
    spans = [s for tree in lines for r in tree["resourceSpans"] for c in r["scopeSpans"] for s in c["spans"]]
    agents = [
        s for s in spans if any(a["key"].startswith(("gen_ai", "openinference", "llm.")) for a in s["attributes"])
    ]
    with path.open("rb") as stream:
        (found,) = read(stream)
    assert (len(spans), len(agents)) == (2, 0)  # a test of the exporter: no span of it is an agent's
    assert found.events == () and found.report.balanced
    assert (found.report.seen, found.report.skipped) == (2, {"span of no agent": 2})
