"""The files on the right-hand side as records, in file order: votes, rulings, the draw for third votes, notes, the guide."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.cases.layout import Layout
from bench.cases.load import LoadedSuite
from bench.labels.checks import CHECKS
from bench.labels.load import Labels
from bench.labels.notes import load_notes
from bench.problems import BrokenInput
from bench.reading.strict_yaml import read_yaml
from bench.reading.validate import Model, validate
from bench.schema.vote import AdjudicationFile, ChecksFile, NoteFile, VoteFile

GUIDE = "GUIDE.md"


@dataclass(frozen=True)
class LabelFiles:
    """What the label folder of a suite holds, and the labels that follow from it."""

    labels: Labels
    votes: tuple[VoteFile, ...]  # by case, then annotator
    rulings: tuple[AdjudicationFile, ...]  # by case
    checks: ChecksFile | None
    guide: str | None  # the whole text
    notes: tuple[NoteFile, ...] | None  # None: not asked for


def read_label_files(suite: LoadedSuite, labels: Labels, *, notes: bool) -> LabelFiles:
    """The label files of a suite whose labels were loaded. Raises BrokenInput."""
    folder = suite.layout.labels
    votes = _records(suite.layout, sorted(folder.glob("votes/*/*.y*ml")), VoteFile)
    rulings = _records(suite.layout, sorted(folder.glob("adjudicated/*.y*ml")), AdjudicationFile)
    checks = _records(suite.layout, sorted(folder.glob(CHECKS)), ChecksFile)
    return LabelFiles(
        labels,
        tuple(sorted(votes, key=lambda file: (file.case, file.annotator))),
        tuple(sorted(rulings, key=lambda file: file.case)),
        checks[0] if checks else None,
        guide_text(suite.layout),
        _notes(suite) if notes else None,
    )


def guide_text(layout: Layout) -> str | None:
    """The guide that annotators read: the suite's own, else the one of all suites."""
    for path in (layout.labels / GUIDE, layout.labels.parent / GUIDE):
        if path.is_file():
            return path.read_text(encoding="utf-8")
    return None


def _records(layout: Layout, paths: Sequence[Path], model: type[Model]) -> list[Model]:
    records, problems = [], []
    for path in paths:
        document = read_yaml(path, layout.shown(path))
        record = document if isinstance(document, list) else validate(document, model, path.stem)
        if isinstance(record, list):
            problems.extend(record)
        else:
            records.append(record)
    if problems:
        raise BrokenInput(problems)
    return records


def _notes(suite: LoadedSuite) -> tuple[NoteFile, ...]:
    notes, problems = load_notes(suite)
    if problems:
        raise BrokenInput(problems)
    return tuple(loaded.note for _, loaded in sorted(notes.items()))
