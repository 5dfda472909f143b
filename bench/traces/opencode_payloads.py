"""Import of the payloads of agent-beacon's plugin for OpenCode: one JSON object a line, or one in a file.

A file may hold several sessions; all share the report. One record is one payload. Exit codes are structured (the tool's
metadata). Who answered a permission is not recorded (``opencode run`` refuses by itself): source unknown. A
``chat.message`` may come from a person or from an agent that started this session: origin unknown. Parts of messages are
sent again while they grow: a text counts once, when its part has an end.
Source: ``cli/beacon-hooks/cmd/opencode_event.go`` and its samples, Asymptote-Labs/agent-beacon.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import BinaryIO

from pydantic import JsonValue

from bench.reading.canonical import digest
from bench.schema.event import Approval, Event
from bench.traces.calls import as_text, call_fields
from bench.traces.gatherer import Gatherer, as_json, code_of, ended_with, moment_of_ms, sessions_of_payloads
from bench.traces.lines import JsonObject, list_at, object_at, text_at
from bench.traces.objects import read_objects
from bench.traces.report import Format, ImportReport, Session
from bench.traces.transcript import Result, moment_of

READER = "opencode-payloads@1"
HARNESS = "opencode-payloads"
KNOWN = frozenset(
    {"chat.message", "tool.execute.before", "tool.execute.after", "message.updated", "message.part.updated"}
    | {"message.part.delta", "session.created", "session.deleted", "session.diff", "session.error", "session.idle"}
    | {"session.status", "command.execute.before", "command.executed", "permission.asked", "permission.v2.asked"}
    | {"permission.replied", "permission.updated", "permission.v2.replied"}
)
_REPLIES = {"reject": "denied", "once": "approved", "always": "approved"}
_CODES = ("exit", "exit_code", "exitCode")
_PARTIAL = "only what the plugin was told"


def speaks(record: object) -> bool:
    """Whether a JSON value is such a payload."""
    return (
        isinstance(record, dict)
        and text_at(record, "type") in KNOWN
        and isinstance(record.get("session_id"), str)
        and any(key in record for key in ("properties", "tool_name", "output", "part", "directory"))
        and not {"uuid", "payload", "message", "event", "vendor"} & set(record)
    )


def read(stream: BinaryIO) -> Iterator[Session]:
    """The sessions of a file of payloads."""
    report = ImportReport(format=HARNESS)
    lines = read_objects(stream)
    yield from sessions_of_payloads(lines, report, "type", KNOWN, lambda: _Importer(report), _PARTIAL)


class _Importer:
    def __init__(self, report: ImportReport) -> None:
        self.gathered = Gatherer(report)
        self._roles: dict[str, str] = {}  # message -> who speaks
        self._told: set[str] = set()  # parts and messages that have counted

    def take(self, name: str, payload: JsonObject, line: int) -> None:
        properties = object_at(payload, "properties")
        base = Event(kind="other", ts=moment_of(payload.get("timestamp")), line=line)
        match name:
            case "chat.message":
                self._prompt(base, payload)
            case "tool.execute.before" | "tool.execute.after":
                self._executed(base, payload, ended=name == "tool.execute.after")
            case "message.updated":
                self._message(base, object_at(payload, "message_info") or object_at(properties, "info"))
            case "message.part.updated":
                self._part(base, object_at(payload, "part") or object_at(properties, "part"))
            case "session.diff":
                self._diff(base, list_at(properties, "diff"))
            case "session.error":
                self.gathered.say(base, "system", f"error: {as_json(properties.get('error')) or 'not told'}")
            case "permission.replied" | "permission.v2.replied" | "permission.updated":
                self._reply(base, payload, properties)

    def _prompt(self, base: Event, payload: JsonObject) -> None:
        if model := text_at(payload, "model"):
            self.gathered.models[model] += 1
        texts = [
            text_at(part, "text") or f"[{text_at(part, 'filename') or text_at(part, 'type')}]"
            for part in list_at(object_at(payload, "output"), "parts")
            if isinstance(part, dict)
        ]
        text = text_at(payload, "prompt") or "\n".join(texts)
        if text.strip():
            self.gathered.transcript.add(base.model_copy(update={"kind": "prompt", "text": text, "origin": "unknown"}))

    def _executed(self, base: Event, payload: JsonObject, *, ended: bool) -> None:
        tool = text_at(payload, "tool_name") or text_at(payload, "tool")
        call, event = self._called(base, tool, payload.get("tool_input"), text_at(payload, "call_id"))
        if ended:
            self.gathered.transcript.answer(call, _ended(object_at(payload, "tool_response"), event))

    def _called(self, base: Event, tool: str | None, given: JsonValue, call: str | None) -> tuple[str, Event]:
        identity = call or f"line {base.line}"
        if self.gathered.transcript.called(identity) is None:
            self.gathered.call(base, call_fields(tool, given, identity))
        event = self.gathered.transcript.called(identity)
        return identity, event if event is not None else base

    def _message(self, base: Event, info: JsonObject) -> None:
        identity, role = text_at(info, "id"), text_at(info, "role")
        if identity is not None and role is not None:
            self._roles[identity] = role
        if (
            role != "assistant"
            or object_at(info, "time").get("completed") is None
            or f"message {identity}" in self._told
        ):
            return
        self._told.add(f"message {identity}")
        if model := text_at(info, "modelID"):
            self.gathered.models[f"{text_at(info, 'providerID') or 'unknown'}/{model}"] += 1
        base = base.model_copy(update={"ts": base.ts or moment_of_ms(object_at(info, "time").get("completed"))})
        if tokens := object_at(info, "tokens"):
            usage = {**tokens, **({"cost_usd": info["cost"]} if info.get("cost") is not None else {})}
            self.gathered.transcript.add(base.model_copy(update={"kind": "usage", "args": usage}))
        if error := object_at(info, "error"):
            self.gathered.say(base, "system", f"error: {text_at(error, 'name') or as_json(error)}")

    def _part(self, base: Event, part: JsonObject) -> None:
        kind, identity = text_at(part, "type"), text_at(part, "id") or f"line {base.line}"
        if kind == "tool":
            self._tool(base, part)
        elif kind in ("text", "reasoning") and object_at(part, "time").get("end") is not None:
            role = self._roles.get(text_at(part, "messageID") or "")
            if identity not in self._told and role == "assistant":
                self._told.add(identity)
                self.gathered.say(base, "message" if kind == "text" else "reasoning", text_at(part, "text"))

    def _tool(self, base: Event, part: JsonObject) -> None:
        state = object_at(part, "state")
        call, event = self._called(base, text_at(part, "tool"), state.get("input"), text_at(part, "callID"))
        match text_at(state, "status"):
            case "completed":
                self.gathered.transcript.answer(call, _ended(state, event))
            case "error":
                exit_source = event.exit_source
                self.gathered.transcript.answer(
                    call, Result(text_at(state, "error"), ok=False, exit_source=exit_source)
                )

    def _diff(self, base: Event, changes: list[JsonValue]) -> None:
        """A diff is of the session so far and comes again: each state of a file counts once."""
        for change in changes:
            path = text_at(change, "file") if isinstance(change, dict) else None
            state = f"file {digest(change)}"
            if path is not None and state not in self._told:
                self._told.add(state)
                self.gathered.transcript.add(base.model_copy(update={"kind": "file", "path": path}))

    def _reply(self, base: Event, payload: JsonObject, properties: JsonObject) -> None:
        words = (text_at(source, key) for source in (payload, properties) for key in ("decision", "status", "reply"))
        decision = _REPLIES.get(next((word for word in words if word is not None), ""))
        if decision is None:
            return
        approval = Approval.model_validate({"decision": decision})
        call = text_at(properties, "callID") or text_at(object_at(properties, "tool"), "callID")
        event = self.gathered.transcript.called(call)
        if event is not None:
            result = Result(ok=False if decision == "denied" else None, approval=approval)
            self.gathered.transcript.amend(call, result)
        else:
            self.gathered.transcript.add(
                base.model_copy(update={"kind": "approval", "approval": approval, "call": call})
            )


def _ended(response: JsonObject, event: Event) -> Result:
    output, metadata = as_text(response.get("output")), object_at(response, "metadata")
    if event.kind == "command":
        return ended_with(
            output, next((code for key in _CODES if (code := code_of(metadata.get(key))) is not None), None)
        )
    return Result(output, ok=True)


FORMATS = (
    Format(HARNESS, READER, "document", speaks, read),
    Format(HARNESS, READER, "lines", speaks, read),
)
FORMAT = FORMATS[0]
