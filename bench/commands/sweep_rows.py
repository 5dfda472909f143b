"""The rows that ``bench sweep`` works on: a judge's stored verdicts in a part of a suite, or a table."""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from pydantic import ValidationError

from bench import __version__
from bench.benchmark import stored_rows
from bench.cases.layout import find_suite
from bench.deciding.policy import Policy
from bench.measure.signature import sign
from bench.policies.attempts import JudgedAttempt, JudgedSuite, Scale, judged_suites, named
from bench.policies.attempts_table import Roles, attempts_of_table, column_of_role
from bench.policies.files import problem_at, read_policies
from bench.policies.suite_attempts import Statements, attempts_in, splits_of, statements_in
from bench.policies.sweep import NamedPolicy
from bench.problems import BrokenInput, CannotDecide, Problem
from bench.report.jsonable import Json
from bench.tables import read_table
from bench.terminal.words import counted
from bench.workspace import session_folders, stratum_of

CHOOSING = "policies are chosen on development; figures on other splits choose nothing"
WITHOUT_SPLITS = "the suite has no splits: a policy that is chosen here was tested nowhere"


@dataclass(frozen=True)
class SweepRows:
    """Attempts, and the policies that were asked for: those of a file, or a base without thresholds."""

    attempts: tuple[JudgedAttempt, ...]
    filed: tuple[NamedPolicy, ...]
    base: Policy | None
    scale: Scale
    about: Json
    opening: str
    notices: tuple[str, ...]
    signature: str


def rows_of_suite(args: argparse.Namespace) -> SweepRows:
    """The stored verdicts of a judge. Raises BrokenInput, CannotDecide."""
    layout = find_suite(args.suite)
    suite, labels, judged = stored_rows(layout, session_folders(layout, args.sessions))
    found = judged_suites(judged)
    mine, told = named(found, args.judge), statements_in(suite)
    stratum, splits = stratum_of(suite, args.stratum).id, splits_of(suite, args.split)
    filed, base = _policies_of_suite(args, told, mine)
    attempts = attempts_in(found, mine, stratum, splits)
    where = f"{suite.suite.id} {suite.suite.version}, stratum {stratum}, split {' + '.join(splits)}"
    asked = [one.policy for one in filed] + ([base] if base else [])
    seat = mine.seats[0]
    signature = replace(
        sign(suite, labels, splits),
        judge=mine.id,
        preset=seat.preset.label,
        stratum=stratum,
        samples=seat.entry.samples,
    )
    return SweepRows(
        attempts, filed, base, mine.scales[asked[0].statements[0]],
        about={
            "judge": mine.name, "judge_id": mine.id, "suite": suite.suite.id, "version": suite.suite.version,
            "stratum": stratum, "splits": list(splits),
        },
        opening=f"{mine.name} on {where}: {_counted(attempts, asked)}",
        notices=(*_gaps(attempts, asked, mine.name), CHOOSING if suite.splits else WITHOUT_SPLITS),
        signature=str(signature),
    )  # fmt: skip


def rows_of_table(args: argparse.Namespace) -> SweepRows:
    """The rows of a table. Raises BrokenInput."""
    table = read_table(args.table)
    taken = list(args.statement)
    label = column_of_role(table, "label", args.label, taken)
    right_when = tuple(args.right_when) or (() if label is None else (label,))
    roles = Roles(column_of_role(table, "group", args.group, taken), column_of_role(table, "id", args.id, taken))
    filed: tuple[NamedPolicy, ...] = ()
    base = None
    if args.policies is not None:
        filed = read_policies(args.policies, right_when)[0]
    else:
        if not args.statement:
            raise _usage("--statement", "no column of values is named", "give --statement COLUMN, once or more")
        if not right_when:
            raise _usage("--label", "no column of labels is known", "give --label COLUMN")
        base = _base(args, args.statement, right_when, ())
    asked = [one.policy for one in filed] + ([base] if base else [])
    attempts = attempts_of_table(table, asked, roles, args.positive)
    groups = "no groups: each row stands for itself" if roles.group is None else f"groups by {roles.group}"
    return SweepRows(
        attempts, filed, base, "probability" if _are_shares(attempts, asked) else "score",
        about={"file": table.file, "sha256": table.digest, "form": table.form, "group": roles.group, "id": roles.id},
        opening=f"{table.file}: {_counted(attempts, asked)}; {groups}",
        notices=_gaps(attempts, asked, None),
        signature=f"{table.file}, {table.form}, sha256 {table.digest[:12]}, bench {__version__}",
    )  # fmt: skip


def _policies_of_suite(
    args: argparse.Namespace, told: Statements, mine: JudgedSuite
) -> tuple[tuple[NamedPolicy, ...], Policy | None]:
    if args.policies is None:
        base = _base_of_suite(args, told, mine)
        policies = [base]
        filed: tuple[NamedPolicy, ...] = ()
    else:
        filed, base = _filed(args, told), None
        policies = [one.policy for one in filed]
    unasked = [name for policy in policies for name in policy.statements if name not in mine.scales]
    if unasked:
        raise CannotDecide(f"{mine.name} is not asked {unasked[0]}; it answers {', '.join(mine.scales)}")
    return filed, base


def _filed(args: argparse.Namespace, told: Statements) -> tuple[NamedPolicy, ...]:
    found, document = read_policies(args.policies, tuple(args.right_when) or told.critical)
    problems = []
    entries: Any = document.tree["policies"] if isinstance(document.tree, dict) else []
    by_id = {one.id.partition("@")[0]: one.policy for one in found}
    for index, entry in enumerate(entries):
        policy = by_id[entry["id"]]
        for field, names in (("statements", policy.statements), ("right_when", policy.right_when)):
            for name in names:
                if name not in told.all:
                    fix = f"the suite's statements are {', '.join(told.all)}"
                    problems.append(problem_at(document, index, field, f"no statement {name!r}", fix))
                elif name in told.must_not and name not in policy.must_not:
                    found_here = f"the suite holds that {name} must not be, and the policy takes it for good"
                    problems.append(problem_at(document, index, "must_not", found_here, f"add it: must_not: [{name}]"))
    if problems:
        raise BrokenInput(dict.fromkeys(problems))
    return found


def _base_of_suite(args: argparse.Namespace, told: Statements, mine: JudgedSuite) -> Policy:
    answered = [name for name in told.critical if name in mine.scales] or list(mine.scales)
    asked = list(args.statement) or answered[:1]
    if not args.statement and len(answered) > 1:
        raise _usage("--statement", f"several may be meant: {', '.join(answered)}", "name one")
    critical = [name for name in told.critical if name in asked]
    right_when = list(args.right_when) or critical or asked
    for flag, names in (("--statement", asked), ("--right-when", right_when)):
        for name in names:
            if name not in told.all:
                raise _usage(flag, f"no statement {name!r}", f"the suite's statements are {', '.join(told.all)}")
    return _base(
        args, asked, right_when, [name for name in dict.fromkeys([*asked, *right_when]) if name in told.must_not]
    )


def _base(args: argparse.Namespace, asked: Sequence[str], right_when: Sequence[str], must_not: Sequence[str]) -> Policy:
    try:
        return Policy(
            statements=tuple(asked),
            combine=args.combine or "mean",
            must_not=tuple(must_not),
            floors=dict(args.floor),
            right_when=tuple(right_when),
        )
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = ".".join(map(str, first["loc"])) or "--floor"
        raise _usage(where, first["msg"].removeprefix("Value error, "), "change the flags so that this holds") from None


def _counted(attempts: Sequence[JudgedAttempt], asked: Sequence[Policy]) -> str:
    families = len({one.family for one in attempts})
    told = []
    for policy in {(p.right_when, _signs(p)): p for p in asked}.values():
        right = Counter(one.right_to_promote(policy) for one in attempts)
        sides = " and ".join(f"{name} is {sign}" for name, sign in zip(policy.right_when, _signs(policy), strict=True))
        without = f", {right[None]} without a label" if right[None] else ""
        told.append(f"right to promote where {sides}: {right[True]} of {right[True] + right[False]}{without}")
    return f"{counted(len(attempts), 'attempt')} in {counted(families, 'family')}; {'; '.join(told)}"


def _signs(policy: Policy) -> tuple[str, ...]:
    return tuple("no" if name in policy.must_not else "yes" for name in policy.right_when)


def _gaps(attempts: Sequence[JudgedAttempt], asked: Sequence[Policy], judge: str | None) -> tuple[str, ...]:
    """What is missing or out of range among the values that the policies read; each goes to review."""
    used = list(dict.fromkeys(name for policy in asked for name in policy.statements))
    why = [next((one.missing.get(name, "not given") for name in used if one.values.get(name) is None), None)
           for one in attempts]  # fmt: skip
    reasons = Counter(reason for reason in why if reason is not None)
    notices = []
    if reasons:
        parts = ", ".join(f"{reason} {reasons[reason]}" for reason in sorted(reasons))
        fix = f"; `bench run --judge {judge}` asks for what was not run" if judge and "not_run" in reasons else ""
        notices.append(f"{counted(reasons.total(), 'attempt')} without an answer ({parts}), left to review{fix}")
    shares = {name for policy in asked if not policy.any_scale for name in policy.statements}
    odd = sum(any(not _is_share(one.values.get(name)) for name in shares) for one in attempts)
    if odd:
        notices.append(
            f"{counted(odd, 'attempt')} with a value outside 0 to 1, which is no probability, left to review"
        )
    return tuple(notices)


def _are_shares(attempts: Iterable[JudgedAttempt], asked: Sequence[Policy]) -> bool:
    return all(_is_share(one.values.get(name)) for one in attempts for policy in asked for name in policy.statements)


def _is_share(value: float | None) -> bool:
    return value is None or 0 <= value <= 1


def _usage(flag: str, found: str, fix: str) -> BrokenInput:
    return BrokenInput([Problem("bench sweep", None, None, flag, found, fix)])
