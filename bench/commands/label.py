"""``bench label``: vote in the terminal, one statement at a time, blind to other votes, notes, metadata and judges."""

from __future__ import annotations

import argparse
import random
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

from bench.cases.layout import Layout, find_suite
from bench.cases.load import AnyStatement, LoadedCase, LoadedSuite, load_suite
from bench.commands.ask import Stop, ask_choice, ask_numbers, ask_text
from bench.commands.ids import id_word
from bench.commands.options import sessions_option, suite_option
from bench.judges.contract import question_of
from bench.labels.checks import CHECKS, read_drawn
from bench.labels.guide import NO_GUIDE, guide_path, guide_version
from bench.labels.write import merged_votes, vote_text
from bench.problems import BrokenInput, Problem
from bench.projection.project import preset_named
from bench.projection.render import render
from bench.projection.view import Projection
from bench.reading.strict_yaml import read_yaml
from bench.reading.validate import validate
from bench.schema.case import Attempt
from bench.schema.statement import answers_of
from bench.schema.vote import Vote, VoteFile
from bench.whole_file import write_whole
from bench.workspace import session_folders, views_of

_PAGE = 60  # lines shown at once


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--annotator", type=id_word, required=True, metavar="NAME", help="your name, one folder of votes each"
    )
    parser.add_argument(
        "--case", metavar="ID", action="append", default=[], help="only these cases (default: all that lack your vote)"
    )
    parser.add_argument(
        "--check", action="store_true", help="cast third votes, on the cases of checks.yaml; no label follows from them"
    )
    parser.add_argument("--made-by", choices=("person", "model_assisted", "model"), default="person")
    parser.add_argument("--lineage", help="the model family, where a model has a part")
    parser.add_argument("--preset", default="reading", help="the projection to read (default: reading)")
    suite_option(parser)
    sessions_option(parser)


def run(args: argparse.Namespace) -> int:
    layout = find_suite(args.suite)
    suite = load_suite(layout)
    views = views_of(layout, session_folders(layout, args.sessions))
    preset = preset_named(args.preset)
    if args.made_by != "person" and not args.lineage:
        raise BrokenInput(
            [Problem("--lineage", None, None, None, "missing", f"name the model that made votes {args.made_by}")]
        )
    _refuse_unknown_cases(suite, args.case)
    wanted = _drawn(suite, args.case) if args.check else frozenset(args.case)
    cast = passed_over = 0
    for loaded, attempt in _order(suite, args.annotator, wanted):
        held = _held(layout, args.annotator, loaded.case.id)
        if held is not None and held.purpose != _purpose(args):
            print(f"[{loaded.case.id}/{attempt.id} has a {held.purpose} vote of {args.annotator}; passed over]")
            passed_over += 1
            continue
        open_statements = _open(layout, args, loaded, attempt)
        if not open_statements:
            continue
        projection = views.make(loaded, attempt, preset)
        if projection is None:
            print(f"[{loaded.case.id}/{attempt.id} is not at hand (--sessions FOLDER); passed over]")
            passed_over += 1
            continue
        try:
            for _ in _votes(layout, args, loaded, attempt, open_statements, projection):
                cast += 1
        except Stop:
            print(f"\nstopped; {cast} votes are kept, and the same command goes on from here")
            return 0
    left = f"{passed_over} attempts were passed over" if passed_over else "nothing is left"
    print(f"{cast} votes cast; {left} for {args.annotator}")
    return 0


def _refuse_unknown_cases(suite: LoadedSuite, wanted: list[str]) -> None:
    unknown = sorted(set(wanted) - {loaded.case.id for loaded in suite.cases})
    if unknown:
        fix = "name cases of the suite, or leave --case out"
        raise BrokenInput([Problem("--case", None, None, None, f"no case {name!r}", fix) for name in unknown])


def _drawn(suite: LoadedSuite, cases: list[str]) -> frozenset[str]:
    """The cases to check: those drawn, or those of them that are named."""
    drawn, problems = read_drawn(suite, frozenset())
    place = suite.layout.shown(suite.layout.labels / CHECKS)
    if drawn is None and not problems:
        fix = "draw a fifth of the cases at random, and write the seed, how it was done and the cases there"
        problems = [Problem(place, None, None, None, "no such file, and third votes go to drawn cases only", fix)]
    for case in sorted(set(cases) - set(drawn or ()) if not problems else ()):
        fix = "check a case that was drawn: a choice by hand stands for nothing but itself"
        problems.append(Problem("--case", None, None, None, f"case {case!r} is not in {place}", fix))
    if problems:
        raise BrokenInput(problems)
    return frozenset(cases) or frozenset(drawn or ())


def _purpose(args: argparse.Namespace) -> Literal["label", "check"]:
    return "check" if args.check else "label"


def _order(suite: LoadedSuite, annotator: str, cases: frozenset[str]) -> list[tuple[LoadedCase, Attempt]]:
    """A random order of the annotator's own, the same each time, so that neighbours in the files are no neighbours here."""
    wanted = [(c, a) for c, a in suite.attempts() if not cases or c.case.id in cases]
    random.Random(annotator).shuffle(wanted)
    return wanted


def _path(layout: Layout, annotator: str, case: str) -> Path:
    return layout.labels / "votes" / annotator / f"{case}.yaml"


def _held(layout: Layout, annotator: str, case: str) -> VoteFile | None:
    path = _path(layout, annotator, case)
    if not path.exists():
        return None
    document = read_yaml(path, layout.shown(path))
    record = document if isinstance(document, list) else validate(document, VoteFile, case)
    if isinstance(record, list):
        raise BrokenInput(record)
    return record


def _same_hand(layout: Layout, args: argparse.Namespace, held: VoteFile) -> None:
    """One file has one provenance: a model's votes must not enter a person's file, nor the other way round."""
    if (held.made_by, held.lineage) != (args.made_by, args.lineage):
        path = _path(layout, args.annotator, held.case)
        found = f"votes made by {held.made_by} ({held.lineage or 'no model'})"
        fix = f"go on with --made-by {held.made_by} and its lineage, or vote under another --annotator"
        raise BrokenInput([Problem(layout.shown(path), None, held.case, "made_by", found, fix)])


def _open(layout: Layout, args: argparse.Namespace, loaded: LoadedCase, attempt: Attempt) -> list[AnyStatement]:
    held = _held(layout, args.annotator, loaded.case.id)
    if held is not None:
        _same_hand(layout, args, held)
    done = {(vote.attempt, vote.statement) for vote in held.votes} if held else set()
    return [s for s in loaded.statements if (attempt.id, s.id) not in done]


def _votes(
    layout: Layout,
    args: argparse.Namespace,
    loaded: LoadedCase,
    attempt: Attempt,
    statements: list[AnyStatement],
    projection: Projection,
) -> Iterator[Vote]:
    """Ask one statement after the other; a vote is on disk before the next is asked."""
    guide = guide_version(layout)  # before anybody answers: a broken guide costs no vote
    if guide != NO_GUIDE:
        print(f"[vote by {layout.shown(guide_path(layout))}, version {guide}, and by nothing else]")
    lines = render(projection).splitlines()
    _page(lines, 0)
    for count, statement in enumerate(statements):
        print(f"\n--- statement {count + 1} of {len(statements)} ---")
        vote = _one(attempt, statement, lines, max(projection.numbers))
        held = _held(layout, args.annotator, loaded.case.id)
        file = VoteFile(
            schema="1",
            case=loaded.case.id,
            annotator=args.annotator,
            purpose=_purpose(args),
            made_by=args.made_by,
            lineage=args.lineage,
            guide=guide,
            preset=projection.preset,
            at=datetime.now(UTC).isoformat(timespec="seconds"),
            votes=merged_votes(held.votes if held else (), (vote,)),
        )
        write_whole(_path(layout, args.annotator, loaded.case.id), vote_text(file))
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
