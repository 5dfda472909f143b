"""``bench check``: a table of labels and verdicts, measured; no suite, no judge, nothing written."""

from __future__ import annotations

import argparse
import math
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from bench import __version__
from bench.commands.options import json_option
from bench.measure.answers import WrongValue, WrongValues
from bench.measure.columns import repeated_ids
from bench.measure.estimand import LEVEL, RESAMPLES
from bench.measure.estimate import rounded
from bench.measure.limits import Decision, Limit
from bench.measure.one_metric import SEED
from bench.measure.ranking import RANK_RESAMPLES
from bench.metrics import LIMITED, Evaluation, evaluate_columns
from bench.problems import shorten
from bench.tables import NO_COLUMN, Choice, Table, choose_columns, read_table
from bench.terminal.say import print_json, say
from bench.terminal.waiting import waiting
from bench.terminal.words import counted, wrapped

MET, NOT_MET, CANNOT_DECIDE = 0, 1, 2
_NUMBER = re.compile(r"(\d+(\.\d*)?|\.\d+)", re.ASCII)
_ROLES = {"labels": "label", "verdicts": "verdict", "probabilities": "probability", "groups": "group"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("table", metavar="TABLE", type=Path, help="CSV, JSONL or Parquet, one row per item")
    for role, what in (
        ("label", "what a person says: yes or no"),
        ("verdict", "what the judge says (without one: yes where the probability is at least .5)"),
        ("probability", "the judge's probability of yes"),
        ("group", "rows that hang together: session, document, twins"),
        ("id", "the item's name, to find rows that stand twice"),
    ):
        text = f"column: {what} (guessed by its name if not given; {NO_COLUMN} for none)"
        parser.add_argument(f"--{role}", metavar="COL", help=text)
    parser.add_argument("--positive", metavar="VALUE", help="the value that means yes")
    json_option(parser)
    parser.add_argument(
        "--min",
        metavar="METRIC=VALUE",
        type=limit_of,
        action="append",
        default=[],
        help=f"be sure that a metric is at least this, by its {LEVEL * 100:g} %% interval; metrics: {', '.join(LIMITED)}",
    )


def limit_of(text: str) -> Limit:
    """A limit as it is typed. Raises ArgumentTypeError for an unknown metric or a value outside 0 to 1."""
    name, equals, number = text.partition("=")
    if name not in LIMITED or not equals:
        raise argparse.ArgumentTypeError(f"{shorten(text)} is not METRIC=VALUE with one of {', '.join(LIMITED)}")
    value = float(number) if len(number) < 40 and _NUMBER.fullmatch(number) else math.nan
    if not 0 <= value <= 1:
        raise argparse.ArgumentTypeError(f"{shorten(number)} is no limit: a number from 0 to 1 is wanted")
    return Limit(name, value)


def run(args: argparse.Namespace) -> int:
    with waiting("reading"):
        table = read_table(args.table)
    choice = choose_columns(
        table, {role: getattr(args, role) for role in ("label", "verdict", "probability", "group", "id")}
    )
    with waiting("measuring"):
        evaluation = _measured(table, choice, args.positive)
    decisions = tuple(evaluation.decide(limit) for limit in args.min)
    code, told = outcome(evaluation, decisions)
    if args.json:
        print_json(_as_json(table, choice, evaluation, decisions, code, told))
    else:
        _print(table, choice, evaluation, decisions)
        say(wrapped(f"{told} [exit {code}]"))
        if not decisions and code == MET:
            say(
                wrapped(
                    f"next: set a limit, such as --min precision=.8; bench sweep --table {args.table} finds a threshold"
                )
            )
    return code


def outcome(evaluation: Evaluation, decisions: Sequence[Decision]) -> tuple[int, str]:
    """The exit code and the words for it: a limit that is not met counts before one that nobody can decide."""
    statuses = [decision.status for decision in decisions]
    if "not met" in statuses:
        return NOT_MET, "not met"
    if evaluation.one_class is not None:
        return CANNOT_DECIDE, f"cannot decide: {evaluation.one_class}"
    if "cannot decide" in statuses:
        return CANNOT_DECIDE, "cannot decide"
    return MET, "met" if decisions else "measured, and no limit was asked for"


def _measured(table: Table, choice: Choice, positive: str | None) -> Evaluation:
    columns = choice.columns
    named = {role: columns[short] for role, short in _ROLES.items()}
    values = {role: None if name is None else table.column(name) for role, name in named.items()}
    problems: list[WrongValue] = []
    name = columns["id"]
    if name is not None:
        problems += repeated_ids(table.column(name), name)
    try:
        names = {role: name or role for role, name in named.items()}
        evaluation = evaluate_columns(values, names, positive, SEED, RESAMPLES, LEVEL)
    except WrongValues as error:
        problems += error.problems
    if problems:
        raise table.refused(problems)
    return evaluation


def _print(table: Table, choice: Choice, evaluation: Evaluation, decisions: Sequence[Decision]) -> None:
    say(wrapped(evaluation.sentence))
    say()
    say(wrapped(f"books: {evaluation.books}"))
    say(wrapped(f"columns: {_columns_told(choice)}; yes is {evaluation.words[0]}, no is {evaluation.words[1]}"))
    say()
    say(evaluation.table())
    if evaluation.worst:
        say(wrapped(_worst_told(evaluation)))
    found = evaluation.calibration
    if found is not None and found.null_mean is not None and found.null_high is not None:
        chance = (
            f"a perfect judge would show {rounded(found.null_mean)}, at most {rounded(found.null_high)} in 95 of 100"
        )
        say(wrapped(f"calibration error: {found.definition}; {chance}"))
    say()
    say(wrapped(_signature(table, evaluation)))
    for decision in decisions:
        say(wrapped(str(decision)))


def _columns_told(choice: Choice) -> str:
    parts = []
    for role, column in choice.columns.items():
        if column is not None:
            parts.append(f"{role} {shorten(column, 30)}{' (guessed)' if role in choice.guessed else ''}")
    if choice.columns["verdict"] is None:
        parts.append("no verdict column: yes where the probability is at least .5")
    if choice.columns["group"] is None:
        parts.append("no groups: each row stands for itself")
    return ", ".join(parts)


def _worst_told(evaluation: Evaluation) -> str:
    accuracy = evaluation.worst["accuracy"]
    low, high = (rounded(end) if end is not None else "n/a" for end in accuracy)
    missing = evaluation.books.labelled_unscored
    return f"with the {missing} missing verdicts all wrong or all right, accuracy would be {low} or {high}"


def _signature(table: Table, evaluation: Evaluation) -> str:
    return (
        f"{table.file}, {table.form}, sha256 {table.digest[:12]}, {counted(evaluation.groups, 'group')}, "
        f"seed {evaluation.seed}, {evaluation.resamples} resamples ({RANK_RESAMPLES} of probabilities), bench {__version__}"
    )


def _as_json(
    table: Table, choice: Choice, evaluation: Evaluation, decisions: Sequence[Decision], code: int, told: str
) -> dict[str, Any]:
    return {
        "exit_code": code,
        "outcome": told,
        "limits": [
            {
                "metric": decision.limit.metric,
                "at_least": decision.limit.value,
                "status": decision.status,
                "reason": decision.reason,
                "more_labels": decision.more_labels,
            }
            for decision in decisions
        ],
        "file": table.file,
        "sha256": table.digest,
        "form": table.form,
        "columns": dict(choice.columns),
        "guessed": list(choice.guessed),
        "bench": __version__,
        **evaluation.to_dict(),
    }
