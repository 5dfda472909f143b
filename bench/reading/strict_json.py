"""Read JSON that others wrote: no NaN, no infinity, no number too large for a float, no key twice, no endless nesting."""

from __future__ import annotations

import json
import math
from typing import Any


def read_json(data: bytes) -> Any:
    """The value. Raises ValueError that says what is wrong."""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise ValueError(f"not UTF-8 (byte {error.start})") from None
    try:
        return json.loads(text, parse_constant=_constant, parse_float=_float, object_pairs_hook=_once)
    except RecursionError:
        raise ValueError("nested too deeply") from None


def _constant(name: str) -> float:
    raise ValueError(f"{name} is no number of JSON")


def _float(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise ValueError(f"{text[:20]} is too large a number")
    return value


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"the key {twice[:40]!r} twice")
    return found
