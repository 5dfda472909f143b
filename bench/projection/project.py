"""Make a projection: redact first, then choose and cut."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import replace

from pydantic import JsonValue

from bench.problems import BrokenInput, Problem
from bench.projection.presets import PRESETS, Preset, cut_middle
from bench.projection.render import render_frame
from bench.projection.view import Projection
from bench.redaction.personal import redact_personal
from bench.redaction.redact import redact, redact_field
from bench.schema.event import Approval, Event

_Found = tuple[str, int]  # the clean text, and how many were replaced
OWN_PROMPTS = "What the person asks for in the session's own prompts."  # the query of a session that is no case


def preset_named(name: str) -> Preset:
    """The preset of that name; BrokenInput names the ones there are."""
    if name not in PRESETS:
        raise BrokenInput([Problem("--preset", None, None, None, repr(name), f"use one of {', '.join(PRESETS)}")])
    return PRESETS[name]


def project(preset: Preset, query: str, harness: str, events: Sequence[Event], answer: str | None = None) -> Projection:
    """The view of one attempt under a preset. Query and answer count against a budget too, a quarter each at most."""
    counter = _Redactor()
    clean = [(number, counter.event(event)) for number, event in enumerate(events, 1)]
    query = counter.text(query)
    answer = None if answer is None else counter.text(answer)
    whole = sum(_characters(event) for _, event in clean) + len(query) + len(answer or "")
    if preset.limit is not None:
        query = cut_middle(query, preset.limit // 4)
        answer = None if answer is None else cut_middle(answer, preset.limit // 4)
    chosen = preset.choose(clean, len(render_frame(query, harness, answer)))
    shown = sum(_characters(event) for _, event in chosen) + len(query) + len(answer or "")
    return Projection(
        preset=preset.label,
        query=query,
        harness=harness,
        answer=answer,
        numbers=tuple(number for number, _ in chosen),
        events=tuple(event for _, event in chosen),
        total=len(clean),
        characters_cut=max(0, whole - shown),
        redactions=counter.count,
    )


def _characters(event: Event) -> int:
    texts = sum(len(value) for value in (event.text, event.command, event.output) if value)
    return texts + (len(json.dumps(event.args, ensure_ascii=False)) if event.args else 0)


def for_publishing(session: Projection) -> tuple[Projection, int]:
    """The projection without personal data, and how many were taken out: of a session that becomes a case."""
    counter = _Redactor(redact_personal, lambda _, value: redact_personal(value))
    events = tuple(counter.event(event) for event in session.events)
    query = counter.text(session.query)
    answer = None if session.answer is None else counter.text(session.answer)
    return replace(session, query=query, answer=answer, events=events), counter.count


class _Redactor:
    """Redacts every text of an event and counts."""

    def __init__(
        self, of_text: Callable[[str], _Found] = redact, of_field: Callable[[str, str], _Found] = redact_field
    ) -> None:
        self.count = 0
        self._of_text = of_text
        self._of_field = of_field

    def text(self, value: str) -> str:
        clean, found = self._of_text(value)
        self.count += found
        return clean

    def event(self, event: Event) -> Event:
        changes: dict[str, object] = {}
        for field in ("text", "command", "output", "path", "tool", "thread"):
            value = getattr(event, field)
            if value:
                clean = self.text(value)
                if clean != value:
                    changes[field] = clean
        if event.args:
            changes["args"] = self._json(event.args)
        if event.approval is not None and event.approval.reason:
            changes["approval"] = self._approval(event.approval, event.approval.reason)
        return event.model_copy(update=changes) if changes else event

    def _approval(self, approval: Approval, reason: str) -> Approval:
        return approval.model_copy(update={"reason": self.text(reason)})

    def _json(self, value: JsonValue) -> JsonValue:
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, dict):
            return {self.text(key): self._field(key, part) for key, part in value.items()}
        if isinstance(value, list):
            return [self._json(part) for part in value]
        return value

    def _field(self, name: str, value: JsonValue) -> JsonValue:
        if not isinstance(value, str):
            return self._json(value)
        clean, found = self._of_field(name, value)
        self.count += found
        return clean
