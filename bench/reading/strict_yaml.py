"""Strict YAML: one document of maps, lists and text, each with the line it stands on.

Every scalar is read as text; what it means is the schema's decision. Refused with file and line: syntax errors, tabs and
control characters, a second document, duplicate keys, anchors, aliases, tags, merge keys, nesting deeper than
:data:`MAX_DEPTH`, files over :data:`MAX_BYTES`, and a ``#`` comment that swallows the end of unquoted prose.
An empty or ``null`` or ``~`` unquoted value becomes None, which no text field accepts.
Parser: libyaml's event stream through PyYAML, so an alias is refused before anything is expanded.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from bench.problems import Problem, shorten

MAX_DEPTH = 32
MAX_BYTES = 32 * 1024 * 1024

Tree = dict[str, Any] | list[Any] | str | None
Place = tuple[str | int, ...]

_SWALLOWED = re.compile(r"[ \t]#\S|[ \t]+#")
_BREAKS = re.compile("\r\n|[\n\r\x85\u2028\u2029]")  # what libyaml counts as a line end


@dataclass(frozen=True)
class Document:
    """A parsed file: its tree, and the line of every place in it (a place is the path of keys and indexes)."""

    file: str
    tree: Tree
    lines: dict[Place, int]

    def line_of(self, place: Place) -> int | None:
        """The line of a place, or of its nearest ancestor that has one."""
        for end in range(len(place), -1, -1):
            if place[:end] in self.lines:
                return self.lines[place[:end]]
        return None


def read_yaml(path: Path, shown_as: str) -> Document | list[Problem]:
    """Read one file; either the document or every problem that stopped it."""
    try:
        size = path.stat().st_size
        if size > MAX_BYTES:
            return [Problem(shown_as, None, None, None, f"{size} bytes", f"keep a file under {MAX_BYTES} bytes")]
        raw = path.read_bytes()
    except OSError as error:
        reason = error.strerror or type(error).__name__
        return [Problem(shown_as, None, None, None, f"cannot be read: {reason}", "name a file that can be read")]
    return parse_yaml(raw, shown_as)


def parse_yaml(raw: bytes, shown_as: str) -> Document | list[Problem]:
    """Parse the bytes of one file; ``shown_as`` is the name that messages use."""
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw[: error.start].count(b"\n") + 1
        return [Problem(shown_as, line, None, None, "bytes that are not UTF-8", "save the file as UTF-8")]
    builder = _Builder(shown_as, text)
    try:
        for event in yaml.parse(text, Loader=yaml.CBaseLoader):
            builder.take(event)
            if builder.stopped:
                break
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        marked = mark.line + 1 if mark else None
        builder.refuse(
            marked, _plain(error.problem or "not YAML"), "mend the syntax (indent with spaces, quote odd text)"
        )
    except yaml.YAMLError as error:
        builder.refuse(_control_line(text), _plain(str(error)), "remove or escape the character")
    except ValueError as error:  # libyaml's binding refuses lone surrogates this way
        builder.refuse(None, _plain(str(error)), "remove the character that is no valid text")
    if not builder.problems and builder.documents == 0:
        builder.refuse(1, "an empty file", "write the record, or delete the file")
    if builder.problems:
        return builder.problems
    return Document(shown_as, builder.root, builder.lines)


def _plain(message: str) -> str:
    return shorten(message.splitlines()[0] if message else "not YAML", 160)


def _control_line(text: str) -> int | None:
    for number, line in enumerate(text.split("\n"), 1):
        if any(not (c.isprintable() or c in "\t\r\u00a0\ufeff") and ord(c) < 0xA0 for c in line):
            return number
    return None


@dataclass
class _Open:
    """A map or list that is being filled."""

    value: dict[str, Any] | list[Any]
    place: Place
    key: str | None = None


class _Builder:
    """Builds the tree from parser events and notes what must be refused."""

    def __init__(self, file: str, text: str) -> None:
        self.file = file
        self.source_lines = _BREAKS.split(text)
        self.problems: list[Problem] = []
        self.lines: dict[Place, int] = {}
        self.root: Tree = None
        self.documents = 0
        self.stopped = False
        self.open: list[_Open] = []

    def refuse(self, line: int | None, found: str, fix: str, field: str | None = None) -> None:
        self.problems.append(Problem(self.file, line, None, field, found, fix))

    def take(self, event: Any) -> None:
        line = event.start_mark.line + 1
        if isinstance(event, yaml.DocumentStartEvent):
            self.documents += 1
            if self.documents > 1:
                self.refuse(line, "a second document", "one file holds one record: split the file at ---")
                self.stopped = True
        elif isinstance(event, yaml.AliasEvent):
            self.refuse(line, f"an alias, *{shorten(event.anchor, 20)}", "write the value out")
            self._put(None, line)
        elif isinstance(event, yaml.ScalarEvent):
            self._scalar(event, line)
        elif isinstance(event, yaml.MappingStartEvent | yaml.SequenceStartEvent):
            self._start(event, line)
        elif isinstance(event, yaml.MappingEndEvent | yaml.SequenceEndEvent):
            self.open.pop()

    def _start(self, event: Any, line: int) -> None:
        self._refuse_marks(event, line)
        value: dict[str, Any] | list[Any] = {} if isinstance(event, yaml.MappingStartEvent) else []
        top = self.open[-1] if self.open else None
        if top is not None and isinstance(top.value, dict) and top.key is None:
            self.refuse(line, "a map or list as a key", "keys are plain words")
            self.stopped = True
            return
        place = self._put(value, line)
        self.open.append(_Open(value, place))
        if len(self.open) > MAX_DEPTH:
            self.refuse(line, f"nesting deeper than {MAX_DEPTH}", "flatten the structure")
            self.stopped = True

    def _scalar(self, event: Any, line: int) -> None:
        self._refuse_marks(event, line)
        top = self.open[-1] if self.open else None
        if top is not None and isinstance(top.value, dict) and top.key is None:
            self._key(top, event.value, line)
            return
        plain = event.style is None or event.style == ""
        if plain:
            self._refuse_swallowed(event, line)
        self._put(None if plain and event.value in ("", "~", "null") else event.value, line)

    def _key(self, top: _Open, key: str, line: int) -> None:
        if key == "<<":
            self.refuse(line, "a merge key (<<)", "write the fields out")
        elif key in top.value:
            first = self.lines.get((*top.place, key))
            self.refuse(
                line, f"the key {key!r} for the second time (first on line {first})", "keep one of the two", key
            )
        top.key = key

    def _put(self, value: Any, line: int) -> Place:
        if not self.open:
            place: Place = ()
            self.root = value
        else:
            top = self.open[-1]
            if isinstance(top.value, list):
                place = (*top.place, len(top.value))
                top.value.append(value)
            else:
                key = top.key or ""
                place, top.key = (*top.place, key), None
                if key in top.value:
                    return place
                top.value[key] = value
        self.lines[place] = line
        return place

    def _refuse_marks(self, event: Any, line: int) -> None:
        if event.anchor is not None:
            self.refuse(
                line, f"an anchor, &{shorten(event.anchor, 20)}", "write the value out; quote text that starts with &"
            )
        if event.tag is not None:
            self.refuse(line, f"a tag, {shorten(event.tag, 40)}", "leave the tag out; quote text that starts with !")

    def _refuse_swallowed(self, event: Any, line: int) -> None:
        """Unquoted ``fix issue #12`` would lose its end: refuse the comment when it follows prose, or hugs a word."""
        end = event.end_mark
        rest = self.source_lines[end.line][end.column :]
        match = _SWALLOWED.match(rest)
        if match and (" " in event.value or ("#" in rest.rstrip() and re.match(r"[ \t]+#\S", rest))):
            self.refuse(
                line,
                f"a comment that swallows {shorten(rest.strip(), 40)!r} after unquoted text",
                "quote the whole value, or move the comment to its own line",
            )
