"""Authors' notes: what a case was meant to show. For the lint and for people; never for annotators or judges."""

from __future__ import annotations

from pathlib import Path

from bench.cases.load import LoadedSuite
from bench.problems import Problem
from bench.reading.strict_yaml import read_yaml
from bench.reading.validate import validate
from bench.schema.vote import NoteFile


def load_notes(suite: LoadedSuite) -> tuple[dict[str, NoteFile], list[Problem]]:
    """Notes by case id, and every problem of the note files."""
    notes: dict[str, NoteFile] = {}
    problems: list[Problem] = []
    known = {loaded.case.id for loaded in suite.cases}
    for path in sorted((suite.layout.labels / "notes").glob("*.yaml")):
        document = read_yaml(path, suite.layout.shown(path))
        note = document if isinstance(document, list) else validate(document, NoteFile, path.stem)
        if isinstance(note, list):
            problems.extend(note)
        elif note.case != path.stem or note.case not in known:
            problems.append(_homeless(suite, path, note.case))
        else:
            notes[note.case] = note
    return notes, problems


def _homeless(suite: LoadedSuite, path: Path, case: str) -> Problem:
    fix = "name the note after its case, or remove it"
    return Problem(suite.layout.shown(path), 1, case, "case", f"no case {case!r} in {path.name}", fix)
