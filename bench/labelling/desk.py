"""One person's sitting: what is asked next, the draft, the answer, and the way back."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from bench.cases.load import AnyStatement, LoadedCase
from bench.judges.contract import question_of
from bench.labelling.books import Book, Task
from bench.labelling.drafts import Drafts
from bench.labelling.form import Form
from bench.labelling.guide_view import Block, near_misses_for, section_for
from bench.labelling.records import AlsoAsked, Current, Meaning, Place, Previous, State, StatementView
from bench.labelling.session_view import SessionView, session_view
from bench.labels.load import UNCLEAR
from bench.projection.view import Projection
from bench.reading.canonical import digest
from bench.schema.case import Attempt

Show = Callable[[LoadedCase, Attempt], Projection | None]
_PAUSE = 600.0  # seconds without an answer that count as a pause, not as work
_UNCLEAR = "the record does not show enough to decide"


class NoSuchItem(Exception):
    """The page names an item that is not among those asked here."""


class NothingThere(Exception):
    """There is no answer to take back."""


@dataclass(frozen=True)
class Guide:
    """The guide that people vote by: its version and its blocks; no version and no block where there is none."""

    version: str | None
    blocks: tuple[Block, ...] = ()


class Desk:
    """Serves one person. Calls may come from several tabs at once; one is served at a time."""

    def __init__(
        self,
        title: str,
        book: Book,
        tasks: Sequence[Task],
        drafts: Drafts,
        show: Show,
        guide: Guide,
        passed_over: int = 0,
    ) -> None:
        self.title = title
        self.book = book
        self.guide = guide
        self.passed_over = passed_over
        self._tasks = tuple(tasks)
        self._places = {(place.item, place.statement): task for task in tasks for place in [place_of(task)]}
        self._attempts = {item: task for (item, _), task in self._places.items()}
        self._drafts = drafts
        self._show = show
        self._lock = threading.Lock()
        self._moments: list[float] = []  # when the first session was opened, then of each answer
        self._answered: set[tuple[str, str, str]] = set()  # in this sitting
        self.is_closed = False  # no way back once the agreement was told

    def state(self) -> State:
        with self._lock:
            return self._state()

    def session(self, item: str) -> SessionView:
        """The session of an item. Raises NoSuchItem."""
        with self._lock:
            self._moments = self._moments or [time.monotonic()]
            return session_view(item, self._projection(_found(self._attempts.get(item))))

    def keep_draft(self, place: Place, form: Form) -> None:
        """Keep a half-filled form, unless the item has its answer already."""
        with self._lock:
            task = self._task(place)
            if not self.book.is_done(task):
                self._drafts.put(*task.names, form)

    def answer(self, place: Place, form: Form) -> State:
        """Keep the answer, then drop its draft. Raises Incomplete, AlreadyThere, BrokenInput, NoSuchItem."""
        with self._lock:
            task = self._task(place)
            projection = self._projection(task)
            self.book.write(task, form, projection.numbers, projection.preset)
            self._drafts.drop(*task.names)
            if task.names not in self._answered:
                self._answered.add(task.names)
                self._moments.append(time.monotonic())
            return self._state()

    def take_back(self, place: Place) -> State:
        """Take the answer out again; it becomes the draft, so that nothing of it is lost. Raises NothingThere, NoSuchItem."""
        with self._lock:
            task = self._task(place)
            held = self.book.held(task)
            if held is None or self.is_closed or not self.book.may_take_back(task):
                raise NothingThere
            self._drafts.put(*task.names, held)
            self.book.take_back(task)
            self._answered.discard(task.names)
            return self._state()

    @property
    def answers_given(self) -> int:
        return len(self._answered)

    @property
    def is_done(self) -> bool:
        return all(self.book.is_done(task) for task in self._tasks)

    def _state(self) -> State:
        done = [self.book.is_done(task) for task in self._tasks]
        at = done.index(False) if False in done else len(done)
        return State(
            title=self.title,
            work=self.book.work,
            person=self.book.person,
            done=sum(done),
            total=len(done),
            passed_over=self.passed_over,
            sitting=len(self._answered),
            seconds_each=self._seconds_each(),
            guide_version=self.guide.version,
            current=self._current(self._tasks[at]) if at < len(done) else None,
            previous=self._previous(at),
        )

    def _seconds_each(self) -> float | None:
        gaps = [b - a for a, b in pairwise(self._moments) if b - a <= _PAUSE]
        return sum(gaps) / len(gaps) if gaps else None

    def _current(self, task: Task) -> Current:
        place = place_of(task)
        return Current(
            item=place.item,
            statement=place.statement,
            statements=len(task.loaded.statements),
            asked=self._asked(task.statement),
            draft=self._drafts.get(*task.names),
            votes=self.book.beside(task),
        )

    def _asked(self, statement: AnyStatement) -> StatementView:
        question = question_of(statement)
        answers = (*(Meaning(name=name, meaning=meaning) for name, meaning in question.criteria),)
        return StatementView(
            text=question.text,
            answers=(*answers, Meaning(name=UNCLEAR, meaning=_UNCLEAR)),
            yes_no=question.type == "yes_no",
            also=tuple(
                AlsoAsked(
                    name=field.name,
                    when=field.when,
                    meaning=field.meaning,
                    options=_meanings(field.options),
                    required=field.required,
                )
                for field in statement.ask_also
            ),
            guide=section_for(self.guide.blocks, statement.id),
            near_misses=near_misses_for(self.guide.blocks, statement.id),
        )

    def _previous(self, at: int) -> Previous | None:
        if self.is_closed:
            return None
        for task in reversed(self._tasks[:at]):
            if self.book.may_take_back(task):
                place = place_of(task)
                return Previous(item=place.item, statement=place.statement, this_sitting=task.names in self._answered)
        return None

    def _task(self, place: Place) -> Task:
        return _found(self._places.get((place.item, place.statement)))

    def _projection(self, task: Task) -> Projection:
        projection = self._show(task.loaded, task.attempt)
        if projection is None:
            raise NoSuchItem
        return projection


def place_of(task: Task) -> Place:
    """The opaque name of an item: nothing of a case's name leaves the server."""
    position = task.loaded.statements.index(task.statement)
    return Place(item=digest(task.names[:2])[:16], statement=position + 1)


def _found(task: Task | None) -> Task:
    if task is None:
        raise NoSuchItem
    return task


def _meanings(options: dict[str, str] | None) -> tuple[Meaning, ...] | None:
    if options is None:
        return None
    return tuple(Meaning(name=name, meaning=meaning) for name, meaning in options.items())
