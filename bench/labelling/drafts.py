"""Half-filled forms, kept on disk: they outlive the server and the browser, and end with the vote."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from pydantic import ValidationError

from bench.cases.layout import Layout
from bench.labelling.form import Form
from bench.labelling.locks import OWN_FOLDER
from bench.whole_file import write_whole


@dataclass(frozen=True)
class Drafts:
    """The drafts of one person at one kind of work."""

    folder: Path

    @classmethod
    def of(cls, layout: Layout, person: str, work: str) -> Drafts:
        return cls(layout.root / OWN_FOLDER / "drafts" / layout.suite.name / person / work)

    def _path(self, case: str, attempt: str, statement: str) -> Path:
        return self.folder / case / attempt / f"{statement}.json"

    def get(self, case: str, attempt: str, statement: str) -> Form | None:
        """The draft, or None where there is none, or none that can be read."""
        path = self._path(case, attempt, statement)
        try:
            return Form.model_validate_json(path.read_bytes())
        except (FileNotFoundError, ValidationError):
            return None

    def put(self, case: str, attempt: str, statement: str, form: Form) -> None:
        """Keep the draft; an empty one is none."""
        if form.is_empty:
            self.drop(case, attempt, statement)
        else:
            write_whole(self._path(case, attempt, statement), form.model_dump_json() + "\n")

    def drop(self, case: str, attempt: str, statement: str) -> None:
        self._path(case, attempt, statement).unlink(missing_ok=True)
