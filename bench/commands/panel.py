"""``bench panel``: panels and cascades of stored judges: quality, review share, cost and time."""

from __future__ import annotations

import argparse
import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from bench.benchmark import stored_rows
from bench.cases.layout import find_suite
from bench.cases.load import LoadedSuite
from bench.commands.options import json_option, sessions_option, suite_option
from bench.measure.metrics import METRICS
from bench.measure.signature import sign
from bench.policies.cascade import REVIEW_AT_MOST
from bench.policies.panels import Asked, study
from bench.problems import BrokenInput, Problem
from bench.report.panels import study_lines
from bench.report.panels_json import study_json
from bench.report.plots.frontier import draw_frontier
from bench.terminal.say import print_json, say
from bench.terminal.waiting import waiting
from bench.terminal.words import wrapped
from bench.workspace import session_folders, statement_of, stratum_of

_METRICS = ("balanced_accuracy", "accuracy", "f1", "mcc", "precision", "recall", "specificity")
_FIGURES = (".svg", ".png")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    suite_option(parser)
    parser.add_argument("--statement", metavar="ID", help="default: the suite's critical yes / no statement")
    parser.add_argument("--stratum", metavar="ID", help="default: the suite's primary stratum")
    parser.add_argument("--members", metavar="NAME,...", help="judges by name or id (default: all but the controls)")
    parser.add_argument(
        "--metric", metavar="NAME", choices=_METRICS, default=_METRICS[0],
        help=f"one of {', '.join(_METRICS)} (default: {_METRICS[0]})",
    )  # fmt: skip
    parser.add_argument(
        "--cascade",
        metavar="A>B[@LO:HI]",
        action="append",
        default=[],
        help="ask A, and B where A's value lies from LO to HI or is missing; further judges, or review (a person), may "
        "follow; without a band, development chooses it (default: the best code judge, then each model)",
    )
    parser.add_argument("--weights", metavar="W,...", help="of the weighted panel, one a member (default: fitted)")
    parser.add_argument("--floor", metavar="N", type=int, help="answers a panel needs (default: more than half)")
    parser.add_argument(
        "--review-at-most",
        metavar="SHARE",
        type=float,
        default=REVIEW_AT_MOST,
        help=f"where a chosen band leads to review (default: {REVIEW_AT_MOST:g})",
    )
    parser.add_argument("--plot", metavar="OUT.svg", type=Path, help="draw quality against cost and time")
    json_option(parser)
    sessions_option(parser)


def run(args: argparse.Namespace) -> int:
    if args.plot is not None:
        _check_plot(args.plot)
    layout = find_suite(args.suite)
    with waiting("reading"):
        suite, labels, judged = stored_rows(layout, session_folders(layout, args.sessions))
    asked = _asked(args, suite)
    with waiting("measuring panels"):
        found = study(suite, judged, asked)
    signature = replace(sign(suite, labels, found.splits), stratum=asked.stratum.id, statement=asked.statement)
    if args.plot is not None:
        draw_frontier(found, args.plot, suite.suite.id)
    if args.json:
        print_json(study_json(found, str(signature), 0))
    else:
        say("\n".join(study_lines(found)))
        say()
        say(wrapped(str(signature), rest=""))
    return 0


def _asked(args: argparse.Namespace, suite: LoadedSuite) -> Asked:
    members = _words("--members", args.members)
    weights = tuple(_number(word) for word in _words("--weights", args.weights))
    if weights and len(weights) != len(members):
        raise _problem(
            "--weights", f"{len(weights)} weights for {len(members)} members", "name --members, and one weight each"
        )
    if weights and not any(weights):
        raise _problem("--weights", "only zeros", "give one member at least a weight over 0")
    if not 0 <= args.review_at_most <= 1:
        raise _problem("--review-at-most", f"{args.review_at_most:g}", "give a share from 0 to 1")
    if args.floor is not None and args.floor < 1:
        raise _problem("--floor", str(args.floor), "give 1 or more")
    if args.floor is not None and members and args.floor > len(members):
        raise _problem("--floor", f"{args.floor} of {len(members)} members", f"give {len(members)} at most")
    return Asked(
        statement=statement_of(suite, args.statement).id,
        stratum=stratum_of(suite, args.stratum),
        metric=METRICS[args.metric].name,
        members=members,
        cascades=tuple(args.cascade),
        weights=weights,
        floor=args.floor,
        review_at_most=args.review_at_most,
    )


def _one_of(flag: str, given: str, known: Sequence[str]) -> str:
    if given not in known:
        raise _problem(flag, repr(given), f"use one of {', '.join(known)}")
    return given


def _words(flag: str, text: str | None) -> tuple[str, ...]:
    words = () if text is None else tuple(word.strip() for word in text.split(","))
    if "" in words:
        raise _problem(flag, "an empty place", "write what you mean between the commas")
    return words


def _check_plot(path: Path) -> None:
    if path.suffix.lower() not in _FIGURES:
        raise _problem("--plot", repr(path.name), f"let the name end in {' or '.join(_FIGURES)}")
    if not path.parent.is_dir():
        raise _problem("--plot", f"no such folder: {path.parent.as_posix()}", "make it first")


def _number(word: str) -> float:
    try:
        value = float(word)
    except ValueError:
        value = math.nan
    if not (math.isfinite(value) and value >= 0):
        raise _problem("--weights", repr(word), "give finite numbers of at least 0")
    return value


def _problem(flag: str, found: str, fix: str) -> BrokenInput:
    return BrokenInput([Problem("command line", None, None, flag, found, fix)])
