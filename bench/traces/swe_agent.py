"""Import of a trajectory of SWE-agent (``.traj``), versions 0.x and 1.x, one attempt or several.

Source: ``sweagent/agent/agents.py`` and ``sweagent/types.py`` of github.com/SWE-agent/SWE-agent.

One record is one entry of ``history`` or of ``trajectory``; positions count through the history first. Where there is a
trajectory, its steps are read, and of the history only what came before them: the rest is their copy, shortened. Where
there is none, the history is read whole. Demonstrations (``is_demo``) are no part of the session. A retrying agent's
attempts are sessions of one task; the copy of the best of them is skipped. All sessions share the file's report.

Every action is a line for the shell, so each is a command; the exit code is never recorded, nor is whether an action that
the harness asked to be written anew was run; there are no moments. No person takes part: the task is in the harness's
template (injected).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import BinaryIO

from pydantic import JsonValue

from bench.schema.event import Event, Kind
from bench.traces.codex_results import flatten
from bench.traces.documents import read_document
from bench.traces.lines import JsonObject, Line, list_at, object_at, parse, text_at
from bench.traces.report import Format, ImportReport, Recorded, Session
from bench.traces.transcript import Transcript, account

NAME = "swe-agent"
_KNOWN = frozenset(
    {
        "demonstration",
        "copy of a step",
        "trajectory",
        "history/system",
        "history/user",
        "history/assistant",
        "history/tool",
    }
)
_GIVEN_UP = ("Exit due to ", "Exiting due to ")  # the harness puts its own words where the agent's thought stands


def speaks(document: JsonValue) -> bool:
    """Whether a document is a trajectory of this agent."""
    if not isinstance(document, dict):
        return False
    attempts = list_at(document, "attempts")
    if attempts and isinstance(attempts[0], dict) and "attempts" not in attempts[0]:
        return speaks(attempts[0])
    step, entry = _first(document, "trajectory"), _first(document, "history")
    stepped = {"action", "observation"} <= set(step) and bool({"thought", "response"} & set(step))
    return stepped or {"role", "content", "agent"} <= set(entry)


def read(stream: BinaryIO) -> Iterator[Session]:
    """The sessions of a file: one, or one for each attempt."""
    document = read_document(stream)
    if not isinstance(document, dict):
        raise ValueError("a trajectory of SWE-agent is an object, and this document is none")
    report = ImportReport(format=NAME)
    attempts = list_at(document, "attempts")
    if not attempts:
        yield _session(document, report)
        return
    copies = len(list_at(document, "history")) + len(list_at(document, "trajectory"))
    report.seen += copies
    if copies:
        report.skipped["copy of the best attempt"] += copies
    best = object_at(document, "info").get("best_attempt_idx")
    for trial, attempt in enumerate(attempts):
        if not isinstance(attempt, dict):
            report.seen += 1
            report.malformed.append(trial + 1)
            continue
        chosen = isinstance(best, int) and not isinstance(best, bool)
        labels = [Recorded("best attempt", "yes" if best == trial else "no", "model")] if chosen else []
        yield _session(attempt, report, trial, labels)


def _session(
    document: JsonObject, report: ImportReport, trial: int | None = None, labels: list[Recorded] | None = None
) -> Session:
    history, trajectory = list_at(document, "history"), list_at(document, "trajectory")
    importer = _Importer(len(history), bool(trajectory))
    records = enumerate([*history, *trajectory], start=1)
    lines = (Line(number, record if isinstance(record, dict) else None) for number, record in records)
    account(lines, report, importer.transcript, importer.take, _KNOWN)
    info, config = object_at(document, "info"), _config(document)
    if status := text_at(info, "exit_status"):
        importer.transcript.add(Event(kind="system", text=f"exit status: {status}"))
    if version := text_at(info, "swe_agent_version"):
        report.versions[version] += 1
    problem = object_at(config, "problem_statement")
    review = object_at(info, "review").get("accept")
    accepted = [] if review is None else [Recorded("review", str(review), "model")]
    return Session(
        NAME,
        tuple(importer.transcript.events),
        report,
        model=text_at(object_at(object_at(config, "agent"), "model"), "name"),
        task=text_at(problem, "id"),
        trial=trial,
        query=text_at(problem, "text"),
        answer=text_at(info, "submission"),
        recorded=(*(labels or []), *accepted),
    )


class _Importer:
    """One pass over the history and the steps."""

    def __init__(self, history: int, has_steps: bool) -> None:
        self.transcript = Transcript()
        self._history = history
        self._has_steps = has_steps
        self._acted = False
        self._agent: str | None = None
        self._open: int | None = None  # the action that waits for its observation

    def take(self, number: int, record: JsonObject) -> str:
        """Turn one record into events, and say what type of record it was."""
        if number > self._history:
            self._step(Event(kind="other", line=number), record)
            return "trajectory"
        role = text_at(record, "role") or "(no role)"
        if record.get("is_demo") is True or record.get("message_type") == "demonstration":
            return "demonstration"
        self._acted = self._acted or role == "assistant"
        if self._acted and self._has_steps:
            return "copy of a step"
        base = Event(kind="other", line=number, thread=self._thread(record))
        content = flatten(record.get("content"))
        match role:
            case "system":
                self._add(base, "system", content)
            case "assistant":
                self._act(base, record, text_at(record, "thought") or content)
            case "user" | "tool":
                self._told(base, content)
        return f"history/{role}"

    def _thread(self, record: JsonObject) -> str:
        agent = text_at(record, "agent")
        self._agent = self._agent or agent
        return "main" if agent in (None, self._agent) else f"sub:{agent}"

    def _told(self, base: Event, content: str) -> None:
        if self._open is not None:
            command = self.transcript.events[self._open]
            self.transcript.events[self._open] = command.model_copy(update={"output": content})
            self.transcript.changes += 1
            self._open = None
        elif self._acted:
            self._add(base, "system", content)
        elif content.strip():
            self.transcript.add(base.model_copy(update={"kind": "prompt", "text": content, "origin": "injected"}))

    def _act(self, base: Event, record: JsonObject, thought: str) -> None:
        """What the agent thought and did, in a step or in the history."""
        blocks = [block for block in list_at(record, "thinking_blocks") if isinstance(block, dict)]
        hidden = "\n".join(text_at(block, "thinking") or "" for block in blocks)
        self._add(base, "reasoning", text_at(record, "reasoning_content") or hidden)
        action = (text_at(record, "action") or "").rstrip("\n")
        given_up = not action.strip() and thought.startswith(_GIVEN_UP)
        self._add(base, "system" if given_up else "reasoning", thought)
        self._open = None
        if action.strip():
            self._open = len(self.transcript.events)
            self.transcript.add(base.model_copy(update={"kind": "command", "command": action, "exit_source": "none"}))

    def _step(self, base: Event, record: JsonObject) -> None:
        self._acted = True
        self._act(base, record, text_at(record, "thought") or text_at(record, "response") or "")
        observation = record.get("observation")
        if isinstance(observation, str):
            self._told(base, observation)

    def _add(self, base: Event, kind: Kind, text: str) -> None:
        if text.strip():
            self.transcript.add(base.model_copy(update={"kind": kind, "text": text}))


def _first(document: JsonObject, key: str) -> JsonObject:
    entries = list_at(document, key)
    return entries[0] if entries and isinstance(entries[0], dict) else {}


def _config(document: JsonObject) -> JsonObject:
    """What the run was started with: an object in some versions, its JSON in others."""
    value = document.get("replay_config")
    if isinstance(value, str):
        return parse(value.encode("utf-8", "replace")) or {}
    return value if isinstance(value, dict) else {}


FORMAT = Format(NAME, f"{NAME}@1", "document", speaks, read)
