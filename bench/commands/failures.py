"""``bench failures``: the rows where judges err, of the development split alone."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from bench.cases.layout import find_suite
from bench.commands.options import sessions_option, suite_option
from bench.triage.failures import Asked, find_failures
from bench.triage.failures_text import as_json, markdown, sentence
from bench.whole_file import write_whole
from bench.workspace import session_folders

TOLD = 0


def add_arguments(parser: argparse.ArgumentParser) -> None:
    suite_option(parser)
    parser.add_argument("--judge", metavar="NAME", help="only this judge, by name or id")
    parser.add_argument("--statement", metavar="ID", help="only this statement")
    parser.add_argument("--stratum", metavar="ID", help="only this stratum")
    parser.add_argument(
        "--all-splits-are-mine", action="store_true",
        help="of a suite without splits: no figure will rest on these labels, and all of them may be shown",
    )  # fmt: skip
    parser.add_argument("--format", choices=("md", "json"), default="md", help="default: md")
    parser.add_argument("--json", action="store_true", help="the same as --format json")
    parser.add_argument("--out", metavar="FILE", type=Path, help="write it there (default: print it)")
    sessions_option(parser)


def run(args: argparse.Namespace) -> int:
    layout = find_suite(args.suite)
    asked = Asked(args.judge, args.statement, args.stratum, args.all_splits_are_mine)
    found = find_failures(layout, session_folders(layout, args.sessions), asked)
    as_object = args.json or args.format == "json"
    text = json.dumps(as_json(found, TOLD), indent=1, ensure_ascii=False) + "\n" if as_object else markdown(found)
    if args.out is None:
        print(text, end="")
    else:
        write_whole(args.out, text)
        print(f"{sentence(found)} Written: {args.out.as_posix()}")
    return TOLD
