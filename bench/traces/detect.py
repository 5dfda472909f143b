"""Which format a trace is in, told from its content and never from its name."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import islice
from pathlib import Path

from bench.problems import BrokenInput, Problem, shorten
from bench.traces import claude_code, codex, pi
from bench.traces.lines import JsonObject, Line, read_lines
from bench.traces.report import Session

READERS: dict[str, Callable[[Iterable[bytes]], Session]] = {
    claude_code.HARNESS: claude_code.read,
    codex.HARNESS: codex.read,
    pi.HARNESS: pi.read,
}

_VERSIONS = {claude_code.HARNESS: claude_code.READER, codex.HARNESS: codex.READER, pi.HARNESS: pi.READER}

_CODEX_WRAPPERS = frozenset({"session_meta", "turn_context", "response_item", "event_msg", "compacted"})
_CODEX_ITEMS = frozenset({"message", "reasoning", "function_call", "function_call_output", "local_shell_call"})
_CLAUDE_SPEAKERS = frozenset({"user", "assistant"})
_CLAUDE_NOTES = frozenset({"system", "attachment", "progress"})
# Sessions begin with bookkeeping now and then, never with this much of it.
_HEAD_LINES = 400


def detect(head: Iterable[bytes]) -> str | None:
    """The format that the first telling record belongs to."""
    for line in read_lines(islice(head, _HEAD_LINES)):
        found = _format_of(line.record) if line.record is not None else None
        if found is not None:
            return found
    return None


def reader_of(format: str) -> str:
    """Name and version of the reader of a format; the format itself where none reads it."""
    return _VERSIONS.get(format, format)


def read_session(path: Path, format: str | None = None) -> Session:
    """Read one session file, in the format given or, without one, in the format that its content shows."""
    if format is not None and format not in READERS:
        raise _broken(path, f"--format {shorten(format)} names no format", f"give one of: {', '.join(READERS)}")
    try:
        with path.open("rb") as stream:
            reader = READERS[format if format is not None else detect_file(path)]
            session = reader(stream)
    except OSError as error:
        raise _broken(path, f"cannot be read: {error.strerror}", "give the path of a recorded session") from error
    if session.report.seen == 0:
        raise _broken(path, "the file is empty", "give a recorded session with at least one line")
    if not session.events:
        found = f"no event in {session.report.seen} records read as {session.harness}"
        raise _broken(path, found, "if it is another format, say so with --format, or leave the format out")
    return session


def detect_file(path: Path) -> str:
    """The format of a file; BrokenInput where it is none that is read."""
    with path.open("rb") as stream:
        found = detect(stream)
    if found is not None:
        return found
    with path.open("rb") as stream:
        head = list(read_lines(islice(stream, _HEAD_LINES)))
    if not head:
        raise _broken(path, "the file is empty", "give a recorded session with at least one line")
    fix = f"formats that are read: {', '.join(READERS)}; if it is one of them, say so with --format"
    raise _broken(path, f"no known trace format: {_described(head)}", fix)


def _described(head: list[Line]) -> str:
    records = [line.record for line in head if line.record is not None]
    if not records:
        return f"none of the first {len(head)} lines is a JSON object"
    keys = ", ".join(list(records[0])[:6])
    return shorten(f"the first record has type {records[0].get('type')!r} and the fields {keys}", 160)


def _broken(path: Path, found: str, fix: str) -> BrokenInput:
    return BrokenInput([Problem(str(path), None, None, None, found, fix)])


def _format_of(record: JsonObject) -> str | None:
    kind = record.get("type")
    if isinstance(record.get("payload"), dict):
        return codex.HARNESS if kind in _CODEX_WRAPPERS else None
    if _is_claude(record):
        return claude_code.HARNESS
    if pi.speaks(record):
        return pi.HARNESS
    bare_item = kind in _CODEX_ITEMS and ("role" in record or "call_id" in record or "summary" in record)
    bare_meta = kind is None and {"id", "timestamp", "instructions"} <= set(record)
    return codex.HARNESS if bare_item or bare_meta else None


def _is_claude(record: JsonObject) -> bool:
    kind = record.get("type")
    if kind in _CLAUDE_SPEAKERS:
        return isinstance(record.get("message"), dict) and ("uuid" in record or "sessionId" in record)
    if kind in _CLAUDE_NOTES:
        return "uuid" in record and "parentUuid" in record
    return (kind == "summary" and "leafUuid" in record) or (kind == "file-history-snapshot" and "messageId" in record)
