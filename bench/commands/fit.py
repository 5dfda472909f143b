"""``bench fit``: what the development split gives for the controls' parameters."""

from __future__ import annotations

import argparse

from bench.cases.layout import find_suite
from bench.commands.options import suite_option
from bench.labels.development import development_prior
from bench.workspace import load


def add_arguments(parser: argparse.ArgumentParser) -> None:
    suite_option(parser)


def run(args: argparse.Namespace) -> int:
    suite, labels = load(find_suite(args.suite))
    for statement in suite.suite.statements:
        share = development_prior(suite, labels, [statement.id])
        told = "nothing labelled on development" if share is None else f'parameters: {{p: "{share}"}}'
        print(f"prior, answers: [{statement.id}], {told}")
    return 0
