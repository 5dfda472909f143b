"""The projection: what a judge (or an annotator) is shown of an attempt, and nothing more."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from pydantic import JsonValue

from bench.reading.canonical import digest
from bench.schema.event import Event

HIDDEN_FIELDS = {"line", "call"}  # of use to importers only


@dataclass(frozen=True)
class Projection:
    """The view of one attempt under one preset. ``numbers`` are positions in the whole attempt, from 1."""

    preset: str  # name@version
    query: str
    harness: str
    answer: str | None
    numbers: tuple[int, ...]
    events: tuple[Event, ...]
    total: int
    characters_cut: int
    redactions: int

    @property
    def shown(self) -> int:
        return len(self.events)

    @property
    def cut(self) -> int:
        return self.total - len(self.events)

    def content(self) -> Mapping[str, JsonValue]:
        """All that the judge can see, as canonical JSON material; its digest identifies the projection."""
        return {
            "preset": self.preset,
            "query": self.query,
            "harness": self.harness,
            "answer": self.answer,
            "total": self.total,
            "characters_cut": self.characters_cut,
            "events": [
                {"number": number, **event.model_dump(mode="json", exclude_defaults=True, exclude=HIDDEN_FIELDS)}
                for number, event in zip(self.numbers, self.events, strict=True)
            ],
        }

    @property
    def digest(self) -> str:
        return digest(self.content())


def gaps(projection: Projection) -> tuple[tuple[int, int], ...]:
    """(position in ``numbers`` before which events are missing, how many), the end of the attempt included."""
    found = []
    expected = 1
    for position, number in enumerate((*projection.numbers, projection.total + 1)):
        if number > expected:
            found.append((position, number - expected))
        expected = number + 1
    return tuple(found)
