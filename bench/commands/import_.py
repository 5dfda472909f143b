"""``bench import``: turn a recorded session into a case, or into its events as JSON lines."""

from __future__ import annotations

import argparse
import json
import random
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from bench.cases.git_source import name_problems
from bench.cases.layout import find_suite
from bench.cases.load import LoadedSuite, load_suite
from bench.cases.scaffold import TO_WRITE, case_text, free_id, note_text, write_case
from bench.cases.sources import file_digest
from bench.commands.ids import id_word
from bench.commands.import_events import file_format, stream_to, write_events
from bench.commands.judge import books_of, report_line
from bench.commands.new import author_word
from bench.commands.options import json_option, progress, suite_option
from bench.problems import BrokenInput, Problem, shorten, without_secrets
from bench.projection.presets import PRESETS
from bench.projection.project import for_publishing, project
from bench.schema.case import SessionReference
from bench.terminal.say import print_json, say
from bench.terminal.waiting import waiting
from bench.terminal.words import counted, wrapped
from bench.traces.atif_write import to_atif
from bench.traces.claude_code import HARNESS
from bench.traces.claude_files import read_together
from bench.traces.detect import NAMES, read_session, read_sessions
from bench.traces.report import Session
from bench.traces.stream import STREAMED
from bench.triage.proposal import propose
from bench.whole_file import write_whole

_QUERY = "What the person asks for in the session's own prompts."
_SHOWN = 5  # sessions of a file whose books are printed
Written = dict[str, str | int]  # what came to be, and what was taken out of it


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "session",
        type=Path,
        nargs="+",
        help="a recorded session; its format is told from its content. Several files, or a folder, are one Claude Code session"
        " with its sub-agents",
    )
    parser.add_argument(
        "--events",
        metavar="OUT.jsonl",
        type=Path,
        help="make no case: write the events, secrets redacted, one JSON object a line (of a file with several sessions"
        " each with the number of its session); a file of any size",
    )
    parser.add_argument(
        "--atif",
        metavar="OUT.json",
        type=Path,
        help="make no case: write the session in the interchange format ATIF, secrets redacted, without recorded labels",
    )
    parser.add_argument("--strict", action="store_true", help="fail where a record is of a type that no reader knows")
    parser.add_argument(
        "--as-case",
        action="store_true",
        help="propose world state and, where the session ended well, anchors from what it did: marked, for you to check",
    )
    parser.add_argument("--format", metavar="NAME", choices=NAMES, help="overrule the detected format")
    parser.add_argument("--id", type=id_word, help="give the id yourself (default: a free opaque one)")
    parser.add_argument("--family", type=id_word, help="the family the case belongs to (default: one of its own)")
    parser.add_argument("--stratum", help="default: the last of the suite; with --reference the first random sample")
    parser.add_argument(
        "--query",
        help="what the person wants (default: the first typed prompt; with --reference a sentence without its text)",
    )
    parser.add_argument("--author", help="your name in the note (default: importer)")
    parser.add_argument(
        "--reference",
        metavar="OWNER/NAME@COMMIT:PATH",
        help="where the session is published: the case names it and holds none of its text",
    )
    suite_option(parser)
    json_option(parser)


def run(args: argparse.Namespace) -> int:
    if args.as_case and (args.reference or args.events is not None):
        fix = "leave one of the two out: proposals are made of the session's text, for a case that holds it"
        raise BrokenInput([Problem("--as-case", None, None, None, "given beside --reference or --events", fix)])
    if args.events is not None:
        return _events(args)
    if args.atif is not None:
        return _atif(args)
    layout = find_suite(args.suite)
    with waiting("reading"):
        suite = load_suite(layout, splits_may_lag=True)
        session = _session(args)
    if not session.events:
        fix = "give a session that holds at least one prompt, message or call"
        raise BrokenInput([Problem(_named(args), None, None, None, "no events", fix)])
    _known_types_only(args, session.report.unknown)
    case_id = args.id or free_id(suite, random.Random())
    written = (_by_reference if args.reference else _with_its_events)(args, suite, session, case_id)
    if args.json:
        books = books_of(session.report, len(session.events))
        print_json({"exit_code": 0, "id": case_id, **written, "session": str(args.session[0]), **books})
        return 0
    say(wrapped(report_line(args.session[0], session.report, len(session.events))))
    _tell_written(written)
    say(
        wrapped(
            f"next: check query and metadata, then bench split, bench lint, bench label --annotator NAME --case {case_id}"
        )
    )
    return 0


def _tell_written(written: Mapping[str, str | int]) -> None:
    if "reference" in written:
        told = f"in {written['reference']}, by reference (--sessions FOLDER or .sessions/ has the text at hand)"
        say(wrapped(f"case: {written['case']} {told}"))
        return
    secrets, personal = (int(written[name]) for name in ("secrets_redacted", "personal_redacted"))
    redacted = f"{counted(secrets, 'secret')} redacted, {counted(personal, 'personal detail')}"
    say(wrapped(f"case: {written['case']}, {redacted}"))
    say(wrapped(f"note: {written['note']}"))


def _session(args: argparse.Namespace) -> Session:
    """The one session that was named."""
    if _is_one_file(args):
        return read_session(args.session[0], args.format)
    if args.reference or args.format not in (None, HARNESS):
        found = "several files" if len(args.session) > 1 else "a folder"
        fix = f"give one file: only sessions of {HARNESS} come with files of sub-agents, and a reference names one file"
        raise BrokenInput([Problem(_named(args), None, None, None, found, fix)])
    return read_together(args.session)


def _known_types_only(args: argparse.Namespace, unknown: Mapping[str, int]) -> None:
    """Raises BrokenInput for records of a type that no reader knows, where --strict forbids them."""
    if args.strict and unknown:
        told = ", ".join(f"{shorten(name, 40)} ({count})" for name, count in sorted(unknown.items()))
        fix = "report the type, or leave out --strict: these records are counted and left out"
        raise BrokenInput([Problem(_named(args), None, None, "type", f"unknown types of records: {told}", fix)])


def _atif(args: argparse.Namespace) -> int:
    session = _session(args)
    _known_types_only(args, session.report.unknown)
    clean = project(PRESETS["events"], session.query or "", session.harness, session.events, session.answer)
    redacted = replace(session, events=clean.events, query=clean.query or None, answer=clean.answer, recorded=())
    write_whole(args.atif, json.dumps(to_atif(redacted), indent=1, ensure_ascii=False, allow_nan=False) + "\n")
    if args.json:
        books = books_of(session.report, len(session.events))
        print_json({"exit_code": 0, "atif": args.atif.as_posix(), "secrets_redacted": clean.redactions, **books})
        return 0
    say(wrapped(report_line(args.session[0], session.report, len(session.events))))
    say(wrapped(f"ATIF: {args.atif.as_posix()}, {counted(clean.redactions, 'secret')} redacted"))
    return 0


def _events(args: argparse.Namespace) -> int:
    path = args.session[0]
    if not _is_one_file(args):
        written = write_events(args.events, [_session(args)])
    elif (found := args.format or file_format(path)) in STREAMED:
        written = [stream_to(args.events, path, found, progress("B"))]
    else:
        written = write_events(args.events, read_sessions(path, args.format))
    unknown: Counter[str] = Counter()
    for one in written:
        unknown.update(one.report.unknown)
    redactions = sum(one.redactions for one in written)
    if args.json and not (args.strict and unknown):
        sessions = [books_of(one.report, one.events) for one in written]
        print_json(
            {"exit_code": 0, "events": args.events.as_posix(), "secrets_redacted": redactions, "sessions": sessions}
        )
    if not args.json:
        for one in written[:_SHOWN]:
            say(wrapped(report_line(path, one.report, one.events)))
        if len(written) > _SHOWN:
            say(f"... and {counted(len(written) - _SHOWN, 'more session')}")
        say(wrapped(f"events: {args.events.as_posix()}, {counted(redactions, 'secret')} redacted"))
    _known_types_only(args, unknown)
    return 0


def _is_one_file(args: argparse.Namespace) -> bool:
    return len(args.session) == 1 and not args.session[0].is_dir()


def _named(args: argparse.Namespace) -> str:
    return ", ".join(map(str, args.session))


def _with_its_events(args: argparse.Namespace, suite: LoadedSuite, session: Session, case_id: str) -> Written:
    """A case that holds the session's events, and its note."""
    prompts = [
        event.text for event in session.events if event.kind == "prompt" and event.origin == "human" and event.text
    ]
    query = args.query or (prompts[0] if prompts else "What the session was asked to do.")
    redacted = project(
        PRESETS["events"], query, session.harness, session.events
    )  # a case holds no secret of its session
    clean, personal = for_publishing(redacted)
    stratum = args.stratum or suite.suite.strata[-1].id
    proposal = propose(clean.events) if args.as_case else None
    text = case_text(
        suite, case_id, family=args.family or f"family-{case_id}", stratum=stratum,
        query=shorten(" ".join(clean.query.split()), 300),
        harness=session.harness, events=clean.events, model=None if session.model is None else without_secrets(session.model),
        proposed=TO_WRITE if proposal is None else proposal.lines(),
    )  # fmt: skip
    note = note_text(case_id, suite, author_word(args.author or "importer"))
    note += "" if proposal is None else "".join(f"{line}\n" for line in proposal.note_lines())
    path, note_path = write_case(suite, case_id, stratum, text, note)
    return {
        "case": suite.layout.shown(path), "note": suite.layout.shown(note_path),
        "secrets_redacted": clean.redactions, "personal_redacted": personal,
    }  # fmt: skip


def _by_reference(args: argparse.Namespace, suite: LoadedSuite, session: Session, case_id: str) -> Written:
    """A case that names a published session. Nobody wrote it, so it has no note."""
    place, _, path = args.reference.partition(":")
    repository, _, commit = place.partition("@")
    wrong = name_problems(repository, commit, path)
    if wrong:
        fix = "write it as the repository has it: OWNER/NAME@COMMIT:PATH, the commit with all its 40 hex digits"
        raise BrokenInput([Problem("--reference", None, None, field, found, fix) for field, found in wrong])
    sampled = [stratum.id for stratum in suite.suite.strata if stratum.design == "random_sample"]
    stratum = args.stratum or (sampled or [suite.suite.strata[-1].id])[0]
    reference = SessionReference(
        repository=repository,
        commit=commit,
        path=path,
        format=session.report.format,
        sha256=file_digest(args.session[0]),
    )
    text = case_text(
        suite, case_id, family=args.family or f"{stratum}-{case_id}", stratum=stratum, query=args.query or _QUERY,
        harness=session.harness, events=None, reference=reference,
    )  # fmt: skip
    written, _ = write_case(suite, case_id, stratum, text, None)
    return {"case": suite.layout.shown(written), "reference": repository}
