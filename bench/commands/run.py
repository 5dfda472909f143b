"""``bench run``: judge what is missing and store it."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from bench.cases.layout import find_suite
from bench.cases.load import LoadedSuite
from bench.commands.options import (
    json_option,
    live_options,
    live_seconds_of,
    progress,
    selection_of,
    selection_options,
    sessions_option,
    suite_option,
)
from bench.running.outcome import Outcome
from bench.running.plan import SeatedJudge
from bench.running.suite import foresee, judge_suite
from bench.running.views import Views
from bench.terminal.say import print_json, say
from bench.terminal.table import columns
from bench.terminal.waiting import waiting
from bench.terminal.words import counted, wrapped
from bench.workspace import load, select, session_folders, views_of


def add_arguments(parser: argparse.ArgumentParser) -> None:
    suite_option(parser)
    sessions_option(parser)
    selection_options(parser)
    live_options(parser)
    parser.add_argument(
        "--dry-run", action="store_true", help="ask nobody; say what calls are due and what they may cost"
    )
    json_option(parser)


def run(args: argparse.Namespace) -> int:
    layout = find_suite(args.suite)
    with waiting("reading"):
        suite = select(load(layout)[0], selection_of(args))
    views = views_of(layout, session_folders(layout, args.sessions))
    if args.dry_run:
        return _foretell(suite, views, args.json)
    outcomes = judge_suite(
        suite,
        views,
        live_seconds=live_seconds_of(args),
        redo_unscored=args.redo_unscored,
        budget_usd=args.budget,
        telling=progress(),
    )
    code = _code(outcomes)
    if args.json:
        print_json({"exit_code": code, "judges": [_as_json(o) for o in outcomes]})
        return code
    rows = [("judge", "expected", "asked", "missing", "stale")]
    names = _names([o.judge for o in outcomes])
    rows += [
        (name, str(len(o.expected)), str(o.asked), str(len(o.missing)), str(o.stale))
        for name, o in zip(names, outcomes, strict=True)
    ]
    say(columns(rows))
    _say_missing(outcomes)
    return code


def _names(seats: Sequence[SeatedJudge]) -> list[str]:
    """The judges' names; where several have one name, with the end of the judge_id."""
    ids: dict[str, set[str]] = {}
    for seat in seats:
        ids.setdefault(seat.judge.name, set()).add(seat.id)
    return [
        seat.judge.name if len(ids[seat.judge.name]) == 1 else f"{seat.judge.name} {seat.id.rpartition('-')[2]}"
        for seat in seats
    ]


def _code(outcomes: Sequence[Outcome]) -> int:
    return 0 if any(o.expected for o in outcomes) and not any(o.missing for o in outcomes) else 2


def _as_json(outcome: Outcome) -> dict[str, object]:
    return {
        "judge": outcome.judge.judge.name,
        "judge_id": outcome.judge.id,
        "expected": len(outcome.expected),
        "asked": outcome.asked,
        "missing": len(outcome.missing),
        "stale": outcome.stale,
        **{counter: getattr(outcome, counter) for counter in _REASONS},
        "unavailable": outcome.unavailable,
        "why_unavailable": outcome.why_unavailable,
    }


_REASONS = {
    "without_text": "for want of a referenced session (--sessions FOLDER, or bench fetch)",
    "out_of_time": "since the time was over (--judge-missing)",
    "out_of_budget": "since the money was spent (--budget)",
}


def _say_missing(outcomes: Sequence[Outcome]) -> None:
    if not any(o.expected for o in outcomes):
        say("nothing is expected: the selection is empty")
        return
    missing = sum(len(o.missing) for o in outcomes)
    if not missing:
        say("every expected verdict is stored")
        say("next: bench report")
        return
    say(f"{counted(missing, 'verdict')} missing")
    for counter, told in _REASONS.items():
        count = sum(getattr(o, counter) for o in outcomes)
        if count:
            say(wrapped(f"{count} {told}", "    ", "      "))
    for o in outcomes:
        if o.unavailable:
            told = f"{o.unavailable} since {o.judge.judge.name} cannot be asked here: {o.why_unavailable}"
            say(wrapped(told, "    ", "      "))


def _foretell(suite: LoadedSuite, views: Views, as_json: bool) -> int:
    with waiting("counting calls"):
        seen = foresee(suite, views)
    if as_json:
        print_json({"exit_code": 0, "judges": [
            {"judge": judge.judge.name, "judge_id": judge.id, "calls": calls, "tokens_in": cost.tokens_in,
             "tokens_out": cost.tokens_out, "usd": cost.usd} for judge, calls, cost in seen
        ]})  # fmt: skip
        return 0
    rows = [("judge", "calls due", "tokens in", "tokens out", "USD")]
    names = _names([judge for judge, _, _ in seen])
    for name, (_, calls, cost) in zip(names, seen, strict=True):
        usd = "unknown" if cost.usd is None else f"{cost.usd:.4f}"
        rows.append((name, str(calls), str(cost.tokens_in), str(cost.tokens_out), usd))
    say(columns(rows))
    say("tokens are estimated at four characters each; nobody was asked" if seen else "no judge here calls a model")
    if any(calls for _, calls, _ in seen):
        say("next: bench run --judge-missing")
    return 0
