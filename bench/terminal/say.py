"""What goes to a terminal: plain text everywhere, and colour where somebody looks.

Colour is added to a finished text, so that it says nothing that the words do not say: without it the text is the same.
"""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Iterator
from typing import TextIO

_GREEN, _RED, _YELLOW, _BOLD, _DIM, _END = (f"\x1b[{code}m" for code in ("32", "31", "33", "1", "2", "0"))
_STATUS = {
    "met": _GREEN,
    "not met": _RED,
    "cannot decide": _YELLOW,
    "not asked": _DIM,
    "promote": _GREEN,
    "discard": _RED,
    "review": _YELLOW,
}
_EXITS = {"0": _GREEN, "1": _RED, "2": _YELLOW, "3": _RED}
_OPENING = re.compile(rf"(?:bench: )?({'|'.join(sorted(_STATUS, key=len, reverse=True))})(?=[ :]|$)")
_EXIT = re.compile(r"\[exit ([0-3])\]$")
_RULE = re.compile(r"-+( +-+)*")


def is_colourful(stream: TextIO) -> bool:
    """Whether escape codes do good: a terminal that knows them, and nobody who said no (https://no-color.org)."""
    return stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def say(text: str = "", stream: TextIO | None = None) -> None:
    """Print a text, with colour where the stream shows it."""
    out = sys.stdout if stream is None else stream
    print(painted(text) if is_colourful(out) else text, file=out)


def print_json(told: object, indent: int | None = 1) -> None:
    """One JSON document, and nothing beside it, on stdout."""
    print(json.dumps(told, indent=indent, ensure_ascii=False, allow_nan=False))


def painted(text: str) -> str:
    """The text with its outcomes coloured and the heads of its tables bold."""
    return "\n".join(_painted(text.split("\n")))


def _painted(lines: list[str]) -> Iterator[str]:
    for line, after in zip(lines, [*lines[1:], ""], strict=True):
        if line and _RULE.fullmatch(after):
            yield f"{_BOLD}{line}{_END}"
        elif _RULE.fullmatch(line):
            yield f"{_DIM}{line}{_END}"
        else:
            yield _outcome(line)


def _outcome(line: str) -> str:
    found = _EXIT.search(line)
    if found:
        line = f"{line[: found.start()]}{_EXITS[found[1]]}{found[0]}{_END}"
    opening = _OPENING.match(line)
    if opening is None:
        return line
    start, end = opening.span(1)
    return f"{line[:start]}{_STATUS[opening[1]]}{opening[1]}{_END}{line[end:]}"
