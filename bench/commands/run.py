"""``bench run``: judge what is missing and store it."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from bench.cases.layout import find_suite
from bench.cases.load import LoadedSuite
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
from bench.running.outcome import Outcome
from bench.running.suite import foresee, judge_suite
from bench.running.views import Views
from bench.workspace import load, select, session_folders, views_of


def add_arguments(parser: argparse.ArgumentParser) -> None:
    suite_option(parser)
    sessions_option(parser)
    selection_options(parser)
    live_options(parser)
    parser.add_argument(
        "--dry-run", action="store_true", help="ask nobody; say what calls are due and what they may cost"
    )


def run(args: argparse.Namespace) -> int:
    layout = find_suite(args.suite)
    suite = select(load(layout)[0], selection_of(args))
    views = views_of(layout, session_folders(layout, args.sessions))
    if args.dry_run:
        return _foretell(suite, views)
    outcomes = judge_suite(
        suite,
        views,
        live_seconds=live_seconds_of(args),
        redo_unscored=args.redo_unscored,
        budget_usd=args.budget,
        telling=progress(),
    )
    rows = [("judge", "expected", "asked", "missing", "stale")]
    rows += [
        (o.judge.judge.name, str(len(o.expected)), str(o.asked), str(len(o.missing)), str(o.stale)) for o in outcomes
    ]
    print(columns(rows))
    if not outcomes or not any(o.expected for o in outcomes):
        print("nothing is expected: the selection is empty")
        return 2
    return _say_missing(outcomes)


def _say_missing(outcomes: Sequence[Outcome]) -> int:
    missing = sum(len(o.missing) for o in outcomes)
    if not missing:
        print("every expected verdict is stored")
        return 0
    print(f"{missing} verdicts are missing")
    reasons = (
        ("without_text", "for want of a referenced session (--sessions FOLDER)"),
        ("out_of_time", "since the time was over (--judge-missing)"),
        ("out_of_budget", "since the money was spent (--budget)"),
    )
    for counter, told in reasons:
        count = sum(getattr(o, counter) for o in outcomes)
        if count:
            print(f"    {count} {told}")
    for o in outcomes:
        if o.unavailable:
            print(f"    {o.unavailable} since {o.judge.judge.name} cannot be asked here: {o.why_unavailable}")
    return 2


def _foretell(suite: LoadedSuite, views: Views) -> int:
    rows = [("judge", "calls due", "tokens in", "tokens out", "USD")]
    seen = foresee(suite, views)
    for judge, calls, cost in seen:
        usd = "unknown" if cost.usd is None else f"{cost.usd:.4f}"
        rows.append((judge.judge.name, str(calls), str(cost.tokens_in), str(cost.tokens_out), usd))
    print(columns(rows))
    print("tokens are estimated at four characters each; nobody was asked" if seen else "no judge here calls a model")
    return 0
