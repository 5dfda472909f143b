"""``bench scan``: look for secrets in what is about to be published."""

from __future__ import annotations

import argparse
import json
from collections import Counter
from fnmatch import fnmatchcase
from pathlib import Path

from bench.leaks.scan import Leak, Scanned, scan
from bench.leaks.second import SECOND, second_opinion
from bench.redaction.redact import VERSION


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
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(args: argparse.Namespace) -> int:
    found = scan(args.paths, personal=args.personal)
    if args.second:
        found = second_opinion(found, args.paths)
    planted = [leak for leak in found.leaks if any(fnmatchcase(leak.file, glob) for glob in args.planted)]
    counted = [leak for leak in found.leaks if leak not in planted]
    code = 1 if counted else 0
    if args.json:
        print(json.dumps(_as_json(found, counted, planted, code), indent=1, ensure_ascii=False))
    else:
        _tell(found, counted, planted)
    return code


def _as_json(found: Scanned, counted: list[Leak], planted: list[Leak], code: int) -> dict[str, object]:
    return {
        "rules": VERSION,
        "files": found.files,
        "characters": found.characters,
        "not_text": list(found.unread),
        "found": [leak.__dict__ for leak in counted],
        "planted": [leak.__dict__ for leak in planted],
        "exit_code": code,
    }


def _tell(found: Scanned, counted: list[Leak], planted: list[Leak]) -> None:
    for leak in counted:
        print(leak)
    for leak in planted:
        print(f"{leak}, planted")
    kinds = ", ".join(f"{count} {kind}" for kind, count in sorted(Counter(leak.kind for leak in counted).items()))
    unread = f"; {len(found.unread)} files hold no text and were not looked into" if found.unread else ""
    size = f"{found.files} files, {found.characters / 1e6:.1f} million characters"
    print(f"{size}: {kinds or 'nothing found'}{f', {len(planted)} planted' if planted else ''}{unread}")
    if counted:
        print("to mend: remove them and make the secrets invalid where they were issued; what was seen stays known")
