"""Which format a trace is in, told from its content and never from its name; and how a file of any format is read."""

from __future__ import annotations

import zipfile
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import BinaryIO

from bench.problems import BrokenInput, Problem, shorten
from bench.traces import claude_code, codex, pi
from bench.traces.documents import LARGEST, parse_document
from bench.traces.lines import JsonObject, Line, bounded_lines, open_lines, read_lines
from bench.traces.report import Format, Session

# The three that most sessions have. The others are loaded where a file is none of these.
READERS: dict[str, Callable[[Iterable[bytes]], Session]] = {
    claude_code.HARNESS: claude_code.read,
    codex.HARNESS: codex.read,
    pi.HARNESS: pi.read,
}
OTHERS = (
    "agent-logs", "aider", "atif", "beacon", "chat", "chat-lines", "claude-code-hooks", "claude-code-web", "copilot-cli",
    "cursor", "factory-droid", "gemini-cli", "gemini-cli-checkpoint", "gemini-cli-log", "inspect", "inspect-json",
    "mini-swe-agent", "opencode", "opencode-payloads", "openhands", "openhands-eval", "openhands-v0", "otel",
    "swe-agent", "tau-bench", "who-and-when",
)  # fmt: skip
NAMES = (*READERS, *OTHERS)

_VERSIONS = {claude_code.HARNESS: claude_code.READER, codex.HARNESS: codex.READER, pi.HARNESS: pi.READER}

_CODEX_WRAPPERS = frozenset({"session_meta", "turn_context", "response_item", "event_msg", "compacted"})
_CODEX_ITEMS = frozenset({"message", "reasoning", "function_call", "function_call_output", "local_shell_call"})
# Sessions begin with bookkeeping now and then, never with this much of it.
_HEAD_LINES = 400
_HEAD_BYTES = 1 << 18
_ARCHIVE = b"PK\x03\x04"


def detect(head: Iterable[bytes]) -> str | None:
    """Which of the three common formats the first telling record belongs to."""
    for line in read_lines(islice(head, _HEAD_LINES)):
        found = _format_of(line.record) if line.record is not None else None
        if found is not None:
            return found
    return None


def reader_of(format: str) -> str:
    """Name and version of the reader of a format; the format itself where none reads it."""
    if format in _VERSIONS:
        return _VERSIONS[format]
    return next((one.reader for one in _others() if one.name == format), format) if format in OTHERS else format


def detect_file(path: Path) -> str:
    """The format of a file; BrokenInput where it is none that is read."""
    with open_lines(path) as stream:
        common = detect(bounded_lines(stream))
    return common if common is not None else _found(path).name


def read_sessions(path: Path, format: str | None = None) -> Iterator[Session]:
    """Every session of a file, in the format given or, without one, in the format that its content shows.

    Raises BrokenInput where the file is none, cannot be read, or holds no event in that format.
    """
    if format is not None and format not in NAMES:
        raise _broken(path, f"--format {shorten(format)} names no format", f"give one of: {', '.join(NAMES)}")
    try:
        name = format if format is not None else detect_file(path)
        if name in READERS:
            with open_lines(path) as stream:
                yield from _with_events(path, name, [READERS[name](bounded_lines(stream))])
        else:
            yield from _read_other(path, name, overruled=format is not None)
    except OSError as error:
        raise _broken(path, f"cannot be read: {error.strerror}", "give the path of a recorded session") from error


def read_session(path: Path, format: str | None = None) -> Session:
    """The one session of a file. Raises BrokenInput where it holds several."""
    found = list(islice(read_sessions(path, format), 2))
    if len(found) > 1:
        fix = "`bench import --events` and `bench census` read them all; a judge is asked about one"
        raise _broken(path, f"several sessions in one file ({found[0].harness})", fix)
    return found[0]


def _with_events(path: Path, name: str, sessions: Iterable[Session]) -> Iterator[Session]:
    """The sessions that hold events; a file without any is refused, since it would be judged as empty."""
    seen = given = 0
    for session in sessions:
        seen += session.report.seen
        if session.events:
            given += 1
            yield session
    if given:
        return
    if seen == 0:
        raise _broken(path, "the file is empty", "give a recorded session with at least one line")
    fix = "if it is another format, say so with --format, or leave the format out"
    raise _broken(path, f"no event in {seen} records read as {name}", fix)


def _read_other(path: Path, name: str, *, overruled: bool) -> Iterator[Session]:
    """Of several shapes of one format the one that the content has; where that is overruled, the first that reads it."""
    shapes = [one for one in _others() if one.name == name]
    if not overruled or len(shapes) > 1:
        speaking = [one for one in shapes if one in _candidates(path)]
        shapes = speaking or shapes
    try:
        with open_lines(path) as stream:
            yield from _with_events(path, name, shapes[0].read(stream))
    except (ValueError, zipfile.BadZipFile) as error:
        fix = "give a whole file, or the right --format"
        raise _broken(path, f"cannot be read as {name}: {shorten(str(error), 160)}", fix) from None


def _found(path: Path) -> Format:
    candidates = _candidates(path)
    if candidates:
        return candidates[0]
    with open_lines(path) as stream:
        head = list(read_lines(islice(bounded_lines(stream), _HEAD_LINES)))
    if not head:
        raise _broken(path, "the file is empty", "give a recorded session with at least one line")
    fix = f"formats that are read: {', '.join(NAMES)}; if it is one of them, say so with --format"
    raise _broken(path, f"no known trace format: {_described(head)}", fix)


def _candidates(path: Path) -> list[Format]:
    """The formats that could speak in this file, best first: by archive, lines or document, or text."""
    with open_lines(path) as stream:
        head = stream.read(_HEAD_BYTES)
        if head.startswith(_ARCHIVE):
            return _speaking("archive", _members(stream))
        text = head.removeprefix(b"\xef\xbb\xbf").lstrip()
        if not text.startswith((b"{", b"[")):
            return _speaking("text", head.decode("utf-8", "replace"))
        stream.seek(0)
        records = [
            line.record for line in read_lines(islice(bounded_lines(stream), _HEAD_LINES)) if line.record is not None
        ]
        lines = [one for record in records for one in _speaking("lines", record)]
        if len(records) > 1 and lines:
            return list(dict.fromkeys(lines))
        stream.seek(0)
        return [*_documents(stream), *dict.fromkeys(lines)]


def _documents(stream: BinaryIO) -> list[Format]:
    try:
        # Which format it is may be told of a document with a NaN in it; whether it may be read, its reader says.
        return _speaking("document", parse_document(stream.read(LARGEST), constants=lambda _: None))
    except ValueError:
        return []


def _members(stream: BinaryIO) -> list[str]:
    try:
        with zipfile.ZipFile(stream) as archive:
            return archive.namelist()
    except zipfile.BadZipFile:
        return []


def _speaking(shape: str, content: object) -> list[Format]:
    return [one for one in _others() if one.shape == shape and one.speaks(content)]


def _others() -> tuple[Format, ...]:
    from bench.traces.formats import FORMATS  # some thirty modules, which a gate on a common format does without

    return FORMATS


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
    if claude_code.speaks(record):
        return claude_code.HARNESS
    if pi.speaks(record):
        return pi.HARNESS
    bare_item = kind in _CODEX_ITEMS and ("role" in record or "call_id" in record or "summary" in record)
    bare_meta = kind is None and {"id", "timestamp", "instructions"} <= set(record)
    return codex.HARNESS if bare_item or bare_meta else None
