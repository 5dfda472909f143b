"""``bench all``: the main job."""

from __future__ import annotations

import argparse

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
from bench.commands.telling import certificates_of, refusals_told, report_options, tell_benchmark, telling_options
from bench.report.write import write_report
from bench.workspace import session_folders


def add_arguments(parser: argparse.ArgumentParser) -> None:
    suite_option(parser)
    sessions_option(parser)
    selection_options(parser)
    live_options(parser)
    report_options(parser)
    telling_options(parser)


def run(args: argparse.Namespace) -> int:
    with refusals_told(args, "bench all"):
        certificates = certificates_of(args)
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
    write_report(benchmark, out, plots=not args.no_plots, embed=args.embed, certificates=certificates)
    return tell_benchmark(benchmark, layout.shown(out), args, "bench all")
