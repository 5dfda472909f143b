"""``bench judge``: judge recorded sessions of your own, without cases or labels."""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from bench.cases.layout import find_suite
from bench.cases.load import AnyStatement
from bench.commands.options import suite_option
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
from bench.traces.detect import NAMES, read_sessions
from bench.traces.report import ImportReport, Session

DEFAULT_JUDGES = (
    "rule:prompt-after-call",
    "rule:prompt-directly-after",
    "rule:correction-words",
    "rule:refused-call",
    "exact",
)
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
    parser.add_argument("--json", action="store_true", help="print one JSON line a verdict")
    suite_option(parser)


def run(args: argparse.Namespace) -> int:
    statement = _statement(args)
    judges = [make_judge(name, _parameters(args), Path.cwd()) for name in (args.judge or DEFAULT_JUDGES)]
    preset = preset_named(args.preset)
    unread = scored = total = count = unknown = 0
    for path in args.sessions:
        try:
            sessions = list(read_sessions(path, args.format))
        except BrokenInput as error:
            unread += 1
            _say_unread(path, error, args.json)
            continue
        for number, session in enumerate(sessions, 1):
            name = str(path) if len(sessions) == 1 else f"{path}#{shorten(session.id or str(number), 60)}"
            projection = project(preset, session.query or OWN_PROMPTS, session.harness, session.events, session.answer)
            unknown += session.report.unknown.total()
            if not args.json:
                print("\n".join(import_lines(Path(name), session)))
            for judge in judges:
                verdict = _judged(judge, projection, statement, preset, Path(name), args.store)
                scored += verdict.answer is not None
                _print_verdict(name, judge, verdict, args.json)
        count += len(sessions)
        total += len(sessions) * len(judges)
    if not args.json:
        told = f"{_many(count, 'session')}, {_many(unread, 'file')} unreadable; {scored} of {total} verdicts scored"
        print(f"{told}; stored in {args.store.as_posix()}")
    if args.strict and unknown:
        print(f"bench: {unknown} records of unknown type (--strict)", file=sys.stderr)
        return 3
    return 3 if unread else 0 if scored else 2


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


def import_lines(path: Path, session: Session) -> Iterator[str]:
    """What an import saw, in a line or two."""
    yield report_line(path, session.report, len(session.events))


def report_line(path: Path, report: ImportReport, events: int) -> str:
    """The books of an import, in a line."""
    told = [f"{report.seen} records", f"{report.used} used", f"{report.skipped.total()} skipped"]
    if report.unknown:
        told.append(
            f"{report.unknown.total()} of unknown type ({', '.join(shorten(name, 30) for name in sorted(report.unknown))})"
        )
    if report.malformed:
        shown = ", ".join(map(str, report.malformed[:5])) + ("..." if len(report.malformed) > 5 else "")
        told.append(f"{len(report.malformed)} malformed (line {shown})")
    if report.orphan_results:
        told.append(f"{report.orphan_results} results without a call")
    return f"{path.name}: {report.format}, {events} events from {', '.join(told)}"


def _print_verdict(name: str, judge: Judge, verdict: Verdict, as_json: bool) -> None:
    if as_json:
        row = {"session": name, "judge": judge.name, "answer": verdict.answer, "unscored": verdict.unscored,
               "detail": verdict.detail, "p": verdict.p, "score": verdict.score, "evidence": list(verdict.evidence)}  # fmt: skip
        print(json.dumps(row))
        return
    told = verdict.answer or f"unscored ({verdict.unscored}: {verdict.detail})"
    evidence = f", event {', '.join(map(str, verdict.evidence))}" if verdict.evidence else ""
    print(f"  {judge.name:<28} {told}{evidence}")


def _say_unread(path: Path, error: BrokenInput, as_json: bool) -> None:
    if as_json:
        print(json.dumps({"session": str(path), "problems": [problem.__dict__ for problem in error.problems]}))
    for problem in error.problems:
        print(problem, file=sys.stderr)


def _many(count: int, word: str) -> str:
    return f"{count} {word}{'' if count == 1 else 's'}"
