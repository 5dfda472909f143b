"""Import of an OpenHands event stream of the first generation (V0): one JSON document, a list of actions and observations.

It stands alone, or as ``trajectory`` of an export. A record is an entry of the list; ``line`` of an event is its
position. Exit codes and rejections are fields (structured). Times have no zone and are left out. An action
that waits for a person is repeated, confirmed or rejected, under a new id: one event, with the decision. Other approvals
are not told; a prompt is of source user, and only the evaluation's fake user shows that nobody typed.

Source: ``openhands/events`` (actions, observations, serialization) of github.com/All-Hands-AI/OpenHands.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import BinaryIO

from pydantic import JsonValue

from bench.schema.event import Approval, Event, Origin
from bench.traces.documents import entries, read_document
from bench.traces.gatherer import Gatherer, call_fields, fields_of
from bench.traces.lines import JsonObject, Line, object_at, text_at
from bench.traces.openhands_results import REJECTED, command_result, is_fake_user, is_number, typist_of
from bench.traces.report import Format, ImportReport, Session
from bench.traces.transcript import Result, account, moment_of
from bench.traces.written import Written

HARNESS = "openhands"
_CALLS = frozenset(
    {
        "run", "run_ipython", "read", "write", "edit", "browse", "browse_interactive", "delegate", "call_tool_mcp", "mcp",
        "task_tracking", "push", "send_pr", "search",
    }
)  # fmt: skip
_ACTIONS = _CALLS | {
    "message", "system", "think", "finish", "reject", "recall", "null", "condensation", "condensation_request",
    "change_agent_state", "pause", "resume", "stop", "start", "summarize", "loop_recovery",
}  # fmt: skip
_ABOUT_CALLS = _CALLS | {"error", "success", "user_rejected", "agent_delegate", "file_download"}
_OBSERVATIONS = _ABOUT_CALLS | {
    "think", "null", "recall", "microagent", "workspace_context", "condense", "agent_state_changed", "chat", "message",
    "loop_detection",
}  # fmt: skip
KNOWN = frozenset({f"action/{name}" for name in _ACTIONS} | {f"observation/{name}" for name in _OBSERVATIONS})
_SOURCES = frozenset({"agent", "user", "environment"})
_STOPPED = frozenset({"paused", "stopped"})
_NO_CLAIM = frozenset({"run_ipython", "browse", "browse_interactive", "delegate", "agent_delegate"})  # succeed always


def speaks(value: JsonValue) -> bool:
    """Whether a document is a list of this generation's events."""
    events = [entry for entry in _events(value) or [] if isinstance(entry, dict)]
    return bool(events) and all(map(is_event, events))


def is_event(event: JsonObject) -> bool:
    """Whether an object is an action or an observation of this generation."""
    return (
        isinstance(event.get("action", event.get("observation")), str)
        and ("source" not in event or text_at(event, "source") in _SOURCES)
        and bool({"args", "extras", "content", "message"} & set(event))
    )


def read(stream: BinaryIO) -> Iterator[Session]:
    """The session in a document; ValueError where it is none."""
    events = _events(read_document(stream))
    if events is None:
        raise ValueError("an event stream of OpenHands is a list of events, or an object with a trajectory")
    asked = [e for e in events if isinstance(e, dict) and e.get("source") == "user" and e.get("action") == "message"]
    typist = typist_of([text_at(object_at(event, "args"), "content") or "" for event in asked])
    yield session_of(entries(events), ImportReport(format=FORMAT.name), typist)


def session_of(events: Iterable[Line], report: ImportReport, typist: Origin) -> Session:
    """The session of these events, booked in the report."""
    importer = _Importer(report, typist)
    account(events, report, importer.gatherer.transcript, importer.take, KNOWN)
    return Session(HARNESS, tuple(importer.gatherer.transcript.events), report, answer=importer.final)


class _Importer:
    """One pass over the stream. An observation names the action that caused it."""

    def __init__(self, report: ImportReport, typist: Origin) -> None:
        self.gatherer = Gatherer(report)
        self.final: str | None = None
        self._typist = typist
        self._places: dict[int, int] = {}  # action -> position of its event
        self._waiting: dict[str, int] = {}  # actions that wait for a person -> position
        self._answered: set[int] = set()

    def take(self, position: int, event: JsonObject) -> str:
        """Turn one entry into events, and say what it was."""
        base = Event(kind="other", ts=moment_of(event.get("timestamp")), line=position)
        if "action" in event:
            name = text_at(event, "action") or "(no name)"
            self._action(base, name, event)
            return f"action/{name}"
        name = text_at(event, "observation") or "(no name)"
        self._observation(base, name, event)
        return f"observation/{name}"

    def _action(self, base: Event, name: str, event: JsonObject) -> None:
        args, source = object_at(event, "args"), text_at(event, "source")
        if name in _CALLS:
            self._call(base, name, event, args)
        elif name == "message":
            self._message(base, source, text_at(args, "content") or "")
        elif name == "think":
            self.gatherer.say(base, "reasoning", text_at(args, "thought"))
        elif name in ("finish", "reject"):
            given = text_at(args, "final_thought") or text_at(object_at(args, "outputs"), "content")
            self.final = given or text_at(args, "thought") or text_at(event, "message") or self.final
            self.gatherer.say(base, "message", self.final)
        elif name == "condensation":
            update = {"kind": "compaction", "text": text_at(args, "summary")}
            self.gatherer.transcript.add(base.model_copy(update=update))
        elif source == "user" and (name in ("pause", "stop") or text_at(args, "agent_state") in _STOPPED):
            self.gatherer.transcript.add(base.model_copy(update={"kind": "interrupt"}))

    def _message(self, base: Event, source: str | None, text: str) -> None:
        if source == "user":
            self.gatherer.ask(base, [Written(text, "simulated" if is_fake_user(text) else self._typist)])
        else:
            self.gatherer.say(base, "message" if source == "agent" else "system", text)

    def _call(self, base: Event, name: str, event: JsonObject, args: JsonObject) -> None:
        arguments = {key: value for key, value in args.items() if key not in ("thought", "confirmation_state")}
        about = object_at(event, "tool_call_metadata")
        state, call = text_at(args, "confirmation_state"), text_at(about, "tool_call_id")
        key = call or f"{name} {json.dumps(arguments, sort_keys=True)}"
        if state in ("confirmed", "rejected") and key in self._waiting:
            place = self._waiting.pop(key)
            decision = Approval(decision="approved" if state == "confirmed" else "denied", source="person")
            self.gatherer.fill(place, {"approval": decision, **({} if state == "confirmed" else {"ok": False})})
        else:
            self.gatherer.say(base, "message", text_at(args, "thought"))
            typed_in = args.get("is_input") in (True, "true")  # into a running process: no command of its own
            shells = frozenset({"run"}) if name == "run" and not typed_in else frozenset()
            fields = call_fields(call, name, arguments, shells)
            if event.get("source") == "user":
                fields["args"] = {**(fields["args"] if isinstance(fields["args"], dict) else {}), "source": "person"}
            place = self.gatherer.call(base, fields | {"tool": text_at(about, "function_name") or name})
            if state == "awaiting_confirmation":
                self._waiting[key] = place
        number = event.get("id")
        if isinstance(number, int) and is_number(number):
            self._places[number] = place

    def _observation(self, base: Event, name: str, event: JsonObject) -> None:
        output = text_at(event, "content") or ""
        if name == "agent_state_changed":
            self.gatherer.say(base, "system", text_at(object_at(event, "extras"), "reason"))
            return
        if name not in _ABOUT_CALLS:
            return
        cause = event.get("cause")
        place = self._places.get(cause) if isinstance(cause, int) and is_number(cause) else None
        if place is None or place in self._answered:
            if name == "error":
                self.gatherer.say(base, "system", output)
            else:
                self.gatherer.orphan(base, None, _result(name, event, output, shell=False))
            return
        self._answered.add(place)
        started = self.gatherer.at(place)
        result = _result(name, event, output, shell=started.kind == "command")
        fields = fields_of(result)
        if result.approval is None:
            fields["approval"] = started.approval
        self.gatherer.fill(place, fields)


def _result(name: str, event: JsonObject, output: str, *, shell: bool) -> Result:
    if name == "user_rejected":
        reason = output if output and not output.startswith(REJECTED) else None
        approval = Approval(decision="denied", source="person", reason=reason)
        return Result(output, ok=False, exit_source="none" if shell else None, approval=approval)
    if name == "error":
        return Result(output, ok=False, exit_source="none" if shell else None)
    if shell:
        return command_result(output, object_at(event, "extras"))
    if name == "mcp":
        return Result(output, ok=_mcp_ok(output))
    return Result(output, ok=None if name in _NO_CLAIM or name == "run" else True)


def _mcp_ok(output: str) -> bool | None:
    """The content is the result as the protocol has it, written by the harness as JSON."""
    try:
        value = json.loads(output)
    except (ValueError, RecursionError):
        return None
    failed = value.get("isError") if isinstance(value, dict) else None
    return not failed if isinstance(failed, bool) else None


def _events(value: JsonValue) -> list[JsonValue] | None:
    found = value.get("trajectory") if isinstance(value, dict) else value
    return found if isinstance(found, list) else None


FORMAT = Format("openhands-v0", "openhands-v0@1", "document", speaks, read)
