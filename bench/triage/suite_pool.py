"""The unlabelled items of a suite as a pool, and the labels that came in for those that were drawn."""

from __future__ import annotations

from collections.abc import Sequence

from bench.benchmark import stored_rows
from bench.cases.layout import Layout
from bench.cases.load import LoadedSuite
from bench.cases.sources import SessionFolders
from bench.judges.controls import AtLeast, Constant
from bench.measure.items import JudgedRows, headline
from bench.measure.rows import Row
from bench.problems import BrokenInput, CannotDecide, Problem
from bench.schema.statement import YesNo
from bench.triage.files import ItemLabel, Triage
from bench.triage.pool import Pool, Session
from bench.triage.scores import Said
from bench.workspace import load

OPEN_SPLITS = ("development", "all")  # "all": of a suite without splits
_TRUTH = {"yes": True, "no": False}


def suite_pool(
    layout: Layout, folders: SessionFolders, statement: str, judges: Sequence[str], strata: Sequence[str]
) -> Pool:
    """Items without a vote, of the development split or of a suite without splits.

    Calibration and test items are never among them: labels that were chosen by what a judge said of them stand for
    nothing there. Controls take no part unless they are named. Raises BrokenInput for unknown names, CannotDecide where
    nothing is open.
    """
    suite, _, judged = stored_rows(layout, folders)
    asked = _statement(suite, statement)
    _strata_known(suite, strata)
    by_judge = _rows(judged, statement, judges)
    items: dict[tuple[str, str], dict[str, Row]] = {}
    for judge, rows in by_judge.items():
        for row in rows:
            if row.label.how == "no_votes" and row.split in OPEN_SPLITS and (not strata or row.stratum in strata):
                items.setdefault((row.case, row.attempt), {})[judge] = row
    if not items:
        where = "" if suite.splits is None else " of the development split"
        raise CannotDecide(f"every item{where} has a vote on {statement} already")
    closed = sum(
        row.label.how == "no_votes" and row.split not in OPEN_SPLITS for row in next(iter(by_judge.values()), ())
    )
    passed = [f"{closed} unlabelled items of calibration and test: chosen labels stand for nothing there"]
    sessions = tuple(_session(case, attempt, rows) for (case, attempt), rows in sorted(items.items()))
    source = f"suite {suite.suite.id}@{suite.suite.version}"
    return Pool(source, asked, tuple(by_judge), sessions, tuple(passed if closed else ()))


def suite_labels(layout: Layout, triage: Triage) -> dict[str, ItemLabel]:
    """The suite's labels of what was drawn. Items whose votes differ have none until somebody rules."""
    suite, labels = load(layout)
    source = f"suite {suite.suite.id}@"
    if not triage.head.source.startswith(source):
        fix = "name that suite with --suite, or give the filled-in list as a table"
        found = f"drawn from {triage.head.source}, and this is {source}{suite.suite.version}"
        raise BrokenInput([Problem("--estimate", None, None, "source", found, fix)])
    found_labels: dict[str, ItemLabel] = {}
    for pick in triage.picks:
        case, _, attempt = pick.item.partition("/")
        label = labels.label((case, attempt, triage.head.statement))
        if label.status == "unclear":
            found_labels[pick.item] = "unclear"
        elif label.answer in _TRUTH:
            found_labels[pick.item] = "yes" if label.answer == "yes" else "no"
    return found_labels


def _session(case: str, attempt: str, rows: dict[str, Row]) -> Session:
    first = next(iter(rows.values()))
    said = {judge: Said(_TRUTH.get(row.answer or ""), row.p if row.answer else None) for judge, row in rows.items()}
    return Session(f"{case}/{attempt}", first.file, first.stratum, said)


def _rows(judged: JudgedRows, statement: str, wanted: Sequence[str]) -> dict[str, list[Row]]:
    found: dict[str, list[Row]] = {}
    able = [(outcome, rows) for outcome, rows in headline(judged) if statement in outcome.judge.entry.answers]
    for outcome, rows in able:
        seat = outcome.judge
        names = {seat.id, seat.judge.name, seat.entry.judge}
        meant = names & set(wanted) if wanted else not isinstance(seat.judge, Constant | AtLeast)
        if meant:
            found.setdefault(seat.id, []).extend(row for row in rows if row.statement == statement)
    known = {
        name for outcome, _ in able for name in (outcome.judge.id, outcome.judge.judge.name, outcome.judge.entry.judge)
    }
    odd = [name for name in wanted if name not in known]
    if odd or not found:
        there = ", ".join(dict.fromkeys(outcome.judge.judge.name for outcome, _ in able)) or "none"
        what = repr(odd[0]) if odd else f"no judge but controls answers {statement}"
        raise BrokenInput([Problem("--judge", None, None, None, what, f"judges that answer {statement}: {there}")])
    return found


def _statement(suite: LoadedSuite, wanted: str) -> YesNo:
    able = [one for one in suite.suite.statements if isinstance(one, YesNo)]
    for one in able:
        if one.id == wanted:
            return one
    known = ", ".join(one.id for one in able)
    raise BrokenInput([Problem("--statement", None, None, None, repr(wanted), f"use one of {known}")])


def _strata_known(suite: LoadedSuite, wanted: Sequence[str]) -> None:
    known = [stratum.id for stratum in suite.suite.strata]
    odd = [name for name in wanted if name not in known]
    if odd:
        raise BrokenInput([Problem("--stratum", None, None, None, repr(odd[0]), f"use one of {', '.join(known)}")])
