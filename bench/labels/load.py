"""Read votes and adjudications, check them against the suite, and derive labels by the written rule."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from bench.cases.load import AnyStatement, LoadedCase, LoadedSuite
from bench.labels.checks import CHECKS, read_drawn
from bench.labels.guide import present_guide
from bench.labels.say import Say
from bench.problems import BrokenInput, Problem, shorten
from bench.reading.strict_yaml import Place, read_yaml
from bench.reading.validate import validate
from bench.schema.statement import answers_of
from bench.schema.vote import AdjudicationFile, Ruling, Vote, VoteFile

UNCLEAR = "unclear"
PILOT = "pilot"
ItemName = tuple[str, str, str]  # case, attempt, statement
Status = Literal["labelled", "unclear", "unlabelled"]


@dataclass(frozen=True)
class CastVote:
    """A vote and who cast it."""

    annotator: str
    made_by: str
    lineage: str | None
    guide: str
    vote: Vote
    file: str
    line: int | None


@dataclass(frozen=True)
class Label:
    """The truth about an item, or why there is none."""

    status: Status
    answer: str | None
    how: Literal["unanimous", "single_vote", "adjudicated", "no_votes", "votes_differ"]


@dataclass(frozen=True)
class Labels:
    """All votes and rulings of a suite."""

    votes: dict[ItemName, tuple[CastVote, ...]]  # by annotator; what labels follow from
    checks: dict[ItemName, tuple[CastVote, ...]]  # third votes: no label follows from them
    drawn: tuple[str, ...] | None  # the cases drawn for a third vote; None where no draw is on record
    guide: str | None  # the version of the present guide
    rulings: dict[ItemName, Ruling]
    provenance: tuple[str, ...]  # the kinds of annotators behind the labels: person, model_assisted, model

    def label(self, item: ItemName) -> Label:
        """An adjudication settles; else votes that agree; votes that differ give no label until they are adjudicated."""
        votes = self.votes.get(item, ())
        ruling = self.rulings.get(item)
        if ruling is not None:
            return _settled(ruling.answer, "adjudicated")
        if not votes:
            return Label("unlabelled", None, "no_votes")
        answers = {cast.vote.answer for cast in votes}
        if len(answers) > 1:
            return Label("unlabelled", None, "votes_differ")
        return _settled(answers.pop(), "unanimous" if len(votes) > 1 else "single_vote")


def _settled(answer: str, how: Literal["unanimous", "single_vote", "adjudicated"]) -> Label:
    return Label("unclear", None, how) if answer == UNCLEAR else Label("labelled", answer, how)


def load_labels(suite: LoadedSuite) -> Labels:
    """Every vote and ruling of the suite. Raises BrokenInput with every problem of every file."""
    labels, problems = read_labels(suite)
    if problems:
        raise BrokenInput(problems)
    return labels


def read_labels(suite: LoadedSuite, broken: frozenset[str] = frozenset()) -> tuple[Labels, tuple[Problem, ...]]:
    """Votes and rulings as far as they can be read, and every problem. ``broken`` cases exist, but could not be read."""
    reader = _Reader(suite, broken)
    reader.all_votes_in(suite.layout.labels / "votes")
    for path in _files(suite.layout.labels / "adjudicated", "*"):
        reader.rulings_in(path)
    drawn, problems = read_drawn(suite, broken)
    reader.problems.extend(problems)
    reader.nothing_is_passed_over()
    return reader.labels(drawn), tuple(reader.problems)


def read_pilot(suite: LoadedSuite) -> tuple[Labels, tuple[Problem, ...]]:
    """The votes of the pilot, a kept record that enters no label and no figure of the suite, and their problems."""
    reader = _Reader(suite, frozenset())
    reader.all_votes_in(suite.layout.labels / PILOT / "votes")
    return reader.labels(None), tuple(reader.problems)


def _files(folder: Path, pattern: str) -> list[Path]:
    return sorted(p for end in ("yaml", "yml") for p in folder.glob(f"{pattern}.{end}"))


class _Reader:
    """Reads the files of a suite's labels and collects problems."""

    def __init__(self, suite: LoadedSuite, broken: frozenset[str]) -> None:
        self.layout = suite.layout
        self.broken = broken
        self.cases = {loaded.case.id: loaded for loaded in suite.cases}
        self.problems: list[Problem] = []
        self.read: set[Path] = set()
        self.unread: set[str] = set()  # cases with a vote that could not be read
        self.votes: dict[ItemName, list[CastVote]] = {}
        self.checks: dict[ItemName, list[CastVote]] = {}
        self.rulings: dict[ItemName, Ruling] = {}

    def labels(self, drawn: tuple[str, ...] | None) -> Labels:
        votes, checks = (
            {item: tuple(sorted(cast, key=lambda c: c.annotator)) for item, cast in sorted(many.items())}
            for many in (self.votes, self.checks)
        )
        kinds = sorted({cast.made_by for many in votes.values() for cast in many})
        return Labels(votes, checks, drawn, present_guide(self.layout), self.rulings, tuple(kinds))

    def all_votes_in(self, folder: Path) -> None:
        for path in _files(folder, "*/*"):
            self.votes_in(path)
        names: dict[str, Path] = {}
        for path in sorted(p for p in folder.glob("*") if p.is_dir()):
            if (twin := names.setdefault(path.name.lower(), path)) is not path:
                found = f"annotators {twin.name} and {path.name} differ in case only"
                fix = "give one of them another name: on some disks the two are one folder"
                self.problems.append(Problem(self.layout.shown(path), None, None, "annotator", found, fix))

    def nothing_is_passed_over(self) -> None:
        """A label file in a place where no reader looks would be a label that nobody counts."""
        folder = self.layout.labels
        known = {folder / CHECKS, *(folder / "notes").glob("*.yaml"), *_files(folder / PILOT / "votes", "*/*")}
        for path in sorted(p for p in folder.rglob("*") if p.suffix.lower() in (".yaml", ".yml")):
            if path not in self.read and path not in known:
                fix = "move it to votes/ANNOTATOR/CASE.yaml, adjudicated/CASE.yaml, notes/CASE.yaml or pilot/votes/..."
                self.problems.append(
                    Problem(self.layout.shown(path), None, None, None, "a file that nothing reads", fix)
                )

    def votes_in(self, path: Path) -> None:
        self.read.add(path)
        document = read_yaml(path, self.layout.shown(path))
        record = document if isinstance(document, list) else validate(document, VoteFile, path.stem)
        if isinstance(record, list) or isinstance(document, list):
            self.unread.add(path.stem)
            self.problems.extend(record if isinstance(record, list) else [])
            return
        say = Say(document, path.stem)
        found = list(self._misplaced(record.case, path, say))
        if record.annotator != path.parent.name:
            found.append(
                say(
                    ("annotator",),
                    f"annotator {record.annotator!r} in the folder {path.parent.name}",
                    "move the file, or mend the name",
                )
            )
        seen: set[ItemName] = set()
        for index, vote in enumerate(record.votes):
            place: Place = ("votes", index)
            item = (record.case, vote.attempt, vote.statement)
            statement, trouble = self._statement(item, vote.answer, place, say)
            found += trouble
            if item in seen:
                found.append(say(place, f"a second vote on {vote.attempt}/{vote.statement}", "keep one"))
            seen.add(item)
            if statement is not None:
                found += _also_problems(statement, vote, place, say)
            if trouble:
                self.unread.add(record.case)
            else:
                line = document.line_of(place)
                cast = CastVote(
                    record.annotator, record.made_by, record.lineage, record.guide, vote, document.file, line
                )
                side = self.checks if record.purpose == "check" else self.votes
                side.setdefault(item, []).append(cast)
        self.problems.extend(found)

    def rulings_in(self, path: Path) -> None:
        self.read.add(path)
        document = read_yaml(path, self.layout.shown(path))
        record = document if isinstance(document, list) else validate(document, AdjudicationFile, path.stem)
        if isinstance(record, list) or isinstance(document, list):
            self.problems.extend(record if isinstance(record, list) else [])
            return
        say = Say(document, path.stem)
        self.problems.extend(self._misplaced(record.case, path, say))
        for index, ruling in enumerate(record.rulings):
            place: Place = ("rulings", index)
            item = (record.case, ruling.attempt, ruling.statement)
            _, trouble = self._statement(item, ruling.answer, place, say)
            self.problems.extend(trouble)
            answers = {cast.vote.answer for cast in self.votes.get(item, [])}
            if not trouble and len(answers) < 2 and record.case not in self.unread:
                found = f"a ruling on {ruling.attempt}/{ruling.statement}, where no votes differ"
                self.problems.append(say(place, found, "remove it: the label follows from the votes"))
            if item in self.rulings:
                self.problems.append(say(place, f"a second ruling on {ruling.attempt}/{ruling.statement}", "keep one"))
            self.rulings[item] = ruling

    def _misplaced(self, case: str, path: Path, say: Say) -> Iterator[Problem]:
        if case != path.stem:
            yield say(("case",), f"case {case!r} in a file named {path.name}", "give both the same name")
        elif case not in self.cases and case not in self.broken:
            yield say(("case",), f"no case {case!r} in the suite", "mend the id, or remove the file")

    def _statement(
        self, item: ItemName, answer: str, place: Place, say: Say
    ) -> tuple[AnyStatement | None, list[Problem]]:
        case_id, attempt, statement_id = item
        loaded = self.cases.get(case_id)
        if loaded is None:
            return None, []
        trouble = []
        attempts = [a.id for a in loaded.case.attempts]
        if attempt not in attempts:
            trouble.append(say((*place, "attempt"), repr(attempt), f"the case has {', '.join(attempts)}"))
        statement = _asked(loaded, statement_id)
        if statement is None:
            asked = ", ".join(s.id for s in loaded.statements)
            trouble.append(say((*place, "statement"), repr(statement_id), f"the case asks {asked}"))
        elif answer not in (*answers_of(statement), UNCLEAR):
            wanted = ", ".join((*answers_of(statement), UNCLEAR))
            trouble.append(say((*place, "answer"), repr(shorten(answer, 40)), f"use one of {wanted}"))
        return statement, trouble


def _asked(loaded: LoadedCase, statement: str) -> AnyStatement | None:
    return next((s for s in loaded.statements if s.id == statement), None)


def _also_problems(statement: AnyStatement, vote: Vote, place: Place, say: Say) -> Iterator[Problem]:
    wanted = {field.name: field for field in statement.ask_also if field.when == vote.answer}
    for name in vote.also:
        field = wanted.get(name)
        if field is None:
            yield say(
                (*place, "also", name),
                f"{name!r} with the answer {vote.answer}",
                f"wanted here: {', '.join(wanted) or 'nothing'}",
            )
        elif field.options is not None and vote.also[name] not in field.options:
            yield say(
                (*place, "also", name), repr(shorten(vote.also[name], 40)), f"use one of {', '.join(field.options)}"
            )
    for name, field in wanted.items():
        if field.required and name not in vote.also:
            yield say(
                (*place, "also"),
                f"no {name!r} with the answer {vote.answer}",
                f"add also: {{{name}: ...}} ({field.meaning})",
            )
