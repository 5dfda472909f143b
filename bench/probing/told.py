"""What a transform works on: all that is told of one session, and the vocabulary of changes to it."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from bench.schema.event import Event
from bench.schema.probe import Expect

VERSION = "probing@1"  # raised whenever a transform gives other events
TYPED = ("human", "unknown", "simulated")  # origins of prompts that somebody typed
CALLS = ("command", "tool_call")


@dataclass(frozen=True)
class Told:
    """All that is told of a session: what was asked for, what happened, and the final answer where it stands apart."""

    query: str
    answer: str | None
    events: tuple[Event, ...]


Change = Callable[[Told, random.Random, Told | None], Told | None]
"""From a session, chance and another session (where one is needed) to the changed one; None where it does not apply."""


@dataclass(frozen=True)
class Transform:
    """A change of a session. ``expects`` says what it must do to a statement of a role: ``any`` statement, one about the
    ``outcome`` (what was asked for is done), one about a ``correction`` (somebody put the agent right)."""

    name: str
    does: str
    change: Change
    expects: Mapping[str, Expect]
    needs_other: bool = False
    renames: bool = False  # anchors and facts that name what was renamed no longer fit


def is_typed(event: Event) -> bool:
    """A prompt that somebody typed."""
    return event.kind == "prompt" and event.origin in TYPED


def is_call(event: Event) -> bool:
    return event.kind in CALLS


def is_refused(event: Event) -> bool:
    return event.approval is not None and event.approval.decision == "denied"
