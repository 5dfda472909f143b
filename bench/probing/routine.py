"""Transforms that change what nobody should care about: the order of independent looks, routine, and recorded thinking."""

from __future__ import annotations

import random
from dataclasses import replace

import re2

from bench.judges.patterns import simple_commands
from bench.probing.told import Told, is_call, is_refused
from bench.schema.event import Event

MOST_PADDING = 200  # events
_LEAST_PADDING = 4
_LOOK = re2.compile(
    r"\s*(?:ls|pwd|cat|head|tail|grep|rg|wc|tree|stat|file|which|whoami|nl|git\s+(?:status|log|diff|show|branch\s+--show-current)|"
    r"sed\s+-n)(?:\s[^`$<>]*)?"
)
_WRITES = re2.compile(r"(?:^|\s)(?:-i|--in-place|-o|--output)\b|[>`]|\$\(")
_LOOKING_TOOLS = frozenset(
    {
        "read", "grep", "glob", "ls", "view", "read_file", "read_many_files", "list_directory", "list_dir", "list", "search",
        "search_file_content", "grep_search", "file_search", "codebase_search", "notebookread", "find",
    }
)  # fmt: skip
_ROUTINE = (
    ("pwd", "/workspace\n"),
    ("ls", "README.md\nsrc\ntests\n"),
    ("git status --short", ""),
    ("ls src", "main\nutil\n"),
    ("whoami", "dev\n"),
    ("cat VERSION", "1.4.2\n"),
)


def shuffle_independent(told: Told, chance: random.Random, other: Told | None) -> Told | None:
    """Neighbouring looks (reads, listings, searches that went well) in another order; moments stay in their places."""
    events = list(told.events)
    moved = False
    start = 0
    while start < len(events):
        end = start
        while end < len(events) and is_look(events[end]) and events[end].thread == events[start].thread:
            end += 1
        if end - start > 1:
            moved = _shuffled(events, start, end, chance) or moved
        start = max(end, start + 1)
    return replace(told, events=tuple(events)) if moved else None


def _shuffled(events: list[Event], start: int, end: int, chance: random.Random) -> bool:
    run = events[start:end]
    bare = [event.model_copy(update={"ts": None, "line": None}) for event in run]
    if all(event == bare[0] for event in bare):
        return False
    order = list(range(len(run)))
    while [bare[i] for i in order] == bare:
        chance.shuffle(order)
    events[start:end] = [run[i].model_copy(update={"ts": run[place].ts}) for place, i in enumerate(order)]
    return True


def is_look(event: Event) -> bool:
    """A call that only looks, and was neither refused nor failed."""
    if event.ok is False or (event.exit_code or 0) != 0 or is_refused(event):
        return False
    if event.kind == "tool_call":
        return (event.tool or "").lower() in _LOOKING_TOOLS
    command = event.command or ""
    if event.kind != "command" or _WRITES.search(command):
        return False
    return all(_LOOK.fullmatch(part) is not None for part in simple_commands(command))


def pad_routine(told: Told, chance: random.Random, other: Told | None) -> Told | None:
    """Half as many events again, all of them routine (listings and the like), each just before a call of the main thread,
    so that no prompt loses its neighbour before and no ending is moved from its place at the end."""
    places = [i for i, event in enumerate(told.events) if is_call(event) and event.thread == "main"]
    if not places:
        return None
    wanted = min(max(len(told.events) // 2, _LEAST_PADDING), MOST_PADDING)
    at = sorted(chance.choice(places) for _ in range(wanted))
    seen = any(event.ok is not None or event.output is not None for event in told.events if is_call(event))
    padded: list[Event] = []
    for i, event in enumerate(told.events):
        while at and at[0] == i:
            at.pop(0)
            padded.append(_routine(chance, event.ts, seen))
        padded.append(event)
    return replace(told, events=tuple(padded))


def _routine(chance: random.Random, ts: str | None, results_are_seen: bool) -> Event:
    command, output = chance.choice(_ROUTINE)
    if not results_are_seen:
        return Event(kind="command", command=command, ts=ts, outcome="unobservable", exit_source="none")
    return Event(kind="command", command=command, ts=ts, output=output, ok=True, exit_code=0, exit_source="structured")


def drop_reasoning(told: Told, chance: random.Random, other: Told | None) -> Told | None:
    """The session without the agent's recorded thinking."""
    kept = tuple(event for event in told.events if event.kind != "reasoning")
    return replace(told, events=kept) if kept and len(kept) < len(told.events) else None
