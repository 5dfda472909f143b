"""Blocks in tags that a harness puts into a text that a person typed."""

from __future__ import annotations

import re
from collections.abc import Iterable

from bench.schema.event import Origin
from bench.traces.written import Written


def opening_of(names: Iterable[str]) -> re.Pattern[str]:
    """The opening tags of these names."""
    return re.compile(rf"<({'|'.join(names)})>")


def taken_apart(text: str, opening: re.Pattern[str], typist: Origin, writer: Origin = "injected") -> list[Written]:
    """What was typed, and behind it the blocks put in. A lazy regex would be quadratic in tags that nobody closes."""
    blocks: list[str] = []
    rest: list[str] = []
    position = 0
    while start := opening.search(text, position):
        closing = f"</{start[1]}>"
        end = text.find(closing, start.end())
        if end < 0:
            break
        rest.append(text[position : start.start()])
        position = end + len(closing)
        blocks.append(text[start.start() : position])
    if not blocks:
        return [Written(text, typist)]
    typed = "".join([*rest, text[position:]]).strip()
    return [*([Written(typed, typist)] if typed else []), *(Written(block, writer) for block in blocks)]
