"""The rows where a judge errs, for a person or an optimiser: of the development split, and of no other.

Calibration and test cases are taken out before a verdict is looked up or a label joined, so that nothing of them can be
in what comes out. Nor is there a prompt, a raw reply, a vote, its rationale or its annotator: only the settled label.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from bench.benchmark import replayed_rows
from bench.cases.layout import Layout
from bench.cases.load import LoadedSuite, read_suite
from bench.cases.sources import SessionFolders
from bench.judges.contract import question_of
from bench.measure.items import JudgedRows, statements_of
from bench.measure.rows import Row
from bench.problems import BrokenInput, CannotDecide, Problem
from bench.reading.canonical import digest
from bench.running.outcome import Outcome
from bench.running.plan import Expected
from bench.running.suite import judge_suite
from bench.running.views import Views
from bench.terminal.words import one_of

DEVELOPMENT = "development"
_SHOWN = 3  # samples whose words are told


@dataclass(frozen=True)
class Asked:
    """Which rows are meant; None means all."""

    judge: str | None = None
    statement: str | None = None
    stratum: str | None = None
    all_splits_are_mine: bool = False


@dataclass(frozen=True)
class Failure:
    """One item that a judge got wrong: the question, what is right, what it said and on what grounds."""

    judge: str
    judge_id: str
    case: str
    attempt: str
    statement: str
    stratum: str
    text: str
    criteria: tuple[tuple[str, str], ...]
    expected: str
    answer: str
    kind: str  # false yes, false no; wrong for other statements
    p: float | None
    score: float | None
    said_wrong: int  # of the scored samples
    samples: int
    reasons: tuple[str, ...]
    quotes: tuple[str, ...]
    events: tuple[int, ...]
    file: str
    line: int | None


@dataclass(frozen=True)
class Judged:
    """What a judge did on these rows: how many have a label and a verdict, and how many of them are wrong."""

    judge: str
    judge_id: str
    statement: str
    stratum: str
    rows: int
    wrong: int
    unscored: int
    unlabelled: int


@dataclass(frozen=True)
class Failures:
    """Every failure, and the counts it is of; ``data`` is the digest of what is told."""

    suite: str
    split: str
    judged: tuple[Judged, ...]
    failures: tuple[Failure, ...]

    @property
    def rows(self) -> int:
        return sum(one.rows for one in self.judged)

    @property
    def data(self) -> str:
        return digest([[f.judge_id, f.case, f.attempt, f.statement, f.expected, f.answer] for f in self.failures])


def find_failures(layout: Layout, folders: SessionFolders, asked: Asked) -> Failures:
    """From stored verdicts alone. Raises BrokenInput for unknown names and for a suite whose splits are not said,
    CannotDecide where no row of development has both a label and a verdict."""
    split = _split(layout, asked)

    def runs(suite: LoadedSuite, views: Views) -> Sequence[Outcome]:
        return judge_suite(_open_part(suite), views, live_seconds=0)

    try:
        replayed = replayed_rows(layout, folders, runs)
    except BrokenInput as error:  # a problem may quote a vote or an id of another split
        fix = "bench lint says which"
        found = f"{len(error.problems)} problems in the suite or its labels"
        raise BrokenInput([Problem(layout.shown(layout.suite), None, None, None, found, fix)]) from None
    pairs = _chosen(replayed.suite, replayed.judged, asked)
    failures = tuple(failure for outcome, rows in pairs for failure in _failures(outcome, rows))
    suite = replayed.suite.suite
    found_all = Failures(f"{suite.id}@{suite.version}", split, tuple(_judged(pairs)), failures)
    if not found_all.rows:
        raise CannotDecide(f"no row of {split} has both a label and a verdict: bench run, bench label")
    return found_all


def _split(layout: Layout, asked: Asked) -> str:
    """The split that is told. What calibration and test hold stays closed, whatever is asked."""
    reading = read_suite(layout)
    if reading.suite is None or reading.problems:
        found = f"{len(reading.problems)} problems in the suite"
        raise BrokenInput([Problem(layout.shown(layout.suite), None, None, None, found, "bench lint says which")])
    if reading.suite.splits is not None:
        if asked.all_splits_are_mine:
            fix = "leave it out: of a suite with splits, the development split is told and no other"
            raise BrokenInput([Problem("--all-splits-are-mine", None, None, None, "the suite has splits", fix)])
        return DEVELOPMENT
    if not asked.all_splits_are_mine:
        fix = (
            "give the suite splits (bench split); or say --all-splits-are-mine, if no figure of a report or certificate "
            "will rest on these labels"
        )
        raise BrokenInput([Problem(layout.shown(layout.suite), None, None, "splits", "the suite has no splits", fix)])
    return "the whole suite"


def _open_part(suite: LoadedSuite) -> LoadedSuite:
    if suite.splits is None:
        return suite
    families = suite.splits.families
    return replace(suite, cases=tuple(one for one in suite.cases if families[one.case.family] == DEVELOPMENT))


def _chosen(suite: LoadedSuite, judged: JudgedRows, asked: Asked) -> list[tuple[Outcome, list[Row]]]:
    _known("--statement", asked.statement, statements_of(_open_part(suite)))
    _known("--stratum", asked.stratum, [stratum.id for stratum in suite.suite.strata])
    names = [name for outcome, _ in judged for name in _names(outcome)]
    _known("--judge", asked.judge, names)
    found = []
    for outcome, rows in judged:
        if asked.judge is not None and asked.judge not in _names(outcome):
            continue
        mine = [
            row for row in rows if asked.statement in (None, row.statement) and asked.stratum in (None, row.stratum)
        ]
        found.append((outcome, mine))
    return found


def _names(outcome: Outcome) -> tuple[str, str, str]:
    return outcome.judge.judge.name, outcome.judge.id, outcome.judge.entry.judge


def _known(flag: str, wanted: str | None, known: Sequence[str]) -> None:
    if wanted is not None and wanted not in known:
        fix = one_of(wanted, known)
        raise BrokenInput([Problem(flag, None, None, None, repr(wanted), fix)])


def _judged(pairs: Sequence[tuple[Outcome, Sequence[Row]]]) -> Iterator[Judged]:
    for outcome, rows in pairs:
        parts: dict[tuple[str, str], list[Row]] = {}
        for row in rows:
            parts.setdefault((row.statement, row.stratum), []).append(row)
        for (statement, stratum), mine in sorted(parts.items()):
            yield Judged(
                outcome.judge.judge.name, outcome.judge.id, statement, stratum,
                rows=sum(row.counts for row in mine),
                wrong=sum(_is_wrong(row) for row in mine),
                unscored=sum(row.answer is None for row in mine),
                unlabelled=sum(row.answer is not None and not row.counts for row in mine),
            )  # fmt: skip


def _is_wrong(row: Row) -> bool:
    return row.counts and row.answer != row.label.answer


def _failures(outcome: Outcome, rows: Sequence[Row]) -> Iterator[Failure]:
    owed: dict[tuple[str, str, str], list[Expected]] = {}
    for expected in outcome.expected:
        key = (expected.loaded.case.id, expected.attempt.id, expected.statement.id)
        owed.setdefault(key, []).append(expected)
    for row in rows:
        if _is_wrong(row):
            yield _failure(outcome, row, owed[row.case, row.attempt, row.statement])


def _failure(outcome: Outcome, row: Row, owed: Sequence[Expected]) -> Failure:
    samples = [stored for expected in owed if (stored := outcome.row(expected)) is not None]
    wrong = [stored for stored in samples if stored.answer == row.answer]
    question = question_of(owed[0].statement)
    kind = {"yes": "false yes", "no": "false no"}.get(row.answer or "", "wrong")
    return Failure(
        judge=outcome.judge.judge.name,
        judge_id=outcome.judge.id,
        case=row.case,
        attempt=row.attempt,
        statement=row.statement,
        stratum=row.stratum,
        text=question.text,
        criteria=question.criteria,
        expected=row.label.answer or "",
        answer=row.answer or "",
        kind=kind if question.type == "yes_no" else "wrong",
        p=row.p,
        score=row.score,
        said_wrong=len(wrong),
        samples=row.samples_scored,
        reasons=tuple(dict.fromkeys(stored.reason for stored in wrong if stored.reason))[:_SHOWN],
        quotes=tuple(dict.fromkeys(quote for stored in wrong for quote in stored.quotes)),
        events=tuple(sorted({number for stored in wrong for number in stored.evidence})),
        file=row.file,
        line=row.line,
    )
