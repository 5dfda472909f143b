"""Statements: the judgments asked about an attempt."""

from __future__ import annotations

from itertools import pairwise
from typing import Annotated, Any, Literal

from pydantic import Discriminator, Field, Tag, model_validator

from bench.schema.base import Id, Integer, Number, Record, Text, Truth


class VoteField(Record):
    """Something more that an annotator says along with an answer."""

    name: Id
    when: Literal["yes", "no", "unclear"]
    meaning: Text
    options: dict[Id, Text] | None = None  # option -> what it means; absent: free text
    required: Truth = False


class _Statement(Record):
    id: Id
    text: Text
    polarity: Literal["must", "must_not"] = "must"  # used by policies only
    weight: Number = 1.0
    critical: Truth = False
    ask_also: tuple[VoteField, ...] = ()


class YesNo(_Statement):
    """A yes / no statement with its own true and false criteria."""

    type: Literal["yes_no"] = "yes_no"
    true: Text
    false: Text


class Level(Record):
    """One level of a score."""

    level: Integer
    meaning: Text


class Score(_Statement):
    """A graded statement; every level says what it means."""

    type: Literal["score"]
    levels: Annotated[tuple[Level, ...], Field(min_length=2, max_length=10)]

    @model_validator(mode="after")
    def _levels_rise(self) -> Score:
        numbers = [level.level for level in self.levels]
        if any(b <= a for a, b in pairwise(numbers)):
            raise ValueError("the levels must rise from first to last, each once")
        return self


class Choice(_Statement):
    """A choice among named options."""

    type: Literal["choice"]
    options: Annotated[dict[Id, Text], Field(min_length=2, max_length=255)]


def _type_of(value: Any) -> str:
    """The declared type; yes_no where none is declared."""
    declared = value.get("type", "yes_no") if isinstance(value, dict) else getattr(value, "type", "yes_no")
    return str(declared)


Statement = Annotated[
    Annotated[YesNo, Tag("yes_no")] | Annotated[Score, Tag("score")] | Annotated[Choice, Tag("choice")],
    Discriminator(_type_of),
]


def _named_or_written(value: Any) -> str:
    return "named" if isinstance(value, str) else "written"


NamedOrWritten = Annotated[
    Annotated[Id, Tag("named")] | Annotated[Statement, Tag("written")], Discriminator(_named_or_written)
]


def answers_of(statement: YesNo | Score | Choice) -> tuple[str, ...]:
    """The answers that an annotator or judge may give, ``unclear`` aside."""
    if isinstance(statement, YesNo):
        return ("yes", "no")
    if isinstance(statement, Score):
        return tuple(str(level.level) for level in statement.levels)
    return tuple(statement.options)
