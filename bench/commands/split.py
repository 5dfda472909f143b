"""``bench split``: give families without a split one."""

from __future__ import annotations

import argparse

from bench.cases.layout import find_suite
from bench.cases.load import load_suite
from bench.cases.split import split_families
from bench.commands.options import json_option, suite_option
from bench.terminal.say import print_json, say
from bench.terminal.words import counted


def add_arguments(parser: argparse.ArgumentParser) -> None:
    suite_option(parser)
    json_option(parser)


def run(args: argparse.Namespace) -> int:
    layout = find_suite(args.suite)
    suite = load_suite(layout, splits_may_lag=True)
    held = suite.splits
    seed = held.seed if held else suite.suite.seed
    families = split_families(suite.cases, held, seed)
    new = sorted(set(families) - set(held.families if held else {}))
    lines = ["# Written by bench split; families keep the split they have.", "schema: 1", f"seed: {seed}", "families:"]
    lines += [f"  {family}: {split}" for family, split in families.items()]
    (layout.suite / "splits.yaml").write_text("\n".join(lines) + "\n", encoding="utf-8", newline="\n")
    if args.json:
        told = {"exit_code": 0, "families": len(families), "new": {family: families[family] for family in new}}
        print_json({**told, "file": layout.shown(layout.suite / "splits.yaml")})
        return 0
    for family in new:
        say(f"{family}: {families[family]}")
    say(f"{counted(len(families), 'family')}, {len(new)} of them new")
    say("next: bench lint")
    return 0
