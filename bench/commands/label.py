"""``bench label``: vote in the terminal or on a local page, one statement at a time, blind to other votes, notes, metadata
and judges."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from contextlib import nullcontext, redirect_stdout
from dataclasses import dataclass

from bench.cases.layout import find_suite
from bench.cases.load import AnyStatement, LoadedCase, LoadedSuite, load_suite
from bench.commands.ask import Stop, ask_choice, ask_numbers, ask_text
from bench.commands.ids import id_word
from bench.commands.options import page_options, sessions_option, suite_option
from bench.judges.contract import question_of
from bench.labelling.casting import AlreadyCast, cast
from bench.labelling.hand import Hand, provenance_is_whole
from bench.labelling.order import cases_meant, open_statements, order_of
from bench.labels.guide import NO_GUIDE, guide_path, guide_version
from bench.problems import BrokenInput, Problem
from bench.projection.project import preset_named
from bench.projection.render import render
from bench.projection.view import Projection
from bench.schema.case import Attempt
from bench.schema.statement import answers_of
from bench.schema.vote import Vote
from bench.terminal.say import print_json
from bench.terminal.words import counted
from bench.workspace import session_folders, views_of

_PAGE = 60  # lines shown at once


@dataclass
class _Tally:
    """What became of the sitting."""

    cast: int = 0
    passed_over: int = 0
    stopped: bool = False


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--annotator",
        type=id_word,
        action="append",
        required=True,
        metavar="NAME",
        help="your name, one folder of votes each; with --web several, each with an address of their own",
    )
    parser.add_argument(
        "--case", metavar="ID", action="append", default=[], help="only these cases (default: all that lack your vote)"
    )
    kind = parser.add_mutually_exclusive_group()
    kind.add_argument(
        "--check", action="store_true", help="cast third votes, on the cases of checks.yaml; no label follows from them"
    )
    kind.add_argument(
        "--pilot", action="store_true", help="vote in the pilot, kept apart: no label and no figure follows from it"
    )
    parser.add_argument("--made-by", choices=("person", "model_assisted", "model"), default="person")
    parser.add_argument("--lineage", help="the model family, where a model has a part")
    parser.add_argument("--preset", default="reading", help="the projection to read (default: reading)")
    page_options(parser)
    suite_option(parser)
    sessions_option(parser)


def run(args: argparse.Namespace) -> int:
    layout = find_suite(args.suite)
    suite = load_suite(layout)
    preset_named(args.preset)  # a name that is none, before anybody answers
    provenance_is_whole(args.made_by, args.lineage, "made the votes")
    cases = cases_meant(suite, args.case, check=args.check, pilot=args.pilot)
    hands = [_hand(suite, args, annotator) for annotator in dict.fromkeys(args.annotator)]
    if args.web:
        from bench.commands.label_web import serve_labels

        return serve_labels(args, suite, hands, cases)
    if len(hands) > 1:
        fix = "one terminal asks one person: name one, or add --web"
        raise BrokenInput([Problem("--annotator", None, None, None, f"{len(hands)} names", fix)])
    with redirect_stdout(sys.stderr) if args.json else nullcontext():
        tally = _sit(args, suite, hands[0], cases)
    if args.json:
        print_json(_summary(suite, hands[0], tally))
    elif tally.stopped:
        print(f"\nstopped; {tally.cast} votes are kept, and the same command goes on from here")
    else:
        left = f"{tally.passed_over} attempts were passed over" if tally.passed_over else "nothing is left"
        print(f"{counted(tally.cast, 'vote')} cast; {left} for {hands[0].annotator}")
    return 0


def _hand(suite: LoadedSuite, args: argparse.Namespace, annotator: str) -> Hand:
    return Hand(
        suite.layout,
        annotator,
        args.made_by,
        args.lineage,
        purpose="check" if args.check else "label",
        pilot=args.pilot,
    )


def _summary(suite: LoadedSuite, hand: Hand, tally: _Tally) -> dict[str, str | int | bool]:
    return {
        "exit_code": 0,
        "suite": suite.suite.id,
        "annotator": hand.annotator,
        "purpose": hand.purpose,
        "pilot": hand.pilot,
        "votes_cast": tally.cast,
        "attempts_passed_over": tally.passed_over,
        "stopped": tally.stopped,
    }


def _sit(args: argparse.Namespace, suite: LoadedSuite, hand: Hand, cases: frozenset[str]) -> _Tally:
    """Ask about one attempt after the other, until all is answered or the person stops."""
    tally = _Tally()
    preset = preset_named(args.preset)
    views = views_of(suite.layout, session_folders(suite.layout, args.sessions))
    for loaded, attempt in order_of(suite, hand.annotator, cases):
        held = hand.held(loaded.case.id)
        if held is not None and held.purpose != hand.purpose:
            print(f"[{loaded.case.id}/{attempt.id} has a {held.purpose} vote of {hand.annotator}; passed over]")
            tally.passed_over += 1
            continue
        statements = open_statements(hand, loaded, attempt)
        if not statements:
            continue
        projection = views.make(loaded, attempt, preset)
        if projection is None:
            print(f"[{loaded.case.id}/{attempt.id} is not at hand (--sessions FOLDER); passed over]")
            tally.passed_over += 1
            continue
        try:
            for _ in _votes(hand, loaded, attempt, statements, projection):
                tally.cast += 1
        except Stop:
            tally.stopped = True
            break
    return tally


def _votes(
    hand: Hand, loaded: LoadedCase, attempt: Attempt, statements: list[AnyStatement], projection: Projection
) -> Iterator[Vote]:
    """Ask one statement after the other; a vote is on disk before the next is asked."""
    layout = hand.layout
    guide = guide_version(layout)  # before anybody answers: a broken guide costs no vote
    if guide != NO_GUIDE:
        print(f"[vote by {layout.shown(guide_path(layout))}, version {guide}, and by nothing else]")
    lines = render(projection).splitlines()
    _page(lines, 0)
    for count, statement in enumerate(statements):
        print(f"\n--- statement {count + 1} of {len(statements)} ---")
        vote = _one(attempt, statement, lines, max(projection.numbers))
        try:
            cast(hand, loaded.case.id, vote, guide, projection.preset)
        except AlreadyCast as refusal:
            print(f"[voted on elsewhere meanwhile: {refusal.there.answer}; that vote stays]")
            continue
        yield vote


def _page(lines: list[str], start: int) -> None:
    """Show the session page by page; where there is no terminal, all of it."""
    if not sys.stdin.isatty():
        print("\n".join(lines))
        return
    while start < len(lines):
        print("\n".join(lines[start : start + _PAGE]))
        start += _PAGE
        if (
            start < len(lines)
            and ask_text(f"[{start}/{len(lines)} lines; Enter: more, q: stop]", may_be_empty=True) == "q"
        ):
            raise Stop


def _one(attempt: Attempt, statement: AnyStatement, lines: list[str], last: int) -> Vote:
    question = question_of(statement)
    print(question.text)
    for answer, meaning in question.criteria:
        print(f"  {answer}: {meaning}")
    answer = ask_choice("answer", (*answers_of(statement), "unclear"), again=lambda: _page(lines, 0))
    also = {}
    for field in statement.ask_also:
        if field.when == answer:
            value = (
                ask_choice(field.name, tuple(field.options), meanings=field.options)
                if field.options is not None
                else ask_text(f"{field.name} ({field.meaning})", may_be_empty=not field.required)
            )
            also.update({field.name: value} if value else {})
    evidence = ask_numbers("evidence: event numbers, separated by spaces (may be empty)", last)
    rationale = ask_text("why, in one or two sentences")
    return Vote(
        attempt=attempt.id, statement=statement.id, answer=answer, rationale=rationale, evidence=evidence, also=also
    )
