"""Import of a Who&When log: one JSON document, a chat of agents with a person's mark of the decisive mistake.

A record is one message of ``history``. Source of the format: github.com/mingyin1/Agents_Failure_Attribution, whose steps
count from 0, and AutoGen 0.2 and Magentic-One, which wrote the chats. Who spoke is in ``args.speaker``. No person took
part: the first text is the benchmark's question (or the task of a plan made from it, where a step 0 may already hold a
mistake). Calls are not recorded as such: code stands in messages, and a result of the code executor is an event without
its call. AutoGen's executor always writes its exit code first; Magentic-One's ComputerTerminal writes it only now and
then, so a script could print the same words: there the record holds none. Times, models and tool calls are not recorded.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import BinaryIO

from pydantic import JsonValue

from bench.schema.event import Event
from bench.traces.documents import entries, read_document
from bench.traces.gatherer import Gatherer
from bench.traces.lines import JsonObject, list_at, text_at
from bench.traces.report import Format, ImportReport, Recorded, Session
from bench.traces.rewards import answer_of
from bench.traces.transcript import Result, account

HARNESS = "who-and-when"
_LABELS = frozenset({"mistake_agent", "mistake_step", "mistake_reason"})
_RAN = re.compile(r"exitcode: (?P<code>-?\d{1,10}) \(execution (?:succeeded|failed)\)\nCode output: ?", re.ASCII)
_NOTHING_TO_RUN = "There is no code from the last "
_ORCHESTRATOR = re.compile(r"Orchestrator \((?:-> (?P<to>.{1,80})|(?P<aside>.{1,80}))\)")
_KNOWN = frozenset({"human", "agent", "executor"})


def speaks(document: JsonValue) -> bool:
    """Whether a document is a chat with a marked mistake."""
    return isinstance(document, dict) and isinstance(document.get("history"), list) and document.keys() >= _LABELS


def read(stream: BinaryIO) -> Iterator[Session]:
    """The one session of a document."""
    document = read_document(stream)
    if not isinstance(document, dict):
        raise ValueError("a Who&When log is one object")
    report = ImportReport(format=HARNESS)
    importer = _Importer(report)
    account(entries(list_at(document, "history")), report, importer.gathered.transcript, importer.take, _KNOWN)
    identity = text_at(document, "question_ID")
    yield Session(
        HARNESS,
        tuple(importer.gathered.transcript.events),
        report,
        id=identity,
        task=identity,
        query=text_at(document, "question"),
        recorded=tuple(_recorded(document, importer.numbers)),
    )


def _recorded(document: JsonObject, numbers: dict[int, int]) -> Iterator[Recorded]:
    step, reason = document.get("mistake_step"), text_at(document, "mistake_reason")
    number = numbers.get(_position(step))
    if number is None:
        reason = f"step {answer_of(step)} is no message of the history. {reason or ''}".strip()
    evidence = () if number is None else (number,)
    agent = text_at(document, "mistake_agent")
    if agent is not None:
        yield Recorded("mistake", agent, "person", evidence, reason)
    for key in ("is_correct", "is_corrected"):
        if isinstance(document.get(key), bool):
            yield Recorded("is_correct", answer_of(document[key]), "environment")
    truths = (document.get(key) for key in ("ground_truth", "groundtruth"))
    truth = next((value for value in truths if isinstance(value, str | int | float) and value != ""), None)
    if truth is not None:
        yield Recorded("ground_truth", answer_of(truth), "dataset")


def _position(step: JsonValue) -> int:
    """The position in the history of a step that counts from 0; 0, which is none, where it is no number."""
    if isinstance(step, str) and re.fullmatch(r"\d{1,9}", step):
        return int(step) + 1
    return step + 1 if isinstance(step, int) and not isinstance(step, bool) else 0


class _Importer:
    """One pass over the messages of the chat."""

    def __init__(self, report: ImportReport) -> None:
        self.gathered = Gatherer(report)
        self.numbers: dict[int, int] = {}  # position of a message -> number of its event

    def take(self, line: int, message: JsonObject) -> str:
        """Turn one message into an event, and say what it was."""
        speaker = text_at(message, "name") or text_at(message, "role")
        text = message.get("content")
        if speaker is None or not (text is None or isinstance(text, str)):
            return "(no speaker)" if speaker is None else "(no text)"
        base, before = Event(kind="other", args={"speaker": speaker}), len(self.gathered.transcript.events)
        name = self._take(base, message, speaker, text or "")
        if len(self.gathered.transcript.events) > before:
            self.numbers[line] = before + 1
        return name

    def _take(self, base: Event, message: JsonObject, speaker: str, text: str) -> str:
        if speaker == "human" or self._is_task(message, text):
            if text.strip():
                prompt = {"kind": "prompt", "text": text, "origin": "injected"}
                self.gathered.transcript.add(base.model_copy(update=prompt))
            return "human"
        if speaker in ("Computer_terminal", "ComputerTerminal"):
            self._executed(base, speaker, text)
            return "executor"
        if told := _ORCHESTRATOR.fullmatch(speaker):
            self._orchestrated(base, told, text)
        else:
            self.gathered.say(base, "message", text)
        return "agent"

    def _is_task(self, message: JsonObject, text: str) -> bool:
        """CaptainAgent hands the task to the group as the first message, in the name of its first speaker."""
        first = not self.gathered.transcript.events
        return first and "name" in message and text.startswith("You are given: (1) a task")

    def _executed(self, base: Event, speaker: str, text: str) -> None:
        found = _RAN.match(text) if speaker == "Computer_terminal" else None
        if speaker == "Computer_terminal" and found is None and text.startswith(_NOTHING_TO_RUN):
            self.gathered.say(base, "system", text)
        elif found is not None:
            code = int(found["code"])
            result = Result(text[found.end() :], ok=code == 0, exit_code=code, exit_source="text")
            self.gathered.orphan(base, None, result, speaker)
        elif text.strip():
            self.gathered.orphan(base, None, Result(text, exit_source="none"), speaker)

    def _orchestrated(self, base: Event, told: re.Match[str], text: str) -> None:
        speaker: dict[str, JsonValue] = {"speaker": "Orchestrator"}
        if told["to"]:
            self.gathered.say(base.model_copy(update={"args": {**speaker, "to": told["to"]}}), "message", text)
        else:
            kind = "reasoning" if told["aside"] == "thought" else "system"
            self.gathered.say(base.model_copy(update={"args": speaker}), kind, text)  # type: ignore[arg-type]


FORMAT = Format(HARNESS, "who-and-when@1", "document", speaks, read)
