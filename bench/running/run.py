"""Run a judge: what is expected and not stored is asked, and stored at once."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import groupby

from bench.judges.contract import Item, Judge, Part, Question, Verdict, question_of
from bench.problems import shorten
from bench.projection.view import Projection
from bench.running.plan import Expected, SeatedJudge
from bench.running.store import Manifest, RunFile, StoredVerdict, stored, told
from bench.running.views import Views
from bench.schema.case import Case

Tick = Callable[[int], None]


@dataclass
class Outcome:
    """What became of one judge's run."""

    judge: SeatedJudge
    expected: list[Expected]
    rows: dict[tuple[str, int], StoredVerdict]
    asked: int = 0
    without_text: int = 0  # owed, but the session is not at hand
    out_of_time: int = 0  # owed, but the time for live judging was over
    stale: int = 0  # stored rows that nothing presently expects

    def row(self, expected: Expected) -> StoredVerdict | None:
        return None if expected.item is None else self.rows.get((expected.item, expected.sample))

    @property
    def missing(self) -> list[Expected]:
        return [e for e in self.expected if self.row(e) is None]


def run_judge(
    seated: SeatedJudge,
    owed: Sequence[Expected],
    file: RunFile,
    views: Views,
    *,
    deadline: float | None,
    redo_unscored: bool = False,
    tick: Tick = lambda _: None,
) -> Outcome:
    """Ask what is owed and not stored, until ``deadline`` (a time.monotonic() moment; None: no limit)."""
    rows = file.rows()
    outcome = Outcome(seated, list(owed), rows)
    due = [e for e in owed if _is_due(e, rows, redo_unscored)]
    answered: set[tuple[str | None, int]] = set()
    for _, group in groupby(due, key=lambda e: (e.loaded.case.id, e.attempt.id, e.sample)):
        batch = list(group)
        if deadline is not None and time.monotonic() >= deadline:
            outcome.out_of_time += len(batch)
        else:
            # Items with the same content share a key: one answer serves them all, and another writer may have it by now.
            fresh = [e for e in batch if (e.item, e.sample) not in answered and _is_due(e, outcome.rows, redo_unscored)]
            answered |= {(e.item, e.sample) for e in fresh if e.item is not None}
            if fresh:
                _ask(seated, fresh, file, views, outcome)
        tick(len(batch))
    return outcome


def _is_due(e: Expected, rows: dict[tuple[str, int], StoredVerdict], redo_unscored: bool) -> bool:
    if e.item is None:
        return True
    row = rows.get((e.item, e.sample))
    return row is None or (redo_unscored and row.answer is None)


def _ask(seated: SeatedJudge, batch: list[Expected], file: RunFile, views: Views, outcome: Outcome) -> None:
    loaded, attempt = batch[0].loaded, batch[0].attempt
    needs_view = "projection" in seated.judge.receives
    projection = views.make(loaded, attempt, seated.preset) if needs_view else None
    if needs_view and projection is None:
        outcome.without_text += len(batch)
        return
    asked = list({e.item: e for e in reversed(batch)}.values())[::-1]
    item = item_for(seated.judge.receives, loaded.case, projection)
    start = time.perf_counter()
    questions = [question_of(e.statement) for e in asked]
    verdicts = ask_questions(seated.judge, item, questions, batch[0].sample)
    latency = round((time.perf_counter() - start) * 1000 / len(asked), 3)
    file.write_manifest(Manifest(seated.id, seated.judge.name, seated.preset.label, dict(seated.judge.fingerprint())))
    outcome.asked += file.append([_line(verdict, e, latency) for e, verdict in zip(asked, verdicts, strict=True)])
    outcome.rows = file.rows()


def _line(verdict: Verdict, e: Expected, latency: float) -> StoredVerdict:
    """The verdict as a row; one that holds what no row can is an error of its judge."""
    at = datetime.now(UTC).isoformat(timespec="seconds")
    try:
        return stored(verdict, e.item or "", e.sample, latency_ms=latency, at=at, asked_for=e.name)
    except ValueError as error:
        broken = Verdict(unscored="error", detail=f"a verdict that cannot be stored: {told(error)}")
        return stored(broken, e.item or "", e.sample, latency_ms=latency, at=at, asked_for=e.name)


def ask_questions(judge: Judge, item: Item, questions: Sequence[Question], sample: int) -> Sequence[Verdict]:
    """The judge's verdicts; whatever goes wrong inside it is the outcome of these items alone."""
    try:
        verdicts = list(judge.judge(item, questions, sample))
    except (Exception, SystemExit) as error:  # the border to judges: a fault of one is a reason, never the run's end
        return [Verdict(unscored="error", detail=f"{type(error).__name__}: {shorten(str(error), 200)}")] * len(
            questions
        )
    if len(verdicts) != len(questions):
        missing = Verdict(unscored="missing_answer", detail=f"{len(verdicts)} verdicts for {len(questions)} questions")
        return [missing] * len(questions)
    return [_valid(v, q.answers) for v, q in zip(verdicts, questions, strict=True)]


def _valid(verdict: Verdict, answers: tuple[str, ...]) -> Verdict:
    if verdict.answer is not None and verdict.answer not in answers:
        return Verdict(
            unscored="out_of_range", detail=f"{shorten(verdict.answer, 40)!r} is none of {', '.join(answers)}"
        )
    if isinstance(verdict.p, int | float) and not 0 <= verdict.p <= 1:
        return Verdict(unscored="out_of_range", detail=f"P(yes) = {verdict.p}")
    if isinstance(verdict.score, int | float) and not math.isfinite(verdict.score):
        return Verdict(unscored="out_of_range", detail=f"score = {verdict.score}")
    return verdict


def item_for(receives: frozenset[Part], case: Case, projection: Projection | None) -> Item:
    """What the judge gets: the parts that it declares, nothing else."""
    world = case.world_state
    return Item(
        projection=projection,
        anchors=case.trajectory_anchors if "anchors" in receives else None,
        facts=world.facts if "facts" in receives else None,
        reference_time=world.reference_time if "reference_time" in receives else None,
    )
