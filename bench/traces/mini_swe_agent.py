"""Import of a trajectory of mini-swe-agent, versions 1 and 2: a list of messages, bare or under ``messages``.

Sources: ``agents/default.py``, ``agents/interactive.py``, ``models/utils/actions_*.py`` and ``config/*.yaml`` of
github.com/SWE-agent/mini-swe-agent (2.4.6, and the 1.x of the repository's history).

One record is one message. Version 2 holds actions, exit code and output of each command in ``extra`` (structured); version
1 only the text that was sent to the model, which begins with ``<returncode>N</returncode>`` (text). Where a command timed
out or was not run, the code is a placeholder of -1 and none is given. The first ``user`` message is the task in the
harness's template (injected); what a person types while the agent runs is told by ``interrupt_type`` in version 2,
in version 1 by the sentence of the harness (inferred). Templates are configurable: one that does not print the code leaves
none. Who answered a confirmation with yes is not recorded.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import BinaryIO

from pydantic import JsonValue

from bench.schema.event import Approval, Event, Kind
from bench.traces.calls import call_fields
from bench.traces.codex_results import flatten
from bench.traces.documents import read_document
from bench.traces.lines import JsonObject, Line, list_at, object_at, text_at
from bench.traces.mini_swe_results import CODE, SUBMITTING, Told, actions_in, moment_at, result_of, told_by
from bench.traces.report import Format, ImportReport, Session
from bench.traces.transcript import Result, Transcript, account

NAME = "mini-swe-agent"
_ROLES = ("system", "user", "assistant", "tool", "exit")
_KNOWN = frozenset({*(f"message/{role}" for role in _ROLES), "message/function_call_output", "message/response"})
_LOOKED_AT = 50


def speaks(document: JsonValue) -> bool:
    """Whether a document is a trajectory of this agent; a bare list only where a result bears its mark."""
    if isinstance(document, dict):
        named = (text_at(document, "trajectory_format") or "").startswith("mini-swe-agent")
        version = isinstance(object_at(document, "info").get("mini_version"), str)
        return isinstance(document.get("messages"), list) and (named or version)
    if not isinstance(document, list) or not document:
        return False
    head = document[:_LOOKED_AT]
    plain = all(isinstance(entry, dict) and text_at(entry, "role") in _ROLES for entry in head)
    return plain and any(isinstance(entry, dict) and _bears_code(entry) for entry in head)


def read(stream: BinaryIO) -> Iterator[Session]:
    """The one session of a file."""
    document = read_document(stream)
    if not isinstance(document, dict | list):
        raise ValueError("a trajectory of mini-swe-agent is a list of messages or an object that holds one")
    whole = document if isinstance(document, dict) else {}
    messages = list_at(whole, "messages") if isinstance(document, dict) else document
    report, importer = ImportReport(format=NAME), _Importer(len(messages))
    lines = (Line(n, entry if isinstance(entry, dict) else None) for n, entry in enumerate(messages, start=1))
    account(lines, report, importer.transcript, importer.take, _KNOWN)
    info = object_at(whole, "info")
    for version in (text_at(info, "mini_version"), text_at(whole, "trajectory_format")):
        if version:
            report.versions[version] += 1
    yield Session(
        NAME,
        tuple(importer.transcript.events),
        report,
        model=text_at(object_at(object_at(info, "config"), "model"), "model_name"),
        task=text_at(whole, "instance_id"),
        answer=text_at(info, "submission") or importer.submission,
    )


class _Importer:
    """One pass over the messages."""

    def __init__(self, messages: int) -> None:
        self.transcript = Transcript()
        self.submission: str | None = None
        self._last = messages
        self._begun = False  # the agent has spoken
        self._asked = False  # the task was given
        self._turn: list[int] = []  # the commands of the last message that held any
        self._open: list[int] = []  # those of them without a result

    def take(self, number: int, message: JsonObject) -> str:
        """Turn one message into events, and say what type of message it was."""
        extra = object_at(message, "extra")
        base = Event(kind="other", ts=moment_at(message, extra), line=number)
        if message.get("type") == "function_call_output":
            self._result(base, text_at(message, "call_id"), message, flatten(message.get("output")))
            return "message/function_call_output"
        if message.get("object") == "response" and "role" not in message:
            self._response(base, message)
            return "message/response"
        role, content = text_at(message, "role") or "(no role)", flatten(message.get("content"))
        match role:
            case "system":
                self._add(base, "system", content)
            case "assistant":
                self._assistant(base, message, content)
            case "tool":
                self._result(base, text_at(message, "tool_call_id"), message, content)
            case "user":
                self._user(base, message, content)
            case "exit":
                status = text_at(extra, "exit_status") or "exit"
                self.submission = text_at(extra, "submission")
                self._add(base, "system", status if content in ("", status) else f"{status}: {content}")
        return f"message/{role}"

    def _assistant(self, base: Event, message: JsonObject, content: str) -> None:
        self._begun, self._turn, self._open = True, [], []
        self._add(base, "reasoning", text_at(message, "reasoning_content") or "")
        self._add(base, "message", content)
        calls = [call for call in list_at(message, "tool_calls") if isinstance(call, dict)]
        actions = list_at(object_at(message, "extra"), "actions")
        if actions:
            self._commands(base, actions)
        elif calls:
            self._start(base, [_function_fields(call) for call in calls])
        else:
            self._commands(base, [{"command": command} for command in actions_in(content)])

    def _response(self, base: Event, message: JsonObject) -> None:
        """One answer of OpenAI's Responses API, which has items instead of a role."""
        self._begun, self._turn, self._open = True, [], []
        for item in list_at(message, "output"):
            if isinstance(item, dict) and item.get("type") == "message":
                self._add(base, "message", flatten(item.get("content")))
            elif isinstance(item, dict) and item.get("type") == "reasoning":
                self._add(base, "reasoning", flatten(list_at(item, "summary") or list_at(item, "content")))
        self._commands(base, list_at(object_at(message, "extra"), "actions"))

    def _user(self, base: Event, message: JsonObject, content: str) -> None:
        extra = object_at(message, "extra")
        told = told_by(extra, content, self._begun and base.line != self._last)
        if self._turn and ("returncode" in extra or CODE.match(content)):
            self._result(base, None, message, content)
        elif told is not None:
            self._person(base, told)
        elif list_at(extra, "actions"):
            self._commands(base, list_at(extra, "actions"), by_person=True)
        elif not self._begun:
            if content.strip():
                origin = "unknown" if self._asked else "injected"
                self.transcript.add(base.model_copy(update={"kind": "prompt", "text": content, "origin": origin}))
                self._asked = True
        elif self._open and "interrupt_type" not in extra:
            command = self.transcript.events[self._open[0]].command or ""
            if base.line == self._last and any(word in command for word in SUBMITTING):
                self.submission = content or None
            self._result(base, None, message, content)
        else:
            self._add(base, "system", content)

    def _person(self, base: Event, told: Told) -> None:
        if told.kind == "rejection":
            approval = Approval(decision="denied", source="person", reason=told.text)
            for place in self._turn:
                self._complete(place, {"approval": approval, "ok": False, "exit_code": None, "exit_source": "none"})
            self._open = []
            return
        if told.kind == "interruption":
            self.transcript.add(base.model_copy(update={"kind": "interrupt", "fidelity": told.fidelity}))
        if told.text is not None:
            typed = {"kind": "prompt", "text": told.text, "origin": "human", "fidelity": told.fidelity}
            self.transcript.add(base.model_copy(update=typed))

    def _commands(self, base: Event, actions: list[JsonValue], *, by_person: bool = False) -> None:
        fields: list[dict[str, object]] = []
        for action in actions:
            command = text_at(action, "command") if isinstance(action, dict) else None
            if isinstance(action, dict) and command is not None:
                call, args = text_at(action, "tool_call_id"), {"source": "person"} if by_person else None
                fields.append({"kind": "command", "call": call, "tool": "bash", "command": command, "args": args})
        self._start(base, [one | {"exit_source": "none"} for one in fields])

    def _start(self, base: Event, calls: list[dict[str, object]]) -> None:
        if calls:
            first = len(self.transcript.events)
            self._turn = list(range(first, first + len(calls)))
            self._open = list(self._turn)
        for fields in calls:
            self.transcript.add(base.model_copy(update=fields))

    def _result(self, base: Event, call: str | None, message: JsonObject, content: str) -> None:
        result = result_of(message, content)
        events = self.transcript.events
        place = next((place for place in self._open if call is None or events[place].call == call), None)
        if place is None:
            orphan = {"kind": "tool_result", "call": call, "output": result.output or "", "ok": result.ok}
            self.transcript.add_orphan(base.model_copy(update=orphan))
            return
        self._open.remove(place)
        self._complete(place, _fields(result, events[place]))

    def _complete(self, place: int, fields: dict[str, object]) -> None:
        self.transcript.events[place] = self.transcript.events[place].model_copy(update=fields)
        self.transcript.changes += 1

    def _add(self, base: Event, kind: Kind, text: str) -> None:
        if text.strip():
            self.transcript.add(base.model_copy(update={"kind": kind, "text": text}))


def _bears_code(entry: JsonObject) -> bool:
    content = entry.get("content")
    return entry.get("role") in ("user", "tool") and isinstance(content, str) and CODE.match(content) is not None


def _function_fields(call: JsonObject) -> dict[str, object]:
    function = object_at(call, "function")
    return call_fields(text_at(function, "name"), function.get("arguments"), text_at(call, "id"))


def _fields(result: Result, event: Event) -> dict[str, object]:
    fields: dict[str, object] = {"output": result.output, "ok": result.ok}
    if event.kind == "command":
        fields |= {"exit_code": result.exit_code, "exit_source": result.exit_source}
    return fields


FORMAT = Format(NAME, f"{NAME}@1", "document", speaks, read)
