"""Strict reading of JSON lines: one bad line is counted and never stops the file."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import orjson
from pydantic import JsonValue

JsonObject = dict[str, JsonValue]

_BOM = b"\xef\xbb\xbf"
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")
# Far above any real record, far below the depth at which a writer or a validator gives up (about 250).
MAX_DEPTH = 100
# The fast parser reads integers beyond 64 bits as floats from here on, so such a float may not be what was written.
_MAY_BE_INTEGER = 2.0**63
# No record of a session comes near: an API request has at most 32 MB, and a record holds one message of it twice.
LONGEST_LINE = 1 << 26
_CUT = b"\0"


class Line(NamedTuple):
    """One line that is not blank; without a record it is malformed."""

    number: int
    record: JsonObject | None
    size: int = 0  # in bytes


def open_lines(path: Path) -> BinaryIO:
    """The file, opened so that lines of many kilobytes are not put together from pieces of eight."""
    return path.open("rb", buffering=1 << 20)


def bounded_lines(stream: BinaryIO, longest: int = LONGEST_LINE) -> Iterator[bytes]:
    """The lines of a file. Of one that is longer nothing is kept, and what stands for it is no JSON."""
    while line := stream.readline(longest + 1):
        if len(line) > longest and not line.endswith(b"\n"):
            while line and not line.endswith(b"\n"):
                line = stream.readline(longest + 1)
            line = _CUT
        yield line


def read_lines(stream: Iterable[bytes]) -> Iterator[Line]:
    """The lines of a binary stream, which splits on line feeds only: U+2028 inside a string ends nothing."""
    for number, raw in enumerate(stream, start=1):
        body = raw.removeprefix(_BOM) if number == 1 else raw
        if body and not body.isspace():
            yield Line(number, parse(body), len(raw))


def parse(raw: bytes) -> JsonObject | None:
    """The JSON object in one line, or nothing where the line is torn, is no object or cannot be kept exactly.

    The fast parser answers where both would say the same; what it refuses or may have rounded, the standard one decides.
    """
    try:
        value = orjson.loads(raw)
    except orjson.JSONDecodeError:
        return parse_slowly(raw)
    if type(value) is not dict:
        return None
    return value if _is_plain(value) else parse_slowly(raw)


def parse_slowly(raw: bytes) -> JsonObject | None:
    """As ``parse``, by the standard library alone: it keeps every integer, and repairs what is no Unicode."""
    try:
        # Bytes that are no UTF-8 become U+FFFD, as lone surrogates do: one bad character is no reason to lose a record.
        value = json.loads(raw.decode("utf-8", "replace"), parse_constant=_refuse, parse_float=_finite)
        if not isinstance(value, dict) or (_may_be_deep(raw) and _depth(value) > MAX_DEPTH):
            return None
        repaired = _without_surrogates(value) if b"\\u" in raw else value
    except (ValueError, RecursionError):
        return None
    return repaired if isinstance(repaired, dict) else None


def text_at(record: JsonObject, key: str) -> str | None:
    """The text under a key; absent and empty are one thing, and so is a value that is no text."""
    value = record.get(key)
    return value if isinstance(value, str) and value else None


def object_at(record: JsonObject, key: str) -> JsonObject:
    """The object under a key, empty where there is none."""
    value = record.get(key)
    return value if isinstance(value, dict) else {}


def list_at(record: JsonObject, key: str) -> list[JsonValue]:
    """The list under a key, empty where there is none."""
    value = record.get(key)
    return value if isinstance(value, list) else []


def _refuse(constant: str) -> float:
    raise ValueError(f"{constant} is no JSON number")


def _finite(digits: str) -> float:
    value = float(digits)
    if math.isinf(value):
        raise ValueError(f"{digits} is beyond a float")
    return value


def _may_be_deep(raw: bytes) -> bool:
    return raw.count(b"{") + raw.count(b"[") > MAX_DEPTH


def _is_plain(value: Any, depth: int = MAX_DEPTH) -> bool:
    """Whether the value is of allowed depth, and no number in it was too great for 64 bits. Most values are texts."""
    for child in value.values() if type(value) is dict else value:
        kind = type(child)
        if kind is str or kind is int:
            continue
        if kind is dict or kind is list:
            if depth <= 1 or not _is_plain(child, depth - 1):
                return False
        elif kind is float and not -_MAY_BE_INTEGER < child < _MAY_BE_INTEGER:
            return False
    return True


def _depth(value: JsonValue) -> int:
    deepest, waiting = 0, [(value, 1)]
    while waiting and deepest <= MAX_DEPTH:
        node, depth = waiting.pop()
        children = node.values() if isinstance(node, dict) else node if isinstance(node, list) else ()
        deepest = max(deepest, depth)
        waiting.extend((child, depth + 1) for child in children if isinstance(child, dict | list))
    return deepest


def _without_surrogates(value: JsonValue) -> JsonValue:
    if isinstance(value, str):
        return _LONE_SURROGATE.sub("\ufffd", value)
    if isinstance(value, list):
        return [_without_surrogates(item) for item in value]
    if isinstance(value, dict):
        return {_LONE_SURROGATE.sub("\ufffd", key): _without_surrogates(item) for key, item in value.items()}
    return value
