"""What an import saw, used and skipped. The books balance: seen = used + skipped + unknown + malformed."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from bench.schema.event import Event


@dataclass
class ImportReport:
    """Counts of records (lines or array entries of the source), by what became of them."""

    format: str
    seen: int = 0
    used: int = 0
    skipped: Counter[str] = field(default_factory=Counter)  # known record types that carry no event
    unknown: Counter[str] = field(default_factory=Counter)  # record types this importer has never met
    malformed: list[int] = field(default_factory=list)  # line numbers
    versions: Counter[str] = field(default_factory=Counter)  # harness versions named in the file
    orphan_results: int = 0

    @property
    def balanced(self) -> bool:
        return self.seen == self.used + self.skipped.total() + self.unknown.total() + len(self.malformed)


@dataclass(frozen=True)
class Session:
    """One imported session."""

    harness: str
    events: tuple[Event, ...]
    report: ImportReport
    model: str | None = None
