"""``bench lint``: every problem of a suite's data, all at once."""

from __future__ import annotations

import argparse
import json

from bench.audits.authored import counts_of
from bench.audits.lint import lint
from bench.cases.layout import find_suite
from bench.commands.options import sessions_option, suite_option
from bench.problems import BrokenInput
from bench.workspace import load, session_folders, views_of


def add_arguments(parser: argparse.ArgumentParser) -> None:
    suite_option(parser)
    sessions_option(parser)
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="print the findings as JSON")
    form.add_argument("--counts", action="store_true", help="print what authored cases show, beside the minimums")


def run(args: argparse.Namespace) -> int:
    layout = find_suite(args.suite)
    try:
        suite, labels = load(layout)
        views = views_of(layout, session_folders(layout, args.sessions))
        problems = lint(suite, labels, views)
        counts = counts_of(suite, views) if args.counts else []
    except BrokenInput as error:
        problems, counts = list(error.problems), []
        suite = None
    if args.json:
        print(json.dumps([problem.__dict__ for problem in problems], indent=1, ensure_ascii=False))
    else:
        for problem in problems:
            print(problem)
        for line in counts:
            print(line)
    if problems:
        if not args.json:
            print(f"{len(problems)} problem{'s' if len(problems) != 1 else ''} in {layout.suite.name}")
        return 3
    if not args.json and suite is not None:
        attempts = sum(1 for _ in suite.attempts())
        votes, checks = (sum(map(len, side.values())) for side in (labels.votes, labels.checks))
        third = f" and {checks} check votes" if checks else ""
        print(f"{suite.suite.id}: {len(suite.cases)} cases, {attempts} attempts, {votes} votes{third}, no problem")
    return 0
