"""``bench compare``: two runs, or two versions of the project; is the head worse, and on which cases."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from bench.cases.layout import Layout
from bench.cases.sources import SessionFolders
from bench.commands.options import sessions_option
from bench.comparing.comparison import compare
from bench.comparing.config import DEFAULT, FILE, read_config
from bench.comparing.scope import Asked
from bench.comparing.sides import open_sides
from bench.report.compare_json import comparison_json
from bench.report.compare_junit import comparison_junit
from bench.report.compare_text import comparison_lines
from bench.whole_file import write_whole
from bench.workspace import session_folders

_SIDE = "a judge as reports name it, a judge_id, a run file (*.jsonl), a folder that holds cases/, or a git revision"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("base", metavar="BASE", help=_SIDE)
    parser.add_argument("head", metavar="HEAD", help="the same")
    parser.add_argument("--suite", metavar="NAME", help="which suite, where there are several")
    parser.add_argument(
        "--config", metavar="FILE", type=Path, help=f"gate classes (default: ./{FILE}, where there is one)"
    )
    parser.add_argument("--stratum", metavar="ID", help="which stratum decides (default: the primary one)")
    parser.add_argument("--statement", metavar="ID", help="which statement decides (default: the critical one)")
    parser.add_argument(
        "--judge", metavar="NAME", action="append", default=[], help="of two versions: only these judges (globs)"
    )
    sessions_option(parser)
    parser.add_argument("--json", action="store_true", help="print the comparison as JSON, with every flip")
    parser.add_argument("--junit", metavar="FILE", type=Path, help="write a JUnit file too")


def run(args: argparse.Namespace) -> int:
    config, document = DEFAULT, None
    if args.config is not None or Path(FILE).is_file():
        config, document = read_config(args.config or Path(FILE))

    def folders(layout: Layout) -> SessionFolders:
        return session_folders(layout, args.sessions)

    sides = open_sides(args.base, args.head, args.suite or config.compare.suite, folders)
    found = compare(sides, Asked(args.stratum, args.statement, config, document), tuple(args.judge))
    if args.junit is not None:
        write_whole(args.junit, comparison_junit(found))
    if args.json:
        print(json.dumps(comparison_json(found), indent=1, ensure_ascii=False))
    else:
        print("\n".join(comparison_lines(found)))
    return found.exit_code
