"""Presets: named, versioned, deterministic ways to cut an attempt down to what a judge is shown.

A token is estimated as four characters (no tokenizer is shared by all judges); budgets are in such tokens.
"""

from __future__ import annotations

import json
from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from pydantic import JsonValue

from bench.projection.render import render_event, render_gap
from bench.schema.event import Event

CHARACTERS_A_TOKEN = 4
_TEXT_FIELDS = ("text", "command", "output")
_SIX_FIELDS = {"kind", "origin", "tool", "text", "command", "output"}
_LADDER = (8000, 4000, 2000, 1000, 500, 250, 120)  # characters a text field may keep, tried from the roomiest
_WINDOW = 3  # neighbours kept around a prompt, refusal, interrupt or compaction

Chosen = list[tuple[int, Event]]


@dataclass(frozen=True)
class Preset:
    """A named view. ``choose`` takes the numbered, redacted events, and how many characters the rest of the rendering takes,
    and returns the events shown, cut as they are shown."""

    name: str
    version: int
    meaning: str
    choose: Callable[[Chosen, int], Chosen]
    limit: int | None = None  # characters that the whole rendering may take

    @property
    def label(self) -> str:
        return f"{self.name}@{self.version}"


def _everything(events: Chosen, spent: int) -> Chosen:
    return events


def _naive(head: int, tail: int, field_limit: int) -> Callable[[Chosen, int], Chosen]:
    """Six text fields, each cut at its end; the first ``head`` and last ``tail`` events."""

    def choose(events: Chosen, spent: int) -> Chosen:
        kept = events if len(events) <= head + tail else events[:head] + events[len(events) - tail :]
        return [(number, _six_fields(event, field_limit)) for number, event in kept]

    return choose


def _six_fields(event: Event, limit: int) -> Event:
    values = event.model_dump(exclude_defaults=True, include=_SIX_FIELDS)
    for field in _TEXT_FIELDS:
        if values.get(field):
            values[field] = values[field][:limit]
    return Event.model_construct(**values)


def _windows(name: str, version: int, tokens: int, meaning: str) -> Preset:
    """All structured fields within a budget: long fields lose their middle first, then events far from any turn go."""
    limit = tokens * CHARACTERS_A_TOKEN

    def choose(events: Chosen, spent: int) -> Chosen:
        return _within(events, limit - spent)

    return Preset(name, version, meaning, choose, limit)


def _within(events: Chosen, limit: int) -> Chosen:
    """Turns, their neighbours and the end get up to half of the room, the rest what is left, each cut as little as that
    allows; then events go; what then is left over gives text back, to the near ones first."""
    ranks = _ranks([event for _, event in events])
    order = sorted(range(len(events)), key=lambda i: (ranks[i], -i))
    near = [i for i in order if ranks[i] <= 1]
    far = [i for i in order if ranks[i] > 1]
    cut = list(events)
    taken = _cut_to_fit(cut, near, limit // 2 if far else limit)
    _cut_to_fit(cut, far, limit - taken)
    kept, spent = _most_telling(order, ranks, _sizes(cut), limit)
    groups = [[i for i in group if i in kept] for group in (near, far)]
    widened = _widened(events, cut, groups, limit - spent)
    return [widened.get(i, cut[i]) for i in sorted(kept)]


def _cut_to_fit(cut: Chosen, places: Sequence[int], limit: int) -> int:
    """Cut the events at these places, in place, as little as is needed for them to fit; what they take."""
    whole = [cut[i] for i in places]
    taken = sum(_sizes(whole))
    for rung in _LADDER:
        if taken <= limit:
            break
        shorter = [(number, cut_fields(event, rung)) for number, event in whole]
        taken = sum(_sizes(shorter))
        for i, entry in zip(places, shorter, strict=True):
            cut[i] = entry
    return taken


def _most_telling(order: list[int], ranks: list[int], sizes: list[int], limit: int) -> tuple[set[int], int]:
    """Events by rank (turns first, then their neighbours, then the ends, then by distance) until the budget is full, and
    what they take, with the lines that stand for gaps. Once a turn had to go, only other turns are taken."""
    if sum(sizes) <= limit:
        return set(order), sum(sizes)
    last = len(order) - 1
    gap = len(render_gap(len(order))) + 1
    kept: set[int] = set()
    spent, turn_left_out = gap, False
    for i in order:
        if turn_left_out and ranks[i] > 0:
            break
        gaps = 1 - (i == 0 or i - 1 in kept) - (i == last or i + 1 in kept)
        if spent + sizes[i] + gaps * gap <= limit:
            kept.add(i)
            spent += sizes[i] + gaps * gap
        elif ranks[i] == 0:
            turn_left_out = True
    return kept, spent


def _widened(events: Chosen, cut: Chosen, groups: Sequence[Sequence[int]], room: int) -> dict[int, tuple[int, Event]]:
    """What is left of the budget gives text back: rung by rung to the first group, then to the next."""
    widened: dict[int, tuple[int, Event]] = {}
    for group in groups:
        sizes = {i: _size(*cut[i]) for i in group if cut[i][1] is not events[i][1]}
        for rung in (*reversed(_LADDER), None):
            for i in sizes:
                number, event = events[i]
                roomier = event if rung is None else cut_fields(event, rung)
                more = _size(number, roomier) - sizes[i]
                if 0 < more <= room:
                    widened[i] = (number, roomier)
                    sizes[i] += more
                    room -= more
    return widened


def _ranks(events: Sequence[Event]) -> list[int]:
    turns = [i for i, event in enumerate(events) if _is_turn(event)]
    last = len(events) - 1
    return [_rank(i, events[i], turns, last) for i in range(len(events))]


def _rank(i: int, event: Event, turns: list[int], last: int) -> int:
    place = bisect_left(turns, i)
    distance = min((abs(i - turn) for turn in turns[max(0, place - 1) : place + 1]), default=i + 1)
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


def _sizes(events: Chosen) -> list[int]:
    return [_size(number, event) for number, event in events]


def _size(number: int, event: Event) -> int:
    return len(render_event(number, event)) + 1


def cut_fields(event: Event, limit: int) -> Event:
    """The event with each long text cut to about ``limit`` characters: its middle goes, and the cut says how much."""
    changes: dict[str, object] = {}
    for field in (*_TEXT_FIELDS, "tool", "path", "thread"):
        value = getattr(event, field)
        if value is not None and len(value) > limit:
            changes[field] = cut_middle(value, limit)
    if event.args and len(json.dumps(event.args, ensure_ascii=False)) > limit:
        changes["args"] = _cut_args(event.args, limit)
    approval = event.approval
    if approval is not None and approval.reason is not None and len(approval.reason) > limit:
        changes["approval"] = approval.model_copy(update={"reason": cut_middle(approval.reason, limit)})
    return event.model_copy(update=changes) if changes else event


def _cut_args(args: dict[str, JsonValue], limit: int) -> dict[str, JsonValue]:
    """Each long text of the arguments cut; where they are many, the middle of the whole goes."""
    cut = {key: _cut_value(value, limit) for key, value in args.items()}
    text = json.dumps(cut, ensure_ascii=False, sort_keys=True)
    return {"...": cut_middle(text, 3 * limit)} if len(text) > 4 * limit else cut


def _cut_value(value: JsonValue, limit: int) -> JsonValue:
    if isinstance(value, str):
        return cut_middle(value, limit)
    if isinstance(value, dict):
        return {key: _cut_value(part, limit) for key, part in value.items()}
    if isinstance(value, list):
        return [_cut_value(part, limit) for part in value]
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
        _windows("windows-1k", 1, 1_000, "all fields in about 1,000 tokens, centred on prompts and refusals"),
        _windows("windows-8k", 1, 8_000, "all fields in about 8,000 tokens, centred on prompts and refusals"),
        _windows("windows-32k", 1, 32_000, "all fields in about 32,000 tokens, centred on prompts and refusals"),
        _windows("reading", 2, 40_000, "for annotators: all fields in about 40,000 tokens"),
    )
}
