"""Load a suite: its statements, cases and splits, checked against each other. Every problem at once, then one failure."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from bench.cases.layout import Layout
from bench.problems import BrokenInput, Problem
from bench.reading.strict_yaml import Document, Place, read_yaml
from bench.reading.validate import Model, validate
from bench.schema.case import Attempt, Case
from bench.schema.statement import Choice, Score, YesNo
from bench.schema.suite import Splits, Suite

AnyStatement = YesNo | Score | Choice
_Say = Callable[[Place, str, str], Problem]
SUITE_FILES = ("suite.yaml", "splits.yaml", "probes.yaml")
NO_SPLIT = "has no split"


@dataclass(frozen=True)
class LoadedCase:
    """A case, the file it came from, and the statements that are asked of it."""

    case: Case
    document: Document
    path: Path
    statements: tuple[AnyStatement, ...]

    def line(self, *place: str | int) -> int | None:
        return self.document.line_of(place)

    def problem(self, place: Place, field: str, found: str, fix: str) -> Problem:
        return Problem(self.document.file, self.document.line_of(place), self.case.id, field, found, fix)


@dataclass(frozen=True)
class LoadedSuite:
    """Everything on the left-hand side: what judges may be shown, and how it is split."""

    layout: Layout
    suite: Suite
    document: Document
    cases: tuple[LoadedCase, ...]  # by id
    splits: Splits | None

    def attempts(self) -> Iterator[tuple[LoadedCase, Attempt]]:
        for loaded in self.cases:
            for attempt in loaded.case.attempts:
                yield loaded, attempt


@dataclass(frozen=True)
class Reading:
    """A suite as far as it could be read, with every problem. ``broken`` are the ids (file names) of unreadable cases."""

    suite: LoadedSuite | None
    problems: tuple[Problem, ...]
    broken: frozenset[str]


def load_suite(layout: Layout, *, splits_may_lag: bool = False) -> LoadedSuite:
    """The whole suite. Raises BrokenInput with every problem of every file; families without a split may be let pass."""
    reading = read_suite(layout)
    problems = [p for p in reading.problems if not (splits_may_lag and p.found.endswith(NO_SPLIT))]
    if reading.suite is None or problems:
        raise BrokenInput(problems or reading.problems)
    return reading.suite


def read_suite(layout: Layout) -> Reading:
    """Read what can be read, and collect every problem."""
    problems: list[Problem] = []
    document = read_yaml(layout.suite / "suite.yaml", layout.shown(layout.suite / "suite.yaml"))
    suite = _checked(document, Suite, problems)
    if suite is None or isinstance(document, list):
        return Reading(None, tuple(problems), frozenset())
    cases: list[LoadedCase] = []
    broken = set()
    for path in _case_files(layout):
        loaded = _load_case(layout, suite, path, problems)
        if loaded is None:
            broken.add(path.stem)
        else:
            cases.append(loaded)
    cases.sort(key=lambda loaded: (loaded.case.id, loaded.document.file))
    problems.extend(_double_ids(cases))
    splits = _load_splits(layout, cases, problems, every_case_known=not broken)
    return Reading(LoadedSuite(layout, suite, document, tuple(cases), splits), tuple(problems), frozenset(broken))


def _case_files(layout: Layout) -> list[Path]:
    files = (p for p in layout.suite.rglob("*") if p.suffix in (".yaml", ".yml") and not p.name.endswith(".rule.yaml"))
    return sorted(p for p in files if p.name not in SUITE_FILES and p.is_file())


def _checked(
    document: Document | list[Problem], model: type[Model], problems: list[Problem], case: str | None = None
) -> Model | None:
    if isinstance(document, list):
        problems.extend(document)
        return None
    record = validate(document, model, case)
    if isinstance(record, list):
        problems.extend(record)
        return None
    return record


def _load_case(layout: Layout, suite: Suite, path: Path, problems: list[Problem]) -> LoadedCase | None:
    document = read_yaml(path, layout.shown(path))
    case = _checked(document, Case, problems, path.stem)
    if case is None or isinstance(document, list):
        return None
    found = list(_against_suite(case, suite, document, path))
    problems.extend(found)
    return None if found else LoadedCase(case, document, path, _statements(case, suite))


def _statements(case: Case, suite: Suite) -> tuple[AnyStatement, ...]:
    known = {statement.id: statement for statement in suite.statements}
    return tuple(known[s] if isinstance(s, str) else s for s in case.judgment.statements)


def _against_suite(case: Case, suite: Suite, document: Document, path: Path) -> Iterator[Problem]:
    def problem(place: Place, found: str, fix: str) -> Problem:
        field = ".".join(str(step) for step in place)
        return Problem(document.file, document.line_of(place), case.id, field, found, fix)

    if case.id != path.stem:
        yield problem(("id",), f"the id {case.id!r} in a file named {path.name}", "give both the same name")
    if not re.fullmatch(suite.id_pattern, case.id):
        yield problem(("id",), repr(case.id), f"ids of this suite look like {suite.id_pattern} (bench new picks one)")
    strata = [stratum.id for stratum in suite.strata]
    if case.stratum not in strata:
        yield problem(("stratum",), repr(case.stratum), f"use one of {', '.join(strata)}")
    yield from _statement_problems(case, suite, problem)
    yield from _vocabulary_problems(case, suite, problem)


def _statement_problems(case: Case, suite: Suite, problem: _Say) -> Iterator[Problem]:
    known = [statement.id for statement in suite.statements]
    seen: set[str] = set()
    for index, named in enumerate(case.judgment.statements):
        place: Place = ("judgment", "statements", index)
        statement_id = named if isinstance(named, str) else named.id
        if isinstance(named, str) and named not in known:
            yield problem(place, repr(named), f"use one of {', '.join(known)}, or write the statement out here")
        elif not isinstance(named, str) and named.id in known:
            yield problem(place, f"a statement with the suite's id {named.id!r}", "name it, or give yours another id")
        if statement_id in seen:
            yield problem(place, f"{statement_id!r} for the second time", "ask each statement once")
        seen.add(statement_id)


def _vocabulary_problems(case: Case, suite: Suite, problem: _Say) -> Iterator[Problem]:
    words = suite.vocabulary
    used: list[tuple[Place, str, dict[str, str]]] = [
        (("metadata", "source"), case.metadata.source, words.source),
        (("metadata", "capability"), case.metadata.capability, words.capability),
        (("metadata", "difficulty"), case.metadata.difficulty, words.difficulty),
        (("metadata", "language"), case.metadata.language, words.language),
    ]
    used += [(("metadata", "tags", i), tag, words.tags) for i, tag in enumerate(case.metadata.tags)]
    used += [(("attempts", i, "harness"), a.harness, words.harness) for i, a in enumerate(case.attempts)]
    for place, value, known in used:
        if value not in known:
            yield problem(place, repr(value), f"use one of {', '.join(known)}, or explain the new word in suite.yaml")


def _double_ids(cases: Iterable[LoadedCase]) -> Iterator[Problem]:
    first: dict[str, LoadedCase] = {}
    for loaded in cases:
        key = loaded.case.id.lower()
        if key in first:
            found = f"the id {loaded.case.id!r}, which {first[key].document.file} has already"
            yield loaded.problem(
                ("id",), "id", found, "ids are unique without regard to case: bench new picks a free one"
            )
        first.setdefault(key, loaded)


def _load_splits(
    layout: Layout, cases: list[LoadedCase], problems: list[Problem], *, every_case_known: bool
) -> Splits | None:
    path = layout.suite / "splits.yaml"
    if not path.exists():
        return None
    document = read_yaml(path, layout.shown(path))
    splits = _checked(document, Splits, problems)
    if splits is None or isinstance(document, list):
        return None
    families = {loaded.case.family: loaded for loaded in cases}
    for family in sorted(set(splits.families) - set(families)) if every_case_known else ():
        line = document.line_of(("families", family))
        fix = "remove the line, or name a family that a case has"
        problems.append(Problem(document.file, line, None, f"families.{family}", "a family that no case has", fix))
    for family in sorted(set(families) - set(splits.families)):
        loaded = families[family]
        fix = f"bench split gives it one, in {document.file}"
        problems.append(loaded.problem(("family",), "family", f"the family {family!r} {NO_SPLIT}", fix))
    return splits
