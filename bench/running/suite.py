"""Judge a whole suite: replay what is stored, ask what is missing."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from bench.cases.load import LoadedSuite
from bench.judges.contract import Cost
from bench.problems import BrokenInput, Problem
from bench.running.gate import Purse
from bench.running.outcome import Means, Outcome
from bench.running.plan import SeatedJudge, expected, seat
from bench.running.run import expected_cost, run_judge
from bench.running.store import RunFile
from bench.running.views import Views

LIVE_SECONDS = 120.0


@dataclass(frozen=True)
class Telling:
    """How a long step reports that it moves: ``start(name, total)`` gives a function that takes finished items."""

    start: Callable[[str, int], Callable[[int], None]] = field(default=lambda name, total: lambda count: None)


def judge_suite(
    suite: LoadedSuite,
    views: Views,
    *,
    live_seconds: float | None,
    redo_unscored: bool = False,
    budget_usd: float | None = None,
    telling: Telling | None = None,
) -> list[Outcome]:
    """Replay what is stored; ask what is missing until ``live_seconds`` are over (None: until all is done), or
    ``budget_usd`` is spent."""
    deadline = None if live_seconds is None else time.monotonic() + live_seconds
    means = Means(deadline, redo_unscored, Purse(budget_usd))
    outcomes = []
    seated = _seated(suite)
    owed = [list(expected(suite, judge, views)) for judge in seated]
    tick = (telling or Telling()).start("judging", sum(map(len, owed)))
    for judge, items in zip(seated, owed, strict=True):
        file = RunFile(suite.layout.runs, judge.id)
        before = len(items)
        done = 0

        def step(count: int) -> None:
            nonlocal done
            done += count
            tick(count)

        outcomes.append(run_judge(judge, items, file, views, means, step))
        tick(before - done)
        views.save()
    views.save()
    _count_stale(outcomes)
    return outcomes


def foresee(suite: LoadedSuite, views: Views) -> list[tuple[SeatedJudge, int, Cost]]:
    """For each judge that calls a model: how many calls are due, and what they are expected to take."""
    found = []
    told: set[tuple[str, str, int]] = set()  # of seats that share a judge, and so its verdicts
    for judge in _seated(suite):
        file = RunFile(suite.layout.runs, judge.id)
        owed = [e for e in expected(suite, judge, views) if e.item is None or (judge.id, e.item, e.sample) not in told]
        told.update((judge.id, e.item, e.sample) for e in owed if e.item is not None)
        seen = expected_cost(judge, owed, file, views)
        if seen is not None:
            found.append((judge, *seen))
    views.save()
    return found


def _seated(suite: LoadedSuite) -> list[SeatedJudge]:
    """The suite's judges. Two entries may seat one judge, each for statements of its own; a cell of an experiment may be
    a judge that is seated elsewhere too, and then shares its stored verdicts."""
    seated = [seat(suite, entry) for entry in suite.suite.judges]
    first: set[tuple[str, str, str | None]] = set()
    problems = []
    for judge in seated:
        for statement in judge.entry.answers:
            place = (judge.id, statement, judge.entry.experiment)
            if place in first:
                found, fix = f"the judge {judge.entry.judge} answers {statement} twice", "let one entry answer it"
                problems.append(Problem(suite.document.file, None, None, "judges", found, fix))
            first.add(place)
    if problems:
        raise BrokenInput(problems)
    return seated


def _count_stale(outcomes: Sequence[Outcome]) -> None:
    """Stored rows that nothing presently expects, told by the first entry of each judge."""
    keys: dict[str, set[tuple[str | None, int]]] = {}
    for outcome in outcomes:
        keys.setdefault(outcome.judge.id, set()).update((e.item, e.sample) for e in outcome.expected)
    for outcome in outcomes:
        owed = keys.pop(outcome.judge.id, None)
        outcome.stale = 0 if owed is None else sum(key not in owed for key in outcome.rows)
