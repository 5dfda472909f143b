"""``bench new``: scaffold a case and its note."""

from __future__ import annotations

import argparse
import getpass
import random
import re

from bench.cases.layout import find_suite
from bench.cases.load import load_suite
from bench.cases.scaffold import case_text, free_id, note_text, write_new
from bench.problems import BrokenInput, Problem


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("suite", nargs="?", help="suite, by name or path (default: the only one)")
    parser.add_argument("--id", help="give the id yourself (default: a free opaque one)")
    parser.add_argument("--family", help="the family the case belongs to (default: one of its own)")
    parser.add_argument("--stratum", help="default: the last authored stratum of the suite")
    parser.add_argument("--query", default="What the person wants, in one sentence.")
    parser.add_argument("--author", help="your name in the note (default: the login name)")


def run(args: argparse.Namespace) -> int:
    layout = find_suite(args.suite)
    suite = load_suite(layout)
    case_id = args.id or free_id(suite, random.Random())
    strata = [stratum.id for stratum in suite.suite.strata]
    authored = [stratum.id for stratum in suite.suite.strata if stratum.design != "random_sample"] or strata
    stratum = args.stratum or authored[-1]
    if stratum not in strata:
        raise BrokenInput([Problem("--stratum", None, None, None, repr(stratum), f"use one of {', '.join(strata)}")])
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
    case_path, note_path = layout.suite / stratum / f"{case_id}.yaml", layout.labels / "notes" / f"{case_id}.yaml"
    write_new(layout, case_path, text)
    write_new(layout, note_path, note_text(case_id, suite, author))
    print(
        f"case: {layout.shown(case_path)}\nnote: {layout.shown(note_path)} (for people who review, never for annotators)"
    )
    print("next: write both, then bench split, bench lint, bench label --annotator NAME --case " + case_id)
    return 0
