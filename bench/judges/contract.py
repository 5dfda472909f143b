"""What a judge is: a function from what it is shown, and questions, to verdicts. It cannot import labels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol, get_args, runtime_checkable

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
    certainty: float | None = None  # 0 to 1, by the formula that the judge's fingerprint names
    mass: float | None = None  # of a probability from token logprobs: how much of all probability yes and no had
    evidence: tuple[int, ...] = ()  # event numbers
    quotes: tuple[str, ...] = ()  # texts given as evidence and found in what was shown
    invented: int | None = None  # texts given as evidence and not found; None where none are asked for
    reason: str | None = None
    raw: str | None = None  # the reply as it came
    answered_by: str | None = None  # the model that says it answered
    flags: tuple[str, ...] = ()  # oddities that did not move the answer
    tokens_in: int | None = None
    tokens_cached: int | None = None  # of tokens_in
    tokens_out: int | None = None
    tokens_reasoning: int | None = None  # of tokens_out
    cost_usd: float | None = None  # None is unknown, not free

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


class CallFailed(Exception):
    """One call to a model gave no reply that can be read. ``again`` says whether another try makes sense."""

    def __init__(self, reason: Reason, detail: str, *, again: bool, wait: float | None = None) -> None:
        super().__init__(f"{reason}: {detail}")
        self.reason: Reason = reason
        self.detail = detail
        self.again = again
        self.wait = wait  # seconds the server asked to wait, already checked and capped


class NotAvailable(Exception):
    """The judge cannot be asked here at all: no key, no package, no weights, no server. Nothing is stored for it."""


@dataclass(frozen=True)
class Limits:
    """How a judge that calls something may be called. The runner holds to it, once, for every judge."""

    provider: str  # judges of one provider share its rate
    concurrency: int = 1
    per_minute: int | None = None
    seconds: float = 120.0  # for one call, everything included
    retries: int = 4  # further tries after the first
    one_statement_a_call: bool = False


@dataclass(frozen=True)
class Cost:
    """What a call is expected to take. ``usd`` is None where the price is unknown."""

    tokens_in: int
    tokens_out: int
    usd: float | None


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


@runtime_checkable
class CallingJudge(Judge, Protocol):
    """A judge that calls a model. One ``judge()`` is one try: retries, pauses, deadlines and budget are the runner's.

    ``judge`` raises CallFailed where a call fails as a whole, NotAvailable where the judge cannot be asked at all.
    """

    @property
    def limits(self) -> Limits:
        """How it may be called."""
        ...

    def estimate(self, item: Item, questions: Sequence[Question]) -> Cost:
        """What asking these questions is expected to take, without asking."""
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
