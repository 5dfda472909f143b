"""Presets: named, versioned, deterministic ways to cut an attempt down to what a judge is shown.

A token is estimated as four characters (no tokenizer is shared by all judges); budgets are in such tokens.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from bench.projection.render import render_event
from bench.schema.event import Event

CHARACTERS_A_TOKEN = 4
_TEXT_FIELDS = ("text", "command", "output")
_SIX_FIELDS = {"kind", "origin", "tool", "text", "command", "output"}
_LADDER = (8000, 4000, 2000, 1000, 500, 250, 120)  # characters a text field may keep, tried from the roomiest
_WINDOW = 3  # neighbours kept around a prompt, refusal, interrupt or compaction

Chosen = list[tuple[int, Event]]


@dataclass(frozen=True)
class Preset:
    """A named view. ``choose`` takes the numbered, redacted events and returns those shown, cut as they are shown."""

    name: str
    version: int
    meaning: str
    choose: Callable[[Chosen], Chosen]

    @property
    def label(self) -> str:
        return f"{self.name}@{self.version}"


def _everything(events: Chosen) -> Chosen:
    return events


def _naive(head: int, tail: int, field_limit: int) -> Callable[[Chosen], Chosen]:
    """Six text fields, each cut at its end; the first ``head`` and last ``tail`` events."""

    def choose(events: Chosen) -> Chosen:
        kept = events if len(events) <= head + tail else events[:head] + events[len(events) - tail :]
        return [(number, _six_fields(event, field_limit)) for number, event in kept]

    return choose


def _six_fields(event: Event, limit: int) -> Event:
    values = event.model_dump(exclude_defaults=True, include=_SIX_FIELDS)
    for field in _TEXT_FIELDS:
        if values.get(field):
            values[field] = values[field][:limit]
    return Event.model_construct(**values)


def _windows(budget: int) -> Callable[[Chosen], Chosen]:
    """All structured fields within a budget: long fields lose their middle first, then events far from any turn go."""
    limit = budget * CHARACTERS_A_TOKEN

    def choose(events: Chosen) -> Chosen:
        for rung in _LADDER:
            cut = [(number, cut_fields(event, rung)) for number, event in events]
            sizes = [_size(number, event) for number, event in cut]
            if sum(sizes) <= limit:
                return cut
        return _most_telling(cut, sizes, limit)

    return choose


def _most_telling(events: Chosen, sizes: list[int], limit: int) -> Chosen:
    """Events by rank (turns first, then their neighbours, then the ends, then by distance) until the budget is full."""
    ranks = _ranks([event for _, event in events])
    order = sorted(range(len(events)), key=lambda i: (ranks[i], -i))
    kept: set[int] = set()
    spent = 0
    for i in order:
        if spent + sizes[i] <= limit:
            kept.add(i)
            spent += sizes[i]
    return [events[i] for i in sorted(kept)]


def _ranks(events: Sequence[Event]) -> list[int]:
    turns = [i for i, event in enumerate(events) if _is_turn(event)]
    last = len(events) - 1
    return [_rank(i, events[i], turns, last) for i in range(len(events))]


def _rank(i: int, event: Event, turns: list[int], last: int) -> int:
    distance = min((abs(i - t) for t in turns), default=len(turns) + i)
    if distance == 0:
        return 0
    if event.kind in ("system", "usage", "other") or event.origin in ("injected", "hook"):
        return 1000 + distance
    if i > last - 5 or distance <= _WINDOW:
        return 1
    if event.ok is False or (event.exit_code or 0) != 0:
        return 2
    return 3 + distance


def _is_turn(event: Event) -> bool:
    refused = event.approval is not None and event.approval.decision == "denied"
    typed = event.kind == "prompt" and event.origin not in ("injected", "hook", "command")
    return typed or refused or event.kind in ("interrupt", "compaction")


def _size(number: int, event: Event) -> int:
    return len(render_event(number, event)) + 1


def cut_fields(event: Event, limit: int) -> Event:
    """The event with each long text cut to about ``limit`` characters: its middle goes, and the cut says how much."""
    changes: dict[str, object] = {}
    for field in _TEXT_FIELDS:
        value = getattr(event, field)
        if value is not None and len(value) > limit:
            changes[field] = cut_middle(value, limit)
    if event.args:
        changes["args"] = _cut_args(event.args, limit)
    return event.model_copy(update=changes) if changes else event


def _cut_args(value: object, limit: int) -> object:
    if isinstance(value, str):
        return cut_middle(value, limit)
    if isinstance(value, dict):
        return {key: _cut_args(part, limit) for key, part in value.items()}
    if isinstance(value, list):
        return [_cut_args(part, limit) for part in value]
    return value


def cut_middle(text: str, limit: int) -> str:
    """At most ``limit`` characters of the text, from its two ends, with the cut marked between them."""
    if len(text) <= limit:
        return text
    head = limit * 3 // 5
    tail = limit - head
    return f"{text[:head]}[... {len(text) - limit} characters cut ...]{text[len(text) - tail :]}"


PRESETS: dict[str, Preset] = {
    preset.name: preset
    for preset in (
        Preset("events", 1, "every event with every field: for judges that are code", _everything),
        Preset("naive-80", 1, "six text fields of 500 characters, first 80 events", _naive(80, 0, 500)),
        Preset("ends-80", 1, "six text fields of 500 characters, first 40 and last 40 events", _naive(40, 40, 500)),
        Preset("windows-1k", 1, "all fields in about 1,000 tokens, centred on prompts and refusals", _windows(1_000)),
        Preset("windows-8k", 1, "all fields in about 8,000 tokens, centred on prompts and refusals", _windows(8_000)),
        Preset(
            "windows-32k", 1, "all fields in about 32,000 tokens, centred on prompts and refusals", _windows(32_000)
        ),
        Preset("reading", 1, "for annotators: all fields in about 40,000 tokens", _windows(40_000)),
    )
}
