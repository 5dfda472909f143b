"""``bench export``: the data set as Parquet, with its labels or without."""

from __future__ import annotations

import argparse
from pathlib import Path

from bench.cases.layout import Layout, find_suite
from bench.cases.load import LoadedSuite, load_suite
from bench.commands.options import json_option, suite_option
from bench.exchange.export import SPLITS, Exported, export_suite
from bench.exchange.label_files import LabelFiles, read_label_files
from bench.leaks.scan import scan
from bench.problems import BrokenInput, Problem
from bench.terminal.say import print_json, say
from bench.terminal.waiting import waiting
from bench.terminal.words import counted, wrapped
from bench.workspace import load


def add_arguments(parser: argparse.ArgumentParser) -> None:
    suite_option(parser)
    parser.add_argument("--to", metavar="FOLDER", type=Path, help="a new folder (default: dist/SUITE-VERSION)")
    side = parser.add_mutually_exclusive_group()
    side.add_argument(
        "--without-labels", action="store_true", help="withhold labels, votes, rulings and all that comes from them"
    )
    side.add_argument("--with-notes", action="store_true", help="export the authors' notes too")
    parser.add_argument(
        "--splits", metavar="SPLIT", nargs="+", choices=SPLITS, default=[],
        help=f"only these of {', '.join(SPLITS)} (default: all)",
    )  # fmt: skip
    json_option(parser)


def run(args: argparse.Namespace) -> int:
    layout = find_suite(args.suite)
    with waiting("reading"):
        suite, files = _read(layout, args)
    ending = "-unlabelled" if args.without_labels else ""
    target: Path = args.to or layout.root / "dist" / f"{suite.suite.id}-{suite.suite.version}{ending}"
    with waiting("writing"):
        done = export_suite(suite, tuple(args.splits), files, target)
        leaks = len(scan([target]).leaks)
    if args.json:
        print_json(
            {"exit_code": 0, **_counts(done), "labels": files is not None, "folder": str(target), "leaks": leaks}
        )
    else:
        _tell(done, files is not None, target, leaks)
    return 0


def _read(layout: Layout, args: argparse.Namespace) -> tuple[LoadedSuite, LabelFiles | None]:
    """The suite, and its labels where they go along."""
    if args.without_labels:
        suite, files = load_suite(layout), None  # labels are not even looked at
    else:
        suite, labels = load(layout)
        files = read_label_files(suite, labels, notes=args.with_notes)
    if args.splits and suite.splits is None:
        fix = "leave --splits out, or give families a split (bench split)"
        raise BrokenInput([Problem(layout.shown(layout.suite), None, None, "--splits", "the suite has no splits", fix)])
    return suite, files


def _counts(done: Exported) -> dict[str, object]:
    rows = {config.name: dict(config.rows) for config in done.configs}
    return {"rows": rows, "cases": done.cases, "digests": done.digests}


def _tell(done: Exported, labelled: bool, target: Path, leaks: int) -> None:
    for config in done.configs:
        rows = ", ".join(f"{split} {count}" for split, count in config.rows.items())
        say(wrapped(f"{config.name}: {rows}"))
    for name, digest in done.digests.items():
        say(f"{name} digest: {digest}")
    withheld = "with labels" if labelled else "labels withheld"
    say(wrapped(f"{counted(done.cases, 'case')}, {withheld}, in {target}"))
    if leaks:
        told = f"{counted(leaks, 'text')} in it may be a secret, planted or not"
        say(wrapped(f"{told}; next: bench scan {target.as_posix()}"))
