"""The main job, in one line: load -> project -> judge -> store -> pair with labels -> measure -> verify. Telling comes after."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from pathlib import Path

from bench.audits.audits import Material, audit_checks
from bench.audits.lint import lint
from bench.cases.layout import Layout
from bench.cases.load import LoadedSuite, read_suite
from bench.cases.sources import SessionFolders
from bench.labels.load import Labels, read_labels
from bench.measure.figures import REPORTED_SPLITS, Figures, measure
from bench.measure.rows import Row, pair
from bench.measure.signature import Signature, sign
from bench.problems import BrokenInput, Problem
from bench.running.plan import expected, seat
from bench.running.run import Outcome, run_judge
from bench.running.store import RunFile
from bench.running.views import FILE as VIEW_INDEX
from bench.running.views import Views
from bench.verify import checks
from bench.verify.baseline import figures_are_as_accepted, flatten, read_baseline
from bench.verify.checks import Check

LIVE_SECONDS = 120.0
SESSION_VARIABLE = "BENCH_SESSIONS"


@dataclass(frozen=True)
class Selection:
    """Which part of the suite is meant; empty means all."""

    cases: tuple[str, ...] = ()
    strata: tuple[str, ...] = ()
    judges: tuple[str, ...] = ()

    @property
    def is_everything(self) -> bool:
        return not (self.cases or self.strata or self.judges)


@dataclass(frozen=True)
class Benchmark:
    """Everything that was found out about one suite."""

    suite: LoadedSuite
    labels: Labels
    judged: Sequence[tuple[Outcome, Sequence[Row]]]
    figures: Figures
    signature: Signature
    checks: tuple[Check, ...]

    @property
    def exit_code(self) -> int:
        return checks.exit_code(self.checks)

    @property
    def sentence(self) -> str:
        return checks.sentence(self.suite, self.checks, len(self.judged))


@dataclass(frozen=True)
class Telling:
    """How a long step reports that it moves: ``start(name, total)`` gives a function that takes finished items."""

    start: Callable[[str, int], Callable[[int], None]] = field(default=lambda name, total: lambda count: None)


def session_folders(layout: Layout, given: Sequence[Path]) -> SessionFolders:
    """The local folders of recorded sessions: those given, those in BENCH_SESSIONS, and the project's .sessions/."""
    named = [Path(p) for p in os.environ.get(SESSION_VARIABLE, "").split(os.pathsep) if p]
    own = [layout.root / ".sessions"] if (layout.root / ".sessions").is_dir() else []
    for folder in given:
        if not folder.is_dir():
            fix = "name a folder that holds recorded sessions"
            raise BrokenInput([Problem(str(folder), None, None, "--sessions", "no such folder", fix)])
    return SessionFolders([*given, *named, *own])


def views_of(layout: Layout, folders: SessionFolders) -> Views:
    """The projections of a suite's attempts."""
    return Views(layout.runs / VIEW_INDEX, folders)


def select(suite: LoadedSuite, selection: Selection) -> LoadedSuite:
    """The suite with only the selected cases and judges (names may be globs)."""
    cases = [
        loaded
        for loaded in suite.cases
        if _is_in(loaded.case.id, selection.cases) and _is_in(loaded.case.stratum, selection.strata)
    ]
    judges = tuple(entry for entry in suite.suite.judges if _is_in(entry.judge, selection.judges))
    return replace(suite, cases=tuple(cases), suite=suite.suite.model_copy(update={"judges": judges}))


def _is_in(name: str, wanted: tuple[str, ...]) -> bool:
    return not wanted or any(fnmatchcase(name, pattern) for pattern in wanted)


def judge_suite(
    suite: LoadedSuite,
    views: Views,
    *,
    live_seconds: float | None,
    redo_unscored: bool = False,
    telling: Telling | None = None,
) -> list[Outcome]:
    """Replay what is stored; ask what is missing until ``live_seconds`` are over (None: until all is done)."""
    deadline = None if live_seconds is None else time.monotonic() + live_seconds
    outcomes = []
    seated = [seat(suite, entry) for entry in suite.suite.judges]
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

        outcomes.append(run_judge(judge, items, file, views, deadline=deadline, redo_unscored=redo_unscored, tick=step))
        tick(before - done)
        views.save()
    views.save()
    return outcomes


def examine(
    layout: Layout,
    folders: SessionFolders,
    *,
    selection: Selection = Selection(),
    live_seconds: float | None = LIVE_SECONDS,
    redo_unscored: bool = False,
    telling: Telling | None = None,
) -> Benchmark:
    """The whole line for one suite. Raises BrokenInput with every problem of its files."""
    suite, labels = load(layout)
    views = views_of(layout, folders)
    findings = lint(suite, labels, views)
    chosen = select(suite, selection)
    outcomes = judge_suite(chosen, views, live_seconds=live_seconds, redo_unscored=redo_unscored, telling=telling)
    judged = [(outcome, pair(chosen, outcome, labels)) for outcome in outcomes]
    signature = sign(chosen, labels, _splits(chosen))
    figures = measure(chosen, judged, labels, signature)
    found = [
        checks.data_is_clean(findings),
        checks.there_is_something_to_measure(figures, judged),
        *checks.labels_are_whole(chosen, figures),
        checks.runs_are_complete(judged),
        checks.books_are_balanced(dict(figures.books)),
        checks.coverage_holds(judged, dict(figures.books)),
        *(audit_checks(Material(chosen, labels, judged, views)) if selection.is_everything else ()),
        figures_are_as_accepted(
            read_baseline(layout.reports / "baseline.json", suite.suite.id),
            flatten(figures),
            not selection.is_everything,
        ),
    ]
    return Benchmark(chosen, labels, judged, figures, signature, tuple(found))


def load(layout: Layout) -> tuple[LoadedSuite, Labels]:
    """Suite and labels; the problems of both sides are told together."""
    reading = read_suite(layout)
    if reading.suite is None:
        raise BrokenInput(reading.problems)
    labels, problems = read_labels(reading.suite, reading.broken)
    if reading.problems or problems:
        raise BrokenInput((*reading.problems, *problems))
    return reading.suite, labels


def _splits(suite: LoadedSuite) -> tuple[str, ...]:
    return tuple(s for s in REPORTED_SPLITS if (s == "all") == (suite.splits is None))
