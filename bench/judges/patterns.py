"""Match events against the patterns of trajectory anchors."""

from __future__ import annotations

from functools import lru_cache

import re2
from pydantic import JsonValue

from bench.schema.case import Pattern
from bench.schema.event import Event

PATH_ARGUMENTS = (
    "path",
    "file_path",
    "filePath",
    "filename",
    "notebook_path",
    "absolute_path",
    "relative_path",
    "target_file",
    "target_notebook",
)
_SEPARATORS = re2.compile(r"\s*(?:&&|\|\||;|\||\n|\s&\s)\s*")


def matches(pattern: Pattern, event: Event) -> bool:
    """Whether every given part of the pattern holds of the event. A refused call never happened."""
    if event.approval is not None and event.approval.decision == "denied":
        return False
    return (
        (pattern.tool is None or (event.tool is not None and glob(pattern.tool, event.tool, path=False)))
        and (pattern.command is None or _command_matches(pattern.command, event.command))
        and (
            pattern.output is None
            or (event.output is not None and glob(f"*{pattern.output}*", event.output, path=False))
        )
        and (pattern.ok is None or event.ok is pattern.ok)
        and (pattern.args is None or _arguments_match(pattern.args, event.args or {}))
    )


def _command_matches(wanted: str, command: str | None) -> bool:
    """The whole command line, or one of the simple commands that it chains."""
    if command is None:
        return False
    return any(glob(wanted, part.strip(), path=False) for part in (command, *simple_commands(command)))


def simple_commands(command: str) -> list[str]:
    """The simple commands that a command line chains; separators within quotes are not told apart from others."""
    return [str(part) for part in _SEPARATORS.split(command)]


def _arguments_match(wanted: dict[str, str], given: dict[str, JsonValue]) -> bool:
    return all(
        any(_value_matches(name, pattern, value) for value in _values(name, given)) for name, pattern in wanted.items()
    )


def _values(name: str, given: dict[str, JsonValue]) -> list[JsonValue]:
    names = PATH_ARGUMENTS if name == "path" else (name,)
    return [given[n] for n in names if n in given]


def _value_matches(name: str, pattern: str, value: JsonValue) -> bool:
    return isinstance(value, str | int | float) and glob(pattern, str(value), path=name in PATH_ARGUMENTS)


def glob(pattern: str, text: str, *, path: bool) -> bool:
    """Shell-style match of the whole text. In a path ``*`` stops at a slash, a backslash is a slash, and the pattern may
    start at any folder."""
    if path:
        pattern, text = pattern.replace("\\", "/"), text.replace("\\", "/")
    return bool(_compiled(pattern, path).fullmatch(text))


@lru_cache(maxsize=4096)
def _compiled(pattern: str, path: bool) -> re2._Regexp:
    pieces = []
    rest = pattern
    while rest:
        if rest.startswith("**/") and path:
            pieces.append("(?:.*/)?")
            rest = rest[3:]
        elif rest.startswith("**"):
            pieces.append(".*")
            rest = rest[2:]
        else:
            pieces.append(
                {"*": "[^/]*" if path else ".*", "?": "[^/]" if path else "."}.get(rest[0], re2.escape(rest[0]))
            )
            rest = rest[1:]
    start = "(?:.*/)?" if path and not pattern.startswith("/") else ""
    return re2.compile(f"(?s:{start}{''.join(pieces)})")
