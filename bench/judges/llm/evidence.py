"""Quoted evidence is checked against what was shown: models make quotes up."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from bench.projection.render import render_event
from bench.projection.view import Projection

LEAST = 12  # characters; a shorter quote must be a whole line, or it would be found anywhere
LONGEST_KEPT = 500


@dataclass(frozen=True)
class Evidence:
    """What became of the quotes: those found, the events they stand in, and how many were not found."""

    events: tuple[int, ...] = ()
    quotes: tuple[str, ...] = ()
    invented: int = 0


def check(quotes: Iterable[str], projection: Projection, trace: str) -> Evidence:
    """Look for each quote, white space aside, in the rendered projection; it counts for the first event that holds it."""
    wanted = list(dict.fromkeys(text for text in map(_normal, quotes) if text))
    if not wanted:
        return Evidence()
    everything = _normal(trace)
    lines = {_normal(line) for line in trace.split("\n")}
    blocks = [
        (number, render_event(number, event))
        for number, event in zip(projection.numbers, projection.events, strict=True)
    ]
    found = [quote for quote in wanted if (quote in everything if len(quote) >= LEAST else quote in lines)]
    events = {number for quote in found for number in _first_holder(quote, blocks)}
    return Evidence(tuple(sorted(events)), tuple(q[:LONGEST_KEPT] for q in found), len(wanted) - len(found))


def _first_holder(quote: str, blocks: list[tuple[int, str]]) -> tuple[int, ...]:
    short = len(quote) < LEAST
    for number, block in blocks:
        if quote in ({_normal(line) for line in block.split("\n")} if short else _normal(block)):
            return (number,)
    return ()


def _normal(text: str) -> str:
    return " ".join(text.split())
