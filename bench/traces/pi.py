"""Import of a session of pi (the coding agent of pi-mono): JSON lines, a tree by ``parentId``, read in file order.

Source of the format: ``packages/coding-agent/docs/session.md`` of github.com/badlogic/pi-mono, versions 1 to 3.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

from bench.schema.event import Event, Kind
from bench.traces.codex_results import flatten
from bench.traces.lines import JsonObject, list_at, object_at, read_lines, text_at
from bench.traces.report import ImportReport, Session
from bench.traces.transcript import Result, Transcript, account, event_of, moment_of, most_common

READER = "pi@1"
HARNESS = "pi"
_ROLES = frozenset({"user", "assistant", "toolResult", "bashExecution", "custom", "hookMessage"})
_BOOKKEEPING = {"session", "model_change", "thinking_level_change", "label", "session_info", "custom", "custom_message"}
KNOWN = frozenset(_BOOKKEEPING | {f"message/{role}" for role in _ROLES})  # a message may be empty
# The tool writes it behind the output; nothing that the command printed can stand after it.
_EXITED = re.compile(r"\n+Command exited with code (?P<code>-?\d{1,10})\s*\Z")


def speaks(record: JsonObject) -> bool:
    """Whether a record is one of this harness's and of no other's."""
    if record.get("type") == "session":
        return "cwd" in record and "id" in record and "message" not in record
    message = object_at(record, "message")  # Droid's has a role too, but no time in milliseconds
    return (
        record.get("type") == "message"
        and text_at(message, "role") in _ROLES
        and isinstance(message.get("timestamp"), int)
    )


def read(stream: Iterable[bytes]) -> Session:
    """The session in a binary stream of JSON lines."""
    report = ImportReport(format=HARNESS)
    importer = Importer(report)
    account(read_lines(stream), report, importer.transcript, importer.take, KNOWN)
    return Session(HARNESS, tuple(importer.transcript.events), report, most_common(importer.models))


class Importer:
    """One pass over the entries, in file order: abandoned branches stay in."""

    def __init__(self, report: ImportReport) -> None:
        self.transcript = Transcript()
        self.models: Counter[str] = Counter()
        self._report = report

    def take(self, line: int, record: JsonObject) -> str:
        """Turn one entry into events, and say what type of entry it was."""
        name = text_at(record, "type") or "(no type)"
        base = event_of({"ts": moment_of(record.get("timestamp")), "line": line}, {})
        match name:
            case "session":
                self._report.versions[f"session version {record.get('version', 1)}"] += 1
            case "message":
                message = object_at(record, "message")
                self._message(base, message)
                return f"message/{text_at(message, 'role') or '(no role)'}"
            case "compaction" | "branch_summary":
                self._compaction(base, text_at(record, "summary"))
            case "custom_message":
                self._add(base, "system", flatten(record.get("content")))
        return name

    def _message(self, base: Event, message: JsonObject) -> None:
        match text_at(message, "role"):
            case "user":
                self._prompt(base, flatten(message.get("content")))
            case "assistant":
                self._assistant(base, message)
            case "toolResult":
                self._result(base, message)
            case "bashExecution":
                self._own_command(base, message)
            case "custom" | "hookMessage":
                self._add(base, "system", flatten(message.get("content")))

    def _prompt(self, base: Event, text: str) -> None:
        if text.strip():
            self.transcript.add(base.model_copy(update={"kind": "prompt", "text": text, "origin": "human"}))

    def _assistant(self, base: Event, message: JsonObject) -> None:
        if model := text_at(message, "model"):
            self.models[model] += 1
        for block in list_at(message, "content"):
            if isinstance(block, dict):
                self._block(base, block)
        if message.get("stopReason") == "aborted":
            self.transcript.add(base.model_copy(update={"kind": "interrupt", "text": text_at(message, "errorMessage")}))
        elif message.get("stopReason") == "error":
            self._add(base, "system", f"error: {text_at(message, 'errorMessage') or 'no message'}")

    def _block(self, base: Event, block: JsonObject) -> None:
        match text_at(block, "type"):
            case "text":
                self._add(base, "message", text_at(block, "text") or "")
            case "thinking":
                self._add(base, "reasoning", text_at(block, "thinking") or "")
            case "toolCall":
                self.transcript.add_call(base.model_copy(update=_call_fields(block)))

    def _result(self, base: Event, message: JsonObject) -> None:
        call, text = text_at(message, "toolCallId"), flatten(message.get("content"))
        failed = message.get("isError") is True
        started = self.transcript.called(call)
        result = Result(output=text, ok=not failed)
        if started is not None and started.kind == "command":
            result = _command_result(text, failed)
        if not self.transcript.answer(call, result):
            fields = {"kind": "tool_result", "call": call, "tool": text_at(message, "toolName"), "output": text}
            self.transcript.add_orphan(base.model_copy(update={**fields, "ok": result.ok}))

    def _own_command(self, base: Event, message: JsonObject) -> None:
        """A command that the person ran in the harness."""
        command, code = text_at(message, "command"), message.get("exitCode")
        if command is None:
            return
        known = isinstance(code, int) and not isinstance(code, bool)
        fields = {
            "kind": "command",
            "command": command,
            "args": {"source": "person"},
            "output": text_at(message, "output") or "",
            "exit_code": code if known else None,
            "exit_source": "structured" if known else "none",
            "ok": code == 0 if known else None,
        }
        self.transcript.add(base.model_copy(update=fields))

    def _compaction(self, base: Event, text: str | None) -> None:
        self.transcript.add(base.model_copy(update={"kind": "compaction", "text": text}))

    def _add(self, base: Event, kind: Kind, text: str) -> None:
        if text.strip():
            self.transcript.add(base.model_copy(update={"kind": kind, "text": text}))


def _call_fields(block: JsonObject) -> dict[str, object]:
    tool, arguments = text_at(block, "name") or "(no name)", object_at(block, "arguments")
    fields: dict[str, object] = {"kind": "tool_call", "call": text_at(block, "id"), "tool": tool, "args": arguments}
    command = text_at(arguments, "command") if tool == "bash" else None
    if command:
        rest = {name: value for name, value in arguments.items() if name != "command"}
        fields |= {"kind": "command", "command": command, "args": rest or None}
    return fields


def _command_result(text: str, failed: bool) -> Result:
    """A failed command ends with its code; one that did not fail exited with 0; a timeout or an abort has no code."""
    if not failed:
        return Result(output=text, ok=True, exit_code=0, exit_source="implied")
    found = _EXITED.search(text)
    if found is None:
        return Result(output=text, ok=False, exit_source="none")
    return Result(output=text, ok=False, exit_code=int(found["code"]), exit_source="text")
