"""Where an attempt's events come from: the case file, a file beside it, or a referenced session in a local folder."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.cases.load import LoadedCase
from bench.problems import BrokenInput, Problem
from bench.reading.canonical import digest
from bench.schema.case import Attempt, EventsFrom
from bench.schema.event import Event
from bench.traces.detect import detect_file, read_session, reader_of

INLINE_READER = "inline@1"


@dataclass(frozen=True)
class Source:
    """What identifies an attempt's events: the digest of their source, and the reader that turns it into events."""

    digest: str
    reader: str


class SessionFolders:
    """Local folders of recorded sessions, found by the digest of their bytes. Hashed once, when first asked."""

    def __init__(self, folders: Sequence[Path]) -> None:
        self.folders = tuple(folders)
        self._by_digest: dict[str, Path] | None = None

    def find(self, sha256: str) -> Path | None:
        if self._by_digest is None:
            files = [p for folder in self.folders for p in sorted(folder.rglob("*")) if p.is_file()]
            self._by_digest = {file_digest(p): p for p in files}
        return self._by_digest.get(sha256)


def file_digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def source_of(loaded: LoadedCase, attempt: Attempt) -> Source:
    """The identity of the attempt's events, known without having their text."""
    if attempt.events is not None:
        events = [event.model_dump(mode="json", exclude_defaults=True) for event in attempt.events]
        return Source(digest(events), INLINE_READER)
    recorded = _recorded(attempt)
    if recorded.reference is not None:
        return Source(recorded.reference.sha256, reader_of(recorded.reference.format))
    path = _beside(loaded, attempt)
    return Source(file_digest(path), reader_of(recorded.format or detect_file(path)))


def events_of(loaded: LoadedCase, attempt: Attempt, folders: SessionFolders) -> tuple[Event, ...] | None:
    """The attempt's events; None where a referenced session is in none of the local folders."""
    if attempt.events is not None:
        return attempt.events
    recorded = _recorded(attempt)
    if recorded.reference is None:
        return read_session(_beside(loaded, attempt), recorded.format).events
    path = folders.find(recorded.reference.sha256)
    return None if path is None else read_session(path, recorded.reference.format).events


def _recorded(attempt: Attempt) -> EventsFrom:
    if attempt.events_from is None:
        raise ValueError("an attempt without events and without events_from passed the schema")
    return attempt.events_from


def _beside(loaded: LoadedCase, attempt: Attempt) -> Path:
    name = _recorded(attempt).file or ""
    path = (loaded.path.parent / name).resolve()
    index = loaded.case.attempts.index(attempt)
    place = ("attempts", index, "events_from", "file")
    if not path.is_relative_to(loaded.path.parent.resolve()):
        found, fix = f"a path outside the case's folder: {name}", "put the session beside the case"
    elif not path.is_file():
        found, fix = f"no such file: {name}", "put the session beside the case, or mend the name"
    else:
        return path
    line = loaded.document.line_of(place)
    raise BrokenInput([Problem(loaded.document.file, line, loaded.case.id, "events_from.file", found, fix)])
