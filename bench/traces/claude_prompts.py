"""Who wrote a text that Claude Code files under its user. Only a small part of such texts was typed by a person."""

from __future__ import annotations

import re

from bench.schema.event import Origin
from bench.traces.lines import JsonObject, object_at, text_at
from bench.traces.written import Written

INTERRUPT = re.compile(r"\s*\[Request interrupted by user(?: for tool use)?\]\s*")

_COMPACTION = "This session is being continued from a previous conversation that ran out of context"
_PLAN = "Implement the following plan:"
_COMMAND = re.compile(
    r"\s*<(?:command-(?:name|message|args|contents)|local-command-(?:stdout|stderr|caveat)|bash-(?:input|stdout|stderr))>"
)
_HOOK = re.compile(
    r"\s*(?:Operation stopped by hook\b|(?:Stop|SubagentStop|UserPromptSubmit|SessionStart|PreToolUse|PostToolUse)\S*"
    r" hook\b|<user-prompt-submit-hook>)",
)
_NOTIFICATION = re.compile(r"\s*<(?:task|agent)-notification>")
_EMBEDDED = re.compile(r"<(system-reminder|ide_opened_file|ide_selection|ide_diagnostics|new-diagnostics)>")
# Programs start these: the prompt may be a person's or a script's, and the record cannot tell.
_PROGRAMMATIC = re.compile(r"sdk\b")


def pieces(text: str, record: JsonObject) -> list[Written]:
    """The text cut into what a person typed and what the harness put into it."""
    whole = _origin_of_whole(text, record)
    if whole is not None:
        return [Written(text, whole)]
    embedded, typed = _taken_apart(text)
    if not embedded:
        return [Written(text, _typist(record))]
    return ([Written(typed, _typist(record))] if typed else []) + [Written(part, "injected") for part in embedded]


def _taken_apart(text: str) -> tuple[list[str], str]:
    """The blocks the harness put in, and the rest. A lazy regex would be quadratic in tags that nobody closes."""
    embedded: list[str] = []
    rest: list[str] = []
    position = 0
    while opening := _EMBEDDED.search(text, position):
        closing = f"</{opening[1]}>"
        end = text.find(closing, opening.end())
        if end < 0:
            break
        rest.append(text[position : opening.start()])
        position = end + len(closing)
        embedded.append(text[opening.start() : position])
    return embedded, "".join([*rest, text[position:]]).strip()


def _origin_of_whole(text: str, record: JsonObject) -> Origin | None:
    if record.get("isCompactSummary") is True or text.startswith(_COMPACTION):
        return "compaction"
    if _HOOK.match(text):
        return "hook"
    if record.get("isMeta") is True or record.get("isSidechain") is True:
        return "injected"
    if _COMMAND.match(text):
        return "command"
    if _NOTIFICATION.match(text) or _is_from_harness(record):
        return "injected"
    if "planContent" in record or (text.startswith(_PLAN) and text_at(record, "promptSource") != "typed"):
        return "plan"
    return None


def _is_from_harness(record: JsonObject) -> bool:
    sender = text_at(object_at(record, "origin"), "kind")
    return (
        sender not in (None, "human")
        or text_at(record, "promptSource") == "system"
        or record.get("isVisibleInTranscriptOnly") is True
    )


def _typist(record: JsonObject) -> Origin:
    if text_at(object_at(record, "origin"), "kind") == "human":
        return "human"
    started = (text_at(record, "entrypoint"), text_at(record, "promptSource"))
    return "unknown" if any(name and _PROGRAMMATIC.match(name) for name in started) else "human"
