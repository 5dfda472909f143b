"""Import of tau-bench results: a JSON list of runs, each a session. A record is one message of a run's ``traj``.

Source of the format: ``run.py``, ``envs/base.py`` and ``agents/`` of github.com/sierra-research/tau-bench. The users are
simulated (a run with ``--user-strategy human`` cannot be told from its file); the model is in the file's name only. Tools
have no exit codes; a result that begins with "Error:" or names an unknown action was written so by the environment. The
agents ``act`` and ``react`` have no tool calls: theirs are taken from the text that the environment parsed. A run that
ended in an exception is filed with the reward 0: it is ``partial``, and its reward stands as recorded. Each session has
a report of its own; a run that cannot be read is a session without events, malformed at its position in the list.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import BinaryIO

from pydantic import JsonValue

from bench.problems import shorten
from bench.schema.event import Event
from bench.traces.documents import entries, read_document
from bench.traces.gatherer import Gatherer, arguments_of
from bench.traces.lines import JsonObject, list_at, object_at, parse, text_at
from bench.traces.report import Format, ImportReport, Recorded, Session
from bench.traces.rewards import answer_of
from bench.traces.transcript import Result, account

HARNESS = "tau-bench"
_RUN = frozenset({"task_id", "trial", "reward", "traj"})
_KNOWN = frozenset({"system", "user", "assistant", "tool"})
_TOLD_TO_ACT = (
    "\n# Instruction\nYou need to act as an agent that use the above tools"  # written by the agents act, react
)
_TOOL_OUTPUT = "API output: "


def speaks(document: JsonValue) -> bool:
    """Whether a document is a list of runs."""
    return isinstance(document, list) and any(isinstance(run, dict) and _is_run(run) for run in document[:20])


def read(stream: BinaryIO) -> Iterator[Session]:
    """One session a run, in the order of the file."""
    document = read_document(stream)
    if not isinstance(document, list):
        raise ValueError("tau-bench results are a list of runs")
    for position, run in enumerate(document, start=1):
        readable = isinstance(run, dict) and isinstance(run.get("traj"), list)
        yield _session(run) if isinstance(run, dict) and readable else _unreadable(run, position)


def _is_run(run: JsonObject) -> bool:
    return run.keys() >= _RUN and isinstance(run["traj"], list)


def _session(run: JsonObject) -> Session:
    report = ImportReport(format=HARNESS)
    importer = _Importer(report)
    account(entries(list_at(run, "traj")), report, importer.gathered.transcript, importer.take, _KNOWN)
    info = object_at(run, "info")
    error = text_at(info, "error")
    return Session(
        HARNESS,
        tuple(importer.gathered.transcript.events),
        report,
        task=_task(run),
        trial=_whole(run.get("trial")),
        query=text_at(object_at(info, "task"), "instruction"),
        recorded=_recorded(run, info),
        partial=f"the run ended in an error: {shorten(error, 200)}" if error else None,
    )


def _unreadable(run: JsonValue, position: int) -> Session:
    report = ImportReport(format=HARNESS, seen=1, malformed=[position])
    known = run if isinstance(run, dict) else {}
    reason = f"entry {position} of the list cannot be read as a run"
    return Session(HARNESS, (), report, task=_task(known), trial=_whole(known.get("trial")), partial=reason)


def _task(run: JsonObject) -> str | None:
    task = run.get("task_id")
    if isinstance(task, str) and task:
        return task
    return None if _whole(task) is None else str(task)


def _whole(value: JsonValue) -> int | None:
    whole = isinstance(value, int) and not isinstance(value, bool) and abs(value) < 1 << 53
    return value if whole else None  # type: ignore[return-value]


def _recorded(run: JsonObject, info: JsonObject) -> tuple[Recorded, ...]:
    reward = run.get("reward")
    if isinstance(reward, bool) or not isinstance(reward, int | float):
        return ()
    parts = object_at(object_at(info, "reward_info"), "info")
    detail = ", ".join(f"{name} {answer_of(parts[name])}" for name in ("r_actions", "r_outputs") if name in parts)
    return (Recorded("reward", answer_of(reward), "environment", detail=detail or None),)


class _Importer:
    """One pass over the messages of a run."""

    def __init__(self, report: ImportReport) -> None:
        self.gathered = Gatherer(report)
        self._acts_in_text = False
        self._open = False  # the text of the assistant was a call, and what comes next is its result

    def take(self, line: int, message: JsonObject) -> str:
        """Turn one message into events, and say whose it was."""
        role = text_at(message, "role") or "(no role)"
        base = Event(kind="other")
        text = text_at(message, "content") or ""
        was_open, self._open = self._open, False
        match role:
            case "system":
                self._acts_in_text = self._acts_in_text or _TOLD_TO_ACT in text
                self.gathered.say(base, "system", text)
            case "user" if was_open and text.startswith(_TOOL_OUTPUT):
                output = text.removeprefix(_TOOL_OUTPUT)
                position = len(self.gathered.transcript.events) - 1
                tool = self.gathered.at(position).tool or ""
                self.gathered.fill(position, {"output": output, "ok": _went_well(output, tool)})
            case "user" if text.strip():
                prompt = {"kind": "prompt", "text": text, "origin": "simulated"}
                self.gathered.transcript.add(base.model_copy(update=prompt))
            case "assistant":
                self._assistant(base, message, text)
            case "tool":
                tool = text_at(message, "name") or ""
                result = Result(text, ok=_went_well(text, tool))
                self.gathered.answer(base, text_at(message, "tool_call_id"), result, tool or None)
        return role

    def _assistant(self, base: Event, message: JsonObject, text: str) -> None:
        if self._acts_in_text:
            self._acted(base, text)
            return
        self.gathered.say(base, "message", text)
        for call in list_at(message, "tool_calls"):
            if isinstance(call, dict):
                function = object_at(call, "function")
                fields = _call(text_at(function, "name"), arguments_of(function.get("arguments")))
                self.gathered.call(base, {**fields, "call": text_at(call, "id")})

    def _acted(self, base: Event, text: str) -> None:
        """The environment ran what stands behind the last "Action:", and took what is no JSON for an answer."""
        thought, marker, said = text.rpartition("Action:")
        if marker:
            self.gathered.say(base, "reasoning", thought.strip().removeprefix("Thought:").strip())
        action = parse(said.strip().encode("utf-8", "replace"))
        name = None if action is None else text_at(action, "name")
        if action is None or name is None:
            self.gathered.say(base, "message", said.strip())
        elif name == "respond":
            self.gathered.say(base, "message", text_at(object_at(action, "arguments"), "content"))
        else:
            self.gathered.call(base, _call(name, object_at(action, "arguments")))
            self._open = True


def _call(tool: str | None, arguments: JsonObject) -> dict[str, object]:
    return {"kind": "tool_call", "tool": tool or "(no name)", "args": arguments}


def _went_well(output: str, tool: str) -> bool | None:
    """False where the environment wrote an error; else the record does not say."""
    return False if output.startswith("Error:") or output == f"Unknown action {tool}" else None


FORMAT = Format(HARNESS, "tau-bench@1", "document", speaks, read)
