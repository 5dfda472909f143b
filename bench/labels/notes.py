"""Authors' notes: what a case was meant to show. For the lint and for people; never for annotators or judges."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from bench.cases.load import LoadedSuite
from bench.problems import Problem
from bench.reading.strict_yaml import Document, read_yaml
from bench.reading.validate import validate
from bench.schema.vote import NoteFile


@dataclass(frozen=True)
class LoadedNote:
    """A note and the file it came from."""

    note: NoteFile
    document: Document


def load_notes(suite: LoadedSuite) -> tuple[dict[str, LoadedNote], list[Problem]]:
    """Notes by case id, and every problem of the note files."""
    notes: dict[str, LoadedNote] = {}
    problems: list[Problem] = []
    known = {loaded.case.id for loaded in suite.cases}
    for path in sorted((suite.layout.labels / "notes").glob("*.yaml")):
        document = read_yaml(path, suite.layout.shown(path))
        if isinstance(document, list):
            problems.extend(document)
            continue
        note = validate(document, NoteFile, path.stem)
        if isinstance(note, list):
            problems.extend(note)
        elif note.case != path.stem or note.case not in known:
            problems.append(_homeless(document, path, note.case))
        else:
            notes[note.case] = LoadedNote(note, document)
    return notes, problems


def _homeless(document: Document, path: Path, case: str) -> Problem:
    fix = "name the note after its case, or remove it"
    return Problem(document.file, document.line_of(("case",)), case, "case", f"no case {case!r} in {path.name}", fix)
