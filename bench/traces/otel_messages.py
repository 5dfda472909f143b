"""What was said to a model and by it, as a span records it: one shape for a dozen spellings.

Sources: open-telemetry/semantic-conventions(-genai) (``gen_ai.input.messages`` since 1.37; events ``gen_ai.user.message``,
``gen_ai.choice`` from 1.27 to 1.36; ``gen_ai.prompt`` and ``gen_ai.content.prompt`` before), Arize-ai/openinference
``spec/`` (``llm.input_messages.0.message.role``), traceloop/openllmetry (``gen_ai.prompt.0.content``).
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

from pydantic import JsonValue

from bench.traces.calls import as_text
from bench.traces.lines import JsonObject, list_at, object_at, parse, text_at
from bench.traces.otlp import Attributes, Note, Span

_DETAILS = "gen_ai.client.inference.operation.details"
_ROLES = {
    "gen_ai.system.message": "system",
    "gen_ai.user.message": "user",
    "gen_ai.assistant.message": "assistant",
    "gen_ai.tool.message": "tool",
}
_CONTENT_EVENTS = {"gen_ai.content.prompt": "gen_ai.prompt", "gen_ai.content.completion": "gen_ai.completion"}
NOTES = frozenset({_DETAILS, "gen_ai.choice", *_ROLES, *_CONTENT_EVENTS})  # events that carry messages


@dataclass(frozen=True)
class Part:
    """One piece of a message."""

    kind: Literal["text", "reasoning", "call", "result"]
    role: str
    text: str = ""
    call: str | None = None
    tool: str | None = None
    arguments: JsonValue = None
    other_choice: bool = False  # a candidate answer beside the first one

    @property
    def key(self) -> tuple[str, ...]:
        """What makes it the same piece when a later call repeats the history."""
        if self.kind == "call":
            return "call", self.call or f"{self.tool} {json.dumps(self.arguments, sort_keys=True)}"
        return (self.kind, self.call) if self.kind == "result" and self.call else (self.kind, self.role, self.text)


def said(span: Span) -> tuple[list[Part], list[Part]]:
    """(what the model was given, what it answered). Of several spellings on one span the newest that is there counts."""
    details = next((note.attributes for note in span.notes if note.name == _DETAILS), {})
    for source in (span.attributes, details):
        given, answered = source.get("gen_ai.input.messages"), source.get("gen_ai.output.messages")
        if given is not None or answered is not None:
            return _parts(_messages(given)), _choices(_messages(answered))
    events = [note for note in span.notes if note.name in _ROLES or note.name == "gen_ai.choice"]
    if events:
        return _of_events(events)
    for given_prefix, answered_prefix in (
        ("llm.input_messages", "llm.output_messages"),
        ("gen_ai.prompt", "gen_ai.completion"),
        ("llm.prompts", "llm.completions"),
    ):
        given, answered = unflatten(span.attributes, given_prefix), unflatten(span.attributes, answered_prefix)
        if given or answered:
            return _parts(given), _parts(answered, "assistant")
    return _oldest(span)


def unflatten(attributes: Attributes, prefix: str) -> list[JsonValue]:
    """The list whose items' fields are attributes of their own: ``prefix.0.field``, in the order of the numbers."""
    tree: JsonObject = {}
    for name, value in attributes.items():
        if name.startswith(f"{prefix}."):
            _plant(tree, name[len(prefix) + 1 :].split("."), value)
    return _as_lists(tree) if isinstance(tree, dict) and tree else []


def _plant(tree: JsonObject, path: list[str], value: JsonValue) -> None:
    for step in path[:-1][:20]:
        below = tree.setdefault(step, {})
        if not isinstance(below, dict):
            return
        tree = below
    tree.setdefault(path[-1], value)


def _as_lists(tree: JsonObject) -> list[JsonValue]:
    numbered = sorted((int(key), key) for key in tree if key.isdecimal() and key.isascii() and len(key) < 8)
    return [_folded(tree[key]) for _, key in numbered]


def _folded(value: JsonValue) -> JsonValue:
    if not isinstance(value, dict):
        return value
    if value and all(key.isdecimal() for key in value):
        return _as_lists(value)
    return {key: _folded(inner) for key, inner in value.items()}


def _messages(value: JsonValue) -> list[JsonValue]:
    """A list of messages, written as such or as JSON text."""
    if isinstance(value, str):
        wrapped = parse(b'{"messages":' + value.encode("utf-8", "replace") + b"}")
        return list_at(wrapped, "messages") if wrapped is not None else []
    return value if isinstance(value, list) else []


def _of_events(events: Iterable[Note]) -> tuple[list[Part], list[Part]]:
    given: list[Part] = []
    answered: list[Part] = []
    for note in events:
        message = _body(note)
        if note.name == "gen_ai.choice":
            inner = message.get("message")
            inner = inner if isinstance(inner, dict) else _object(inner) or message
            later = message.get("index") not in (None, 0, "0")
            answered += _parts([{**inner, "role": "assistant"}], other_choice=later)
        else:
            called = message.get("id") if note.name == "gen_ai.tool.message" else None
            known = {"tool_call_id": called} if called is not None else {}
            given += _parts([{**message, **known, "role": text_at(message, "role") or _ROLES[note.name]}])
    return given, answered


def _body(note: Note) -> JsonObject:
    """The message of an event: its body, JSON text in one attribute, or the attributes themselves."""
    if isinstance(note.body, dict):
        return note.body
    return _object(note.attributes.get("gen_ai.event.content")) or note.attributes


def _oldest(span: Span) -> tuple[list[Part], list[Part]]:
    """``gen_ai.prompt`` as one attribute, on the span or on an event of it."""
    found: dict[str, JsonValue] = {
        key: span.attributes[key] for key in _CONTENT_EVENTS.values() if key in span.attributes
    }
    for note in span.notes:
        if (key := _CONTENT_EVENTS.get(note.name)) is not None:
            found.setdefault(key, note.attributes.get(key))
    sides = []
    for key, role in (("gen_ai.prompt", "user"), ("gen_ai.completion", "assistant")):
        value = found.get(key)
        plain: list[JsonValue] = [{"role": role, "content": value}] if isinstance(value, str) and value else []
        sides.append(_parts(_messages(value) or plain, role))
    return sides[0], sides[1]


def _choices(messages: list[JsonValue]) -> list[Part]:
    """The convention has one message a candidate answer: the first one is what the agent went on with."""
    return [*_parts(messages[:1], "assistant"), *_parts(messages[1:], "assistant", other_choice=True)]


def _parts(messages: list[JsonValue], role: str = "user", *, other_choice: bool = False) -> list[Part]:
    return [
        Part(**{**vars(part), "other_choice": other_choice})
        for message in messages
        if isinstance(message, dict)
        for part in _of_message(message, role)
    ]


def _of_message(message: JsonObject, default: str) -> Iterator[Part]:
    inner = message.get("message")
    message = inner if isinstance(inner, dict) else message  # OpenInference has one more level
    role = text_at(message, "role") or default
    called = text_at(message, "tool_call_id") or (text_at(message, "id") if role == "tool" else None)
    pieces = list_at(message, "parts") or list_at(message, "contents")
    content = message.get("content")
    if not pieces:
        pieces = content if isinstance(content, list) else [content]
    for piece in pieces:
        yield from _piece(piece, role, called)
    for call in list_at(message, "tool_calls"):
        if isinstance(call, dict):
            yield _call(call, role)


def _piece(piece: JsonValue, role: str, called: str | None) -> Iterator[Part]:
    if isinstance(piece, str | None):
        if piece and role == "tool":
            yield Part("result", role, piece, called)
        elif piece:
            yield Part("text", role, piece)
        return
    if not isinstance(piece, dict):
        return
    inner = piece.get("message_content")
    piece = inner if isinstance(inner, dict) else piece
    match text_at(piece, "type"):
        case "tool_call" | "server_tool_call" | "tool_use":
            yield _call(piece, role)
        case "tool_call_response" | "server_tool_call_response" | "tool_result":
            value = next(
                (piece[k] for k in ("response", "result", "content", "server_tool_call_response") if k in piece), None
            )
            answered = text_at(piece, "id") or text_at(piece, "tool_use_id") or called
            yield Part("result", "tool", as_text(value) or "", answered)
        case "reasoning" | "thinking":
            yield Part("reasoning", role, _text(piece))
        case "text" | None if role == "tool":
            yield Part("result", role, _text(piece), called)
        case "text" | None:
            yield Part("text", role, _text(piece))
        case other:
            yield Part("text", role, f"[{text_at(piece, 'modality') or other}]")


def _call(piece: JsonObject, role: str) -> Part:
    inner = piece.get("tool_call")
    piece = inner if isinstance(inner, dict) else piece
    function = object_at(piece, "function")
    arguments = next(
        (found for source in (piece, function) for k in ("arguments", "input") if (found := source.get(k)) is not None),
        piece.get("server_tool_call"),
    )
    if isinstance(arguments, str):
        arguments = _object(arguments) or arguments
    name = text_at(piece, "name") or text_at(function, "name")
    return Part("call", role, call=text_at(piece, "id"), tool=name, arguments=arguments)


def _text(piece: JsonObject) -> str:
    return next((text for key in ("content", "text", "thinking") if (text := text_at(piece, key)) is not None), "")


def _object(value: JsonValue) -> JsonObject | None:
    if isinstance(value, dict):
        return value
    return parse(value.encode("utf-8", "replace")) if isinstance(value, str) and value.lstrip()[:1] == "{" else None
