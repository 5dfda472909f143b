"""Events of a session one by one, in memory that does not grow with the file.

An event is given out in the order of the record, as soon as no later record can change it: a call once it is answered. What
waits holds up what comes after it, for a bounded window of records; then it is given out as it stands, and a result that
comes later is an orphan, which the report counts. In a file within the window the events are those of the format's reader.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain

from bench.problems import BrokenInput, Problem
from bench.schema.event import Event
from bench.traces import claude_code, claude_records, codex, codex_prompts, codex_records, pi
from bench.traces.detect import detect
from bench.traces.lines import Line, read_lines
from bench.traces.report import ImportReport
from bench.traces.transcript import Transcript, accounted

STREAMED = (claude_code.HARNESS, codex.HARNESS, pi.HARNESS)
MOST_MALFORMED = 1_000_000  # their numbers are kept: a file of nothing else is no session
_MOST_NAMES = 1_000  # of types and versions: a hostile file shall not fill the memory with them
_REST = "(others)"
_HEAD_LINES, _HEAD_BYTES = 400, 1 << 26


@dataclass(frozen=True)
class Window:
    """How far back an event may wait, and how far ahead a copy of a text is looked for."""

    records: int = 20_000
    bytes: int = 1 << 26
    ahead: int = 1_000  # records
    ahead_bytes: int = 1 << 23
    step: int = 64  # records between two looks at what can be given out: few, so that their memory stays in the cache
    step_bytes: int = 1 << 18


@dataclass
class _Reading:
    """One file as its format reads it: the sizes of the lines still to come, and where events gather."""

    taken: Iterator[int]
    transcript: Transcript
    models: Counter[str]
    amended: bool  # answered calls may still be amended: hold them for the whole window


def stream_events(
    lines: Iterable[bytes], report: ImportReport | None = None, format: str | None = None, window: Window | None = None
) -> Iterator[Event]:
    """The events of a session of Claude Code, Codex or pi; ``report`` is filled as they are taken."""
    window = window or Window()
    found = format
    if found is None:
        head, lines = _looked_ahead(lines)
        found = detect(head)
    report = report or ImportReport(found or "")
    report.format = found or ""
    reading = _reading(lines, report, found, window)
    transcript, marks = reading.transcript, deque[tuple[int, int, int]]()
    records = size = due = due_bytes = 0
    for bytes_taken in reading.taken:
        records += 1
        size += bytes_taken
        if records < due and size < due_bytes:
            continue
        due, due_bytes = records + window.step, size + window.step_bytes
        marks.append((transcript.end, records, size))
        forced = transcript.first
        while records - marks[0][1] > window.records or size - marks[0][2] > window.bytes:
            forced = marks.popleft()[0]
        yield from transcript.release(forced if reading.amended else transcript.end, forced)
        _keep_small(report, reading.models)
    yield from transcript.release(transcript.end, transcript.end)


def _looked_ahead(lines: Iterable[bytes]) -> tuple[list[bytes], Iterator[bytes]]:
    rest = iter(lines)
    head: list[bytes] = []
    size = 0
    for line in rest:
        head.append(line)
        size += len(line)
        if len(head) >= _HEAD_LINES or size >= _HEAD_BYTES:
            break
    return head, chain(head, rest)


def _reading(lines: Iterable[bytes], report: ImportReport, format: str | None, window: Window) -> _Reading:
    source = read_lines(lines)
    if format == claude_code.HARNESS:
        claude = claude_code.Importer(report, window.records)
        taken = accounted(source, report, claude.transcript, claude.take, claude_records.KNOWN)
        return _Reading(taken, claude.transcript, claude.models, amended=False)
    if format == codex.HARNESS:
        facts = codex_prompts.Facts(window.records)
        rollout = codex.Importer(report, facts, window.records)
        taken = accounted(
            _seen_ahead(source, facts, window), report, rollout.transcript, rollout.take, codex_records.KNOWN
        )
        return _Reading(taken, rollout.transcript, rollout.models, amended=True)
    if format == pi.HARNESS:
        entries = pi.Importer(report)
        taken = accounted(source, report, entries.transcript, entries.take, pi.KNOWN)
        return _Reading(taken, entries.transcript, entries.models, amended=False)
    found = "no known trace format" if format is None else f"{format} is not read as a stream"
    raise BrokenInput([Problem("stream", None, None, None, found, f"give a session of {', '.join(STREAMED)}")])


def _seen_ahead(lines: Iterable[Line], facts: codex_prompts.Facts, window: Window) -> Iterator[Line]:
    """The lines, each after the facts have taken in those that follow it closely."""
    waiting: deque[Line] = deque()
    size = 0
    for line in lines:
        if line.record is not None:
            facts.see(line.record)
        waiting.append(line)
        size += line.size
        while len(waiting) > window.ahead or size > window.ahead_bytes:
            first = waiting.popleft()
            size -= first.size
            yield first
    yield from waiting


def _keep_small(report: ImportReport, models: Counter[str]) -> None:
    if len(report.malformed) > MOST_MALFORMED:
        found = f"more than {MOST_MALFORMED:,} lines are no JSON objects"
        raise BrokenInput([Problem("stream", report.malformed[0], None, None, found, "give a recorded session")])
    for names in (report.unknown, report.versions, models):
        if len(names) > _MOST_NAMES:
            kept = dict(names.most_common(_MOST_NAMES // 2))
            rest = names.total() - sum(kept.values())
            names.clear()
            names.update(kept)
            names[_REST] += rest
