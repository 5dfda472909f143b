"""Import of plain chats: the messages that were sent to a model, as one JSON document.

Two dialects, told apart by block: OpenAI's chat completions (``tool_calls``, role ``tool``, and the older
``function_call``) and Anthropic's messages (``tool_use`` and ``tool_result`` blocks). Sources: the message types of the
PyPI packages ``openai`` and ``anthropic``. The document is a list of messages, an object with ``messages`` (and
``system``, ``model``, ``id``), or a list of such objects, each a session of its own with its own report.

One record is one message, and the system text beside the messages is one; positions count from 1 in each session.
A chat never says who wrote a ``user`` message, so the origin is unknown; it holds no exit code; a result that is not
marked as an error may be one all the same, unless Anthropic's ``is_error`` says false. It knows no approval.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterable, Iterator
from typing import BinaryIO

from pydantic import JsonValue

from bench.schema.event import Event, Kind
from bench.traces import mini_swe_agent
from bench.traces.calls import call_fields
from bench.traces.codex_results import flatten
from bench.traces.documents import read_document
from bench.traces.lines import JsonObject, Line, list_at, object_at, text_at
from bench.traces.report import Format, ImportReport, Session
from bench.traces.transcript import Result, Transcript, account, moment_of

NAME = "chat"
_ROLES = frozenset({"system", "developer", "user", "assistant", "tool", "function"})
_KEYS = frozenset(
    {
        "annotations",
        "audio",
        "content",
        "created_at",
        "function_call",
        "id",
        "index",
        "name",
        "reasoning",
        "reasoning_content",
        "reasoning_details",
        "refusal",
        "role",
        "thinking",
        "timestamp",
        "tool_call_id",
        "tool_calls",
        "tool_name",
        "weight",
    }
)
_SAID = ("content", "tool_calls", "function_call")
_THOUGHT = ("reasoning_content", "reasoning", "thinking")
_CALLS = frozenset({"tool_use", "server_tool_use", "mcp_tool_use"})
_TEXTS = frozenset({"text", "input_text", "output_text"})
_SILENT = frozenset({"redacted_thinking"})
_LOOKED_AT = 50  # messages that tell whether a list is a chat
KNOWN = frozenset(f"message/{role}" for role in _ROLES)


def speaks(document: JsonValue) -> bool:
    """Whether a document is a plain chat, and of no harness that adds fields of its own."""
    if mini_swe_agent.speaks(document):
        return False
    if isinstance(document, list) and document:
        return _all_messages(document) or all(is_conversation(entry) for entry in document[:_LOOKED_AT])
    return is_conversation(document)


def is_message(value: JsonValue) -> bool:
    """Whether a value is a message of a plain chat."""
    return (
        isinstance(value, dict)
        and text_at(value, "role") in _ROLES
        and _KEYS.issuperset(value)
        and any(key in value for key in _SAID)
    )


def is_conversation(value: JsonValue) -> bool:
    """Whether a value is an object around the messages of a plain chat."""
    if not isinstance(value, dict) or "info" in value or "trajectory_format" in value:
        return False
    return _all_messages(list_at(value, "messages"))


def read(stream: BinaryIO) -> Iterator[Session]:
    """The sessions of a document, one by one."""
    document = read_document(stream)
    if isinstance(document, dict):
        yield conversation(document, ImportReport(format=NAME))
    elif isinstance(document, list):
        if document and all(isinstance(entry, dict) and "messages" in entry for entry in document):
            for entry in document:
                yield conversation(entry if isinstance(entry, dict) else {}, ImportReport(format=NAME))
        else:
            yield session_of((_line(n, entry) for n, entry in enumerate(document, start=1)), ImportReport(format=NAME))
    else:
        raise ValueError("a chat is a list of messages or an object that holds one, and this document is neither")


def conversation(value: JsonObject, report: ImportReport, line: int | None = None) -> Session:
    """The session of an object with ``messages``; every record stands on ``line`` where that is given."""
    messages = list(list_at(value, "messages"))
    if value.get("system"):
        messages.insert(0, {"role": "system", "content": value["system"]})
    lines = (_line(number if line is None else line, entry) for number, entry in enumerate(messages, start=1))
    return session_of(lines, report, model=text_at(value, "model"), id=text_at(value, "id"))


def session_of(
    lines: Iterable[Line], report: ImportReport, *, model: str | None = None, id: str | None = None
) -> Session:
    """The session of some messages, booked into a report that may hold others already."""
    importer, before = _Importer(), report.orphan_results
    account(lines, report, importer.transcript, importer.take, KNOWN)
    report.orphan_results += before
    return Session(NAME, tuple(importer.transcript.events), report, model=model, id=id)


def _line(number: int, entry: JsonValue) -> Line:
    return Line(number, entry if isinstance(entry, dict) else None)


def _all_messages(values: list[JsonValue]) -> bool:
    return bool(values) and all(is_message(value) for value in values[:_LOOKED_AT])


class _Importer:
    """One pass over the messages of a chat."""

    def __init__(self) -> None:
        self.transcript = Transcript()
        self._nameless: dict[str, deque[int]] = defaultdict(deque)  # calls without an id, by the function's name

    def take(self, number: int, message: JsonObject) -> str:
        """Turn one message into events, and say what type of message it was."""
        role = text_at(message, "role") or "(no role)"
        moment = moment_of(message.get("timestamp")) or moment_of(message.get("created_at"))
        base = Event(kind="other", ts=moment, line=number)
        match role:
            case "system" | "developer":
                self._add(base, "system", flatten(message.get("content")))
            case "user":
                self._user(base, message.get("content"))
            case "assistant":
                self._assistant(base, message)
            case "tool":
                name = text_at(message, "name") or text_at(message, "tool_name")
                self._result(base, text_at(message, "tool_call_id"), name, message)
            case "function":
                self._function_result(base, message)
        return f"message/{role}"

    def _user(self, base: Event, content: JsonValue) -> None:
        typed: list[JsonValue] = []
        for block in content if isinstance(content, list) else [content]:
            if isinstance(block, dict) and _is_result(block):
                self._result(base, text_at(block, "tool_use_id"), None, block)
            else:
                typed.append(block)
        text = flatten(typed if isinstance(content, list) else content)
        if text.strip():
            self.transcript.add(base.model_copy(update={"kind": "prompt", "text": text, "origin": "unknown"}))

    def _assistant(self, base: Event, message: JsonObject) -> None:
        thought = next((text for key in _THOUGHT if (text := text_at(message, key))), "")
        self._add(base, "reasoning", thought)
        content = message.get("content")
        for block in content if isinstance(content, list) else [content]:
            self._block(base, block)
        self._add(base, "message", text_at(message, "refusal") or "")
        for call in list_at(message, "tool_calls"):
            if isinstance(call, dict):
                self._call(base, call)
        if function := object_at(message, "function_call"):
            name = text_at(function, "name")
            self._nameless[name or ""].append(len(self.transcript.events))
            self.transcript.add(base.model_copy(update=call_fields(name, function.get("arguments"), None)))

    def _block(self, base: Event, block: JsonValue) -> None:
        kind = text_at(block, "type") if isinstance(block, dict) else None
        if not isinstance(block, dict) or kind in _TEXTS:
            self._add(base, "message", flatten(block if isinstance(block, str) or block is None else [block]))
        elif kind in ("thinking", "reasoning"):
            self._add(base, "reasoning", text_at(block, "thinking") or text_at(block, "text") or "")
        elif kind == "refusal":
            self._add(base, "message", text_at(block, "refusal") or "")
        elif kind in _CALLS:
            fields = call_fields(text_at(block, "name"), block.get("input"), text_at(block, "id"))
            self.transcript.add_call(base.model_copy(update=fields))
        elif _is_result(block):
            self._result(base, text_at(block, "tool_use_id"), None, block)
        elif kind not in _SILENT:
            self._add(base, "other", flatten([block]))

    def _call(self, base: Event, call: JsonObject) -> None:
        custom = object_at(call, "custom")
        function = custom or object_at(call, "function")
        arguments = custom.get("input") if custom else function.get("arguments")
        fields = call_fields(text_at(function, "name"), arguments, text_at(call, "id"))
        self.transcript.add_call(base.model_copy(update=fields))

    def _result(self, base: Event, call: str | None, tool: str | None, holder: JsonObject) -> None:
        output, started = flatten(holder.get("content")), self.transcript.called(call)
        shell = started is not None and started.kind == "command"
        flag = holder.get("is_error")
        # A command of which no error is told may have failed: the flag is about the call.
        ok = False if flag is True else True if flag is False and not shell else None
        if not self.transcript.answer(call, Result(output, ok=ok, exit_source="none" if shell else None)):
            orphan = {"kind": "tool_result", "call": call, "tool": tool, "output": output, "ok": ok}
            self.transcript.add_orphan(base.model_copy(update=orphan))

    def _function_result(self, base: Event, message: JsonObject) -> None:
        name, output = text_at(message, "name"), flatten(message.get("content"))
        if waiting := self._nameless.get(name or ""):
            place = waiting.popleft()
            self.transcript.events[place] = self.transcript.events[place].model_copy(update={"output": output})
            self.transcript.changes += 1
        else:
            orphan = {"kind": "tool_result", "tool": name, "output": output}
            self.transcript.add_orphan(base.model_copy(update=orphan))

    def _add(self, base: Event, kind: Kind, text: str) -> None:
        if text.strip():
            self.transcript.add(base.model_copy(update={"kind": kind, "text": text}))


def _is_result(block: JsonObject) -> bool:
    return (text_at(block, "type") or "").endswith("tool_result")


FORMAT = Format(NAME, f"{NAME}@1", "document", speaks, read)
