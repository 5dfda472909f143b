"""Write a session as a trajectory in the Agent Trajectory Interchange Format (ATIF).

What the format can hold stands where its readers look for it; the rest stands under one key of ``extra``, and
:mod:`bench.traces.atif` gives back the same events. Consecutive events of one record make one agent step (thinking,
message, calls with their results); each sub-agent is a trajectory of its own, embedded.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from datetime import datetime

from pydantic import JsonValue

from bench.schema.event import Event
from bench.traces.atif_steps import OURS, decode
from bench.traces.lines import JsonObject
from bench.traces.report import Session
from bench.traces.transcript import most_common

VERSION = "ATIF-v1.7"
_CALLS = ("command", "tool_call")
_RANK = {"reasoning": 0, "message": 1, "command": 2, "tool_call": 2}
_NO_STEP = "No step of this agent is recorded."


def to_atif(session: Session, *, with_recorded: bool = False) -> JsonObject:
    """The session as the JSON object of a trajectory.

    The labels that the record carried are left out, because a judge may be given the file; ``with_recorded`` keeps them.
    """
    threads = {event.thread: None for event in session.events if event.thread != "main"}
    several = bool(threads)
    document: JsonObject = {"schema_version": VERSION}
    if session.id is not None:
        document["session_id"] = session.id
    document["agent"] = _agent(session)
    document["steps"] = _trajectory_steps(session.events, "main", several)
    if ours := _about(session, with_recorded):
        document["extra"] = {OURS: ours}
    if several:
        document["subagent_trajectories"] = [
            {
                "schema_version": VERSION,
                "trajectory_id": thread,
                "agent": _agent(session),
                "steps": _trajectory_steps(session.events, thread, several),
            }
            for thread in threads
        ]
    return document


def _agent(session: Session) -> JsonObject:
    agent: JsonObject = {"name": session.harness, "version": most_common(session.report.versions) or "unknown"}
    return agent if session.model is None else {**agent, "model_name": session.model}


def _about(session: Session, with_recorded: bool) -> JsonObject:
    told = {name: getattr(session, name) for name in ("task", "trial", "query", "answer", "partial")}
    ours: JsonObject = {name: value for name, value in told.items() if value is not None}
    if with_recorded and session.recorded:
        ours["recorded"] = [{**asdict(label), "evidence": list(label.evidence)} for label in session.recorded]
    return ours


def _trajectory_steps(events: Sequence[Event], thread: str, several: bool) -> list[JsonValue]:
    steps: list[JsonValue] = []
    for first, group in _groups(events, thread):
        steps.append(_step(group, len(steps) + 1, thread, first if several else None))
    if not steps:
        ours: JsonObject = {"events": []}
        steps.append({"step_id": 1, "source": "system", "message": _NO_STEP, "extra": {OURS: ours}})
    return steps


def _groups(events: Sequence[Event], thread: str) -> Iterator[tuple[int, list[Event]]]:
    """The events of one thread, those of one agent step together, each with the number of its first."""
    first, group = 0, list[Event]()
    for number, event in enumerate(events, start=1):
        follows = bool(group) and number == first + len(group) and _joins(group, event)
        if group and not follows:
            yield first, group
            group = []
        if event.thread == thread:
            first = first if group else number
            group = [*group, event]
    if group:
        yield first, group


def _joins(group: Sequence[Event], event: Event) -> bool:
    last = group[-1]
    if (last.ts, last.line, last.thread) != (event.ts, event.line, event.thread):
        return False
    before, now = _RANK.get(last.kind), _RANK.get(event.kind)
    if before is None or now is None or now < before:
        return False
    if now > before:
        return True
    # Calls of one record were made at once; without a line nothing says so. Their ids must differ.
    together = now == 2 and event.line is not None
    return together and _identity(event) not in {_identity(other) for other in group}


def _identity(event: Event) -> str:
    return event.call or "call"


def _step(group: Sequence[Event], number: int, thread: str, first: int | None) -> JsonObject:
    step: JsonObject = {"step_id": number}
    if group[0].ts is not None and _told_by_all(group[0].ts):
        step["timestamp"] = group[0].ts
    step |= _plain(group)
    native = thread if thread == "main" or thread.startswith("sub:") else f"sub:{thread}"
    base = Event(kind="other", ts=group[0].ts if "timestamp" in step else None, thread=native, line=0)
    read = decode(step, base).events
    starts = read if len(read) == len(group) else [base] * len(group)
    ours: JsonObject = {"events": [_change(start, event) for start, event in zip(starts, group, strict=True)]}
    if first is not None:
        ours["first"] = first
    extra = step.get("extra")
    step["extra"] = {**(extra if isinstance(extra, dict) else {}), OURS: ours}
    return step


def _plain(group: Sequence[Event]) -> JsonObject:
    """What the format itself can say of the events."""
    event = group[0]
    if event.kind in _RANK:
        return _agent_step(group)
    if event.kind == "prompt":
        return {"source": "user", "message": event.text or ""}
    if event.kind == "tool_result":
        results: list[JsonValue] = [{"content": event.output or ""}]
        return {"source": "agent", "message": "", "observation": {"results": results}}
    if event.kind == "compaction":
        step: JsonObject = {"source": "system", "message": "Context compaction performed"}
        if event.text is not None:
            step["observation"] = {"results": [{"content": event.text}]}
        return step | {"extra": {"context_management": {"type": "compaction"}}}
    return {"source": "system", "message": _note(event)}


def _note(event: Event) -> str:
    told = event.text or event.path or event.output
    if event.kind == "system" and told:
        return told
    decision = f" {event.approval.decision}" if event.approval else ""
    return f"{event.kind}{decision}: {told}" if told else f"{event.kind}{decision}"


def _agent_step(group: Sequence[Event]) -> JsonObject:
    texts = {event.kind: event.text or "" for event in group if event.kind not in _CALLS}
    step: JsonObject = {"source": "agent", "message": texts.get("message", "")}
    if "reasoning" in texts:
        step["reasoning_content"] = texts["reasoning"]
    calls = [event for event in group if event.kind in _CALLS]
    if calls:
        step["tool_calls"] = [_call(event) for event in calls]
        results: list[JsonValue] = [_result(event) for event in calls if event.output is not None]
        if results:
            step["observation"] = {"results": results}
    return step


def _call(event: Event) -> JsonObject:
    arguments: JsonObject = dict(event.args or {})
    if event.kind == "command" and "command" not in arguments:
        arguments = {"command": event.command, **arguments}
    name = event.tool or "bash"
    return {"tool_call_id": _identity(event), "function_name": name, "arguments": arguments}


def _result(event: Event) -> JsonObject:
    result: JsonObject = {"source_call_id": _identity(event), "content": event.output}
    if event.exit_code is not None:
        return {**result, "extra": {"exit_code": event.exit_code}}
    return {**result, "extra": {"is_error": True}} if event.ok is False else result


def _change(start: Event, event: Event) -> JsonObject:
    """The fields in which an event differs from what the step says; its line always, for the step has another."""
    before, after = start.model_dump(mode="json"), event.model_dump(mode="json")
    return {
        name: after[name] for name in after if name == "line" or _canonical(before[name]) != _canonical(after[name])
    }


def _canonical(value: JsonValue) -> str:
    return json.dumps(value, sort_keys=True)


def _told_by_all(moment: str) -> bool:
    """Whether the format's models read the moment too: they replace each Z, wherever it stands."""
    try:
        return datetime.fromisoformat(moment.replace("Z", "+00:00")).tzinfo is not None
    except ValueError:
        return False
