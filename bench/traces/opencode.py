"""Import of a session that ``opencode export`` wrote: one JSON document of messages made of parts.

A record is an entry of ``messages``; ``line`` of an event is its position there. Calls carry their results, and a
shell's exit number is in the metadata of its result: structured. A refusal is told by the harness's sentence; without
the person's words it is the same where nobody could be asked, so its source is unknown. Approvals are not recorded.
Prompts of a session that has a parent are that agent's; a template of a slash command stands as if it was typed.

Sources: ``packages/opencode/src/session/message-v2.ts``, ``tool/bash.ts`` and ``permission`` of
github.com/anomalyco/opencode (before: sst/opencode).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import BinaryIO

from pydantic import JsonValue

from bench.schema.event import Approval, Event, ExitSource, Kind, Origin
from bench.traces.documents import entries, read_document
from bench.traces.gatherer import (
    Gatherer,
    arguments_of,
    as_json,
    call_fields,
    code_of,
    ended_with,
    fields_of,
    moment_of_ms,
)
from bench.traces.lines import JsonObject, list_at, object_at, text_at
from bench.traces.report import Format, ImportReport, Session
from bench.traces.transcript import Result, account, most_common
from bench.traces.written import Written

HARNESS = "opencode"
SHELLS = frozenset({"bash", "shell"})
KNOWN = frozenset({"user", "assistant"})
_SILENT_PARTS = frozenset({"agent", "compaction", "snapshot", "step-finish", "step-start"})
_REJECTED = "The user rejected permission to use this specific tool call"
_FEEDBACK = " with the following feedback: "
_RULED_OUT = (
    "The user has specified a rule which prevents you from using this specific tool call",
    "The user has specifically restricted access to this command",
)
_ABORTED = "Tool execution aborted"


def speaks(value: JsonValue) -> bool:
    """Whether a document is an export: an info, and messages that have an info and parts each."""
    if not isinstance(value, dict) or not isinstance(value.get("info"), dict):
        return False
    messages = list_at(value, "messages")
    return bool(messages) and all(
        isinstance(message, dict) and "role" in object_at(message, "info") and isinstance(message.get("parts"), list)
        for message in messages[:3]
    )


def read(stream: BinaryIO) -> Iterator[Session]:
    """The session in a document; ValueError where it is none."""
    document = read_document(stream)
    if not isinstance(document, dict) or not isinstance(document.get("messages"), list):
        raise ValueError("an export of OpenCode is an object with a list of messages")
    info, report = object_at(document, "info"), ImportReport(format=HARNESS)
    if version := text_at(info, "version"):
        report.versions[version] += 1
    importer = _Importer(report, info)
    account(entries(list_at(document, "messages")), report, importer.gatherer.transcript, importer.take, KNOWN)
    events, models = importer.gatherer.transcript.events, importer.gatherer.models
    yield Session(HARNESS, tuple(events), report, most_common(models), id=text_at(info, "id"))


class _Importer:
    """One pass over the messages."""

    def __init__(self, report: ImportReport, info: JsonObject) -> None:
        self.gatherer = Gatherer(report)
        child = text_at(info, "parentID") is not None
        self._typist: Origin = "injected" if child else "human"
        self._thread = f"sub:{text_at(info, 'id') or 'unknown'}" if child else "main"

    def take(self, position: int, message: JsonObject) -> str:
        """Turn one message into events, and say whose it was."""
        info = object_at(message, "info")
        role = text_at(info, "role") or "(no role)"
        moment = moment_of_ms(object_at(info, "time").get("created"))
        base = Event(kind="other", ts=moment, line=position, thread=self._thread)
        parts = [part for part in list_at(message, "parts") if isinstance(part, dict)]
        if role == "user":
            self.gatherer.ask(base, [piece for part in parts for piece in self._asked(part)])
        elif role == "assistant":
            if model := text_at(info, "modelID"):
                self.gatherer.models[model] += 1
            for part in parts:
                self._part(base, part, "compaction" if info.get("summary") is True else "message")
            self._failure(base, object_at(info, "error"))
        return role

    def _asked(self, part: JsonObject) -> list[Written]:
        match text_at(part, "type"):
            case "text":
                put_in = part.get("synthetic") is True or part.get("ignored") is True
                return [Written(text_at(part, "text") or "", "injected" if put_in else self._typist)]
            case "file":
                place = "image" if (text_at(part, "mime") or "").startswith("image/") else "file"
                return [Written(f"[{place}]", self._typist)]
            case "subtask":
                return [Written(text_at(part, "prompt") or "", "command")]
        return []

    def _part(self, base: Event, part: JsonObject, spoken: Kind) -> None:
        base = _at(base, object_at(part, "time").get("start"))
        match text_at(part, "type"):
            case "text":
                self.gatherer.say(base, spoken, text_at(part, "text"))
            case "reasoning":
                self.gatherer.say(base, "reasoning", text_at(part, "text"))
            case "tool":
                self._call(base, part)
            case "patch":
                for path in list_at(part, "files"):
                    if isinstance(path, str) and path:
                        self.gatherer.transcript.add(base.model_copy(update={"kind": "file", "path": path}))
            case "retry":
                self._failure(base, object_at(part, "error"))
            case name if name not in _SILENT_PARTS:
                self.gatherer.say(base, "other", as_json(part))

    def _call(self, base: Event, part: JsonObject) -> None:
        state = object_at(part, "state")
        fields = call_fields(text_at(part, "callID"), text_at(part, "tool"), arguments_of(state.get("input")), SHELLS)
        result = _result(state, shell=fields["kind"] == "command")
        self.gatherer.call(_at(base, object_at(state, "time").get("start")), fields | fields_of(result))

    def _failure(self, base: Event, error: JsonObject) -> None:
        if not error:
            return
        name, message = text_at(error, "name") or "error", text_at(object_at(error, "data"), "message")
        if name == "MessageAbortedError":
            self.gatherer.transcript.add(base.model_copy(update={"kind": "interrupt", "text": message}))
        else:
            self.gatherer.say(base, "system", f"{name}: {message or 'no message'}")


def _result(state: JsonObject, *, shell: bool) -> Result:
    metadata, error = object_at(state, "metadata"), text_at(state, "error") or ""
    source: ExitSource | None = "none" if shell else None
    match text_at(state, "status"):
        case "completed":
            output = text_at(state, "output") or ""
            return ended_with(output, code_of(metadata.get("exit"))) if shell else Result(output, ok=True)
        case "error" if metadata.get("interrupted") is True or error.startswith(_ABORTED):
            return Result(text_at(metadata, "output") or error, exit_source=source)
        case "error":
            return Result(error, ok=False, exit_source=source, approval=_refusal(error))
    return Result(exit_source=source)


def _refusal(error: str) -> Approval | None:
    if error.startswith(_REJECTED):
        _, given, words = error[len(_REJECTED) :].partition(_FEEDBACK)
        reason = words.strip() or None
        return Approval(decision="denied", source="person" if given and reason else "unknown", reason=reason)
    return Approval(decision="denied", source="config", reason=error) if error.startswith(_RULED_OUT) else None


def _at(base: Event, milliseconds: JsonValue) -> Event:
    """The same place at a moment of its own."""
    moment = moment_of_ms(milliseconds)
    return base if moment is None else base.model_copy(update={"ts": moment})


FORMAT = Format(HARNESS, "opencode@1", "document", speaks, read)
