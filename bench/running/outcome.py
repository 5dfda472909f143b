"""What a run has, and what became of it."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass, field

from bench.running.gate import Gate, Purse
from bench.running.plan import Expected, SeatedJudge
from bench.running.store import StoredVerdict


@dataclass
class Outcome:
    """What became of one judge's run."""

    judge: SeatedJudge
    expected: list[Expected]
    rows: dict[tuple[str, int], StoredVerdict]
    asked: int = 0
    without_text: int = 0  # owed, but the session is not at hand
    out_of_time: int = 0  # owed, but the time for live judging was over
    out_of_budget: int = 0  # owed, but the money was spent
    unavailable: int = 0  # owed, but the judge cannot be asked here
    why_unavailable: str | None = None
    stale: int = 0  # stored rows that nothing presently expects

    def row(self, expected: Expected) -> StoredVerdict | None:
        return None if expected.item is None else self.rows.get((expected.item, expected.sample))

    @property
    def missing(self) -> list[Expected]:
        return [e for e in self.expected if self.row(e) is None]


@dataclass
class Means:
    """What a run has: its time, its money, and the gates of the providers it calls."""

    deadline: float | None = None  # a time.monotonic() moment; None: no limit
    redo_unscored: bool = False
    purse: Purse = field(default_factory=lambda: Purse(None))
    stop: threading.Event = field(default_factory=threading.Event)
    gates: dict[str, Gate] = field(default_factory=dict)

    def gate(self, provider: str, per_minute: int | None) -> Gate:
        if provider not in self.gates:
            self.gates[provider] = Gate(per_minute, self.stop)
        return self.gates[provider]

    @property
    def out_of_time(self) -> bool:
        return self.deadline is not None and time.monotonic() >= self.deadline
