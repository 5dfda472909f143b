"""``bench report``: measure what is stored, write and print; nothing is judged."""

from __future__ import annotations

import argparse

from bench.benchmark import examine
from bench.cases.layout import find_suite
from bench.commands.options import selection_of, selection_options, sessions_option, suite_option
from bench.commands.telling import certificates_of, refusals_told, report_options, tell_benchmark, telling_options
from bench.report.write import write_report
from bench.terminal.waiting import waiting
from bench.workspace import session_folders


def add_arguments(parser: argparse.ArgumentParser) -> None:
    suite_option(parser)
    sessions_option(parser)
    selection_options(parser)
    report_options(parser)
    telling_options(parser)


def run(args: argparse.Namespace) -> int:
    with refusals_told(args, "bench report"), waiting("measuring"):
        certificates = certificates_of(args)
        layout = find_suite(args.suite)
        folders = session_folders(layout, args.sessions)
        benchmark = examine(layout, folders, selection=selection_of(args), live_seconds=0)
    out = args.out or layout.reports / "latest"
    with waiting("writing the report"):
        write_report(benchmark, out, plots=not args.no_plots, embed=args.embed, certificates=certificates)
    return tell_benchmark(benchmark, layout.shown(out), args, "bench report")
