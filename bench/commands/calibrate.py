"""``bench calibrate``: prove that a judge may decide by itself, or say why not."""

from __future__ import annotations

import argparse
import json
import re
from pathlib import Path

from bench.benchmark import stored_rows
from bench.cases.layout import find_suite
from bench.certifying.asking import Case, plain_policy, suite_case, without_thresholds
from bench.certifying.certify import Asked, attempt
from bench.certifying.issue import issue
from bench.certifying.sequence import ADJUSTED, BETTING, ONE_ITEM
from bench.certifying.survey import survey
from bench.certifying.survey_text import survey_json, survey_lines, survey_markdown
from bench.certifying.text import attempt_json, attempt_lines
from bench.commands.calibrate_input import (
    ROLES,
    calibrators_of,
    moment_of,
    path_of,
    population_of,
    share,
    table_of,
    targets_of,
    wrong,
)
from bench.commands.options import json_option, sessions_option, suite_option
from bench.deciding.certificate import write_certificate
from bench.deciding.policy import DISCARD, PROMOTE
from bench.policies.attempts import judged_suites, named
from bench.policies.files import policy_named
from bench.terminal.say import print_json, say
from bench.terminal.waiting import waiting
from bench.whole_file import write_whole
from bench.workspace import session_folders, statement_of, stratum_of

METHODS = {"one-item": ONE_ITEM, "betting": BETTING, "adjusted": ADJUSTED}
SURVEYED = (0.1, 0.2)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("judge", metavar="JUDGE", nargs="?", help="a judge of the suite (default: try every one)")
    suite_option(parser)
    sessions_option(parser)
    parser.add_argument("--stratum", metavar="ID", help="whose calibration rows (default: the primary one)")
    parser.add_argument("--statement", metavar="ID", help="what is decided about (default: the critical one)")
    parser.add_argument("--policy", metavar="FILE:ID", help="a policy of a file (docs/policies.md) instead")
    for band, meaning in ((PROMOTE, "promoted"), (DISCARD, "discarded")):
        told = f"prove that at most this share of what is {meaning} is wrong"
        parser.add_argument(f"--{band}", metavar="SHARE", type=share, help=told)
    parser.add_argument("--confidence", metavar="SHARE", type=share, default=0.95, help="over all bands (default: .95)")
    parser.add_argument("--method", choices=tuple(METHODS), default="one-item", help="for families (default: one-item)")
    parser.add_argument("--path", metavar="FROM:TO:STEP", help="thresholds, strict to loose (default: by the scale)")
    parser.add_argument(
        "--calibrator", metavar="FILE", type=Path, help="a map of `bench recalibrate` for the statement"
    )
    parser.add_argument("--population", metavar="TEXT", help="the stream that the labels stand for")
    parser.add_argument(
        "--random-sample-of-stream", action="store_true", help="declare the labels a random sample of that stream"
    )
    parser.add_argument("--require-human-labels", action="store_true", help="refuse labels of models")
    parser.add_argument("--partial", action="store_true", help="also issue where only one of two bands is proved")
    parser.add_argument("--days", metavar="N", type=int, default=90, help="until it expires (default: 90)")
    parser.add_argument("--issued", metavar="MOMENT", help="with its zone (default: now)")
    parser.add_argument("--seed", metavar="N", type=int, default=0, help="of the draw within families (default: 0)")
    parser.add_argument("--out", metavar="FILE", type=Path, help="where to write (default: JUDGE_ID.certificate.json)")
    json_option(parser)
    group = parser.add_argument_group("a table instead of a suite (columns as in `bench check`)")
    group.add_argument("--table", metavar="FILE", type=Path, help="CSV, JSONL or Parquet, one row per session")
    for role in ROLES:
        group.add_argument(f"--{role}", metavar="COL", help=f"column of the {role}")
    group.add_argument("--positive", metavar="VALUE", help="the value that means yes")
    group.add_argument("--judge-id", metavar="TEXT", help="the identity under which verdicts will come to the gate")
    group.add_argument(
        "--statement-text",
        metavar="TEXT",
        action="append",
        help="the words that the judge was asked (ID=TEXT for several)",
    )
    group.add_argument("--labels-by", choices=("person", "model_assisted", "model"), help="who labelled")
    group.add_argument("--synthetic", action="store_true", help="mark it as made from invented data")


def run(args: argparse.Namespace) -> int:
    if not 0 < args.days <= 3660:
        raise wrong("--days", str(args.days), "give 1 to 3660")
    if args.table is None and args.judge is None:
        return _survey(args)
    case = table_of(args) if args.table is not None else _of_suite(args)
    path = path_of(args.path)
    with waiting("calibrating"):
        attempted = attempt(case.material, _asked(args), path)
    refused = None
    if args.require_human_labels and not case.labels.human:
        votes = ", ".join(f"{count} of {kind}" for kind, count in case.labels.votes.items()) or "no votes"
        refused = f"labels of persons are required (--require-human-labels), and the labels here rest on {votes}"
    certificate = out = None
    if refused is None and (attempted.issued or (args.partial and attempted.policy is not None)):
        maps = calibrators_of(args.calibrator, case.statements[0].id)
        certificate = issue(case, attempted, moment_of(args.issued), args.days, maps)
        out = args.out or Path(f"{re.sub('[^A-Za-z0-9.-]+', '-', certificate.judge.id)}.certificate.json")
        write_certificate(certificate, out)
    if args.json:
        print_json(attempt_json(case, attempted, certificate, refused, out))
    else:
        say("\n".join(attempt_lines(case, attempted, certificate, refused, out)))
    return 0 if certificate is not None and attempted.issued else 2


def _asked(args: argparse.Namespace) -> Asked:
    return Asked(targets_of(args), round(1 - args.confidence, 12), METHODS[args.method], args.seed)


def _survey(args: argparse.Namespace) -> int:
    """Every judge, each band and target for itself."""
    layout = find_suite(args.suite)
    with waiting("reading"):
        suite, labels, rows = stored_rows(layout, session_folders(layout, args.sessions))
    targets = tuple(dict.fromkeys(t for t in (args.promote, args.discard) if t is not None)) or SURVEYED
    stratum = stratum_of(suite, args.stratum)
    policy = plain_policy(statement_of(suite, args.statement))
    with waiting("calibrating"):
        found = survey(suite, labels, rows, policy, stratum, targets, _asked(args))
    if args.out is not None:
        write_whole(args.out, "\n".join(survey_markdown(found)) + "\n")
        write_whole(args.out.with_suffix(".json"), json.dumps(survey_json(found), indent=1, allow_nan=False) + "\n")
    if args.json:
        print_json(survey_json(found))
    else:
        say("\n".join(survey_lines(found)))
    return 0 if found.issued else 2


def _of_suite(args: argparse.Namespace) -> Case:
    layout = find_suite(args.suite)
    with waiting("reading"):
        suite, labels, rows = stored_rows(layout, session_folders(layout, args.sessions))
    stratum = stratum_of(suite, args.stratum)
    policy = (
        plain_policy(statement_of(suite, args.statement))
        if args.policy is None
        else without_thresholds(policy_named(args.policy))
    )
    answering = [one for one in judged_suites(rows) if set(policy.statements) & set(one.scales)]
    population = population_of(args, f"{suite.suite.id} {suite.suite.version}, {stratum.id}", stratum.design)
    return suite_case(suite, labels, rows, named(answering, args.judge), policy, stratum, population)
