"""The head: a small trained judge of one statement, a plain file of weights asked in process."""

from __future__ import annotations

import heapq
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from pydantic import JsonValue

from bench.judges.contract import Item, Part, Question, Verdict, yes_or_no
from bench.judges.head.features import VERSION, Seen, see
from bench.judges.head.model import Head, load_head
from bench.judges.parameters import Parameters
from bench.projection.view import Projection
from bench.reading.canonical import digest

CITED = 3  # events that a yes names
CERTAINTY = "|2p - 1|"


@dataclass(frozen=True)
class HeadJudge:
    """Answers the statement it was trained for, word by word, and no other; a yes cites the events that weighed most."""

    head: Head
    receives: frozenset[Part] = frozenset({"projection"})

    @property
    def name(self) -> str:
        return f"head:{self.head.name}"

    @cached_property
    def _digest(self) -> str:
        return digest(self.head.model_dump(mode="json", exclude={"about"}))

    def __getstate__(self) -> Mapping[str, object]:
        return {"head": self.head, "receives": self.receives}

    def fingerprint(self) -> Mapping[str, JsonValue]:
        return {"head": self._digest, "features": VERSION, "cites": CITED, "certainty": CERTAINTY}

    def judge(self, item: Item, questions: Sequence[Question], sample: int) -> Sequence[Verdict]:
        refused = [self._refuses(question) for question in questions]
        if all(refused):
            return [verdict for verdict in refused if verdict is not None]
        verdict = _no_projection() if item.projection is None else self._verdict(item.projection)
        return [refusal or verdict for refusal in refused]

    def _refuses(self, question: Question) -> Verdict | None:
        asked = self.head.statement
        if question.type != "yes_no":
            return _not_applicable(f"answers yes / no statements, not {question.type}")
        if question.text != asked.text:
            return _not_applicable("trained for a statement with other words; bench train fits one to these")
        if question.criteria != (("yes", asked.true), ("no", asked.false)):
            return _not_applicable("trained for the same statement with other criteria; bench train fits one to these")
        return None

    def _verdict(self, projection: Projection) -> Verdict:
        seen = see(projection)
        p = self.head.probability(self.head.weigh(projection, seen))
        evidence = cited(self.head, projection, seen) if p >= 0.5 else ()
        return Verdict(yes_or_no(p >= 0.5), p=p, certainty=round(abs(2 * p - 1), 6), evidence=evidence)


def cited(head: Head, projection: Projection, seen: Seen) -> tuple[int, ...]:
    """The events that weigh most, those of equal weight in order of time; an event without a signal is never cited."""
    weights = head.weights_of_signals()
    weighed = [
        (round(sum(weights.get(name, 0.0) for name in names), 6), -number)
        for number, names in zip(projection.numbers, seen.signals, strict=True)
        if len(names) > 1
    ]
    return tuple(sorted(-number for weight, number in heapq.nlargest(CITED, weighed) if weight > 0))


def _not_applicable(detail: str) -> Verdict:
    return Verdict(unscored="not_applicable", detail=detail)


def _no_projection() -> Verdict:
    return Verdict(unscored="error", detail="no projection was given")


def make_head(given: Parameters, base: Path) -> HeadJudge:
    """The judge whose file the parameter ``path`` names, from the suite's folder."""
    name = given.text("path")
    return HeadJudge(load_head(base / name, name))
