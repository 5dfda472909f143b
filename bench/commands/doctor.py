"""``bench doctor``: what the present labels can and cannot support. Nothing is judged."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from itertools import groupby

from bench.cases.layout import find_suite
from bench.commands.options import json_option, suite_option
from bench.doctor import Diagnosis, diagnose
from bench.measure.label_claims import Certificate, Claim, Differences, Plan
from bench.measure.label_supply import LabelSlice, Supply, VoteSupply
from bench.problems import BrokenInput, Problem
from bench.terminal.say import print_json, say
from bench.terminal.table import columns
from bench.terminal.waiting import waiting
from bench.terminal.words import counted, wrapped
from bench.workspace import Selection, load, select

FORMAT = 1
_DEFAULT = Plan()
_OPTIONS = {
    "within": "an interval may reach so far to each side",
    "difference": "two judges whose accuracies lie so far apart are to be told apart",
    "discordance": "on so many items exactly one of the two is right",
    "selection": "the judge to be certified decides so many items by itself",
    "wrong": "and is wrong in so many of these",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    suite_option(parser)
    parser.add_argument("--stratum", metavar="ID", action="append", default=[], help="only these strata")
    for name, meaning in _OPTIONS.items():
        default = getattr(_DEFAULT, name)
        parser.add_argument(
            f"--{name}", metavar="SHARE", type=float, default=default, help=f"{meaning} (default: {default})"
        )
    json_option(parser)


def run(args: argparse.Namespace) -> int:
    plan = _plan(args)
    with waiting("reading"):
        suite, labels = load(find_suite(args.suite))
    with waiting("weighing the labels"):
        diagnosis = diagnose(select(suite, Selection(strata=tuple(args.stratum))), labels, plan)
    if args.json:
        print_json(_as_json(diagnosis))
    else:
        say("\n".join(_lines(diagnosis)))
    return diagnosis.exit_code


def _plan(args: argparse.Namespace) -> Plan:
    try:
        return Plan(**{name: getattr(args, name) for name in _OPTIONS})
    except ValueError as error:
        fix = "give shares of items, such as --within 0.1"
        raise BrokenInput([Problem("command line", None, None, None, str(error), fix)]) from None


def _as_json(diagnosis: Diagnosis) -> dict[str, object]:
    slices = [
        {
            **asdict(one),
            "stratum": one.stratum.id,
            "design": one.stratum.design,
            "differences": asdict(differences),
            "certificates": [{**asdict(asked), "possible": asked.possible} for asked in certificates],
        }
        for one, differences, certificates in diagnosis.slices
    ]
    return {
        "format": FORMAT,
        "suite": diagnosis.suite,
        "exit_code": diagnosis.exit_code,
        "plan": asdict(diagnosis.plan),
        "slices": slices,
        "votes": asdict(diagnosis.votes),
        "attempts": asdict(diagnosis.attempts) if diagnosis.attempts else None,
        "claims": [asdict(claim) for claim in diagnosis.claims],
    }


def _lines(diagnosis: Diagnosis) -> Iterator[str]:
    yield wrapped(_sentence(diagnosis))
    yield ""
    for stratum, group in groupby(diagnosis.slices, lambda found: found[0].stratum):
        told = list(group)
        yield f"{stratum.id} ({stratum.design.replace('_', ' ')}): labels outside development"
        yield columns(list(_label_rows(one for one, _, _ in told)), gap=1)
        yield ""
        yield columns(list(_power_rows(told)))
        yield ""
    yield wrapped(
        "Half-widths of 95 % intervals are those of a share of one half in families of one mind; few judges "
        "do worse. * under 10 items or 5 families: too few. A difference is shown four times in five, families "
        f"counted once; in brackets: only if the worse judge is never right alone. A certificate would probably "
        f"come at the second number of calibration families (the judge decides {diagnosis.plan.selection:.3g} of "
        f"the items and is wrong in {diagnosis.plan.wrong:.3g} of these), never under the first.",
    )
    yield ""
    yield from _vote_lines(diagnosis.votes)
    for verdict, heading in ((True, "Supported"), (False, "Not supported")):
        claims = [claim for claim in diagnosis.claims if claim.supported is verdict]
        yield ""
        yield f"{heading}: {len(claims)} of {len(diagnosis.claims)} claims"
        yield from _claim_lines(claims)
    yield ""
    yield wrapped(f"{_sentence(diagnosis)} [exit {diagnosis.exit_code}]")


def _sentence(diagnosis: Diagnosis) -> str:
    if not diagnosis.claims:
        return f"{diagnosis.suite}: nothing is asked of any case here."
    count = len(diagnosis.supported)
    return f"The labels of {diagnosis.suite} support {count or 'none'} of {len(diagnosis.claims)} claims."


def _label_rows(slices: Iterable[LabelSlice]) -> Iterator[tuple[str, ...]]:
    yield "statement", "yes", "no", "unclear", "unlabelled", "families", "recall", "specificity", "accuracy"
    for one in slices:
        sides = [_half(one.yes), _half(one.no)] if one.yes_no else ["-", "-"]
        answers = [str(one.labels[name]) if one.yes_no else "-" for name in ("yes", "no")]
        rest = [str(one.labels[name]) for name in ("unclear", "unlabelled")]
        yield one.statement, *answers, *rest, str(one.labelled.families), *sides, _half(one.labelled)


def _half(held: Supply) -> str:
    if held.half_width is None:
        return "n/a"
    return f"±{_share(held.half_width)}{'*' if held.too_few else ''}"


def _power_rows(
    slices: Iterable[tuple[LabelSlice, Differences, tuple[Certificate, ...]]],
) -> Iterator[tuple[str, ...]]:
    targets: tuple[str, ...] = ()
    for one, differences, certificates in slices:
        if not targets:
            targets = tuple(f"{asked.target:.0%} wrong" for asked in certificates)
            yield "statement", "difference", "calibration families", *targets
        needed = [
            f"{asked.least}; {asked.probably if asked.probably is not None else 'never'}" for asked in certificates
        ]
        yield one.statement, _difference(differences), str(one.calibration_families), *needed


def _difference(shown: Differences) -> str:
    if shown.planned is not None:
        return _share(shown.planned)
    return "none" if shown.at_best is None else f"({_share(shown.at_best)})"


def _share(value: float) -> str:
    return f"{value:.2f}".removeprefix("0")


def _vote_lines(votes: VoteSupply) -> Iterator[str]:
    cast = ", ".join(
        f"{count} by {counted(votes.annotators[kind], f'{kind} annotator')}" for kind, count in votes.by_kind.items()
    )
    lineages = f" (lineage {', '.join(votes.lineages)})" if votes.lineages else ""
    yield wrapped(
        f"Votes on {counted(votes.items, 'item')} over all splits: {cast or 'none'}{lineages}. Under two votes: "
        f"{votes.under_two}; a third vote: {votes.third}; two votes of persons: {votes.two_persons}; votes that "
        f"differ: {votes.differ}, of which settled {votes.adjudicated}."
    )


def _claim_lines(claims: Iterable[Claim]) -> Iterator[str]:
    """Claims with the same sentence and stratum under one heading, statements with the same verdict in one line."""
    groups: dict[tuple[str | None, str], list[Claim]] = {}
    for claim in claims:
        groups.setdefault((claim.stratum, claim.sentence), []).append(claim)
    for (stratum, sentence), members in groups.items():
        yield wrapped(f"{stratum or 'all strata'}: {sentence}", "  ", "    ")
        alike: dict[str, list[str]] = {}
        for claim in members:
            alike.setdefault(_verdict(claim), []).extend([claim.statement] if claim.statement else [])
        for verdict, statements in alike.items():
            yield wrapped(": ".join([*filter(None, [", ".join(statements)]), verdict]), "    - ", "      ")
        falsifiers = ", or ".join(dict.fromkeys(claim.false_if for claim in members))
        yield wrapped(f"$ {members[0].command}", "    ", "      ")
        yield wrapped(f"false if {falsifiers}", "    ", "      ")


def _verdict(claim: Claim) -> str:
    if claim.supported:
        return claim.found
    wanted = f"wanted: {claim.more} more {claim.unit}" if claim.more else "no number of labels changes that"
    return f"{claim.found}; {wanted}"
