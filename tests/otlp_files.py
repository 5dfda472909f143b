"""Exports of spans, written in a line: attributes as plain values."""

from __future__ import annotations

import io
import json
from typing import Any

from bench.traces.otel import read
from bench.traces.report import Session

START = 1_767_355_200_000_000_000  # 2026-01-02T12:00:00Z


def value(plain: Any) -> dict[str, Any]:
    if isinstance(plain, bool):
        return {"boolValue": plain}
    if isinstance(plain, int):
        return {"intValue": str(plain)}
    if isinstance(plain, float):
        return {"doubleValue": plain}
    if isinstance(plain, str):
        return {"stringValue": plain}
    if isinstance(plain, list):
        return {"arrayValue": {"values": [value(item) for item in plain]}}
    return {"kvlistValue": {"values": attributes(plain)}}


def attributes(plain: dict[str, Any]) -> list[dict[str, Any]]:
    return [{"key": key, "value": value(inner)} for key, inner in plain.items()]


def span(
    name: str,
    start: int,
    end: int,
    about: dict[str, Any],
    *,
    parent: str = "",
    trace: str = "t1",
    status: Any = None,
    events: list[dict[str, Any]] | None = None,
) -> dict[str, Any]:
    """A span from second ``start`` to second ``end``; its id is its name."""
    return {
        "traceId": trace,
        "spanId": name,
        "parentSpanId": parent,
        "name": name,
        "startTimeUnixNano": str(START + start * 1_000_000_000),
        "endTimeUnixNano": str(START + end * 1_000_000_000),
        "attributes": attributes(about),
        "status": {} if status is None else {"code": status},
        "events": events or [],
    }


def note(name: str, about: dict[str, Any]) -> dict[str, Any]:
    return {"name": name, "timeUnixNano": str(START), "attributes": attributes(about)}


def log(name: str, about: dict[str, Any], *, body: Any = None, owner: str = "", second: int = 0) -> dict[str, Any]:
    at = str(START + second * 1_000_000_000)
    record = {"timeUnixNano": at, "eventName": name, "attributes": attributes(about), "traceId": "t1", "spanId": owner}
    return record if body is None else {**record, "body": value(body)}


def export(*spans: Any) -> dict[str, Any]:
    resource = {"attributes": attributes({"service.name": "shop", "service.version": "2"})}
    return {"resourceSpans": [{"resource": resource, "scopeSpans": [{"scope": {"name": "x"}, "spans": list(spans)}]}]}


def logs(*records: Any) -> dict[str, Any]:
    return {"resourceLogs": [{"resource": {}, "scopeLogs": [{"logRecords": list(records)}]}]}


def sessions(*lines: Any) -> list[Session]:
    """What the reader makes of these objects, one a line."""
    written = b"\n".join(line if isinstance(line, bytes) else json.dumps(line).encode() for line in lines)
    return list(read(io.BytesIO(written)))


def only(*lines: Any) -> Session:
    (found,) = sessions(*lines)
    assert found.report.balanced
    return found
