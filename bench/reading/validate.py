"""From a parsed file to a frozen record, or to every problem in it with its line."""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from bench.problems import Problem, shorten
from bench.reading.strict_yaml import Document, Place

Model = TypeVar("Model", bound=BaseModel)

_EMPTY_FIX = "write a value (in quotes where the word is meant), or leave the field out"
_FIXES = {
    "missing": "add it",
    "string_type": "write a text (quoted if it is empty or odd)",
    "string_too_short": "write a text",
    "too_short": "add entries",
    "too_long": "remove entries",
    "dict_type": "write a map of key: value lines",
    "tuple_type": "write a list of entries",
    "model_type": "write a map of key: value lines",
    "model_attributes_type": "write a map of key: value lines",
    "string_pattern_mismatch": "use letters, digits, dot, dash and underscore, at most 64, or the form named here",
}


def validate(document: Document, model: type[Model], case: str | None = None) -> Model | list[Problem]:
    """The record that a document holds; else one problem per mistake, none hidden by another."""
    problems: list[Problem] = []
    record = None
    try:
        record = model.model_validate(document.tree)
    except ValidationError as error:
        details = [detail for detail in error.errors(include_url=False) if not _is_echo(detail)]
        problems = [_problem(document, model, case, detail) for detail in details]
    told = {problem.field for problem in problems}
    problems += [
        Problem(document.file, document.line_of(place), case, _dotted(place), "an empty value", _EMPTY_FIX)
        for place in _empty_places(document.tree)
        if _dotted(place) not in told
    ]
    return record if record is not None and not problems else problems


def _empty_places(tree: Any, place: Place = ()) -> Iterator[Place]:
    """Where nothing, ``null`` or ``~`` stands for a value. The arguments of a call are JSON, and may hold null."""
    entries = tree.items() if isinstance(tree, dict) else enumerate(tree) if isinstance(tree, list) else ()
    for step, value in entries:
        if value is None:
            yield (*place, step)
        elif step != "args":
            yield from _empty_places(value, (*place, step))


def _is_echo(detail: Any) -> bool:
    """pydantic counts only the valid entries of a list, and so calls a list too short whose entries are told one by one."""
    return bool(detail["type"] == "too_short" and len(detail["input"]) >= detail["ctx"]["min_length"])


def _problem(document: Document, model: type[BaseModel], case: str | None, detail: Any) -> Problem:
    kind, place = detail["type"], _place_in(document.tree, detail["loc"])
    if kind == "extra_forbidden":
        known = _fields_at(model, place[:-1])
        found, fix = f"the unknown field {shorten(str(place[-1]), 40)!r}", _did_you_mean(str(place[-1]), known)
    elif kind == "missing":
        missing = str(detail["loc"][-1])
        place, found, fix = (*place, missing), "the field is missing", _FIXES[kind]
    elif kind in ("literal_error", "union_tag_invalid", "enum"):
        wanted = detail["ctx"].get("expected") or detail["ctx"].get("expected_tags")
        found, fix = shorten(detail["input"]), f"use one of {wanted}"
    elif kind == "value_error":
        message = str(detail["ctx"]["error"])
        value = detail["input"]
        found = f"{shorten(value)}: {message}" if isinstance(value, str) else message
        fix = "change it so that this holds"
    else:
        found = f"{_kind_of(detail['input'])}: {detail['msg'].lower()}"
        fix = _FIXES.get(kind, "change it so that this holds")
    return Problem(document.file, document.line_of(place), case, _dotted(place), found, fix)


def _kind_of(value: object) -> str:
    if value is None:
        return "an empty value"
    if isinstance(value, str):
        return repr(shorten(value, 60))
    return "a map" if isinstance(value, dict) else "a list" if isinstance(value, list) else shorten(value, 60)


def _place_in(tree: Any, loc: tuple[str | int, ...]) -> Place:
    """The part of an error's location that exists in the file (union tags and the like are not in it)."""
    place: list[str | int] = []
    for step in loc:
        if _has(tree, step):
            tree = tree[step]
            place.append(step)
    return tuple(place)


def _has(tree: Any, step: str | int) -> bool:
    if isinstance(tree, dict):
        return step in tree
    return isinstance(tree, list) and isinstance(step, int) and step < len(tree)


def _dotted(place: Place) -> str | None:
    text = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in place)
    return text.lstrip(".") or None


def _did_you_mean(name: str, known: list[str]) -> str:
    close = difflib.get_close_matches(name, known, n=1)
    if close:
        return f"did you mean {close[0]}?"
    return f"remove it; known here: {', '.join(known)}" if known else "remove it"


def _fields_at(model: type[BaseModel], place: Place) -> list[str]:
    """Field names of the record at a place, as far as the annotations tell."""
    current: list[type[BaseModel]] = [model]
    for step in place:
        if isinstance(step, int):
            continue
        current = [found for m in current for found in _models_in(_annotation(m, step))]
    names = {field.alias or name for m in current for name, field in m.model_fields.items()}
    return sorted(names)


def _annotation(model: type[BaseModel], step: str) -> Any:
    for name, field in model.model_fields.items():
        if step in (name, field.alias):
            return field.annotation
    return None


def _models_in(annotation: Any) -> list[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return [annotation]
    found: list[type[BaseModel]] = []
    for part in getattr(annotation, "__args__", ()):
        found.extend(_models_in(part))
    return found
