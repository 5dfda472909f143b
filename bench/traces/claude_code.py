"""Import of a Claude Code session: one JSON line a record, messages spread over several of them."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable

from pydantic import JsonValue

from bench.schema.event import Event, Kind
from bench.traces.claude_prompts import INTERRUPT, pieces
from bench.traces.claude_results import flatten, result_of
from bench.traces.lines import JsonObject, Line, list_at, object_at, read_lines, text_at
from bench.traces.report import ImportReport, Session
from bench.traces.transcript import Transcript, account, moment_of, most_common
from bench.traces.written import Written, joined

READER = "claude-code@1"
HARNESS = "claude-code"

_SYNTHETIC = "<synthetic>"  # the harness's own lines, filed under the assistant
_SILENT_BLOCKS = frozenset({"redacted_thinking", "fallback"})
_SYSTEM_WITH_TEXT = frozenset(
    {"api_error", "informational", "local_command", "microcompact_boundary", "permission_retry"}
)
# Retellings of the session by the harness, and its bookkeeping: nothing happened there.
_SYSTEM_SILENT = frozenset({"away_summary", "bridge_status", "compact_boundary", "stop_hook_summary", "turn_duration"})
_ATTACHMENT_WITH_TEXT = frozenset(
    {
        "diagnostics",
        "hook_additional_context",
        "hook_blocking_error",
        "hook_error_during_execution",
        "hook_non_blocking_error",
        "hook_stopped_continuation",
        "hook_system_message",
    }
)
_ATTACHMENT_SILENT = frozenset(
    {
        "agent_listing_delta",
        "auto_mode",
        "auto_mode_exit",
        "command_permissions",
        "date_change",
        "deferred_tools_delta",
        "directory",
        "file",
        "hook_cancelled",
        "hook_success",
        "mcp_instructions_delta",
        "nested_memory",
        "plan_mode",
        "plan_mode_exit",
        "skill_listing",
        "task_reminder",
        "todo_reminder",
        "ultra_effort_enter",
    }
)
_SILENT = frozenset(
    {
        "agent-name",
        "ai-title",
        "bridge-session",
        "custom-title",
        "file-history-delta",
        "file-history-snapshot",
        "last-prompt",
        "mode",
        "permission-mode",
        "pr-link",
        "progress",
        "queue-operation",
        "summary",
        "tag",
    }
)
_KNOWN = (
    _SILENT
    | {"user", "assistant", "user (repeated)", "assistant (repeated)"}
    | {f"system/{name}" for name in _SYSTEM_SILENT | _SYSTEM_WITH_TEXT}
    | {f"attachment/{name}" for name in _ATTACHMENT_SILENT | _ATTACHMENT_WITH_TEXT}
    | {"attachment/edited_text_file", "attachment/queued_command"}
)


def read(stream: Iterable[bytes]) -> Session:
    """The session in a binary stream of JSON lines."""
    lines = list(read_lines(stream))
    report = ImportReport(format=HARNESS)
    importer = _Importer(report, _delivered(lines))
    account(lines, report, importer.transcript, importer.take, _KNOWN)
    return Session(HARNESS, tuple(importer.transcript.events), report, most_common(importer.models))


class _Importer:
    """One pass over the records of a file, in file order: abandoned branches of the tree stay in."""

    def __init__(self, report: ImportReport, delivered: frozenset[str]) -> None:
        self.transcript = Transcript()
        self.models: Counter[str] = Counter()
        self._report = report
        self._delivered = delivered
        self._records: set[str] = set()
        self._blocks: set[tuple[str, str]] = set()
        self._roots: dict[str, str] = {}  # record -> first record of its branch, which names an unnamed sub-agent

    def take(self, line: int, record: JsonObject) -> str:
        """Turn one record into events, and say what type of record it was."""
        kind = text_at(record, "type") or "(no type)"
        if version := text_at(record, "version"):
            self._report.versions[version] += 1
        if kind in ("user", "assistant") and self._is_repeated(record):
            return f"{kind} (repeated)"
        base = Event(kind="other", ts=moment_of(record.get("timestamp")), thread=self._thread(record), line=line)
        match kind:
            case "user":
                self._user(base, record, object_at(record, "message").get("content"))
            case "assistant":
                self._assistant(base, record)
            case "queue-operation":
                self._queued(base, record)
            case "system":
                return f"system/{self._system(base, record)}"
            case "attachment":
                return f"attachment/{self._attachment(base, object_at(record, 'attachment'))}"
        return kind

    def _is_repeated(self, record: JsonObject) -> bool:
        """A resumed session may copy records of the one before; a copy is no second event."""
        identity = text_at(record, "uuid")
        if identity is None:
            return False
        repeated = identity in self._records
        self._records.add(identity)
        return repeated

    def _thread(self, record: JsonObject) -> str:
        identity = text_at(record, "uuid") or ""
        root = self._roots.get(text_at(record, "parentUuid") or "", identity)
        self._roots[identity] = root
        if record.get("isSidechain") is not True:
            return "main"
        return f"sub:{text_at(record, 'agentId') or root or 'unknown'}"

    def _user(self, base: Event, record: JsonObject, content: JsonValue) -> None:
        blocks = content if isinstance(content, list) else [content]
        texts: list[str] = []
        for block in blocks:
            if isinstance(block, str):
                texts.append(block)
            elif isinstance(block, dict) and block.get("type") in ("text", "image", "document"):
                texts.append(text_at(block, "text") or f"[{block['type']}]")
            elif isinstance(block, dict) and _is_result(block):
                self._result(base, block, record.get("toolUseResult") if len(blocks) == 1 else None)
            elif block is not None:
                self._other(base, block)
        self._prompts(base, [piece for text in texts if text.strip() for piece in pieces(text, record)])

    def _prompts(self, base: Event, written: list[Written]) -> None:
        for marker in (piece for piece in written if INTERRUPT.fullmatch(piece.text)):
            self._add(base, "interrupt", marker.text)
        for piece in joined(piece for piece in written if not INTERRUPT.fullmatch(piece.text)):
            if piece.origin == "compaction":
                self._add(base, "compaction", piece.text)
            else:
                self.transcript.add(
                    base.model_copy(update={"kind": "prompt", "text": piece.text, "origin": piece.origin})
                )

    def _result(self, base: Event, block: JsonObject, details: JsonValue) -> None:
        call = text_at(block, "tool_use_id")
        if not self.transcript.answer(call, result_of(block, details, self.transcript.called(call))):
            result = result_of(block, details, None)
            fields = {"kind": "tool_result", "call": call, "output": result.output, "ok": result.ok}
            self.transcript.add_orphan(base.model_copy(update={**fields, "approval": result.approval}))

    def _assistant(self, base: Event, record: JsonObject) -> None:
        message = object_at(record, "message")
        model = text_at(message, "model")
        if model is not None and model != _SYNTHETIC:
            self.models[model] += 1
        spoken: Kind = "system" if model == _SYNTHETIC or record.get("isApiErrorMessage") is True else "message"
        content = message.get("content")
        for block in content if isinstance(content, list) else [content]:
            if not self._is_doubled(text_at(message, "id"), block):
                self._assistant_block(base, spoken, block)

    def _is_doubled(self, message: str | None, block: JsonValue) -> bool:
        """One API message spans several lines, and some of them repeat its blocks."""
        if message is None:
            return False
        key = (message, json.dumps(block, sort_keys=True))
        doubled = key in self._blocks
        self._blocks.add(key)
        return doubled

    def _assistant_block(self, base: Event, spoken: Kind, block: JsonValue) -> None:
        if isinstance(block, str):
            self._add(base, spoken, block)
            return
        if not isinstance(block, dict):
            return
        name = text_at(block, "type") or "(no type)"
        if name == "text":
            self._add(base, spoken, text_at(block, "text") or "")
        elif name == "thinking":
            self._add(base, "reasoning", text_at(block, "thinking") or "")
        elif name in ("tool_use", "server_tool_use", "mcp_tool_use"):
            self.transcript.add_call(base.model_copy(update=_call_fields(block)))
        elif _is_result(block):
            self._result(base, block, None)
        elif name not in _SILENT_BLOCKS:
            self._other(base, block)

    def _queued(self, base: Event, record: JsonObject) -> None:
        """Older versions record a prompt typed while the agent worked only where it was queued."""
        text = text_at(record, "content") or ""
        typed = text.strip() and not text.startswith(("<", "/"))
        if record.get("operation") == "enqueue" and typed and text not in self._delivered:
            prompt = {"kind": "prompt", "text": text, "origin": "human", "fidelity": "inferred"}
            self.transcript.add(base.model_copy(update=prompt))

    def _system(self, base: Event, record: JsonObject) -> str:
        subtype = text_at(record, "subtype") or "(no subtype)"
        if subtype == "stop_hook_summary":
            self._add(base, "system", "\n".join(flatten(error) for error in list_at(record, "hookErrors")))
        elif subtype in _SYSTEM_WITH_TEXT:
            self._add(base, "system", text_at(record, "content") or _as_json(record.get("error")))
        return subtype

    def _attachment(self, base: Event, attachment: JsonObject) -> str:
        name = text_at(attachment, "type") or "(no type)"
        if name == "queued_command":
            self._user(base, attachment, attachment.get("prompt"))
        elif name == "edited_text_file" and (path := text_at(attachment, "filename")):
            fields = {"kind": "file", "path": path, "text": text_at(attachment, "snippet")}
            self.transcript.add(base.model_copy(update=fields))
        elif name in _ATTACHMENT_WITH_TEXT:
            self._add(base, "system", _notice(attachment))
        return name

    def _add(self, base: Event, kind: Kind, text: str) -> None:
        if text.strip():
            self.transcript.add(base.model_copy(update={"kind": kind, "text": text}))

    def _other(self, base: Event, block: JsonValue) -> None:
        self._add(base, "other", _as_json(block))


def _delivered(lines: Iterable[Line]) -> frozenset[str]:
    """Queued texts that have a record of their own, or that went back to the editor."""
    records = [line.record for line in lines if line.record is not None]
    prompts = [object_at(r, "message").get("content") for r in records if r.get("type") == "user"]
    attached = [object_at(r, "attachment").get("prompt") for r in records if r.get("type") == "attachment"]
    taken_back = [r.get("content") for r in records if r.get("operation") == "popAll"]
    return frozenset(flatten(content) for content in [*prompts, *attached, *taken_back] if content is not None)


def _is_result(block: JsonObject) -> bool:
    return "tool_use_id" in block and (text_at(block, "type") or "").endswith("tool_result")


def _call_fields(block: JsonObject) -> dict[str, object]:
    arguments, tool = object_at(block, "input"), text_at(block, "name") or "(no name)"
    command = text_at(arguments, "command") if tool == "Bash" else None
    fields: dict[str, object] = {"kind": "tool_call", "call": text_at(block, "id"), "tool": tool, "args": arguments}
    if command is not None:
        rest = {key: value for key, value in arguments.items() if key != "command"}
        fields |= {"kind": "command", "command": command, "args": rest or None}
    return fields


def _notice(attachment: JsonObject) -> str:
    for key in ("content", "stderr", "message", "blockingError", "files"):
        if value := attachment.get(key):
            return value if isinstance(value, str) else _lines_of(value)
    return ""


def _lines_of(value: JsonValue) -> str:
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        return "\n".join(str(item) for item in value)
    return _as_json(value)


def _as_json(value: JsonValue) -> str:
    return "" if value is None else json.dumps(value, ensure_ascii=False)
