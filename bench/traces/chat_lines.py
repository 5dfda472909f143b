"""Import of plain chats as JSON lines: a line is one message of the only session, or one whole conversation.

What a message is, and what a chat cannot tell, says :mod:`bench.traces.chat`. One record is one message; a torn line is
one too, and events and torn lines are numbered by line. All sessions of a file share its report.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import BinaryIO

from bench.traces.chat import conversation, is_conversation, is_message, session_of
from bench.traces.lines import JsonObject, Line, list_at, read_lines
from bench.traces.report import Format, ImportReport, Session

NAME = "chat-lines"


def speaks(record: JsonObject) -> bool:
    """Whether a line is a message or a conversation of a plain chat."""
    return is_message(record) or is_conversation(record)


def read(stream: BinaryIO) -> Iterator[Session]:
    """The sessions of a file: each conversation, and the lines between two of them together."""
    report = ImportReport(format=NAME)
    waiting: list[Line] = []
    for line in read_lines(stream):
        if line.record is None or not list_at(line.record, "messages"):
            waiting.append(line)
            continue
        yield from _gathered(waiting, report)
        waiting = []
        yield conversation(line.record, report, line.number)
    yield from _gathered(waiting, report)


def _gathered(lines: list[Line], report: ImportReport) -> Iterator[Session]:
    if lines:
        session = session_of(lines, report)
        if session.events:
            yield session


FORMAT = Format(NAME, f"{NAME}@1", "lines", speaks, read)
