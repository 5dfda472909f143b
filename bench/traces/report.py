"""What an import saw, used and skipped. The books balance: seen = used + skipped + unknown + malformed."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, BinaryIO, Literal

from bench.schema.event import Event

_NOT_PLAIN = re.compile(r"[^A-Za-z0-9._+/ -]+")
_LONGEST_NAME = 64


@dataclass
class ImportReport:
    """Counts of records (lines or array entries of the source), by what became of them."""

    format: str
    seen: int = 0
    used: int = 0
    skipped: Counter[str] = field(default_factory=Counter)  # known record types that carry no event
    unknown: Counter[str] = field(default_factory=Counter)  # record types this importer has never met
    malformed: list[int] = field(default_factory=list)  # line numbers
    versions: Counter[str] = field(default_factory=Counter)  # harness versions named in the file
    orphan_results: int = 0

    @property
    def balanced(self) -> bool:
        return self.seen == self.used + self.skipped.total() + self.unknown.total() + len(self.malformed)


@dataclass(frozen=True)
class Recorded:
    """What a record itself says of how its session went: a label of others. No judge is shown it."""

    name: str  # reward, the scorer's name, mistake, ...
    answer: str
    by: str  # environment, scorer, person, ...
    evidence: tuple[int, ...] = ()  # event numbers
    detail: str | None = None


@dataclass(frozen=True)
class Session:
    """One imported session. A file may hold several: attempts of one task share ``task``."""

    harness: str
    events: tuple[Event, ...]
    report: ImportReport
    model: str | None = None
    id: str | None = None
    task: str | None = None
    trial: int | None = None  # of the task, from 0
    query: str | None = None  # what was asked for, where the record says it apart from the prompts
    answer: str | None = None  # the final answer, where the record says it apart from the messages
    recorded: tuple[Recorded, ...] = ()
    partial: str | None = None  # why the record may not hold the whole session

    def __post_init__(self) -> None:
        """Some records name their harness themselves; a name stands in tables and pages, so it is a plain one."""
        plain = _NOT_PLAIN.sub("-", self.harness)[:_LONGEST_NAME].strip("-")
        object.__setattr__(self, "harness", plain or self.report.format)


@dataclass(frozen=True)
class Format:
    """One format of recorded sessions, and how it is told from others by its content.

    ``speaks`` is given, by shape: lines, one JSON object of the file's head; document, the parsed JSON value; text, the
    head of the file as text; archive, the names of its members. ``read`` is given the file as a binary stream.
    """

    name: str
    reader: str  # name@version: raised whenever the events that it gives change
    shape: Literal["lines", "document", "text", "archive"]
    speaks: Callable[[Any], bool]
    read: Callable[[BinaryIO], Iterator[Session]]
