"""``bench import``: turn a recorded session into a case."""

from __future__ import annotations

import argparse
import random
from pathlib import Path

from bench.cases.layout import find_suite
from bench.cases.load import load_suite
from bench.cases.scaffold import case_text, free_id, note_text, write_case
from bench.commands.ids import id_word
from bench.commands.judge import import_lines
from bench.commands.options import suite_option
from bench.problems import BrokenInput, Problem, shorten
from bench.projection.presets import PRESETS
from bench.projection.project import project
from bench.traces.detect import READERS, read_session


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("session", type=Path, help="a recorded session; its format is told from its content")
    parser.add_argument("--format", choices=tuple(READERS), help="overrule the detected format")
    parser.add_argument("--id", type=id_word, help="give the id yourself (default: a free opaque one)")
    parser.add_argument("--family", type=id_word, help="the family the case belongs to (default: one of its own)")
    parser.add_argument("--stratum", help="default: the last stratum of the suite")
    parser.add_argument("--query", help="what the person wants (default: the first typed prompt)")
    suite_option(parser)


def run(args: argparse.Namespace) -> int:
    layout = find_suite(args.suite)
    suite = load_suite(layout, splits_may_lag=True)
    session = read_session(args.session, args.format)
    if not session.events:
        fix = "give a session that holds at least one prompt, message or call"
        raise BrokenInput([Problem(str(args.session), None, None, None, "no events", fix)])
    prompts = [
        event.text for event in session.events if event.kind == "prompt" and event.origin == "human" and event.text
    ]
    query = args.query or (prompts[0] if prompts else "What the session was asked to do.")
    clean = project(PRESETS["events"], query, session.harness, session.events)  # a case holds no secret of its session
    case_id = args.id or free_id(suite, random.Random())
    stratum = args.stratum or suite.suite.strata[-1].id
    text = case_text(
        suite, case_id, family=args.family or f"family-{case_id}", stratum=stratum,
        query=shorten(" ".join(clean.query.split()), 300),
        harness=session.harness, events=clean.events, model=session.model,
    )  # fmt: skip
    path, _ = write_case(suite, case_id, stratum, text, note_text(case_id, suite, "importer"))
    for line in import_lines(args.session, session):
        print(line)
    print(f"case: {layout.shown(path)}, {len(session.events)} events, {clean.redactions} secrets redacted")
    print(
        "next: check query and metadata, then bench split, bench lint, bench label --annotator NAME --case " + case_id
    )
    return 0
