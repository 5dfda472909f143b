"""Conditions of threat rules: which fields they name, and which events of a session meet several of them in time."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from bench.judges.beacon_fields import FIELDS
from bench.judges.rules import compile_condition

_TEXTS = re.compile(
    r"""[rR][bB]?(?:\"{3}.*?\"{3}|'{3}.*?'{3}|"[^"\n]*"|'[^'\n]*')"""
    r"""|[bB]?(?:\"{3}(?:\\.|.)*?\"{3}|'{3}(?:\\.|.)*?'{3}|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')"""
    r"""|//[^\n]*""",
    re.DOTALL,
)
_PATH = re.compile(r"(?<![\w.])e((?:\s*\.\s*[A-Za-z_]\w*)+)(\s*\()?")
_BARE = re.compile(r"(?<![\w.])e\b(?!\s*\.\s*[A-Za-z_])")
_OTHER = re.compile(r"(?<![\w.])s\b(?!\s*\()")
_HAS = re.compile(r"(?<![\w.])has\s*\(")
_DURATION = re.compile(r"(?:\d{1,9}(?:\.\d{1,9})?(?:h|ms|m|s|us|µs|ns))+")
_PIECE = re.compile(r"(\d+(?:\.\d+)?)(h|ms|m|s|us|µs|ns)")
_SECONDS = {"h": 3600.0, "m": 60.0, "s": 1.0, "ms": 1e-3, "us": 1e-6, "µs": 1e-6, "ns": 1e-9}


class ConditionError(Exception):
    """A condition that cannot be asked of events here, or cannot be decided on one."""

    def __init__(self, found: str, fix: str = "mend the condition") -> None:
        super().__init__(found)
        self.fix = fix


def compiled(text: str) -> Any:
    """A condition over ``e``. Raises ConditionError where it names what is not held, RuntimeError with CEL's message."""
    mentioned(text)
    return compile_condition(text)


def mentioned(text: str) -> frozenset[str]:
    """The fields of ``e`` that a condition names."""
    code = _TEXTS.sub(lambda found: " " if found[0].startswith("//") else '""', text)
    if _HAS.search(code):
        raise ConditionError("has(): a field of e is never absent", "compare the field with its zero, such as ''")
    if _BARE.search(code):
        raise ConditionError("e without a field", "name a field of the event, such as e.event.action")
    if _OTHER.search(code):
        raise ConditionError("the variable s, which rules of this form do not have", "use fields of e only")
    fields = set()
    for path, called in _PATH.findall(code):
        steps = re.findall(r"\w+", path)
        field = ".".join(steps[:-1] if called else steps)
        if field not in FIELDS:
            known = ", ".join(f"e.{name}" for name in FIELDS)
            raise ConditionError(f"events here do not hold e.{field}", f"fields that they hold: {known}")
        fields.add(field)
    return frozenset(fields)


def window_of(text: str) -> float | None:
    """Seconds of a duration such as 120s, 5m or 1h30m."""
    if not _DURATION.fullmatch(text):
        return None
    return sum(float(number) * _SECONDS[unit] for number, unit in _PIECE.findall(text))


def seconds_of(timestamp: str) -> float | None:
    """A moment in seconds; one without a zone, or none, is unknown."""
    try:
        moment = datetime.fromisoformat(timestamp)
    except ValueError:
        return None
    return moment.timestamp() if moment.tzinfo is not None else None


def in_sequence(hits: Sequence[Sequence[int]], times: Sequence[float | None], window: float | None) -> list[int] | None:
    """Positions that meet the steps in their order, the last within the window of the first; the first such choice.

    Each step takes the earliest event after the step before: no later choice could end earlier.
    """
    for start in hits[0]:
        chosen = [start]
        for step in hits[1:]:
            after = bisect_right(step, chosen[-1])
            if after == len(step):
                return None  # nor would a later start find one
            chosen.append(step[after])
        if _within(times, start, chosen[-1], window):
            return chosen
    return None


def any_order(hits: Sequence[Sequence[int]], times: Sequence[float | None], window: float | None) -> list[int] | None:
    """Positions that meet each step with an event of its own, in any order, all within the window of the first.

    The assignment is a bipartite matching by augmenting paths (Kuhn 1955): a step may take over another's event when
    that one has an alternative.
    """
    for start in sorted({position for step in hits for position in step}):
        owner: dict[int, int] = {}
        if all(_assign(step, hits, times, window, start, owner, set()) for step in range(len(hits))):
            return sorted(owner)
    return None


def _assign(
    step: int,
    hits: Sequence[Sequence[int]],
    times: Sequence[float | None],
    window: float | None,
    start: int,
    owner: dict[int, int],
    visited: set[int],
) -> bool:
    for position in hits[step][bisect_left(hits[step], start) :]:
        if not _within(times, start, position, window):
            break
        if position in visited:
            continue
        visited.add(position)
        holder = owner.get(position)
        if holder is None or _assign(holder, hits, times, window, start, owner, visited):
            owner[position] = step
            return True
    return False


def _within(times: Sequence[float | None], first: int, last: int, window: float | None) -> bool:
    """A time that is not known breaks no window, as in the reference engine."""
    begin, end = times[first], times[last]
    return window is None or begin is None or end is None or end - begin <= window
