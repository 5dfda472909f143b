"""``bench report``: measure what is stored, write and print; nothing is judged."""

from __future__ import annotations

import argparse
from pathlib import Path

from bench.benchmark import examine
from bench.cases.layout import find_suite
from bench.commands.options import selection_of, selection_options, sessions_option, suite_option
from bench.report.terminal import print_benchmark
from bench.report.write import write_report
from bench.workspace import session_folders


def add_arguments(parser: argparse.ArgumentParser) -> None:
    suite_option(parser)
    sessions_option(parser)
    selection_options(parser)
    parser.add_argument("--out", metavar="FOLDER", type=Path, help="where to write (default: reports/latest)")
    parser.add_argument("--no-plots", action="store_true", help="write no figures (faster)")


def run(args: argparse.Namespace) -> int:
    layout = find_suite(args.suite)
    folders = session_folders(layout, args.sessions)
    benchmark = examine(layout, folders, selection=selection_of(args), live_seconds=0)
    out = args.out or layout.reports / "latest"
    write_report(benchmark, out, plots=not args.no_plots)
    print_benchmark(benchmark, layout.shown(out))
    return benchmark.exit_code
