"""The leak scan: look through files that are about to be published, and say kind and place, never the secret."""

from __future__ import annotations

import html
import json
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.problems import BrokenInput, Problem
from bench.redaction.personal import replace_personal
from bench.redaction.redact import Note, replace

SHOWN = 3  # characters of a secret that a finding tells
MOST_BYTES = 256 << 20
_PAGES = (".html", ".htm", ".xml", ".svg")
_OURS = ".lock"  # empty files beside the runs


@dataclass(frozen=True, order=True)
class Leak:
    """One finding. ``starts`` is what the secret begins with, three characters at most."""

    file: str
    line: int  # of a table: its row
    kind: str
    starts: str
    column: str | None = None  # of a table

    def __str__(self) -> str:
        place = f"{self.file}:{self.line}" + (f":{self.column}" if self.column else "")
        return f"{place}: {self.kind} ({self.starts}...)"


@dataclass(frozen=True)
class Scanned:
    """What was found, and what was looked through."""

    leaks: tuple[Leak, ...]
    files: int
    characters: int
    unread: tuple[str, ...]  # files that hold no text


Replacing = Callable[[str, Note], str]


def scan(paths: Sequence[Path], *, personal: bool = False, shown: Callable[[Path], str] = Path.as_posix) -> Scanned:
    """Every text of every file under the paths. Raises BrokenInput for what cannot be read."""
    passes: tuple[Replacing, ...] = (replace, replace_personal) if personal else (replace,)
    leaks: list[Leak] = []
    unread, files, characters = [], 0, 0
    for path in files_of(paths):
        name = shown(path)
        found = texts_of(path)
        if found is None:
            unread.append(name)
            continue
        files += 1
        for row, column, text in found:
            characters += len(text)
            leaks += [Leak(name, row or line, kind, starts, column) for line, kind, starts in leaks_in(text, passes)]
    return Scanned(tuple(sorted(leaks, key=lambda leak: (leak.file, leak.line))), files, characters, tuple(unread))


def beginning(secret: str) -> str:
    """What a finding tells of a secret: three characters, fewer of a short one."""
    return secret[: min(SHOWN, len(secret) // 4)]


def leaks_in(text: str, passes: Sequence[Replacing] = (replace,)) -> list[tuple[int, str, str]]:
    """(line, kind, first characters) of each secret. Replacing one keeps the number of lines."""
    found: list[tuple[int, str, str]] = []
    ends: dict[int, tuple[str, list[int]]] = {}

    def note(kind: str, secret: str, now: str, start: int) -> str:
        if id(now) not in ends:
            ends.clear()
            ends[id(now)] = (now, [place for place, c in enumerate(now) if c == "\n"])
        found.append((bisect_right(ends[id(now)][1], start) + 1, kind, beginning(secret)))
        return f"[redacted:{kind}]" + "\n" * secret.count("\n")

    for each in passes:
        text = each(text, note)
    return sorted(found)


def files_of(paths: Sequence[Path]) -> Iterator[Path]:
    """The files meant, each once; links are not followed. Raises BrokenInput for a path that is not there."""
    missing = [path for path in paths if not path.exists()]
    if missing:
        fix = "name files and folders that there are"
        raise BrokenInput(Problem(str(path), None, None, None, "no such file or folder", fix) for path in missing)
    seen: set[Path] = set()
    for path in paths:
        inside = sorted(path.rglob("*")) if path.is_dir() else [path]
        for each in inside:
            if each.is_file() and not each.is_symlink() and each.suffix != _OURS and each not in seen:
                seen.add(each)
                yield each


def texts_of(path: Path) -> list[tuple[int | None, str | None, str]] | None:
    """(row, column, text) of a table's cells; one text without row of another file; None where there is no text."""
    try:
        if path.stat().st_size > MOST_BYTES:
            fix = f"split it into files under {MOST_BYTES >> 20} MB"
            raise BrokenInput([Problem(str(path), None, None, None, "too large to look through", fix)])
        if path.suffix == ".parquet":
            return list(_cells(path))
        data = path.read_bytes()
    except OSError as error:
        fix = "make it readable, or leave it out"
        raise BrokenInput([Problem(str(path), None, None, None, error.strerror or "unreadable", fix)]) from None
    if b"\x00" in data[:8192]:
        return None
    text = data.decode("utf-8", "replace")
    return [(None, None, html.unescape(text) if path.suffix.lower() in _PAGES else text)]


def _cells(path: Path) -> Iterator[tuple[int, str, str]]:
    try:
        import pyarrow.parquet  # of the extra `data`
    except ImportError:
        fix = "install the part that has it: pip install 'lessonbench[data]'"
        raise BrokenInput([Problem(str(path), None, None, None, "a Parquet file needs pyarrow", fix)]) from None
    try:
        table = pyarrow.parquet.read_table(path)
    except (OSError, ValueError) as error:
        fix = "write the file anew (bench export), or leave it out"
        raise BrokenInput(
            [Problem(str(path), None, None, None, f"no Parquet file ({type(error).__name__})", fix)]
        ) from None
    for name in table.column_names:
        for row, value in enumerate(table.column(name).to_pylist(), 1):
            text = _cell(value)
            if text:
                yield row, name, text


def _cell(value: object) -> str:
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    return value if isinstance(value, str) else json.dumps(value, default=str) if isinstance(value, list | dict) else ""
