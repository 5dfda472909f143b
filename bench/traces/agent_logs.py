"""Log records that coding agents send about themselves: the OpenTelemetry events of Claude Code and of Codex.

They come as OTLP log records (see :mod:`bench.traces.otel`) or as ``{runtime, version, records: [{body, attributes}]}``,
the form in which agent-beacon keeps samples of them. One record is one log record. What an agent printed or read is not
in them: calls have a success flag, arguments where the person allowed it, and no output (Codex may log it).

Exit: a successful Bash call of Claude Code ended with 0 (implied); a failed one has no code. The flag of Codex says that
the tool ran, not how the command ended. Who decided stands in ``source``: config, hook, user_* (Claude Code), Config, User
(Codex). Source: "Monitoring" of the documentation of Claude Code, ``docs/`` of openai/codex, and the payload samples of
Asymptote-Labs/agent-beacon.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import BinaryIO, Literal

from pydantic import JsonValue

from bench.schema.event import Approval, Event
from bench.traces.calls import as_text, call_fields
from bench.traces.claude_prompts import pieces
from bench.traces.codex_results import decoded
from bench.traces.gatherer import Gatherer, as_json
from bench.traces.lines import list_at, object_at, text_at
from bench.traces.objects import read_objects
from bench.traces.otlp import Attributes, Note, moment
from bench.traces.report import Format, ImportReport, Session
from bench.traces.transcript import Result, moment_of, most_common

READER = "agent-logs@1"
HARNESS = "agent-logs"
_AGENTS = {"claude_code": "claude-code", "codex": "codex"}
_SAID_NO = frozenset({"reject", "rejected", "deny", "denied", "abort", "timed_out"})
_DECIDERS: dict[str, Literal["person", "config", "policy"]] = {
    "config": "config",
    "hook": "policy",
    "automatedreviewer": "policy",
    "user": "person",
    "user_permanent": "person",
    "user_temporary": "person",
    "user_abort": "person",
    "user_reject": "person",
}
_USAGE = ("input_tokens", "output_tokens", "cache_read_tokens", "cache_creation_tokens", "cost_usd")
_OF_ARGUMENTS = ("kind", "args", "command", "exit_source")
_OF_CODEX = frozenset({"conversation_starts", "sse_event", "websocket_event", "websocket_request"})
_NOTICES = frozenset({"api_error", "api_refusal", "api_retries_exhausted", "internal_error"})
_SILENT = (
    _OF_CODEX
    | _NOTICES
    | {"user_prompt", "assistant_response", "tool_decision", "tool_result", "api_request", "compaction"}
    | {"api_request_body", "api_response_body", "at_mention", "auth", "feedback_survey", "skill_activated"}
    | {"hook_execution_complete", "hook_execution_start", "hook_plugin_metrics", "hook_registered"}
    | {"mcp_server_connection", "permission_mode_changed", "plugin_installed", "plugin_loaded"}
)  # known, whether or not they give an event


def is_agent_log(note: Note) -> bool:
    """Whether a log record is one of a coding agent about itself."""
    return _names(note) is not None


def speaks(value: object) -> bool:
    """Whether a JSON value is a document of such records."""
    if not isinstance(value, dict) or not isinstance(value.get("runtime"), str):
        return False
    records = value.get("records")
    if not isinstance(records, list) or not records:
        return False
    return all(
        isinstance(r, dict) and isinstance(r.get("body"), str) and isinstance(r.get("attributes"), dict)
        for r in records
    )


def read(stream: BinaryIO) -> Iterator[Session]:
    """The sessions of a document of records."""
    report = ImportReport(format=HARNESS)
    notes: list[Note] = []
    for line in read_objects(stream):
        records = list_at(line.record, "records") if line.record is not None else []
        if line.record is None or not records:
            report.seen += 1
            report.malformed.append(line.number)
            continue
        if version := text_at(line.record, "version"):
            report.versions[f"{text_at(line.record, 'runtime') or 'runtime'} {version}"] += 1
        for position, record in enumerate(records, 1):
            note = _note(record)
            report.seen += 1
            if note is None:
                report.malformed.append(position)
            elif is_agent_log(note):
                notes.append(note)
            else:
                report.unknown[note.name[:60] or "(no name)"] += 1
    yield from list(sessions_of_logs(notes, report)) or [Session(HARNESS, (), report)]


def sessions_of_logs(notes: Iterable[Note], report: ImportReport) -> Iterator[Session]:
    """One session for each session id that has events, in the order of time; all share the report."""
    grouped: dict[tuple[str, str], list[Note]] = defaultdict(list)
    for note in notes:
        agent, _ = _names(note) or ("", "")
        identity = next((t for key in ("session.id", "conversation.id") if (t := text_at(note.attributes, key))), "")
        grouped[agent, identity].append(note)
    for (agent, identity), members in grouped.items():
        importer = _Importer(agent, report)
        for note in sorted(members, key=_order):
            importer.take(note)
        report.orphan_results += importer.gathered.transcript.orphan_results
        if not importer.gathered.transcript.events:
            continue
        yield Session(
            _AGENTS[agent],
            tuple(importer.gathered.transcript.events),
            report,
            most_common(importer.gathered.models),
            id=identity or None,
            partial="log records hold no outputs of calls, and texts only where the person allowed it",
        )


class _Importer:
    def __init__(self, agent: str, report: ImportReport) -> None:
        self.gathered = Gatherer(report)
        self._agent = agent
        self._positions: dict[str, int] = {}  # call -> its event

    def take(self, note: Note) -> None:
        report, before = self.gathered.report, self.gathered.transcript.changes
        _, name = _names(note) or ("", "")
        at = moment_of(note.attributes.get("event.timestamp")) or moment(note.time)
        self._event(Event(kind="other", ts=at), name, note.attributes)
        if self.gathered.transcript.changes > before:
            report.used += 1
        else:
            (report.skipped if name in _SILENT else report.unknown)[name[:60]] += 1

    def _event(self, base: Event, name: str, attributes: Attributes) -> None:
        if (model := text_at(attributes, "model")) is not None:
            self.gathered.models[model] += 1
        match name:
            case "user_prompt":
                self.gathered.ask(base, pieces(text_at(attributes, "prompt") or "", {}))
            case "assistant_response":
                self.gathered.say(base, "message", text_at(attributes, "response"))
            case "tool_decision":
                self._decision(base, attributes)
            case "tool_result":
                self._result(base, attributes)
            case "api_request":
                usage = {key: attributes[key] for key in _USAGE if attributes.get(key) is not None}
                if usage:
                    self.gathered.transcript.add(base.model_copy(update={"kind": "usage", "args": usage}))
            case notice if notice in _NOTICES:
                told = {
                    k: v for k, v in attributes.items() if k in ("error", "error_name", "error_code", "status_code")
                }
                self.gathered.say(base, "system", f"{name}: {as_json(told)}" if told else name)
            case "compaction" if attributes.get("success") in ("true", True, None):
                self.gathered.transcript.add(base.model_copy(update={"kind": "compaction"}))

    def _decision(self, base: Event, attributes: Attributes) -> None:
        decision, source = text_at(attributes, "decision") or "", text_at(attributes, "source") or ""
        if not decision:
            return
        refused = decision.lower() in _SAID_NO
        approval = Approval(
            decision="denied" if refused else "approved", source=_DECIDERS.get(source.lower(), "unknown")
        )
        call = self._call(base, attributes)
        result = Result(ok=False if refused else None, approval=approval)
        self.gathered.transcript.amend(call, result)

    def _result(self, base: Event, attributes: Attributes) -> None:
        call = self._call(base, attributes)
        position = self._positions[call]
        event, given = self.gathered.at(position), _given(attributes)
        if given is not None and event.args is None and event.command is None:  # a decision came before, without them
            fields = call_fields(event.tool, given, call)
            self.gathered.fill(position, {name: fields[name] for name in _OF_ARGUMENTS if name in fields})
        event = self.gathered.at(position)
        self.gathered.transcript.answer(call, self._ended(event, attributes))

    def _ended(self, event: Event, attributes: Attributes) -> Result:
        flag = attributes.get("success")
        success = True if flag in ("true", True) else False if flag in ("false", False) else None
        if self._agent == "codex":
            if event.kind == "command" and (output := attributes.get("output")) is not None:
                told = decoded(output, event.command)
                source: Literal["text", "structured"] = "structured" if told.structured else "text"
                if told.exit_code is not None:
                    return Result(told.text, ok=told.exit_code == 0, exit_code=told.exit_code, exit_source=source)
            return Result(as_text(attributes.get("output")), ok=False if success is False else None)
        if event.kind == "command" and success:
            return Result(ok=True, exit_code=0, exit_source="implied")
        return Result(ok=success)

    def _call(self, base: Event, attributes: Attributes) -> str:
        """The id of the call, added where it is met for the first time."""
        tool = text_at(attributes, "tool_name") or "(no name)"
        call = text_at(attributes, "tool_use_id") or text_at(attributes, "call_id")
        if call is None:  # older versions name none: the call of this tool that still waits
            waiting = [e for e in self.gathered.transcript.events[-50:] if e.tool == tool and e.ok is None and e.call]
            call = waiting[0].call if waiting else None
        call = call or f"{tool} {len(self.gathered.transcript.events) + 1}"
        if call not in self._positions:
            self._positions[call] = self.gathered.call(base, call_fields(tool, _given(attributes), call))
        return call


def _given(attributes: Attributes) -> JsonValue:
    for key in ("tool_input", "arguments"):
        if attributes.get(key) is not None:
            return attributes[key]
    parameters = attributes.get("tool_parameters")
    fields = call_fields("tool", parameters, None)["args"]
    if isinstance(fields, dict) and isinstance(fields.get("full_command"), str):
        return {"command": fields["full_command"]}
    return parameters


def _names(note: Note) -> tuple[str, str] | None:
    """(agent, event) of a record: ``claude_code.tool_result``; newer records name the event alone, beside the service."""
    for text in (note.body, note.name):
        if isinstance(text, str):
            agent, dot, event = text.partition(".")
            if dot and agent in _AGENTS:
                return agent, event
    return None


def _order(note: Note) -> tuple[float, int]:
    sequence = note.attributes.get("event.sequence")
    at = moment_of(note.attributes.get("event.timestamp"))
    seconds = datetime.fromisoformat(at).timestamp() if at is not None else (note.time or 0) / 1e9
    return seconds, sequence if isinstance(sequence, int) and not isinstance(sequence, bool) else 0


def _note(record: JsonValue) -> Note | None:
    if not isinstance(record, dict):
        return None
    body, attributes = text_at(record, "body"), object_at(record, "attributes")
    return Note(body or "", None, attributes, body) if body is not None else None


FORMAT = Format(HARNESS, READER, "document", speaks, read)
