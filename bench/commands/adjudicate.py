"""``bench adjudicate``: show votes that differ, ask for the answer and the reason."""

from __future__ import annotations

import argparse
from datetime import UTC, datetime

from bench.cases.layout import Layout, find_suite
from bench.commands.ask import Stop, ask_choice, ask_text
from bench.commands.ids import id_word
from bench.commands.options import sessions_option, suite_option
from bench.judges.contract import question_of
from bench.labels.guide import guide_version
from bench.labels.load import UNCLEAR, ItemName, Labels
from bench.labels.write import adjudication_text
from bench.problems import BrokenInput, Problem
from bench.projection.project import preset_named
from bench.projection.render import render
from bench.schema.statement import answers_of
from bench.schema.vote import AdjudicationFile, Ruling
from bench.whole_file import write_whole
from bench.workspace import load, session_folders, views_of


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--adjudicator", type=id_word, required=True, metavar="NAME")
    parser.add_argument("--made-by", choices=("person", "model_assisted", "model"), default="person")
    parser.add_argument("--lineage", help="the model family, where a model has a part")
    parser.add_argument("--list", action="store_true", help="only list what differs")
    suite_option(parser)
    sessions_option(parser)


def run(args: argparse.Namespace) -> int:
    layout = find_suite(args.suite)
    suite, labels = load(layout)
    if args.made_by != "person" and not args.lineage:
        raise BrokenInput(
            [Problem("--lineage", None, None, None, "missing", f"name the model that rules ({args.made_by})")]
        )
    views = views_of(layout, session_folders(layout, args.sessions))
    differing = [item for item in labels.votes if labels.label(item).how == "votes_differ"]
    guide = guide_version(layout)  # before anybody answers: a broken guide costs no ruling
    settled = 0
    for item in differing:
        _print_votes(labels, item)
        if args.list:
            continue
        loaded, attempt = next((c, a) for c, a in suite.attempts() if (c.case.id, a.id) == item[:2])
        projection = views.make(loaded, attempt, preset_named("reading"))

        def again(text: str = render(projection) if projection else "the session is not at hand") -> None:
            print(text)

        statement = next(s for s in loaded.statements if s.id == item[2])
        question = question_of(statement)
        print("\n".join([question.text, *(f"  {answer}: {meaning}" for answer, meaning in question.criteria)]))
        try:
            answer = ask_choice("the settled answer", (*answers_of(statement), UNCLEAR), again=again)
            ruling = Ruling(attempt=item[1], statement=item[2], answer=answer, reason=ask_text("reason"))
        except Stop:
            break
        _keep(layout, args, labels, guide, item[0], ruling)
        settled += 1
    print(f"{len(differing)} items with votes that differ, {settled} settled now")
    return 0


def _print_votes(labels: Labels, item: ItemName) -> None:
    print(f"\n{'/'.join(item)}")
    for cast in labels.votes[item]:
        also = "".join(f"; {name}: {value}" for name, value in cast.vote.also.items())
        print(
            f"  {cast.annotator} says {cast.vote.answer}, events {list(cast.vote.evidence)}: {cast.vote.rationale}{also}"
        )


def _keep(layout: Layout, args: argparse.Namespace, labels: Labels, guide: str, case: str, ruling: Ruling) -> None:
    """Add the ruling to the case's file; rulings that are there stay."""
    item: ItemName = (case, ruling.attempt, ruling.statement)
    labels.rulings[item] = ruling
    rulings = tuple(r for (c, _, _), r in labels.rulings.items() if c == case)
    file = AdjudicationFile(
        schema="1",
        case=case,
        adjudicator=args.adjudicator,
        made_by=args.made_by,
        lineage=args.lineage,
        guide=guide,
        at=datetime.now(UTC).isoformat(timespec="seconds"),
        rulings=rulings,
    )
    write_whole(layout.labels / "adjudicated" / f"{case}.yaml", adjudication_text(file))
