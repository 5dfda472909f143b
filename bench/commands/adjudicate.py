"""``bench adjudicate``: show votes that differ, in the terminal or on a local page; ask for the answer and the reason."""

from __future__ import annotations

import argparse
import sys
from contextlib import nullcontext, redirect_stdout

from bench.cases.layout import find_suite
from bench.cases.load import LoadedSuite
from bench.commands.ask import Stop, ask_choice, ask_text
from bench.commands.ids import id_word
from bench.commands.options import page_options, sessions_option, suite_option
from bench.judges.contract import question_of
from bench.labelling.hand import provenance_is_whole
from bench.labelling.ruling import AlreadyRuled, Chair, differing, rule
from bench.labels.guide import guide_version
from bench.labels.load import UNCLEAR, ItemName, Labels
from bench.projection.project import preset_named
from bench.projection.render import render
from bench.schema.statement import answers_of
from bench.schema.vote import Ruling
from bench.terminal.say import print_json
from bench.workspace import load, session_folders, views_of


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--adjudicator", type=id_word, required=True, metavar="NAME")
    parser.add_argument("--made-by", choices=("person", "model_assisted", "model"), default="person")
    parser.add_argument("--lineage", help="the model family, where a model has a part")
    parser.add_argument("--list", action="store_true", help="only list what differs")
    page_options(parser)
    suite_option(parser)
    sessions_option(parser)


def run(args: argparse.Namespace) -> int:
    layout = find_suite(args.suite)
    suite, labels = load(layout)
    provenance_is_whole(args.made_by, args.lineage, "rules")
    chair = Chair(layout, args.adjudicator, args.made_by, args.lineage)
    if args.web and not args.list:
        from bench.commands.label_web import serve_rulings

        return serve_rulings(args, suite, labels, chair)
    items = [item for item in differing(labels) if item not in labels.rulings]
    with redirect_stdout(sys.stderr) if args.json else nullcontext():
        settled = _listed(labels, items) if args.list else _settle(args, suite, labels, items, chair)
    if args.json:
        print_json(_summary(suite, labels, items, settled))
    else:
        print(f"{len(items)} items with votes that differ, {settled} settled now")
    return 0


def _listed(labels: Labels, items: list[ItemName]) -> int:
    for item in items:
        _print_votes(labels, item)
    return 0


def _settle(args: argparse.Namespace, suite: LoadedSuite, labels: Labels, items: list[ItemName], chair: Chair) -> int:
    """Ask about one item after the other; how many were settled before the person stopped."""
    views = views_of(suite.layout, session_folders(suite.layout, args.sessions))
    guide = guide_version(suite.layout)  # before anybody answers: a broken guide costs no ruling
    settled = 0
    for item in items:
        _print_votes(labels, item)
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
        try:
            rule(chair, item[0], ruling, guide)
            settled += 1
        except AlreadyRuled as refusal:
            print(f"[ruled on elsewhere meanwhile: {refusal.there.answer}; that ruling stays]")
    return settled


def _print_votes(labels: Labels, item: ItemName) -> None:
    print(f"\n{'/'.join(item)}")
    for cast in labels.votes[item]:
        also = "".join(f"; {name}: {value}" for name, value in cast.vote.also.items())
        print(
            f"  {cast.annotator} says {cast.vote.answer}, events {list(cast.vote.evidence)}: {cast.vote.rationale}{also}"
        )


def _summary(suite: LoadedSuite, labels: Labels, items: list[ItemName], settled: int) -> dict[str, object]:
    told = [
        {
            "case": case,
            "attempt": attempt,
            "statement": statement,
            "votes": [
                {"annotator": c.annotator, "answer": c.vote.answer, "evidence": c.vote.evidence, "rationale": c.vote.rationale}
                for c in labels.votes[case, attempt, statement]
            ],
        }
        for case, attempt, statement in items
    ]  # fmt: skip
    return {"exit_code": 0, "suite": suite.suite.id, "differing": len(items), "settled_now": settled, "items": told}
