"""``bench new``: scaffold a case and its note."""

from __future__ import annotations

import argparse
import getpass
import random
import re

from bench.cases.layout import find_suite
from bench.cases.load import LoadedSuite, load_suite
from bench.cases.scaffold import QUERY, case_text, free_id, note_text, twin_text, write_case
from bench.commands.ids import id_word
from bench.commands.options import json_option
from bench.problems import BrokenInput, Problem
from bench.terminal.say import print_json, say
from bench.terminal.words import wrapped


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("suite", nargs="?", help="suite, by name or path (default: the only one)")
    parser.add_argument("--suite", dest="suite_named", metavar="NAME", help="the same, as other commands have it")
    parser.add_argument("--id", type=id_word, help="give the id yourself (default: a free opaque one)")
    parser.add_argument("--family", type=id_word, help="the family the case belongs to (default: one of its own)")
    parser.add_argument("--stratum", help="default: the last authored stratum of the suite")
    parser.add_argument("--query", help="what the person wants, in one sentence")
    parser.add_argument("--twin-of", metavar="ID", help="start as a copy of this case, in its family and stratum")
    parser.add_argument("--author", help="your name in the note (default: the login name)")
    json_option(parser)


def run(args: argparse.Namespace) -> int:
    layout = find_suite(args.suite or args.suite_named)
    suite = load_suite(layout, splits_may_lag=True)
    case_id = args.id or free_id(suite, random.Random())
    stratum, text = _twin(args, suite, case_id) if args.twin_of else _fresh(args, suite, case_id)
    author = author_word(args.author or getpass.getuser())
    case_path, note_path = write_case(suite, case_id, stratum, text, note_text(case_id, suite, author))
    case, note = layout.shown(case_path), layout.shown(note_path)
    if args.json:
        print_json({"exit_code": 0, "id": case_id, "stratum": stratum, "case": case, "note": note})
        return 0
    say(wrapped(f"case: {case}"))
    say(wrapped(f"note: {note} (for people who review, never for annotators)"))
    write = "change the decisive fact and nothing else; write the note" if args.twin_of else "write both"
    say(wrapped(f"next: {write}; then bench split, bench lint, bench label --annotator NAME --case {case_id}"))
    return 0


def author_word(name: str) -> str:
    """A name as the note's id of its author."""
    return re.sub(r"[^A-Za-z0-9._-]+", "-", name).strip("-") or "author"


def _fresh(args: argparse.Namespace, suite: LoadedSuite, case_id: str) -> tuple[str, str]:
    strata = [stratum.id for stratum in suite.suite.strata]
    authored = [stratum.id for stratum in suite.suite.strata if stratum.design != "random_sample"] or strata
    stratum = args.stratum or authored[-1]
    text = case_text(
        suite,
        case_id,
        family=args.family or f"family-{case_id}",
        stratum=stratum,
        query=args.query or QUERY,
        harness=next(iter(suite.suite.vocabulary.harness)),
        events=None,
    )
    return stratum, text


def _twin(args: argparse.Namespace, suite: LoadedSuite, case_id: str) -> tuple[str, str]:
    given = [name for name in ("family", "stratum", "query") if getattr(args, name) is not None]
    if given:
        fix = f"leave --{given[0]} out: a twin has all of it from its case"
        raise BrokenInput([Problem(f"--{given[0]}", None, None, None, "given beside --twin-of", fix)])
    for loaded in suite.cases:
        if loaded.case.id == args.twin_of:
            return loaded.case.stratum, twin_text(loaded, case_id)
    raise BrokenInput([Problem("--twin-of", None, None, None, f"no case {args.twin_of!r}", "name a case of the suite")])
