"""``bench scan``: look for secrets in what is about to be published."""

from __future__ import annotations

import argparse
from collections import Counter
from fnmatch import fnmatchcase
from pathlib import Path

from bench.commands.options import json_option
from bench.leaks.scan import Leak, Scanned, scan
from bench.leaks.second import SECOND, second_opinion
from bench.redaction.redact import VERSION
from bench.terminal.say import print_json, say
from bench.terminal.waiting import waiting
from bench.terminal.words import counted, wrapped


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "paths", nargs="+", type=Path, metavar="PATH", help="files and folders: text, JSON, HTML, Parquet"
    )
    parser.add_argument(
        "--personal", action="store_true", help="also mail addresses, telephone numbers and names of home folders"
    )
    parser.add_argument(
        "--planted",
        metavar="GLOB",
        action="append",
        default=[],
        help="files whose findings are planted fakes: told, but not counted",
    )
    parser.add_argument("--second", action="store_true", help=f"ask {SECOND} too, if it is installed (nothing leaves)")
    json_option(parser)


def run(args: argparse.Namespace) -> int:
    with waiting("scanning"):
        found = scan(args.paths, personal=args.personal)
        if args.second:
            found = second_opinion(found, args.paths)
    planted = [leak for leak in found.leaks if any(fnmatchcase(leak.file, glob) for glob in args.planted)]
    leaks = [leak for leak in found.leaks if leak not in planted]
    code = 1 if leaks else 0
    if args.json:
        print_json(_as_json(found, leaks, planted, code))
    else:
        _tell(found, leaks, planted)
    return code


def _as_json(found: Scanned, leaks: list[Leak], planted: list[Leak], code: int) -> dict[str, object]:
    return {
        "rules": VERSION,
        "files": found.files,
        "characters": found.characters,
        "not_text": list(found.unread),
        "found": [leak.__dict__ for leak in leaks],
        "planted": [leak.__dict__ for leak in planted],
        "exit_code": code,
    }


def _tell(found: Scanned, leaks: list[Leak], planted: list[Leak]) -> None:
    for leak in leaks:
        say(str(leak))  # unbroken: FILE:LINE is what an editor opens
    for leak in planted:
        say(f"{leak}, planted")
    kinds = ", ".join(f"{count} {kind}" for kind, count in sorted(Counter(leak.kind for leak in leaks).items()))
    unread = f"; no text and not looked into: {counted(len(found.unread), 'file')}" if found.unread else ""
    size = f"{counted(found.files, 'file')}, {found.characters / 1e6:.1f} million characters"
    say(wrapped(f"{size}: {kinds or 'nothing found'}{f', {len(planted)} planted' if planted else ''}{unread}"))
    if leaks:
        fix = "remove them and make the secrets invalid where they were issued; what was seen stays known"
        say(wrapped(f"to mend: {fix}"))
