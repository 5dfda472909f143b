"""Import of a Codex rollout: JSON lines, of which many say the same thing twice."""

from __future__ import annotations

import json
import shlex
from collections import Counter
from collections.abc import Iterable

from pydantic import JsonValue

from bench.schema.event import Event, Kind, Origin
from bench.traces.codex_prompts import ABORTED, Facts, context_pieces, facts_of, typed_pieces, unwrapped
from bench.traces.codex_records import CALLS, KNOWN, NOTICES, OUTPUTS, SHELLS, WITHOUT_RESULT
from bench.traces.codex_results import decoded, flatten, patch_changes, result_of
from bench.traces.lines import JsonObject, list_at, object_at, parse, read_lines, text_at
from bench.traces.recent import Recent, Texts
from bench.traces.report import ImportReport, Session
from bench.traces.transcript import Result, Transcript, account, event_of, moment_of, most_common
from bench.traces.written import Written, joined

READER = "codex@1"
HARNESS = "codex"


def read(stream: Iterable[bytes]) -> Session:
    """The session in a binary stream of JSON lines."""
    lines = list(read_lines(stream))
    report = ImportReport(format=HARNESS)
    importer = Importer(report, facts_of(line.record for line in lines if line.record is not None))
    account(lines, report, importer.transcript, importer.take, KNOWN)
    return Session(HARNESS, tuple(importer.transcript.events), report, most_common(importer.models))


class Importer:
    """One pass over the records of a rollout. With ``room`` it remembers only about so many of the latest."""

    def __init__(self, report: ImportReport, facts: Facts, room: int | None = None) -> None:
        self.transcript = Transcript()
        self.models: Counter[str] = Counter()
        self._report = report
        self._facts = facts
        self._room = room
        self._review: Texts | None = None  # prompts seen in the running review
        self._processes = Recent(room)  # number of a process that still runs -> call that started it

    def take(self, line: int, record: JsonObject) -> str:
        """Turn one record into events, and say what type of record it was."""
        outer, payload = unwrapped(record)
        inner = text_at(payload, "type") or "(no type)"
        base = event_of({"ts": moment_of(record.get("timestamp")), "line": line}, {})
        match outer:
            case "response_item":
                self._item(base, inner, payload)
            case "event_msg":
                self._event(base, inner, payload)
            case "compacted":
                self._compaction(base, text_at(payload, "message"))
            case "session_meta" | "turn_context":
                self._about(payload)
        return f"{outer}/{inner}" if outer in ("response_item", "event_msg") else outer

    def _about(self, payload: JsonObject) -> None:
        if version := text_at(payload, "cli_version"):
            self._report.versions[version] += 1
        if model := text_at(payload, "model"):
            self.models[model] += 1

    def _item(self, base: Event, name: str, payload: JsonObject) -> None:
        if name == "message":
            self._message(base, payload)
        elif name == "reasoning":
            parts = list_at(payload, "summary") or list_at(payload, "content")
            self._add(base, "reasoning", "\n".join(flatten([part]) for part in parts))
        elif name in CALLS:
            self.transcript.add_call(base.model_copy(update=_call_fields(name, payload)))
        elif name in OUTPUTS:
            self._output(base, payload)
        elif name in WITHOUT_RESULT:
            self.transcript.add(base.model_copy(update=_own_call_fields(name, payload)))
        elif name == "compaction":
            self._compaction(base, None)

    def _message(self, base: Event, payload: JsonObject) -> None:
        role = text_at(payload, "role")
        if role == "assistant":
            self._add(base, "message", flatten(payload.get("content")))
        elif role == "user":
            self._context(base, payload)
        else:
            self._add(base, "system", flatten(payload.get("content")))

    def _context(self, base: Event, payload: JsonObject) -> None:
        pieces = context_pieces(payload, self._facts)
        self._prompts(base, [piece for piece in pieces if not ABORTED.match(piece.text)])
        if "event_msg/turn_aborted" not in self._facts.record_types:
            for marker in (piece for piece in pieces if ABORTED.match(piece.text)):
                self._add(base, "interrupt", marker.text)

    def _event(self, base: Event, name: str, payload: JsonObject) -> None:  # noqa: C901 - one line a record type
        match name:
            case "user_message":
                self._user_message(base, payload)
            case "agent_message":
                self._unless_copied(base, "message", text_at(payload, "message"), self._facts.assistant_texts)
            case "agent_reasoning":
                self._unless_copied(base, "reasoning", text_at(payload, "text"), self._facts.reasoning_texts)
            case "exec_command_end":
                self._command_end(base, payload)
            case "patch_apply_end":
                self._patch_end(base, payload)
            case "mcp_tool_call_end":
                failed = "Err" in object_at(payload, "result") or object_at(payload, "result").get("is_error") is True
                self.transcript.amend(text_at(payload, "call_id"), Result(ok=not failed))
            case "dynamic_tool_call_response":
                self.transcript.amend(text_at(payload, "call_id"), Result(ok=_truth(payload.get("success"))))
            case "turn_aborted":
                kind: Kind = "system" if payload.get("reason") == "review_ended" else "interrupt"
                self._add(base, kind, f"turn aborted: {text_at(payload, 'reason') or 'no reason given'}")
            case "context_compacted":
                if not self._facts.record_types & {"compacted/None", "response_item/compaction"}:
                    self._compaction(base, None)
            case "entered_review_mode":
                self._review = Texts(self._room)
                self._add(base, "system", f"review started: {text_at(payload, 'user_facing_hint') or ''}")
            case "exited_review_mode":
                self._review = None
            case _ if name in NOTICES:
                self._add(base, "system", text_at(payload, "message") or "")

    def _user_message(self, base: Event, payload: JsonObject) -> None:
        typist: Origin = self._facts.typist
        if self._review is not None:
            text = text_at(payload, "message") or ""
            if text in self._review:
                return
            # The harness words the request for a review, and records it twice.
            self._review.add(text)
            typist = "injected"
        self._prompts(base, typed_pieces(payload, typist))

    def _prompts(self, base: Event, pieces: list[Written]) -> None:
        for piece in joined(pieces):
            prompt = {"kind": "prompt", "text": piece.text, "origin": piece.origin}
            self.transcript.add(base.model_copy(update=prompt))

    def _unless_copied(self, base: Event, kind: Kind, text: str | None, texts: Texts) -> None:
        if text is not None and text.strip() not in texts:
            self._add(base, kind, text)

    def _output(self, base: Event, payload: JsonObject) -> None:
        name = text_at(payload, "call_id")
        call = self.transcript.called(name)
        value = payload["output"] if "output" in payload else payload.get("tools")
        output = decoded(value, call.command if call else None)
        result = result_of(output, call)
        if not self.transcript.answer(name, result):
            fields = {"kind": "tool_result", "call": name, "output": output.text, "ok": result.ok}
            self.transcript.add_orphan(base.model_copy(update={**fields, "approval": result.approval}))
        elif call is not None and call.kind == "command" and output.session and name:
            self._processes.put(output.session, name)
        elif call is not None and call.tool == "write_stdin" and output.exit_code is not None:
            self._process_end(call, output.exit_code)

    def _process_end(self, poll: Event, code: int) -> None:
        """A poll reports the end of a command that was still running when its own result was written."""
        session = (poll.args or {}).get("session_id")
        started_by = self._processes.pop(str(session))
        self.transcript.amend(
            started_by if isinstance(started_by, str) else None,
            Result(ok=code == 0, exit_code=code, exit_source="text"),
        )

    def _command_end(self, base: Event, payload: JsonObject) -> None:
        code, call = payload.get("exit_code"), text_at(payload, "call_id")
        printed = text_at(payload, "aggregated_output") or text_at(payload, "formatted_output") or ""
        started = self.transcript.called(call)
        number = code if isinstance(code, int) and not isinstance(code, bool) else None
        result = Result(
            output=printed if started is None or started.output is None else None,
            ok=None if number is None else number == 0,
            exit_code=number,
            exit_source="none" if number is None else "structured",
        )
        if started is None and (command := _command_text(payload.get("command"))):
            # Run by the person in the harness, not by the agent.
            fields = {"kind": "command", "call": call, "command": command, "args": {"source": payload.get("source")}}
            self.transcript.add_call(base.model_copy(update=fields))
            started = self.transcript.called(call)
        if started is not None and started.kind == "command":
            self.transcript.amend(call, result)

    def _patch_end(self, base: Event, payload: JsonObject) -> None:
        call = self.transcript.called(text_at(payload, "call_id"))
        if call is not None and call.kind == "tool_call":
            self.transcript.amend(call.call, Result(ok=_truth(payload.get("success"))))
            return
        for path in patch_changes(payload):
            fields = {"kind": "file", "path": path, "ok": _truth(payload.get("success"))}
            self.transcript.add(base.model_copy(update=fields))

    def _compaction(self, base: Event, text: str | None) -> None:
        self.transcript.add(base.model_copy(update={"kind": "compaction", "text": text}))

    def _add(self, base: Event, kind: Kind, text: str) -> None:
        if text.strip():
            self.transcript.add(base.model_copy(update={"kind": kind, "text": text}))


def _call_fields(name: str, payload: JsonObject) -> dict[str, object]:
    tool = text_at(payload, "name") or ("local_shell" if name == "local_shell_call" else name.removesuffix("_call"))
    arguments = _arguments(payload)
    fields: dict[str, object] = {
        "kind": "tool_call",
        "call": text_at(payload, "call_id"),
        "tool": tool,
        "args": arguments,
    }
    key = "cmd" if "cmd" in arguments else "command"
    command = _command_text(arguments.get(key)) if tool in SHELLS else None
    if command:
        rest = {name: value for name, value in arguments.items() if name != key}
        fields |= {"kind": "command", "command": command, "args": rest or None}
    return fields


def _arguments(payload: JsonObject) -> JsonObject:
    for key in ("arguments", "action"):
        if isinstance(payload.get(key), dict):
            return object_at(payload, key)
    raw = text_at(payload, "arguments")
    if raw is not None:
        parsed = parse(raw.encode("utf-8", "replace"))
        return {"arguments": raw} if parsed is None else parsed
    return {"input": payload["input"]} if "input" in payload else {}


def _own_call_fields(name: str, payload: JsonObject) -> dict[str, object]:
    ended = {"completed": True, "failed": False}.get(text_at(payload, "status") or "")
    arguments = object_at(payload, "action") or None
    call = text_at(payload, "id")
    return {"kind": "tool_call", "call": call, "tool": name.removesuffix("_call"), "args": arguments, "ok": ended}


def _command_text(value: JsonValue) -> str | None:
    """The command as a person would type it: the shell that runs a one-line script is no part of it."""
    if isinstance(value, str):
        return value or None
    if not isinstance(value, list) or not value:
        return None
    words = [word if isinstance(word, str) else json.dumps(word) for word in value]
    wrapped = len(words) == 3 and words[1] in ("-lc", "-c") and words[0].rsplit("/", 1)[-1] in ("bash", "sh", "zsh")
    return (words[2] if wrapped else shlex.join(words)) or None


def _truth(value: JsonValue) -> bool | None:
    return value if isinstance(value, bool) else None
