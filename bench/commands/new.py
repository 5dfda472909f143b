"""``bench new``: scaffold a case and its note."""

from __future__ import annotations

import argparse
import getpass
import random
import re

from bench.cases.layout import find_suite
from bench.cases.load import load_suite
from bench.cases.scaffold import case_text, free_id, note_text, write_case
from bench.commands.ids import id_word


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("suite", nargs="?", help="suite, by name or path (default: the only one)")
    parser.add_argument("--id", type=id_word, help="give the id yourself (default: a free opaque one)")
    parser.add_argument("--family", type=id_word, help="the family the case belongs to (default: one of its own)")
    parser.add_argument("--stratum", help="default: the last authored stratum of the suite")
    parser.add_argument("--query", default="What the person wants, in one sentence.")
    parser.add_argument("--author", help="your name in the note (default: the login name)")


def run(args: argparse.Namespace) -> int:
    layout = find_suite(args.suite)
    suite = load_suite(layout, splits_may_lag=True)
    case_id = args.id or free_id(suite, random.Random())
    strata = [stratum.id for stratum in suite.suite.strata]
    authored = [stratum.id for stratum in suite.suite.strata if stratum.design != "random_sample"] or strata
    stratum = args.stratum or authored[-1]
    harness = next(iter(suite.suite.vocabulary.harness))
    text = case_text(
        suite,
        case_id,
        family=args.family or f"family-{case_id}",
        stratum=stratum,
        query=args.query,
        harness=harness,
        events=None,
    )
    author = re.sub(r"[^A-Za-z0-9._-]+", "-", args.author or getpass.getuser()).strip("-") or "author"
    case_path, note_path = write_case(suite, case_id, stratum, text, note_text(case_id, suite, author))
    print(
        f"case: {layout.shown(case_path)}\nnote: {layout.shown(note_path)} (for people who review, never for annotators)"
    )
    print("next: write both, then bench split, bench lint, bench label --annotator NAME --case " + case_id)
    return 0
