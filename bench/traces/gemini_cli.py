"""Import of a chat that Gemini CLI recorded: one JSON document, and since version 0.36 or so JSON lines.

A record is an entry of ``messages``, or a line; ``line`` of an event is its position there. Calls carry their results.
The lines are a log: a message that changed is written again whole, so its last version is read at its first place, the
earlier ones are booked as superseded; ``$set`` changes the metadata or, after a compression, the messages.
What a person rewound stays in. An interrupt is the notice that the harness writes, prompts of a sub-agent's own
file are its parent's. The record does not tell a typing person from a script, and holds approvals only as far as a
result says that the call was refused.

Source: ``packages/core/src/services/chatRecording{Service,Types}.ts`` of github.com/google-gemini/gemini-cli.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import BinaryIO

from pydantic import JsonValue

from bench.schema.event import Event, Kind, Origin
from bench.traces.documents import entries, read_document
from bench.traces.gatherer import Gatherer, arguments_of, call_fields, fields_of
from bench.traces.gemini_prompts import parts_of, pieces, text_of_part
from bench.traces.gemini_results import SHELLS, result_of_call
from bench.traces.lines import JsonObject, Line, list_at, object_at, read_lines, text_at
from bench.traces.report import Format, ImportReport, Session
from bench.traces.transcript import account, moment_of, most_common

HARNESS = "gemini-cli"
_NOTICES = frozenset({"info", "error", "warning"})
KNOWN = frozenset({"user", "gemini", "metadata", "$set", "$rewindTo", "superseded"} | _NOTICES)
_INTERRUPTED = "Request cancelled."


def speaks(value: JsonValue) -> bool:
    """Whether a document is a chat of this harness."""
    return isinstance(value, dict) and _is_metadata(value) and isinstance(value.get("messages"), list)


def speaks_line(record: JsonObject) -> bool:
    """Whether a line is one of this harness's log and of no other's."""
    if _is_metadata(record):
        return "messages" not in record and "type" not in record
    return (set(record) in ({"$set"}, {"$rewindTo"})) or (record.get("type") == "gemini" and "content" in record)


def read(stream: BinaryIO) -> Iterator[Session]:
    """The session in a document; ValueError where it is none."""
    document = read_document(stream)
    if not isinstance(document, dict) or not isinstance(document.get("messages"), list):
        raise ValueError("a chat of Gemini CLI is an object with a list of messages")
    yield _session(list(entries(list_at(document, "messages"))), document, FORMAT.name)


def read_log(stream: Iterable[bytes]) -> Iterator[Session]:
    """The session in a log of JSON lines."""
    lines = list(read_lines(stream))
    metadata: JsonObject = {}
    for line in lines:
        record = line.record or {}
        metadata |= object_at(record, "$set") if "$set" in record else record if _is_metadata(record) else {}
    yield _session(lines, metadata, LOG.name)


def _session(lines: list[Line], metadata: JsonObject, format: str) -> Session:
    report = ImportReport(format=format)
    importer = _Importer(report, lines, metadata)
    account(lines, report, importer.gatherer.transcript, importer.take, KNOWN)
    events, models = importer.gatherer.transcript.events, importer.gatherer.models
    return Session(HARNESS, tuple(events), report, most_common(models), id=text_at(metadata, "sessionId"))


class _Importer:
    """One pass over the messages."""

    def __init__(self, report: ImportReport, lines: Iterable[Line], metadata: JsonObject) -> None:
        self.gatherer = Gatherer(report)
        sub = metadata.get("kind") == "subagent"
        self._typist: Origin = "injected" if sub else "human"
        self._thread = f"sub:{text_at(metadata, 'sessionId') or 'unknown'}" if sub else "main"
        self._latest = {
            identity: line
            for line in lines
            if line.record is not None and (identity := text_at(line.record, "id")) is not None
        }
        self._told: set[str] = set()

    def take(self, number: int, record: JsonObject) -> str:
        """Turn one record into events, and say what type of record it was."""
        if "$set" in record:
            for message in list_at(object_at(record, "$set"), "messages"):
                if isinstance(message, dict) and text_at(message, "id") and message["id"] not in self._latest:
                    self._message(number, message)
            return "$set"
        if "$rewindTo" in record:
            notice = f"rewound to the state before message {text_at(record, '$rewindTo') or '?'}"
            self.gatherer.say(self._base(number, record), "system", notice)
            return "$rewindTo"
        if "type" not in record and _is_metadata(record):
            return "metadata"
        return self._message(number, record)

    def _message(self, number: int, record: JsonObject) -> str:
        identity = text_at(record, "id")
        if identity is not None:
            if identity in self._told:
                return "superseded"
            self._told.add(identity)
            latest = self._latest.get(identity)
            if latest is not None and latest.record is not None:
                number, record = latest.number, latest.record
        base, name = self._base(number, record), text_at(record, "type") or "(no type)"
        parts = parts_of(record.get("content"))
        if name == "user":
            self.gatherer.ask(base, pieces(record, parts, self._typist))
        elif name == "gemini":
            self._turn(base, record, parts)
        elif name in _NOTICES:
            text = "\n".join(map(text_of_part, parts))
            kind: Kind = "interrupt" if name == "info" and text.strip() == _INTERRUPTED else "system"
            self.gatherer.say(base, kind, text)
        return name

    def _turn(self, base: Event, record: JsonObject, parts: list[JsonValue]) -> None:
        if model := text_at(record, "model"):
            self.gatherer.models[model] += 1
        for thought in list_at(record, "thoughts"):
            if isinstance(thought, dict):
                lines = filter(None, (text_at(thought, "subject"), text_at(thought, "description")))
                self.gatherer.say(_at(base, thought), "reasoning", "\n".join(lines))
        for part in parts:
            kind: Kind = "reasoning" if isinstance(part, dict) and part.get("thought") is True else "message"
            self.gatherer.say(base, kind, text_of_part(part))
        for call in list_at(record, "toolCalls"):
            if isinstance(call, dict):
                self._call(_at(base, call), call)

    def _call(self, base: Event, call: JsonObject) -> None:
        fields = call_fields(text_at(call, "id"), text_at(call, "name"), arguments_of(call.get("args")), SHELLS)
        ended = result_of_call(call)
        fields |= fields_of(ended.result) | ({"fidelity": "inferred"} if ended.inferred else {})
        self.gatherer.call(base, fields)

    def _base(self, number: int, record: JsonObject) -> Event:
        return Event(kind="other", ts=moment_of(record.get("timestamp")), line=number, thread=self._thread)


def _at(base: Event, record: JsonObject) -> Event:
    """The same place at a moment of its own."""
    moment = moment_of(record.get("timestamp"))
    return base if moment is None else base.model_copy(update={"ts": moment})


def _is_metadata(record: JsonObject) -> bool:
    return text_at(record, "sessionId") is not None and text_at(record, "projectHash") is not None


FORMAT = Format(HARNESS, "gemini-cli@1", "document", speaks, read)
LOG = Format("gemini-cli-log", "gemini-cli-log@1", "lines", speaks_line, read_log)
