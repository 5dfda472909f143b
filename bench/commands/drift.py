"""``bench drift``: whether the judge or the world changed since calibration. Look as often as you like."""

from __future__ import annotations

import argparse
import math
import re
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

from bench import __version__
from bench.commands.options import json_option
from bench.deciding.certificate import Certificate, read_certificate
from bench.measure.estimate import rounded
from bench.monitoring.anchors import AnchorCheck, check_anchors, read_anchors
from bench.monitoring.detectable import POWER
from bench.monitoring.drift import Drift, Side, Tested, find_drift
from bench.monitoring.exchangeability import SEED
from bench.monitoring.live import Live, read_live, watched
from bench.problems import BrokenInput, Problem, shorten
from bench.report.jsonable import estimate_json
from bench.terminal.say import print_json, say
from bench.terminal.table import columns
from bench.terminal.waiting import waiting
from bench.terminal.words import counted, wrapped

ALPHA = 0.01
_MOST_CAPITAL = 1e6
_FLIPS = re.compile(r"(\d{1,9})/(\d{1,9})", re.ASCII)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("certificate", metavar="CERT", type=Path, help="a certificate of `bench calibrate`")
    parser.add_argument("live", metavar="LIVE", type=Path, help="its judge's answers since then: JSONL, the whole file")
    parser.add_argument("--anchors", metavar="FILE", type=Path, help="stored verdicts on its anchors, asked again")
    parser.add_argument(
        "--flips",
        metavar="K/N",
        type=flips_of,
        help="at certification K of N pairs of samples differed (default: as certified)",
    )
    parser.add_argument(
        "--alpha", metavar="RATE", type=_alpha, default=ALPHA, help=f"of a false alarm, ever (default: {ALPHA})"
    )
    parser.add_argument("--statement", metavar="ID", help="only this one; and what lines without one are about")
    json_option(parser)


def flips_of(text: str) -> tuple[int, int]:
    """K/N as it is typed. Raises ArgumentTypeError."""
    match = _FLIPS.fullmatch(text)
    if match is None or not int(match[1]) <= int(match[2]) > 0:
        raise argparse.ArgumentTypeError(f"{shorten(text)} is not K/N, such as 3/120")
    return int(match[1]), int(match[2])


def _alpha(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not 0 < value <= 0.5:
        raise argparse.ArgumentTypeError(f"{shorten(text)} is no rate of false alarms: over 0, at most .5")
    return value


def run(args: argparse.Namespace) -> int:
    certificate = read_certificate(args.certificate)
    known = watched(certificate)
    if args.statement not in (None, *known):
        fix = f"the policy reads {', '.join(known)}"
        raise BrokenInput([Problem("--statement", None, None, None, shorten(args.statement), fix)])
    live = read_live(args.live, certificate, args.statement)
    check = None
    if args.anchors is not None:
        check = check_anchors(
            certificate.anchors, read_anchors(args.anchors, certificate), args.flips or certificate.reference.flips
        )
    with waiting("testing"):
        found = find_drift(certificate, live, check, args.alpha, args.statement)
    if args.json:
        print_json(_as_json(certificate, live, found))
    else:
        say("\n".join(_lines(certificate, live, found)))
    return found.diagnosis.exit_code


def _lines(certificate: Certificate, live: Live, found: Drift) -> Iterator[str]:
    yield wrapped(f"{found.diagnosis.sentence}{_first_told(found)}.")
    yield ""
    yield columns(list(_rows(found)), gap=1)
    yield ""
    yield from map(wrapped, _anchor_notes(certificate, found.anchors))
    yield from map(wrapped, _notes(certificate, live, found))
    signature = (
        f"certificate {(certificate.seal or '')[:12]} of {certificate.judge.id}, live sha256 {live.digest[:12]}, "
        f"seed {SEED}, bench {__version__} [exit {found.diagnosis.exit_code}]"
    )
    yield wrapped(signature)


def _first_told(found: Drift) -> str:
    first = found.first
    if first is None:
        why = [f"{_name(test)}: {test.why_not}" for test in found.tests if test.why_not is not None]
        return f" ({'; '.join(why)})" if found.diagnosis.changed == "cannot decide" else ""
    when = "" if first.at is None else f", {first.at}"
    return f" (first alarm: {_name(first)}, line {first.line}{when})"


def _name(test: Tested) -> str:
    return test.kind if test.statement is None else f"{shorten(test.statement, 40)}, {test.kind}"


def _rows(found: Drift) -> Iterator[tuple[str, ...]]:
    yield "", "calibration", "live", "shift, 95 %", "capital", "alarm"
    about: str | None = ""
    for test in found.tests:
        if test.statement != about:
            about = test.statement
            yield shorten(about or "decisions", 20), "", "", "", "", ""
        for number, side in enumerate(test.sides):
            name = "score, mean" if test.kind == "score" else side.name
            told = (_capital(test), _alarm(test)) if number == 0 else ("", "")
            yield f"  {name}", _figure(side.before), _figure(side.now), _shift(side), *told


def _figure(value: float | tuple[int, int] | None) -> str:
    if value is None:
        return "n/a"
    return f"{value[0]}/{value[1]}" if isinstance(value, tuple) else f"{value:.3g}"


def _shift(side: Side) -> str:
    found = side.shift
    if found.value is None or found.low is None or found.high is None:
        return "n/a"
    return f"{_signed(found.value)} [{_signed(found.low)}, {_signed(found.high)}]"


def _signed(value: float) -> str:
    text = rounded(value)
    return f"+{text}" if value > 0 and text[0] not in "<>" else text


def _capital(test: Tested) -> str:
    if test.watch is None:
        return "-"
    largest = math.exp(min(test.watch.largest, 500.0))
    return f"{largest:.3g}" if largest < _MOST_CAPITAL else f">{_MOST_CAPITAL:g}"


def _alarm(test: Tested) -> str:
    if test.watch is None:
        return "not tested"
    return f"line {test.line}" if test.alarm else "no"


def _anchor_notes(certificate: Certificate, check: AnchorCheck | None) -> Iterator[str]:
    if check is None:
        count = len(certificate.anchors)
        yield f"anchors: none of {count} was asked again (--anchors)" if count else "anchors: the certificate has none"
        return
    share = "" if check.share is None else f"; share changed {check.share.cell()}"
    moved = ""
    if check.largest_move is not None and check.mean_move is not None:
        moved = f"; probabilities moved by {check.mean_move:.2g} on average, {check.largest_move:.2g} at most"
    lost = f"; {check.unscored} unscored now, {check.missing} not asked" if check.unscored or check.missing else ""
    yield f"anchors: {check.verdict}: {check.reason}{share}{moved}{lost}"


def _notes(certificate: Certificate, live: Live, found: Drift) -> Iterator[str]:
    yield from _blindness(found)
    yield (
        f"An alarm needs a capital of {1 / found.level:,.4g}: {len(found.tests)} tests share a chance of {found.alpha:g} "
        "of a false alarm over all looks together, however often the grown file is looked at. The intervals hold for one "
        "look and decide nothing."
    )
    order = "by time (at)" if live.by_time else "as the file has them: not every line has a time (at)"
    yield f"live: {counted(live.lines, 'line')}, {order}; decisions by {live.decided_by}"
    left_out = {
        "about other statements": live.other_statements, "about anchors": live.anchors, "where the gate refused": live.refused,
        "about an item counted before": live.repeats,
    }  # fmt: skip
    if any(left_out.values()):
        told = [f"{counted(count, 'line')} {what}" for what, count in left_out.items() if count]
        yield f"left out: {', '.join(told)}"
    if live.incomplete:
        samples = certificate.judge.samples
        yield f"{counted(live.incomplete, 'item')} without all {samples} samples, not counted yet"
    for model, count in live.strangers.items():
        yield f"{counted(count, 'line')} answered by {model}, certified is {', '.join(certificate.judge.answered_by)}"
    if not live.named:
        yield "no line and no manifest names the judge: taken on trust that it is the certified one"
    data = certificate.data
    if data.families < data.rows:
        size = f"{counted(data.rows, 'row')} of {counted(data.families, 'family')}"
        yield f"calibration has {size}: one drawn row of each stands for it here"


def _blindness(found: Drift) -> Iterator[str]:
    for test in found.tests:
        if test.blind_within is None:
            continue
        what = "rate of yes" if test.kind == "yes" else "mean score"
        ends = [
            f"{word} {value:.2g}"
            for word, value in (("down to", test.below), ("up to", test.above))
            if value is not None
        ]
        seen = f"a {what} {' or '.join(ends)}" if ends else f"no {what}, however far off,"
        within = f"within {test.blind_within} answers" if test.live > test.blind_within else "by now"
        yield f"{test.statement}: {seen} would have been seen {within} in {POWER:.0%} of streams"


def _as_json(certificate: Certificate, live: Live, found: Drift) -> dict[str, Any]:
    check = found.anchors
    return {
        "exit_code": found.diagnosis.exit_code,
        "changed": found.diagnosis.changed,
        "sentence": found.diagnosis.sentence,
        "alpha": found.alpha,
        "level": found.level,
        "tests": [_test_json(test) for test in found.tests],
        "anchors": None if check is None else _anchors_json(check),
        "live": {
            "lines": live.lines,
            "order": "at" if live.by_time else "file",
            "sha256": live.digest,
            "names_its_judge": live.named,
            "decided_by": live.decided_by,
            "other_statements": live.other_statements,
            "anchors": live.anchors,
            "refused": live.refused,
            "repeats": live.repeats,
            "incomplete_items": live.incomplete,
            "other_models": dict(live.strangers),
        },
        "judge_id": certificate.judge.id,
        "seal": certificate.seal,
        "rows": certificate.data.rows,
        "families": certificate.data.families,
        "seed": SEED,
        "bench": __version__,
    }


def _test_json(test: Tested) -> dict[str, Any]:
    sides = [
        {"name": side.name, "calibration": side.before, "live": side.now, "shift": estimate_json(side.shift)}
        for side in test.sides
    ]
    return {
        "kind": test.kind,
        "statement": test.statement,
        "calibration": test.reference,
        "live": test.live,
        "tested": test.watch is not None,
        "why_not": test.why_not,
        "alarm": test.alarm,
        "line": test.line,
        "at": test.at,
        "log_capital": None if test.watch is None else test.watch.largest,
        "log_capital_now": None if test.watch is None else test.watch.last,
        "log_capital_needed": None if test.watch is None else test.watch.limit,
        "figures": sides,
        "seen_from": {"below": test.below, "above": test.above, "within": test.blind_within},
    }


def _anchors_json(check: AnchorCheck) -> dict[str, Any]:
    whole = asdict(check)
    for name in ("share", "excess"):
        held = getattr(check, name)
        whole[name] = None if held is None else estimate_json(held)
    return whole
