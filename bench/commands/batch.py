"""``bench batch``: ask models that this machine cannot call: requests out as JSONL, answers in."""

from __future__ import annotations

import argparse
from fnmatch import fnmatchcase
from pathlib import Path

from bench.cases.layout import find_suite
from bench.cases.load import LoadedSuite
from bench.commands.options import sessions_option, suite_option
from bench.judges.llm.batch import FORMS, why_not
from bench.judges.llm.judge import LlmJudge
from bench.problems import BrokenInput, Problem
from bench.running.batches import BatchBooks, export, take
from bench.running.plan import SeatedJudge, expected, seat
from bench.running.store import RunFile
from bench.whole_file import write_whole
from bench.workspace import load, session_folders, views_of

_SHOWN = 20  # names of each kind


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("what", choices=("export", "import"), help="write requests, or read answers")
    parser.add_argument("file", type=Path, help="JSONL of requests (to write) or of answers (to read)")
    parser.add_argument(
        "--judge", required=True, metavar="NAME", help="an llm judge of the suite, by its shown name or a glob"
    )
    parser.add_argument("--form", choices=FORMS, required=True, help="openai, anthropic, or plain text")
    parser.add_argument("--model", help="import: the model that answered, where the answers do not say")
    suite_option(parser)
    sessions_option(parser)


def run(args: argparse.Namespace) -> int:
    layout = find_suite(args.suite)
    suite = load(layout)[0]
    views = views_of(layout, session_folders(layout, args.sessions))
    seated, judge = _llm_judge(suite, args.judge)
    trouble = why_not(args.form, judge.settings)
    if trouble is not None:
        raise BrokenInput([Problem("--form", None, None, None, trouble, f"use one of {', '.join(FORMS)} that fits")])
    owed = list(expected(suite, seated, views))
    if args.what == "export":
        lines = list(export(seated, judge, owed, RunFile(layout.runs, seated.id), views, args.form))
        views.save()
        write_whole(args.file, "".join(line + "\n" for line in lines))
        print(f"{len(lines)} requests of {judge.name} in {args.file.as_posix()}")
        return 0 if lines else 2
    if not args.file.is_file():
        raise BrokenInput([Problem(str(args.file), None, None, None, "no such file", "name the file of answers")])
    with args.file.open("rb") as stream:
        books = take(seated, judge, owed, stream, args.form, folder=layout.runs, views=views, model=args.model)
    views.save()
    return _tell(books, seated.id)


def _llm_judge(suite: LoadedSuite, name: str) -> tuple[SeatedJudge, LlmJudge]:
    seated = [seat(suite, entry) for entry in suite.suite.judges if entry.judge == "llm"]
    found = [(s, s.judge) for s in seated if isinstance(s.judge, LlmJudge) and _is_named(s, name)]
    if len(found) != 1:
        known = (
            ", ".join(f"{s.judge.name} ({s.id})" for s in seated) or "none: add an entry with judge: llm to suite.yaml"
        )
        told = f"{name!r} fits {len(found)} judges"
        raise BrokenInput([Problem("--judge", None, None, None, told, f"name one of the suite's llm judges: {known}")])
    return found[0]


def _is_named(seated: SeatedJudge, name: str) -> bool:
    """By name, or by judge_id where several seats share one (cells of an experiment)."""
    return fnmatchcase(seated.judge.name, name) or fnmatchcase(seated.id, name)


def _tell(books: BatchBooks, asked_id: str) -> int:
    print(f"{books.lines} answers to {books.requests} requests")
    for identity, count in sorted(books.stored.items()):
        print(f"  {count} stored under {identity}")
        if identity != asked_id:
            print("    (another model answered than was asked for: put its name into suite.yaml to have it counted)")
    for reason, count in sorted(books.unscored.items()):
        print(f"  of these unscored: {count} {reason}")
    for kind, names in (
        ("already stored", books.already),
        ("put off by the provider", books.put_off),
        ("missing", books.missing),
        ("duplicated (the first counts)", books.duplicated),
        ("foreign", books.foreign),
        ("malformed", books.malformed),
    ):
        if names:
            print(f"  {len(names)} {kind}:")
            for name in names[:_SHOWN]:
                print(f"    {name}")
            if len(names) > _SHOWN:
                print(f"    ... and {len(names) - _SHOWN} more")
    if not books.balanced:
        print("the books do not balance: report this as a bug of bench")
        return 1
    print("books balanced: requests = stored + already stored + put off + missing")
    return 0 if not (books.missing or books.put_off) else 2
