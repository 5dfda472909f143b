"""``bench all``: the main job."""

from __future__ import annotations

import argparse
from pathlib import Path

from bench.benchmark import examine
from bench.cases.layout import find_suite
from bench.commands.options import (
    live_options,
    live_seconds_of,
    progress,
    selection_of,
    selection_options,
    sessions_option,
    suite_option,
)
from bench.report.terminal import print_benchmark
from bench.report.write import write_report
from bench.workspace import session_folders


def add_arguments(parser: argparse.ArgumentParser) -> None:
    suite_option(parser)
    sessions_option(parser)
    selection_options(parser)
    live_options(parser)
    parser.add_argument("--out", metavar="FOLDER", type=Path, help="where to write (default: reports/latest)")
    parser.add_argument("--no-plots", action="store_true", help="write no figures (faster)")


def run(args: argparse.Namespace) -> int:
    layout = find_suite(args.suite)
    benchmark = examine(
        layout,
        session_folders(layout, args.sessions),
        selection=selection_of(args),
        live_seconds=live_seconds_of(args),
        redo_unscored=args.redo_unscored,
        budget_usd=args.budget,
        telling=progress(),
    )
    out = args.out or layout.reports / "latest"
    write_report(benchmark, out, plots=not args.no_plots)
    print_benchmark(benchmark, layout.shown(out))
    return benchmark.exit_code
