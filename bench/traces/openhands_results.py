"""How a command of OpenHands ended, and who wrote a user's message: both generations tell it alike.

Sources: ``openhands/events/observation/commands.py`` and ``evaluation/utils/shared.py`` of
github.com/All-Hands-AI/OpenHands, ``openhands-tools/openhands/tools/terminal`` of github.com/OpenHands/software-agent-sdk.
"""

from __future__ import annotations

from pydantic import JsonValue

from bench.schema.event import Origin
from bench.traces.gatherer import code_of, ended_with
from bench.traces.lines import JsonObject, object_at
from bench.traces.transcript import Result

REJECTED = "User rejected the action"  # what stands there when nobody gave a reason
_UNFINISHED = -1
# What the evaluation answers in place of a user.
_FAKE_USER = (
    "Please continue working on the task on whatever approach you think is suitable.",
    "Please continue on whatever approach you think is suitable.",
)


def command_result(output: str, holder: JsonObject) -> Result:
    """The result of a command from its fields: -1 is no exit code but a process that still ran, or an unknown end."""
    code = code_of(holder.get("exit_code"))
    if code is None or code == _UNFINISHED:
        code = code_of(object_at(holder, "metadata").get("exit_code"))
    return ended_with(output, None if code == _UNFINISHED else code)


def is_fake_user(text: str) -> bool:
    """Whether the harness's evaluation wrote a message of its user."""
    return text.lstrip().startswith(_FAKE_USER)


def typist_of(texts: list[str]) -> Origin:
    """Who writes the other prompts: beside a fake user sits no person, but who worded the task is not told."""
    return "unknown" if any(map(is_fake_user, texts)) else "human"


def is_number(value: JsonValue) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)
