"""``bench triage``: draw what to label next with known chances, and estimate from the labels that came in."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from bench import __version__
from bench.cases.layout import find_suite
from bench.commands.options import json_option, sessions_option, suite_option
from bench.deciding.certificate import Certificate, read_certificate
from bench.measure.estimand import LEVEL
from bench.problems import BrokenInput, CannotDecide, Problem
from bench.reading.strict_yaml import read_yaml
from bench.reading.validate import validate
from bench.schema.statement import YesNo
from bench.schema.suite import Suite
from bench.terminal.say import print_json, say
from bench.terminal.table import columns
from bench.terminal.waiting import waiting
from bench.terminal.words import counted, wrapped
from bench.traces.detect import NAMES
from bench.triage.answers import Answered, answered
from bench.triage.design import LEAST_RANDOM
from bench.triage.files import ItemLabel, Triage, read_label_table, read_triage, write_list, write_triage
from bench.triage.pool import DEFAULT_THRESHOLDS, Pool, Wanted, draw_triage, listed, one_judge
from bench.triage.session_pool import session_pool
from bench.triage.suite_pool import suite_labels, suite_pool
from bench.triage.told import drawn_lines, estimates, remarks, sentence
from bench.workspace import session_folders

FORMAT = 1
DRAWN, ESTIMATED, CANNOT_DECIDE = 0, 0, 2


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "files", metavar="SESSION", type=Path, nargs="*",
        help="sessions that bench judge has judged (default: a suite's items without votes); with --estimate: the filled-in "
        "list of labels (default: the suite's votes)",
    )  # fmt: skip
    parser.add_argument("--estimate", metavar="FILE", type=Path, help="draw nothing: weigh the labels of this draw")
    parser.add_argument("--statement", metavar="ID", help="what is to be labelled")
    parser.add_argument("--judge", metavar="NAME", action="append", default=[], help="only these judges, by name or id")
    parser.add_argument("--stratum", metavar="ID", action="append", default=[], help="of the suite: only these strata")
    parser.add_argument("--size", metavar="N", type=int, default=50, help="how many, about (default: 50)")
    parser.add_argument(
        "--random-share", metavar="SHARE", type=float, default=0.5,
        help=f"at least so much of it is a simple random sample (default: .5; least: {LEAST_RANDOM:g})",
    )  # fmt: skip
    parser.add_argument(
        "--threshold", metavar="P", type=float, action="append", help="where a decision turns (default: .5)"
    )
    parser.add_argument(
        "--certificate", metavar="FILE", type=Path, help="take judge and thresholds of this certificate"
    )
    parser.add_argument("--seed", metavar="N", type=int, default=1, help="of the draw (default: 1)")
    parser.add_argument(
        "--out", metavar="FILE", type=Path, default=Path("triage.jsonl"),
        help="the draw with its chances, not for annotators (default: triage.jsonl)",
    )  # fmt: skip
    parser.add_argument(
        "--list", metavar="FILE", type=Path, default=Path("to-label.csv"), help="what to label (default: to-label.csv)"
    )
    parser.add_argument(
        "--store", metavar="FOLDER", type=Path, default=Path(".bench/runs"), help="default: .bench/runs"
    )
    parser.add_argument("--format", metavar="NAME", choices=NAMES, help="overrule the detected format of the sessions")
    json_option(parser)
    suite_option(parser)
    sessions_option(parser)


def run(args: argparse.Namespace) -> int:
    return _estimate(args) if args.estimate is not None else _draw(args)


def _draw(args: argparse.Namespace) -> int:
    certificate = None if args.certificate is None else read_certificate(args.certificate)
    wanted = _wanted(args, certificate)
    if args.statement is None:
        raise _wrong_use("no --statement", "say what is to be labelled: --statement ID of the suite")
    with waiting("reading"):
        pool = _pool(args)
    if certificate is not None:
        pool = one_judge(pool, certificate.judge.id)
    triage = draw_triage(pool, wanted)
    for path in (args.out, args.list):
        if path.exists():
            fix = "give another --out and --list: the labels of that draw can be weighed by its file alone"
            raise BrokenInput([Problem(path.as_posix(), None, None, None, "the file exists already", fix)])
    write_triage(triage, args.out)
    write_list(listed(triage), args.list)
    if args.json:
        print_json(_drawn_json(args, pool, triage))
        return DRAWN
    for line in drawn_lines(pool, triage):
        say(wrapped(line))
    say(wrapped(f"to label: {args.list.as_posix()}, in an order that tells nothing"))
    say(wrapped(f"kept: {args.out.as_posix()}, with every chance and verdict: not for annotators"))
    for line in _next(args, triage):
        say(wrapped(line))
    return DRAWN


def _next(args: argparse.Namespace, triage: Triage) -> Iterator[str]:
    if args.files:
        yield f"next: fill in the labels, then bench triage --estimate {args.out.as_posix()} {args.list.as_posix()}"
        return
    cases = " ".join(dict.fromkeys(f"--case {item.partition('/')[0]}" for item, _ in listed(triage)))
    yield f"next: bench label --annotator NAME {cases}"
    yield f"then: bench triage --estimate {args.out.as_posix()}"


def _pool(args: argparse.Namespace) -> Pool:
    if not args.files:
        layout = find_suite(args.suite)
        return suite_pool(layout, session_folders(layout, args.sessions), args.statement, args.judge, args.stratum)
    if args.stratum:
        raise _wrong_use("--stratum beside sessions", "leave it out: sessions are stratified by their harness")
    return session_pool(args.files, args.store, _statement(args), args.judge, args.format)


def _statement(args: argparse.Namespace) -> YesNo:
    path = find_suite(args.suite).suite / "suite.yaml"
    document = read_yaml(path, path.name)
    suite = document if isinstance(document, list) else validate(document, Suite)
    if isinstance(suite, list):
        raise BrokenInput(suite)
    able = [one for one in suite.statements if isinstance(one, YesNo)]
    for one in able:
        if one.id == args.statement:
            return one
    known = ", ".join(one.id for one in able)
    raise BrokenInput([Problem("--statement", None, None, None, repr(args.statement), f"use one of {known}")])


def _wanted(args: argparse.Namespace, certificate: Certificate | None) -> Wanted:
    if args.size < 1:
        raise _wrong_use(f"--size {args.size}", "ask for one at least")
    if not LEAST_RANDOM <= args.random_share <= 1:
        fix = f"give {LEAST_RANDOM:g} to 1: with less, the estimates hang on a handful of sessions"
        raise _wrong_use(f"--random-share {args.random_share:g}", fix)
    given = tuple(args.threshold or ())
    if any(not 0 < t < 1 for t in given):
        raise _wrong_use("a --threshold outside 0 to 1", "give a probability, without the ends")
    wanted = Wanted(args.size, args.random_share, args.seed, given or DEFAULT_THRESHOLDS)
    if certificate is None:
        return wanted
    if given:
        raise _wrong_use("--threshold beside --certificate", "the certificate has its own: leave one of the two out")
    return replace(wanted, thresholds=_thresholds(certificate, args.statement))


def _thresholds(certificate: Certificate, statement: str | None) -> tuple[float, ...]:
    """Where the certified policy turns, on the judge's own scale."""
    policy = certificate.policy
    if policy.statements != (statement,) or certificate.judge.scales.get(statement or "") != "probability":
        raise CannotDecide(
            f"the certificate decides on {', '.join(policy.statements)} and needs to read a probability of {statement} alone; "
            "give --threshold in its place"
        )
    turned = [1 - band.threshold if statement in policy.must_not else band.threshold for band in certificate.bands]
    inside = tuple(sorted({t for t in turned if 0 < t < 1}))
    if not inside:
        raise CannotDecide("the certificate's thresholds lie at the ends of the scale, where nothing is uncertain")
    return inside


def _estimate(args: argparse.Namespace) -> int:
    if len(args.files) > 1:
        raise _wrong_use(
            f"{counted(len(args.files), 'table')} of labels", "give one, or none to take the suite's votes"
        )
    triage = read_triage(args.estimate)
    with waiting("weighing the labels"):
        found = answered(triage, _labels(args, triage))
    code = ESTIMATED if found.decided else CANNOT_DECIDE
    if args.json:
        print_json(_estimate_json(found, triage, code))
    else:
        say("\n".join(_estimate_lines(found, triage, code)))
    return code


def _labels(args: argparse.Namespace, triage: Triage) -> Mapping[str, ItemLabel]:
    if args.files:
        return read_label_table(args.files[0], triage)
    if triage.head.source == "sessions":
        raise _wrong_use("no labels", f"give the filled-in list: bench triage --estimate {args.estimate} to-label.csv")
    return suite_labels(find_suite(args.suite), triage)


def _estimate_lines(found: Answered, triage: Triage, code: int) -> Iterator[str]:
    yield wrapped(sentence(found, triage.head.statement))
    yield ""
    rows = [("figure", "estimate", "rows")]
    last = ""
    for judge, estimate in estimates(found):
        if judge != last:
            rows.append((judge, "", ""))
            last = judge
        defined = estimate.value is not None
        rows.append(
            (("  " if judge else "") + estimate.name, estimate.cell() if defined else "n/a", str(estimate.families))
        )
    yield columns(rows)
    for judge, estimate in estimates(found):
        if estimate.undefined is not None:
            yield wrapped(f"n/a: {' '.join(filter(None, (judge, estimate.name)))}: {estimate.undefined}")
    yield ""
    yield from map(wrapped, remarks(found))
    yield wrapped(_signature(triage))
    yield wrapped(f"{_outcome(found)} [exit {code}]")


def _signature(triage: Triage) -> str:
    head = triage.head
    return (
        f"draw {triage.digest[:12]} from {head.source}, {counted(head.units, 'session')} {head.pool[:12]}, "
        f"seed {head.seed}, random share {head.random_share:g}, level {LEVEL:g}, bench {__version__}"
    )


def _outcome(found: Answered) -> str:
    return "estimated" if found.decided else f"cannot decide: {found.prevalence.undefined}"


def _estimate_json(found: Answered, triage: Triage, code: int) -> dict[str, Any]:
    return {
        "format": FORMAT,
        "exit_code": code,
        "outcome": _outcome(found),
        "sentence": sentence(found, triage.head.statement),
        "statement": triage.head.statement,
        **found.to_dict(),
        "remarks": list(remarks(found)),
        "draw": {"digest": triage.digest, **triage.head.model_dump(mode="json")},
        "level": LEVEL,
        "bench": __version__,
    }


def _drawn_json(args: argparse.Namespace, pool: Pool, triage: Triage) -> dict[str, Any]:
    return {
        "format": FORMAT,
        "exit_code": DRAWN,
        "picks": len(triage.picks),
        "draw": {"digest": triage.digest, **triage.head.model_dump(mode="json")},
        "told": list(drawn_lines(pool, triage)),
        "out": args.out.as_posix(),
        "list": args.list.as_posix(),
    }


def _wrong_use(found: str, fix: str) -> BrokenInput:
    return BrokenInput([Problem("command line", None, None, None, found, fix)])
