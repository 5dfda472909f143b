"""What mini-swe-agent writes around a command: the result, the commands in a text, and what a person typed meanwhile."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Literal

from pydantic import JsonValue

from bench.traces.lines import JsonObject, object_at, parse, text_at
from bench.traces.transcript import Result

CODE = re.compile(r"<returncode>(?P<code>-?\d{1,10})</returncode>(?:\n|\Z)")
SUBMITTING = ("COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT", "MINI_SWE_AGENT_FINAL_OUTPUT")
_TIMED_OUT = "The last command <command>"
_FENCES = ("```mswea_bash_command", "```bash")
_TAG = ("<mswea_bash_command>", "</mswea_bash_command>")
_REST_OF_LINE = re.compile(r"[ \t\r]*\n")
_LAST_MOMENT = 253402300800  # the year 10000, in seconds
_INTERRUPTED = "Interrupted by user: "
_NO_COMMENT = "Temporary interruption caught."
_NEW_TASK = "The user added a new task: "
_REJECTED = re.compile(r"Commands? not executed\.(?: The user rejected your commands? with the following message: )?")
_TYPES = frozenset({"UserInterruption", "UserRejection", "UserNewTask"})


@dataclass(frozen=True)
class Told:
    """What a person told the running agent."""

    kind: Literal["interruption", "rejection", "task"]
    text: str | None  # what was typed, if anything
    fidelity: Literal["observed", "inferred"]


def told_by(extra: JsonObject, content: str, may_be_inferred: bool) -> Told | None:
    """What a person told, by the mark of version 2, or by the sentence of version 1 where that may stand there."""
    marked = text_at(extra, "interrupt_type") in _TYPES
    if not marked and (not may_be_inferred or "interrupt_type" in extra):
        return None
    fidelity: Literal["observed", "inferred"] = "observed" if marked else "inferred"
    if content.startswith(_INTERRUPTED):
        typed = content.removeprefix(_INTERRUPTED)
        return Told("interruption", None if typed == _NO_COMMENT or not typed.strip() else typed, fidelity)
    if rejected := _REJECTED.match(content):
        typed = "" if rejected[0].endswith("executed.") else content[rejected.end() :]
        return Told("rejection", typed or None, fidelity)
    if content.startswith(_NEW_TASK):
        return Told("task", content.removeprefix(_NEW_TASK) or None, fidelity)
    return Told("interruption", None, fidelity) if marked else None


def actions_in(content: str) -> list[str]:
    """The command in a text; the harness runs one only where there is exactly one."""
    for fence in _FENCES:
        if found := _between(content, fence, "\n```"):
            return found if len(found) == 1 else []
    found = _between(content, *_TAG)
    return found if len(found) == 1 else []


def result_of(message: JsonObject, content: str) -> Result:
    """How a command ended: from ``extra`` if the version has it, from what the harness wrote first if not."""
    extra = object_at(message, "extra")
    if "returncode" in extra:
        printed = extra.get("raw_output")
        return _ended(printed if isinstance(printed, str) else content, extra)
    if content.startswith(("<exception>", _TIMED_OUT)):  # the code behind it is a placeholder
        return Result(content, ok=False, exit_source="none")
    if header := CODE.match(content):
        code = int(header["code"])
        return Result(_unwrapped(content[header.end() :]), ok=code == 0, exit_code=code, exit_source="text")
    value = parse(content.encode("utf-8", "replace")) if content.startswith("{") else None
    if value is not None and "returncode" in value and ("output" in value or "output_head" in value):
        printed = value.get("output")
        return _ended(printed if isinstance(printed, str) else content, value)
    return Result(content, exit_source="none")


def moment_at(message: JsonObject, extra: JsonObject) -> str | None:
    """The moment in seconds since 1970 that a message bears, or its ``extra``."""
    for value in (message.get("timestamp"), extra.get("timestamp")):
        if isinstance(value, int | float) and not isinstance(value, bool) and 0 < value < _LAST_MOMENT:
            return datetime.fromtimestamp(value, UTC).isoformat(timespec="milliseconds")
    return None


def _ended(output: str, told: JsonObject) -> Result:
    code: JsonValue = told.get("returncode")
    if text_at(told, "exception_info"):
        return Result(output, ok=False, exit_source="none")
    if not isinstance(code, int) or isinstance(code, bool):
        return Result(output, exit_source="none")
    return Result(output, ok=code == 0, exit_code=code, exit_source="structured")


def _unwrapped(text: str) -> str:
    """What was printed, where it stands whole between the tags; a shortened one stays as the model saw it."""
    body = text.strip("\n")
    if not body.startswith("<output>\n") or not body.endswith("</output>"):
        return text
    return body[len("<output>\n") : -len("</output>")].removesuffix("\n")


def _between(content: str, opening: str, closing: str) -> list[str]:
    """Every stretch between two marks, in linear time."""
    found, position = [], 0
    while (start := content.find(opening, position)) >= 0:
        start += len(opening)
        if closing.startswith("\n"):
            rest = _REST_OF_LINE.match(content, start)
            if rest is None:  # a longer word is another language
                position = start
                continue
            start = rest.end() - 1  # the closing mark may be the very next line
        end = content.find(closing, start)
        if end < 0:
            break
        if text := content[start:end].strip():
            found.append(text)
        position = end + len(closing)
    return found
