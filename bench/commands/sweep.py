"""``bench sweep``: what any policy would have done with stored verdicts. No judge is called."""

from __future__ import annotations

import argparse
import math
import re
from collections.abc import Sequence
from pathlib import Path

from bench.commands.options import json_option, sessions_option, suite_option
from bench.commands.sweep_rows import SweepRows, rows_of_suite, rows_of_table
from bench.commands.sweep_told import SweepReport, as_csv, as_json, as_text
from bench.policies.offering import MOST_POINTS, at_thresholds, grid, operating_points, scores_of, three_bands
from bench.policies.suite_attempts import SPLITS
from bench.policies.sweep import NamedPolicy, Swept, sweep
from bench.policies.trades import Trade, trade
from bench.problems import BrokenInput, Problem, shorten
from bench.tables import NO_COLUMN
from bench.terminal.say import print_json, say
from bench.terminal.waiting import waiting
from bench.terminal.words import counted
from bench.whole_file import write_whole

MET, CANNOT_DECIDE = 0, 2
SHOWN_POINTS = 40
_NUMBER = re.compile(r"-?(\d+(\.\d*)?|\.\d+)", re.ASCII)
_OF_A_SUITE = ("suite", "stratum", "split", "sessions")
_OF_A_TABLE = ("label", "group", "id", "positive")
_OF_NO_FILE = ("statement", "floor", "combine", "thresholds")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("judge", metavar="JUDGE", nargs="?", help="name or judge_id of a judge with stored verdicts")
    suite_option(parser)
    sessions_option(parser)
    parser.add_argument("--stratum", metavar="ID", help="default: the primary one")
    parser.add_argument("--split", choices=SPLITS, help="default: development, where policies are chosen")
    parser.add_argument("--policies", metavar="FILE", type=Path, help="sweep the policies of a file")
    parser.add_argument(
        "--statement",
        metavar="ID",
        action="append",
        default=[],
        help="or of these statements (default: the critical one)",
    )
    parser.add_argument(
        "--floor",
        metavar="ID=VALUE",
        type=floor_of,
        action="append",
        default=[],
        help="a side under it vetoes a promotion",
    )
    parser.add_argument("--combine", choices=("mean", "product", "minimum"), help="several statements (default: mean)")
    parser.add_argument(
        "--thresholds",
        metavar="FROM:TO:STEP",
        type=grid_of,
        help="promote from each of these on (default: every score)",
    )
    parser.add_argument(
        "--right-when",
        metavar="ID",
        action="append",
        default=[],
        help="labels that make a promotion right, all of them",
    )
    parser.add_argument(
        "--versus", metavar="POLICY", help="show which decisions change from this policy to each other one"
    )
    parser.add_argument("--table", metavar="FILE", type=Path, help="a CSV, JSONL or Parquet table in place of a judge")
    for role, what in (("label", "yes or no"), ("group", "rows that hang together"), ("id", "a row's name")):
        text = f"column of the table: {what} (guessed by its name; {NO_COLUMN} for none)"
        parser.add_argument(f"--{role}", metavar="COL", help=text)
    parser.add_argument("--positive", metavar="VALUE", help="the value that means yes in the table")
    json_option(parser)
    parser.add_argument("--csv", metavar="OUT", type=Path, help="write one row a policy as CSV")


def floor_of(text: str) -> tuple[str, float]:
    """A floor as it is typed. Raises ArgumentTypeError."""
    name, equals, value = text.rpartition("=")
    number = _number(value)
    if not (name and equals and 0 <= number <= 1):
        raise argparse.ArgumentTypeError(f"{shorten(text)} is not ID=VALUE with a value from 0 to 1")
    return name, number


def grid_of(text: str) -> tuple[float, ...]:
    """Thresholds as they are typed. Raises ArgumentTypeError."""
    numbers = [_number(part) for part in text.split(":")]
    if len(numbers) != 3 or not all(map(math.isfinite, numbers)):
        raise argparse.ArgumentTypeError(f"{shorten(text)} is not FROM:TO:STEP, such as .5:.9:.1")
    try:
        return grid(*numbers)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def run(args: argparse.Namespace) -> int:
    _refuse_mixed(args)
    with waiting("reading"):
        rows = rows_of_suite(args) if args.table is None else rows_of_table(args)
    most = MOST_POINTS if args.json or args.csv else SHOWN_POINTS
    policies, points, left_out = _policies(args, rows, most)
    with waiting("sweeping"):
        swept = sweep(rows.attempts, policies)
    code, told = outcome(swept)
    trades = _trades(args.versus, policies, rows)
    report = SweepReport(
        rows.about, rows.notices, swept, trades, points, left_out, rows.signature, told, code, rows.opening
    )  # fmt: skip
    if args.csv is not None:
        write_whole(args.csv, as_csv(swept))
    if args.json:
        print_json(as_json(report))
    else:
        say(as_text(report))
    return code


def outcome(swept: Sequence[Swept]) -> tuple[int, str]:
    """The exit code and the words for it. A sweep holds no limit, so that nothing can be unmet."""
    if not swept or all(one.unscored == one.attempts for one in swept):
        return CANNOT_DECIDE, "cannot decide: nothing is scored"
    if all(one.unlabelled == one.attempts for one in swept):
        return CANNOT_DECIDE, "cannot decide: no attempt has a label"
    return MET, f"{counted(len(swept), 'policy')} swept"


def _policies(args: argparse.Namespace, rows: SweepRows, most: int) -> tuple[tuple[NamedPolicy, ...], int, int]:
    """What is swept; how many operating points there are, and how many of them are left out."""
    if rows.base is None:
        return rows.filed, 0, 0
    if args.thresholds is not None:
        return at_thresholds(rows.base, args.thresholds), 0, 0
    scores = scores_of(rows.base, rows.attempts)
    points = operating_points(rows.base, scores, most)
    if not points:  # nothing is scored: one policy shows it
        points = at_thresholds(rows.base, (0.5,))
    offered = (*points, *three_bands(rows.base, rows.attempts, rows.scale))
    return offered, len(scores), max(len(scores) - most, 0)


def _trades(versus: str | None, policies: Sequence[NamedPolicy], rows: SweepRows) -> tuple[Trade, ...]:
    if versus is None:
        return ()
    before = next((one for one in policies if one.id == versus), None)
    if before is None:
        there = ", ".join(one.id for one in policies[:10]) + (", ..." if len(policies) > 10 else "")
        raise BrokenInput([_usage("--versus", f"no policy {versus!r}", f"there are {there}")])
    return tuple(trade(before, one, rows.attempts) for one in policies if one is not before)


def _refuse_mixed(args: argparse.Namespace) -> None:
    problems = []
    if args.table is None and args.judge is None:
        problems.append(_usage("JUDGE", "no judge is named", "name one that has verdicts, or a table: --table FILE"))
    if args.table is not None and args.judge is not None:
        problems.append(_usage("--table", "a judge and a table", "a table holds one judge: leave out one of the two"))
    idle = _OF_A_TABLE if args.table is None else _OF_A_SUITE
    what = "a table (--table)" if args.table is None else "a suite, and a table is given"
    problems += [_usage(f"--{name}", f"belongs to {what}", "leave it out") for name in idle if _given(args, name)]
    if args.policies is not None:
        fix = "write it into the file"
        found = "belongs to a sweep without --policies"
        problems += [_usage(f"--{name}", found, fix) for name in _OF_NO_FILE if _given(args, name)]
    if problems:
        raise BrokenInput(problems)


def _given(args: argparse.Namespace, name: str) -> bool:
    return getattr(args, name) not in (None, [])


def _number(text: str) -> float:
    return float(text) if len(text) < 40 and _NUMBER.fullmatch(text) else math.nan


def _usage(flag: str, found: str, fix: str) -> Problem:
    return Problem("bench sweep", None, None, flag, found, fix)
