"""What a model thought aloud is not its answer: tags that mark it, whole or torn."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

_TAG = re.compile(r"<(/?)(think|thinking|reasoning)>", re.IGNORECASE)
_MOST_CLOSERS = 20


def without_reasoning(text: str) -> str:
    """The text without its reasoning.

    An opener goes with everything up to its closer; a closer without opener, with everything before it; an opener without
    closer, with everything behind it.
    """
    kept: list[str] = []
    position, inside = 0, False
    for tag in _TAG.finditer(text):
        closes = bool(tag.group(1))
        if closes and not inside:
            kept = []
        elif not inside:
            kept.append(text[position : tag.start()])
        if closes or not inside:
            position = tag.end()
        inside = not closes
    return "".join(kept) + ("" if inside else text[position:])


def behind_closers(text: str) -> Iterator[str]:
    """What stands behind each closer: an answer there may hold tags itself, in its texts."""
    yield from (
        text[tag.end() :] for tag in islice((tag for tag in _TAG.finditer(text) if tag.group(1)), _MOST_CLOSERS)
    )
