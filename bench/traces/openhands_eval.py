"""Import of what an evaluation of OpenHands writes: JSON lines, one task and its whole history of events a line.

The events are of either generation; old ones pair each action with its observation. A record is an event (a pair is two),
or a line that holds none; ``line`` of an event is the line of its task. All sessions share the report of the file, which is
whole once the last of them was read. The prompts are worded by the benchmark, and its fake user answers. Whether the
tests passed is a label of the environment, where a later step wrote it into the line.

Sources: ``evaluation/benchmarks/swe_bench/scripts/eval/update_output_with_eval.py`` of github.com/All-Hands-AI/OpenHands
and ``benchmarks/utils/models.py`` of github.com/OpenHands/benchmarks.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from pydantic import JsonValue

from bench.problems import shorten
from bench.traces import openhands, openhands_v0
from bench.traces.lines import JsonObject, Line, list_at, object_at, read_lines, text_at
from bench.traces.openhands_results import is_number
from bench.traces.report import Format, ImportReport, Recorded, Session


def speaks(record: JsonObject) -> bool:
    """Whether a line is a task with the events of one of the generations."""
    events = [event for event in _history(record) if isinstance(event, dict)]
    return "instance_id" in record and bool(events) and (_is_new(events) or all(map(openhands_v0.is_event, events)))


def read(stream: Iterable[bytes]) -> Iterator[Session]:
    """The sessions in a binary stream of JSON lines, one by one."""
    report = ImportReport(format=FORMAT.name)
    for line in read_lines(stream):
        events = [] if line.record is None else _history(line.record)
        if line.record is not None and events:
            yield _session(line.number, line.record, events, report)
            continue
        report.seen += 1
        if line.record is None:
            report.malformed.append(line.number)
        else:
            name = "task without events" if "instance_id" in line.record else "(no task)"
            (report.skipped if "instance_id" in line.record else report.unknown)[name] += 1


def _session(number: int, task: JsonObject, events: list[JsonValue], report: ImportReport) -> Session:
    lines = [Line(number, event if isinstance(event, dict) else None) for event in events]
    new = _is_new([event for event in events if isinstance(event, dict)])
    orphans = report.orphan_results
    found = (openhands.session_of if new else openhands_v0.session_of)(lines, report, "injected")
    report.orphan_results += orphans
    attempt, error = task.get("attempt"), text_at(task, "error")
    return replace(
        found,
        model=found.model or _model(object_at(task, "metadata")),
        task=text_at(task, "instance_id"),
        trial=attempt - 1 if isinstance(attempt, int) and is_number(attempt) and attempt > 0 else None,
        query=text_at(task, "instruction"),
        recorded=_recorded(task),
        partial=None if error is None else f"the run ended with an error: {shorten(error, 200)}",
    )


def _history(record: JsonObject) -> list[JsonValue]:
    return [event for entry in list_at(record, "history") for event in (entry if isinstance(entry, list) else [entry])]


def _is_new(events: list[JsonObject]) -> bool:
    return any(event.get("kind") in openhands.KNOWN for event in events if isinstance(event.get("kind"), str))


def _model(metadata: JsonObject) -> str | None:
    return text_at(object_at(metadata, "llm"), "model") or text_at(object_at(metadata, "llm_config"), "model")


def _recorded(task: JsonObject) -> tuple[Recorded, ...]:
    for holder in (task, object_at(task, "test_result")):
        resolved = object_at(holder, "report").get("resolved")
        if isinstance(resolved, bool):
            return (Recorded("resolved", "true" if resolved else "false", "environment"),)
    return ()


FORMAT = Format("openhands-eval", "openhands-eval@1", "lines", speaks, read)
