"""Messages of Anthropic-style blocks, for harnesses whose lines are little more than that: Cursor and Factory Droid."""

from __future__ import annotations

from pydantic import JsonValue

from bench.schema.event import Event, Kind
from bench.traces.codex_results import flatten
from bench.traces.gatherer import Gatherer, arguments_of, as_json, call_fields
from bench.traces.lines import JsonObject, text_at
from bench.traces.transcript import Result

_MEDIA = frozenset({"image", "document", "file"})
PLACES = frozenset(f"[{name}]" for name in _MEDIA)


def blocks_of(message: JsonObject) -> list[JsonValue]:
    """The blocks of a message; a plain text is one block."""
    content = message.get("content")
    return content if isinstance(content, list) else [] if content is None else [content]


def texts_of_user(gatherer: Gatherer, base: Event, blocks: list[JsonValue]) -> list[str]:
    """The texts under the user's name. Results are given to their calls, and media keep only their place."""
    texts: list[str] = []
    for block in blocks:
        name = _name(block)
        if isinstance(block, str):
            texts.append(block)
        elif isinstance(block, dict) and name == "text":
            texts.append(text_at(block, "text") or "")
        elif name in _MEDIA:
            texts.append(f"[{name}]")
        elif isinstance(block, dict) and name == "tool_result":
            give_result(gatherer, base, block)
        else:
            gatherer.say(base, "other", as_json(block))
    return texts


def add_assistant(gatherer: Gatherer, base: Event, blocks: list[JsonValue], shells: frozenset[str]) -> None:
    """What the agent said, thought and called."""
    for block in blocks:
        name = _name(block)
        if isinstance(block, str):
            gatherer.say(base, "message", block)
        elif not isinstance(block, dict) or name not in _SPOKEN:
            if name not in _SILENT:
                gatherer.say(base, "other", as_json(block))
        elif name == "tool_use":
            arguments = arguments_of(block.get("input"))
            gatherer.call(base, call_fields(text_at(block, "id"), text_at(block, "name"), arguments, shells))
        elif name == "tool_result":
            give_result(gatherer, base, block)
        else:
            kind, key = _SPOKEN[name]
            gatherer.say(base, kind, text_at(block, key))


def give_result(gatherer: Gatherer, base: Event, block: JsonObject) -> None:
    """An error flag is all that these harnesses record: a shell's call that went through tells no exit code."""
    call, output, failed = text_at(block, "tool_use_id"), flatten(block.get("content")), block.get("is_error")
    started = gatherer.transcript.called(call)
    if started is not None and started.kind == "command":
        result = Result(output, ok=False if failed is True else None, exit_source="none")
    else:
        result = Result(output, ok=not failed if isinstance(failed, bool) else None)
    gatherer.answer(base, call, result)


_SPOKEN: dict[str, tuple[Kind, str]] = {
    "text": ("message", "text"),
    "thinking": ("reasoning", "thinking"),
    "tool_use": ("tool_call", "name"),
    "tool_result": ("tool_result", "content"),
}
_SILENT = frozenset({"redacted_thinking"})


def _name(block: JsonValue) -> str:
    return (text_at(block, "type") or "(no type)") if isinstance(block, dict) else "(no block)"
