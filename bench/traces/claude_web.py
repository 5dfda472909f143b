"""Import of a session exported from Claude Code on the web: one JSON document, its records under ``loglines``.

The records are those of a session file, without the fields that make a tree of them in most exports; a record is one entry
of the list, and ``line`` is its position from 1. Source of the format: simonw/claude-code-transcripts (what it fetches from
the web and reads as ``.json``).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import BinaryIO

from pydantic import JsonValue

from bench.traces.claude_code import Importer
from bench.traces.claude_records import KNOWN
from bench.traces.documents import entries, read_document
from bench.traces.lines import text_at
from bench.traces.report import Format, ImportReport, Session
from bench.traces.transcript import account

READER = "claude-code-web@1"
HARNESS = "claude-code-web"
_SPEAKERS = ("user", "assistant")
_HEAD = 400


def speaks(document: JsonValue) -> bool:
    """Whether a document is such an export and nothing else."""
    return any(_is_record(entry) for entry in _loglines(document)[:_HEAD])


def read(stream: BinaryIO) -> Iterator[Session]:
    """The one session in a document."""
    document = read_document(stream)
    if not speaks(document):
        raise ValueError("no list of loglines with a record of a user or an assistant")
    report = ImportReport(format=HARNESS)
    importer = Importer(report)
    account(entries(_loglines(document)), report, importer.transcript, importer.take, KNOWN)
    yield importer.session(HARNESS)


def _loglines(document: JsonValue) -> list[JsonValue]:
    found = document.get("loglines") if isinstance(document, dict) else None
    return found if isinstance(found, list) else []


def _is_record(entry: JsonValue) -> bool:
    return isinstance(entry, dict) and text_at(entry, "type") in _SPEAKERS and isinstance(entry.get("message"), dict)


FORMAT = Format(HARNESS, READER, "document", speaks, read)
