"""The two files of a draw: the design, which holds chances and verdicts, and the list to label, which holds neither."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, ValidationError, model_validator

from bench.problems import BrokenInput, Problem, shorten
from bench.reading.canonical import digest
from bench.reading.strict_json import read_json
from bench.schema.base import Id, Integer, Number, Record, Sha256, Text
from bench.tables import read_table
from bench.whole_file import write_whole

FORMAT = "lessonbench-triage/1"
UNCLEAR = "unclear"
_ANSWERS = {"yes": True, "no": False}
_Chance = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]
_Count = Annotated[Integer, Field(ge=0)]
Component = Literal["random", "disagreement", "uncertainty"]
ItemLabel = Literal["yes", "no", "unclear"]


class StratumDrawn(Record):
    """How many sessions the stratum has, and how many of them the random part took."""

    name: Text
    units: Annotated[Integer, Field(ge=1)]
    taken: Annotated[Integer, Field(ge=1)]

    @model_validator(mode="after")
    def _no_more_than_there_are(self) -> StratumDrawn:
        if self.taken > self.units:
            raise ValueError(f"{self.taken} taken of {self.units} in {self.name}")
        return self


class JudgeOfPool(Record):
    """One judge that took part in the draw, and what it said of the whole pool."""

    id: Text
    yes: _Count
    no: _Count
    unscored: _Count


class Head(Record):
    """The first line: what was drawn from, and how."""

    format: Literal["lessonbench-triage/1"] = "lessonbench-triage/1"
    bench: Text
    statement: Id
    text: Text  # the statement's words
    source: Text  # sessions, or suite ID@VERSION
    units: Annotated[Integer, Field(ge=1)]
    pool: Sha256  # of the names of the whole pool
    strata: Annotated[tuple[StratumDrawn, ...], Field(min_length=1)]
    judges: tuple[JudgeOfPool, ...]
    thresholds: tuple[Number, ...]
    seed: Integer
    size: Annotated[Integer, Field(ge=1)]  # asked for
    random_share: _Chance
    expected: Annotated[float, Field(gt=0)]
    idle: tuple[Component, ...] = ()  # components whose score is 0 everywhere


class PickRecord(Record):
    """One session that was drawn. ``chances`` by component; ``probability`` that any of them takes it."""

    item: Text
    session: Text
    stratum: Text
    components: Annotated[tuple[Component, ...], Field(min_length=1)]
    probability: _Chance
    chances: dict[Component, _Chance]
    said: dict[Text, Literal["yes", "no"] | None]  # by judge_id
    seed: Integer


class Triage(Record):
    """A draw as it is kept; ``picks`` by item."""

    head: Head
    picks: tuple[PickRecord, ...]

    @model_validator(mode="after")
    def _hangs_together(self) -> Triage:
        known = {stratum.name for stratum in self.head.strata}
        items = [pick.item for pick in self.picks]
        if len(set(items)) < len(items):
            raise ValueError("an item stands twice")
        odd = [pick.item for pick in self.picks if pick.stratum not in known]
        if odd:
            raise ValueError(f"{odd[0]} is of a stratum that the head does not name")
        for pick in self.picks:
            missed = 1.0
            for chance in pick.chances.values():
                missed *= 1 - chance
            if abs(1 - missed - pick.probability) > 1e-9 or pick.probability == 0:
                raise ValueError(f"{pick.item}: its probability is not that of its chances")
        return self

    @property
    def digest(self) -> str:
        return digest(self.model_dump(mode="json"))


def write_triage(triage: Triage, path: Path) -> None:
    """The head and a line a pick; never over another draw, whose labels would lose their chances."""
    _refuse_to_replace(path)
    lines = [triage.head, *triage.picks]
    text = "".join(json.dumps(line.model_dump(mode="json"), ensure_ascii=False) + "\n" for line in lines)
    write_whole(path, text.encode("utf-8", "backslashreplace").decode())


def write_list(rows: Sequence[tuple[str, str]], path: Path) -> None:
    """The list for annotators: item, session and an empty label. Nothing else of the draw may stand here."""
    _refuse_to_replace(path)
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerows([("item", "session", "label"), *((item, session, "") for item, session in rows)])
    write_whole(path, text.getvalue().encode("utf-8", "backslashreplace").decode())


def read_triage(path: Path) -> Triage:
    """Read a draw back. Raises BrokenInput that names the line."""
    try:
        lines = path.read_bytes().split(b"\n")
    except OSError as error:
        raise _broken(
            path, None, f"cannot be read: {error.strerror}", "give the file that bench triage wrote"
        ) from None
    records: list[Record] = []
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            value = read_json(line)
            records.append(Head.model_validate(value) if not records else PickRecord.model_validate(value))
        except ValidationError as error:
            first = error.errors(include_url=False)[0]
            place = ".".join(map(str, first["loc"])) or None
            raise _broken(path, number, shorten(first["msg"], 160), "restore the file", place) from None
        except ValueError as error:
            raise _broken(path, number, f"no JSON: {shorten(str(error))}", "restore the file") from None
    if not records or not isinstance(records[0], Head):
        raise _broken(path, 1, "no head", "give the file that bench triage wrote")
    try:
        return Triage(head=records[0], picks=tuple(r for r in records[1:] if isinstance(r, PickRecord)))
    except ValidationError as error:
        told = error.errors(include_url=False)[0]["msg"].removeprefix("Value error, ")
        raise _broken(path, None, shorten(told, 160), "restore the file as it was written") from None


def read_label_table(path: Path, triage: Triage) -> dict[str, ItemLabel]:
    """Labels by item from a table with the columns item and label; an empty label is none. Raises BrokenInput."""
    table = read_table(path)
    lacking = [name for name in ("item", "label") if name not in table.columns]
    if lacking:
        found = f"no column {lacking[0]}; there are {', '.join(table.columns)}"
        raise _broken(path, 1, found, "fill in the label column of the list that bench triage wrote")
    known = {pick.item for pick in triage.picks}
    labels: dict[str, ItemLabel] = {}
    seen: set[str] = set()
    problems = []
    for line, item, label in zip(table.lines, table.column("item"), table.column("label"), strict=True):
        name, word = str(item).strip(), "" if label is None else str(label).strip().lower()
        if name not in known:
            found, fix = f"{shorten(name)!r} was not drawn", "keep the rows of the list alone: no other has a chance"
            problems.append(Problem(str(path), line, None, "item", found, fix))
        elif name in seen:
            problems.append(Problem(str(path), line, None, "item", f"{shorten(name)!r} stands twice", "keep one"))
        elif word in ("yes", "no", UNCLEAR):
            labels[name] = "yes" if word == "yes" else "no" if word == "no" else "unclear"
        elif word:
            fix = "write yes, no or unclear, or leave it empty"
            problems.append(Problem(str(path), line, None, "label", shorten(repr(label), 40), fix))
        seen.add(name)
    if problems:
        raise BrokenInput(problems)
    return labels


def answer_word(yes: bool | None) -> Literal["yes", "no"] | None:
    return None if yes is None else "yes" if yes else "no"


def answer_truth(word: str | None) -> bool | None:
    return None if word is None else _ANSWERS.get(word)


def _refuse_to_replace(path: Path) -> None:
    if path.exists():
        fix = "give another name: the labels of that draw can be weighed by that file alone"
        raise _broken(path, None, "the file exists already", fix)


def _broken(path: Path, line: int | None, found: str, fix: str, field: str | None = None) -> BrokenInput:
    return BrokenInput([Problem(path.as_posix(), line, None, field, found, fix)])
