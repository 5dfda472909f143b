"""``bench fit``: what the development split gives: the controls' parameters, and the judges a comparator is chosen from."""

from __future__ import annotations

import argparse
from typing import get_args

from bench.benchmark import development
from bench.cases.layout import find_suite
from bench.commands.options import sessions_option, suite_option
from bench.labels.development import development_prior
from bench.schema.suite import ComparisonEntry
from bench.workspace import load, session_folders

_WHAT = "on development, best first; choose a comparator here and nowhere else"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    suite_option(parser)
    sessions_option(parser)
    parser.add_argument(
        "--metric",
        choices=get_args(ComparisonEntry.model_fields["metric"].annotation),
        default="f1",
        help="the metric a comparison will declare (default: f1)",
    )


def run(args: argparse.Namespace) -> int:
    layout = find_suite(args.suite)
    suite, labels = load(layout)
    for statement in suite.suite.statements:
        share = development_prior(suite, labels, [statement.id])
        told = "nothing labelled on development" if share is None else f'parameters: {{p: "{share}"}}'
        print(f"prior, answers: [{statement.id}], {told}")
    lines = development(layout, session_folders(layout, args.sessions), args.metric)
    for place in dict.fromkeys((line.statement, line.stratum) for line in lines):
        print(f"\n{args.metric} of {place[0]} on {place[1]}, {_WHAT}")
        for line in lines:
            if (line.statement, line.stratum) == place:
                print(f"  {line.judge:<36} {line.value.cell()}  ({line.items} items)")
    return 0
