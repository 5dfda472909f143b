"""Import of OpenTelemetry traces of agents: GenAI conventions, OpenInference, OpenLLMetry; one document or JSON lines.

One record is one span or one log record; a line that is no JSON is one malformed record. A file holds the sessions of
many: spans of one conversation id (``gen_ai.conversation.id``, ``session.id``) are one session, else spans of one trace;
all sessions of a file share its report. Events stand in the order of time: what a model was given when its span starts,
what it answered when it ends, a tool where it was called. Model calls repeat the history: a piece counts once.

What the format cannot tell: who wrote a prompt (role ``user`` is all there is: origin unknown), who approved a call, and
an exit code where no ``process.exit.code`` stands on the span. A span without a status says nothing of how it ended.
Sources: see :mod:`bench.traces.otel_messages` and :mod:`bench.traces.otlp`; ``spec/decision_spans.md`` and
``spec/annotations.md`` of Arize-ai/openinference; ``docs/gen-ai`` of open-telemetry/semantic-conventions-genai.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import BinaryIO

from bench.traces.agent_logs import is_agent_log, sessions_of_logs
from bench.traces.objects import read_objects
from bench.traces.otel_messages import NOTES
from bench.traces.otel_session import OtelSession
from bench.traces.otel_tree import Place, places
from bench.traces.otlp import Note, Span, is_otlp, records_of
from bench.traces.report import Format, ImportReport, Session

HARNESS = "otel"
READER = "otel@1"
_CONVERSATIONS = ("gen_ai.conversation.id", "session.id", "traceloop.association.properties.session_id")
_OF_SPANS = NOTES | {"gen_ai.evaluation.result"}


def speaks(value: object) -> bool:
    """Whether a JSON value is an export of spans or log records."""
    return is_otlp(value)


@dataclass
class _File:
    """Everything in a file, before it is sorted into sessions."""

    report: ImportReport
    spans: list[Span] = field(default_factory=list)
    notes: list[Note] = field(default_factory=list)  # log records that belong to spans
    logs: list[Note] = field(default_factory=list)  # log records of coding agents


def read(stream: BinaryIO) -> Iterator[Session]:
    """The sessions of a file. Raises ValueError where the file is a document too long to be held."""
    file = _gathered(stream)
    spans = _with_notes(file)
    found = False
    for identity, members in _sessions(spans):
        session = OtelSession(HARNESS, identity, file.report).run(members)
        if session is not None:
            found = True
            yield session
    for session in sessions_of_logs(file.logs, file.report):
        found = True
        yield session
    if not found:
        yield Session(HARNESS, (), file.report)


def _gathered(stream: BinaryIO) -> _File:
    file = _File(ImportReport(format=HARNESS))
    report = file.report
    for line in read_objects(stream):
        if line.record is None or not is_otlp(line.record):
            report.seen += 1
            if line.record is None:
                report.malformed.append(line.number)
            else:
                report.unknown["object that is no export"] += 1
            continue
        for record in records_of(line.record, line.number):
            report.seen += 1
            if record is None:
                report.malformed.append(line.number)
            elif isinstance(record, Span):
                file.spans.append(record)
                report.versions.update(record.about)
            elif is_agent_log(record):
                file.logs.append(record)
            else:
                file.notes.append(record)
    return file


def _with_notes(file: _File) -> list[Span]:
    """Spans with the log records that belong to them; conventions moved events from spans to logs and back."""
    belonging: dict[tuple[str, str], list[Note]] = defaultdict(list)
    spans = {(span.trace, span.id) for span in file.spans}
    for note in file.notes:
        owner = (note.trace, note.span)
        if note.name in _OF_SPANS and owner in spans:
            belonging[owner].append(note)
            file.report.used += 1
        elif note.name.startswith("gen_ai."):
            file.report.skipped["log record whose span is not in the file"] += 1
        else:
            file.report.skipped["log record of no agent"] += 1
    return [
        replace(span, notes=(*span.notes, *belonging.pop((span.trace, span.id), ()))) if belonging else span
        for span in file.spans
    ]


def _sessions(spans: list[Span]) -> Iterator[tuple[str, list[Place]]]:
    """(id, members) of each session, in the order in which they begin."""
    traces: dict[str, list[Span]] = defaultdict(list)
    for span in spans:
        traces[span.trace].append(span)
    sessions: dict[str, list[Place]] = defaultdict(list)
    for trace, members in traces.items():
        named = {text for span in members for key in _CONVERSATIONS if (text := _text(span, key))}
        sessions[named.pop() if len(named) == 1 else trace] += places(members)
    yield from sorted(sessions.items(), key=lambda item: min(place.span.start or 0 for place in item[1]))


def _text(span: Span, key: str) -> str | None:
    value = span.attributes.get(key)
    return value if isinstance(value, str) and value else None


FORMATS = (
    Format("otel", READER, "document", speaks, read),
    Format("otel", READER, "lines", speaks, read),
)
FORMAT = FORMATS[0]
