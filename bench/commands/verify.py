"""``bench verify``: the health checks on what is stored."""

from __future__ import annotations

import argparse

from bench.benchmark import examine
from bench.cases.layout import find_suite
from bench.commands.options import sessions_option, suite_option
from bench.report.terminal import print_checks
from bench.workspace import session_folders


def add_arguments(parser: argparse.ArgumentParser) -> None:
    suite_option(parser)
    sessions_option(parser)


def run(args: argparse.Namespace) -> int:
    layout = find_suite(args.suite)
    benchmark = examine(layout, session_folders(layout, args.sessions), live_seconds=0)
    print_checks(benchmark)
    return benchmark.exit_code
