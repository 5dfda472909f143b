"""A session as the page shows it: the terminal's rendering in parts, escaped in the same way, and nothing more."""

from __future__ import annotations

from bench.projection.render import escape, event_facts, event_texts
from bench.projection.view import Projection, gaps
from bench.schema.base import Record
from bench.schema.event import Event


class TextView(Record):
    """One long text of an event: args, command, text or output."""

    name: str
    text: str


class EventView(Record):
    """One event: its number, kind, the origin of a prompt, what is known of it in a word, and its texts."""

    number: int
    kind: str
    origin: str | None
    facts: str
    texts: tuple[TextView, ...]
    cut_before: int  # events that are not shown between the one before and this one


class SessionView(Record):
    """The projection of one attempt."""

    item: str
    query: str
    harness: str
    answer: str | None
    events: tuple[EventView, ...]
    cut_after: int
    total: int


def session_view(item: str, projection: Projection) -> SessionView:
    """What an annotator may see of an attempt."""
    missing = dict(gaps(projection))
    events = [
        _event_view(number, event, missing.get(position, 0))
        for position, (number, event) in enumerate(zip(projection.numbers, projection.events, strict=True))
    ]
    return SessionView(
        item=item,
        query=_shown(projection.query),
        harness=escape(projection.harness),
        answer=None if projection.answer is None else _shown(projection.answer),
        events=tuple(events),
        cut_after=missing.get(len(projection.events), 0),
        total=projection.total,
    )


def _event_view(number: int, event: Event, cut_before: int) -> EventView:
    kind, *facts = event_facts(event)
    if event.origin is not None:
        facts = facts[1:]
    texts = tuple(TextView(name=name, text=_shown(text)) for name, text in event_texts(event))
    return EventView(
        number=number, kind=kind, origin=event.origin, facts=" ".join(facts), texts=texts, cut_before=cut_before
    )


def _shown(text: str) -> str:
    return escape(text.replace("\r\n", "\n"))
