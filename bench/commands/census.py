"""``bench census``: what recorded sessions hold, by harness: exit codes, prompts, refusals, lengths, rules that fire."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from bench.census.figures import figures
from bench.census.take import Taken, files_in, take
from bench.census.told import census_json, census_lines, census_markdown
from bench.commands.options import json_option, progress
from bench.judges.registry import names
from bench.judges.rules import RULE_FOLDER, RuleJudge, load_rule
from bench.problems import BrokenInput, Problem
from bench.report.plots.census import draw_census
from bench.terminal.say import print_json, say
from bench.terminal.words import counted
from bench.traces.detect import NAMES
from bench.whole_file import write_whole


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "paths", nargs="+", type=Path, metavar="PATH", help="files, or folders with all that lies in them"
    )
    parser.add_argument("--format", metavar="NAME", choices=NAMES, help="overrule the detected format")
    parser.add_argument("--title", metavar="TEXT", default="Census", help="of the Markdown page")
    parser.add_argument(
        "--out", metavar="FOLDER", type=Path, help="also write README.md, census.json and census.svg there"
    )
    parser.add_argument("--strict", action="store_true", help="fail where a record is of a type that no reader knows")
    json_option(parser)


def run(args: argparse.Namespace) -> int:
    for path in args.paths:
        if not path.exists():
            raise BrokenInput(
                [Problem(str(path), None, None, None, "no such file or folder", "name recorded sessions")]
            )
    files = list(dict.fromkeys(files_in(args.paths)))
    tick = progress("B").start("counting", sum(file.stat().st_size for file in files))
    taken = take(files, _rules(), tick, args.format)
    found = figures(taken.counted)
    if args.out is not None:
        write_whole(args.out / "README.md", "\n".join(census_markdown(found, taken, args.title)) + "\n")
        text = json.dumps(census_json(found, taken), indent=1, allow_nan=False) + "\n"
        write_whole(args.out / "census.json", text)
        draw_census(found, args.out / "census.svg")
    code = _code(taken, args.strict)
    if args.json:
        print_json({"exit_code": code, **census_json(found, taken)})
    else:
        say("\n".join(census_lines(found, taken)))
        if taken.counted:
            say("next: bench judge SESSION..., or bench probe SESSION...")
    unknown = sum(books.unknown.total() for books in taken.books.values())
    if code == 3:
        told = f"{counted(unknown, 'record')} of unknown type, {counted(len(taken.unread), 'file')} not read (--strict)"
        print(f"bench: {told}", file=sys.stderr)
    return code


def _code(taken: Taken, strict: bool) -> int:
    if strict and (taken.unread or any(books.unknown for books in taken.books.values())):
        return 3
    return 0 if taken.counted else 2


def _rules() -> list[RuleJudge]:
    return [
        load_rule(RULE_FOLDER / f"{name.removeprefix('rule:')}.rule.yaml")
        for name in names()
        if name.startswith("rule:")
    ]
