"""Lines of words: as wide as the terminal is, 80 columns where there is none, and in good grammar."""

from __future__ import annotations

import re
import shutil
import sys
import textwrap
from collections.abc import Sequence
from difflib import get_close_matches

WITHOUT_TERMINAL = 80
_NARROWEST, _WIDEST_PROSE = 40, 100
_MOST_NAMES = 8
_INTERVAL = re.compile(r"\[[^\[\]\n]{1,30}\]")
_BOUND = "\u00a0"  # a space at which no line is broken
_SIGNATURE = re.compile(r"(?<=\|)(?=[a-z_]+:)")  # a signature is one long word of name:value|name:value


def width() -> int:
    """The columns that a table may take."""
    if not sys.stdout.isatty():
        return WITHOUT_TERMINAL
    return max(_NARROWEST, shutil.get_terminal_size((WITHOUT_TERMINAL, 24)).columns)


def wrapped(text: str, first: str = "", rest: str = "    ") -> str:
    """A text in lines; names, paths and intervals stay whole, a signature breaks between its parts."""
    lines = textwrap.wrap(
        _INTERVAL.sub(lambda found: found[0].replace(" ", _BOUND), text),
        min(width(), _WIDEST_PROSE),
        initial_indent=first,
        subsequent_indent=rest,
        break_on_hyphens=False,
        break_long_words=False,
    )
    return "\n".join(part.replace(_BOUND, " ") for line in lines for part in _folded(line, rest))


def hanging(head: str, text: str, indent: int) -> str:
    """A text behind a word, its further lines under its first; a longer word has the first line for itself."""
    start = f"{head:<{indent - 1}} "
    if len(start) > indent:
        return f"{head.rstrip()}\n{wrapped(text, ' ' * indent, ' ' * indent)}"
    return wrapped(text, start, " " * indent)


def counted(count: int, word: str) -> str:
    """``1 file``, ``2 files``, ``3 families``; the last word is the one that changes."""
    if count == 1:
        return f"{count} {word}"
    if word.endswith("y") and word[-2:-1] not in "aeiou":
        return f"{count} {word[:-1]}ies"
    return f"{count} {word}{'es' if word.endswith(('s', 'x', 'ch', 'sh')) else 's'}"


def one_of(word: str, known: Sequence[str]) -> str:
    """What to write in place of an unknown name: what is nearest to it, or some of the names there are."""
    names = list(dict.fromkeys(known))
    near = get_close_matches(word, names, 3)
    if near:
        return f"did you mean {' or '.join(near)}?"
    more = f", ... ({len(names)} in all)" if len(names) > _MOST_NAMES else ""
    return f"use one of {', '.join(names[:_MOST_NAMES])}{more}" if names else "there are none"


def _folded(line: str, rest: str) -> list[str]:
    """A line that one long signature makes too wide, broken between the signature's parts."""
    room = min(width(), _WIDEST_PROSE)
    if len(line) <= room or "|" not in line:
        return [line]
    lines, now = [], ""
    for part in _SIGNATURE.split(line):
        if now.strip() and len(now) + len(part) > room:
            lines.append(now)
            now = rest
        now += part
    return [*lines, now]
