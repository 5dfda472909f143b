"""The events of one ATIF step. Reader and writer share it: the writer keeps apart just what this would not give back.

The writer's own key in ``extra``: ``events``, for each event of the step the fields in which it differs from what the
step says by itself, and ``first``, the number of the step's first event where several agents take turns.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pydantic import JsonValue, ValidationError

from bench.schema.event import Event, Kind
from bench.traces.calls import call_fields
from bench.traces.codex_results import flatten
from bench.traces.lines import JsonObject, list_at, object_at, text_at

OURS = "lessonbench"
_TYPING = "bash_command"  # of Harbor's own agent: it types into a terminal, and reads one screen for all its calls
_EXIT_CODES = ("exit_code", "exitCode", "return_code", "returncode")


@dataclass(frozen=True)
class Decoded:
    """What a step says: its events, and the results of calls that are no calls of this step."""

    events: tuple[Event, ...]
    late: tuple[Event, ...] = ()
    first: int | None = None


def decode(step: JsonObject, base: Event) -> Decoded:
    """The events of a step. ``base`` holds what they share."""
    source = text_at(step, "source")
    if source == "agent":
        plain = _agent(step, base)
    elif source == "user":
        plain = Decoded(_said(base, "prompt", step.get("message"), origin="unknown"))
    else:
        plain = Decoded(_system(step, base))
    ours = object_at(object_at(step, "extra"), OURS)
    changes, first = ours.get("events"), ours.get("first")
    if not isinstance(changes, list):
        return plain
    number = first if isinstance(first, int) and not isinstance(first, bool) else None
    return Decoded(_changed(plain.events, changes, base), plain.late, number)


def _changed(events: Sequence[Event], changes: Sequence[JsonValue], base: Event) -> tuple[Event, ...]:
    starts = events if len(events) == len(changes) else [base] * len(changes)
    found = []
    for start, change in zip(starts, changes, strict=True):
        fields = {**start.model_dump(), **(change if isinstance(change, dict) else {})}
        try:
            found.append(Event.model_validate(fields))
        except (ValidationError, RecursionError):
            found.append(start)
    return tuple(found)


def _system(step: JsonObject, base: Event) -> tuple[Event, ...]:
    results = [flatten(result.get("content")) for result in _results(step)]
    if object_at(object_at(step, "extra"), "context_management").get("type") == "compaction":
        text = "\n".join(results) if results else None
        return (base.model_copy(update={"kind": "compaction", "text": text}),)
    noted = [event for result in results for event in _said(base, "system", result)]
    return (*_said(base, "system", step.get("message")), *noted)


def _agent(step: JsonObject, base: Event) -> Decoded:
    said = (*_said(base, "reasoning", step.get("reasoning_content")), *_said(base, "message", step.get("message")))
    calls = [
        base.model_copy(update=_call_fields(call)) for call in list_at(step, "tool_calls") if isinstance(call, dict)
    ]
    waiting = list(range(len(calls)))
    loose: list[Event] = []
    late: list[Event] = []
    for result in _results(step):
        call = text_at(result, "source_call_id")
        place = next((place for place in waiting if call is not None and calls[place].call == call), None)
        if place is not None:
            waiting.remove(place)
            calls[place] = calls[place].model_copy(update=_result_fields(result, calls[place]))
        elif result.get("content") is not None:
            orphan = base.model_copy(update={"kind": "tool_result", "call": call, **_result_fields(result, None)})
            (loose if call is None else late).append(orphan)
    if len(calls) == 1 and object_at(step, "extra").get("tool_result_is_error") is True and calls[0].ok is None:
        calls = [calls[0].model_copy(update={"ok": False})]  # Harbor's own way to say so, a call a step
    return Decoded((*said, *calls, *loose), tuple(late))


def _result_fields(result: JsonObject, call: Event | None) -> dict[str, object]:
    """How a call ended. The format has no field for it: exit code and error flag stand in ``extra``, if anywhere."""
    extra, content = object_at(result, "extra"), result.get("content")
    codes = [extra[name] for name in _EXIT_CODES if name in extra]
    code = codes[0] if codes and isinstance(codes[0], int) and not isinstance(codes[0], bool) else None
    fields: dict[str, object] = {"output": None if content is None else flatten(content)}
    if code is not None:
        return fields | {"exit_code": code, "exit_source": "structured", "ok": code == 0}
    if call is not None and call.kind == "command":
        fields["exit_source"] = "none"
    return fields | ({"ok": False} if extra.get("is_error") is True else {})


def _call_fields(call: JsonObject) -> dict[str, object]:
    fields = call_fields(text_at(call, "function_name"), call.get("arguments"), text_at(call, "tool_call_id"))
    arguments = fields["args"]
    if fields["tool"] == _TYPING and isinstance(arguments, dict):
        word = next((word for word in ("keystrokes", "command") if isinstance(arguments.get(word), str)), None)
        if word is not None and arguments[word].strip():
            rest = {name: value for name, value in arguments.items() if name != word}
            typed = {"kind": "command", "command": arguments[word], "args": rest or None, "exit_source": "none"}
            return fields | typed
    return fields


def _results(step: JsonObject) -> list[JsonObject]:
    return [result for result in list_at(object_at(step, "observation"), "results") if isinstance(result, dict)]


def _said(base: Event, kind: Kind, content: JsonValue, origin: str | None = None) -> tuple[Event, ...]:
    text = flatten(content)
    return (base.model_copy(update={"kind": kind, "text": text, "origin": origin}),) if text.strip() else ()
