"""Each judge's accuracy by slices of the cases. Many looks at few cases: a slice that stands out is a question, no finding."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from bench.cases.load import LoadedSuite
from bench.measure.estimate import Estimate
from bench.measure.items import REPORTED_SPLITS, JudgedRows, share_of_items
from bench.measure.rows import Row
from bench.schema.case import Attempt, Case

_Value = Callable[[Case, Attempt], str]
DIMENSIONS: dict[str, _Value] = {
    "capability": lambda case, attempt: case.metadata.capability,
    "difficulty": lambda case, attempt: case.metadata.difficulty,
    "language": lambda case, attempt: case.metadata.language,
    "harness": lambda case, attempt: attempt.harness,
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


def slice_lines(suite: LoadedSuite, judged: JudgedRows) -> tuple[SliceLine, ...]:
    """Accuracy on the critical statements, for each dimension that has more than one value in a stratum."""
    critical = {statement.id for statement in suite.suite.statements if statement.critical}
    values = {
        (loaded.case.id, attempt.id): {name: value(loaded.case, attempt) for name, value in DIMENSIONS.items()}
        for loaded, attempt in suite.attempts()
    }
    lines: list[SliceLine] = []
    for stratum in suite.suite.strata:
        if not stratum.precision_means_something:
            continue  # pairs differ in the decisive fact only: a slice of them says what the pairs say
        for outcome, rows in judged:
            kept = [r for r in rows if r.stratum == stratum.id and r.statement in critical and _counts(r)]
            for dimension in DIMENSIONS:
                lines += _of_dimension(dimension, outcome.judge.judge.name, kept, values)
    return tuple(lines)


def _counts(row: Row) -> bool:
    return row.counts and row.split in REPORTED_SPLITS


def _of_dimension(
    dimension: str, judge: str, rows: Sequence[Row], values: dict[tuple[str, str], dict[str, str]]
) -> list[SliceLine]:
    grouped: dict[tuple[str, str], list[Row]] = {}
    for row in rows:
        grouped.setdefault((row.statement, values[row.case, row.attempt][dimension]), []).append(row)
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
        for (statement, value), members in sorted(grouped.items())
        if statement in several
    ]
