"""``bench agreement``: how far the blind votes agree, of the suite or of its pilot."""

from __future__ import annotations

import argparse
import json

from bench.cases.layout import find_suite
from bench.commands.options import suite_option
from bench.labels.load import read_pilot
from bench.measure.agreement_figures import agreement_lines
from bench.measure.latent_figures import latent_lines
from bench.measure.provenance_figures import vote_groups
from bench.problems import BrokenInput, CannotDecide
from bench.report.text import columns
from bench.report.votes import lineage_words, third_vote_rows, votes_words
from bench.report.votes_json import agreement_json, group_json, third_vote_json
from bench.workspace import load


def add_arguments(parser: argparse.ArgumentParser) -> None:
    suite_option(parser)
    parser.add_argument("--pilot", action="store_true", help="of the pilot's votes (labels/<suite>/pilot/votes)")
    parser.add_argument("--json", action="store_true", help="print the figures as JSON")


def run(args: argparse.Namespace) -> int:
    suite, labels = load(find_suite(args.suite))
    place = suite.layout.labels / "votes"
    if args.pilot:
        place = suite.layout.labels / "pilot" / "votes"
        labels, problems = read_pilot(suite)
        if problems:
            raise BrokenInput(problems)
    lines, third, groups = agreement_lines(suite, labels), latent_lines(suite, labels), vote_groups(labels)
    if not lines:
        raise CannotDecide(f"there are no votes in {suite.layout.shown(place)}")
    if args.json:
        told = {
            "suite": suite.suite.id,
            "pilot": args.pilot,
            "votes": [group_json(group) for group in groups],
            "agreement": [agreement_json(line) for line in lines],
            "third_votes": [third_vote_json(line) for line in third],
        }
        print(json.dumps(told, indent=1, ensure_ascii=False, allow_nan=False))
        return 0
    print(votes_words(groups))
    rows = [["statement, stratum", "items", "adjudicated", "raw agreement", "alpha", "without unclear"]]
    for line in lines:
        cells = (line.raw, line.alpha, line.alpha_without_unclear)
        place_of = f"{line.statement}, {line.stratum}"
        rows.append([place_of, str(line.items), str(line.adjudicated), *(cell.cell() for cell in cells)])
    print(columns(rows))
    if third:
        print(f"\nthird votes. {lineage_words(third)}".rstrip())
        print(columns(third_vote_rows(third)))
    return 0
