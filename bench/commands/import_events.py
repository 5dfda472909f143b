"""The events of a session as JSON lines, secrets redacted: in memory that does not grow with the file."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from bench.problems import BrokenInput, Problem
from bench.projection.presets import PRESETS
from bench.projection.project import project
from bench.running.suite import Telling
from bench.schema.event import Event
from bench.traces.detect import detect_file
from bench.traces.lines import bounded_lines, open_lines
from bench.traces.report import ImportReport, Session
from bench.traces.stream import stream_events

_AT_ONCE = 64  # events
_TOLD = 1 << 20  # bytes between two steps of the bar


@dataclass(frozen=True)
class Written:
    """What a file of events holds, and the books of the import."""

    report: ImportReport
    events: int
    redactions: int


def file_format(path: Path) -> str:
    """The format of a file; BrokenInput where it is none, or no file."""
    try:
        return detect_file(path)
    except OSError as error:
        raise _broken(path, f"cannot be read: {error.strerror}", "give the path of a recorded session") from error


def stream_to(out: Path, path: Path, harness: str, telling: Telling) -> Written:
    """Write the events of one file as they are read."""
    report = ImportReport(harness)
    try:
        with open_lines(path) as stream:
            tick = telling.start("importing", path.stat().st_size)
            lines = _told(bounded_lines(stream), tick)
            events, redactions = _write(out, harness, stream_events(lines, report, harness))
    except OSError as error:
        raise _broken(
            Path(error.filename or path), f"{error.strerror}", "give files that can be read and written"
        ) from error
    return Written(report, events, redactions)


def write_events(out: Path, session: Session) -> Written:
    """Write the events of a session that was read whole."""
    events, redactions = _write(out, session.harness, iter(session.events))
    return Written(session.report, events, redactions)


def _write(out: Path, harness: str, events: Iterator[Event]) -> tuple[int, int]:
    """The whole file or none: how many events, how many secrets."""
    count = redactions = 0
    draft = out.with_name(f".{out.name}.{os.getpid()}.part")
    out.parent.mkdir(parents=True, exist_ok=True)
    try:
        with draft.open("w", encoding="utf-8", newline="\n") as stream:
            while batch := list(islice(events, _AT_ONCE)):
                clean = project(PRESETS["events"], "", harness, batch)
                stream.writelines(event.model_dump_json(exclude_defaults=True) + "\n" for event in clean.events)
                count += len(batch)
                redactions += clean.redactions
            if not count:
                raise _broken(out, "no event to write", "if the session is of another format, say so with --format")
        draft.replace(out)
    finally:
        draft.unlink(missing_ok=True)
    return count, redactions


def _told(lines: Iterable[bytes], tick: Callable[[int], None]) -> Iterator[bytes]:
    waiting = 0
    for line in lines:
        waiting += len(line)
        if waiting >= _TOLD:
            tick(waiting)
            waiting = 0
        yield line
    tick(waiting)


def _broken(path: Path, found: str, fix: str) -> BrokenInput:
    return BrokenInput([Problem(str(path), None, None, None, found, fix)])
