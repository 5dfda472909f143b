"""Markdown tables and folds, and text that may stand in them: nothing of a case becomes markup."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

_MARKUP = str.maketrans({"\\": "\\\\", "|": "\\|", "<": "&lt;", ">": "&gt;", "!": "\\!"})
_REFERENCES = re.compile(r"@(?=\w)|#(?=\d)|(?<=\b[Gg][Hh])-(?=\d)|:(?=//)|(?<=\b[Ww]{3})\.")


def escaped(text: str) -> str:
    """Text of cases may stand in a message: it may not break the table or become markup."""
    return " ".join(text.translate(_MARKUP).replace("](", "]\\(").split())


def quiet(text: str) -> str:
    """The same for a comment: it calls nobody, refers to no issue, and makes no link by itself."""
    return _REFERENCES.sub(lambda found: f"{found[0]}<!-- -->", escaped(text))


def grid(rows: Iterable[Sequence[str]]) -> str:
    """A table; the first row is the head."""
    lines = ["| " + " | ".join(escaped(cell) for cell in row) + " |" for row in rows]
    lines.insert(1, "|" + "---|" * (lines[0].count(" | ") + 1))
    return "\n".join(lines)


def quiet_grid(rows: Iterable[Sequence[str]]) -> str:
    """A table of a comment."""
    return _REFERENCES.sub(lambda found: f"{found[0]}<!-- -->", grid(rows))


def fold(title: str, parts: Sequence[str]) -> str:
    """A part of the page that opens on a click. Blank lines, so that a code host reads the inside as Markdown."""
    return "\n\n".join([f"<details><summary>{escaped(title)}</summary>", *parts, "</details>"])
