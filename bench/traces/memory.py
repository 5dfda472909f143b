"""Memory benchmarks as cases: what was said in earlier sessions, and questions about it with the answers of the data set.

No session of an agent is recorded there: they are cases to run an agent on, never traces of one.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from bench.schema.event import Event
from bench.traces.report import ImportReport, Recorded


@dataclass(frozen=True)
class MemorySession:
    """One earlier session, with the date as it is written: it names no zone."""

    id: str
    date: str | None
    events: tuple[Event, ...]


@dataclass(frozen=True)
class Place:
    """Where evidence stands: a session by its id, and an event of it by its number, or the session as a whole."""

    session: str
    event: int | None = None


@dataclass(frozen=True)
class MemoryQuestion:
    """A question; the labels are for measuring, no agent and no judge is shown them."""

    id: str
    text: str
    category: str
    date: str | None  # when it is asked, as it is written
    recorded: tuple[Recorded, ...]  # answer, answerable (yes or no), adversarial_answer
    evidence: tuple[Place, ...]
    unresolved: tuple[str, ...] = ()  # evidence that names nothing in the sessions


@dataclass(frozen=True)
class MemoryCase:
    """Sessions, and the questions about them. Books: a record is one turn or one question."""

    id: str
    sessions: tuple[MemorySession, ...]
    questions: tuple[MemoryQuestion, ...]
    report: ImportReport


def words_of(value: object) -> str | None:
    """An answer as text: the data sets write some of them as numbers."""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return None
    return str(value).strip() or None


def names_in(text: str, pattern: re.Pattern[str]) -> tuple[list[str], list[str]]:
    """The names that stand in a text, and what else does: several are written into one text now and then."""
    rest = [part for part in re.split(r"[\s;,()]+", pattern.sub(" ", text)) if part]
    return [found[0] for found in pattern.finditer(text)], rest
