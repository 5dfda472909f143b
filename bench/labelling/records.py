"""What the page is told. Each field is named here: what is not, does not leave the server."""

from __future__ import annotations

from pydantic import Field

from bench.labelling.form import Form
from bench.labelling.guide_view import Block
from bench.schema.base import Record


class Meaning(Record):
    """An answer or an option, and what it means."""

    name: str
    meaning: str


class AlsoAsked(Record):
    """Something more that is asked along with one answer."""

    name: str
    when: str
    meaning: str
    options: tuple[Meaning, ...] | None
    required: bool


class StatementView(Record):
    """A statement as an annotator sees it: its words and criteria, without id, weight or polarity."""

    text: str
    answers: tuple[Meaning, ...]  # with ``unclear``, whose meaning is the guide's
    yes_no: bool
    also: tuple[AlsoAsked, ...]
    guide: tuple[Block, ...]
    near_misses: tuple[Block, ...]


class SideVote(Record):
    """One of the votes that differ, for the person who settles them."""

    annotator: str
    answer: str
    evidence: tuple[int, ...]
    rationale: str
    also: tuple[Meaning, ...]


class Place(Record):
    """Which item is meant: an opaque name of the attempt, and the position of the statement, from 1."""

    item: str
    statement: int


class Current(Place):
    """The item that is asked now."""

    statements: int
    asked: StatementView
    draft: Form | None
    votes: tuple[SideVote, ...]


class Previous(Place):
    """The item that can be taken back next."""

    this_sitting: bool


class State(Record):
    """Where a sitting stands."""

    title: str
    work: str  # label, check, pilot or rulings
    person: str
    done: int
    total: int
    passed_over: int
    sitting: int
    seconds_each: float | None
    guide_version: str | None
    current: Current | None
    previous: Previous | None


class Sent(Place):
    """A form that the page sends, as a draft or as a vote."""

    form: Form


class Refusal(Record):
    """Why the page's wish is not fulfilled; ``there`` is what the item has already."""

    error: str
    wanted: dict[str, str] = Field(default_factory=dict)  # field -> what is missing there
    there: Form | None = None


class AgreementRow(Record):
    """One statement in one stratum; each figure as ``bench agreement`` prints it, with its interval or its reason."""

    statement: str
    stratum: str
    items: int
    raw: str
    alpha: str
    without_unclear: str


class AgreementView(Record):
    """The agreement of a sitting."""

    annotators: tuple[str, ...]
    rows: tuple[AgreementRow, ...]
