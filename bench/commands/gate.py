"""``bench gate``: one certified judge decides about one session: promote (0), discard (1), review or refused (2)."""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from pathlib import Path
from typing import Any

from bench.cases.layout import find_suite
from bench.gate import Gate, GateDecision, Refused, load
from bench.problems import BrokenInput, Problem, shorten
from bench.reading.strict_json import read_json
from bench.reading.strict_yaml import read_yaml
from bench.reading.validate import validate
from bench.terminal.say import say

MOST_VERDICTS = 1_000_000  # bytes


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("certificate", metavar="CERT", type=Path, help="a certificate of `bench calibrate`")
    parser.add_argument("session", metavar="SESSION", nargs="?", type=Path, help="a recorded session (default: stdin)")
    parser.add_argument(
        "--accept-benchmark-population",
        action="store_true",
        help="decide although the labels were no random sample of the stream decided on",
    )
    parser.add_argument(
        "--verdicts",
        action="store_true",
        help='read verdicts, not a session: {"judge_id": ..., "statements": {ID: {"text": ..., "value": ...}}}',
    )
    parser.add_argument("--suite", metavar="NAME", help="refuse unless its statements are the certified ones")
    parser.add_argument("--preset", metavar="NAME", help="refuse unless this is the certified projection")
    parser.add_argument("--base", metavar="FOLDER", type=Path, help="where a judge's own files are (default: CERT's)")
    parser.add_argument("--format", metavar="NAME", help="overrule the detected session format")
    parser.add_argument("--query", metavar="TEXT", help="what was asked for, where the session does not say it")
    parser.add_argument("--json", action="store_true", help="print the decision as JSON")


def run(args: argparse.Namespace) -> int:
    try:
        gate = load(
            args.certificate,
            accept_benchmark_population=args.accept_benchmark_population,
            base=args.base,
            statements=None if args.suite is None else _texts(args.suite),
            preset=args.preset,
        )
        found = _of_verdicts(gate, args) if args.verdicts else _of_session(gate, args)
    except Refused as error:
        if not args.json:
            raise
        print(json.dumps({"decision": "review", "refused": str(error), "exit_code": 2}))
        return 2
    certificate = gate.certificate
    if args.json:
        print(json.dumps({**found.to_dict(), "judge": certificate.judge.id, "seal": certificate.seal}))
    else:
        say(f"{found.decision}: {'; '.join(found.reasons)}")
    return found.exit_code


def _of_session(gate: Gate, args: argparse.Namespace) -> GateDecision:
    if args.session is not None:
        return gate.decide(args.session, form=args.format, query=args.query)
    with tempfile.TemporaryDirectory(prefix="bench-gate-") as folder:
        path = Path(folder) / "stdin"
        with path.open("wb") as copy:
            while block := sys.stdin.buffer.read(1 << 20):
                copy.write(block)
        return gate.decide(path, form=args.format, query=args.query)


def _of_verdicts(gate: Gate, args: argparse.Namespace) -> GateDecision:
    source = sys.stdin.buffer if args.session is None else args.session.open("rb")
    with source:
        data = source.read(MOST_VERDICTS + 1)
    try:
        if len(data) > MOST_VERDICTS:
            raise ValueError(f"over {MOST_VERDICTS:,} bytes")
        judge, texts, values = _read_verdicts(read_json(data))
    except ValueError as error:
        fix = 'write {"judge_id": ..., "statements": {ID: {"text": ..., "value": a number, or null}}}'
        raise BrokenInput([Problem("verdicts", None, None, None, shorten(str(error), 160), fix)]) from None
    return gate.decide_verdicts(judge, texts, values)


def _read_verdicts(given: Any) -> tuple[str, dict[str, str], dict[str, float | None]]:
    if not isinstance(given, dict) or set(given) != {"judge_id", "statements"}:
        raise ValueError("found another form than judge_id and statements")
    texts: dict[str, str] = {}
    values: dict[str, float | None] = {}
    for name, held in given["statements"].items() if isinstance(given["statements"], dict) else ():
        if not isinstance(held, dict) or set(held) != {"text", "value"} or not isinstance(held["text"], str):
            raise ValueError(f"statement {name!r}: wanted text and value")
        value = held["value"]
        if isinstance(value, bool) or not (value is None or isinstance(value, int | float)):
            raise ValueError(f"statement {name!r}: value is {value!r}, wanted a number or null")
        texts[name], values[name] = held["text"], None if value is None else float(value)
    if not isinstance(given["judge_id"], str) or not texts:
        raise ValueError("judge_id is a text, and statements holds one statement or more")
    return given["judge_id"], texts, values


def _texts(name: str) -> dict[str, str]:
    from bench.schema.suite import Suite  # only here: a gate answers at once

    path = find_suite(name).suite / "suite.yaml"
    document = read_yaml(path, path.name)
    suite = document if isinstance(document, list) else validate(document, Suite)
    if isinstance(suite, list):
        raise BrokenInput(suite)
    return {statement.id: statement.text for statement in suite.statements}
