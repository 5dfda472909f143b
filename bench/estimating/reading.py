"""From files to the two sides: tables as ``bench check`` reads them, and runs of a judge as this project stores them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from bench.estimating.runs import Run, is_run, read_run
from bench.estimating.sides import LabelledSide, PoolSide
from bench.measure.answers import (
    WrongValue,
    WrongValues,
    is_missing,
    read_answers,
    read_groups,
    read_probabilities,
)
from bench.measure.columns import ReadRows, read_rows, repeated_ids
from bench.problems import BrokenInput, Problem
from bench.tables import NO_COLUMN, Choice, Table, choose_columns, read_table

_ROLES = {"labels": "label", "verdicts": "verdict", "probabilities": "probability", "groups": "group"}
_OPTIONAL = ("group", "id")
Named = Mapping[str, str | None]


@dataclass(frozen=True)
class Source:
    """Where one side came from: the file (or the suite's part), its digest, how it was read, and the judge if known."""

    name: str
    digest: str
    told: str
    judge: str | None = None


@dataclass(frozen=True, eq=False)
class ReadLabelled:
    """The labelled side; ``words`` are its labels, by which the pool's verdicts are read; ``ids`` may be unknown."""

    side: LabelledSide
    source: Source
    words: Sequence[object]
    ids: frozenset[str]


@dataclass(frozen=True, eq=False)
class ReadPool:
    side: PoolSide
    source: Source


def read_tables(
    labelled: Path, pool: Path, named: Named, positive: str | None, by_group: bool
) -> tuple[ReadLabelled, ReadPool]:
    """Both sides from tables. A group or id column that one table has and the other lacks is that table's alone."""
    tables = read_table(labelled), read_table(pool)
    there = {column for table in tables for column in table.columns}
    ours, theirs = (
        {
            role: NO_COLUMN if role in _OPTIONAL and name in there and name not in table.columns else name
            for role, name in named.items()
        }
        for table in tables
    )
    found = _labelled(tables[0], ours, positive)
    return found, _pool_of(pool, tables[1], theirs, positive, found, by_group)


def read_pool(path: Path, named: Named, positive: str | None, labelled: ReadLabelled, by_group: bool) -> ReadPool:
    """Verdicts without labels: a table, or a run of a judge. Raises BrokenInput with every problem of the file."""
    return _pool_of(path, read_table(path), named, positive, labelled, by_group)


def _labelled(table: Table, named: Named, given: str | None) -> ReadLabelled:
    choice = choose_columns(table, named)
    columns = {role: _column(table, choice, short) for role, short in _ROLES.items()}
    names = {role: choice.columns[short] or role for role, short in _ROLES.items()}
    problems = _repeats(table, choice)
    try:
        rows = read_rows(columns, names, given)
    except WrongValues as error:
        problems += error.problems
    if problems:
        raise table.refused(problems)
    ids = frozenset(str(value).strip() for value in _column(table, choice, "id") or ())
    source = Source(table.file, table.digest, _told(table, choice))
    return ReadLabelled(labelled_side(rows), source, columns["labels"] or (), ids)


def labelled_side(rows: ReadRows) -> LabelledSide:
    """The rows that have both, and how many have one."""
    both = rows.both()
    stated = None if rows.stated is None else [rows.stated[i] for i in both]
    labels = [label is not None for label in rows.labels]
    return LabelledSide(
        np.array([rows.labels[i] for i in both], dtype=bool),
        np.array([rows.verdicts[i] for i in both], dtype=bool),
        whole(stated),
        rows.groups[both],
        sum(labels) - len(both),
        len(labels) - sum(labels),
    )


def whole(stated: Sequence[float | None] | None) -> np.typing.NDArray[np.float64] | None:
    """The probabilities where every row has one, else None."""
    return None if stated is None or not stated or None in stated else np.array(stated, dtype=np.float64)


def _pool_of(
    path: Path, table: Table, named: Named, positive: str | None, labelled: ReadLabelled, by_group: bool
) -> ReadPool:
    if is_run(table):
        if by_group:
            fix = "give a table with a group column that names each attempt's case"
            raise BrokenInput(
                [Problem(table.file, None, None, None, "a run does not say which case an item is of", fix)]
            )
        return _pool_of_run(read_run(path), table.digest)
    choice = choose_columns(table, named, labelled=False)
    if by_group and choice.columns["group"] is None:
        fix = "--pass takes the mean over cases: name the case's column with --group"
        raise BrokenInput([Problem(table.file, 1, None, None, "no group column", fix)])
    columns = {role: _column(table, choice, role) for role in ("verdict", "probability", "group")}
    problems = [*_repeats(table, choice), *_known(table, choice, labelled)]
    stated, wrong = read_probabilities(columns["probability"] or [], choice.columns["probability"] or "")
    problems += wrong
    groups, wrong = read_groups(columns["group"] or range(len(table.rows)), choice.columns["group"] or "")
    problems += wrong
    if columns["verdict"] is None:
        said = [None if p is None else p >= 0.5 for p in stated]
    else:
        names = {"labels": "label", "verdicts": choice.columns["verdict"] or ""}
        words = labelled.words if labelled.source.judge is None or positive is None else ()
        read = read_answers({"labels": words, "verdicts": columns["verdict"]}, names, positive)
        problems += read.problems
        said = read.columns["verdicts"]
    if problems:
        raise table.refused(problems)
    side = _pool_side(said, stated if columns["probability"] else None, groups)
    return ReadPool(side, Source(table.file, table.digest, _told(table, choice)))


def _pool_of_run(run: Run, digest: str) -> ReadPool:
    side = _pool_side(run.answers, run.probabilities, range(len(run.answers)))
    told = f"a run of {run.judge or 'a judge that is not named'}: each item stands for itself"
    return ReadPool(side, Source(run.file, digest, told, run.judge))


def _pool_side(said: Sequence[bool | None], stated: Sequence[float | None] | None, groups: Sequence[int]) -> PoolSide:
    scored = np.array([answer is not None for answer in said], dtype=bool)
    there = None if stated is None else [p for p, answer in zip(stated, said, strict=True) if answer is not None]
    known = whole(there)
    probabilities = None
    if known is not None:
        probabilities = np.zeros(len(said))
        probabilities[scored] = known
    return PoolSide(
        np.array([bool(a) for a in said], dtype=bool), scored, probabilities, np.array(groups, dtype=np.int64)
    )


def _column(table: Table, choice: Choice, role: str) -> list[object] | None:
    name = choice.columns[role]
    return None if name is None else table.column(name)


def _repeats(table: Table, choice: Choice) -> list[WrongValue]:
    name = choice.columns["id"]
    return [] if name is None else list(repeated_ids(table.column(name), name))


def _known(table: Table, choice: Choice, labelled: ReadLabelled) -> list[WrongValue]:
    """Rows of the pool that the labelled table holds too: they would count on both sides."""
    name = choice.columns["id"]
    if name is None:
        return []
    twice = [
        row for row, v in enumerate(table.column(name)) if not is_missing(v) and str(v).strip() in labelled.ids
    ]  # fmt: skip
    if not twice:
        return []
    found = f"the id {table.column(name)[twice[0]]!s} and {len(twice) - 1} more stand in the labelled table too"
    fix = (
        "take these rows out of the table without labels; or --id - if the ids of the two tables mean nothing together"
    )
    return [WrongValue(name, twice[0], found, fix)]


def _told(table: Table, choice: Choice) -> str:
    parts = [f"{role} {name}{' (guessed)' if role in choice.guessed else ''}"
             for role, name in choice.columns.items() if name is not None]  # fmt: skip
    if choice.columns["verdict"] is None:
        parts.append("yes where the probability is at least .5")
    if choice.columns["group"] is None:
        parts.append("no groups: each row stands for itself")
    return f"{table.form}; {', '.join(parts)}"
