"""``bench estimate``: how many sessions without a label really hold, by a judge that was measured on labelled ones."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from bench import __version__
from bench.cases.layout import find_suite
from bench.commands.options import json_option, sessions_option, suite_option
from bench.estimating.prevalence import Prevalence, Settings, estimate_prevalence
from bench.estimating.reading import ReadLabelled, ReadPool, Source, read_pool, read_tables
from bench.estimating.suite_side import read_suite_side
from bench.estimating.told import assumptions, estimates, remarks, sentence
from bench.measure.estimand import LEVEL
from bench.measure.one_metric import SEED
from bench.measure.told import figures_table
from bench.problems import BrokenInput, CannotDecide, Problem
from bench.tables import NO_COLUMN
from bench.terminal.say import print_json, say
from bench.terminal.waiting import waiting
from bench.terminal.words import counted, wrapped
from bench.workspace import session_folders

FORMAT = 1
ESTIMATED, CANNOT_DECIDE = 0, 2
_ROLES = ("label", "verdict", "probability", "group", "id")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "tables", metavar="TABLE", type=Path, nargs="+",
        help="LABELLED and UNLABELLED (CSV, JSONL or Parquet; UNLABELLED may be a run of a judge); with --judge: UNLABELLED",
    )  # fmt: skip
    for role, what in (
        ("label", "what a person says: yes or no; of the labelled table"),
        ("verdict", "what the judge says"),
        ("probability", "the judge's probability of yes"),
        ("group", "rows that hang together: session, document, with --pass the case"),
        ("id", "the item's name, to find rows that stand twice"),
    ):
        text = f"column of both tables: {what} (guessed by its name if not given; {NO_COLUMN} for none)"
        parser.add_argument(f"--{role}", metavar="COL", help=text)
    parser.add_argument("--positive", metavar="VALUE", help="the value that means yes")
    parser.add_argument(
        "--labels-are-random-sample", action="store_true",
        help="the labelled rows were drawn at random from this very pool: adds PPI++, unless a shift shows",
    )  # fmt: skip
    parser.add_argument(
        "--pass", dest="by_group", action="store_true", help="pass@1: the mean over groups, each of them a case"
    )
    suite_option(parser)
    parser.add_argument("--judge", metavar="NAME", help="labelled side from the suite: this judge's stored verdicts")
    parser.add_argument("--statement", metavar="ID", help="of the suite")
    parser.add_argument("--stratum", metavar="ID", help="of the suite, drawn at random (default: the primary one)")
    sessions_option(parser)
    json_option(parser)


def run(args: argparse.Namespace) -> int:
    settings = _settings(args)
    with waiting("reading"):
        labelled, pool = _read(args)
    with waiting("estimating"):
        found = estimate_prevalence(labelled.side, pool.side, settings)
    code = ESTIMATED if found.status == "estimated" else CANNOT_DECIDE
    if args.json:
        print_json(_as_json(found, labelled.source, pool.source, code))
    else:
        say("\n".join(_lines(found, labelled.source, pool.source, code)))
    return code


def _settings(args: argparse.Namespace) -> Settings:
    try:
        return Settings(args.by_group, args.labels_are_random_sample, SEED)
    except ValueError as error:
        raise _wrong_use(str(error), "leave out --pass or --labels-are-random-sample") from None


def _read(args: argparse.Namespace) -> tuple[ReadLabelled, ReadPool]:
    named = {role: getattr(args, role) for role in _ROLES}
    from_suite = args.judge is not None
    wanted = 1 if from_suite else 2
    if len(args.tables) != wanted:
        fix = "give LABELLED and UNLABELLED; or UNLABELLED alone with --judge NAME --statement ID"
        raise _wrong_use(f"{counted(len(args.tables), 'table')}, where {wanted} are wanted", fix)
    if from_suite:
        if args.statement is None:
            raise _wrong_use("--judge without --statement", "say which statement was judged: --statement ID")
        layout = find_suite(args.suite)
        folders = session_folders(layout, args.sessions)
        labelled = read_suite_side(layout, folders, args.judge, args.statement, args.stratum)
    else:
        if stray := [flag for flag in ("suite", "statement", "stratum") if getattr(args, flag) is not None]:
            raise _wrong_use(f"--{stray[0]} beside two tables", "add --judge NAME and leave out the labelled table")
        return read_tables(args.tables[0], args.tables[1], named, args.positive, args.by_group)
    pool = read_pool(args.tables[0], named, args.positive, labelled, args.by_group)
    mine, theirs = labelled.source.judge, pool.source.judge
    if mine is not None and theirs is not None and mine != theirs:
        raise CannotDecide(f"the class rates are those of {mine}, the verdicts on the pool are of {theirs}")
    return labelled, pool


def _lines(found: Prevalence, labelled: Source, pool: Source, code: int) -> Iterator[str]:
    yield wrapped(sentence(found))
    yield ""
    yield from figures_table(estimates(found), found.settings.level)
    yield ""
    yield from map(wrapped, remarks(found))
    yield ""
    yield from (wrapped(f"assumed: {text}") for text in assumptions(found, (labelled.judge, pool.judge)))
    yield from (wrapped(text) for text in _signature(found, (labelled, pool)))
    yield wrapped(f"{_outcome(found)} [exit {code}]")


def _signature(found: Prevalence, sources: Sequence[Source]) -> Iterator[str]:
    for side, source in zip(("labelled", "pool"), sources, strict=True):
        yield f"{side}: {source.name}, sha256 {source.digest[:12]}; {source.told}"
    yield f"seed {found.settings.seed}, {found.settings.resamples} resamples, level {LEVEL:g}, bench {__version__}"


def _outcome(found: Prevalence) -> str:
    return found.status if found.reason is None else f"{found.status}: {found.reason}"


def _as_json(found: Prevalence, labelled: Source, pool: Source, code: int) -> dict[str, Any]:
    return {
        "format": FORMAT,
        "exit_code": code,
        "outcome": _outcome(found),
        "sentence": sentence(found),
        **found.to_dict(),
        "remarks": list(remarks(found)),
        "assumptions": assumptions(found, (labelled.judge, pool.judge)),
        "sources": {
            side: {"name": source.name, "sha256": source.digest, "told": source.told, "judge": source.judge}
            for side, source in (("labelled", labelled), ("pool", pool))
        },
        "bench": __version__,
    }


def _wrong_use(found: str, fix: str) -> BrokenInput:
    return BrokenInput([Problem("command line", None, None, None, found, fix)])
