"""Names as figures and their data show them: no character that cannot be printed, nothing that runs, nothing endless."""

from __future__ import annotations

from collections.abc import Sequence
from unicodedata import east_asian_width

LONGEST = 36
_FORMULA = ("=", "+", "-", "@")


def plain(text: str) -> str:
    """The text with every character that cannot be printed (controls, marks of direction, halves of pairs) as its number."""
    return "".join(c if c.isprintable() else f"\\u{ord(c):04x}" for c in text)


def short(text: str, longest: int = LONGEST) -> str:
    """A plain name that fits: its middle gives way, since variants differ at their ends."""
    text = plain(text)
    if len(text) <= longest:
        return text
    end = longest // 3
    return f"{text[: longest - end - 1]}…{text[-end:]}"


def folded(text: str, width: int) -> str:
    """A plain name in at most two lines: the second one starts after its first colon, where there is one."""
    text = plain(text)
    if len(text) <= width:
        return text
    head, colon, rest = text.partition(":")
    if not colon or len(head) >= width:
        head, rest = text[:width], text[width:]
    return f"{head}{colon if len(head) < width else ''}\n{short(rest, width)}"


def cell(text: str) -> str:
    """A plain name that no spreadsheet takes for a formula."""
    text = plain(text)
    return f"'{text}" if text.startswith(_FORMULA) else text


def listed(names: Sequence[str], most: int = 12) -> str:
    """Names in a sentence; what is over ``most`` is counted."""
    told = "; ".join(plain(name) for name in names[:most])
    return told if len(names) <= most else f"{told} and {len(names) - most} more"


def inches(text: str, size: float) -> float:
    """How wide a text is at most, in DejaVu Sans of ``size`` points."""
    ems = sum(1.0 if east_asian_width(c) in "WF" else 0.62 for c in text)
    return ems * size / 72
