"""``bench judge``: judge recorded sessions of your own, without cases or labels."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from bench.cases.layout import find_suite
from bench.cases.load import AnyStatement
from bench.commands.options import json_option, progress, suite_option
from bench.judges.contract import Item, Judge, Question, Verdict, question_of
from bench.judges.registry import make_judge
from bench.problems import BrokenInput, Problem, shorten
from bench.projection.presets import PRESETS, Preset
from bench.projection.project import OWN_PROMPTS, preset_named, project
from bench.projection.view import Projection
from bench.reading.strict_yaml import read_yaml
from bench.reading.validate import validate
from bench.running.asking import ask_now
from bench.running.identity import item_key, judge_id
from bench.running.store import Asking, Manifest, RunFile, stored
from bench.schema.case import Anchors
from bench.schema.statement import YesNo
from bench.schema.suite import Suite
from bench.terminal.say import print_json, say
from bench.terminal.words import counted, hanging, wrapped
from bench.traces.detect import NAMES, read_sessions
from bench.traces.report import ImportReport

DEFAULT_JUDGES = (
    "rule:prompt-after-call",
    "rule:prompt-directly-after",
    "rule:correction-words",
    "rule:refused-call",
    "exact",
)
_INDENT = 32  # of an answer, behind the name of its judge
_PLAIN = YesNo(
    id="plain", text="Does the judge's condition hold in the session?", true="It holds.", false="It does not hold."
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("sessions", nargs="+", type=Path, metavar="SESSION", help="recorded session files")
    parser.add_argument(
        "--judge", metavar="NAME", action="append", default=[], help="a built-in judge, a rule file, module:Class"
    )
    parser.add_argument(
        "--parameter", metavar="NAME=VALUE", action="append", default=[], help="of the one judge that --judge names"
    )
    parser.add_argument(
        "--statement", metavar="ID", help="a statement of the suite (default: the bare condition of the judge)"
    )
    parser.add_argument("--format", metavar="NAME", choices=NAMES, help="overrule the detected format")
    parser.add_argument("--preset", default="events", help=f"one of {', '.join(PRESETS)} (default: events)")
    parser.add_argument(
        "--store", metavar="FOLDER", type=Path, default=Path(".bench/runs"), help="default: .bench/runs"
    )
    parser.add_argument("--strict", action="store_true", help="fail where a record is of a type that no reader knows")
    json_option(parser)
    suite_option(parser)


@dataclass
class _Books:
    """What came of all sessions; ``verdicts`` and ``unread`` as they are told to machines."""

    verdicts: list[dict[str, object]] = field(default_factory=list)
    unread: list[dict[str, object]] = field(default_factory=list)
    sessions: int = 0
    unknown: int = 0

    @property
    def scored(self) -> int:
        return sum(one["answer"] is not None for one in self.verdicts)


def run(args: argparse.Namespace) -> int:
    statement = _statement(args)
    judges = [make_judge(name, _parameters(args), Path.cwd()) for name in (args.judge or DEFAULT_JUDGES)]
    preset = preset_named(args.preset)
    books = _Books()
    tick = progress("file").start("judging", len(args.sessions)) if args.json else None
    for path in args.sessions:
        _judge_file(path, args, judges, statement, preset, books)
        if tick is not None:
            tick(1)
    code = 3 if books.unread or (args.strict and books.unknown) else 0 if books.scored else 2
    if args.json:
        told = {"exit_code": code, "sessions": books.sessions, "unknown_records": books.unknown}
        print_json({**told, "verdicts": books.verdicts, "unread": books.unread, "store": args.store.as_posix()})
    else:
        _tell(books, args)
    if args.strict and books.unknown:
        print(f"bench: {counted(books.unknown, 'record')} of unknown type (--strict)", file=sys.stderr)
    return code


def _judge_file(
    path: Path,
    args: argparse.Namespace,
    judges: Sequence[Judge],
    statement: AnyStatement,
    preset: Preset,
    books: _Books,
) -> None:
    """Every session of a file by every judge; a file that cannot be read is told and passed over."""
    try:
        sessions = list(read_sessions(path, args.format))
    except BrokenInput as error:
        books.unread.append({"session": str(path), "problems": [problem.__dict__ for problem in error.problems]})
        for problem in error.problems:
            print(problem, file=sys.stderr)
        return
    for number, session in enumerate(sessions, 1):
        name = str(path) if len(sessions) == 1 else f"{path}#{shorten(session.id or str(number), 60)}"
        projection = project(preset, session.query or OWN_PROMPTS, session.harness, session.events, session.answer)
        books.unknown += session.report.unknown.total()
        if not args.json:
            say(wrapped(report_line(Path(name), session.report, len(session.events))))
        for judge in judges:
            verdict = _judged(judge, projection, statement, preset, Path(name), args.store)
            books.verdicts.append(_row(name, judge, verdict))
            if not args.json:
                say(hanging(f"  {judge.name}", _told(verdict), _INDENT))
    books.sessions += len(sessions)


def _tell(books: _Books, args: argparse.Namespace) -> None:
    files = f"{counted(len(books.unread), 'file')} unreadable" if books.unread else ""
    scored = f"{books.scored} of {counted(len(books.verdicts), 'verdict')} scored"
    parts = [counted(books.sessions, "session"), files, scored, f"stored in {args.store.as_posix()}"]
    say(wrapped("; ".join(part for part in parts if part)))
    if books.scored and args.statement is not None:
        say(wrapped(f"next: bench triage --statement {args.statement} --store {args.store.as_posix()} SESSION..."))
    elif books.scored:
        say("next: bench import SESSION --as-case makes a case of one")


def _parameters(args: argparse.Namespace) -> dict[str, str]:
    pairs = [given.partition("=") for given in args.parameter]
    if pairs and len(args.judge) != 1:
        raise BrokenInput(
            [Problem("--parameter", None, None, None, "without one --judge", "name the one judge it is for")]
        )
    for name, equals, _ in pairs:
        if not (name and equals):
            raise BrokenInput([Problem("--parameter", None, None, None, repr(name), "write NAME=VALUE")])
    return {name: value for name, _, value in pairs}


def _statement(args: argparse.Namespace) -> AnyStatement:
    if args.statement is None:
        return _PLAIN
    path = find_suite(args.suite).suite / "suite.yaml"
    document = read_yaml(path, path.name)
    suite = document if isinstance(document, list) else validate(document, Suite)
    if isinstance(suite, list):
        raise BrokenInput(suite)
    for statement in suite.statements:
        if statement.id == args.statement:
            return statement
    known = ", ".join(statement.id for statement in suite.statements)
    raise BrokenInput([Problem("--statement", None, None, None, repr(args.statement), f"use one of {known}")])


def _judged(
    judge: Judge, projection: Projection, statement: AnyStatement, preset: Preset, path: Path, store: Path
) -> Verdict:
    """Ask, and store under the same identities as a suite's run does."""
    question: Question = question_of(statement)
    item = Item(
        projection=projection if "projection" in judge.receives else None,
        anchors=Anchors() if "anchors" in judge.receives else None,
        facts={} if "facts" in judge.receives else None,
    )
    start = time.perf_counter()
    verdict = ask_now(judge, item, [question])[0]
    latency = round((time.perf_counter() - start) * 1000, 3)
    key = item_key(
        judge.receives, question, projection=projection.digest, anchors=Anchors(), facts={}, reference_time=None
    )
    identity = judge_id(judge, preset.label)
    file = RunFile(store, identity)
    file.write_manifest(Manifest(identity, judge.name, preset.label, dict(judge.fingerprint())))
    at = datetime.now(UTC).isoformat(timespec="seconds")
    file.append([stored(verdict, key, 0, Asking(latency, at, path.name))])
    return verdict


def report_line(path: Path, report: ImportReport, events: int) -> str:
    """The books of an import, in a line."""
    told = [counted(report.seen, "record"), f"{report.used} used", f"{report.skipped.total()} skipped"]
    if report.unknown:
        told.append(
            f"{report.unknown.total()} of unknown type ({', '.join(shorten(name, 30) for name in sorted(report.unknown))})"
        )
    if report.malformed:
        shown = ", ".join(map(str, report.malformed[:5])) + ("..." if len(report.malformed) > 5 else "")
        told.append(f"{len(report.malformed)} malformed (line {shown})")
    if report.orphan_results:
        told.append(f"{counted(report.orphan_results, 'result')} without a call")
    return f"{path.name}: {report.format}, {counted(events, 'event')} from {', '.join(told)}"


def books_of(report: ImportReport, events: int) -> dict[str, object]:
    """The same for machines."""
    counts = {"records": report.seen, "used": report.used, "skipped": report.skipped.total()}
    rest = {"unknown": dict(report.unknown), "malformed_lines": list(report.malformed)}
    return {"format": report.format, "event_count": events, **counts, **rest, "orphan_results": report.orphan_results}


def _row(name: str, judge: Judge, verdict: Verdict) -> dict[str, object]:
    return {
        "session": name, "judge": judge.name, "answer": verdict.answer, "unscored": verdict.unscored,
        "detail": verdict.detail, "p": verdict.p, "score": verdict.score, "evidence": list(verdict.evidence),
    }  # fmt: skip


def _told(verdict: Verdict) -> str:
    told = verdict.answer or f"unscored ({verdict.unscored}: {verdict.detail})"
    return told + (f", event {', '.join(map(str, verdict.evidence))}" if verdict.evidence else "")
