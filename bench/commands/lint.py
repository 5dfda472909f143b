"""``bench lint``: every problem of a suite's data, all at once."""

from __future__ import annotations

import argparse
from dataclasses import asdict

from bench.annotations import annotate, annotate_option, defused, problem_annotations
from bench.audits.authored import counts_of
from bench.audits.lint import lint
from bench.cases.layout import find_suite
from bench.commands.options import sessions_option, suite_option
from bench.problems import BrokenInput
from bench.terminal.say import print_json, say
from bench.terminal.waiting import waiting
from bench.terminal.words import counted
from bench.workspace import load, session_folders, views_of


def add_arguments(parser: argparse.ArgumentParser) -> None:
    suite_option(parser)
    sessions_option(parser)
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="print the findings as JSON")
    form.add_argument("--counts", action="store_true", help="print what authored cases show, beside the minimums")
    annotate_option(parser)


def run(args: argparse.Namespace) -> int:
    layout = find_suite(args.suite)
    told, counts = "", []
    try:
        with waiting("reading"):
            suite, labels = load(layout)
            views = views_of(layout, session_folders(layout, args.sessions))
            problems = lint(suite, labels, views)
            counts = counts_of(suite, views) if args.counts else []
        attempts = sum(1 for _ in suite.attempts())
        votes, checks = (sum(map(len, side.values())) for side in (labels.votes, labels.checks))
        third = f" and {counted(checks, 'check vote')}" if checks else ""
        told = f"{suite.suite.id}: {counted(len(suite.cases), 'case')}, {counted(attempts, 'attempt')}, "
        told += f"{counted(votes, 'vote')}{third}, no problem"
    except BrokenInput as error:
        problems = list(error.problems)
    annotate(problem_annotations(problems, [layout.root]), args.annotate)
    code, name = (3 if problems else 0), layout.suite.name
    if args.json:
        print_json({"exit_code": code, "suite": name, "problems": [asdict(problem) for problem in problems]})
        return code
    for line in (*(str(problem) for problem in problems), *counts):
        say(defused(line))
    say(f"{counted(len(problems), 'problem')} in {name}" if problems else told)
    return code
