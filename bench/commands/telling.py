"""How a command tells its outcome to a CI system: JSON, JUnit, annotations and a job summary, which all say the same."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from bench.annotations import Annotation, annotate, annotate_option
from bench.benchmark import Benchmark
from bench.commands.options import json_option
from bench.deciding.certificate import Certificate, read_certificate
from bench.problems import BrokenInput, CannotDecide
from bench.report.ci.annotations import check_annotations
from bench.report.ci.junit import junit
from bench.report.ci.refusal import refusal_junit, refusal_markdown, refusal_of
from bench.report.ci.short_json import short_json
from bench.report.ci.step_summary import add_to_summary
from bench.report.ci.summary import summary
from bench.report.terminal import print_benchmark
from bench.terminal.say import print_json
from bench.whole_file import write_whole


def telling_options(parser: argparse.ArgumentParser) -> None:
    json_option(parser)
    parser.add_argument("--junit", metavar="FILE", type=Path, help="write a JUnit file here, also of broken input")
    annotate_option(parser)


def report_options(parser: argparse.ArgumentParser) -> None:
    """Where the report goes, and what is in it."""
    parser.add_argument("--out", metavar="FOLDER", type=Path, help="where to write (default: reports/latest)")
    parser.add_argument("--no-plots", action="store_true", help="write no figures (faster)")
    parser.add_argument(
        "--embed",
        choices=("none", "inline", "all"),
        default="inline",
        help="sessions in the page: none, those that cases hold (default), or also those held by reference",
    )
    parser.add_argument(
        "--certificate",
        metavar="FILE",
        type=Path,
        action="append",
        default=[],
        help="show what was certified (bench calibrate) beside the figures",
    )


def certificates_of(args: argparse.Namespace) -> list[Certificate]:
    """The certificates that the report shows. Raises BrokenInput, or Refused where a seal is broken."""
    return [read_certificate(path) for path in args.certificate]


@contextmanager
def refusals_told(args: argparse.Namespace, command: str, comment: Path | None = None) -> Iterator[None]:
    """Whatever file was asked for says why there are no figures; the command line prints it and ends."""
    try:
        yield
    except (BrokenInput, CannotDecide) as error:
        refusal = refusal_of(error)
        if args.junit is not None:
            write_whole(args.junit, refusal_junit(refusal))
        text = refusal_markdown(refusal, command)
        if comment is not None:
            write_whole(comment, marker(args.suite) + text)
        add_to_summary(text)
        if isinstance(error, CannotDecide):  # the command line annotates broken input, of every command
            annotate([Annotation("warning", command, refusal.sentence)], args.annotate)
        raise


def marker(suite: str | None) -> str:
    """The unseen first line of a comment, the same in every run, by which a later one finds and replaces it."""
    name = "".join(c for c in suite or "" if c.isalnum() or c in "-_./").replace("--", "-")
    return f"<!-- bench compare{f' {name}' if name else ''} -->\n"


def tell_benchmark(benchmark: Benchmark, folder: str, args: argparse.Namespace, command: str) -> int:
    """The main job's outcome; the report is written already. The exit code."""
    if args.junit is not None:
        write_whole(args.junit, junit(benchmark))
    add_to_summary(summary(benchmark, command, folder))
    annotate(check_annotations(benchmark), args.annotate)
    if args.json:
        print_json(short_json(benchmark, folder))
    else:
        print_benchmark(benchmark, folder)
    return benchmark.exit_code
