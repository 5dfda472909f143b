"""The normalised event: one thing that happened in an agent session.

A call and its result are ONE event (``tool_call``, or ``command`` for a shell), placed where the call was made and
carrying ``output``, ``ok`` and ``exit_code`` of its result; ``tool_result`` is only for a result whose call is not in the
record. The number of an event is its position in the attempt, from 1.
"""

from __future__ import annotations

from typing import Literal

from pydantic import JsonValue, model_validator

from bench.schema.base import Integer, Moment, Record, Text, Truth

Kind = Literal[
    "prompt",  # text given to the agent as its user's; see origin for who really wrote it
    "message",  # text of the agent to its user
    "reasoning",  # the agent's recorded thinking
    "tool_call",  # a call of a tool that is no shell, with its result
    "tool_result",  # a result whose call is not in the record
    "command",  # a shell command, with its result
    "file",  # a file change that the harness recorded by itself
    "approval",  # a decision on a call, where the harness records it apart from the call
    "interrupt",  # a person stopped the agent
    "compaction",  # earlier history was replaced by a summary (text)
    "usage",  # token counts
    "system",  # a notice of the harness (hook output, API error, ...)
    "other",  # known to the importer, fits no other kind
]
Origin = Literal["human", "injected", "hook", "compaction", "command", "plan", "simulated", "unknown"]
ExitSource = Literal["structured", "text", "implied", "none"]


class Approval(Record):
    """A decision whether a call may run."""

    decision: Literal["approved", "denied"]
    source: Literal["person", "config", "policy", "unknown"] = "unknown"
    reason: Text | None = None  # what the decider wrote, if anything


class Event(Record):
    """One event; fields that the record does not hold are absent, never guessed."""

    kind: Kind
    ts: Moment | None = None
    origin: Origin | None = None
    call: Text | None = None  # the harness's id of the call
    tool: Text | None = None
    args: dict[str, JsonValue] | None = None
    text: str | None = None
    command: Text | None = None
    output: str | None = None
    exit_code: Integer | None = None
    exit_source: ExitSource | None = None
    ok: Truth | None = None  # absent: the record cannot tell
    outcome: Literal["unobservable"] | None = None  # of a call: the format never records results
    approval: Approval | None = None
    path: Text | None = None  # kind file: which file
    fidelity: Literal["observed", "inferred"] = "observed"
    thread: Text = "main"  # or sub:ID
    line: Integer | None = None  # line of the source file, for imported events

    @model_validator(mode="after")
    def _kind_has_its_fields(self) -> Event:
        needed = _NEEDED.get(self.kind)
        if needed and getattr(self, needed) is None:
            raise ValueError(f"an event of kind {self.kind} needs the field {needed}")
        if self.kind == "prompt" and self.origin is None:
            raise ValueError("a prompt needs its origin (human, injected, hook, ...)")
        if self.origin is not None and self.kind != "prompt":
            raise ValueError("origin belongs to events of kind prompt only")
        if self.exit_code is not None and self.exit_source in (None, "none"):
            raise ValueError("an exit_code needs its exit_source (structured, text or implied)")
        return self


_NEEDED = {
    "prompt": "text",
    "message": "text",
    "reasoning": "text",
    "tool_call": "tool",
    "tool_result": "output",
    "command": "command",
    "file": "path",
    "approval": "approval",
}
