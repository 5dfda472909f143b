"""Transforms that take away what an answer must rest on: the outcome, another session's ending, the correction."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace

from bench.judges.head.patterns import CORRECTS
from bench.probing.told import Told, is_call, is_refused, is_typed
from bench.schema.event import Event

_LOOKED_AT = 4_000  # characters of a prompt
_SPOKEN = ("message", "reasoning")


def cut_outcome(told: Told, chance: random.Random, other: Told | None) -> Told | None:
    """The session up to its last run of commands: the checks, what they showed and what was said of it are gone."""
    start = ending_start(told.events)
    return None if not start else replace(told, answer=None, events=told.events[:start])


def swap_ending(told: Told, chance: random.Random, other: Told | None) -> Told | None:
    """The session with the last run of commands, and what follows it, of another session. Its moments are left out."""
    start = ending_start(told.events)
    foreign = None if other is None else ending_start(other.events)
    if not start or foreign is None or other is None:
        return None
    ending = tuple(event.model_copy(update={"ts": None}) for event in other.events[foreign:])
    return None if ending == told.events[start:] else replace(
        told, answer=other.answer, events=told.events[:start] + ending
    )  # fmt: skip


def ending_start(events: Sequence[Event]) -> int | None:
    """Where the ending begins: at the last call, or at the first of the run of commands that leads up to it without a
    typed prompt or another tool in between. None without a call."""
    last = next((i for i in range(len(events) - 1, -1, -1) if is_call(events[i])), None)
    if last is None:
        return None
    start = last
    for i in range(last - 1, -1, -1):
        event = events[i]
        if is_typed(event) or event.kind in ("tool_call", "file", "interrupt", "compaction"):
            break
        if event.kind == "command":
            start = i
    return start


def drop_correction(told: Told, chance: random.Random, other: Told | None) -> Told | None:
    """The session without the prompts typed after a call that hold words of correction, without what the agent said to
    each of them before its next call, and without interrupts and refused calls."""
    kept: list[Event] = []
    called = answering = found = False
    for event in told.events:
        if called and is_typed(event) and CORRECTS.search((event.text or "")[:_LOOKED_AT]):
            found = answering = True
            continue
        if event.kind == "interrupt" or is_refused(event):
            continue
        if answering and event.kind in _SPOKEN:
            continue
        if is_call(event) or event.kind == "prompt":
            answering = False
        called = called or is_call(event)
        kept.append(event)
    return replace(told, events=tuple(kept)) if found else None
