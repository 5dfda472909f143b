"""Which attempts of a suite a sweep is over: one judge, one stratum, one split; and what the suite says of statements."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from bench.cases.load import LoadedSuite
from bench.measure.items import REPORTED_SPLITS, statements_of
from bench.measure.rows import WITHOUT_SPLIT
from bench.policies.attempts import JudgedAttempt, JudgedSuite
from bench.problems import CannotDecide

DEVELOPMENT = "development"
SPLITS = (DEVELOPMENT, "reported", "calibration", "test", "all")


@dataclass(frozen=True)
class Statements:
    """What a policy must know of a suite's statements, in the suite's order."""

    all: tuple[str, ...]
    critical: tuple[str, ...]
    must_not: frozenset[str]


def statements_in(suite: LoadedSuite) -> Statements:
    """The suite's statements, and those that cases write out for themselves."""
    told = {s.id: s for loaded in suite.cases for s in loaded.statements} | {s.id: s for s in suite.suite.statements}
    return Statements(
        tuple(statements_of(suite)),
        tuple(s.id for s in suite.suite.statements if s.critical),
        frozenset(name for name, statement in told.items() if statement.polarity == "must_not"),
    )


def splits_of(suite: LoadedSuite, named: str | None) -> tuple[str, ...]:
    """The splits that a word stands for; by default development, or everything where the suite has no splits."""
    if suite.splits is None:
        if named not in (None, "all"):
            raise CannotDecide(f"the suite has no splits, so that there is no {named}; use --split all, or bench split")
        return (WITHOUT_SPLIT,)
    word = named or DEVELOPMENT
    reported = tuple(split for split in REPORTED_SPLITS if split != WITHOUT_SPLIT)
    return {"reported": reported, "all": (DEVELOPMENT, *reported)}.get(word, (word,))


def attempts_in(
    found: Sequence[JudgedSuite], mine: JudgedSuite, stratum: str, splits: Sequence[str]
) -> tuple[JudgedAttempt, ...]:
    """The judge's attempts there, with the labels of every statement that any judge is asked. Raises CannotDecide."""
    chosen = [one for one in mine.attempts if one.stratum == stratum and one.split in splits]
    if not chosen:
        raise CannotDecide(
            f"{mine.name} has no attempt in stratum {stratum}, split {' + '.join(splits)}; bench run judges them"
        )
    labels = _labels(one for judge in found for one in judge.attempts if one.stratum == stratum and one.split in splits)
    return tuple(replace(one, labels=labels[one.case, one.attempt]) for one in chosen)


def _labels(attempts: Iterable[JudgedAttempt]) -> Mapping[tuple[str, str], Mapping[str, bool | None]]:
    merged: dict[tuple[str, str], dict[str, bool | None]] = {}
    for one in attempts:
        merged.setdefault((one.case, one.attempt), {}).update(one.labels)
    return merged
