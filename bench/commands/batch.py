"""``bench batch``: ask models that this machine cannot call: requests out as JSONL, answers in."""

from __future__ import annotations

import argparse
from fnmatch import fnmatchcase
from pathlib import Path

from bench.cases.layout import find_suite
from bench.cases.load import LoadedSuite
from bench.commands.options import json_option, sessions_option, suite_option
from bench.judges.llm.batch import FORMS, why_not
from bench.judges.llm.judge import LlmJudge
from bench.problems import BrokenInput, Problem
from bench.running.batches import BatchBooks, export, take
from bench.running.plan import SeatedJudge, expected, seat
from bench.running.store import RunFile
from bench.terminal.say import print_json, say
from bench.terminal.waiting import waiting
from bench.terminal.words import counted, wrapped
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
    json_option(parser)


def run(args: argparse.Namespace) -> int:
    layout = find_suite(args.suite)
    suite = load(layout)[0]
    views = views_of(layout, session_folders(layout, args.sessions))
    seated, judge = _llm_judge(suite, args.judge)
    trouble = why_not(args.form, judge.settings)
    if trouble is not None:
        raise BrokenInput([Problem("--form", None, None, None, trouble, f"use one of {', '.join(FORMS)} that fits")])
    with waiting("reading"):
        owed = list(expected(suite, seated, views))
    if args.what == "export":
        with waiting("writing requests"):
            lines = list(export(seated, judge, owed, RunFile(layout.runs, seated.id), views, args.form))
        views.save()
        write_whole(args.file, "".join(line + "\n" for line in lines))
        return _tell_exported(len(lines), judge.name, args)
    if not args.file.is_file():
        raise BrokenInput([Problem(str(args.file), None, None, None, "no such file", "name the file of answers")])
    with args.file.open("rb") as stream, waiting("taking answers"):
        books = take(seated, judge, owed, stream, args.form, folder=layout.runs, views=views, model=args.model)
    views.save()
    code = _code(books)
    if args.json:
        counts = {"stored": dict(books.stored), "unscored": dict(books.unscored)}
        told = {"exit_code": code, "asked": seated.id, **books.__dict__, **counts, "balanced": books.balanced}
        print_json(told)
    else:
        _tell(books, seated.id)
    return code


def _llm_judge(suite: LoadedSuite, name: str) -> tuple[SeatedJudge, LlmJudge]:
    seated = [seat(suite, entry) for entry in suite.suite.judges if entry.judge == "llm"]
    found = [(s, s.judge) for s in seated if isinstance(s.judge, LlmJudge) and _is_named(s, name)]
    if len(found) != 1:
        names = dict.fromkeys(f"{s.judge.name} ({s.id})" for s in seated)
        known = ", ".join(names) or "none: add an entry with judge: llm to suite.yaml"
        told = f"{name!r} fits {counted(len(found), 'judge')}"
        fix = f"name one of the suite's llm judges, those of one name by their id: {known}"
        raise BrokenInput([Problem("--judge", None, None, None, told, fix)])
    return found[0]


def _is_named(seated: SeatedJudge, name: str) -> bool:
    """By name, or by judge_id where several seats share one (cells of an experiment)."""
    return fnmatchcase(seated.judge.name, name) or fnmatchcase(seated.id, name)


def _tell_exported(requests: int, judge: str, args: argparse.Namespace) -> int:
    code = 0 if requests else 2
    if args.json:
        print_json({"exit_code": code, "judge": judge, "requests": requests, "file": args.file.as_posix()})
        return code
    say(wrapped(f"{counted(requests, 'request')} of {judge} in {args.file.as_posix()}"))
    if requests:
        say("next: send them, then bench batch import ANSWERS with the same --judge and --form")
    else:
        say("nothing is due: every expected verdict is stored")
    return code


def _code(books: BatchBooks) -> int:
    return 1 if not books.balanced else 2 if books.missing or books.put_off else 0


def _tell(books: BatchBooks, asked_id: str) -> None:
    say(f"{counted(books.lines, 'answer')} to {counted(books.requests, 'request')}")
    for identity, count in sorted(books.stored.items()):
        say(f"  {count} stored under {identity}")
        if identity != asked_id:
            told = "(another model answered than was asked for: put its name into suite.yaml to have it counted)"
            say(wrapped(told, "    "))
    for reason, count in sorted(books.unscored.items()):
        say(f"  of these unscored: {count} {reason}")
    for kind, names in (
        ("already stored", books.already),
        ("put off by the provider", books.put_off),
        ("missing", books.missing),
        ("duplicated (the first counts)", books.duplicated),
        ("foreign", books.foreign),
        ("malformed", books.malformed),
    ):
        if names:
            say(f"  {len(names)} {kind}:")
            for name in names[:_SHOWN]:
                say(f"    {name}")
            if len(names) > _SHOWN:
                say(f"    ... and {len(names) - _SHOWN} more")
    if not books.balanced:
        say("the books do not balance: report this as a bug of bench")
        return
    say("books balanced: requests = stored + already stored + put off + missing")
    say("next: bench report")
