"""The container of OpenTelemetry's JSON export: spans, the events on them and log records, attributes taken apart.

Source: the JSON encoding of opentelemetry-proto (``trace.proto``, ``logs.proto``, ``common.proto``). Numbers of 64 bits
are written as text, ids as hexadecimal text; ``instrumentationLibrarySpans`` is the name of older versions.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from pydantic import JsonValue

from bench.traces.lines import JsonObject, list_at, object_at, text_at

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_DIGITS = 19  # of a 64-bit number
Attributes = dict[str, JsonValue]


@dataclass(frozen=True)
class Note:
    """An event on a span, or a log record."""

    name: str
    time: int | None
    attributes: Attributes
    body: JsonValue = None
    trace: str = ""
    span: str = ""


@dataclass(frozen=True)
class Span:
    """One span. ``line`` is where it stands in a file of JSON lines."""

    trace: str
    id: str
    parent: str
    name: str
    start: int | None
    end: int | None
    attributes: Attributes
    notes: tuple[Note, ...]
    ok: bool | None  # by its status; None where the status is not set
    line: int
    about: tuple[str, ...] = field(default=())  # service and schema, for the books


def is_otlp(value: object) -> bool:
    """Whether a JSON value is an export of spans or of log records."""
    if not isinstance(value, dict):
        return False
    for outer, inner in (
        ("resourceSpans", ("scopeSpans", "instrumentationLibrarySpans")),
        ("resourceLogs", ("scopeLogs", "instrumentationLibraryLogs")),
    ):
        entries = value.get(outer)
        if isinstance(entries, list) and entries:
            return all(isinstance(e, dict) and any(isinstance(e.get(key), list) for key in inner) for e in entries)
    return False


def records_of(value: JsonObject, line: int) -> Iterator[Span | Note | None]:
    """Every span and log record; None for an entry that is no object."""
    for resource, scope in _scopes(value, "resourceSpans", "scopeSpans", "instrumentationLibrarySpans"):
        about = _about(resource)
        for raw in list_at(scope, "spans"):
            yield _span(raw, line, about) if isinstance(raw, dict) else None
    for _, scope in _scopes(value, "resourceLogs", "scopeLogs", "instrumentationLibraryLogs"):
        for raw in list_at(scope, "logRecords"):
            yield _log(raw) if isinstance(raw, dict) else None


def moment(nanoseconds: int | None) -> str | None:
    """A time as text with its zone, to the microsecond; nothing where it is beyond the calendar."""
    if nanoseconds is None:
        return None
    try:
        return (_EPOCH + timedelta(microseconds=nanoseconds // 1000)).isoformat()
    except OverflowError:
        return None


def _scopes(value: JsonObject, outer: str, *inner: str) -> Iterator[tuple[JsonObject, JsonObject]]:
    for resource in list_at(value, outer):
        if isinstance(resource, dict):
            for key in inner:
                yield from ((resource, scope) for scope in list_at(resource, key) if isinstance(scope, dict))


def _about(resource: JsonObject) -> tuple[str, ...]:
    attributes = _attributes(list_at(object_at(resource, "resource"), "attributes"))
    name, version = attributes.get("service.name"), attributes.get("service.version")
    service = " ".join(str(part) for part in (name, version) if isinstance(part, str))
    schema = text_at(resource, "schemaUrl")
    return tuple(part for part in (service, schema) if part)


def _span(raw: JsonObject, line: int, about: tuple[str, ...]) -> Span:
    status = object_at(raw, "status").get("code")
    return Span(
        trace=text_at(raw, "traceId") or "",
        id=text_at(raw, "spanId") or "",
        parent=text_at(raw, "parentSpanId") or "",
        name=text_at(raw, "name") or "",
        start=_time(raw.get("startTimeUnixNano")),
        end=_time(raw.get("endTimeUnixNano")),
        attributes=_attributes(list_at(raw, "attributes")),
        notes=tuple(_note(event) for event in list_at(raw, "events") if isinstance(event, dict)),
        ok=True if status in (1, "STATUS_CODE_OK") else False if status in (2, "STATUS_CODE_ERROR") else None,
        line=line,
        about=about,
    )


def _note(raw: JsonObject) -> Note:
    return Note(text_at(raw, "name") or "", _time(raw.get("timeUnixNano")), _attributes(list_at(raw, "attributes")))


def _log(raw: JsonObject) -> Note:
    attributes, body = _attributes(list_at(raw, "attributes")), _value(raw.get("body"))
    named = text_at(raw, "eventName") or attributes.get("event.name") or (body if isinstance(body, str) else None)
    return Note(
        name=named if isinstance(named, str) else "",
        time=_time(raw.get("timeUnixNano")) or _time(raw.get("observedTimeUnixNano")),
        attributes=attributes,
        body=body,
        trace=text_at(raw, "traceId") or "",
        span=text_at(raw, "spanId") or "",
    )


def _attributes(entries: list[JsonValue]) -> Attributes:
    return {
        key: _value(entry.get("value"))
        for entry in entries
        if isinstance(entry, dict) and (key := text_at(entry, "key")) is not None
    }


def _value(value: JsonValue) -> JsonValue:
    if not isinstance(value, dict) or len(value) != 1:
        return None
    ((kind, inner),) = value.items()
    match kind:
        case "intValue":
            return _integer(inner)
        case "doubleValue" if isinstance(inner, int | float) and not isinstance(inner, bool):
            return inner if math.isfinite(inner) else None
        case "arrayValue" if isinstance(inner, dict):
            return [_value(item) for item in list_at(inner, "values")]
        case "kvlistValue" if isinstance(inner, dict):
            return _attributes(list_at(inner, "values"))
        case "stringValue" | "boolValue" | "bytesValue":
            return inner if isinstance(inner, str | bool) else None
    return None


def _time(value: JsonValue) -> int | None:
    found = _integer(value)
    return found if found is not None and found > 0 else None


def _integer(value: JsonValue) -> int | None:
    if isinstance(value, str) and value.isascii() and value.lstrip("-").isdecimal() and len(value) <= _DIGITS + 1:
        return int(value) if value.count("-") <= 1 else None
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) < 10 ** (_DIGITS + 1):
        return value
    return None
