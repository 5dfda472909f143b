"""Judges that call a model, for tests of the runner: what a call does is a script of the test's."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from pydantic import JsonValue
from running_suites import case_tree, suite_tree, write

from bench.cases.load import load_suite
from bench.cases.sources import SessionFolders
from bench.judges.contract import Cost, Item, Limits, Part, Question, Verdict
from bench.projection.presets import PRESETS
from bench.running.gate import Purse
from bench.running.outcome import Means, Outcome
from bench.running.plan import SeatedJudge, expected
from bench.running.run import run_judge
from bench.running.store import RunFile
from bench.running.views import Views
from bench.schema.suite import JudgeEntry

Script = Callable[[int, Item, Sequence[Question]], Sequence[Verdict]]


@dataclass
class Scripted:
    """``script`` gets the number of the call (from 1), the item and the questions."""

    script: Script
    limits: Limits = field(default_factory=lambda: Limits("test"))
    usd: float | None = 0.01
    name: str = "scripted"
    receives: frozenset[Part] = frozenset({"projection"})
    calls: int = 0
    flying: int = 0
    most_flying: int = 0
    began: list[float] = field(default_factory=list)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def fingerprint(self) -> Mapping[str, JsonValue]:
        return {"scripted": 1}

    def judge(self, item: Item, questions: Sequence[Question], sample: int) -> Sequence[Verdict]:
        with self.lock:
            self.calls += 1
            number = self.calls
            self.flying += 1
            self.most_flying = max(self.most_flying, self.flying)
            self.began.append(time.monotonic())
        try:
            return self.script(number, item, questions)
        finally:
            with self.lock:
                self.flying -= 1

    def estimate(self, item: Item, questions: Sequence[Question]) -> Cost:
        return Cost(100, 10, self.usd)


def yes(questions: Sequence[Question], **more: object) -> list[Verdict]:
    """Yes to everything."""
    return [replace(Verdict("yes"), **more) for _ in questions]  # type: ignore[arg-type]


def run_scripted(
    root: Path, judge: Scripted, *, attempts: int = 1, cases: int = 1, samples: int = 1, means: Means | None = None
) -> Outcome:
    """Run a scripted judge over a suite of ``cases`` cases with two statements each."""
    entry = {"judge": "always-yes", "answers": ["polite", "solved"]}
    layout = write(root, suite_tree([entry]), [case_tree(f"S{n:03d}", attempts) for n in range(1, cases + 1)])
    suite = load_suite(layout)
    seated = SeatedJudge(
        JudgeEntry(judge="scripted", answers=("polite", "solved"), samples=samples),
        judge,
        PRESETS["events"],
        "scripted-1",
    )
    views = Views(root / "views.jsonl", SessionFolders([]))
    file = RunFile(root / "runs", seated.id)
    return run_judge(seated, list(expected(suite, seated, views)), file, views, means or Means())


def purse(usd: float) -> Means:
    """Means with so much money."""
    return Means(purse=Purse(usd))
