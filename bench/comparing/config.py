"""``bench.toml``: which figures of a judge must hold when something changes. Read strictly; the line of each mistake is told."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, Literal, get_args

from pydantic import BeforeValidator, Field

from bench.problems import BrokenInput, Problem, shorten
from bench.reading.strict_yaml import Document, Place
from bench.reading.validate import validate
from bench.schema.base import Id, Record, Text
from bench.schema.suite import ComparisonEntry

FILE = "bench.toml"
MAX_BYTES = 1024 * 1024
METRIC_NAMES: tuple[str, ...] = get_args(ComparisonEntry.model_fields["metric"].annotation)

_MetricName = Literal["precision", "recall", "specificity", "f1", "mcc", "balanced_accuracy", "accuracy"]
_Split = Literal["development", "calibration", "test", "all"]
_HEADER = re.compile(r"\s*(\[\[?)\s*([A-Za-z0-9_.\-\"']+?)\s*\]\]?\s*(#.*)?")
_KEY = re.compile(r"\s*(?:\"([^\"]+)\"|'([^']+)'|([A-Za-z0-9_-]+))\s*=")
_SYNTAX = re.compile(r" \(at (?:line (\d+), column \d+|end of document)\)$")


def _margin(value: Any) -> float:
    number = _number(value)
    if number is None or not 0 < number < 1:
        raise ValueError(f"{_shown(value)}a margin is a number above 0 and below 1, such as 0.05")
    return number


def _floor(value: Any) -> float:
    number = _number(value)
    if number is None or not 0 < number <= 1:
        raise ValueError(f"{_shown(value)}a red line is a number above 0, at most 1, such as 0.6")
    return number


def _number(value: Any) -> float | None:
    return None if isinstance(value, bool) or not isinstance(value, int | float) else float(value)


def _shown(value: Any) -> str:
    return "" if isinstance(value, str) else f"{shorten(str(value), 40)}: "  # a text is told already


class Scope(Record):
    """What is compared; what is not given follows from the suite."""

    suite: Text | None = None  # default: the only one
    stratum: Id | None = None  # default: the primary one
    statement: Id | None = None  # default: the critical one
    splits: Annotated[tuple[_Split, ...], Field(min_length=1)] | None = None  # default: the reported ones
    judges: tuple[Text, ...] = ()  # of two versions: names as reports show them, or globs; empty: all


class Guarded(Record):
    """A metric that must not get worse by more than its margin."""

    metric: _MetricName
    margin: Annotated[float, Field(gt=0, lt=1), BeforeValidator(_margin)]


class RedLine(Record):
    """A floor that holds whatever the base says."""

    metric: _MetricName
    at_least: Annotated[float, Field(gt=0, le=1), BeforeValidator(_floor)]


class Negotiable(Record):
    """A metric that is told and never decides."""

    metric: _MetricName


class Config(Record):
    """The gate classes of a project."""

    compare: Scope = Scope()
    objective: Guarded
    must_not_regress: tuple[Guarded, ...] = ()
    red_line: tuple[RedLine, ...] = ()
    negotiable: tuple[Negotiable, ...] = ()

    @property
    def deciding(self) -> tuple[Guarded, ...]:
        """The metrics that decide together (Holm)."""
        return self.objective, *self.must_not_regress


DEFAULT = Config(objective=Guarded(metric="balanced_accuracy", margin=0.05))


def read_config(path: Path) -> tuple[Config, Document]:
    """The file's gate classes, and where they stand. Raises BrokenInput with every problem in it."""
    shown = path.as_posix()
    try:
        raw = path.read_bytes()
    except OSError as error:
        found, fix = f"cannot be read: {error.strerror or type(error).__name__}", "name a file that can be read"
        raise BrokenInput([Problem(shown, None, None, None, found, fix)]) from None
    document = parse_config(raw, shown)
    problems: list[Problem] = []
    if isinstance(document, list):
        problems = document
    else:
        record = validate(document, Config)
        problems = record if isinstance(record, list) else list(_doubles(document, record))
        if isinstance(record, Config) and not problems:
            return record, document
    raise BrokenInput([replace(problem, fix=_fix(problem)) for problem in problems])


def _doubles(document: Document, config: Config) -> Iterator[Problem]:
    """A metric with two parts, or two margins, would be decided twice."""
    compared: list[tuple[Place, str]] = [(("objective",), config.objective.metric)]
    compared += [(("must_not_regress", i), entry.metric) for i, entry in enumerate(config.must_not_regress)]
    compared += [(("negotiable", i), entry.metric) for i, entry in enumerate(config.negotiable)]
    lines: list[tuple[Place, str]] = [(("red_line", i), entry.metric) for i, entry in enumerate(config.red_line)]
    for group in (compared, lines):
        first: dict[str, Place] = {}
        for place, metric in group:
            if metric in first:
                found = f"{metric} for the second time (first on line {document.line_of((*first[metric], 'metric'))})"
                line, field = document.line_of((*place, "metric")), str(place[0])
                yield Problem(document.file, line, None, field, found, "keep one of the two")
            first.setdefault(metric, place)


def _fix(problem: Problem) -> str:
    """Words that fit TOML where the general ones speak of YAML."""
    if problem.field == "objective" and "missing" in problem.found:
        return 'add [objective] with metric = "balanced_accuracy" and margin = 0.05'
    return {
        "write a map of key: value lines": "write it as a table, such as [objective]",
        "write a list of entries": "write a list, such as [[red_line]] for tables or ['a', 'b'] for words",
    }.get(problem.fix, problem.fix)


def parse_config(raw: bytes, shown_as: str) -> Document | list[Problem]:
    """The bytes as a tree with the line of every table and key, or what is wrong with them."""
    if len(raw) > MAX_BYTES:
        return [Problem(shown_as, None, None, None, f"{len(raw)} bytes", f"keep a file under {MAX_BYTES} bytes")]
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw[: error.start].count(b"\n") + 1
        return [Problem(shown_as, line, None, None, "bytes that are not UTF-8", "save the file as UTF-8")]
    try:
        tree = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError, ValueError) as error:
        return [_syntax(error, text, shown_as)]
    return Document(shown_as, tree, _lines(text, tree))


def _syntax(error: Exception, text: str, shown_as: str) -> Problem:
    if isinstance(error, RecursionError):
        return Problem(shown_as, None, None, None, "nested too deeply", "flatten the file")
    told = str(error)
    place = _SYNTAX.search(told)
    last = len(text.rstrip("\n").split("\n"))
    line = None if place is None else int(place[1]) if place[1] else last
    found = f"no TOML: {shorten(_SYNTAX.sub('', told), 120)}"
    return Problem(shown_as, line, None, None, found, 'mend the syntax: [table], key = "text", key = 0.5')


def _lines(text: str, tree: dict[str, Any]) -> dict[Place, int]:
    """Where tables and keys stand. What is written in other ways (inline, dotted) has the line of its table."""
    lines: dict[Place, int] = {(): 1}
    seen: dict[str, int] = {}
    table: Place = ()
    for number, line in enumerate(text.split("\n"), 1):
        header = _HEADER.fullmatch(line.rstrip("\r"))
        key = _KEY.match(line)
        if header:
            name = header[2].strip("\"'")
            table = (name,)
            if header[1] == "[[":
                table = (name, seen.get(name, 0))
                seen[name] = seen.get(name, 0) + 1
            lines.setdefault((name,), number)
            lines.setdefault(table, number)
        elif key and _is_there(tree, place := (*table, next(part for part in key.groups() if part))):
            lines.setdefault(place, number)
    return lines


def _is_there(tree: Any, place: Place) -> bool:
    try:
        for step in place:
            tree = tree[step]
    except (LookupError, TypeError):
        return False
    return True
