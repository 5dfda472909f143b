"""What the pages of the reference share: cells, tables, and where a page comes from."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

_SIGNS = re.compile(r"[<*_\\[\]|]")
MADE = "Made from the code by `make docs`; `tests/test_docs.py` fails where it is stale."


def page(title: str, told: str, parts: Iterable[str]) -> str:
    """A page with its title, what it holds, and its parts."""
    return "\n\n".join([f"# {title}", f"{told} {MADE}", *(part.strip("\n") for part in parts)]) + "\n"


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A Markdown table; texts that would break a row are escaped."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(cell(text) for text in line) + " |" for line in lines)


def cell(text: str) -> str:
    """A text on one line, which ends no cell."""
    return " ".join(text.split()).replace("|", "\\|")


def plain(text: str) -> str:
    """A text of the code as Markdown: signs that Markdown would read as its own are escaped, outside of what is code."""
    parts = " ".join(text.replace("``", "`").split()).split("`")
    return "`".join(part if i % 2 else _SIGNS.sub(r"\\\g<0>", part) for i, part in enumerate(parts))


def code(text: str) -> str:
    """A text as code."""
    return f"`{text}`"
