"""``bench init``: start a suite of one's own."""

from __future__ import annotations

import argparse
from pathlib import Path

from bench.cases.load import load_suite
from bench.cases.start import start_suite
from bench.commands.ids import id_word
from bench.commands.options import json_option
from bench.terminal.say import print_json, say
from bench.terminal.words import wrapped


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", type=id_word, help="the suite's name; its files go to ./cases/NAME and ./labels/NAME")
    parser.add_argument("--statement", metavar="TEXT", help="what is asked about each session, in one sentence")
    parser.add_argument(
        "--harness", type=id_word, default="claude-code", help="the agent that was recorded (default: claude-code)"
    )
    json_option(parser)


def run(args: argparse.Namespace) -> int:
    layout = start_suite(Path(), args.name, args.statement, args.harness)
    load_suite(layout)  # it loads, or this is a fault of ours
    path = layout.shown(layout.suite / "suite.yaml")
    if args.json:
        print_json({"exit_code": 0, "suite": args.name, "file": path})
        return 0
    say(wrapped(f"suite: {path}"))
    say(
        wrapped(
            f"next: write your words where an arrow stands; then bench import SESSION --suite {args.name}, bench lint"
        )
    )
    return 0
