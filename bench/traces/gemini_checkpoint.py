"""Import of a checkpoint of Gemini CLI: the turns that the model was given, as ``/chat save`` or a file edit kept them.

A record is an entry of the history; ``line`` of an event is its position there. No times, no statuses: a failure is
known by the error field of its response, and an exit code by the last lines of a shell's text, which the command may
have printed itself (then the event is inferred). A compression may have replaced earlier turns, so the session is partial.

Sources: ``packages/core/src/core/logger.ts`` and ``utils/checkpointUtils.ts`` of github.com/google-gemini/gemini-cli.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterator
from typing import BinaryIO

from pydantic import JsonValue

from bench.schema.event import Event, Kind
from bench.traces.documents import entries, read_document
from bench.traces.gatherer import Gatherer, arguments_of, call_fields, fields_of
from bench.traces.gemini_prompts import ACKNOWLEDGED, pieces, text_of_part
from bench.traces.gemini_results import SHELLS, ended, response_of
from bench.traces.lines import JsonObject, list_at, object_at, text_at
from bench.traces.report import Format, ImportReport, Session
from bench.traces.transcript import account

HARNESS = "gemini-cli"
KNOWN = frozenset({"user", "model"})
_PARTIAL = "a checkpoint holds what the model was given: earlier turns may have been compressed"


def speaks(value: JsonValue) -> bool:
    """Whether a document is a history of contents: turns of user and model made of parts."""
    turns = _history(value) or []
    return bool(turns) and all(
        isinstance(turn, dict) and text_at(turn, "role") in KNOWN and isinstance(turn.get("parts"), list)
        for turn in turns
    )


def read(stream: BinaryIO) -> Iterator[Session]:
    """The session in a checkpoint; ValueError where it is none."""
    turns = _history(read_document(stream))
    if turns is None:
        raise ValueError("a checkpoint of Gemini CLI is a list of turns, or an object with a history")
    report = ImportReport(format=FORMAT.name)
    importer = _Importer(report)
    account(entries(turns), report, importer.gatherer.transcript, importer.take, KNOWN)
    yield Session(HARNESS, tuple(importer.gatherer.transcript.events), report, partial=_PARTIAL)


class _Importer:
    """One pass over the turns. Calls of older versions have no id: then results come in the order of calls of a name."""

    def __init__(self, report: ImportReport) -> None:
        self.gatherer = Gatherer(report)
        self._waiting: dict[str, deque[int]] = defaultdict(deque)

    def take(self, number: int, turn: JsonObject) -> str:
        """Turn one entry into events, and say whose turn it was."""
        base, role = Event(kind="other", line=number), text_at(turn, "role") or "(no role)"
        parts = list_at(turn, "parts")
        if role == "user":
            for part in parts:
                if isinstance(part, dict) and "functionResponse" in part:
                    self._answer(base, part)
            self.gatherer.ask(base, pieces(turn, parts, "human"))
        elif role == "model":
            for part in parts:
                self._said(base, part)
        return role

    def _said(self, base: Event, part: JsonValue) -> None:
        if isinstance(part, dict) and "functionCall" in part:
            call = object_at(part, "functionCall")
            identity, name = text_at(call, "id"), text_at(call, "name")
            position = self.gatherer.call(base, call_fields(identity, name, arguments_of(call.get("args")), SHELLS))
            self._waiting[_key(identity, name)].append(position)
            return
        text = text_of_part(part)
        thought = isinstance(part, dict) and part.get("thought") is True
        kind: Kind = "reasoning" if thought else "system" if text in ACKNOWLEDGED else "message"
        self.gatherer.say(base, kind, text)

    def _answer(self, base: Event, part: JsonObject) -> None:
        given = object_at(part, "functionResponse")
        identity, name = text_at(given, "id"), text_at(given, "name")
        waiting = self._waiting.get(_key(identity, name)) or self._waiting.get(_key(None, name))
        found = ended(response_of(part), None, shell=name in SHELLS, display=None)
        if not waiting:
            self.gatherer.orphan(base, identity, found.result, name)
            return
        self.gatherer.fill(
            waiting.popleft(), fields_of(found.result) | ({"fidelity": "inferred"} if found.inferred else {})
        )


def _key(identity: str | None, name: str | None) -> str:
    return f"id {identity}" if identity is not None else f"name {name}"


def _history(value: JsonValue) -> list[JsonValue] | None:
    if isinstance(value, dict) and not {"sessionId", "messages"} & set(value):
        kept = "clientHistory" if "toolCall" in value else "history"
        value = value.get(kept)
    return value if isinstance(value, list) else None


FORMAT = Format("gemini-cli-checkpoint", "gemini-cli-checkpoint@1", "document", speaks, read)
