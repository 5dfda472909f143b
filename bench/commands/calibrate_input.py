"""What `bench calibrate` is given, as what the library takes."""

from __future__ import annotations

import argparse
import math
import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

from pydantic import ValidationError

from bench.certifying.asking import Case, table_case, without_thresholds
from bench.certifying.sequence import even_path
from bench.deciding.calibrator import Calibrator
from bench.deciding.certificate import CertifiedJudge, CertifiedStatement, Population
from bench.deciding.policy import DISCARD, PROMOTE, Policy, Verb
from bench.measure.answers import WrongValues
from bench.measure.columns import read_rows
from bench.policies.attempts import JudgedAttempt, Scale
from bench.policies.attempts_table import NOT_GIVEN, Roles, attempts_of_table, column_of_role
from bench.policies.files import policy_named
from bench.problems import BrokenInput, Problem, shorten
from bench.reading.strict_json import read_json
from bench.tables import Table, choose_columns, read_table

ROLES = {"label": "labels", "verdict": "verdicts", "probability": "probabilities", "group": "groups"}
DEFAULT_TARGET = 0.1
MOST_POINTS = 10_000
_SHARE = re.compile(r"0?\.\d{1,9}")


def share(text: str) -> float:
    """A share strictly between 0 and 1, as it is typed. Raises ArgumentTypeError."""
    value = float(text) if _SHARE.fullmatch(text) else math.nan
    if not 0 < value < 1:
        raise argparse.ArgumentTypeError(f"{shorten(text)} is no share between 0 and 1, such as .1")
    return value


def targets_of(args: argparse.Namespace) -> tuple[tuple[Verb, float], ...]:
    """The bands that are asked for; promote at 10 % where none is named."""
    given: tuple[tuple[Verb, float | None], ...] = ((PROMOTE, args.promote), (DISCARD, args.discard))
    found = tuple((band, target) for band, target in given if target is not None)
    return found or ((PROMOTE, DEFAULT_TARGET),)


def path_of(text: str | None) -> tuple[float, ...] | None:
    """Thresholds from a text FROM:TO:STEP, ends included. Raises BrokenInput."""
    if text is None:
        return None
    try:
        start, end, step = (float(part) for part in text.split(":"))
        count = round(abs(end - start) / step) + 1 if step > 0 and math.isfinite(end - start) else 0
    except ValueError:
        count = 0
    if not 2 <= count <= MOST_POINTS:
        raise wrong("--path", shorten(text), f"write FROM:TO:STEP with 2 to {MOST_POINTS} points, such as 1:0:0.01")
    return tuple(even_path(start, end, count))


def moment_of(text: str | None) -> datetime:
    """The moment of issue. Raises BrokenInput for one without its zone."""
    if text is None:
        return datetime.now(UTC)
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        moment = None
    if moment is None or moment.tzinfo is None:
        raise wrong("--issued", shorten(text), "give a moment with its zone, such as 2026-08-14T10:02:00+02:00")
    return moment


def population_of(args: argparse.Namespace, source: str, design: str | None = None) -> Population | None:
    """The population that the user declares; None where nothing is said."""
    if args.random_sample_of_stream and args.population is None:
        raise wrong("--random-sample-of-stream", "no --population", "name the stream that the labels were drawn from")
    if args.population is None:
        return None
    sample = "random_sample_of_stream" if args.random_sample_of_stream else "benchmark"
    return Population(name=args.population, sample=sample, source=source, design=design)


def calibrators_of(path: Path | None, statement: str) -> Mapping[str, Calibrator]:
    """The map of a file, for the statement. Raises BrokenInput."""
    if path is None:
        return {}
    try:
        return {statement: Calibrator.model_validate(read_json(path.read_bytes()))}
    except OSError as error:
        raise wrong("--calibrator", f"{path}: {error.strerror}", "give a file of `bench recalibrate`") from None
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        raise wrong("--calibrator", f"{path}: {shorten(first['msg'])}", "give a file of `bench recalibrate`") from None
    except ValueError as error:
        raise wrong("--calibrator", f"{path}: {shorten(str(error))}", "give a file of `bench recalibrate`") from None


def table_of(args: argparse.Namespace) -> Case:
    """The case of a table. Raises BrokenInput with every problem by line."""
    table = read_table(args.table)
    policy, attempts, scales = _plain_rows(args, table) if args.policy is None else _policy_rows(args, table)
    source = f"{table.file}, sha256 {table.digest}"
    identity = args.judge_id or args.judge or table.file
    return table_case(
        CertifiedJudge(id=identity, name=args.judge or identity, scales=scales),
        tuple(
            CertifiedStatement(id=name, text=text, criteria=())
            for name, text in _texts(args, policy.statements).items()
        ),
        policy,
        attempts,
        population=population_of(args, source)
        or Population(name="the rows of the table", sample="benchmark", source=source),
        made_by=args.labels_by,
        synthetic=args.synthetic,
    )


def _plain_rows(args: argparse.Namespace, table: Table) -> tuple[Policy, Sequence[JudgedAttempt], dict[str, Scale]]:
    """One statement: columns as `bench check` reads them."""
    chosen = choose_columns(table, {role: getattr(args, role) for role in ROLES}).columns
    given = {name: table.column(column) for role, name in ROLES.items() if (column := chosen[role]) is not None}
    try:
        rows = read_rows(given, {name: chosen[role] or role for role, name in ROLES.items()}, args.positive)
    except WrongValues as error:
        raise table.refused(error.problems) from None
    name = args.statement or "statement"
    scale: Scale = "answer" if rows.stated is None else "probability"
    values = rows.stated if rows.stated is not None else [None if v is None else float(v) for v in rows.verdicts]
    attempts = [
        JudgedAttempt(
            case="", attempt="", family=str(group), stratum="table", split="all", values={name: value},
            missing={name: NOT_GIVEN} if value is None else {}, labels={name: label}, file=table.file, line=line,
        )
        for value, label, group, line in zip(values, rows.labels, rows.groups.tolist(), table.lines, strict=True)
    ]  # fmt: skip
    return Policy(statements=(name,), right_when=(name,)), attempts, {name: scale}


def _policy_rows(args: argparse.Namespace, table: Table) -> tuple[Policy, Sequence[JudgedAttempt], dict[str, Scale]]:
    """Several statements: a column of values for each, and one of labels for each that makes a promotion right."""
    policy = without_thresholds(policy_named(args.policy))
    taken = (*policy.statements, *policy.right_when)
    roles = Roles(column_of_role(table, "group", args.group, taken), None)
    attempts = attempts_of_table(table, [policy], roles, args.positive)
    values = {name: [one.values[name] for one in attempts] for name in policy.statements}
    scales: dict[str, Scale] = {
        name: "probability" if all(v is None or 0 <= v <= 1 for v in column) else "score"
        for name, column in values.items()
    }
    return policy, attempts, scales


def _texts(args: argparse.Namespace, statements: Sequence[str]) -> dict[str, str]:
    """The words of each statement, as ID=TEXT; of a lone one also bare."""
    given = args.statement_text or []
    pairs = dict(text.partition("=")[::2] for text in given if text.partition("=")[0] in statements)
    if len(statements) == 1 and len(given) == 1 and not pairs:
        return {statements[0]: given[0]}
    missing = [name for name in statements if not pairs.get(name)]
    if missing:
        fix = (
            "give the words that the judge was asked, one --statement-text ID=TEXT a statement: the gate compares them"
        )
        raise wrong("--statement-text", f"no words of {', '.join(missing)}", fix)
    return {name: pairs[name] for name in statements}


def wrong(flag: str, found: str, fix: str) -> BrokenInput:
    """A problem of the command line."""
    return BrokenInput([Problem("command line", None, None, flag, found, fix)])
