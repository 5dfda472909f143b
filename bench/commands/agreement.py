"""``bench agreement``: how far the blind votes agree, of the suite or of its pilot."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from bench.cases.layout import find_suite
from bench.commands.options import json_option, suite_option
from bench.labels.load import read_pilot
from bench.measure.agreement_figures import agreement_lines
from bench.measure.latent_figures import LatentLine, latent_lines
from bench.measure.provenance_figures import vote_groups
from bench.problems import BrokenInput, CannotDecide
from bench.report.votes import lineage_words, third_vote_rows, votes_words
from bench.report.votes_json import agreement_json, group_json, third_vote_json
from bench.terminal.say import print_json, say
from bench.terminal.table import columns, reasons_below
from bench.terminal.waiting import waiting
from bench.terminal.words import counted, wrapped
from bench.workspace import load


def add_arguments(parser: argparse.ArgumentParser) -> None:
    suite_option(parser)
    parser.add_argument("--pilot", action="store_true", help="of the pilot's votes (labels/<suite>/pilot/votes)")
    json_option(parser)


def run(args: argparse.Namespace) -> int:
    with waiting("reading"):
        suite, labels = load(find_suite(args.suite))
    place = suite.layout.labels / "votes"
    if args.pilot:
        place = suite.layout.labels / "pilot" / "votes"
        labels, problems = read_pilot(suite)
        if problems:
            raise BrokenInput(problems)
    with waiting("measuring"):
        lines, third, groups = agreement_lines(suite, labels), latent_lines(suite, labels), vote_groups(labels)
    if not lines:
        raise CannotDecide(f"there are no votes in {suite.layout.shown(place)}; cast some: bench label")
    if args.json:
        told = {
            "exit_code": 0,
            "suite": suite.suite.id,
            "pilot": args.pilot,
            "votes": [group_json(group) for group in groups],
            "agreement": [agreement_json(line) for line in lines],
            "third_votes": [third_vote_json(line) for line in third],
        }
        print_json(told)
        return 0
    say(wrapped(votes_words(groups)))
    rows = [["statement, stratum", "items", "adjudicated", "raw agreement", "alpha", "without unclear"]]
    for line in lines:
        cells = (line.raw, line.alpha, line.alpha_without_unclear)
        place_of = f"{line.statement}, {line.stratum}"
        rows.append([place_of, str(line.items), str(line.adjudicated), *(cell.cell() for cell in cells)])
    say(columns(rows))
    if third:
        _say_third_votes(third)
    unsettled = 0 if args.pilot else sum(labels.label(item).how == "votes_differ" for item in labels.votes)
    if unsettled:
        say(wrapped(f"next: bench adjudicate --adjudicator NAME (votes differ on {counted(unsettled, 'item')})"))
    return 0


def _say_third_votes(third: Sequence[LatentLine]) -> None:
    rows, reasons = reasons_below(
        [[f"{statement}, {stratum}", *rest] for stratum, statement, *rest in third_vote_rows(third)]
    )
    say()
    say(wrapped(f"third votes. {lineage_words(third)}"))
    say(columns(rows))
    say(wrapped("yes among three: on how many items 0, 1, 2 or 3 of the three votes say yes"))
    for reason in reasons:
        say(wrapped(reason))
