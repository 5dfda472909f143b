"""``bench verify``: the health checks on what is stored."""

from __future__ import annotations

import argparse

from bench.annotations import annotate, annotate_option
from bench.benchmark import examine
from bench.cases.layout import find_suite
from bench.commands.options import json_option, sessions_option, suite_option
from bench.report.ci.annotations import check_annotations
from bench.report.ci.short_json import outcome_json
from bench.report.terminal import print_checks
from bench.terminal.say import print_json, say
from bench.terminal.waiting import waiting
from bench.terminal.words import wrapped
from bench.workspace import session_folders


def add_arguments(parser: argparse.ArgumentParser) -> None:
    suite_option(parser)
    sessions_option(parser)
    json_option(parser)
    annotate_option(parser)


def run(args: argparse.Namespace) -> int:
    layout = find_suite(args.suite)
    with waiting("measuring"):
        benchmark = examine(layout, session_folders(layout, args.sessions), live_seconds=0)
    annotate(check_annotations(benchmark), args.annotate)
    if args.json:
        print_json(outcome_json(benchmark))
    else:
        print_checks(benchmark)
        say(wrapped(f"{benchmark.sentence} [exit {benchmark.exit_code}]"))
    return benchmark.exit_code
