"""Read a table that others wrote, CSV, JSONL or Parquet, into rows; everything wrong with its form is said at once."""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import Protocol

from bench.problems import BrokenInput, Problem, shorten
from bench.reading.strict_json import read_json

DELIMITERS = {",": "comma", ";": "semicolon", "\t": "tab"}
_SHOWN = 20

# role -> column names that are taken for it, compared without case, with spaces and hyphens as underscores
GUESSES: dict[str, tuple[str, ...]] = {
    "label": (
        "label", "gold", "truth", "human", "expected", "gold_label", "human_label", "ground_truth", "true_label", "y_true",
    ),
    "verdict": (
        "verdict", "prediction", "judge", "predicted", "answer", "judge_verdict", "predicted_label", "pred", "y_pred",
    ),
    "probability": ("p", "prob", "probability", "score", "confidence", "p_yes"),
    "group": ("group", "family", "cluster", "session", "group_id", "session_id"),
    "id": ("id", "item_id", "case", "case_id"),
}  # fmt: skip
NO_COLUMN = "-"
Row = Sequence[object]


class RefusedValue(Protocol):
    """A value that is refused, by its row; ``first`` is the row that it repeats."""

    @property
    def row(self) -> int: ...
    @property
    def column(self) -> str: ...
    @property
    def found(self) -> str: ...
    @property
    def fix(self) -> str: ...
    @property
    def first(self) -> int | None: ...


@dataclass(frozen=True)
class Table:
    """Rows of values, and the line where each starts; a value that a JSONL row lacks is None."""

    file: str
    columns: tuple[str, ...]
    rows: tuple[Row, ...]
    lines: tuple[int, ...]
    form: str
    digest: str = ""

    def column(self, name: str) -> list[object]:
        """The values of one column, top to bottom."""
        place = self.columns.index(name)
        return [row[place] for row in self.rows]

    def refused(self, values: Iterable[RefusedValue]) -> BrokenInput:
        """Values that were refused, by the lines they stand in."""
        return BrokenInput(self._problem(value) for value in values)

    def _problem(self, value: RefusedValue) -> Problem:
        first = "" if value.first is None else f", first in line {self.lines[value.first]}"
        return Problem(self.file, self.lines[value.row], None, value.column, value.found + first, value.fix)


@dataclass(frozen=True)
class Choice:
    """Which column has which role, None for none; ``guessed`` are the roles that nobody named."""

    columns: Mapping[str, str | None]
    guessed: tuple[str, ...]

    def __str__(self) -> str:
        told = [f"{role}={self.columns[role]}" for role in self.guessed if self.columns[role] is not None]
        return ", ".join(told)


def read_table(path: Path) -> Table:
    """The table of a file, by what the file holds and its ending. Raises BrokenInput with every problem by line."""
    file = str(path)
    try:
        data = path.read_bytes()
    except (OSError, ValueError) as error:
        told = getattr(error, "strerror", None) or str(error)
        raise _broken(file, None, f"cannot be read ({told})", "give the path of a CSV, JSONL or Parquet file") from None
    table = parse_table(file, data)
    if not table.rows:
        raise _broken(file, 1, "there is a head and no row", "give at least one row")
    return replace(table, digest=sha256(data).hexdigest())


def parse_table(file: str, data: bytes) -> Table:
    """The table in these bytes; ``file`` names them, and its ending tells JSONL and Parquet."""
    ending = Path(file).suffix.lower()
    if data.startswith(b"PAR1") or ending in (".parquet", ".pq"):
        return _parquet(file, data)
    text = _text(file, data)
    if not text.strip():
        raise _broken(file, None, "the file is empty", "give a table with a head and at least one row")
    if ending in (".jsonl", ".ndjson", ".json") or text.lstrip().startswith("{"):
        return _jsonl(file, text)
    return _csv(file, text)


def choose_columns(table: Table, named: Mapping[str, str | None], *, labelled: bool = True) -> Choice:
    """Named columns by role, and guesses for the others among common names; raises BrokenInput where it cannot tell.

    The role's flag is its name (--label); "-" says that there is no such column. No label is sought in a table that is
    not ``labelled``.
    """
    problems: list[Problem] = []
    there = ", ".join(shorten(column, 30) for column in table.columns)
    chosen: dict[str, str | None] = dict.fromkeys(GUESSES)
    for role, name in named.items():
        if name is None or name == NO_COLUMN:
            continue
        if name not in table.columns:
            problems.append(_problem(table.file, 1, f"no column {shorten(name)}", f"--{role} is one of: {there}"))
        chosen[role] = name
    taken, guessed = set(chosen.values()), []
    for role, names in GUESSES.items():
        if named.get(role) is not None or (role == "label" and not labelled):
            continue
        found = [column for column in table.columns if _plain(column) in names and column not in taken]
        guessed.append(role)
        if len(found) > 1:
            none = "" if role in ("label", "verdict") else f", or --{role} {NO_COLUMN} for none"
            told = f"{len(found)} columns may hold the {role}: {', '.join(found)}"
            problems.append(_problem(table.file, 1, told, f"say which: --{role} {found[0]}{none}"))
        chosen[role] = found[0] if found else None
    needed = [*(["label"] if labelled else []), *(["verdict"] if chosen["probability"] is None else [])]
    for role in needed:
        if chosen[role] is None and not any(f"hold the {role}:" in problem.found for problem in problems):
            problems.append(
                _problem(
                    table.file, 1, f"no column is named like a {role}", f"say which: --{role} COLUMN, one of: {there}"
                )
            )
    if problems:
        raise BrokenInput(problems)
    return Choice(chosen, tuple(guessed))


def _plain(name: str) -> str:
    return re.sub(r"[\s\-]+", "_", name.strip().casefold())


def _text(file: str, data: bytes) -> str:
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        raise _broken(file, 1, "UTF-16", "save the file as UTF-8")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise _broken(file, line, f"not UTF-8 (byte {error.start})", "save the file as UTF-8") from None
    if "\0" in text:
        raise _broken(file, text.count("\n", 0, text.index("\0")) + 1, "a NUL byte", "export the table as text")
    return text


def _csv(file: str, text: str) -> Table:
    readings = {delimiter: _split(text, delimiter) for delimiter in DELIMITERS}
    wide = {d: read for d, read in readings.items() if read.rows and len(read.rows[0]) > 1}
    even = {d: read for d, read in wide.items() if not read.error and not read.ragged()}
    fitting = even or wide
    if len(fitting) > 1 and len(even) != 1:
        told = " and ".join(DELIMITERS[d] for d in fitting)
        raise _broken(file, 1, f"the delimiter may be {told}", "put quotes around cells that hold the other one")
    delimiter = next(iter(fitting), ",")
    read = readings[delimiter]
    problems = [_problem(file, line, found, "put quotes around cells that hold the delimiter, a quote or a line break")
                for line, found in [*read.ragged(), *([read.error] if read.error else [])]]  # fmt: skip
    head = read.rows[0] if read.rows else []
    twice = [name for name, count in Counter(head).items() if count > 1 and name]
    problems += [_problem(file, 1, f"two columns are named {shorten(name)}", "rename one of them") for name in twice]
    if problems:
        raise BrokenInput(_capped(problems))
    return Table(file, tuple(head), tuple(read.rows[1:]), tuple(read.lines[1:]), f"CSV, {DELIMITERS[delimiter]}")


@dataclass(frozen=True)
class _Reading:
    """A CSV text under one delimiter; ``error`` is where the reader gave up, and why."""

    rows: list[list[str]]
    lines: list[int]
    error: tuple[int, str] | None

    def ragged(self) -> list[tuple[int, str]]:
        width = len(self.rows[0]) if self.rows else 0
        return [
            (line, f"{len(row)} cells, where the head has {width}")
            for row, line in zip(self.rows, self.lines, strict=True)
            if len(row) != width
        ]


def _split(text: str, delimiter: str) -> _Reading:
    # The reader counts every line break inside quotes too, so that its line is the file's.
    before = csv.field_size_limit(len(text) + 1)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    rows, lines, start, error = [], [], 1, None
    try:
        for row in reader:
            if row and any(cell.strip() for cell in row):
                rows.append(row)
                lines.append(start)
            start = reader.line_num + 1
    except csv.Error as failure:
        error = start, f"no CSV from here on ({failure})"
    finally:
        csv.field_size_limit(before)
    return _Reading(rows, lines, error)


def _jsonl(file: str, text: str) -> Table:
    found: list[tuple[int, dict[str, object]]] = []
    problems = []
    # Lines end at \n only: U+2028 and its like stand inside strings.
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            value = read_json(line.encode("utf-8", "surrogatepass"))
            if isinstance(value, dict):
                found.append((number, value))
            else:
                problems.append(_problem(file, number, f"found {shorten(value, 40)}", "write one JSON object a line"))
        except ValueError as error:
            problems.append(_problem(file, number, f"no JSON: {shorten(str(error))}", "write one JSON object a line"))
    if problems:
        raise BrokenInput(_capped(problems))
    columns = tuple(dict.fromkeys(name for _, row in found for name in row))
    rows = tuple(tuple(row.get(name) for name in columns) for _, row in found)
    return Table(file, columns, rows, tuple(number for number, _ in found), "JSONL")


def _parquet(file: str, data: bytes) -> Table:
    try:
        import pyarrow.parquet  # heavy, and not of our packages: only where such a file is given
    except ImportError:
        fix = "pip install pyarrow, or save the table as CSV or JSONL"
        raise _broken(file, None, "Parquet needs pyarrow, which is not installed", fix) from None
    try:
        frame = pyarrow.parquet.read_table(io.BytesIO(data))
        columns = [column.to_pylist() for column in frame.columns]
    except (pyarrow.ArrowException, OSError, ValueError) as error:
        raise _broken(file, None, f"no Parquet: {shorten(str(error))}", "write the file again") from None
    names = tuple(frame.column_names)
    twice = [name for name, count in Counter(names).items() if count > 1]
    if twice:
        raise _broken(file, None, f"two columns are named {shorten(twice[0])}", "rename one of them")
    rows = tuple(zip(*columns, strict=True))
    return Table(file, names, rows, tuple(range(1, len(rows) + 1)), "Parquet, rows counted from 1")


def _capped(problems: list[Problem]) -> list[Problem]:
    if len(problems) <= _SHOWN:
        return problems
    last = problems[_SHOWN - 1]
    more = f"{last.found} (and {len(problems) - _SHOWN} more problems of this kind)"
    return [*problems[: _SHOWN - 1], replace(last, found=more)]


def _problem(file: str, line: int | None, found: str, fix: str) -> Problem:
    return Problem(file, line, None, None, found, fix)


def _broken(file: str, line: int | None, found: str, fix: str) -> BrokenInput:
    return BrokenInput([_problem(file, line, found, fix)])
