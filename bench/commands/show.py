"""``bench show``: an attempt as a judge or an annotator sees it."""

from __future__ import annotations

import argparse
import sys

from bench.cases.layout import find_suite
from bench.cases.load import LoadedSuite
from bench.commands.options import sessions_option, suite_option
from bench.problems import BrokenInput, Problem
from bench.projection.presets import PRESETS
from bench.projection.project import preset_named
from bench.projection.render import render
from bench.projection.view import Projection
from bench.running.views import Views
from bench.workspace import load, session_folders, views_of


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("case", help="case id, or CASE/ATTEMPT")
    parser.add_argument("--preset", default="reading", help=f"one of {', '.join(PRESETS)} (default: reading)")
    suite_option(parser)
    sessions_option(parser)


def run(args: argparse.Namespace) -> int:
    layout = find_suite(args.suite)
    views = views_of(layout, session_folders(layout, args.sessions))
    projection = projection_of(load(layout)[0], views, args.case, args.preset)
    sys.stdout.write(render(projection))
    told = f"{projection.preset}: {projection.shown} of {projection.total} events shown"
    print(f"[{told}, {projection.characters_cut} characters cut, {projection.redactions} secrets redacted]")
    return 0


def projection_of(suite: LoadedSuite, views: Views, name: str, preset: str) -> Projection:
    """The projection of CASE or CASE/ATTEMPT. Raises BrokenInput where there is none."""
    case_id, _, attempt_id = name.partition("/")
    for loaded, attempt in suite.attempts():
        if loaded.case.id == case_id and attempt_id in ("", attempt.id):
            projection = views.make(loaded, attempt, preset_named(preset))
            if projection is None:
                fix = "give the folder that holds the session (--sessions FOLDER)"
                raise BrokenInput([Problem(loaded.document.file, 1, case_id, None, "the session is not at hand", fix)])
            return projection
    raise BrokenInput(
        [Problem(name, None, None, "case", f"no attempt {name!r} in the suite", "name CASE or CASE/ATTEMPT")]
    )
