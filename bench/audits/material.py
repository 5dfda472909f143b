"""What an audit looks at, and what it finds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from bench.cases.load import LoadedSuite
from bench.labels.load import Labels
from bench.labels.notes import LoadedNote
from bench.measure.rows import Row
from bench.running.outcome import Outcome
from bench.running.views import Views

JudgedRows = Sequence[tuple[Outcome, Sequence[Row]]]


@dataclass(frozen=True)
class Material:
    """What audits look at."""

    suite: LoadedSuite
    labels: Labels
    judged: JudgedRows
    views: Views
    notes: Mapping[str, LoadedNote] = field(default_factory=dict)  # by case


@dataclass(frozen=True)
class Result:
    """What an audit found. ``passed`` is None for an audit that only reports, or that could not be made."""

    passed: bool | None
    found: str
    details: tuple[str, ...] = ()
