"""``bench accept``: the present figures become the baseline. Refused while anything else than the baseline is off."""

from __future__ import annotations

import argparse

from bench.benchmark import examine
from bench.cases.layout import find_suite
from bench.commands.options import sessions_option, suite_option
from bench.verify.baseline import flatten, moved, read_baseline, write_baseline
from bench.verify.checks import EXIT
from bench.workspace import session_folders

_BASELINE_CHECK = "figures equal to the baseline"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    suite_option(parser)
    sessions_option(parser)


def run(args: argparse.Namespace) -> int:
    layout = find_suite(args.suite)
    benchmark = examine(layout, session_folders(layout, args.sessions), live_seconds=0)
    failed = [check for check in benchmark.checks if check.name != _BASELINE_CHECK and EXIT[check.status] != 0]
    for check in failed:
        print(f"{check.name}: {check.status} ({check.found})\n    to mend: {check.fix}")
    if failed:
        print("nothing was accepted: a baseline is made of a healthy benchmark")
        return EXIT[failed[0].status]
    path, figures = layout.reports / "baseline.json", flatten(benchmark.figures)
    changes = moved(read_baseline(path, benchmark.suite.suite.id) or {}, figures)
    for change in changes:
        print(change)
    write_baseline(path, benchmark.suite.suite.id, figures)
    print(f"accepted {len(figures)} figures of {benchmark.suite.suite.id}, {len(changes)} moved: {layout.shown(path)}")
    return 0
