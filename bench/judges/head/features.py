"""A session as numbers: log counts of signals, a few measures of time and place, and hashed words.

A column that the record cannot fill is None, never 0.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from hashlib import blake2b
from itertools import pairwise

from bench.judges.head.signals import is_typed, kept, signals_of
from bench.projection.view import Projection
from bench.schema.event import Event

VERSION = 1  # of the meaning of signals, columns and words

# column -> the signals whose count it is the log of
COUNTED: dict[str, tuple[str, ...]] = {
    "size": ("event",),
    "commands": ("command",),
    "tools": ("tool-call",),
    "turns": ("turn",),
    "corrections": ("corrects",),
    "reports": ("reports-trouble",),
    "rules": ("states-a-rule",),
    "pasted": ("pasted",),
    "refusals": ("denied", "interrupt"),
    "failures": ("failed",),
    "place": ("place-trouble",),
    "recovered": ("recovered",),
    "checks": ("check",),
    "again": ("again",),
    "trouble": ("says-trouble",),
    "surprise": ("says-surprise",),
    "yields": ("yields",),
    "findings": ("finds-out",),
    "outside": ("looks-outside",),
    "instructions": ("edits-instructions",),
}
COLUMNS = (*COUNTED, "hours", "last-correction")
WORDS_READ = 20_000  # of a session; what comes after is not hashed
_LONGEST_WORD = 24
_WORD = re.compile(r"\w+")  # one class, so linear
_DIGITS = re.compile(r"\d+")


@dataclass(frozen=True)
class Seen:
    """What the head knows of a session. ``signals`` are per event, in order."""

    signals: tuple[tuple[str, ...], ...]
    columns: Mapping[str, float | None]


def see(projection: Projection) -> Seen:
    """The signals and columns of a session, in one pass over it."""
    signals = tuple(signals_of(projection.events))
    counts = Counter(name for of_event in signals for name in of_event)
    columns: dict[str, float | None] = {
        name: math.log1p(sum(counts[signal] for signal in of)) for name, of in COUNTED.items()
    }
    columns["hours"] = _hours(projection.events)
    columns["last-correction"] = _last_place(signals, "corrects")
    return Seen(signals, columns)


def _hours(events: Sequence[Event]) -> float | None:
    """Log hours from the first stamp to the last; None with fewer than two stamps."""
    stamps = [event.ts for event in events if event.ts is not None]
    if len(stamps) < 2:
        return None
    first, last = (datetime.fromisoformat(stamp) for stamp in (stamps[0], stamps[-1]))
    return math.log1p(max(0.0, (last - first).total_seconds() / 3600))


def _last_place(signals: Sequence[Sequence[str]], wanted: str) -> float | None:
    """How far into the session the last event with the signal stands, 0 to 1; None without one."""
    places = [place for place, names in enumerate(signals, 1) if wanted in names]
    return places[-1] / len(signals) if places else None


def hashed_words(projection: Projection, bits: int) -> dict[int, float]:
    """Words and pairs of words of typed prompts, messages and failed outputs, hashed with a sign into 2^bits cells.

    Damped counts (1 + log n), scaled to length 1. Reference: Weinberger et al. 2009, ICML (feature hashing).
    """
    counts: Counter[str] = Counter()
    left = WORDS_READ
    for event in projection.events:
        text = _worded(event)
        if text and left > 0:
            words = [
                _DIGITS.sub("0", w) for w in _WORD.findall(kept(text).lower())[:left] if 1 < len(w) <= _LONGEST_WORD
            ]
            left -= len(words)
            counts.update(words)
            counts.update(f"{one} {two}" for one, two in pairwise(words))
    cells: dict[int, float] = {}
    for term in sorted(counts):
        cell, sign = _cell(term, bits)
        cells[cell] = cells.get(cell, 0.0) + sign * (1 + math.log(counts[term]))
    norm = math.sqrt(math.fsum(value * value for value in cells.values()))
    return {cell: cells[cell] / norm for cell in sorted(cells) if cells[cell]} if norm else {}


def _worded(event: Event) -> str | None:
    if is_typed(event) or event.kind in ("message", "reasoning"):
        return event.text
    failed = event.ok is False or (event.exit_code or 0) != 0
    return event.output if failed else None


@lru_cache(maxsize=65_536)
def _cell(term: str, bits: int) -> tuple[int, int]:
    number = int.from_bytes(blake2b(term.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "big")
    return number >> 1 & (1 << bits) - 1, 1 if number & 1 else -1
