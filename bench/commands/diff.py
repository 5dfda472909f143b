"""``bench diff``: what changed between two versions of the data, and which figures still compare."""

from __future__ import annotations

import argparse
import tempfile
from dataclasses import replace
from pathlib import Path

from bench.commands.options import json_option
from bench.exchange.dataset_diff import Side, compare_versions
from bench.exchange.diff_text import diff_json, diff_lines
from bench.exchange.label_files import guide_text
from bench.exchange.revision import open_side
from bench.problems import BrokenInput, Problem
from bench.terminal.say import print_json, say
from bench.terminal.waiting import waiting
from bench.terminal.words import wrapped
from bench.workspace import load


def add_arguments(parser: argparse.ArgumentParser) -> None:
    meaning = "a suite folder, a folder that holds cases/, or a git revision here (v0.1, v0.1:, v0.1:cases/NAME)"
    parser.add_argument("old", metavar="OLD", help=meaning)
    parser.add_argument("new", metavar="NEW", help="the same")
    parser.add_argument("--suite", metavar="NAME", help="which suite, where there are several")
    json_option(parser)


def run(args: argparse.Namespace) -> int:
    with tempfile.TemporaryDirectory(prefix="bench-diff-") as work:
        sides: list[Side] = []
        problems: list[Problem] = []
        for name, word in (("old", args.old), ("new", args.new)):
            try:
                with waiting(f"reading {name}"):
                    sides.append(_side(word, args.suite, Path(work) / name))
            except BrokenInput as error:
                problems += error.problems
        if problems:
            raise BrokenInput(problems)
        ids = [side.suite.suite.id for side in sides]
        if ids[0] != ids[1]:
            found = f"two suites: {ids[0]} and {ids[1]}"
            raise BrokenInput([Problem(args.new, None, None, "id", found, "compare two versions of one suite")])
        with waiting("comparing"):
            diff = compare_versions(*sides)
    code = 1 if diff.anything else 0
    if args.json:
        print_json(diff_json(diff, code))
    else:
        say("\n".join(map(wrapped, diff_lines(diff))))
    return code


def _side(word: str, suite: str | None, work: Path) -> Side:
    layout = open_side(word, suite, work)
    try:
        return Side(word, *load(layout), guide_text(layout))
    except BrokenInput as error:  # files of both sides have the same names: say whose they are
        raise BrokenInput(replace(p, file=f"{word.rstrip(':')}: {p.file}") for p in error.problems) from None
