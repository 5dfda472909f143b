"""``bench failures``: the rows where judges err, of the development split alone."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from bench.cases.layout import find_suite
from bench.commands.options import sessions_option, suite_option
from bench.terminal.say import say
from bench.terminal.waiting import waiting
from bench.terminal.words import wrapped
from bench.triage.failures import Asked, Failures, find_failures
from bench.triage.failures_text import as_json, counts, markdown, sentence
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
    parser.add_argument("--format", choices=("counts", "md", "json"), help="default: counts on a terminal, else md")
    parser.add_argument("--json", action="store_true", help="print it as JSON, whatever is written")
    parser.add_argument("--out", metavar="FILE", type=Path, help="write it there (default: print it)")
    sessions_option(parser)


def run(args: argparse.Namespace) -> int:
    layout = find_suite(args.suite)
    asked = Asked(args.judge, args.statement, args.stratum, args.all_splits_are_mine)
    with waiting("reading"):
        found = find_failures(layout, session_folders(layout, args.sessions), asked)
    form = "json" if args.json else args.format or _form_for(args.out)
    text = _written(found, form)
    if args.out is not None:
        write_whole(args.out, text)
    if args.out is not None and not args.json:
        say(wrapped(f"{sentence(found)} Written: {args.out.as_posix()}"))
    elif form == "counts":
        say(text.rstrip("\n"))
        say(wrapped("next: bench failures --judge NAME --statement ID --format md (all of it: --out FILE)"))
    else:
        print(text, end="")
    return TOLD


def _form_for(out: Path | None) -> str:
    """A page of thousands of lines is for a file or a pipe; a person at a terminal gets the counts."""
    return "counts" if out is None and sys.stdout.isatty() else "md"


def _written(found: Failures, form: str) -> str:
    if form == "json":
        return json.dumps(as_json(found, TOLD), indent=1, ensure_ascii=False) + "\n"
    return markdown(found) if form == "md" else counts(found)
