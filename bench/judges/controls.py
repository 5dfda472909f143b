"""Controls: judges that know nothing, or one crude thing. They stand in every report so that a good number means something."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pydantic import JsonValue

from bench.judges.contract import Item, Part, Question, Verdict, only_yes_no, yes_or_no
from bench.projection.view import Projection

VERSION = 1


@dataclass(frozen=True)
class Constant:
    """Answers the same whatever it is asked; it is shown nothing."""

    name: str
    answer: str
    p: float | None = None
    receives: frozenset[Part] = frozenset()

    def fingerprint(self) -> Mapping[str, JsonValue]:
        return {"control": "constant", "version": VERSION, "answer": self.answer, "p": self.p}

    def judge(self, item: Item, questions: Sequence[Question], sample: int) -> Sequence[Verdict]:
        return [only_yes_no(question) or Verdict(self.answer, p=self.p) for question in questions]


def prior(p: float) -> Constant:
    """Always says the share of yes that was seen on the development split."""
    return Constant("prior", yes_or_no(p >= 0.5), p)


@dataclass(frozen=True)
class AtLeast:
    """Yes where a count of the session reaches a threshold; the count itself ranks the items."""

    name: str
    count: str  # "events" or "prompts"
    at_least: int
    receives: frozenset[Part] = frozenset({"projection"})

    def fingerprint(self) -> Mapping[str, JsonValue]:
        return {"control": "at_least", "version": VERSION, "count": self.count, "at_least": self.at_least}

    def judge(self, item: Item, questions: Sequence[Question], sample: int) -> Sequence[Verdict]:
        if item.projection is None:
            return [Verdict(unscored="error", detail="no projection was given")] * len(questions)
        value = _COUNTS[self.count](item.projection)
        answer = yes_or_no(value >= self.at_least)
        return [only_yes_no(question) or Verdict(answer, score=float(value)) for question in questions]


def _typed_prompts(projection: Projection) -> int:
    return sum(1 for event in projection.events if event.kind == "prompt" and event.origin == "human")


def _events(projection: Projection) -> int:
    return projection.total


_COUNTS = {"events": _events, "prompts": _typed_prompts}
