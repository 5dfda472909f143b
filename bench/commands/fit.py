"""``bench fit``: what the development split gives: the controls' parameters, and the judges a comparator is chosen from."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from typing import get_args

from bench.benchmark import development
from bench.cases.layout import find_suite
from bench.commands.options import json_option, sessions_option, suite_option
from bench.labels.development import development_prior
from bench.measure.development_figures import DevelopmentLine
from bench.report.jsonable import Json, estimate_json
from bench.schema.suite import ComparisonEntry
from bench.terminal.say import print_json, say
from bench.terminal.table import columns
from bench.terminal.waiting import waiting
from bench.terminal.words import wrapped
from bench.workspace import load, session_folders

_METRICS = get_args(ComparisonEntry.model_fields["metric"].annotation)
_WHAT = "on development, best first; choose a comparator here and nowhere else"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    suite_option(parser)
    sessions_option(parser)
    parser.add_argument(
        "--metric",
        metavar="NAME",
        choices=_METRICS,
        default="f1",
        help=f"what a comparison will declare: one of {', '.join(_METRICS)} (default: f1)",
    )
    json_option(parser)


def run(args: argparse.Namespace) -> int:
    layout = find_suite(args.suite)
    with waiting("reading"):
        suite, labels = load(layout)
        priors = {one.id: development_prior(suite, labels, [one.id]) for one in suite.suite.statements}
    with waiting("measuring"):
        lines = development(layout, session_folders(layout, args.sessions), args.metric)
    if args.json:
        print_json(
            {"exit_code": 0, "metric": args.metric, "priors": priors, "judges": [_as_json(line) for line in lines]}
        )
    else:
        _tell(priors, lines, args.metric)
    return 0


def _as_json(line: DevelopmentLine) -> Json:
    place = {"statement": line.statement, "stratum": line.stratum, "judge": line.judge}
    return {**place, "items": line.items, **estimate_json(line.value)}


def _tell(priors: Mapping[str, str | None], lines: Sequence[DevelopmentLine], metric: str) -> None:
    for statement, share in priors.items():
        told = "nothing labelled on development" if share is None else f'parameters: {{p: "{share}"}}'
        say(wrapped(f"prior, answers: [{statement}], {told}"))
    for place in dict.fromkeys((line.statement, line.stratum) for line in lines):
        mine = [line for line in lines if (line.statement, line.stratum) == place]
        say()
        say(wrapped(f"{metric} of {place[0]} on {place[1]}, {_WHAT}"))
        say(columns([("judge", metric, "items"), *((one.judge, one.value.cell(), str(one.items)) for one in mine)]))
    say("next: write priors and the comparator into suite.yaml, then bench run")
