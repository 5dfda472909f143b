"""``bench probe``: change sessions in ways that must, or must not, move a judge's answer, and see. No label is read."""

from __future__ import annotations

import argparse
import json
import math
from collections.abc import Sequence
from fnmatch import fnmatchcase
from pathlib import Path

from bench.cases.layout import Layout, find_suite
from bench.cases.load import LoadedSuite, load_suite
from bench.commands.options import json_option, progress, sessions_option, suite_option
from bench.commands.probe_told import as_json, as_markdown, as_text
from bench.judges.contract import CallingJudge
from bench.judges.registry import make_judge
from bench.probing.asking import Plan, ask
from bench.probing.probes import FILE, chosen, default_probes, read_probes
from bench.probing.result import ProbeReport, made
from bench.probing.sessions import Subject, drawn, of_files, of_suite
from bench.problems import BrokenInput, CannotDecide, Problem
from bench.projection.presets import PRESETS
from bench.projection.project import preset_named
from bench.running.gate import Purse
from bench.running.identity import judge_id
from bench.running.outcome import Means
from bench.running.plan import SeatedJudge, seat
from bench.schema.probe import Probe
from bench.schema.statement import YesNo
from bench.schema.suite import JudgeEntry
from bench.terminal.say import print_json, say
from bench.terminal.waiting import waiting
from bench.terminal.words import counted
from bench.traces.detect import NAMES
from bench.whole_file import write_whole
from bench.workspace import Selection, select, session_folders


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "files", nargs="*", type=Path, metavar="SESSION", help="recorded session files (default: the suite's sessions)"
    )
    suite_option(parser)
    sessions_option(parser)
    parser.add_argument("--case", metavar="ID", action="append", default=[], help="only these cases of the suite")
    parser.add_argument(
        "--stratum", metavar="ID", action="append", default=[], help="of the suite (default: the primary ones)"
    )
    parser.add_argument(
        "--format", metavar="NAME", choices=NAMES, help="of the session files; overrules the detected one"
    )
    parser.add_argument(
        "--judge",
        metavar="NAME",
        action="append",
        default=[],
        help="a seat of the suite (a glob), or any judge by name (default: the suite's judges that are code)",
    )
    parser.add_argument(
        "--parameter", metavar="NAME=VALUE", action="append", default=[], help="of the one judge that --judge names"
    )
    parser.add_argument("--preset", default="events", help=f"of judges by name: one of {', '.join(PRESETS)}")
    parser.add_argument(
        "--probes", metavar="FILE", type=Path, help=f"default: {FILE} beside suite.yaml, if it is there"
    )
    parser.add_argument("--probe", metavar="ID", action="append", default=[], help="only these probes")
    parser.add_argument("--statement", metavar="ID", action="append", default=[], help="only these statements")
    parser.add_argument("--limit", metavar="N", type=_at_least_one, help="so many sessions, drawn by their content")
    parser.add_argument("--seed", metavar="N", type=int, default=1, help="of all chance here (default: 1)")
    parser.add_argument(
        "--samples", metavar="N", type=_at_least_one, default=1, help="ask about the unchanged session so many times"
    )
    parser.add_argument("--max", metavar="PROBE=RATE", action="append", default=[], help="a limit on violations")
    parser.add_argument("--budget", metavar="USD", type=float, help="spend at most so much")
    parser.add_argument(
        "--store", metavar="FOLDER", type=Path, default=Path(".bench/probes"), help="default: .bench/probes"
    )
    parser.add_argument("--out", metavar="FOLDER", type=Path, help="write README.md and probes.json there")
    json_option(parser)


def run(args: argparse.Namespace) -> int:
    layout = find_suite(args.suite)
    with waiting("reading"):
        suite = load_suite(layout, splits_may_lag=True)
    statements = [s for s in suite.suite.statements if isinstance(s, YesNo)]
    asked = _asked_statements(args.statement, statements)
    probes = chosen(_probes(args.probes, layout, statements), args.probe, asked)
    if not probes:
        raise CannotDecide("no probe bears on the statements asked for")
    limits = _limits(args.max, probes)
    seats, left_out = _seats(args, suite, statements)
    with waiting("reading sessions"):
        subjects = drawn(_subjects(args, layout, suite, statements), args.limit, args.seed)
    if not subjects or not seats:
        what = "no session (name files, or bench fetch)" if seats else "no judge (bench judges lists them)"
        raise CannotDecide(f"the selection is empty: {what}")
    plan = Plan(
        probes,
        seats,
        frozenset(asked),
        args.store,
        None if args.files else layout.runs,
        args.seed,
        args.samples,
        Means(purse=Purse(args.budget)),
    )
    found = ask(subjects, plan, progress().start("probing", len(subjects)))
    where = counted(len(subjects), "file") if args.files else f"{suite.suite.id}@{suite.suite.version}"
    with waiting("measuring"):
        report = made(plan, found, limits, statements, where, left_out)
    if args.out is not None:
        _write(args.out, report)
    if args.json:
        print_json(as_json(report))
    else:
        say(as_text(report))
    return report.exit_code


def _write(folder: Path, report: ProbeReport) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    write_whole(folder / "README.md", as_markdown(report))
    write_whole(folder / "probes.json", json.dumps(as_json(report), indent=1, allow_nan=False) + "\n")


def _probes(given: Path | None, layout: Layout, statements: Sequence[YesNo]) -> tuple[Probe, ...]:
    if given is not None:
        return read_probes(given, statements)
    beside = layout.suite / FILE
    return read_probes(beside, statements) if beside.is_file() else default_probes()


def _asked_statements(given: Sequence[str], statements: Sequence[YesNo]) -> list[str]:
    known = [statement.id for statement in statements]
    if not known:
        raise CannotDecide("probes are about yes / no statements, and the suite has none")
    for name in given:
        if name not in known:
            raise _problem("--statement", repr(name), f"use one of {', '.join(known)}")
    return [name for name in known if not given or name in given]


def _subjects(
    args: argparse.Namespace, layout: Layout, suite: LoadedSuite, statements: Sequence[YesNo]
) -> list[Subject]:
    if args.files:
        if args.case or args.stratum:
            raise _problem(
                "--case" if args.case else "--stratum", "beside session files", "name files, or parts of a suite"
            )
        return of_files(args.files, args.format, statements)
    primary = tuple(stratum.id for stratum in suite.suite.strata if stratum.primary)
    strata = tuple(args.stratum) or (() if args.case else primary)
    return of_suite(select(suite, Selection(tuple(args.case), strata)), session_folders(layout, args.sessions))


def _seats(
    args: argparse.Namespace, suite: LoadedSuite, statements: Sequence[YesNo]
) -> tuple[tuple[SeatedJudge, ...], tuple[str, ...]]:
    """The judges to be asked, and the names of the suite's that are not."""
    seated = [seat(suite, entry) for entry in suite.suite.judges if entry.experiment is None]
    found: list[SeatedJudge] = []
    if not args.judge:
        found = [one for one in seated if not isinstance(one.judge, CallingJudge)]
    parameters = _parameters(args)
    for name in args.judge:
        matching = [s for s in seated if fnmatchcase(s.entry.judge, name) or fnmatchcase(s.judge.name, name)]
        found += matching if matching and not parameters else [_made(args, name, parameters, statements)]
    chosen_ids = {one.id for one in found}
    left_out = dict.fromkeys(one.judge.name for one in seated if one.id not in chosen_ids)
    return tuple({(one.id, one.entry.answers): one for one in found}.values()), tuple(left_out)


def _made(args: argparse.Namespace, name: str, parameters: dict[str, str], statements: Sequence[YesNo]) -> SeatedJudge:
    entry = JudgeEntry(
        judge=name, answers=tuple(s.id for s in statements), preset=args.preset, parameters=dict(parameters)
    )
    preset = preset_named(args.preset)
    judge = make_judge(name, parameters, Path.cwd())
    return SeatedJudge(entry, judge, preset, judge_id(judge, preset.label))


def _parameters(args: argparse.Namespace) -> dict[str, str]:
    if args.parameter and len(args.judge) != 1:
        raise _problem("--parameter", "without one --judge", "name the one judge it is for")
    pairs = [given.partition("=") for given in args.parameter]
    for name, equals, _ in pairs:
        if not (name and equals):
            raise _problem("--parameter", repr(name), "write NAME=VALUE")
    return {name: value for name, _, value in pairs}


def _limits(given: Sequence[str], probes: Sequence[Probe]) -> dict[str, float]:
    known = [probe.id for probe in probes]
    limits = {}
    for text in given:
        name, _, number = text.partition("=")
        try:
            limit = float(number)
        except ValueError:
            limit = math.nan
        if name not in known:
            raise _problem("--max", repr(text), f"write PROBE=RATE with one of {', '.join(known)}")
        if not 0 <= limit <= 1:
            raise _problem("--max", repr(text), "write PROBE=RATE with a rate from 0 to 1")
        limits[name] = limit
    return limits


def _at_least_one(text: str) -> int:
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not 1 or more")
    return value


def _problem(flag: str, found: str, fix: str) -> BrokenInput:
    return BrokenInput([Problem("command line", None, None, flag, found, fix)])
