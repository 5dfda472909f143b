"""``bench fetch``: the sessions that cases refer to, from their public repositories."""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from bench.cases.fetch import UPSTREAM, Got, fetch_sessions, read_mirrors, wanted_sessions
from bench.cases.layout import find_suite
from bench.cases.load import load_suite
from bench.cases.sources import SessionFolders
from bench.commands.options import json_option, sessions_option, suite_option
from bench.problems import BrokenInput, Problem
from bench.terminal.say import print_json, say
from bench.terminal.waiting import waiting
from bench.terminal.words import counted, wrapped
from bench.workspace import Selection, select, session_folders

_REASONS = {
    "repository": "the repository is gone or does not answer",
    "commit": "the repository does not have the commit",
    "path": "the commit does not have the path",
    "file": "the path is no file",
    "digest": "the file is not the one that was meant",
    "replaced": "personal data was replaced in the text that was read and judged, and it is not published; "
    "--accept-upstream stores the published text in its stead, apart",
}
_OTHER_TEXT = (
    "Published texts are in {folder}. They are NOT the texts that were read, voted on and judged: there, names, addresses and "
    "home folders had been replaced, so the digest differs. Verdicts on a published text belong to that other text: they join no "
    "stored run and no figure of this suite. The suite's labels carry over only as far as the replaced names do not matter."
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    suite_option(parser)
    sessions_option(parser)
    parser.add_argument("--into", metavar="FOLDER", type=Path, help="where to store (default: the project's .sessions)")
    parser.add_argument("--case", metavar="ID", action="append", default=[], help="only these cases")
    parser.add_argument(
        "--mirror",
        metavar="REPO=ADDRESS",
        action="append",
        default=[],
        help="get OWNER/NAME from this https, ssh or file address, or folder (default: github.com)",
    )
    parser.add_argument(
        "--accept-upstream",
        action="store_true",
        help=f"store published texts that differ from the judged ones, apart in FOLDER/{UPSTREAM}",
    )
    json_option(parser)


def run(args: argparse.Namespace) -> int:
    layout = find_suite(args.suite)
    with waiting("reading"):
        suite = select(load_suite(layout, splits_may_lag=True), Selection(cases=tuple(args.case)))
    if not suite.cases:
        raise BrokenInput(
            [
                Problem(
                    "--case",
                    None,
                    None,
                    None,
                    f"no case {', '.join(args.case)}",
                    "name cases of the suite, or leave --case out",
                )
            ]
        )
    into: Path = args.into or layout.root / ".sessions"
    if into.exists() and not into.is_dir():
        raise BrokenInput([Problem(str(into), None, None, "--into", "not a folder", "name a folder")])
    wanted = wanted_sessions(suite)
    mirrors = read_mirrors(args.mirror, wanted)
    folders = session_folders(layout, args.sessions)
    at_hand = SessionFolders([*([into] if into.is_dir() else []), *folders.folders])
    got = fetch_sessions(wanted, into, at_hand, mirrors, accept_upstream=args.accept_upstream, say=_say)
    code = 2 if any(one.outcome == "missing" for one in got) else 0
    if args.json:
        print_json({"exit_code": code, "into": into.as_posix(), "sessions": [_as_json(one) for one in got]})
    else:
        _tell(got, into)
    return code


def _as_json(got: Got) -> dict[str, object]:
    reference = got.wanted.reference
    return {
        "attempts": str(got.wanted),
        "repository": reference.repository,
        "commit": reference.commit,
        "path": reference.path,
        "outcome": got.outcome,
        "why": got.why,
        "detail": got.detail,
        "file": None if got.path is None else got.path.as_posix(),
    }


def _say(line: str) -> None:
    print(line, file=sys.stderr)


def _tell(got: Sequence[Got], into: Path) -> None:
    if not got:
        say("no case here refers to a session")
        return
    for why, meaning in _REASONS.items():
        mine = [one for one in got if one.why == why]
        if mine:
            say(wrapped(f"{len(mine)} missing: {meaning}"))
        for one in mine:
            reference = one.wanted.reference
            say(wrapped(f"{one.wanted}: {reference.repository} {reference.commit[:12]} {reference.path}", "  "))
            if why != "replaced":
                say(wrapped(one.detail, "    "))
    counts = Counter(one.outcome for one in got)
    parts = [f"{counts['stored']} stored", f"{counts['present']} there already"]
    upstream = counts["stored_upstream"] + counts["present_upstream"]
    if upstream:
        parts.append(f"{upstream} as published ({counts['stored_upstream']} of them new)")
        say(wrapped(_OTHER_TEXT.format(folder=into / UPSTREAM), rest=""))
    say(wrapped(f"{counted(len(got), 'session')} wanted: {', '.join(parts)}, {counts['missing']} missing"))
    if counts["stored"] or counts["present"]:
        say("next: bench run")
