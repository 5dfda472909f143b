"""``bench split``: give families without a split one."""

from __future__ import annotations

import argparse

from bench.cases.layout import find_suite
from bench.cases.load import load_suite
from bench.cases.split import split_families
from bench.commands.options import suite_option


def add_arguments(parser: argparse.ArgumentParser) -> None:
    suite_option(parser)


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
    for family in new:
        print(f"{family}: {families[family]}")
    print(f"{len(families)} families, {len(new)} of them new")
    return 0
