"""The index of projections: which view of which source gave which digest.

It lets a run be joined to its items without the text of a referenced session. A view is named by everything that makes
it: the source's digest, the reader, the redaction, the preset, the query, the harness and the final answer.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from bench.cases.load import LoadedCase
from bench.cases.sources import SessionFolders, events_of, source_of
from bench.problems import BrokenInput, Problem
from bench.projection.presets import Preset
from bench.projection.project import project
from bench.projection.view import Projection
from bench.reading.canonical import digest
from bench.redaction.redact import VERSION as REDACTION
from bench.schema.base import Record
from bench.schema.case import Attempt
from bench.whole_file import write_whole

FILE = "projections.jsonl"


class View(Record):
    """What the index holds of one projection."""

    view: str
    projection: str  # digest of the projection's content
    total: int
    shown: int
    characters_cut: int
    redactions: int


class Views:
    """Projections of attempts: made where the events are at hand, else known from the index."""

    def __init__(self, index: Path, folders: SessionFolders) -> None:
        self._index = index
        self._folders = folders
        self._known = read_index(index)
        self._made: dict[str, Projection] = {}
        self._keys: dict[tuple[str, str, str], str] = {}  # case, attempt, preset: asked for once a judge
        self._fresh = False

    def look_up(self, loaded: LoadedCase, attempt: Attempt, preset: Preset) -> View | None:
        """What is known of the attempt's projection; None where neither index nor text is at hand."""
        key = self._key(loaded, attempt, preset)
        if key not in self._known:
            projection = self.make(loaded, attempt, preset)
            if projection is None:
                return None
            self._learn(key, projection)
        return self._known[key]

    def make(self, loaded: LoadedCase, attempt: Attempt, preset: Preset) -> Projection | None:
        """The projection itself; None where the referenced session is not at hand."""
        key = self._key(loaded, attempt, preset)
        if key not in self._made:
            events = events_of(loaded, attempt, self._folders)
            if events is None:
                return None
            self._made = {key: project(preset, loaded.case.query, attempt.harness, events, attempt.answer)}
        return self._made[key]

    def _key(self, loaded: LoadedCase, attempt: Attempt, preset: Preset) -> str:
        name = (loaded.case.id, attempt.id, preset.label)
        if name not in self._keys:
            self._keys[name] = view_key(loaded, attempt, preset)
        return self._keys[name]

    def save(self) -> None:
        """Write the index where it grew, with what another writer added; sorted, so that the same views give the same bytes."""
        if not self._fresh:
            return
        self._known = read_index(self._index) | self._known
        write_index(self._index, self._known)
        self._fresh = False

    def _learn(self, key: str, projection: Projection) -> None:
        self._known[key] = view_of(key, projection)
        self._fresh = True


def view_of(key: str, projection: Projection) -> View:
    """What the index keeps of a projection."""
    return View(
        view=key,
        projection=projection.digest,
        total=projection.total,
        shown=projection.shown,
        characters_cut=projection.characters_cut,
        redactions=projection.redactions,
    )


def view_key(loaded: LoadedCase, attempt: Attempt, preset: Preset, redaction: str = REDACTION) -> str:
    """The name of a view: a digest of all that makes it."""
    source = source_of(loaded, attempt)
    return digest(
        {
            "source": source.digest,
            "reader": source.reader,
            "redaction": redaction,
            "preset": preset.label,
            "query": loaded.case.query,
            "harness": attempt.harness,
            "answer": attempt.answer,
        }
    )


def write_index(path: Path, views: Mapping[str, View]) -> None:
    """Sorted, so that the same views give the same bytes."""
    lines = [json.dumps(views[key].model_dump(), sort_keys=True) for key in sorted(views)]
    write_whole(path, "\n".join(lines) + "\n")


def read_index(path: Path) -> dict[str, View]:
    """The views of an index, by name; none where there is no file. Raises BrokenInput."""
    if not path.exists():
        return {}
    views: dict[str, View] = {}
    for number, line in enumerate(path.read_bytes().split(b"\n"), 1):
        try:
            view = View.model_validate_json(line, strict=True) if line else None
        except ValueError:
            fix = "restore the file from version control, or delete it where every session is at hand"
            raise BrokenInput([Problem(path.as_posix(), number, None, None, "no line of this index", fix)]) from None
        if view is not None:
            views[view.view] = view
    return views
