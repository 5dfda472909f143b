"""Attempts as a policy sees them: what one judge says of each statement, and what the labels say."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from bench.deciding.policy import Policy
from bench.measure.items import JudgedRows, headline
from bench.measure.rows import Row
from bench.problems import CannotDecide
from bench.running.plan import SeatedJudge
from bench.terminal.words import one_of

Scale = Literal["probability", "score", "answer"]
_NO_NUMBER = {"probability": "no probability", "score": "no score", "answer": "no yes / no answer"}


@dataclass(frozen=True)
class JudgedAttempt:
    """One attempt: by statement the judge's value or why there is none, and the label (yes is True, None: no label)."""

    case: str
    attempt: str
    family: str
    stratum: str
    split: str
    values: Mapping[str, float | None]
    missing: Mapping[str, str]
    labels: Mapping[str, bool | None]
    file: str
    line: int | None

    def right_to_promote(self, policy: Policy) -> bool | None:
        """Whether all labels that the policy names are on their side; None where labels do not tell."""
        sides = [self._side(policy, name) for name in policy.right_when]
        if False in sides:
            return False
        return None if None in sides else True

    def _side(self, policy: Policy, name: str) -> bool | None:
        label = self.labels.get(name)
        return label if label is None or name not in policy.must_not else not label


@dataclass(frozen=True)
class JudgedSuite:
    """One judge of a suite: its seats, the scale of its value by statement, and its attempts."""

    name: str
    seats: tuple[SeatedJudge, ...]
    scales: Mapping[str, Scale]
    attempts: tuple[JudgedAttempt, ...]

    @property
    def id(self) -> str:
        return self.seats[0].id


def judged_suites(judged: JudgedRows) -> tuple[JudgedSuite, ...]:
    """One per judge of the headline tables, in the suite's order; seats of one judge, or of one name (the prior has
    another parameter for each statement), are told together where they are the same judge."""
    grouped: dict[str, list[tuple[SeatedJudge, Sequence[Row]]]] = {}
    for outcome, rows in headline(judged):
        grouped.setdefault(outcome.judge.id, []).append((outcome.judge, rows))
    return tuple(_one(seats) for seats in grouped.values())


def named(found: Sequence[JudgedSuite], word: str) -> JudgedSuite:
    """The judge of that name or judge_id. Raises CannotDecide that lists them."""
    mine = [one for one in found if word in (one.name, one.id)]
    if len(mine) == 1:
        return mine[0]
    if mine:
        raise CannotDecide(f"{word} stands for {', '.join(one.id for one in mine)}; name one of them")
    known = one_of(word, [one.name for one in found])
    raise CannotDecide(f"no judge {word!r} has verdicts here; {known} (bench run stores them)")


def value_of(row: Row, scale: Scale) -> float | None:
    """The number that a policy reads; None where there is none."""
    if row.answer is None:
        return None
    if scale == "probability":
        return row.p
    if scale == "score":
        return row.score
    return {"yes": 1.0, "no": 0.0}.get(row.answer)


def scale_of(rows: Iterable[Row]) -> Scale:
    """Probabilities where the judge gives any, else scores, else its bare answers."""
    held = [row for row in rows if row.answer is not None]
    if any(row.p is not None for row in held):
        return "probability"
    return "score" if any(row.score is not None for row in held) else "answer"


def _one(seats: Sequence[tuple[SeatedJudge, Sequence[Row]]]) -> JudgedSuite:
    rows = [row for _, mine in seats for row in mine]
    by_statement: dict[str, list[Row]] = {}
    by_attempt: dict[tuple[str, str], list[Row]] = {}
    for row in rows:
        by_statement.setdefault(row.statement, []).append(row)
        by_attempt.setdefault((row.case, row.attempt), []).append(row)
    scales = {name: scale_of(mine) for name, mine in by_statement.items()}
    attempts = tuple(_attempt(mine, scales) for mine in by_attempt.values())
    return JudgedSuite(seats[0][0].judge.name, tuple(seat for seat, _ in seats), scales, attempts)


def _attempt(rows: Sequence[Row], scales: Mapping[str, Scale]) -> JudgedAttempt:
    first = rows[0]
    values = {row.statement: value_of(row, scales[row.statement]) for row in rows}
    return JudgedAttempt(
        case=first.case,
        attempt=first.attempt,
        family=first.family,
        stratum=first.stratum,
        split=first.split,
        values=values,
        missing={r.statement: _why(r, scales[r.statement]) for r in rows if values[r.statement] is None},
        labels={row.statement: {"yes": True, "no": False}.get(row.label.answer or "") for row in rows},
        file=first.file,
        line=first.line,
    )


def _why(row: Row, scale: Scale) -> str:
    return row.unscored or _NO_NUMBER[scale]
