"""How a call of Gemini CLI ended: a status, and for a shell a text that ends with lines of the harness.

Sources: ``packages/core/src/tools/shell.ts`` and ``scheduler/{policy,tool-executor}.ts`` of
github.com/google-gemini/gemini-cli. Up to version 0.24 or so a shell's text names command and directory and always ends
with the same four lines; later ones begin with the output and write only the lines that say something. What the command
printed can look like such a line, so the printed text is measured on ``resultDisplay``, which holds nothing else.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from bench.schema.event import Approval, ExitSource
from bench.traces.codex_results import flatten
from bench.traces.gatherer import as_json
from bench.traces.lines import JsonObject, list_at, object_at, text_at
from bench.traces.transcript import Result

SHELLS = frozenset({"run_shell_command"})

_FULL_TRAILER = re.compile(
    r"\nExit Code: (?P<code>-?\d{1,10}|\(none\))\nSignal: (?P<signal>[^\n]*)\nBackground PIDs: [^\n]*"
    r"\nProcess Group PGID: [^\n]*\s*\Z"
)
_SHORT_TRAILER = re.compile(
    r"(?:\nExit Code: (?P<code>-?\d{1,10}))?(?:\nSignal: (?P<signal>[^\n]*))?(?:\nBackground PIDs: [^\n]*)?"
    r"(?:\nProcess Group PGID: [^\n]*)?(?:\n\n\[System\] Tool input parameters were modified [^\n]*)?\n*\Z"
)
_TRAILER_LENGTH = 2000
_DISPLAYED_WITHOUT_OUTPUT = ("Command exited with code: ", "Command terminated by signal: ", "Command failed: ")
_TIMED_OUT = "Command was automatically cancelled because it exceeded the timeout"
_CANCELLED = "[Operation Cancelled]"
_DENIED_BY_PERSON = (
    "[Operation Cancelled] Reason: User denied execution",
    "[Operation Cancelled] Reason: User did not allow",
)
_DENIED_BY_POLICY = re.compile(r"Tool execution(?: for \"[^\"\n]{0,200}\")? denied by policy")
_NOBODY_TO_ASK = re.compile(r"Tool execution for \"[^\"\n]{0,200}\" requires user confirmation, which is not supported")


@dataclass(frozen=True)
class Ended:
    """The result of a call, and whether its exit code could also have been printed by the command."""

    result: Result
    inferred: bool = False


def response_of(part: JsonObject) -> JsonObject:
    """What a function response holds."""
    return object_at(object_at(part, "functionResponse"), "response")


def text_of_response(response: JsonObject) -> str:
    for key in ("output", "error", "content"):
        if isinstance(text := response.get(key), str):
            return text
    return as_json(response) if response else ""


def result_of_call(call: JsonObject) -> Ended:
    """The result that a recorded call carries itself."""
    status, shell = text_at(call, "status"), text_at(call, "name") in SHELLS
    given = call.get("result")
    parts = [part for part in list_at(call, "result") if isinstance(part, dict)]
    responses = [response_of(part) for part in parts if "functionResponse" in part]
    if status not in ("success", "error", "cancelled") or given is None:
        return Ended(Result(exit_source="none" if shell else None))
    response: JsonObject = responses[0] if responses else {"output": flatten(given)}
    display = call.get("resultDisplay")
    return ended(response, status, shell=shell, display=display if isinstance(display, str) else None)


def ended(response: JsonObject, status: str | None, *, shell: bool, display: str | None) -> Ended:
    """What a response says about its call. Without a status the response's own error field tells a failure."""
    text, error = text_of_response(response), text_at(response, "error")
    source: ExitSource | None = "none" if shell else None
    if error is not None and error.startswith(_CANCELLED):
        denied = error.startswith(_DENIED_BY_PERSON)
        approval = Approval(decision="denied", source="person", reason=None) if denied else None
        return Ended(Result(text, ok=False if denied else None, exit_source=source, approval=approval))
    if status == "cancelled":
        return Ended(Result(text, exit_source=source))
    if status == "error" or (status is None and error is not None):
        return Ended(Result(text, ok=False, exit_source=source, approval=_refusal(error or text)))
    return _shell_ended(text, display) if shell else Ended(Result(text, ok=True))


def _refusal(error: str) -> Approval | None:
    if _DENIED_BY_POLICY.match(error):
        return Approval(decision="denied", source="policy", reason=error)
    return Approval(decision="denied", source="config", reason=error) if _NOBODY_TO_ASK.match(error) else None


def _shell_ended(text: str, display: str | None) -> Ended:
    if text.startswith(("Command: ", "Command:\n")):
        found = _FULL_TRAILER.search(text[-_TRAILER_LENGTH:])
        return Ended(Result(text, exit_source="none") if found is None else _with_code(text, found))
    if text.startswith("Output: "):
        return _short_ended(text, display)
    return Ended(Result(text, ok=False if text.startswith(_TIMED_OUT) else None, exit_source="none"))


def _short_ended(text: str, display: str | None) -> Ended:
    printed = _printed(text, display)
    tail = text if printed is None else text[printed:]
    found = _SHORT_TRAILER.search(tail[-_TRAILER_LENGTH:])
    if printed is not None and tail.startswith("\nError: ") and (found is None or found["code"] is None):
        return Ended(Result(text, ok=False, exit_source="none"))
    if found is None or (found["code"] is None and found["signal"] is None):
        return Ended(Result(text, ok=True, exit_code=0, exit_source="implied"))
    return Ended(_with_code(text, found), inferred=printed is None)


def _printed(text: str, display: str | None) -> int | None:
    """Where the harness goes on behind what was printed, if the record shows it."""
    if display and text.startswith(display, len("Output: ")):
        return len("Output: ") + len(display)
    silent = display == "" or (display or "").startswith(_DISPLAYED_WITHOUT_OUTPUT)
    return len("Output: (empty)") if silent and text.startswith("Output: (empty)") else None


def _with_code(text: str, found: re.Match[str]) -> Result:
    code = found["code"]
    if code is None or code == "(none)":
        return Result(text, ok=False if found["signal"] not in (None, "0", "(none)") else None, exit_source="none")
    return Result(text, ok=int(code) == 0, exit_code=int(code), exit_source="text")
