"""Strict reading of a session that is one JSON document: whole, up to a cap, or not at all."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterator
from typing import BinaryIO

from pydantic import JsonValue

from bench.traces.lines import MAX_DEPTH, Line

_BOM = b"\xef\xbb\xbf"
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")


LARGEST = 1 << 29  # bytes of a document that is read whole


def read_document(stream: BinaryIO, limit: int = LARGEST) -> JsonValue:
    """The JSON value in a binary stream, as strict as one line is read; ValueError gives the reason where there is none."""
    raw = stream.read(limit + 1)
    if len(raw) > limit:
        raise ValueError(f"the document is longer than {limit} bytes")
    return parse_document(raw)


def parse_document(raw: bytes, constants: Callable[[str], JsonValue] | None = None) -> JsonValue:
    """The JSON value in these bytes; ``constants`` gives the value of NaN and its like, which are refused without it."""
    body = raw.removeprefix(_BOM)
    if not body.strip():
        raise ValueError("the document is empty")
    try:
        # Bytes that are no UTF-8 become U+FFFD, as in a line: one bad character is no reason to lose a session.
        text = body.decode("utf-8", "replace")
        value: JsonValue = json.loads(text, parse_constant=constants or _refuse, parse_float=_finite)
    except RecursionError:
        raise ValueError(f"nested deeper than {MAX_DEPTH}") from None
    if _is_deep(value):
        raise ValueError(f"nested deeper than {MAX_DEPTH}")
    return _repaired(value) if b"\\u" in body else value


def entries(values: list[JsonValue]) -> Iterator[Line]:
    """The entries of a list as records with their positions, from 1; one that is no object is malformed."""
    for position, value in enumerate(values, start=1):
        yield Line(position, value if isinstance(value, dict) else None)


def _refuse(constant: str) -> float:
    raise ValueError(f"{constant} is no JSON number")


def _finite(digits: str) -> float:
    value = float(digits)
    if math.isinf(value):
        raise ValueError(f"{digits[:40]} is beyond a float")
    return value


def _is_deep(value: JsonValue) -> bool:
    """Level by level, so that the nesting of the value cannot exhaust the stack."""
    level = [value]
    for _ in range(MAX_DEPTH):
        level = [child for node in level for child in _children(node)]
        if not level:
            return False
    return True


def _children(node: JsonValue) -> list[JsonValue]:
    values = node.values() if isinstance(node, dict) else node if isinstance(node, list) else ()
    return [value for value in values if isinstance(value, dict | list)]


def _repaired(value: JsonValue) -> JsonValue:
    """Lone surrogates become U+FFFD: no file could be written with them."""
    if isinstance(value, str):
        return _LONE_SURROGATE.sub("\ufffd", value)
    if isinstance(value, list):
        return [_repaired(item) for item in value]
    if isinstance(value, dict):
        return {_LONE_SURROGATE.sub("\ufffd", key): _repaired(item) for key, item in value.items()}
    return value
