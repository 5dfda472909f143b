"""``bench lint``: every problem of a suite's data, all at once."""

from __future__ import annotations

import argparse
import json

from bench.audits.lint import lint
from bench.cases.layout import find_suite
from bench.commands.options import sessions_option, suite_option
from bench.problems import BrokenInput
from bench.workspace import load, session_folders, views_of


def add_arguments(parser: argparse.ArgumentParser) -> None:
    suite_option(parser)
    sessions_option(parser)
    parser.add_argument("--json", action="store_true", help="print the findings as JSON")


def run(args: argparse.Namespace) -> int:
    layout = find_suite(args.suite)
    try:
        suite, labels = load(layout)
        problems = lint(suite, labels, views_of(layout, session_folders(layout, args.sessions)))
    except BrokenInput as error:
        problems = list(error.problems)
        suite = None
    if args.json:
        print(json.dumps([problem.__dict__ for problem in problems], indent=1, ensure_ascii=False))
    else:
        for problem in problems:
            print(problem)
    if problems:
        if not args.json:
            print(f"{len(problems)} problem{'s' if len(problems) != 1 else ''} in {layout.suite.name}")
        return 3
    if not args.json and suite is not None:
        attempts = sum(1 for _ in suite.attempts())
        votes = sum(len(many) for many in labels.votes.values())
        print(f"{suite.suite.id}: {len(suite.cases)} cases, {attempts} attempts, {votes} votes, no problem")
    return 0
