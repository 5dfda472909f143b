"""``bench run``: judge what is missing and store it."""

from __future__ import annotations

import argparse

from bench.cases.layout import find_suite
from bench.commands.options import (
    live_options,
    live_seconds_of,
    progress,
    selection_of,
    selection_options,
    sessions_option,
    suite_option,
)
from bench.report.text import columns
from bench.running.suite import judge_suite
from bench.workspace import load, select, session_folders, views_of


def add_arguments(parser: argparse.ArgumentParser) -> None:
    suite_option(parser)
    sessions_option(parser)
    selection_options(parser)
    live_options(parser)


def run(args: argparse.Namespace) -> int:
    layout = find_suite(args.suite)
    suite = select(load(layout)[0], selection_of(args))
    views = views_of(layout, session_folders(layout, args.sessions))
    outcomes = judge_suite(
        suite, views, live_seconds=live_seconds_of(args), redo_unscored=args.redo_unscored, telling=progress()
    )
    rows = [("judge", "expected", "asked", "missing", "stale")]
    rows += [
        (o.judge.judge.name, str(len(o.expected)), str(o.asked), str(len(o.missing)), str(o.stale)) for o in outcomes
    ]
    print(columns(rows))
    missing = sum(len(o.missing) for o in outcomes)
    without_text = sum(o.without_text for o in outcomes)
    if not outcomes or not any(o.expected for o in outcomes):
        print("nothing is expected: the selection is empty")
        return 2
    if missing:
        reason = (
            f", {without_text} of them for want of a referenced session (--sessions FOLDER)" if without_text else ""
        )
        print(f"{missing} verdicts are missing{reason}")
        return 2
    print("every expected verdict is stored")
    return 0
