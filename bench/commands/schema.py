"""``bench schema``: JSON Schemas of the file formats, for editors."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from bench.commands.options import json_option
from bench.comparing.config import Config
from bench.judges.rules import Rule
from bench.problems import BrokenInput, Problem
from bench.schema.base import Record
from bench.schema.case import Case
from bench.schema.probe import ProbeFile
from bench.schema.suite import Splits, Suite
from bench.schema.vote import AdjudicationFile, ChecksFile, NoteFile, VoteFile
from bench.terminal.say import print_json, say
from bench.terminal.words import counted, wrapped

SCHEMAS: dict[str, type[Record]] = {
    "case": Case,
    "suite": Suite,
    "splits": Splits,
    "votes": VoteFile,
    "checks": ChecksFile,
    "adjudication": AdjudicationFile,
    "note": NoteFile,
    "rule": Rule,
    "probes": ProbeFile,
    "bench-toml": Config,
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--out", metavar="FOLDER", type=Path, default=Path("docs/schemas"), help="default: docs/schemas"
    )
    json_option(parser)


def run(args: argparse.Namespace) -> int:
    if args.out.exists() and not args.out.is_dir():
        raise BrokenInput([Problem(args.out.as_posix(), None, None, "--out", "not a folder", "name a folder")])
    args.out.mkdir(parents=True, exist_ok=True)
    for name, text in schema_texts().items():
        (args.out / f"{name}.schema.json").write_text(text, encoding="utf-8", newline="\n")
    if args.json:
        print_json({"exit_code": 0, "folder": args.out.as_posix(), "schemas": list(SCHEMAS)})
    else:
        say(wrapped(f"{counted(len(SCHEMAS), 'schema')} in {args.out.as_posix()}"))
    return 0


def schema_texts() -> dict[str, str]:
    """The schema of each file format, generated from the records that read it."""
    dialect = {"$schema": "https://json-schema.org/draft/2020-12/schema"}
    return {
        name: json.dumps(dialect | model.model_json_schema(by_alias=True), indent=1, ensure_ascii=False) + "\n"
        for name, model in SCHEMAS.items()
    }
