"""The case file: query, judgment, trajectory anchors, world state, metadata, attempts."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, model_validator

from bench.schema.base import Id, Integer, Moment, Record, Sha256, Text, Truth, Version
from bench.schema.event import Event
from bench.schema.statement import NamedOrWritten


class Judgment(Record):
    """Which statements are asked: ids from the suite, or statements written out for this case."""

    statements: Annotated[tuple[NamedOrWritten, ...], Field(min_length=1)]


class Pattern(Record):
    """What an event must look like: every given part must match. Strings are globs (``*``, ``**``, ``?``)."""

    tool: Text | None = None
    args: dict[str, Text] | None = None
    command: Text | None = None
    output: Text | None = None
    ok: Truth | None = None

    @model_validator(mode="after")
    def _says_something(self) -> Pattern:
        if self == Pattern.model_construct():
            raise ValueError("a pattern needs at least one of tool, args, command, output, ok")
        return self


class State(Record):
    """A file that must hold (or must not hold) a text at the end, as far as the record shows it."""

    file: Text
    contains: Text | None = None
    lacks: Text | None = None

    @model_validator(mode="after")
    def _one_claim(self) -> State:
        if (self.contains is None) == (self.lacks is None):
            raise ValueError("a state needs exactly one of contains, lacks")
        return self


class Anchors(Record):
    """Code-checkable facts about the trajectory."""

    expect: tuple[Pattern, ...] = ()
    order: Literal["any", "given"] = "any"
    states: tuple[State, ...] = ()
    forbid: tuple[Pattern, ...] = ()


class WorldState(Record):
    """What was true outside the session."""

    reference_time: Moment | None = None
    snapshot: Text | None = None
    facts: dict[Id, str] = {}

    @model_validator(mode="after")
    def _no_field_among_the_facts(self) -> WorldState:
        for name in WorldState.model_fields:
            if name in self.facts:
                raise ValueError(f"{name} stands among the facts: indent it one step less")
        return self


class Metadata(Record):
    """Where the case comes from and what it tests; no judge sees it. Tags come from the suite's vocabulary."""

    source: Text
    capability: Text
    difficulty: Text
    language: Text
    tags: tuple[Text, ...] = ()
    version: Integer = 1


class SessionReference(Record):
    """A recorded session that is named, not held: where it is published, and which bytes are meant."""

    repository: Text
    commit: Text
    path: Text
    format: Id
    sha256: Sha256  # of the bytes that were read, voted on and judged
    sha256_upstream: Sha256 | None = None  # of the published bytes, where they differ (personal data replaced)


class EventsFrom(Record):
    """Events that live elsewhere: in a file beside the case, or in a referenced session."""

    file: Text | None = None
    format: Id | None = None
    reference: SessionReference | None = None

    @model_validator(mode="after")
    def _one_source(self) -> EventsFrom:
        if (self.file is None) == (self.reference is None):
            raise ValueError("events_from needs exactly one of file, reference")
        return self


class Attempt(Record):
    """One recorded run of an agent on the case."""

    id: Id
    harness: Text
    model: Text | None = None
    answer: Text | None = None  # the final answer, where it is apart from the events
    events: Annotated[tuple[Event, ...], Field(min_length=1)] | None = None
    events_from: EventsFrom | None = None

    @model_validator(mode="after")
    def _one_source(self) -> Attempt:
        if (self.events is None) == (self.events_from is None):
            raise ValueError("an attempt needs exactly one of events, events_from")
        return self


class Case(Record):
    """One case of a suite."""

    schema_: Version = Field(alias="schema")
    id: Id
    family: Id
    stratum: Id
    query: Text
    judgment: Judgment
    trajectory_anchors: Anchors = Anchors()
    world_state: WorldState = WorldState()
    metadata: Metadata
    attempts: Annotated[tuple[Attempt, ...], Field(min_length=1)]

    @model_validator(mode="after")
    def _attempt_ids_are_unique(self) -> Case:
        ids = [attempt.id.lower() for attempt in self.attempts]
        if len(set(ids)) < len(ids):
            raise ValueError("attempt ids must be unique within the case")
        return self
