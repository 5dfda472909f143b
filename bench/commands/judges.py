"""``bench judges``: the judges there are."""

from __future__ import annotations

import argparse

from bench.commands.options import json_option
from bench.judges.registry import names
from bench.terminal.say import print_json, say
from bench.terminal.words import hanging

_YOURS = {"PATH.rule.yaml": "a rule file of yours", "MODULE:CLASS": "a Python class of yours"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    json_option(parser)


def run(args: argparse.Namespace) -> int:
    if args.json:
        print_json({"exit_code": 0, "judges": list(names()), "yours": list(_YOURS)})
        return 0
    for name in names():
        say(name)
    for name, meaning in _YOURS.items():
        say(hanging(name, meaning, 20))
    say("next: bench judge SESSION --judge NAME")
    return 0
