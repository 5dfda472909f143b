"""``bench export``: the data set as Parquet, with its labels or without."""

from __future__ import annotations

import argparse
from pathlib import Path

from bench.cases.layout import find_suite
from bench.cases.load import load_suite
from bench.commands.options import suite_option
from bench.exchange.export import SPLITS, export_suite
from bench.exchange.label_files import read_label_files
from bench.leaks.scan import scan
from bench.problems import BrokenInput, Problem
from bench.workspace import load


def add_arguments(parser: argparse.ArgumentParser) -> None:
    suite_option(parser)
    parser.add_argument("--to", metavar="FOLDER", type=Path, help="a new folder (default: dist/SUITE-VERSION)")
    side = parser.add_mutually_exclusive_group()
    side.add_argument(
        "--without-labels", action="store_true", help="withhold labels, votes, rulings and all that comes from them"
    )
    side.add_argument("--with-notes", action="store_true", help="export the authors' notes too")
    parser.add_argument("--splits", nargs="+", choices=SPLITS, default=[], help="only these splits (default: all)")


def run(args: argparse.Namespace) -> int:
    layout = find_suite(args.suite)
    if args.without_labels:
        suite, files = load_suite(layout), None  # labels are not even read
    else:
        suite, labels = load(layout)
        files = read_label_files(suite, labels, notes=args.with_notes)
    if args.splits and suite.splits is None:
        fix = "leave --splits out, or give families a split (bench split)"
        raise BrokenInput([Problem(layout.shown(layout.suite), None, None, "--splits", "the suite has no splits", fix)])
    ending = "-unlabelled" if args.without_labels else ""
    target: Path = args.to or layout.root / "dist" / f"{suite.suite.id}-{suite.suite.version}{ending}"
    done = export_suite(suite, tuple(args.splits), files, target)
    for config in done.configs:
        counted = ", ".join(f"{split} {count}" for split, count in config.rows.items())
        print(f"{config.name}: {counted}")
    for name, digest in done.digests.items():
        print(f"{name} digest: {digest}")
    withheld = "labels withheld" if files is None else "with labels"
    print(f"{done.cases} cases, {withheld}, in {target}")
    leaks = scan([target]).leaks
    if leaks:
        print(f"{len(leaks)} texts look like secrets; planted ones may stay: bench scan {target.as_posix()} names them")
    return 0
