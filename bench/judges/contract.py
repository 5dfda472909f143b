"""What a judge is: a function from what it is shown, and questions, to verdicts. It cannot import labels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol, get_args

from pydantic import JsonValue

from bench.projection.view import Projection
from bench.schema.case import Anchors
from bench.schema.statement import Choice, Score, YesNo

Part = Literal["projection", "anchors", "facts", "reference_time"]
Reason = Literal[
    "refused",
    "truncated",
    "unparsed",
    "out_of_range",
    "timeout",
    "rate_limited",
    "too_long",
    "missing_answer",
    "tied",
    "abstained",
    "not_applicable",
    "budget",
    "unavailable",
    "error",
]


@dataclass(frozen=True)
class Item:
    """What a judge receives of one attempt. A part that the judge does not declare in ``receives`` is None."""

    projection: Projection | None = None
    anchors: Anchors | None = None
    facts: Mapping[str, str] | None = None
    reference_time: str | None = None


@dataclass(frozen=True)
class Question:
    """A statement as a judge sees it: its words and criteria, without id, weight or polarity."""

    type: Literal["yes_no", "score", "choice"]
    text: str
    criteria: tuple[tuple[str, str], ...]  # (answer, what it means), in the statement's order

    @property
    def answers(self) -> tuple[str, ...]:
        return tuple(answer for answer, _ in self.criteria)


@dataclass(frozen=True)
class Verdict:
    """One answer, or the reason why there is none. Exactly one of ``answer`` and ``unscored`` is given."""

    answer: str | None = None
    unscored: Reason | None = None
    detail: str | None = None  # of an unscored verdict: what happened
    p: float | None = None  # P(yes), where the judge gives one
    score: float | None = None  # any number that ranks items, where there is no probability
    evidence: tuple[int, ...] = ()  # event numbers
    reason: str | None = None
    tokens_in: int | None = None
    tokens_out: int | None = None
    cost_usd: float | None = None

    def __post_init__(self) -> None:
        if (self.answer is None) == (self.unscored is None):
            raise ValueError("a verdict has exactly one of answer, unscored")
        if self.answer is not None and not isinstance(self.answer, str):
            raise ValueError(f"an answer is a text, not {type(self.answer).__name__}")
        if self.unscored is not None and self.unscored not in get_args(Reason):
            raise ValueError(f"unscored is one of {', '.join(get_args(Reason))}")
        for name, value in (("p", self.p), ("score", self.score)):
            if value is not None and (isinstance(value, bool) or not isinstance(value, int | float)):
                raise ValueError(f"{name} is a number, not {type(value).__name__}")
        if not all(isinstance(number, int) for number in self.evidence):
            raise ValueError("evidence is event numbers")


class Judge(Protocol):
    """A judge. Picklable, free of global state; failures are verdicts with a reason, never a number."""

    @property
    def name(self) -> str:
        """The name that suites and reports use."""
        ...

    @property
    def receives(self) -> frozenset[Part]:
        """The parts of an attempt that the judge is shown."""
        ...

    def fingerprint(self) -> Mapping[str, JsonValue]:
        """Everything that can move this judge's answers, except the statements and the projection preset."""
        ...

    def judge(self, item: Item, questions: Sequence[Question], sample: int) -> Sequence[Verdict]:
        """One verdict a question, in order."""
        ...


def question_of(statement: YesNo | Score | Choice) -> Question:
    """What of a statement a judge sees."""
    if isinstance(statement, YesNo):
        return Question("yes_no", statement.text, (("yes", statement.true), ("no", statement.false)))
    if isinstance(statement, Score):
        return Question("score", statement.text, tuple((str(v.level), v.meaning) for v in statement.levels))
    return Question("choice", statement.text, tuple(statement.options.items()))


def yes_or_no(value: bool) -> str:
    """The answer to a yes / no statement."""
    return "yes" if value else "no"


def only_yes_no(question: Question) -> Verdict | None:
    """The verdict of a yes / no judge on any other type of statement."""
    if question.type == "yes_no":
        return None
    return Verdict(unscored="not_applicable", detail=f"answers yes / no statements, not {question.type}")
