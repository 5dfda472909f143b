"""LongMemEval as memory cases: one question each, with its own history of chats between a user and an assistant.

Source of the format: the README of github.com/xiaowu0162/LongMemEval (``longmemeval_s.json``, ``_oracle.json``; ``_m`` is
larger than a document may be). Written from it alone: no sample was at hand. Some users are simulated and others come
from public chats, which the file does not tell apart: their prompts are "unknown". Dates name no zone and stay as text.
A question whose id ends in ``_abs`` cannot be answered from the history, and ``answer`` says what a good refusal says.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import BinaryIO

from pydantic import JsonValue

from bench.schema.event import Event
from bench.traces.documents import read_document
from bench.traces.lines import JsonObject, list_at, text_at
from bench.traces.memory import MemoryCase, MemoryQuestion, MemorySession, Place, words_of
from bench.traces.report import ImportReport, Recorded

_FIELDS = frozenset({"question_id", "question_type", "question", "haystack_sessions"})


def speaks(document: JsonValue) -> bool:
    """Whether a document is a list of questions with histories."""
    return (
        isinstance(document, list)
        and bool(document)
        and isinstance(document[0], dict)
        and document[0].keys() >= _FIELDS
    )


def read(stream: BinaryIO) -> Iterator[MemoryCase]:
    """One case a question; one that cannot be read is a case without a question, malformed at its place."""
    document = read_document(stream)
    if not isinstance(document, list):
        raise ValueError("LongMemEval is a list of questions")
    for position, entry in enumerate(document, start=1):
        identity = text_at(entry, "question_id") if isinstance(entry, dict) else None
        if isinstance(entry, dict) and identity is not None and text_at(entry, "question") is not None:
            yield _case(entry, identity)
        else:
            report = ImportReport(format="longmemeval", seen=1, malformed=[position])
            yield MemoryCase(identity or f"question-{position}", (), (), report)


def _case(entry: JsonObject, identity: str) -> MemoryCase:
    report = ImportReport(format="longmemeval")
    ids, dates = list_at(entry, "haystack_session_ids"), list_at(entry, "haystack_dates")
    sessions, marked, known = list[MemorySession](), list[Place](), set[str]()
    for index, turns in enumerate(list_at(entry, "haystack_sessions")):
        name, date = _at(ids, index) or f"session-{index + 1}", _at(dates, index)
        name = name if name not in known else f"{name}#{index + 1}"  # evidence has to lead to one session
        known.add(name)
        events, answering = _events(turns if isinstance(turns, list) else [turns], report)
        sessions.append(MemorySession(name, date, events))
        marked += [Place(name, number) for number in answering]
    named = [name for name in list_at(entry, "answer_session_ids") if isinstance(name, str)]
    unmarked = known - {place.session for place in marked}
    whole = [Place(name) for name in dict.fromkeys(named) if name in unmarked]
    report.seen += 1
    report.used += 1
    question = MemoryQuestion(
        identity,
        text_at(entry, "question") or "",
        text_at(entry, "question_type") or "(no type)",
        text_at(entry, "question_date"),
        tuple(_recorded(entry, identity)),
        (*marked, *whole),
        tuple(name for name in named if name not in known),
    )
    return MemoryCase(identity, tuple(sessions), (question,), report)


def _events(turns: list[JsonValue], report: ImportReport) -> tuple[tuple[Event, ...], list[int]]:
    events, answering = list[Event](), list[int]()
    for turn in turns:
        report.seen += 1
        event = _turn(turn) if isinstance(turn, dict) else None
        if event is None:
            report.malformed.append(report.seen)
            continue
        report.used += 1
        events.append(event)
        if isinstance(turn, dict) and turn.get("has_answer") is True:
            answering.append(len(events))
    return tuple(events), answering


def _turn(turn: JsonObject) -> Event | None:
    text = turn.get("content")
    if not isinstance(text, str):
        return None
    match turn.get("role"):
        case "user":
            return Event(kind="prompt", origin="unknown", text=text)
        case "assistant":
            return Event(kind="message", text=text)
    return None


def _recorded(entry: JsonObject, identity: str) -> Iterator[Recorded]:
    answer = words_of(entry.get("answer"))
    if answer is not None:
        yield Recorded("answer", answer, "dataset")
    yield Recorded("answerable", "no" if identity.endswith("_abs") else "yes", "dataset")


def _at(values: list[JsonValue], index: int) -> str | None:
    value = values[index] if index < len(values) else None
    return value if isinstance(value, str) and value else None
