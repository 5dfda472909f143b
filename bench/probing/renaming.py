"""Rename files, and the identifiers named like them, everywhere in a session: the same length, the same shape, other letters."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace

import re2
from pydantic import JsonValue

from bench.judges.patterns import PATH_ARGUMENTS
from bench.probing.told import Told
from bench.schema.event import Event

MOST_NAMES = 200
_LOOKED_AT = 4_000  # characters of a command
_PATH = re2.compile(r"[\w.-]*/[\w./-]*\w\.\w{1,5}\b")
_STEM = re2.compile(r"[A-Za-z][A-Za-z0-9]*(?:[_-][A-Za-z0-9]+)+|[a-z]+(?:[A-Z][a-z0-9]+)+|(?:[A-Z][a-z0-9]+){2,}")
_PARTS = re2.compile(r"[A-Z]?[a-z0-9]+|[A-Z]+")
_SHORTEST = 6
# Names with such a part mean something to people and tools.
_KEPT = frozenset(
    {
        "test", "tests", "spec", "config", "conf", "readme", "claude", "agents", "agent", "gemini", "license", "contributing",
        "changelog", "makefile", "docker", "dockerfile", "package", "lock", "requirements", "pyproject", "setup", "init", "main",
        "index", "node", "modules", "tsconfig", "eslint", "prettier", "gitignore", "env", "skill", "memory", "rules",
        "instructions", "tool", "tools", "bash", "shell", "exit", "code", "error", "read", "write", "edit", "file", "files",
        "path", "paths", "git",
    }
)  # fmt: skip
_LETTERS = ("aeiou", "bcdfghjklmnpqrstvwxyz")
_TEXTS = ("text", "command", "output", "path")


def rename(told: Told, chance: random.Random, other: Told | None) -> Told | None:
    """The session with its files of telling compound names (``invoice_footer``, not ``main``) renamed throughout."""
    names = new_names(told, chance)
    return renamed(told, names) if names else None


def new_names(told: Told, chance: random.Random) -> dict[str, str]:
    """Old stem to new stem; no new one occurs in the session, so that the renaming can be undone."""
    everything = "\n".join(_all_texts(told))
    names: dict[str, str] = {}
    for stem in sorted(set(_stems(told.events)))[:MOST_NAMES]:
        for _ in range(20):
            new = "".join(_other_letter(letter, chance) for letter in stem)
            if new not in everything and new not in names.values():
                names[stem] = new
                break
    return names


def renamed(told: Told, names: Mapping[str, str]) -> Told:
    """Every occurrence as a whole word replaced, the longest name first."""
    ordered = sorted(names, key=lambda name: (-len(name), name))
    pattern = re2.compile(rf"\b(?:{'|'.join(re2.escape(name) for name in ordered)})\b")

    def new(text: str) -> str:
        return str(pattern.sub(lambda match: names[str(match.group(0))], text))

    return replace(
        told,
        query=new(told.query),
        answer=None if told.answer is None else new(told.answer),
        events=tuple(_renamed_event(event, new) for event in told.events),
    )


def _renamed_event(event: Event, new: Callable[[str], str]) -> Event:
    changes: dict[str, object] = {name: new(value) for name in _TEXTS if (value := getattr(event, name))}
    if event.args:
        changes["args"] = {key: _renamed_value(value, new) for key, value in event.args.items()}
    if event.approval is not None and event.approval.reason:
        changes["approval"] = event.approval.model_copy(update={"reason": new(event.approval.reason)})
    return event.model_copy(update=changes) if changes else event


def _renamed_value(value: JsonValue, new: Callable[[str], str]) -> JsonValue:
    if isinstance(value, str):
        return new(value)
    if isinstance(value, dict):
        return {key: _renamed_value(part, new) for key, part in value.items()}
    if isinstance(value, list):
        return [_renamed_value(part, new) for part in value]
    return value


def _stems(events: Iterable[Event]) -> Iterator[str]:
    for path in _paths(events):
        stem = path.replace("\\", "/").rsplit("/", 1)[-1].split(".")[0]
        parts = {str(part).lower() for part in _PARTS.findall(stem)}
        if len(stem) >= _SHORTEST and _STEM.fullmatch(stem) and not parts & _KEPT:
            yield stem


def _paths(events: Iterable[Event]) -> Iterator[str]:
    for event in events:
        if event.path:
            yield event.path
        for name in PATH_ARGUMENTS:
            value = (event.args or {}).get(name)
            if isinstance(value, str):
                yield value
        if event.command:
            yield from (str(path) for path in _PATH.findall(event.command[:_LOOKED_AT]))


def _all_texts(told: Told) -> Iterator[str]:
    yield told.query
    yield told.answer or ""
    for event in told.events:
        yield from (value for name in _TEXTS if (value := getattr(event, name)))
        yield from _texts_of(event.args)
        if event.approval is not None and event.approval.reason:
            yield event.approval.reason


def _texts_of(value: JsonValue) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for part in value.values():
            yield from _texts_of(part)
    elif isinstance(value, list):
        for part in value:
            yield from _texts_of(part)


def _other_letter(letter: str, chance: random.Random) -> str:
    for letters in _LETTERS:
        if letter.lower() in letters:
            new = chance.choice(letters)
            return new.upper() if letter.isupper() else new
    return letter
