"""Each judge's accuracy by slices of the cases. Many looks at few cases: a slice that stands out is a question, no finding."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median

from bench.cases.load import LoadedSuite
from bench.labels.load import Labels
from bench.measure.estimate import Estimate
from bench.measure.items import REPORTED_SPLITS, JudgedRows, share_of_items
from bench.measure.rows import Row
from bench.schema.case import Attempt, Case

UNKNOWN = "not known"
_LENGTHS = ((40, "40 or fewer events"), (80, "41 to 80 events"), (200, "81 to 200 events"))
_LONGEST = "over 200 events"
_THIRDS = ("first third", "middle third", "last third")
_ORDER = (*(name for _, name in _LENGTHS), _LONGEST, *_THIRDS)  # other values stand in the order of their names


@dataclass(frozen=True)
class Sliced:
    """What a dimension may look at: the case, the attempt, the row, the evidence of the votes behind its label."""

    case: Case
    attempt: Attempt
    row: Row
    events: int | None
    evidence: tuple[int, ...]


def _length(item: Sliced) -> str:
    if item.events is None:
        return UNKNOWN
    return next((name for limit, name in _LENGTHS if item.events <= limit), _LONGEST)


def _position(item: Sliced) -> str:
    """The third of the session in which the middle of the voters' evidence stands."""
    if not item.evidence:
        return "no event named"
    if item.events is None:
        return UNKNOWN
    third = min(int(3 * (median(item.evidence) - 1) / max(item.events, 1)), 2)
    return _THIRDS[third]


def _cut(item: Sliced) -> str | None:
    return None if item.row.cut is None else "cut by the projection" if item.row.cut else "whole"


DIMENSIONS: dict[str, Callable[[Sliced], str | None]] = {
    "capability": lambda item: item.case.metadata.capability,
    "difficulty": lambda item: item.case.metadata.difficulty,
    "language": lambda item: item.case.metadata.language,
    "harness": lambda item: item.attempt.harness,
    "length": _length,
    "position of the deciding event": _position,
    "what the judge was shown": _cut,
}


@dataclass(frozen=True)
class SliceLine:
    """One judge on one slice of one stratum."""

    stratum: str
    statement: str
    dimension: str
    value: str
    judge: str
    accuracy: Estimate


def slice_lines(suite: LoadedSuite, judged: JudgedRows, labels: Labels) -> tuple[SliceLine, ...]:
    """Accuracy on the critical statements, for each dimension that has more than one value in a stratum."""
    critical = {statement.id for statement in suite.suite.statements if statement.critical}
    where = {(loaded.case.id, attempt.id): (loaded.case, attempt) for loaded, attempt in suite.attempts()}
    events = _events(judged)
    lines: list[SliceLine] = []
    for stratum in suite.suite.strata:
        if not stratum.precision_means_something:
            continue  # pairs differ in the decisive fact only: a slice of them says what the pairs say
        for outcome, rows in judged:
            kept = [
                Sliced(*where[r.case, r.attempt], r, events.get((r.case, r.attempt)), _evidence(labels, r))
                for r in rows
                if r.stratum == stratum.id and r.statement in critical and _counts(r)
            ]
            for dimension in DIMENSIONS:
                lines += _of_dimension(dimension, outcome.judge.judge.name, kept)
    return tuple(lines)


def _counts(row: Row) -> bool:
    return row.counts and row.split in REPORTED_SPLITS


def _events(judged: JudgedRows) -> Mapping[tuple[str, str], int]:
    """How long each attempt is, where any judge's row knows it."""
    return {(r.case, r.attempt): r.events for _, rows in judged for r in rows if r.events is not None}


def _evidence(labels: Labels, row: Row) -> tuple[int, ...]:
    """The events that the votes which agree with the label rest on."""
    votes = labels.votes.get((row.case, row.attempt, row.statement), ())
    agreeing = [cast.vote for cast in votes if cast.vote.answer == row.label.answer]
    return tuple(number for vote in agreeing for number in vote.evidence)


def _place(value: str) -> tuple[int, str]:
    return _ORDER.index(value) if value in _ORDER else len(_ORDER), value


def _of_dimension(dimension: str, judge: str, items: Sequence[Sliced]) -> list[SliceLine]:
    grouped: dict[tuple[str, str], list[Row]] = {}
    for item in items:
        value = DIMENSIONS[dimension](item)
        if value is not None:
            grouped.setdefault((item.row.statement, value), []).append(item.row)
    several = {statement for statement, _ in grouped if sum(s == statement for s, _ in grouped) > 1}
    return [
        SliceLine(
            stratum=members[0].stratum,
            statement=statement,
            dimension=dimension,
            value=value,
            judge=judge,
            accuracy=share_of_items(
                "accuracy", [row.answer == row.label.answer for row in members], [row.family for row in members]
            ),
        )
        for (statement, value), members in sorted(grouped.items(), key=lambda entry: (entry[0][0], _place(entry[0][1])))
        if statement in several
    ]
