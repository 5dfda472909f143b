"""Import of a Claude Code session: one JSON line a record, messages spread over several of them.

The records form a tree (``parentUuid``). They are read in file order and abandoned branches stay in:
``bench.traces.claude_tree`` tells which lines lie on them. Sub-agents have threads of their own, in the same file or in
files beside it (``bench.traces.claude_files``).
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import BinaryIO

import orjson
from pydantic import JsonValue

from bench.schema.event import Kind
from bench.traces.claude_prompts import INTERRUPT, pieces
from bench.traces.claude_records import (
    ATTACHMENT_WITH_TEXT,
    COLLAPSE,
    EDITED,
    KNOWN,
    SILENT_BLOCKS,
    SYSTEM_WITH_TEXT,
)
from bench.traces.claude_results import flatten, permission_of, result_of
from bench.traces.lines import JsonObject, bounded_lines, list_at, object_at, read_lines, text_at
from bench.traces.recent import Recent
from bench.traces.report import Format, ImportReport, Session
from bench.traces.transcript import Transcript, account, event_of, moment_of, most_common
from bench.traces.written import Written, joined

READER = "claude-code@1"
HARNESS = "claude-code"

_Base = Mapping[str, object]  # what all events of a record share
_SYNTHETIC = "<synthetic>"  # the harness's own lines, filed under the assistant
_SPEAKERS = frozenset({"user", "assistant"})
_NOTES = frozenset({"system", "attachment", "progress"})


def speaks(record: JsonObject) -> bool:
    """Whether a record is one of this harness's and of no other's."""
    kind = record.get("type")
    if "payload" in record:
        return False
    if kind in _SPEAKERS:
        return isinstance(record.get("message"), dict) and ("uuid" in record or "sessionId" in record)
    if kind in _NOTES:
        return "uuid" in record and "parentUuid" in record
    return (kind == "summary" and "leafUuid" in record) or (kind == "file-history-snapshot" and "messageId" in record)


def read(stream: Iterable[bytes]) -> Session:
    """The session in a binary stream of JSON lines."""
    report = ImportReport(format=HARNESS)
    importer = Importer(report)
    account(read_lines(stream), report, importer.transcript, importer.take, KNOWN)
    return importer.session()


class Importer:
    """One pass over the records of a file. With ``room`` it remembers only about so many of the latest."""

    def __init__(self, report: ImportReport, room: int | None = None) -> None:
        self.transcript = Transcript()
        self.models: Counter[str] = Counter()
        self.identity: str | None = None
        self._report = report
        self._records = Recent(room)
        self._blocks = Recent(room)
        self._delivered = Recent(room)  # prompts that have a record of their own, or went back to the editor
        self._queued = Recent(room)  # text -> positions of the prompts told where they were queued
        self._roots = Recent(room)  # record of a sub-agent -> first of its branch, which names an unnamed one

    def session(self, harness: str = HARNESS) -> Session:
        """All that was taken, as one session."""
        events = tuple(self.transcript.release(self.transcript.end, self.transcript.end))
        return Session(harness, events, self._report, most_common(self.models), id=self.identity)

    def take(self, line: int, record: JsonObject) -> str:
        """Turn one record into events, and say what type of record it was."""
        kind = text_at(record, "type") or "(no type)"
        if version := text_at(record, "version"):
            self._report.versions[version] += 1
        if kind in _SPEAKERS and self._is_repeated(record):
            return f"{kind} (repeated)"
        base = {"ts": moment_of(record.get("timestamp")), "thread": "main", "line": line}
        if record.get("isSidechain") is True:
            base["thread"] = self._thread(record)
        match kind:
            case "user":
                self._user(base, record, object_at(record, "message").get("content"))
            case "assistant":
                self._assistant(base, record)
            case "queue-operation":
                self._queue(base, record)
            case "system":
                return f"system/{self._system(base, record)}"
            case "attachment":
                return f"attachment/{self._attachment(base, object_at(record, 'attachment'))}"
            case _ if kind == COLLAPSE:
                self._add(base, "compaction", text_at(record, "summaryContent") or text_at(record, "summary") or "")
        return kind

    def _is_repeated(self, record: JsonObject) -> bool:
        """A resumed session may copy records of the one before; a copy is no second event."""
        if self.identity is None:
            self.identity = text_at(record, "sessionId")
        identity = record.get("uuid")
        return isinstance(identity, str) and identity != "" and not self._records.is_new(identity)

    def _thread(self, record: JsonObject) -> str:
        """Which agent speaks: the thread of a sub-agent is told by its id, or else by the first record of its branch."""
        identity = text_at(record, "uuid")
        root = self._roots.get(text_at(record, "parentUuid")) or identity
        if identity is not None:
            self._roots.put(identity, root)
        return f"sub:{text_at(record, 'agentId') or root or 'unknown'}"

    def _user(self, base: _Base, record: JsonObject, content: JsonValue) -> None:
        blocks = content if isinstance(content, list) else [content]
        texts: list[str] = []
        results = False
        for block in blocks:
            if isinstance(block, dict):
                if _is_result(block):
                    results = True
                    self._result(base, block, record.get("toolUseResult") if len(blocks) == 1 else None)
                elif block.get("type") in ("text", "image", "document"):
                    texts.append(text_at(block, "text") or f"[{block['type']}]")
                else:
                    self._other(base, block)
            elif isinstance(block, str):
                texts.append(block)
            elif block is not None:
                self._other(base, block)
        if not results and content is not None:
            self._deliver(flatten(content))
        if texts:
            self._prompts(base, [piece for text in texts if text.strip() for piece in pieces(text, record)])

    def _prompts(self, base: _Base, written: list[Written]) -> None:
        for marker in (piece for piece in written if INTERRUPT.fullmatch(piece.text)):
            self._add(base, "interrupt", marker.text)
        for piece in joined(piece for piece in written if not INTERRUPT.fullmatch(piece.text)):
            if piece.origin == "compaction":
                self._add(base, "compaction", piece.text)
            else:
                self.transcript.add(event_of(base, {"kind": "prompt", "text": piece.text, "origin": piece.origin}))

    def _result(self, base: _Base, block: JsonObject, details: JsonValue) -> None:
        call = text_at(block, "tool_use_id")
        if not self.transcript.answer(call, result_of(block, details, self.transcript.called(call))):
            result = result_of(block, details, None)
            fields = {"kind": "tool_result", "call": call, "output": result.output, "ok": result.ok}
            self.transcript.add_orphan(event_of(base, {**fields, "approval": result.approval}))

    def _assistant(self, base: _Base, record: JsonObject) -> None:
        message = object_at(record, "message")
        model = text_at(message, "model")
        if model is not None and model != _SYNTHETIC:
            self.models[model] += 1
        spoken: Kind = "system" if model == _SYNTHETIC or record.get("isApiErrorMessage") is True else "message"
        content, identity = message.get("content"), text_at(message, "id")
        for block in content if isinstance(content, list) else [content]:
            if not self._is_doubled(identity, block):
                self._assistant_block(base, spoken, block)

    def _is_doubled(self, message: str | None, block: JsonValue) -> bool:
        """One API message spans several lines, and some of them repeat its blocks."""
        return message is not None and not self._blocks.is_new(hash((message, _canonical(block))))

    def _assistant_block(self, base: _Base, spoken: Kind, block: JsonValue) -> None:
        if isinstance(block, str):
            self._add(base, spoken, block)
            return
        if not isinstance(block, dict):
            return
        name = block.get("type")
        if name == "text":
            self._add(base, spoken, text_at(block, "text") or "")
        elif name == "thinking":
            self._add(base, "reasoning", text_at(block, "thinking") or "")
        elif name in ("tool_use", "server_tool_use", "mcp_tool_use"):
            self.transcript.add_call(event_of(base, _call_fields(block)))
        elif _is_result(block):
            self._result(base, block, None)
        elif not isinstance(name, str) or name not in SILENT_BLOCKS:
            self._other(base, block)

    def _queue(self, base: _Base, record: JsonObject) -> None:
        """Older versions record a prompt typed while the agent worked only where it was queued."""
        text, operation = text_at(record, "content") or "", record.get("operation")
        if operation == "popAll":
            self._deliver(flatten(record.get("content")))
        typed = text.strip() and not text.startswith(("<", "/"))
        if operation == "enqueue" and typed and hash(text) not in self._delivered:
            prompt = {"kind": "prompt", "text": text, "origin": "human", "fidelity": "inferred"}
            told = self._queued.get(hash(text))
            positions = told if isinstance(told, list) else []
            positions.append(self.transcript.add_provisional(event_of(base, prompt)))
            self._queued.put(hash(text), positions)

    def _deliver(self, text: str) -> None:
        """A prompt that has a record of its own is no second one where it was queued."""
        key = hash(text)
        self._delivered.put(key, None)
        told = self._queued.pop(key)
        for position in told if isinstance(told, list) else ():
            if self.transcript.withdraw(position):
                self._report.used -= 1
                self._report.skipped["queue-operation"] += 1

    def _system(self, base: _Base, record: JsonObject) -> str:
        subtype = text_at(record, "subtype") or "(no subtype)"
        if subtype == "stop_hook_summary":
            self._add(base, "system", "\n".join(flatten(error) for error in list_at(record, "hookErrors")))
        elif subtype in SYSTEM_WITH_TEXT:
            self._add(base, "system", text_at(record, "content") or _as_json(record.get("error")))
        return subtype

    def _attachment(self, base: _Base, attachment: JsonObject) -> str:
        name = text_at(attachment, "type") or "(no type)"
        if "prompt" in attachment and name != "queued_command":
            self._deliver(flatten(attachment["prompt"]))
        if name == "queued_command":
            self._user(base, attachment, attachment.get("prompt"))
        elif name in EDITED and (path := text_at(attachment, "filename")):
            self.transcript.add(event_of(base, {"kind": "file", "path": path, "text": text_at(attachment, "snippet")}))
        elif name == "hook_permission_decision" and (approval := permission_of(attachment)) is not None:
            call = text_at(attachment, "toolUseID")
            self.transcript.add(event_of(base, {"kind": "approval", "call": call, "approval": approval}))
        elif name in ATTACHMENT_WITH_TEXT:
            self._add(base, "system", _notice(attachment))
        return name

    def _add(self, base: _Base, kind: Kind, text: str) -> None:
        if text.strip():
            self.transcript.add(event_of(base, {"kind": kind, "text": text}))

    def _other(self, base: _Base, block: JsonValue) -> None:
        self._add(base, "other", _as_json(block))


def _is_result(block: JsonObject) -> bool:
    if "tool_use_id" not in block:
        return False
    kind = block.get("type")
    return kind == "tool_result" or (isinstance(kind, str) and kind.endswith("tool_result"))


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


def _canonical(value: JsonValue) -> bytes:
    try:
        return orjson.dumps(value, option=orjson.OPT_SORT_KEYS)
    except TypeError:  # an integer beyond 64 bits
        return json.dumps(value, sort_keys=True).encode()


def _as_json(value: JsonValue) -> str:
    return "" if value is None else json.dumps(value, ensure_ascii=False)


def _sessions(stream: BinaryIO) -> Iterator[Session]:
    yield read(bounded_lines(stream))


FORMAT = Format(HARNESS, READER, "lines", speaks, _sessions)
