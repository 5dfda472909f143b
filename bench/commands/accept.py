"""``bench accept``: the present figures become the baseline. Refused while anything else than the baseline is off."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import asdict

from bench.benchmark import examine
from bench.cases.layout import find_suite
from bench.commands.options import json_option, sessions_option, suite_option
from bench.terminal.say import print_json, say
from bench.terminal.waiting import waiting
from bench.terminal.words import counted, wrapped
from bench.verify.baseline import flatten, moved, read_baseline, write_baseline
from bench.verify.checks import EXIT, Check
from bench.workspace import session_folders

_BASELINE_CHECK = "figures equal to the baseline"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    suite_option(parser)
    sessions_option(parser)
    json_option(parser)


def run(args: argparse.Namespace) -> int:
    layout = find_suite(args.suite)
    with waiting("measuring"):
        benchmark = examine(layout, session_folders(layout, args.sessions), live_seconds=0)
    failed = [check for check in benchmark.checks if check.name != _BASELINE_CHECK and EXIT[check.status] != 0]
    if failed:
        return _refuse(failed, EXIT[failed[0].status], args.json)
    path, figures = layout.reports / "baseline.json", flatten(benchmark.figures)
    changes = moved(read_baseline(path, benchmark.suite.suite.id) or {}, figures)
    write_baseline(path, benchmark.suite.suite.id, figures)
    if args.json:
        print_json(
            {"exit_code": 0, "accepted": True, "figures": len(figures), "moved": changes, "file": layout.shown(path)}
        )
        return 0
    for change in changes:
        say(wrapped(change))
    told = f"accepted {counted(len(figures), 'figure')} of {benchmark.suite.suite.id}, {len(changes)} moved"
    say(wrapped(f"{told}: {layout.shown(path)}"))
    say("next: bench verify")
    return 0


def _refuse(failed: Sequence[Check], code: int, as_json: bool) -> int:
    if as_json:
        print_json({"exit_code": code, "accepted": False, "failed": [asdict(check) for check in failed]})
        return code
    for check in failed:
        say(wrapped(f"{check.status}: {check.name} ({check.found})"))
        say(wrapped(f"to mend: {check.fix}", "    ", "      "))
    say("nothing was accepted: a baseline is made of a healthy benchmark")
    return code
