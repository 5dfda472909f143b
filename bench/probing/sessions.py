"""The sessions that are probed: attempts of a suite, or recorded files. No label is read."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from bench.cases.load import LoadedCase, LoadedSuite
from bench.cases.sources import SessionFolders, events_of, file_digest, source_of
from bench.probing.endings import ending_start
from bench.probing.told import Told
from bench.projection.project import OWN_PROMPTS
from bench.reading.canonical import digest
from bench.reading.strict_yaml import Document
from bench.schema.case import Anchors, Attempt, Case, EventsFrom, Judgment, Metadata, WorldState
from bench.schema.statement import YesNo
from bench.traces.detect import read_session


@dataclass(frozen=True)
class Subject:
    """One session. ``content`` is the digest of its source; ``read`` gives what is told of it, None where it is not here."""

    loaded: LoadedCase
    attempt: Attempt
    content: str
    read: Callable[[], Told | None] = field(repr=False)

    @property
    def name(self) -> str:
        return f"{self.loaded.case.id}/{self.attempt.id}"

    @property
    def family(self) -> str:
        return self.loaded.case.family


def of_suite(suite: LoadedSuite, folders: SessionFolders) -> list[Subject]:
    """Every attempt of the suite."""
    return [_of_attempt(loaded, attempt, folders) for loaded, attempt in suite.attempts()]


def _of_attempt(loaded: LoadedCase, attempt: Attempt, folders: SessionFolders) -> Subject:
    def read() -> Told | None:
        events = events_of(loaded, attempt, folders)
        return None if events is None else Told(loaded.case.query, attempt.answer, events)

    return Subject(loaded, attempt, digest([source_of(loaded, attempt).digest, loaded.case.query]), read)


def of_files(paths: Sequence[Path], form: str | None, statements: Sequence[YesNo]) -> list[Subject]:
    """Recorded session files. The same bytes twice are one family. Raises BrokenInput where one cannot be read."""
    return [_of_file(path, form, tuple(statements)) for path in paths]


def _of_file(path: Path, form: str | None, statements: tuple[YesNo, ...]) -> Subject:
    session = read_session(path, form)
    content = file_digest(path)
    query = session.query or OWN_PROMPTS
    source = EventsFrom(file=path.name)
    attempt = Attempt.model_construct(id="a1", harness=session.harness, answer=session.answer, events_from=source)
    case = Case.model_construct(
        schema_="1", id=path.stem, family=content[:16], stratum="files", query=query, attempts=(attempt,),
        judgment=Judgment(statements=statements), trajectory_anchors=Anchors(), world_state=WorldState(),
        metadata=Metadata(source="file", capability="file", difficulty="file", language="file", tags=()),
    )  # fmt: skip
    loaded = LoadedCase(case, Document(path.name, None, {}), path, statements)

    def read() -> Told:
        return Told(query, session_answer, read_session(path, form).events)

    session_answer = session.answer  # the session itself is read again when it is its turn: many would fill the memory
    return Subject(loaded, attempt, content, read)


def drawn(subjects: Sequence[Subject], limit: int | None, seed: int) -> list[Subject]:
    """At most so many of them, drawn by their content, so that neither names nor order decide."""
    ordered = sorted(subjects, key=lambda s: (digest([seed, "drawn", s.content]), s.name))
    return ordered if limit is None else ordered[:limit]


class Endings:
    """Which other session lends its ending to one: the next in the drawn order of another family that has an ending, of
    the same harness where there is one."""

    def __init__(self, subjects: Sequence[Subject]) -> None:
        self._subjects = subjects
        self._tails: dict[int, Told | None] = {}

    def other(self, place: int) -> Told | None:
        mine = self._subjects[place]
        count = len(self._subjects)
        around = [i % count for i in range(place + 1, place + count)]
        strangers = [i for i in around if self._subjects[i].family != mine.family]
        strangers.sort(key=lambda i: self._subjects[i].attempt.harness != mine.attempt.harness)
        return next((tail for i in strangers if (tail := self._tail(i)) is not None), None)

    def _tail(self, place: int) -> Told | None:
        """The ending alone: whole sessions would fill the memory."""
        if place not in self._tails:
            told = self._subjects[place].read()
            start = None if told is None else ending_start(told.events)
            kept = None if told is None or start is None else Told(told.query, told.answer, told.events[start:])
            self._tails[place] = kept
        return self._tails[place]
