"""Whose votes they are: an annotator, how the votes come about, and the files that hold them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from bench.cases.layout import Layout
from bench.labels.load import PILOT
from bench.problems import BrokenInput, Problem
from bench.reading.strict_yaml import read_yaml
from bench.reading.validate import Model, validate
from bench.schema.vote import VoteFile

MadeBy = Literal["person", "model_assisted", "model"]


@dataclass(frozen=True)
class Hand:
    """One annotator at one kind of voting. Each case has a file of its own."""

    layout: Layout
    annotator: str
    made_by: MadeBy = "person"
    lineage: str | None = None
    purpose: Literal["label", "check"] = "label"
    pilot: bool = False

    def path(self, case: str) -> Path:
        side = self.layout.labels / PILOT if self.pilot else self.layout.labels
        return side / "votes" / self.annotator / f"{case}.yaml"

    def held(self, case: str) -> VoteFile | None:
        """The votes that are there. Raises BrokenInput where the file cannot be read."""
        return read_label_file(self.layout, self.path(case), VoteFile)

    def check_same(self, held: VoteFile) -> None:
        """One file has one provenance: a model's votes must not enter a person's file, nor the other way round."""
        if (held.made_by, held.lineage) != (self.made_by, self.lineage):
            found = f"votes made by {held.made_by} ({held.lineage or 'no model'})"
            fix = f"go on with --made-by {held.made_by} and its lineage, or vote under another --annotator"
            place = self.layout.shown(self.path(held.case))
            raise BrokenInput([Problem(place, None, held.case, "made_by", found, fix)])


def read_label_file(layout: Layout, path: Path, model: type[Model]) -> Model | None:
    """The record of a label file, or None where there is no file. Raises BrokenInput."""
    if not path.exists():
        return None
    document = read_yaml(path, layout.shown(path))
    record = document if isinstance(document, list) else validate(document, model, path.stem)
    if isinstance(record, list):
        raise BrokenInput(record)
    return record


def provenance_is_whole(made_by: str, lineage: str | None, does: str) -> None:
    """Raises BrokenInput where a model has a part and is not named."""
    if made_by != "person" and not lineage:
        fix = f"name the model that {does} ({made_by})"
        raise BrokenInput([Problem("--lineage", None, None, None, "missing", fix)])
