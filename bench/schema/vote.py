"""Votes of annotators and adjudications: the right-hand side that no judge may see."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, model_validator

from bench.schema.base import Id, Integer, Moment, Record, Text, Version


class Vote(Record):
    """One answer to one statement about one attempt."""

    attempt: Id
    statement: Id
    answer: Text  # yes, no, unclear; or a level or an option of the statement
    rationale: Text
    evidence: tuple[Annotated[Integer, Field(ge=1)], ...] = ()
    also: dict[Id, Text] = {}  # what the statement's ask_also wants
    error_category: Id | None = None
    severity: Literal["minor", "major", "critical"] | None = None


class VoteFile(Record):
    """All votes of one annotator on one case."""

    schema_: Version = Field(alias="schema")
    case: Id
    annotator: Id
    purpose: Literal["label", "check"] = "label"  # a check votes after the fact: it enters no label and needs no ruling
    made_by: Literal["person", "model_assisted", "model"]
    lineage: Text | None = None  # the model family, where a model had a part
    guide: Text  # version of the guide the votes were given under
    preset: Text  # the projection that was read, name@version
    at: Moment
    votes: Annotated[tuple[Vote, ...], Field(min_length=1)]

    @model_validator(mode="after")
    def _provenance_is_whole(self) -> VoteFile:
        if self.made_by != "person" and self.lineage is None:
            raise ValueError(f"made_by {self.made_by} needs the model's lineage")
        return self


class Ruling(Record):
    """The settled answer to one item whose votes differed, and why."""

    attempt: Id
    statement: Id
    answer: Text
    reason: Text


class AdjudicationFile(Record):
    """All rulings on one case."""

    schema_: Version = Field(alias="schema")
    case: Id
    adjudicator: Id
    made_by: Literal["person", "model_assisted", "model"]
    lineage: Text | None = None
    guide: Text
    at: Moment
    rulings: Annotated[tuple[Ruling, ...], Field(min_length=1)]


class ChecksFile(Record):
    """The cases drawn for a third vote, with which errors in labels are estimated."""

    schema_: Version = Field(alias="schema")
    seed: Integer
    drawn: Text  # how, so that somebody else draws the same
    cases: Annotated[tuple[Id, ...], Field(min_length=1)]


class NoteFile(Record):
    """What the author of a case meant; nobody who votes or judges reads it."""

    schema_: Version = Field(alias="schema")
    case: Id
    author: Id
    made_by: Literal["person", "model_assisted", "model"]
    lineage: Text | None = None
    intention: Text
    deciding_line: Text
    deciding_events: tuple[Annotated[Integer, Field(ge=1)], ...] = ()  # numbers; the decisive one first
    intended: dict[Text, Text] = {}  # "attempt/statement" -> answer the author had in mind
    phenomena: tuple[Text, ...] = ()  # tags of the vocabulary that an annotator must not see
