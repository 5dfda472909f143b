"""Import of the payloads that Claude Code gives to its hooks, as a hook writes them down: one JSON object a line.

A file may hold the payloads of several sessions: each is a session of its own, all share the report. One record is one
line. Only moments are there for which a hook was registered, so every session is ``partial``; times are there where the
hook added a ``timestamp``. ``PostToolUse`` means that a call succeeded, so a Bash call then ended with 0 (implied);
``PostToolUseFailure`` holds "Exit code N" before what the command printed. ``PermissionRequest`` is a question and tells no
answer; ``PermissionDenied`` is the refusal by the automatic mode. A refusal by a person reaches no hook.
Source: the hooks reference of Claude Code (code.claude.com/docs/en/hooks, 33 events) and the payloads in
``cli/beacon-hooks`` of Asymptote-Labs/agent-beacon.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import BinaryIO

from pydantic import JsonValue

from bench.schema.event import Approval, Event
from bench.traces.calls import call_fields
from bench.traces.claude_prompts import pieces
from bench.traces.claude_results import flatten, result_of
from bench.traces.gatherer import Gatherer, as_json, sessions_of_payloads
from bench.traces.lines import JsonObject, object_at, text_at
from bench.traces.objects import read_objects
from bench.traces.report import Format, ImportReport, Session
from bench.traces.transcript import Result, moment_of

READER = "claude-code-hooks@1"
HARNESS = "claude-code-hooks"
_WITH_EVENTS = frozenset(
    {"PreToolUse", "PostToolUse", "PostToolUseFailure", "PermissionDenied", "UserPromptSubmit", "Stop", "SubagentStop"}
    | {"StopFailure", "Notification", "PostCompact", "SessionStart", "FileChanged"}
)
KNOWN = _WITH_EVENTS | {
    "ConfigChange", "CwdChanged", "DirectoryAdded", "Elicitation", "ElicitationResult", "InstructionsLoaded",
    "MessageDisplay", "PermissionRequest", "PostToolBatch", "PreCompact", "SessionEnd", "Setup", "SubagentStart",
    "TaskCompleted", "TaskCreated", "TeammateIdle", "UserPromptExpansion", "WorktreeCreate", "WorktreeRemove",
}  # fmt: skip
_PARTIAL = "only the moments for which a hook was registered"


def speaks(record: object) -> bool:
    """Whether a record is the payload of a hook of Claude Code."""
    return (
        isinstance(record, dict)
        and text_at(record, "hook_event_name") in KNOWN
        and isinstance(record.get("session_id"), str)
        and "type" not in record
    )


def read(stream: BinaryIO) -> Iterator[Session]:
    """The sessions of a file of payloads."""
    report = ImportReport(format=HARNESS)
    lines = read_objects(stream)
    yield from sessions_of_payloads(lines, report, "hook_event_name", KNOWN, lambda: _Importer(report), _PARTIAL)


class _Importer:
    """One pass over the payloads of one session."""

    def __init__(self, report: ImportReport) -> None:
        self.gathered = Gatherer(report)
        self._compacted = False  # told by PostCompact; the next SessionStart tells it again
        self._nameless: dict[str, list[str]] = {}  # calls without an id, by tool and arguments: those that still wait
        self._last_message: dict[str, str] = {}

    def take(self, name: str, payload: JsonObject, line: int) -> None:
        agent = text_at(payload, "agent_id")
        at = moment_of(payload.get("timestamp"))
        base = Event(kind="other", ts=at, thread=f"sub:{agent}" if agent else "main", line=line)
        match name:
            case "UserPromptSubmit":
                self._prompt(base, text_at(payload, "prompt") or "")
            case "PreToolUse" | "PostToolUse" | "PostToolUseFailure" | "PermissionDenied":
                self._of_call(name, base, payload)
            case "Stop" | "SubagentStop":
                self._stopped(base, text_at(payload, "last_assistant_message") or "")
            case "StopFailure":
                self.gathered.say(base, "system", f"error: {as_json(payload.get('error')) or 'not told'}")
            case "Notification":
                self.gathered.say(base, "system", text_at(payload, "message"))
            case "PostCompact":
                self._compacted = True
                self._compaction(base, text_at(payload, "compact_summary"))
            case "SessionStart":
                self._started(base, payload)
            case "FileChanged" if (path := text_at(payload, "file_path")) is not None:
                self.gathered.transcript.add(base.model_copy(update={"kind": "file", "path": path}))

    def _prompt(self, base: Event, text: str) -> None:
        written = pieces(text, {"isSidechain": True} if base.thread != "main" else {}) if text.strip() else []
        self.gathered.ask(base, written)

    def _of_call(self, name: str, base: Event, payload: JsonObject) -> None:
        match name:
            case "PreToolUse":
                self._before(base, payload)
            case "PermissionDenied":
                self._denied(base, payload)
            case _:
                self._after(base, payload, failed=name == "PostToolUseFailure")

    def _before(self, base: Event, payload: JsonObject) -> str:
        tool, given = text_at(payload, "tool_name"), payload.get("tool_input")
        call = text_at(payload, "tool_use_id")
        if call is None:
            call = f"line {base.line}"
            self._nameless.setdefault(_key(tool, given), []).append(call)
        self.gathered.call(base, call_fields(tool, given, call))
        return call

    def _after(self, base: Event, payload: JsonObject, *, failed: bool) -> None:
        """The result; where no hook told of the call before, the payload tells it whole."""
        call = self._call(payload) or self._before(base, payload)
        if text_at(payload, "tool_use_id") is None:
            waiting = self._nameless.get(_key(text_at(payload, "tool_name"), payload.get("tool_input")), [])
            if call in waiting:
                waiting.remove(call)
        event = self.gathered.transcript.called(call)
        response = payload.get("error") if failed else payload.get("tool_response")
        block: JsonObject = {"content": _printed(response), "is_error": failed}
        result = result_of(block, None if failed else response, event)
        if failed and payload.get("is_interrupt") is True and result.exit_code is None:
            result = Result(result.output, exit_source=result.exit_source)
        self.gathered.answer(base, call, result, text_at(payload, "tool_name"))
        if failed and payload.get("is_interrupt") is True:
            self.gathered.transcript.add(base.model_copy(update={"kind": "interrupt"}))

    def _denied(self, base: Event, payload: JsonObject) -> None:
        call = self._call(payload) or self._before(base, payload)
        approval = Approval(decision="denied", source="policy", reason=text_at(payload, "reason"))
        result = Result(ok=False, approval=approval)
        self.gathered.answer(base, call, result, text_at(payload, "tool_name"))

    def _call(self, payload: JsonObject) -> str | None:
        """The id of the call that a payload before this one told of."""
        call = text_at(payload, "tool_use_id")
        if call is not None:
            return call if self.gathered.transcript.called(call) is not None else None
        waiting = self._nameless.get(_key(text_at(payload, "tool_name"), payload.get("tool_input")))
        return waiting[0] if waiting else None

    def _stopped(self, base: Event, text: str) -> None:
        """The last message; a hook that sends the agent back to work makes the same turn stop again."""
        if self._last_message.get(base.thread) != text:
            self._last_message[base.thread] = text
            self.gathered.say(base, "message", text)

    def _started(self, base: Event, payload: JsonObject) -> None:
        model = payload.get("model")
        name = text_at(payload, "model") or text_at(object_at(payload, "model"), "id")
        if name is not None and model is not None:
            self.gathered.models[name] += 1
        if text_at(payload, "source") == "compact" and not self._compacted:
            self._compaction(base, None)
        self._compacted = False

    def _compaction(self, base: Event, text: str | None) -> None:
        self.gathered.transcript.add(base.model_copy(update={"kind": "compaction", "text": text}))


def _key(tool: str | None, given: JsonValue) -> str:
    return f"{tool} {json.dumps(given, sort_keys=True)}"


def _printed(response: JsonValue) -> JsonValue:
    """What a tool gave back as text: a shell's two streams one after the other, blocks as they are."""
    if isinstance(response, dict) and ("stdout" in response or "stderr" in response):
        streams = [text for key in ("stdout", "stderr") if (text := text_at(response, key)) is not None]
        return "".join(text if text.endswith("\n") or text == streams[-1] else f"{text}\n" for text in streams)
    if isinstance(response, dict) and isinstance(response.get("content"), list):
        return flatten(response["content"])
    return response


FORMAT = Format(HARNESS, READER, "lines", speaks, read)
