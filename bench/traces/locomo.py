"""LoCoMo as memory cases: one conversation of two speakers over many sessions, and questions about it.

Source of the format: README and ``task_eval`` of github.com/snap-research/locomo (``locomo10.json``, a list; one
conversation alone is read too). Written from these alone: no sample was at hand. Both speakers are simulated people, none
is an agent: every turn is a prompt, with its speaker and its id in ``args``. Dates name no zone and stay as text. The
answer to an adversarial question is that it cannot be answered; ``adversarial_answer`` is the trap, never the answer.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import BinaryIO

from pydantic import JsonValue

from bench.schema.event import Event
from bench.traces.documents import read_document
from bench.traces.lines import JsonObject, list_at, object_at, text_at
from bench.traces.memory import MemoryCase, MemoryQuestion, MemorySession, Place, names_in, words_of
from bench.traces.report import ImportReport, Recorded

CATEGORIES = {1: "multi-hop", 2: "temporal", 3: "open", 4: "single-hop", 5: "adversarial"}
_ADVERSARIAL = 5
_SESSION = re.compile(r"session_(0|[1-9]\d{0,5})", re.ASCII)
_DIALOG = re.compile(r"\bD(\d{1,6}):(\d{1,6})(?![\d:])", re.ASCII)


def speaks(document: JsonValue) -> bool:
    """Whether a document is a conversation with questions, or a list of them."""
    first = document[0] if isinstance(document, list) and document else document
    return (
        isinstance(first, dict)
        and isinstance(first.get("qa"), list)
        and "speaker_a" in object_at(first, "conversation")
    )


def read(stream: BinaryIO) -> Iterator[MemoryCase]:
    """One case a conversation; one that is no object is a case without sessions, malformed at its place."""
    document = read_document(stream)
    for position, sample in enumerate(document if isinstance(document, list) else [document], start=1):
        if isinstance(sample, dict):
            yield _case(sample, text_at(sample, "sample_id") or f"conversation-{position}")
        else:
            report = ImportReport(format="locomo", seen=1, malformed=[position])
            yield MemoryCase(f"conversation-{position}", (), (), report)


def _case(sample: JsonObject, identity: str) -> MemoryCase:
    report = ImportReport(format="locomo")
    conversation = object_at(sample, "conversation")
    numbers = sorted(int(found[1]) for key in conversation if (found := _SESSION.fullmatch(key)))
    places: dict[str, Place] = {}
    sessions = tuple(_session(conversation, number, places, report) for number in numbers)
    questions = []
    for position, entry in enumerate(list_at(sample, "qa"), start=1):
        report.seen += 1
        question = _question(entry, f"{identity}:{position}", places) if isinstance(entry, dict) else None
        if question is None:
            report.malformed.append(report.seen)
        else:
            report.used += 1
            questions.append(question)
    return MemoryCase(identity, sessions, tuple(questions), report)


def _session(conversation: JsonObject, number: int, places: dict[str, Place], report: ImportReport) -> MemorySession:
    name, events = f"session_{number}", list[Event]()
    for turn in list_at(conversation, name):
        report.seen += 1
        event = _turn(turn) if isinstance(turn, dict) else None
        if event is None:
            report.malformed.append(report.seen)
            continue
        report.used += 1
        events.append(event)
        dialog = (event.args or {}).get("id")
        if isinstance(dialog, str):
            places.setdefault(_plain(dialog), Place(name, len(events)))
    return MemorySession(name, text_at(conversation, f"{name}_date_time"), tuple(events))


def _turn(turn: JsonObject) -> Event | None:
    text, caption = text_at(turn, "text"), text_at(turn, "blip_caption")
    if text is None and caption is None:
        return None
    told: dict[str, JsonValue] = {"speaker": text_at(turn, "speaker"), "id": text_at(turn, "dia_id"), "image": caption}
    args = {key: value for key, value in told.items() if value is not None}
    return Event(kind="prompt", origin="simulated", text=text or "", args=args or None)


def _question(entry: JsonObject, identity: str, places: dict[str, Place]) -> MemoryQuestion | None:
    text, category = text_at(entry, "question"), entry.get("category")
    if text is None:
        return None
    known = isinstance(category, int) and not isinstance(category, bool)
    evidence, unresolved = _evidence(entry, places)
    name = CATEGORIES.get(category, f"category {category}") if known else "(no category)"  # type: ignore[arg-type]
    return MemoryQuestion(identity, text, name, None, tuple(_recorded(entry, known)), evidence, unresolved)


def _recorded(entry: JsonObject, known: bool) -> Iterator[Recorded]:
    answer, trap = words_of(entry.get("answer")), words_of(entry.get("adversarial_answer"))
    if answer is not None:
        yield Recorded("answer", answer, "dataset")
    if trap is not None:
        yield Recorded("adversarial_answer", trap, "dataset")
    if known:
        yield Recorded("answerable", "no" if entry["category"] == _ADVERSARIAL else "yes", "dataset")


def _evidence(entry: JsonObject, places: dict[str, Place]) -> tuple[tuple[Place, ...], tuple[str, ...]]:
    found, unresolved = list[Place](), list[str]()
    for written in list_at(entry, "evidence"):
        names, rest = names_in(written, _DIALOG) if isinstance(written, str) else ([], [str(written)])
        found += [places[_plain(name)] for name in names if _plain(name) in places]
        unresolved += [name for name in names if _plain(name) not in places] + rest
    return tuple(dict.fromkeys(found)), tuple(unresolved)


def _plain(dialog: str) -> str:
    """An id without leading zeros, which stand in some pieces of evidence."""
    found = _DIALOG.fullmatch(dialog)
    return dialog if found is None else f"D{int(found[1])}:{int(found[2])}"
