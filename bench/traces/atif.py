"""Import of a trajectory in the Agent Trajectory Interchange Format (ATIF) of Harbor, versions 1.0 to 1.8 and on.

Source of the format: the models of the PyPI package ``atif`` 1.8.0 (github.com/bolu61/python-atif), which follow
rfcs/0001-trajectory-format.md of github.com/harbor-framework/harbor; compaction steps as NVIDIA's exporter writes them.

One record is one step, of the trajectory or of one embedded in it; its position counts all of them in reading order.
An embedded sub-agent is read behind the step that refers to it. The format cannot tell who wrote a ``user`` step (a
person, a benchmark's task), so the origin is unknown; it has no exit code and no approval but in ``extra``.
What :mod:`bench.traces.atif_write` wrote comes back whole, the line in the first source of each event included.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import BinaryIO

from pydantic import JsonValue

from bench.schema.event import Event
from bench.traces.atif_steps import OURS, Decoded, decode
from bench.traces.documents import read_document
from bench.traces.lines import JsonObject, Line, list_at, object_at, text_at
from bench.traces.report import Format, ImportReport, Recorded, Session
from bench.traces.transcript import Result, Transcript, account, moment_of, most_common

NAME = "atif"
_VERSION = re.compile(r"ATIF-v1\.\d{1,4}")
_KNOWN = frozenset({"copied context", "step/system", "step/user", "step/agent"})


def speaks(document: JsonValue) -> bool:
    """Whether a document is a trajectory in this format."""
    if not isinstance(document, dict):
        return False
    version = document.get("schema_version")
    known = isinstance(version, str) and _VERSION.fullmatch(version) is not None
    return known and isinstance(document.get("steps"), list)


def read(stream: BinaryIO) -> Iterator[Session]:
    """The one session of a file."""
    document = read_document(stream)
    if not isinstance(document, dict):
        raise ValueError("an ATIF trajectory is an object, and this document is none")
    yield session_of(document)


def session_of(document: JsonObject) -> Session:
    """The session of one trajectory, its embedded sub-agents included."""
    report, agent = ImportReport(format=NAME), object_at(document, "agent")
    importer = _Importer(report)
    steps = list(_steps(document, "main"))
    importer.threads = [thread for thread, _ in steps]
    lines = (Line(number, step if isinstance(step, dict) else None) for number, (_, step) in enumerate(steps, start=1))
    account(lines, report, importer.transcript, importer.take, _KNOWN)
    if version := text_at(document, "schema_version"):
        report.versions[version] += 1
    if version := text_at(agent, "version"):
        report.versions[f"{text_at(agent, 'name') or 'agent'} {version}"] += 1
    ours = object_at(object_at(document, "extra"), OURS)
    trial = ours.get("trial")
    return Session(
        text_at(agent, "name") or NAME,
        importer.events(),
        report,
        model=text_at(agent, "model_name") or most_common(importer.models),
        id=text_at(document, "session_id") or text_at(document, "trajectory_id"),
        task=text_at(ours, "task"),
        trial=trial if isinstance(trial, int) and not isinstance(trial, bool) else None,
        query=text_at(ours, "query"),
        answer=text_at(ours, "answer"),
        recorded=tuple(_recorded(ours)),
        partial=text_at(ours, "partial") or _missing(document, steps),
    )


class _Importer:
    """One pass over the steps of a trajectory and of its sub-agents."""

    def __init__(self, report: ImportReport) -> None:
        self.transcript = Transcript()
        self.models: Counter[str] = Counter()
        self.threads: list[str] = []
        self._places: list[int | None] = []  # for each event its number, where the writer gave it
        self._report = report

    def take(self, number: int, step: JsonObject) -> str:
        """Turn one step into events, and say what type of step it was."""
        source = text_at(step, "source") or "(no source)"
        if step.get("is_copied_context") is True:
            return "copied context"
        if source not in ("system", "user", "agent"):
            return f"step/{source}"
        if model := text_at(step, "model_name"):
            self.models[model] += 1
        thread, moment = self.threads[number - 1], moment_of(step.get("timestamp"))
        self._add(decode(step, Event(kind="other", ts=moment, thread=thread, line=number)))
        return f"step/{source}"

    def events(self) -> tuple[Event, ...]:
        """All events, in the order that the writer saw where it says so."""
        places = [place for place in self._places if place is not None]
        if len(places) < len(self.transcript.events):
            return tuple(self.transcript.events)
        numbered = sorted(zip(places, self.transcript.events, strict=True), key=lambda pair: pair[0])
        return tuple(event for _, event in numbered)

    def _add(self, decoded: Decoded) -> None:
        for offset, event in enumerate(decoded.events):
            if event.kind == "tool_result":
                self.transcript.add_orphan(event)
            elif event.kind in ("command", "tool_call") and event.output is None:
                self.transcript.add_call(event)
            else:
                self.transcript.add(event)
            self._places.append(None if decoded.first is None else decoded.first + offset)
        for late in decoded.late:
            started = self.transcript.called(late.call)
            shell = started is not None and started.kind == "command"
            result = Result(late.output, late.ok, late.exit_code, late.exit_source or ("none" if shell else None))
            if not self.transcript.answer(late.call, result):
                self.transcript.add_orphan(late)
                self._places.append(None)


def _steps(trajectory: JsonObject, thread: str) -> Iterator[tuple[str, JsonValue]]:
    """Every step with its thread; an embedded sub-agent behind the step that refers to it, or last."""
    embedded = [entry for entry in list_at(trajectory, "subagent_trajectories") if isinstance(entry, dict)]
    waiting = list(range(len(embedded)))
    names: dict[str, int] = {}
    for place, entry in enumerate(embedded):
        names.setdefault(text_at(entry, "trajectory_id") or "", place)
    for step in list_at(trajectory, "steps"):
        yield thread, step
        for name in _references(step, "trajectory_id"):
            meant = names.get(name)
            if meant is not None and meant in waiting:
                waiting.remove(meant)
                yield from _steps(embedded[meant], _thread_of(embedded[meant], meant))
    for place in waiting:
        yield from _steps(embedded[place], _thread_of(embedded[place], place))


def _thread_of(trajectory: JsonObject, place: int) -> str:
    name = text_at(trajectory, "trajectory_id") or text_at(trajectory, "session_id") or str(place + 1)
    return name if name.startswith("sub:") else f"sub:{name}"


def _references(step: JsonValue, key: str) -> Iterator[str]:
    """What the results of a step call its sub-agents."""
    if not isinstance(step, dict):
        return
    for result in list_at(object_at(step, "observation"), "results"):
        for reference in list_at(result, "subagent_trajectory_ref") if isinstance(result, dict) else []:
            if isinstance(reference, dict) and (name := text_at(reference, key)):
                yield name


def _missing(document: JsonObject, steps: list[tuple[str, JsonValue]]) -> str | None:
    """What of the session stands in other files."""
    elsewhere = [name for _, step in steps for name in _references(step, "trajectory_path")]
    told = [f"sub-agents stand in files of their own: {', '.join(elsewhere)}"] if elsewhere else []
    if later := text_at(document, "continued_trajectory_ref"):
        told.append(f"it goes on in {later}")
    return "; ".join(told) or None


def _recorded(ours: JsonObject) -> Iterator[Recorded]:
    for entry in list_at(ours, "recorded"):
        if not isinstance(entry, dict):
            continue
        name, answer, by = text_at(entry, "name"), text_at(entry, "answer"), text_at(entry, "by")
        if name and answer and by:
            evidence = [n for n in list_at(entry, "evidence") if isinstance(n, int) and not isinstance(n, bool)]
            yield Recorded(name, answer, by, tuple(evidence), text_at(entry, "detail"))


FORMAT = Format(NAME, f"{NAME}@1", "document", speaks, read)
