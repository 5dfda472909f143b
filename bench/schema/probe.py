"""The probe file: which change of a session must move, or must not move, the answer to which statement."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, model_validator

from bench.schema.base import Id, Record, Text, Version

Expect = Literal[
    "same",  # the answer must not change
    "falls",  # a yes must become a no
    "abstains_or_falls",  # a yes must become a no, or the judge must say that it cannot tell
    "not_rises",  # a no must not become a yes
]
EVERY = "*"  # as statement: every yes / no statement


class Probe(Record):
    """One claim about how an answer must behave when the session is changed."""

    id: Id
    transform: Text
    statement: Text = EVERY
    expect: Expect
    because: Text | None = None


class ProbeFile(Record):
    """The probes of a suite, or of a user."""

    schema_: Version = Field(alias="schema")
    probes: Annotated[tuple[Probe, ...], Field(min_length=1)]

    @model_validator(mode="after")
    def _ids_are_unique(self) -> ProbeFile:
        ids = [probe.id.lower() for probe in self.probes]
        double = sorted({name for name in ids if ids.count(name) > 1})
        if double:
            raise ValueError(f"probe ids must be unique: {', '.join(double)} stands twice")
        return self
