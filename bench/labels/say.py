"""Problems of a place in one label file."""

from __future__ import annotations

from bench.problems import Problem
from bench.reading.strict_yaml import Document, Place


class Say:
    """Makes a problem of a place in one file."""

    def __init__(self, document: Document, case: str) -> None:
        self.document = document
        self.case = case

    def __call__(self, place: Place, found: str, fix: str) -> Problem:
        field = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in place).lstrip(".")
        return Problem(self.document.file, self.document.line_of(place), self.case, field, found, fix)
