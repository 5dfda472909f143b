"""What a page writes into: an annotator's votes, or an adjudicator's rulings. Both look the same to a sitting."""

from __future__ import annotations

from collections.abc import Callable, Container
from dataclasses import dataclass, field
from pathlib import Path
from typing import Generic, Protocol, TypeVar

from bench.cases.load import AnyStatement, LoadedCase
from bench.labelling.casting import AlreadyCast, cast, take_back, vote_on
from bench.labelling.form import Form, form_of_ruling, form_of_vote, ruling_of, vote_of
from bench.labelling.hand import Hand
from bench.labelling.records import Meaning, SideVote
from bench.labelling.ruling import AlreadyRuled, Chair, rule, ruling_on, take_ruling_back
from bench.labels.load import Labels
from bench.schema.case import Attempt
from bench.schema.vote import AdjudicationFile, VoteFile

Held = TypeVar("Held")


@dataclass(frozen=True)
class Task:
    """One item to answer: a statement about an attempt."""

    loaded: LoadedCase
    attempt: Attempt
    statement: AnyStatement

    @property
    def names(self) -> tuple[str, str, str]:
        return self.loaded.case.id, self.attempt.id, self.statement.id


class AlreadyThere(Exception):
    """The item has another answer, which stays."""

    def __init__(self, there: Form) -> None:
        super().__init__(f"there is an answer already: {there.answer}")
        self.there = there


class Book(Protocol):
    """Where answers are kept."""

    @property
    def work(self) -> str: ...

    @property
    def person(self) -> str: ...

    def is_done(self, task: Task) -> bool:
        """Whether the item has its answer."""
        ...

    def may_take_back(self, task: Task) -> bool:
        """Whether the answer is this person's own."""
        ...

    def beside(self, task: Task) -> tuple[SideVote, ...]:
        """What is shown of others' answers."""
        ...

    def write(self, task: Task, form: Form, shown: Container[int], preset: str) -> None:
        """Keep the answer. Raises Incomplete, AlreadyThere, BrokenInput."""
        ...

    def take_back(self, task: Task) -> None:
        """Take the answer out."""
        ...

    def held(self, task: Task) -> Form | None:
        """The answer that is there, as its form."""
        ...


@dataclass
class VoteBook:
    """The votes of one annotator."""

    hand: Hand
    guide: str
    _files: _Fresh[VoteFile] = field(init=False)

    def __post_init__(self) -> None:
        self._files = _Fresh(self.hand.path, self.hand.held)

    @property
    def work(self) -> str:
        return "pilot" if self.hand.pilot else self.hand.purpose

    @property
    def person(self) -> str:
        return self.hand.annotator

    def is_done(self, task: Task) -> bool:
        return self.held(task) is not None

    def may_take_back(self, task: Task) -> bool:
        return True

    def beside(self, task: Task) -> tuple[SideVote, ...]:
        return ()  # blind

    def held(self, task: Task) -> Form | None:
        case, attempt, statement = task.names
        vote = vote_on(self._files.get(case), attempt, statement)
        return None if vote is None else form_of_vote(vote)

    def is_other_purpose(self, case: str) -> bool:
        """Whether the case has votes of the other kind, so that this hand passes it over."""
        held = self._files.get(case)
        return held is not None and held.purpose != self.hand.purpose

    def check_same(self, case: str) -> None:
        """Raises BrokenInput where the votes there are another hand's."""
        held = self._files.get(case)
        if held is not None:
            self.hand.check_same(held)

    def write(self, task: Task, form: Form, shown: Container[int], preset: str) -> None:
        case, attempt, _ = task.names
        try:
            cast(self.hand, case, vote_of(form, attempt, task.statement, shown), self.guide, preset)
        except AlreadyCast as refusal:
            raise AlreadyThere(form_of_vote(refusal.there)) from None

    def take_back(self, task: Task) -> None:
        take_back(self.hand, *task.names)


@dataclass
class RulingBook:
    """The rulings of one adjudicator, with the votes that differ beside them."""

    chair: Chair
    labels: Labels
    guide: str
    work: str = field(init=False, default="rulings")
    _files: _Fresh[AdjudicationFile] = field(init=False)

    def __post_init__(self) -> None:
        self._files = _Fresh(self.chair.path, self.chair.held)

    @property
    def person(self) -> str:
        return self.chair.adjudicator

    def is_done(self, task: Task) -> bool:
        return self.held(task) is not None

    def may_take_back(self, task: Task) -> bool:
        held = self._files.get(task.loaded.case.id)
        return held is not None and held.adjudicator == self.chair.adjudicator

    def beside(self, task: Task) -> tuple[SideVote, ...]:
        return tuple(
            SideVote(
                annotator=cast.annotator,
                answer=cast.vote.answer,
                evidence=cast.vote.evidence,
                rationale=cast.vote.rationale,
                also=tuple(Meaning(name=name, meaning=value) for name, value in cast.vote.also.items()),
            )
            for cast in self.labels.votes[task.names]
        )

    def held(self, task: Task) -> Form | None:
        case, attempt, statement = task.names
        ruling = ruling_on(self._files.get(case), attempt, statement)
        return None if ruling is None else form_of_ruling(ruling)

    def write(self, task: Task, form: Form, shown: Container[int], preset: str) -> None:
        case, attempt, _ = task.names
        try:
            rule(self.chair, case, ruling_of(form, attempt, task.statement), self.guide)
        except AlreadyRuled as refusal:
            raise AlreadyThere(form_of_ruling(refusal.there)) from None

    def take_back(self, task: Task) -> None:
        take_ruling_back(self.chair, *task.names)


class _Fresh(Generic[Held]):
    """Label files by case, read again when they changed: other writers are at work too."""

    def __init__(self, path_of: Callable[[str], Path], read: Callable[[str], Held | None]) -> None:
        self._path_of = path_of
        self._read = read
        self._known: dict[str, tuple[tuple[int, int, int], Held | None]] = {}

    def get(self, case: str) -> Held | None:
        try:
            status = self._path_of(case).stat()
        except FileNotFoundError:
            return None
        state = status.st_mtime_ns, status.st_size, status.st_ino
        if self._known.get(case, (None,))[0] != state:
            self._known[case] = state, self._read(case)
        return self._known[case][1]
