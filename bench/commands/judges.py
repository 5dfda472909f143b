"""``bench judges``: the judges there are."""

from __future__ import annotations

import argparse

from bench.judges.registry import names


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """No arguments."""


def run(args: argparse.Namespace) -> int:
    for name in names():
        print(name)
    print("PATH.rule.yaml      a rule file of yours\nMODULE:CLASS        a Python class of yours")
    return 0
