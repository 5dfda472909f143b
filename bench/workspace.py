"""What a command works on: the suite and its labels, the part that is meant, the sessions at hand."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from pathlib import Path

from bench.cases.layout import Layout
from bench.cases.load import LoadedSuite, read_suite
from bench.cases.sources import SessionFolders
from bench.labels.load import Labels, read_labels
from bench.problems import BrokenInput, CannotDecide, Problem
from bench.running.views import FILE as VIEW_INDEX
from bench.running.views import Views
from bench.schema.statement import YesNo
from bench.schema.suite import Stratum

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


EVERYTHING = Selection()


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
    """The suite with only the selected cases and judges (names may be globs). One that matches nothing beside
    others that do would be passed over in silence: CannotDecide."""
    _each_matches("--case", selection.cases, [loaded.case.id for loaded in suite.cases])
    _each_matches("--stratum", selection.strata, [stratum.id for stratum in suite.suite.strata])
    _each_matches("--judge", selection.judges, [entry.judge for entry in suite.suite.judges])
    cases = [
        loaded
        for loaded in suite.cases
        if _is_in(loaded.case.id, selection.cases) and _is_in(loaded.case.stratum, selection.strata)
    ]
    judges = tuple(entry for entry in suite.suite.judges if _is_in(entry.judge, selection.judges))
    return replace(suite, cases=tuple(cases), suite=suite.suite.model_copy(update={"judges": judges}))


def _is_in(name: str, wanted: tuple[str, ...]) -> bool:
    return not wanted or any(fnmatchcase(name, pattern) for pattern in wanted)


def _each_matches(flag: str, wanted: tuple[str, ...], known: Sequence[str]) -> None:
    idle = [pattern for pattern in wanted if not any(fnmatchcase(name, pattern) for name in known)]
    if idle and len(idle) < len(wanted):  # where nothing matches, the report says that the selection is empty
        raise CannotDecide(f"{flag} {idle[0]} matches nothing; leave it out or mend it")


def stratum_of(suite: LoadedSuite, named: str | None) -> Stratum:
    """The stratum of that name, or the only primary one, or the only one: strata are never pooled. Raises BrokenInput."""
    strata = suite.suite.strata
    if named is None and len(strata) == 1:
        return strata[0]
    found = [one for one in strata if (one.primary if named is None else one.id == named)]
    if len(found) == 1:
        return found[0]
    told = f"no stratum {named!r}" if named is not None else f"{len(found) or 'no'} primary strata, and none is named"
    fix = f"use one of {', '.join(one.id for one in strata)}"
    raise BrokenInput([Problem("command line", None, None, "--stratum", told, fix)])


def statement_of(suite: LoadedSuite, named: str | None) -> YesNo:
    """The yes / no statement of that id; by default the first critical one, else the first. Raises BrokenInput."""
    known = [one for one in suite.suite.statements if isinstance(one, YesNo)]
    found = [one for one in known if (one.critical if named is None else one.id == named)]
    if not found and named is None:
        found = known
    if found:
        return found[0]
    fix = f"use one of {', '.join(one.id for one in known)}" if known else "the suite asks none"
    told = "no yes / no statement" if named is None else f"no yes / no statement {named!r}"
    raise BrokenInput([Problem("command line", None, None, "--statement", told, fix)])


def load(layout: Layout) -> tuple[LoadedSuite, Labels]:
    """Suite and labels; the problems of both sides are told together."""
    reading = read_suite(layout)
    if reading.suite is None:
        raise BrokenInput(reading.problems)
    labels, problems = read_labels(reading.suite, reading.broken)
    if reading.problems or problems:
        raise BrokenInput((*reading.problems, *problems))
    return reading.suite, labels
