"""Import of traces of agent-beacon: what ``beacon traces show --json`` prints, a shared bundle, or its runtime log.

Three forms of one thing: ``{trace, events, range}``, ``{schema_version: beacon.trace.v1, summary, events, range}``, and JSON
lines of endpoint events (vendor beacon), where a file holds many sessions. One record is one entry of ``events`` or one
line. ``show`` is paged and can be filtered by type: a range that is not the whole gives ``partial``.

A call is recorded before (``tool.invoked``) and after (``command.executed``, ``file.read``, ``tool.completed``, ...) it ran.
Both are one event where they name one call, or where the second names none and its command is the one that waits. Who
decided an approval is not recorded, only the decision; ``approval.allowed`` was written for refusals too by older versions,
so the decision counts before the action. A text that was not retained is absent.
Source: ``pkg/asymptoteobserve/{trace,event,provenance}.go`` and ``internal/dashboard`` of Asymptote-Labs/agent-beacon.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import BinaryIO

from bench.schema.event import Event
from bench.traces.beacon_events import KNOWN, Told, told_by_log, told_by_trace
from bench.traces.beacon_session import BeaconSession
from bench.traces.lines import JsonObject, list_at, object_at, text_at
from bench.traces.objects import read_objects
from bench.traces.report import Format, ImportReport, Session
from bench.traces.transcript import moment_of, most_common

READER = "beacon@1"
HARNESS = "beacon"
SCHEMA = "beacon.trace.v1"


def speaks_trace(value: object) -> bool:
    """Whether a JSON value is a trace of beacon."""
    if not isinstance(value, dict) or not isinstance(value.get("events"), list):
        return False
    if value.get("schema_version") == SCHEMA:
        return True
    shown, pages = value.get("trace"), value.get("range")
    return isinstance(shown, dict) and "harness" in shown and isinstance(pages, dict) and "total_events" in pages


def speaks_log(record: object) -> bool:
    """Whether a record is a line of beacon's runtime log."""
    return (
        isinstance(record, dict)
        and record.get("vendor") == "beacon"
        and isinstance(record.get("event"), dict)
        and isinstance(record["event"].get("action"), str)
    )


def read(stream: BinaryIO) -> Iterator[Session]:
    """The sessions of a file; those of a runtime log share its report."""
    report = ImportReport(format=HARNESS)
    sessions: dict[str, BeaconSession] = {}
    found = False
    for line in read_objects(stream):
        record = line.record
        if record is not None and speaks_trace(record):
            found = True
            yield _trace(record, line.number)
            continue
        report.seen += 1
        if record is None:
            report.malformed.append(line.number)
        elif not speaks_log(record):
            report.unknown["line that is no event of beacon"] += 1
        else:
            _logged(record, line.number, report, sessions)
    for identity, session in sessions.items():
        report.orphan_results += session.gathered.transcript.orphan_results
        if session.gathered.transcript.events:
            found = True
            yield _session(session, identity or None)
    if not found:
        yield Session(HARNESS, (), report)


def _trace(document: JsonObject, line: int) -> Session:
    report = ImportReport(format=HARNESS)
    summary = object_at(document, "summary") or object_at(document, "trace")
    harness = object_at(summary, "harness")
    report.versions[text_at(document, "schema_version") or "trace without a schema version"] += 1
    if version := text_at(harness, "version"):
        report.versions[f"{text_at(harness, 'name') or 'harness'} {version}"] += 1
    session = BeaconSession(report)
    for position, entry in enumerate(list_at(document, "events"), 1):
        report.seen += 1
        if isinstance(entry, dict):
            _take(session, told_by_trace(entry), Event(kind="other", ts=moment_of(entry.get("timestamp"))))
        else:
            report.malformed.append(position)
    report.orphan_results = session.gathered.transcript.orphan_results
    identity = text_at(object_at(summary, "session"), "id") or text_at(summary, "id") or text_at(document, "id")
    models = object_at(summary, "model")
    return _session(session, identity, _partial(document, summary), text_at(models, "primary"))


def _logged(record: JsonObject, line: int, report: ImportReport, sessions: dict[str, BeaconSession]) -> None:
    identity = text_at(object_at(record, "session"), "id") or ""
    session = sessions.setdefault(identity, BeaconSession(report))
    if version := text_at(record, "schema_version"):
        report.versions[f"endpoint event {version}"] += 1
    _take(session, told_by_log(record), Event(kind="other", ts=moment_of(record.get("timestamp")), line=line))


def _take(session: BeaconSession, told: Told, base: Event) -> None:
    report, before = session.gathered.report, session.gathered.transcript.changes
    session.take(base, told)
    if session.gathered.transcript.changes > before:
        report.used += 1
    else:
        (report.skipped if told.action in KNOWN else report.unknown)[told.action[:60]] += 1


def _session(
    session: BeaconSession, identity: str | None, partial: str | None = None, model: str | None = None
) -> Session:
    gathered = session.gathered
    return Session(
        HARNESS,
        tuple(gathered.transcript.events),
        gathered.report,
        most_common(gathered.models) or model,
        id=identity,
        partial=partial,
    )


def _partial(document: JsonObject, summary: JsonObject) -> str | None:
    pages, content = object_at(document, "range"), object_at(summary, "content")
    total, count = pages.get("total_events"), len(list_at(document, "events"))
    recorded = summary.get("event_count")
    reasons = []
    if isinstance(total, int) and count < total:
        reasons.append(f"{count} of {total} events, from number {pages.get('offset')}")
    if isinstance(recorded, int) and isinstance(total, int) and total < recorded:
        reasons.append(f"filtered: the trace has {recorded} events, the range counts {total}")
    elif isinstance(recorded, int) and not isinstance(total, int) and count < recorded:
        reasons.append(f"{count} of {recorded} events")
    if text_at(content, "retention") == "metadata":
        reasons.append("texts were not retained")
    if content.get("has_truncations") is True:
        reasons.append("texts were cut")
    return "; ".join(reasons) or None


FORMATS = (
    Format(HARNESS, READER, "document", speaks_trace, read),
    Format(HARNESS, READER, "lines", lambda record: speaks_log(record) or speaks_trace(record), read),
)
FORMAT = FORMATS[0]
