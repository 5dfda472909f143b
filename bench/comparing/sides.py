"""What BASE and HEAD are: two runs on the present items, or two versions with their own cases, labels and runs."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Literal

from bench.benchmark import Replayed, replayed_rows
from bench.cases.layout import Layout, find_suite
from bench.cases.load import LoadedSuite
from bench.cases.sources import SessionFolders
from bench.comparing.replay import replay_file, replay_seats, seats_of, with_older_runs
from bench.exchange.revision import RUNS, names_version, open_side
from bench.measure.items import JudgedRows
from bench.problems import BrokenInput, CannotDecide, Problem
from bench.running.outcome import Outcome
from bench.running.views import Views

Kind = Literal["runs", "versions"]
Folders = Callable[[Layout], SessionFolders]


@dataclass(frozen=True)
class Sides:
    """Both sides with all their rows; of runs, ``base`` and ``head`` share one suite."""

    kind: Kind
    words: tuple[str, str]
    base: Replayed
    head: Replayed


def kind_of(base: str, head: str) -> Kind:
    """Runs or versions; one of each is refused. A path that ends in .jsonl is a run, whatever git says of it."""
    versions = [not word.endswith(".jsonl") and names_version(word) for word in (base, head)]
    if versions[0] == versions[1]:
        return "versions" if versions[0] else "runs"
    kinds = ["a version" if version else "a run" for version in versions]
    fix = "give two judges or run files, or two folders or git revisions (REV: where a judge has its name)"
    raise BrokenInput([Problem(head, None, None, "HEAD", f"BASE is {kinds[0]} and HEAD is {kinds[1]}", fix)])


def open_sides(base: str, head: str, suite: str | None, folders: Folders) -> Sides:
    """Read both sides. Raises BrokenInput with the problems of both."""
    if kind_of(base, head) == "runs":
        return _runs(base, head, find_suite(suite), folders)
    with _opened((base, head), suite) as layouts:
        return _versions((base, head), layouts, folders)


# --- two runs ---


def _runs(base: str, head: str, layout: Layout, folders: Folders) -> Sides:
    ends: list[int] = []

    def outcomes(suite: LoadedSuite, views: Views) -> list[Outcome]:
        found = [_named(word, suite, views) for word in (base, head)]
        ends.append(len(found[0]))
        return [*found[0], *found[1]]

    both = replayed_rows(layout, folders(layout), outcomes)
    first, second = both.judged[: ends[0]], both.judged[ends[0] :]
    return Sides("runs", (base, head), replace(both, judged=first), replace(both, judged=second))


def _named(word: str, suite: LoadedSuite, views: Views) -> list[Outcome]:
    """The seats that a word means: by file, by judge_id, or by name as the headline tables show it."""
    if word.endswith(".jsonl"):
        return [replay_file(suite, Path(word), views)]
    seats = seats_of(suite)
    headline = [seated for seated in seats if seated.entry.experiment is None]
    found = [seated for seated in seats if seated.id == word]
    found = found or [seated for seated in headline if seated.judge.name == word]
    if not found:
        names = ", ".join(dict.fromkeys(seated.judge.name for seated in headline))
        fix = f"use a run file, a judge_id, a folder, a git revision, or one of {names or 'no judges: none is seated'}"
        raise BrokenInput([Problem(word, None, None, None, "neither a version nor a judge of the suite", fix)])
    return replay_seats(suite, found, views)


# --- two versions ---


@contextmanager
def _opened(words: Sequence[str], suite: str | None) -> Iterator[list[Layout]]:
    with tempfile.TemporaryDirectory(prefix="bench-compare-") as work:
        layouts: list[Layout] = []
        problems: list[Problem] = []
        for name, word in zip(("base", "head"), words, strict=True):
            try:
                layouts.append(open_side(word, suite, Path(work) / name, (RUNS,)))
            except BrokenInput as error:
                problems += error.problems
        if problems:
            raise BrokenInput(problems)
        yield layouts


def _versions(words: tuple[str, str], layouts: Sequence[Layout], folders: Folders) -> Sides:
    replays = (_replayed_base, _replayed_headline)
    found: list[Replayed] = []
    problems: list[Problem] = []
    for word, layout, replay in zip(words, layouts, replays, strict=True):
        try:
            found.append(replayed_rows(layout, folders(layout), replay))
        except BrokenInput as error:  # files of both sides have the same names: say whose they are
            problems += [replace(p, file=f"{word.rstrip(':')}: {p.file}") for p in error.problems]
    if problems:
        raise BrokenInput(problems)
    ids = [side.suite.suite.id for side in found]
    if ids[0] != ids[1]:
        told = f"two suites: {ids[0]} and {ids[1]}"
        raise BrokenInput([Problem(words[1], None, None, "id", told, "compare two versions of one suite")])
    return Sides("versions", words, found[0], found[1])


def _replayed_headline(suite: LoadedSuite, views: Views) -> list[Outcome]:
    return replay_seats(suite, [seated for seated in seats_of(suite) if seated.entry.experiment is None], views)


def _replayed_base(suite: LoadedSuite, views: Views) -> list[Outcome]:
    return with_older_runs(suite, _replayed_headline(suite, views))


# --- which judge goes with which ---


@dataclass(frozen=True)
class Paired:
    """The judges that are compared, and those of one side only."""

    pairs: tuple[tuple[int, int], ...]  # places in base.judged, head.judged
    only_base: tuple[str, ...]
    only_head: tuple[str, ...]


def pair_judges(sides: Sides, statement: str, judges: Sequence[str]) -> Paired:
    """Seats that answer the statement. Two runs are one pair; of versions, seats of one name go together."""
    before, after = (_answering(side.judged, statement) for side in (sides.base, sides.head))
    if sides.kind == "runs":
        for word, found in zip(sides.words, (before, after), strict=True):
            if len(found) != 1:
                raise _not_one(word, statement, found)
        return Paired(((_only(before), _only(after)),), (), ())
    before, after = (_wanted(side, judges) for side in (before, after))
    names = list(dict.fromkeys(o.judge.judge.name for o in (*before.values(), *after.values())))
    pairs: list[tuple[int, int]] = []
    alone: tuple[list[str], list[str]] = ([], [])
    for name in names:
        mine = [{place: o for place, o in side.items() if o.judge.judge.name == name} for side in (before, after)]
        pairs += _of_one_name(*mine)
        for side, found, told in zip((0, 1), mine, alone, strict=True):
            told += [o.judge.id for place, o in found.items() if place not in [pair[side] for pair in pairs]]
    if not pairs:
        wanted = f" that is called {' or '.join(judges)}" if judges else ""
        raise CannotDecide(f"no judge{wanted} answers {statement} in both {sides.words[0]} and {sides.words[1]}")
    return Paired(tuple(sorted(pairs, key=lambda pair: pair[1])), tuple(alone[0]), tuple(alone[1]))


def _answering(judged: JudgedRows, statement: str) -> dict[int, Outcome]:
    return {place: o for place, (o, _) in enumerate(judged) if statement in o.judge.entry.answers}


def _wanted(found: dict[int, Outcome], judges: Sequence[str]) -> dict[int, Outcome]:
    return {
        place: o
        for place, o in found.items()
        if not judges or any(fnmatchcase(o.judge.judge.name, pattern) for pattern in judges)
    }


def _of_one_name(base: dict[int, Outcome], head: dict[int, Outcome]) -> list[tuple[int, int]]:
    """One each go together; of several, those of one judge_id, then those of one preset."""
    if len(base) == 1 == len(head):
        return [(_only(base), _only(head))]
    pairs: list[tuple[int, int]] = []
    alike: tuple[Callable[[Outcome], str], ...] = (lambda o: o.judge.id, lambda o: o.judge.preset.label)
    for same in alike:
        for one, first in base.items():
            twins = [two for two, second in head.items() if same(second) == same(first)]
            free = [two for two in twins if two not in [p[1] for p in pairs]]
            if one not in [p[0] for p in pairs] and len(free) == 1:
                pairs.append((one, free[0]))
    return pairs


def _only(found: dict[int, Outcome]) -> int:
    return next(iter(found))


def _not_one(word: str, statement: str, found: dict[int, Outcome]) -> BrokenInput:
    if not found:
        told, fix = f"does not answer {statement}", "choose another --statement, or another judge"
    else:
        ids = ", ".join(o.judge.id for o in found.values())
        told, fix = f"several seats answer {statement}: {ids}", "name one by its judge_id"
    return BrokenInput([Problem(word, None, None, None, told, fix)])
