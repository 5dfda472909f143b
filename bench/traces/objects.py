"""The JSON objects of a file that is one document or JSON lines: the same exporters write both."""

from __future__ import annotations

from collections.abc import Iterator
from typing import BinaryIO

from bench.traces.lines import Line, parse

LIMIT = 1 << 29  # bytes of a document that is spread over lines: it must be held whole

_BOM = b"\xef\xbb\xbf"


def read_objects(stream: BinaryIO, limit: int = LIMIT) -> Iterator[Line]:
    """Each object with its line; a document spread over lines is one object on line 1.

    Without a record the line is malformed. Raises ValueError where a document is longer than ``limit`` bytes.
    """
    number, first = _first(stream)
    if first is None:
        return
    record = parse(first)
    if record is not None:
        yield Line(number, record)
        yield from _lines(stream, number)
        return
    rest = stream.read(limit + 1)
    if len(rest) > limit:
        raise ValueError(f"a document of more than {limit} bytes that is not JSON lines")
    whole = parse(first + rest)
    if whole is not None:
        yield Line(number, whole)
        return
    yield Line(number, None)
    for position, raw in enumerate(rest.split(b"\n"), number + 1):
        if raw.strip():
            yield Line(position, parse(raw))


def _first(stream: BinaryIO) -> tuple[int, bytes | None]:
    for number, raw in enumerate(stream, 1):
        body = raw.removeprefix(_BOM) if number == 1 else raw
        if body.strip():
            return number, body
    return 0, None


def _lines(stream: BinaryIO, after: int) -> Iterator[Line]:
    for number, raw in enumerate(stream, after + 1):
        if raw.strip():
            yield Line(number, parse(raw))
