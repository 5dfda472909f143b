"""Import of a GitHub Copilot CLI session: ``events.jsonl``, one typed event a line.

A record is a line. A prompt is a ``user.message``, or the hook that announced it where the log has no such message;
``source`` tells a person (``user`` or absent) from skills, schedules, commands and other agents. The exit code of a
shell is in a content block of its own (structured), else in the last line of the result, which the harness writes
behind the output. Permissions are in the log only where the client kept them; a refused call also fails with a code.
Events of a sub-agent carry its id, or the id of the call that started it. VS Code writes the same events without results.

Sources: ``nodejs/src/generated/session-events.ts`` of github.com/github/copilot-sdk and ``src/adapters/copilot-cli`` of
github.com/letta-ai/trajectory.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from bench.schema.event import Event, Kind, Origin
from bench.traces.copilot_results import SHELLS, decision_of, result_of
from bench.traces.gatherer import Gatherer, arguments_of, as_json, call_fields
from bench.traces.lines import JsonObject, Line, list_at, object_at, read_lines, text_at
from bench.traces.report import Format, ImportReport, Session
from bench.traces.transcript import Result, account, moment_of, most_common
from bench.traces.written import Written

HARNESS = "copilot-cli"
_TEXT_KEYS = {  # events that are only a notice of the harness, and where its words stand
    "session.error": "message",
    "session.warning": "message",
    "session.info": "message",
    "session.task_complete": "summary",
    "system.notification": "content",
    "subagent.failed": "error",
    "model.call_failure": "errorMessage",
}
_SILENT = frozenset(
    {
        "assistant.idle", "assistant.intent", "assistant.message_delta", "assistant.message_start",
        "assistant.reasoning_delta", "assistant.streaming_delta", "assistant.tool_call_delta", "assistant.turn_end",
        "assistant.turn_start", "assistant.usage", "hook.end", "hook.progress", "hook.start", "model.turn_started",
        "permission.requested", "session.auto_mode_resolved", "session.background_tasks_changed",
        "session.compaction_start", "session.context_changed", "session.handoff", "session.idle",
        "session.mode_changed", "session.model_change", "session.permissions_changed", "session.plan_changed",
        "session.remote_steerable_changed", "session.resume", "session.shutdown", "session.snapshot_rewind",
        "session.start", "session.title_changed", "session.todos_changed", "session.tools_updated",
        "session.truncation", "session.usage_checkpoint", "session.usage_info", "session.workspace_file_changed",
        "skill.invoked", "subagent.completed", "subagent.configured", "subagent.deselected", "subagent.selected",
        "subagent.started", "system.message", "tool.execution_partial_result", "tool.execution_progress",
    }
)  # fmt: skip
_TOLD = frozenset(
    {
        "abort", "assistant.message", "assistant.reasoning", "permission.completed", "session.compaction_complete",
        "tool.execution_complete", "tool.execution_start", "tool.user_requested", "user.message",
    }
)  # fmt: skip
KNOWN = _SILENT | _TOLD | frozenset(_TEXT_KEYS)
_FAMILIES = ("abort", "assistant.", "hook.", "permission.", "session.", "subagent.", "system.", "tool.", "user.message")


def speaks(record: JsonObject) -> bool:
    """Whether a line is one of this harness's and of no other's: an event type with a dot, and its data."""
    name = record.get("type")
    return (
        isinstance(name, str)
        and (name == "abort" or "." in name)
        and name.startswith(_FAMILIES)
        and isinstance(record.get("data"), dict)
        and "id" in record
        and "timestamp" in record
    )


def read(stream: Iterable[bytes]) -> Iterator[Session]:
    """The session in a binary stream of JSON lines."""
    lines = list(read_lines(stream))
    report = ImportReport(format=HARNESS)
    importer = _Importer(report, lines)
    account(lines, report, importer.gatherer.transcript, importer.take, KNOWN)
    events, models = importer.gatherer.transcript.events, importer.gatherer.models
    yield Session(HARNESS, tuple(events), report, most_common(models), id=importer.session)


class _Importer:
    """One pass over the events, in file order."""

    def __init__(self, report: ImportReport, lines: Iterable[Line]) -> None:
        self.gatherer = Gatherer(report)
        self.session: str | None = None
        records = [line.record for line in lines if line.record is not None]
        self._messages = {
            text_at(object_at(record, "data"), "content") for record in records if record.get("type") == "user.message"
        }
        self._thoughts: set[str] = set()
        self._asked_for: dict[str, str] = {}  # request for a permission -> call

    def take(self, line: int, record: JsonObject) -> str:
        """Turn one record into events, and say what type of record it was."""
        name, data = text_at(record, "type") or "(no type)", object_at(record, "data")
        base = Event(kind="other", ts=moment_of(record.get("timestamp")), line=line, thread=_thread(record, data))
        match name:
            case "session.start" | "session.resume" | "session.model_change" | "session.shutdown":
                self._about(data)
            case "user.message":
                self._prompt(base, data, text_at(data, "content") or "")
            case "hook.start" if data.get("hookType") == "userPromptSubmitted":
                given = object_at(data, "input")
                if text_at(given, "prompt") not in self._messages:
                    self._prompt(base, given, text_at(given, "prompt") or "")
            case "assistant.message":
                self._message(base, data)
            case "assistant.reasoning":
                self._thought(base, text_at(data, "content"))
            case _ if name.startswith(("tool.", "permission.")):
                self._tool(base, name, data)
            case _:
                self._notice(base, name, data)
        return name

    def _notice(self, base: Event, name: str, data: JsonObject) -> None:
        if name == "abort":
            self._abort(base, text_at(data, "reason") or "")
        elif name == "session.compaction_complete":
            self.gatherer.say(base, "compaction", text_at(data, "summaryContent"))
        elif name in _TEXT_KEYS:
            self.gatherer.say(base, "system", _words(data, _TEXT_KEYS[name]))

    def _about(self, data: JsonObject) -> None:
        self.session = self.session or text_at(data, "sessionId")
        if version := text_at(data, "copilotVersion"):
            self.gatherer.report.versions[version] += 1
        for key in ("selectedModel", "newModel"):
            if model := text_at(data, key):
                self.gatherer.models.setdefault(model, 0)

    def _tool(self, base: Event, name: str, data: JsonObject) -> None:
        call = text_at(data, "toolCallId")
        match name:
            case "tool.execution_start":
                if self.gatherer.transcript.called(call) is None:
                    self._call(base, call, text_at(data, "toolName"), data)
            case "tool.user_requested":
                self._call(base, call, text_at(data, "toolName"), data, by_person=True)
            case "tool.execution_complete":
                if model := text_at(data, "model"):
                    self.gatherer.models[model] += 1
                result = result_of(data, self.gatherer.transcript.called(call))
                self.gatherer.answer(base, call, result, text_at(data, "toolName"))
            case "permission.requested":
                request, wanted = text_at(data, "requestId"), object_at(data, "permissionRequest")
                if request and (asked := text_at(wanted, "toolCallId")):
                    self._asked_for[request] = asked
            case "permission.completed":
                self._decision(base, data, call or self._asked_for.get(text_at(data, "requestId") or ""))

    def _prompt(self, base: Event, data: JsonObject, text: str) -> None:
        places = "\n".join("[attachment]" for _ in list_at(data, "attachments"))
        origin = _origin(data, base)
        self.gatherer.ask(base, [Written(text, origin), Written(places, origin)] if text.strip() else [])

    def _message(self, base: Event, data: JsonObject) -> None:
        if model := text_at(data, "model"):
            self.gatherer.models[model] += 1
        self._thought(base, text_at(data, "reasoningText"))
        self.gatherer.say(base, "message", text_at(data, "content"))
        for request in list_at(data, "toolRequests"):
            if isinstance(request, dict):
                self._call(base, text_at(request, "toolCallId"), text_at(request, "name"), request)

    def _thought(self, base: Event, text: str | None) -> None:
        """A thought may stand in an event of its own and again in the message that it led to."""
        if text is not None and text not in self._thoughts:
            self._thoughts.add(text)
            self.gatherer.say(base, "reasoning", text)

    def _call(
        self, base: Event, call: str | None, tool: str | None, data: JsonObject, *, by_person: bool = False
    ) -> None:
        fields = call_fields(call, tool, arguments_of(data.get("arguments")), SHELLS)
        if by_person:
            fields["args"] = {**(fields["args"] if isinstance(fields["args"], dict) else {}), "source": "person"}
        self.gatherer.call(base, fields)

    def _abort(self, base: Event, reason: str) -> None:
        by_person = reason.startswith("user") or reason == "remote_command"
        kind: Kind = "interrupt" if by_person else "system"
        self.gatherer.say(base, kind, f"aborted: {reason or 'no reason'}")

    def _decision(self, base: Event, data: JsonObject, call: str | None) -> None:
        approval = decision_of(object_at(data, "result"))
        if approval is not None and not self.gatherer.transcript.amend(call, Result(approval=approval)):
            self.gatherer.transcript.add(
                base.model_copy(update={"kind": "approval", "call": call, "approval": approval})
            )


def _thread(record: JsonObject, data: JsonObject) -> str:
    agent = text_at(record, "agentId") or text_at(data, "parentToolCallId")
    return "main" if agent is None else f"sub:{agent}"


def _origin(data: JsonObject, base: Event) -> Origin:
    source = text_at(data, "source") or "user"
    if base.thread != "main" or "inputOrigin" in data:
        return "injected"
    if source == "user":
        return "human"
    return "command" if source.startswith("command") else "injected"


def _words(data: JsonObject, key: str) -> str:
    return text_at(data, key) or text_at(data, "message") or as_json(data.get(key))


FORMAT = Format(HARNESS, "copilot-cli@1", "lines", speaks, read)
