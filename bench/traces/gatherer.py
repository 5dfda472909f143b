"""What importers of blocks, parts and entries share: texts and who wrote them, calls, and answers to calls."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Container, Iterable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Protocol

from pydantic import JsonValue

from bench.schema.event import Event, Kind
from bench.traces.lines import JsonObject, Line, parse, text_at
from bench.traces.report import ImportReport, Session
from bench.traces.transcript import Result, Transcript, most_common
from bench.traces.written import Written, joined

_LARGEST_CODE = 1 << 32  # Windows reports unsigned codes of 32 bits
_LAST_MOMENT = 253402300800000  # the year 10000, in milliseconds


@dataclass
class Gatherer:
    """The events of one session, while an importer walks over its records."""

    report: ImportReport
    transcript: Transcript = field(default_factory=Transcript)
    models: Counter[str] = field(default_factory=Counter)

    def say(self, base: Event, kind: Kind, text: str | None) -> None:
        """Add an event that is only text; a blank one is none."""
        if text is not None and text.strip():
            self.transcript.add(base.model_copy(update={"kind": kind, "text": text}))

    def ask(self, base: Event, written: Iterable[Written]) -> None:
        """Add what stands under the user's name, one event for each writer in turn."""
        for piece in joined(piece for piece in written if piece.text.strip()):
            if piece.origin == "compaction":
                self.say(base, "compaction", piece.text)
            else:
                self.transcript.add(
                    base.model_copy(update={"kind": "prompt", "text": piece.text, "origin": piece.origin})
                )

    def call(self, base: Event, fields: dict[str, object]) -> int:
        """Add a call, and give the position of its event."""
        self.transcript.add_call(base.model_copy(update=fields))
        return self.transcript.end - 1

    def answer(self, base: Event, call: str | None, result: Result, tool: str | None = None) -> None:
        """Give a result to its call; without one it becomes an event of its own."""
        if not self.transcript.answer(call, result):
            self.orphan(base, call, result, tool)

    def orphan(self, base: Event, call: str | None, result: Result, tool: str | None = None) -> None:
        """Add a result whose call is not in the record."""
        fields = {"kind": "tool_result", "call": call, "tool": tool, **fields_of(result), "output": result.output or ""}
        self.transcript.add_orphan(base.model_copy(update=fields))

    def fill(self, position: int, fields: dict[str, object]) -> None:
        """Complete the event at a position: for formats whose calls have no id of their own."""
        self.transcript.events[position - self.transcript.first] = self.at(position).model_copy(update=fields)
        self.transcript.changes += 1

    def at(self, position: int) -> Event:
        return self.transcript.events[position - self.transcript.first]


class Importer(Protocol):
    """Takes the payloads of one session, by name."""

    gathered: Gatherer

    def take(self, name: str, payload: JsonObject, line: int) -> None: ...


def sessions_of_payloads(
    lines: Iterable[Line], report: ImportReport, name_key: str, known: Container[str], make: Callable[[], Importer],
    partial: str,
) -> Iterator[Session]:  # fmt: skip
    """Payloads under their ``session_id``, each named by a field; all sessions of a file share its report."""
    sessions: dict[str, Importer] = {}
    for line in lines:
        report.seen += 1
        if line.record is None:
            report.malformed.append(line.number)
            continue
        name = text_at(line.record, name_key) or "(no name)"
        importer = sessions.setdefault(text_at(line.record, "session_id") or "", make())
        before = importer.gathered.transcript.changes
        importer.take(name, line.record, line.number)
        if importer.gathered.transcript.changes > before:
            report.used += 1
        else:
            (report.skipped if name in known else report.unknown)[name[:60]] += 1
    found = False
    for identity, importer in sessions.items():
        gathered = importer.gathered
        report.orphan_results += gathered.transcript.orphan_results
        if events := tuple(gathered.transcript.events):
            found = True
            model = most_common(gathered.models)
            yield Session(report.format, events, report, model, id=identity or None, partial=partial)
    if not found:
        yield Session(report.format, (), report)


def fields_of(result: Result) -> dict[str, object]:
    """A result as fields of its event."""
    return {
        "output": result.output,
        "ok": result.ok,
        "exit_code": result.exit_code,
        "exit_source": result.exit_source,
        "approval": result.approval,
    }


def call_fields(call: str | None, tool: str | None, arguments: JsonObject, shells: frozenset[str]) -> dict[str, object]:
    """The fields of a call; one of a shell, with a command, is a command."""
    fields: dict[str, object] = {"kind": "tool_call", "call": call, "tool": tool or "(no name)", "args": arguments}
    command = arguments.get("command") if tool in shells else None
    if isinstance(command, str) and command:
        rest = {key: value for key, value in arguments.items() if key != "command"}
        fields |= {"kind": "command", "command": command, "args": rest or None}
    return fields


def arguments_of(value: JsonValue) -> JsonObject:
    """Arguments given as an object or as the text of one; any other text is kept as it is."""
    if isinstance(value, dict):
        return value
    if not isinstance(value, str) or not value:
        return {}
    parsed = parse(value.encode("utf-8", "replace"))
    return {"arguments": value} if parsed is None else parsed


def code_of(value: JsonValue) -> int | None:
    """An exit code given as a number."""
    whole = isinstance(value, int) and not isinstance(value, bool)
    return value if whole and -_LARGEST_CODE < value < _LARGEST_CODE else None  # type: ignore[operator, return-value]


def ended_with(output: str | None, code: int | None) -> Result:
    """The result of a command whose exit code the record holds in a field of its own, or not at all."""
    if code is None:
        return Result(output, exit_source="none")
    return Result(output, ok=code == 0, exit_code=code, exit_source="structured")


def moment_of_ms(value: JsonValue) -> str | None:
    """A moment given in milliseconds since 1970, which are the same in every zone."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < _LAST_MOMENT:
        return None
    return datetime.fromtimestamp(value / 1000, UTC).isoformat(timespec="milliseconds")


def as_json(value: JsonValue) -> str:
    return "" if value is None else json.dumps(value, ensure_ascii=False)
