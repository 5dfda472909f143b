"""What each event of a session shows, as names of signals: counts of them are features, and they say which events weigh."""

from __future__ import annotations

from collections.abc import Sequence

from bench.judges.exact import is_check, outcome
from bench.judges.head.patterns import (
    ABOUT_THE_PLACE,
    CORRECTS,
    EDITS,
    FINDS_OUT,
    GOES_ON,
    INSTRUCTIONS,
    LOOKS_OUTSIDE,
    PLACE_TROUBLE,
    STATES_A_RULE,
    SURPRISE,
    TROUBLE,
    YIELDS,
)
from bench.judges.patterns import PATH_ARGUMENTS
from bench.schema.event import Event

KEPT = 1200  # characters of a text that are looked at: its first two thirds and its last third
_COMMAND_KEPT = 400
_LONG = 400
_TYPED = ("human", "unknown", "simulated")
_SPOKEN = {
    "says-trouble": TROUBLE,
    "says-surprise": SURPRISE,
    "yields": YIELDS,
    "finds-out": FINDS_OUT,
    "about-the-place": ABOUT_THE_PLACE,
}

SIGNALS = (
    "event", "command", "tool-call", "typed", "turn", "goes-on", "corrects", "states-a-rule", "reports-trouble", "pasted",
    "long-prompt", "asks", "interrupt", "denied", "compaction", "message", *_SPOKEN, "failed", "place-trouble", "recovered",
    "check", "failed-check", "again", "edit", "edits-instructions", "looks-outside",
)  # fmt: skip


def signals_of(events: Sequence[Event]) -> list[tuple[str, ...]]:
    """The signals of each event, given what came before it. One pass; memory grows with distinct commands only."""
    reader = _Reader()
    return [("event", *reader.read(event)) for event in events]


def kept(text: str) -> str:
    """The part of a text that is looked at, so that one huge output costs no more than a long one."""
    return text if len(text) <= KEPT else f"{text[: KEPT * 2 // 3]}\n{text[-(KEPT // 3) :]}"


def is_typed(event: Event) -> bool:
    """A prompt that a person typed, or may have typed."""
    return event.kind == "prompt" and event.origin in _TYPED


class _Reader:
    """Reads events in order and remembers what later ones are compared with."""

    def __init__(self) -> None:
        self.called = False
        self.failing: set[str] = set()
        self.commands: set[str] = set()

    def read(self, event: Event) -> list[str]:
        if event.kind == "prompt":
            return _prompt(event.text or "", self.called) if is_typed(event) else []
        if event.kind in ("message", "reasoning"):
            text = kept(event.text or "")
            return ["message", *(name for name, pattern in _SPOKEN.items() if pattern.search(text))]
        if event.kind in ("interrupt", "compaction"):
            return [event.kind]
        if event.kind in ("tool_call", "command", "tool_result"):
            self.called = True
            return self._call(event)
        return []

    def _call(self, event: Event) -> list[str]:
        found = []
        ended_well = outcome(event)
        if event.approval is not None and event.approval.decision == "denied":
            found.append("denied")
        if ended_well is False:
            found.append("failed")
        if (ended_well is False or event.kind == "command") and PLACE_TROUBLE.search(kept(event.output or "")):
            found.append("place-trouble")
        if event.kind == "command":
            return found + self._command((event.command or "")[:_COMMAND_KEPT], ended_well)
        return found + (["tool-call", *_tool(event)] if event.kind == "tool_call" else [])

    def _command(self, command: str, ended_well: bool | None) -> list[str]:
        found = ["command"]
        check, program = is_check(command), _program(command)
        if check:
            found.append("check")
        if ended_well is False:
            self.failing.add(program)
            if check:
                found.append("failed-check")
        elif ended_well and program in self.failing:
            self.failing.discard(program)
            found.append("recovered")
        if command in self.commands:
            found.append("again")
        self.commands.add(command)
        return found


def _prompt(text: str, after_a_call: bool) -> list[str]:
    whole = text.strip()
    shown = kept(whole)
    found = ["typed"]
    if STATES_A_RULE.search(shown):
        found.append("states-a-rule")
    if len(whole) > _LONG:
        found.append("long-prompt")
    if "?" in shown:
        found.append("asks")
    if not after_a_call:
        return found
    found.append("goes-on" if GOES_ON.search(whole[:60]) else "turn")
    if CORRECTS.search(shown):
        found.append("corrects")
    if TROUBLE.search(shown):
        found.append("reports-trouble")
    if "\n" in whole:
        found.append("pasted")
    return found


def _tool(event: Event) -> list[str]:
    tool = event.tool or ""
    if EDITS.search(tool):
        named = [(event.args or {}).get(name) for name in (*PATH_ARGUMENTS, "input")]
        touched = "\n".join(value[:_COMMAND_KEPT] for value in named if isinstance(value, str))
        return ["edits-instructions"] if INSTRUCTIONS.search(touched) else ["edit"]
    return ["looks-outside"] if LOOKS_OUTSIDE.search(tool) else []


def _program(command: str) -> str:
    """The first two words of a command that are neither options nor assignments: what is meant by the same command."""
    words = [word for word in command.split() if "=" not in word and not word.startswith("-")]
    return " ".join(words[:2])
