"""``bench compare``: two runs, or two versions of the project; is the head worse, and on which cases."""

from __future__ import annotations

import argparse
import shlex
from pathlib import Path

from bench.annotations import annotate, placed
from bench.cases.layout import Layout
from bench.cases.sources import SessionFolders
from bench.commands.options import sessions_option
from bench.commands.telling import marker, refusals_told, telling_options
from bench.comparing.comparison import Comparison, compare
from bench.comparing.config import DEFAULT, FILE, read_config
from bench.comparing.scope import Asked
from bench.comparing.sides import open_sides
from bench.reading.strict_yaml import Document
from bench.report.ci.step_summary import add_to_summary
from bench.report.comparison.annotations import Gates, comparison_annotations
from bench.report.comparison.comment import comparison_comment
from bench.report.comparison.document import comparison_json
from bench.report.comparison.junit import comparison_junit
from bench.report.comparison.text import comparison_lines
from bench.terminal.say import print_json, say
from bench.terminal.waiting import waiting
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
    telling_options(parser)
    parser.add_argument("--comment", metavar="FILE", type=Path, help="write the body of a pull-request comment here")


def run(args: argparse.Namespace) -> int:
    with refusals_told(args, "bench compare", args.comment), waiting("comparing"):
        found, document = _compared(args)
    comment = comparison_comment(found, _again(args))
    if args.junit is not None:
        write_whole(args.junit, comparison_junit(found))
    if args.comment is not None:
        write_whole(args.comment, marker(args.suite) + comment)
    add_to_summary(comment)
    annotate(comparison_annotations(found, _gates(found, document)), args.annotate)
    if args.json:
        print_json(comparison_json(found))
    else:
        say("\n".join(comparison_lines(found)))
    return found.exit_code


def _compared(args: argparse.Namespace) -> tuple[Comparison, Document | None]:
    config, document = DEFAULT, None
    if args.config is not None or Path(FILE).is_file():
        config, document = read_config(args.config or Path(FILE))

    def folders(layout: Layout) -> SessionFolders:
        return session_folders(layout, args.sessions)

    sides = open_sides(args.base, args.head, args.suite or config.compare.suite, folders)
    return compare(sides, Asked(args.stratum, args.statement, config, document), tuple(args.judge)), document


def _gates(found: Comparison, document: Document | None) -> Gates:
    if document is None:
        return Gates()
    lines = tuple(document.line_of(("red_line", n)) for n in range(len(found.config.red_line)))
    return Gates(placed(document.file, [Path()]), document.line_of(("objective",)), lines)


def _again(args: argparse.Namespace) -> str:
    """The command that gives the same comparison."""
    named = {"--suite": args.suite, "--config": args.config, "--stratum": args.stratum, "--statement": args.statement}
    words = [word for option, value in named.items() if value is not None for word in (option, str(value))]
    words += [word for judge in args.judge for word in ("--judge", judge)]
    return shlex.join(["bench", "compare", args.base, args.head, *words])
