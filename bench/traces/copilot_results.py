"""How a call of GitHub Copilot CLI ended, and who decided whether it may run."""

from __future__ import annotations

import re
from typing import Literal

from bench.schema.event import Approval, Event
from bench.traces.codex_results import flatten
from bench.traces.gatherer import as_json, code_of, ended_with
from bench.traces.lines import JsonObject, list_at, object_at, text_at
from bench.traces.transcript import Result

SHELLS = frozenset({"bash", "powershell", "shell", "run_in_terminal"})

# The last line, which the harness writes behind the output; nothing that the command printed can stand after it.
_EXITED = re.compile(
    r"<(?:exited with exit code|shellId: [^<>\s]{1,100} completed with exit code) (?P<code>-?\d{1,10})>\s*\Z"
)
_TAIL = 400
_ENDS = frozenset({"terminal", "shell_exit"})
_Source = Literal["person", "config", "policy", "unknown"]
_DENIED: dict[str, _Source] = {
    "denied-interactively-by-user": "person",
    "denied-by-rules": "config",
    "denied-no-approval-rule-and-could-not-request-from-user": "config",
    "denied-by-content-exclusion-policy": "policy",
    "denied-by-permission-request-hook": "policy",
}
_APPROVED: dict[str, _Source] = {
    "approved": "unknown",  # a click and a rule are told alike
    "approved-for-session": "person",
    "approved-for-location": "person",
}
_REFUSING_CODES: dict[str, _Source] = {"rejected": "person", "denied": "unknown"}
_BY_CONFIG = (
    "Permission to run this tool was denied due to the following rules",
    "Permission denied and could not request",
)


def result_of(data: JsonObject, call: Event | None) -> Result:
    """What a ``tool.execution_complete`` says about its call."""
    given, error = object_at(data, "result"), object_at(data, "error")
    success = data.get("success")
    ok = success if isinstance(success, bool) else None
    output = _output(data, given, error)
    shell = call is not None and call.kind == "command"
    approval = _refusal(error) if ok is False else None
    if approval is not None:
        return Result(output, ok=False, exit_source="none" if shell else None, approval=approval)
    if not shell:
        return Result(output, ok=ok)
    code = _code(data, given)
    if code is not None:
        return ended_with(output, code)
    found = _EXITED.search((output or "")[-_TAIL:])
    if found is not None and ok is not False:
        return Result(output, ok=int(found["code"]) == 0, exit_code=int(found["code"]), exit_source="text")
    return Result(output, ok=False if ok is False else None, exit_source="none")


def decision_of(result: JsonObject) -> Approval | None:
    """The decision in the result of a permission request."""
    kind, reason = text_at(result, "kind") or "", text_at(result, "feedback") or text_at(result, "message")
    if kind in _DENIED:
        return Approval(decision="denied", source=_DENIED[kind], reason=reason)
    return Approval(decision="approved", source=_APPROVED[kind], reason=reason) if kind in _APPROVED else None


def _output(data: JsonObject, given: JsonObject, error: JsonObject) -> str | None:
    if given:
        return flatten(given.get("content"))
    if error:
        return text_at(error, "message") or as_json(error)
    plain = data.get("result")
    return plain if isinstance(plain, str) else None


def _code(data: JsonObject, given: JsonObject) -> int | None:
    ends = [
        block for block in list_at(given, "contents") if isinstance(block, dict) and text_at(block, "type") in _ENDS
    ]
    codes = [code for block in ends if (code := code_of(block.get("exitCode"))) is not None]
    return codes[-1] if codes else code_of(object_at(data, "shellExecution").get("exitCode"))


def _refusal(error: JsonObject) -> Approval | None:
    code = text_at(error, "code") or ""
    if code not in _REFUSING_CODES:
        return None
    message = text_at(error, "message")
    source = "config" if message is not None and message.startswith(_BY_CONFIG) else _REFUSING_CODES[code]
    return Approval(decision="denied", source=source, reason=message)
