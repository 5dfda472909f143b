"""The events of a session as JSON lines, secrets redacted: in memory that does not grow with the file."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path
from typing import TextIO

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
    """The books of one session whose events were written."""

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
        with open_lines(path) as stream, _whole(out) as draft:
            size = path.stat().st_size
            lines = _told(bounded_lines(stream), size, telling.start("importing", size))
            events, redactions = _write(draft, harness, stream_events(lines, report, harness), None)
            if not events:
                fix = "if it is another format, say so with --format, or leave the format out"
                raise _broken(path, f"no event in {report.seen} records read as {harness}", fix)
    except OSError as error:
        raise _broken(
            Path(error.filename or path), f"{error.strerror}", "give files that can be read and written"
        ) from error
    return Written(report, events, redactions)


def write_events(out: Path, sessions: Iterable[Session]) -> list[Written]:
    """Write the events of sessions that are read whole; where there are several, each line says of which it is."""
    source = iter(sessions)
    first = list(islice(source, 2))
    written = []
    with _whole(out) as draft:
        for number, session in enumerate(chain(first, source), start=1):
            told = number if len(first) > 1 else None
            events, redactions = _write(draft, session.harness, iter(session.events), told)
            written.append(Written(session.report, events, redactions))
    return written


@contextmanager
def _whole(out: Path) -> Iterator[TextIO]:
    """A file that comes to be when all is written, or not at all."""
    draft = out.with_name(f".{out.name}.{os.getpid()}.part")
    out.parent.mkdir(parents=True, exist_ok=True)
    try:
        with draft.open("w", encoding="utf-8", newline="\n") as stream:
            yield stream
        draft.replace(out)
    finally:
        draft.unlink(missing_ok=True)


def _write(stream: TextIO, harness: str, events: Iterator[Event], session: int | None) -> tuple[int, int]:
    """How many events, and how many secrets were in them."""
    count = redactions = 0
    start = "{" if session is None else f'{{"session":{session},'
    while batch := list(islice(events, _AT_ONCE)):
        clean = project(PRESETS["events"], "", harness, batch)
        stream.writelines(f"{start}{event.model_dump_json(exclude_defaults=True)[1:]}\n" for event in clean.events)
        count += len(batch)
        redactions += clean.redactions
    return count, redactions


def _told(lines: Iterable[bytes], total: int, tick: Callable[[int], None]) -> Iterator[bytes]:
    waiting = told = 0
    for line in lines:
        waiting += len(line)
        if waiting >= _TOLD and told + waiting < total:
            tick(waiting)
            told, waiting = told + waiting, 0
        yield line
    tick(total - told)


def _broken(path: Path, found: str, fix: str) -> BrokenInput:
    return BrokenInput([Problem(str(path), None, None, None, found, fix)])
