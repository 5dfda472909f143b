"""Policies: what turns a judge's answers on one session into one decision. Plain arithmetic, for the gate and as a file."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import Field, model_validator

from bench.schema.base import Id, Number, Record

Verb = Literal["promote", "review", "discard"]
PROMOTE: Verb = "promote"
REVIEW: Verb = "review"
DISCARD: Verb = "discard"
TIE = 1e-12  # sums of decimals miss their value by less: a mean of exactly .6 reaches .6
_Share = Annotated[Number, Field(ge=0, le=1)]


class Policy(Record):
    """From one number a statement (a probability of yes; 1 or 0 where the judge only answers) to one decision.

    A value of a ``must_not`` statement counts as 1 - value, here called its side. The score combines the sides; from
    ``promote_at`` on the session is promoted, up to ``discard_at`` it is discarded, between them it goes to review. A
    side under its floor vetoes a promotion, and a certainty under the minimum any decision: both go to review. A policy
    of one statement may read a score of any scale.
    """

    statements: Annotated[tuple[Id, ...], Field(min_length=1)]
    combine: Literal["mean", "product", "minimum"] = "mean"
    weights: dict[Id, Annotated[Number, Field(gt=0)]] = {}  # of the mean; 1 where none is given
    must_not: tuple[Id, ...] = ()
    floors: dict[Id, _Share] = {}
    minimum_certainty: Annotated[Number, Field(ge=0.5, le=1)] | None = None  # of each answer: max(value, 1 - value)
    promote_at: Number | None = None
    discard_at: Number | None = None
    right_when: Annotated[tuple[Id, ...], Field(min_length=1)]  # labels that must all be on their side for a promotion

    @model_validator(mode="after")
    def _is_whole(self) -> Policy:
        _once("statements", self.statements)
        _once("right_when", self.right_when)
        for name in ("weights", "floors", "must_not"):
            known = (*self.statements, *self.right_when) if name == "must_not" else self.statements
            odd = [one for one in getattr(self, name) if one not in known]
            if odd:
                raise ValueError(f"{name}: {odd[0]!r} is none of the policy's statements ({', '.join(known)})")
        if self.weights and self.combine != "mean":
            raise ValueError(f"weights belong to the mean, not to the {self.combine}")
        if self.promote_at is not None and self.discard_at is not None and self.discard_at >= self.promote_at:
            raise ValueError(f"discard_at {self.discard_at:g} must lie under promote_at {self.promote_at:g}")
        return self

    @property
    def any_scale(self) -> bool:
        """Whether values need not be probabilities: a lone statement whose value is only compared."""
        return len(self.statements) == 1 and not (self.must_not or self.floors or self.minimum_certainty is not None)


@dataclass(frozen=True)
class Decision:
    """One decision with its reasons; ``score`` is None where an answer is missing."""

    decision: Verb
    score: float | None
    reasons: tuple[str, ...]


@dataclass(frozen=True)
class Weighed:
    """What a session weighs before any threshold: its score, what forbids every decision, what vetoes a promotion."""

    score: float | None
    doubts: tuple[str, ...]
    vetoes: tuple[str, ...] = ()


def weigh(policy: Policy, values: Mapping[str, float | None], missing: Mapping[str, str] | None = None) -> Weighed:
    """The score of one session; ``missing`` says why a value is None. Nothing missing or out of range may be decided."""
    why = missing or {}
    gone = [f"no answer on {s}: {why.get(s, 'not given')}" for s in policy.statements if values.get(s) is None]
    if gone:
        return Weighed(None, tuple(gone))
    held = {name: float(values[name] or 0.0) for name in policy.statements}
    odd = [f"{name} = {value:g} is no probability" for name, value in held.items() if not _fits(policy, value)]
    if odd:
        return Weighed(None, tuple(odd))
    sides = {name: 1 - value if name in policy.must_not else value for name, value in held.items()}
    return Weighed(combined(policy, sides), tuple(_doubts(policy, held)), tuple(_vetoes(policy, sides)))


def decide(policy: Policy, values: Mapping[str, float | None], missing: Mapping[str, str] | None = None) -> Decision:
    """The decision on one session."""
    weighed = weigh(policy, values, missing)
    score = weighed.score
    if score is None or weighed.doubts:
        return Decision(REVIEW, score, weighed.doubts)
    if policy.promote_at is not None and score >= least(policy.promote_at):
        reached = f"score {score:.4g} reaches {policy.promote_at:g}"
        return Decision(REVIEW if weighed.vetoes else PROMOTE, score, (reached, *weighed.vetoes))
    if policy.discard_at is not None and score <= most(policy.discard_at):
        return Decision(DISCARD, score, (f"score {score:.4g} is not over {policy.discard_at:g}",))
    return Decision(REVIEW, score, (_between(policy, score),))


def combined(policy: Policy, sides: Mapping[str, float]) -> float:
    """The score: weighted mean, product or minimum of the sides, added up in the order of the statements."""
    ordered = [(name, sides[name]) for name in policy.statements]
    if policy.combine == "minimum":
        return min(side for _, side in ordered)
    if policy.combine == "product":
        return math.prod(side for _, side in ordered)
    if len(ordered) == 1:
        return ordered[0][1]
    total = weight = 0.0
    for name, side in ordered:
        total += policy.weights.get(name, 1.0) * side
        weight += policy.weights.get(name, 1.0)
    return total / weight


def least(limit: float) -> float:
    """The least number that reaches a limit: a tie is not lost to the last digits of a sum."""
    return limit - TIE * max(1.0, abs(limit))


def most(limit: float) -> float:
    """The greatest number that is not over a limit, ties being kept as in ``least``."""
    return limit + TIE * max(1.0, abs(limit))


def _fits(policy: Policy, value: float) -> bool:
    return math.isfinite(value) and (policy.any_scale or 0 <= value <= 1)


def _doubts(policy: Policy, values: Mapping[str, float]) -> Iterator[str]:
    wanted = policy.minimum_certainty
    for name, value in values.items():
        if wanted is not None and max(value, 1 - value) < least(wanted):
            yield f"{name}: certainty {max(value, 1 - value):.4g} under {wanted:g}"


def _vetoes(policy: Policy, sides: Mapping[str, float]) -> Iterator[str]:
    for name, floor in policy.floors.items():
        if sides[name] < least(floor):
            yield f"{name}: {sides[name]:.4g} under its floor {floor:g}"


def _between(policy: Policy, score: float) -> str:
    limits = []
    if policy.promote_at is not None:
        limits.append(f"under {policy.promote_at:g} (promote)")
    if policy.discard_at is not None:
        limits.append(f"over {policy.discard_at:g} (discard)")
    return f"score {score:.4g}: {' and '.join(limits) or 'the policy decides nothing by itself'}"


def _once(name: str, ids: tuple[str, ...]) -> None:
    if len(set(ids)) < len(ids):
        raise ValueError(f"{name}: an id stands twice")
