"""Which of two values means yes, in columns that others wrote; anything else is refused with its row, never recoded.

Truth values, the numbers 1 and 0, and pairs of words are taken as they are. A value is missing when it is None or
blank. ``bool("fail")`` and ``bool("0")`` are True, so that nothing here asks Python for the truth of a value.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from bench.problems import shorten

Key = tuple[str, str | int]
"""A kind of value (truth value, number, text) and the value."""

_TRUTH, _NUMBER, _TEXT = "truth value", "number", "text"
# yes first
PAIRS: tuple[tuple[Key, Key], ...] = (
    ((_TRUTH, 1), (_TRUTH, 0)),
    ((_NUMBER, 1), (_NUMBER, 0)),
    *(
        ((_TEXT, yes), (_TEXT, no))
        for yes, no in (
            ("yes", "no"),
            ("true", "false"),
            ("pass", "fail"),
            ("passed", "failed"),
            ("correct", "incorrect"),
            ("right", "wrong"),
            ("positive", "negative"),
            ("1", "0"),
        )
    ),
)
_SHOWN = 20
_EMPTY = "leave it empty (None) where there is no answer"
_NAN = "NaN is no answer: give None (pandas: column.astype(object).where(column.notna(), None))"
_DECIMAL = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d{1,4})?", re.ASCII)


@dataclass(frozen=True)
class WrongValue:
    """One value that is refused; ``row`` counts from 0. ``first`` is the row that it repeats, if it does."""

    column: str
    row: int
    found: str
    fix: str
    first: int | None = None

    def __str__(self) -> str:
        found = self.found if self.first is None else f"{self.found}, first in row {self.first}"
        return f"{self.column}, row {self.row} (the first is 0): {found}; to mend: {self.fix}"


class WrongValues(ValueError):
    """Columns that cannot be used; carries everything that was found."""

    def __init__(self, problems: Iterable[WrongValue]) -> None:
        self.problems = tuple(problems)
        super().__init__("\n".join(map(str, self.problems)))


@dataclass(frozen=True)
class Answers:
    """Columns of yes (True), no (False) and missing (None), and the two values as they were written."""

    columns: Mapping[str, list[bool | None]]
    yes: str
    no: str
    problems: tuple[WrongValue, ...]


def listed(values: Iterable[object], column: str) -> list[object]:
    """A column as a list of Python's own values."""
    if isinstance(values, str | bytes | Mapping) or not isinstance(values, Iterable):
        raise TypeError(f"{column}: found {type(values).__name__}, wanted one value per row (a list, array or column)")
    return [value.item() if isinstance(value, np.generic) else value for value in values]


def is_missing(value: object) -> bool:
    """None, pandas' NA and blank text; NaN is none of them."""
    return value is None or type(value).__name__ == "NAType" or (isinstance(value, str) and not value.strip())


def read_answers(columns: Mapping[str, Sequence[object]], names: Mapping[str, str], positive: object = None) -> Answers:
    """The columns as yes and no, called by ``names`` in errors.

    The first column (labels) decides between pairs; ``positive`` names the yes instead. A text, all that a command line
    has, also names the truth value or number that is written like it.
    """
    positive = _as_held(positive, columns)
    keys = {name: [_key(value) for value in values] for name, values in columns.items()}
    found = {name: Counter(key for key in held if isinstance(key, tuple)) for name, held in keys.items()}
    wanted = _key(positive)
    if positive is not None and not isinstance(wanted, tuple):
        raise ValueError(f"positive={shorten(positive)} is no value that a column could hold")
    pair = _pair(found, wanted if isinstance(wanted, tuple) else None)
    if pair is None:
        return Answers(
            {name: [None] * len(held) for name, held in keys.items()}, "yes", "no", _untold(columns, names, keys)
        )
    problems: list[WrongValue] = []
    for name, held in keys.items():
        problems += _strange(names[name], columns[name], held, pair)
    read = {name: [None if key is None else key == pair[0] for key in held] for name, held in keys.items()}
    return Answers(read, _said(pair[0]), _said(pair[1]), tuple(problems))


def _as_held(positive: object, columns: Mapping[str, Sequence[object]]) -> object:
    """The yes as the columns' own type: JSON lines hold numbers and truth values."""
    held = [value for values in columns.values() for value in values if not is_missing(value)]
    if not isinstance(positive, str) or any(isinstance(value, str) for value in held):
        return positive
    return next((value for value in held if json.dumps(value, default=str) == positive.lower()), positive)


def read_probabilities(values: Sequence[object], column: str) -> tuple[list[float | None], tuple[WrongValue, ...]]:
    """Numbers from 0 to 1, also as text with a decimal point; missing ones stay missing."""
    numbers = [None if is_missing(value) else _number(value) for value in values]
    fix = "a probability of yes lies between 0 and 1, with a decimal point; name another column, or leave it empty"
    wrong = [
        WrongValue(column, row, f"found {shorten(value)}", fix)
        for row, (value, number) in enumerate(zip(values, numbers, strict=True))
        if not is_missing(value) and (number is None or not 0 <= number <= 1)
    ]
    return numbers, capped(wrong)


def read_groups(values: Sequence[object], column: str) -> tuple[list[int], tuple[WrongValue, ...]]:
    """Each row's group as a number; every row needs one."""
    codes: dict[tuple[type, object], int] = {}
    wrong, read = [], []
    for row, value in enumerate(values):
        if is_missing(value) or not isinstance(value, str | int | float) or value != value:
            fix = "name every row's group; a row that hangs together with no other has a name of its own"
            wrong.append(WrongValue(column, row, f"found {shorten(value)}", fix))
        else:
            read.append(codes.setdefault((type(value), value), len(codes)))
    return read, capped(wrong)


def capped(problems: Sequence[WrongValue]) -> tuple[WrongValue, ...]:
    """The first problems of a column, the last of them saying how many more there are."""
    if len(problems) <= _SHOWN:
        return tuple(problems)
    last = problems[_SHOWN - 1]
    more = f"{last.found} (and {len(problems) - _SHOWN} more rows like it)"
    return (*problems[: _SHOWN - 1], replace(last, found=more))


def _key(value: object) -> Key | str | None:
    """The value's key, None where it is missing, or a text that says why it is no category."""
    if is_missing(value):
        return None
    if isinstance(value, bool):
        return _TRUTH, int(value)
    if isinstance(value, float) and value.is_integer():
        return _NUMBER, int(value)
    if isinstance(value, int):
        return _NUMBER, value
    if isinstance(value, str):
        return _TEXT, value.strip().casefold()
    return _NAN if isinstance(value, float) and value != value else "no truth value, whole number or text"


def _pair(found: Mapping[str, Counter[Key]], positive: Key | None) -> tuple[Key, Key] | None:
    total: Counter[Key] = sum(found.values(), Counter())
    if positive is not None:
        others = sorted((key for key in total if key != positive), key=lambda key: (-total[key], key[0], str(key[1])))
        known = dict([*PAIRS, *((no, yes) for yes, no in PAIRS)]).get(positive, (_TEXT, "anything else"))
        if positive not in total and others and others != [known]:
            return None  # a misspelt yes would turn every row into a no
        return positive, others[0] if others else known
    labels = next(iter(found.values()))
    best = max(PAIRS, key=lambda pair: (sum(labels[key] for key in pair), sum(total[key] for key in pair)))
    return None if total and not sum(total[key] for key in best) else best


def _strange(
    name: str, values: Sequence[object], keys: Sequence[Key | str | None], pair: tuple[Key, Key]
) -> tuple[WrongValue, ...]:
    """The values outside the pair: one problem for a column that uses another set, else one for each row."""
    told = f"{_said(pair[0])} and {_said(pair[1])}"
    odd = [(row, key) for row, key in enumerate(keys) if key is not None and key not in pair]
    used = {key for key in keys if isinstance(key, tuple)}
    if used and not used & set(pair):
        row = odd[0][0]
        fix = f"nothing is recoded: write both columns with the same two values ({told}), {_EMPTY}"
        shown = ", ".join(sorted(map(_said, used))[:4])
        return (WrongValue(name, row, f"found {shorten(values[row])}: the column uses {{{shown}}}", fix),)
    fix = f"the two values are {told}; {_EMPTY}; positive= (--positive) names another yes"
    return capped(
        [
            WrongValue(name, row, f"found {shorten(values[row])}", key if isinstance(key, str) and key == _NAN else fix)
            for row, key in odd
        ]
    )


def _untold(
    columns: Mapping[str, Sequence[object]], names: Mapping[str, str], keys: Mapping[str, Sequence[Key | str | None]]
) -> tuple[WrongValue, ...]:
    """No pair is known: which values there are, and that one of them must be named."""
    used = sorted({_said(key) for held in keys.values() for key in held if isinstance(key, tuple)})
    some = ", ".join(shorten(value, 24) for value in used[:6]) + (", ..." if len(used) > 6 else "")
    problems = []
    for name, held in keys.items():
        row = next((row for row, key in enumerate(held) if key is not None), None)
        if row is None:
            continue
        fix = (
            f"say which value means yes, by positive= (--positive); there are {some}"
            if len(used) <= 2
            else f"a column holds two values, and there are {len(used)}: {some}; name another column"
        )
        problems.append(WrongValue(names[name], row, f"found {shorten(columns[name][row])}", fix))
    return tuple(problems)


def _said(key: Key) -> str:
    return ("False", "True")[int(key[1])] if key[0] == _TRUTH else f"{key[1]!r}" if key[0] == _TEXT else f"{key[1]}"


def _number(value: object) -> float | None:
    if isinstance(value, str):
        text = value.strip()
        return float(text) if len(text) <= 400 and _DECIMAL.fullmatch(text) else None
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if value == value and abs(value) <= 1e300 else None
