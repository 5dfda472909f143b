"""A table that others wrote as attempts: a column of values for each statement, columns of labels, and groups."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass

from bench.deciding.policy import Policy
from bench.measure.answers import WrongValue, capped, is_missing, read_answers, read_groups
from bench.measure.columns import repeated_ids
from bench.policies.attempts import JudgedAttempt
from bench.problems import BrokenInput, Problem, shorten
from bench.tables import GUESSES, NO_COLUMN, Table

_DECIMAL = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d{1,4})?", re.ASCII)
_NUMBER = "a number with a decimal point is wanted; leave it empty where the judge gave none"
_SHARE = "a probability of yes lies between 0 and 1, with a decimal point; leave it empty where the judge gave none"
NOT_GIVEN = "not given"  # why a cell has no value


@dataclass(frozen=True)
class Roles:
    """Which column names a row's group, and which its id; None for none."""

    group: str | None
    id: str | None


def column_of_role(table: Table, role: str, named: str | None, taken: Sequence[str] = ()) -> str | None:
    """The column of a role: the one that is named, else one with a usual name; "-" says that there is none."""
    if named == NO_COLUMN:
        return None
    if named is not None:
        if named not in table.columns:
            raise BrokenInput([_missing(table, named, f"--{role} is one of: {_there(table)}")])
        return named
    found = [name for name in table.columns if _plain(name) in GUESSES[role] and name not in taken]
    if len(found) > 1:
        told = f"{len(found)} columns may hold the {role}: {', '.join(found)}"
        raise BrokenInput([Problem(table.file, 1, None, None, told, f"say which: --{role} {found[0]}")])
    return found[0] if found else None


def attempts_of_table(
    table: Table, policies: Sequence[Policy], roles: Roles, positive: str | None = None
) -> tuple[JudgedAttempt, ...]:
    """One attempt a row. Raises BrokenInput with every row and column that is wrong."""
    asked = list(dict.fromkeys(name for policy in policies for name in policy.statements))
    told = list(dict.fromkeys(name for policy in policies for name in policy.right_when))
    absent = [name for name in dict.fromkeys([*asked, *told]) if name not in table.columns]
    if absent:
        fix = f"the columns are {_there(table)}; policies name them in statements and right_when"
        raise BrokenInput([_missing(table, name, fix) for name in absent])
    shares = {name for policy in policies if not policy.any_scale for name in policy.statements}
    problems: list[WrongValue] = []
    values = {name: _values(table, name, name in shares, positive, problems) for name in asked}
    labels = _labels(table, told, positive, problems)
    groups, ids = _groups(table, roles, problems), _ids(table, roles, problems)
    if problems:
        raise table.refused(problems)
    return tuple(
        JudgedAttempt(
            case=ids[row],
            attempt="",
            family=str(groups[row]),
            stratum="table",
            split="all",
            values={name: column[row] for name, column in values.items()},
            missing={name: NOT_GIVEN for name, column in values.items() if column[row] is None},
            labels={name: column[row] for name, column in labels.items()},
            file=table.file,
            line=line,
        )
        for row, line in enumerate(table.lines)
    )


def _values(
    table: Table, name: str, share: bool, positive: str | None, problems: list[WrongValue]
) -> list[float | None]:
    column = table.column(name)
    if any(not is_missing(value) for value in column) and all(is_missing(v) or _is_word(v) for v in column):
        answers = read_answers({"values": column}, {"values": name}, positive if positive in column else None)
        problems += answers.problems
        return [None if answer is None else float(answer) for answer in answers.columns["values"]]
    wrong, numbers = [], []
    for row, value in enumerate(column):
        number = _number(value)
        if not is_missing(value) and (number is None or (share and not 0 <= number <= 1)):
            wrong.append(WrongValue(name, row, f"found {shorten(value)}", _SHARE if share else _NUMBER))
        numbers.append(number)
    problems += capped(wrong)
    return numbers


def _labels(
    table: Table, names: Sequence[str], positive: str | None, problems: list[WrongValue]
) -> dict[str, list[bool | None]]:
    found = {}
    for name in names:
        answers = read_answers({"labels": table.column(name)}, {"labels": name}, positive)
        problems += answers.problems
        found[name] = answers.columns["labels"]
    return found


def _groups(table: Table, roles: Roles, problems: list[WrongValue]) -> list[int]:
    if roles.group is None:
        return list(range(len(table.rows)))
    codes, wrong = read_groups(table.column(roles.group), roles.group)
    problems += wrong
    return codes


def _ids(table: Table, roles: Roles, problems: list[WrongValue]) -> list[str]:
    if roles.id is None:
        return [""] * len(table.rows)
    column = table.column(roles.id)
    problems += repeated_ids(column, roles.id)
    return [str(value).strip() for value in column]


def _is_word(value: object) -> bool:
    return isinstance(value, bool) or (isinstance(value, str) and _number(value) is None)


def _number(value: object) -> float | None:
    if isinstance(value, bool):
        return None
    if isinstance(value, int | float):
        return float(value) if math.isfinite(value) else None
    text = value.strip() if isinstance(value, str) else ""
    return float(text) if len(text) <= 400 and _DECIMAL.fullmatch(text) and math.isfinite(float(text)) else None


def _plain(name: str) -> str:
    return re.sub(r"[\s\-]+", "_", name.strip().casefold())


def _there(table: Table) -> str:
    return ", ".join(shorten(column, 30) for column in table.columns)


def _missing(table: Table, name: str, fix: str) -> Problem:
    return Problem(table.file, 1, None, None, f"no column {shorten(name)}", fix)
