"""``bench show``: an attempt as a judge or an annotator sees it."""

from __future__ import annotations

import argparse
import sys

from bench.cases.layout import find_suite
from bench.cases.load import LoadedSuite
from bench.commands.options import json_option, sessions_option, suite_option
from bench.problems import BrokenInput, Problem
from bench.projection.presets import PRESETS
from bench.projection.project import preset_named
from bench.projection.render import render
from bench.projection.view import Projection
from bench.running.views import Views
from bench.terminal.say import print_json
from bench.terminal.words import counted, one_of, wrapped
from bench.workspace import load, session_folders, views_of


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("case", help="case id, or CASE/ATTEMPT")
    parser.add_argument("--preset", default="reading", help=f"one of {', '.join(PRESETS)} (default: reading)")
    suite_option(parser)
    sessions_option(parser)
    json_option(parser)


def run(args: argparse.Namespace) -> int:
    layout = find_suite(args.suite)
    views = views_of(layout, session_folders(layout, args.sessions))
    projection = projection_of(load(layout)[0], views, args.case, args.preset)
    cut, secrets = projection.characters_cut, projection.redactions
    if args.json:
        counts = {
            "shown": projection.shown,
            "events": projection.total,
            "characters_cut": cut,
            "secrets_redacted": secrets,
        }
        print_json({"exit_code": 0, "preset": projection.preset, **counts, "text": render(projection)})
        return 0
    sys.stdout.write(render(projection))
    told = f"{projection.preset}: {projection.shown} of {counted(projection.total, 'event')} shown"
    print(wrapped(f"[{told}, {counted(cut, 'character')} cut, {counted(secrets, 'secret')} redacted]"))
    return 0


def projection_of(suite: LoadedSuite, views: Views, name: str, preset: str) -> Projection:
    """The projection of CASE or CASE/ATTEMPT. Raises BrokenInput where there is none."""
    case_id, _, attempt_id = name.partition("/")
    for loaded, attempt in suite.attempts():
        if loaded.case.id == case_id and attempt_id in ("", attempt.id):
            projection = views.make(loaded, attempt, preset_named(preset))
            if projection is None:
                fix = f"bench fetch --case {case_id}, or give the folder that holds the session (--sessions FOLDER)"
                raise BrokenInput([Problem(loaded.document.file, 1, case_id, None, "the session is not at hand", fix)])
            return projection
    fix = f"name CASE or CASE/ATTEMPT; {one_of(case_id, [loaded.case.id for loaded in suite.cases])}"
    raise BrokenInput([Problem(name, None, None, "case", f"no attempt {name!r} in the suite", fix)])
