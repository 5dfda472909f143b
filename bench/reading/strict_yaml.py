"""Strict YAML: one document of maps, lists and text, each with the line it stands on.

Every scalar is read as text; what it means is the schema's decision. Refused with file and line: syntax errors, tabs and
control characters, a second document, duplicate keys, anchors, aliases, tags, merge keys, nesting deeper than
:data:`MAX_DEPTH`, files over :data:`MAX_BYTES`, a ``#`` comment that swallows the end of unquoted prose, and unescaped
U+0085, U+2028 and U+2029, which YAML 1.1 (and libyaml) reads as line ends and YAML 1.2 as text.
An empty or ``null`` or ``~`` unquoted value becomes None, which :func:`bench.reading.validate.validate` refuses in a record.
Parser: libyaml's event stream through PyYAML, so an alias is refused before anything is expanded.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from bench.problems import Problem, shorten

MAX_DEPTH = 32
MAX_BYTES = 32 * 1024 * 1024
MAX_PROBLEMS = 100

Tree = dict[str, Any] | list[Any] | str | None
Place = tuple[str | int, ...]

_COMMENT = re.compile(r"[ \t]+#(\S?)")
_ESCAPE_TROUBLE = re.compile("escape|hexdecimal")  # libyaml's own spelling
_ESCAPE_FIX = "in double quotes a backslash starts an escape: double it, or use single quotes"
_SYNTAX_FIX = "mend the syntax (indent with spaces, quote odd text)"
_BREAKS = re.compile("\r\n|[\n\r]")
_SEPARATORS = re.compile("[\x85\u2028\u2029]")


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
    if _SEPARATORS.search(text):
        return list(_separators(text, shown_as))
    builder = _Builder(shown_as, text)
    try:
        for event in yaml.parse(text, Loader=yaml.CBaseLoader):
            builder.take(event)
            if builder.stopped:
                break
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        marked = min(mark.line + 1, len(_BREAKS.split(text.rstrip("\r\n")))) if mark else None
        found = _plain(error.problem or "not YAML")
        builder.refuse(marked, found, _ESCAPE_FIX if _ESCAPE_TROUBLE.search(found) else _SYNTAX_FIX)
    except yaml.YAMLError as error:
        builder.refuse(_control_line(text), _plain(str(error)), "remove or escape the character")
    except ValueError as error:  # libyaml's binding refuses lone surrogates this way
        builder.refuse(None, _plain(str(error)), "remove the character that is no valid text")
    if not builder.problems and builder.documents == 0:
        builder.refuse(1, "an empty file", "write the record, or delete the file")
    if builder.problems:
        return builder.problems
    return Document(shown_as, builder.root, builder.lines)


def _separators(text: str, shown_as: str) -> Iterator[Problem]:
    for number, line in enumerate(_BREAKS.split(text), 1):
        match = _SEPARATORS.search(line)
        if match:
            code = f"{ord(match.group(0)):04x}"
            fix = f"write it as \\u{code} in a double-quoted value, or remove it"
            yield Problem(
                shown_as, number, None, None, f"the separator U+{code.upper()}, a line end to some readers", fix
            )


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
        if len(self.problems) == MAX_PROBLEMS and not self.stopped:
            self.stopped = True
            rest = f"{MAX_PROBLEMS} mistakes; the rest of the file was not read"
            self.problems.append(Problem(self.file, line, None, None, rest, "mend these first"))

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
        plain = event.style is None or event.style == ""
        if top is not None and isinstance(top.value, dict) and top.key is None:
            self._key(top, event.value, line, plain)
            return
        if plain:
            self._refuse_swallowed(event, line)
        self._put(None if plain and event.value in ("", "~", "null") else event.value, line)

    def _key(self, top: _Open, key: str, line: int, plain: bool) -> None:
        if key == "<<" and plain:
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
        source = self.source_lines[end.line] if end.line < len(self.source_lines) else ""
        match = _COMMENT.match(source, end.column)
        if match and (" " in event.value or match.group(1)):
            swallowed = shorten(source[match.start() :].strip(), 40)
            self.refuse(
                line,
                f"a comment that swallows {swallowed!r} after unquoted text",
                "quote the whole value, or move the comment to its own line",
            )
