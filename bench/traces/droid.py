"""Import of a Factory Droid session: JSON lines, a start and then messages of Anthropic-style blocks.

A record is a line. Only an error flag tells how a call ended: exit codes are not recorded, so a command that did not
fail has no outcome. Text in ``<system-reminder>`` is the harness's. Approvals and refusals have no mark of their own;
the model stands in a settings file beside the session.

Sources: ``src/adapters/droid`` of github.com/letta-ai/trajectory and ``DroidSessionParser.swift`` of
github.com/robertpelloni/borg (session store; not the stream of ``droid exec``).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from bench.schema.event import Event
from bench.traces.blocks import add_assistant, blocks_of, texts_of_user
from bench.traces.gatherer import Gatherer
from bench.traces.lines import JsonObject, object_at, read_lines, text_at
from bench.traces.report import Format, ImportReport, Session
from bench.traces.tags import opening_of, taken_apart
from bench.traces.transcript import account, moment_of, most_common

HARNESS = "factory-droid"
SHELLS = frozenset({"Execute", "Bash"})
_NOTES = frozenset({"session_start", "session_end", "todo_state", "agent_turn_outcome", "compaction_state"})
KNOWN = _NOTES | {"message/user", "message/assistant"}
_REMINDER = opening_of(["system-reminder", "system-notification"])


def speaks(record: JsonObject) -> bool:
    """Whether a line is one of this harness's and of no other's."""
    if record.get("type") == "session_start":
        return "id" in record and "cwd" in record and bool({"title", "sessionTitle", "owner", "version"} & set(record))
    message = object_at(record, "message")  # pi's has a time in milliseconds, Claude Code's records have a uuid
    return (
        record.get("type") == "message"
        and message.get("role") in ("user", "assistant")
        and isinstance(message.get("content"), list)
        and "timestamp" not in message
        and "uuid" not in record
    )


def read(stream: Iterable[bytes]) -> Iterator[Session]:
    """The session in a binary stream of JSON lines."""
    report = ImportReport(format=HARNESS)
    importer = _Importer(report)
    account(read_lines(stream), report, importer.gatherer.transcript, importer.take, KNOWN)
    events, models = importer.gatherer.transcript.events, importer.gatherer.models
    yield Session(HARNESS, tuple(events), report, most_common(models), id=importer.session)


class _Importer:
    """One pass over the lines, in file order."""

    def __init__(self, report: ImportReport) -> None:
        self.gatherer = Gatherer(report)
        self.session: str | None = None

    def take(self, line: int, record: JsonObject) -> str:
        """Turn one record into events, and say what type of record it was."""
        name = text_at(record, "type") or "(no type)"
        base = Event(kind="other", ts=moment_of(record.get("timestamp")), line=line)
        match name:
            case "session_start":
                self.session = self.session or text_at(record, "id")
                if isinstance(version := record.get("version"), int | str):
                    self.gatherer.report.versions[f"session version {version}"[:60]] += 1
            case "compaction_state":
                summary = object_at(record, "summary")
                self.gatherer.say(base, "compaction", text_at(record, "summaryText") or text_at(summary, "body"))
            case "message":
                message = object_at(record, "message")
                self._message(base, message)
                return f"message/{text_at(message, 'role') or '(no role)'}"
        return name

    def _message(self, base: Event, message: JsonObject) -> None:
        blocks, role = blocks_of(message), text_at(message, "role")
        if role == "user":
            texts = texts_of_user(self.gatherer, base, blocks)
            self.gatherer.ask(base, [piece for text in texts for piece in taken_apart(text, _REMINDER, "human")])
        elif role == "assistant":
            if model := text_at(message, "model"):
                self.gatherer.models[model] += 1
            add_assistant(self.gatherer, base, blocks, SHELLS)


FORMAT = Format(HARNESS, "factory-droid@1", "lines", speaks, read)
