"""Plain columns become rows that can be measured: what each row is labelled, what the judge said, and its group."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from bench.measure.answers import (
    WrongValue,
    WrongValues,
    capped,
    is_missing,
    listed,
    read_answers,
    read_groups,
    read_probabilities,
)
from bench.measure.counts import Integers
from bench.problems import shorten

Column = Iterable[object]
ROLES = ("labels", "verdicts", "probabilities", "groups")


@dataclass(frozen=True, eq=False)
class ReadRows:
    """Columns after reading: one entry per row. ``words`` are yes and no as they were written."""

    labels: list[bool | None]
    verdicts: list[bool | None]
    stated: list[float | None] | None
    groups: Integers
    words: tuple[str, str]

    def both(self) -> Integers:
        """The rows that have a label and a verdict."""
        pairs = zip(self.labels, self.verdicts, strict=True)
        return np.array([i for i, (a, b) in enumerate(pairs) if a is not None and b is not None], dtype=np.int64)


@dataclass(frozen=True)
class Books:
    """Where the rows went: expected = scored + unscored, scored = measured + unlabelled.

    ``labelled_unscored`` are the unscored rows that have a label; ``without_probability`` the measured rows that have
    none, where there is such a column.
    """

    expected: int
    scored: int
    unscored: int
    measured: int
    unlabelled: int
    labelled_unscored: int
    without_probability: int = 0

    def __str__(self) -> str:
        text = (
            f"{self.expected} rows = {self.scored} scored + {self.unscored} without a verdict; "
            f"{self.scored} scored = {self.measured} labelled + {self.unlabelled} without a label"
        )
        return text + (f"; {self.without_probability} without a probability" if self.without_probability else "")


def read_rows(columns: Mapping[str, Column | None], names: Mapping[str, str], positive: object) -> ReadRows:
    """Columns by role, called by ``names`` in errors. Raises WrongValues with all that is wrong in any of them."""
    given = {role: listed(values, names[role]) for role, values in columns.items() if values is not None}
    if "labels" not in given or not {"verdicts", "probabilities"} & set(given):
        raise ValueError("labels are needed, and verdicts or probabilities")
    sizes = {role: len(values) for role, values in given.items()}
    if len(set(sizes.values())) > 1:
        raise ValueError(f"columns must have one value per row each, found {sizes}")
    answers = read_answers({role: given[role] for role in ("labels", "verdicts") if role in given}, names, positive)
    problems = list(answers.problems)
    stated, codes = None, list(range(sizes["labels"]))
    if "probabilities" in given:
        stated, wrong = read_probabilities(given["probabilities"], names["probabilities"])
        problems += wrong
    if "groups" in given:
        codes, wrong = read_groups(given["groups"], names["groups"])
        problems += wrong
    if problems:
        raise WrongValues(problems)
    verdicts = answers.columns["verdicts"] if "verdicts" in given else [_says_yes(p) for p in stated or ()]
    groups = np.array(codes, dtype=np.int64)
    return ReadRows(answers.columns["labels"], verdicts, stated, groups, (answers.yes, answers.no))


def books_of(rows: ReadRows, without: int) -> Books:
    """The books of rows; ``without`` measured ones have no probability."""
    held = list(zip(rows.labels, rows.verdicts, strict=True))
    scored = sum(verdict is not None for _, verdict in held)
    measured = sum(label is not None and verdict is not None for label, verdict in held)
    labelled = sum(label is not None for label, _ in held)
    return Books(
        len(held), scored, len(held) - scored, measured, scored - measured, labelled - measured, without
    )  # fmt: skip


def column_of(table: Any, name: str) -> list[object]:
    """A column of a DataFrame, of a mapping of columns, or of a sequence of rows that are mappings."""
    if hasattr(table, "columns") or isinstance(table, Mapping):
        there = list(table.columns if hasattr(table, "columns") else table)
        if name not in there:
            raise ValueError(f"no column {name!r}; there are {', '.join(map(str, there))}")
        return listed(table[name], name)
    rows = list(table)
    for number, row in enumerate(rows):
        if not isinstance(row, Mapping):
            raise TypeError(f"row {number}: found {type(row).__name__}, wanted a mapping from column to value")
    if not any(name in row for row in rows):
        raise ValueError(f"no row has a column {name!r}")
    return listed([row.get(name) for row in rows], name)


def repeated_ids(ids: Iterable[object], column: str) -> tuple[WrongValue, ...]:
    """Ids that are missing or stand twice; 1 and "1" are the same id."""
    first: dict[str, int] = {}
    wrong = []
    for row, value in enumerate(ids):
        key = "" if is_missing(value) else str(value).strip()
        if not key:
            wrong.append(WrongValue(column, row, "found no id", "give every row an id, or name no id column"))
        elif key in first:
            found = f"the id {shorten(key)} stands twice"
            fix = "keep one of the rows; a name that repeats by design is a group (group=, --group)"
            wrong.append(WrongValue(column, row, found, fix, first=first[key]))
        else:
            first[key] = row
    return capped(wrong)


def _says_yes(stated: float | None) -> bool | None:
    return None if stated is None else stated >= 0.5
