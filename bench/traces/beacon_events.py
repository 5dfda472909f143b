"""One event of agent-beacon, of its traces or of its runtime log, in one shape."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from pydantic import JsonValue

from bench.schema.event import Approval
from bench.traces.calls import as_text
from bench.traces.lines import JsonObject, object_at, text_at

# Every action that the product writes: KnownActions in beacon-sandbox/check of Asymptote-Labs/agent-beacon.
_OF_CALLS = frozenset(
    {"tool.invoked", "tool.completed", "tool.failed", "command.executed", "command.invoked"}
    | {"file.read", "file.modified", "file.created", "mcp.tool_invoked"}
)
_OF_DECISIONS = frozenset({"approval.requested", "approval.allowed", "approval.denied", "policy.blocked"})
_OF_SESSIONS = frozenset(
    {"session.started", "session.ended", "session.activity", "session.compacting", "session.compacted"}
    | {"session.event", "session.created", "session.deleted", "session.idle", "session.error", "session.status"}
    | {"subagent.started", "subagent.stopped", "model.retry", "trace.unclassified"}
)
_OF_MESSAGES = frozenset(
    {"prompt.submitted", "agent.message", "assistant.message", "agent.response", "agent.response.completed"}
    | {"agent.reasoning"}
)
_OF_ENDPOINTS = frozenset(
    {"token.usage", "cost.usage", "metric.observed", "agent.detected", "telemetry.enabled", "telemetry.disabled"}
    | {"telemetry.misconfigured", "inventory.heartbeat", "inventory.snapshot", "installation.updated"}
    | {"endpoint.health_failed", "endpoint.tamper_detected", "endpoint.validation"}
)
KNOWN = _OF_CALLS | _OF_DECISIONS | _OF_SESSIONS | _OF_MESSAGES | _OF_ENDPOINTS
BEFORE = frozenset({"tool.invoked", "command.invoked"})  # of a call, before it ran
OF_CALLS = _OF_CALLS
_YES = frozenset(
    {"allow", "allowed", "approve", "approved", "accept", "accepted", "once", "always", "grant", "granted"}
)
_NO = frozenset({"deny", "denied", "reject", "rejected", "block", "blocked", "timeout", "abort"})


@dataclass(frozen=True)
class Told:
    """What one event says; absent where it does not say."""

    action: str
    inferred: bool = False
    text: str | None = None
    call: str | None = None
    tool: str | None = None
    arguments: JsonValue = None
    command: str | None = None
    exit_code: int | None = None
    output: str | None = None
    path: str | None = None
    change: str | None = None  # the text of a file's change
    server: str | None = None  # of an MCP call
    approval: Approval | None = None
    error: str | None = None
    model: str | None = None
    usage: JsonObject | None = None


def told_by_trace(entry: JsonObject) -> Told:
    """An entry of a trace's ``events``."""
    tool, command, file = object_at(entry, "tool"), object_at(entry, "command"), object_at(entry, "file")
    mcp = object_at(entry, "mcp")
    action = text_at(entry, "action") or text_at(entry, "type") or "(no action)"
    return Told(
        action=action,
        inferred=text_at(entry, "fidelity") == "inferred",
        text=_content(entry, "content"),
        call=text_at(entry, "tool_call_id"),
        tool=text_at(tool, "name") or text_at(mcp, "tool"),
        arguments=tool.get("arguments"),
        command=text_at(command, "command") or text_at(tool, "command"),
        exit_code=_code(command),
        output=_content(command, "output") or as_text(tool.get("result")),
        path=text_at(file, "path") or text_at(tool, "path"),
        change=_content(file, "diff"),
        server=text_at(mcp, "server"),
        approval=approval_of(action, object_at(entry, "approval"), object_at(entry, "policy")),
        error=text_at(object_at(entry, "error"), "type"),
        model=text_at(entry, "model"),
        usage=object_at(entry, "usage") or None,
    )


def told_by_log(record: JsonObject) -> Told:
    """A line of the runtime log; rule files write their tests in the same shape."""
    event, tool, command = object_at(record, "event"), object_at(record, "tool"), object_at(record, "command")
    file, mcp, generative = object_at(record, "file"), object_at(record, "mcp"), object_at(record, "gen_ai")
    named = object_at(generative, "tool")
    call = object_at(named, "call")
    retained = is_retained(record)
    action = text_at(event, "action") or "(no action)"
    return Told(
        action=action,
        inferred=text_at(event, "fidelity") == "inferred",
        text=text_at(object_at(record, "prompt"), "text") or text_at(record, "message"),
        call=text_at(call, "id"),
        tool=text_at(tool, "name") or text_at(named, "name") or text_at(mcp, "tool"),
        arguments=call.get("arguments"),
        command=text_at(command, "command") or text_at(tool, "command"),
        exit_code=_code(command),
        output=text_at(command, "output") or (leaves(call.get("result")) if retained else None),
        path=text_at(file, "path") or text_at(tool, "path"),
        change=text_at(file, "diff"),
        server=text_at(mcp, "server"),
        approval=approval_of(action, object_at(record, "approval"), object_at(record, "policy")),
        error=text_at(object_at(record, "error"), "type"),
        model=text_at(record, "model"),
        usage=object_at(generative, "usage") or None,
    )


def approval_of(action: str, approval: JsonObject, policy: JsonObject) -> Approval | None:
    """The decision on a call; a question that nobody has answered is none."""
    word = (text_at(approval, "decision") or "").lower()
    by_policy = action == "policy.blocked" or (text_at(policy, "decision") or "").lower() in _NO
    decision: Literal["approved", "denied"] | None = None
    if word in _NO or action == "policy.blocked" or (by_policy and not word):
        decision = "denied"
    elif word in _YES:
        decision = "approved"
    elif action in ("approval.denied", "approval.allowed") and word in ("", "unknown"):
        decision = "denied" if action == "approval.denied" else None if word else "approved"
    if decision is None:
        return None
    source: Literal["policy", "unknown"] = "policy" if by_policy else "unknown"
    return Approval(decision=decision, source=source, reason=text_at(approval, "reason") or text_at(policy, "reason"))


def is_retained(record: JsonObject) -> bool:
    """Whether a line of the log kept the content of its call."""
    content = record.get("content")
    if not isinstance(content, dict):
        return True
    return content.get("included") in (True, "true") and text_at(content, "retention") != "metadata"


def leaves(value: JsonValue) -> str | None:
    """Every text in a value, in the order of the keys, one a line: how beacon shows a result to its rules."""
    found: list[str] = []
    waiting: list[JsonValue] = [value]
    while waiting:
        node = waiting.pop()
        if isinstance(node, str):
            found.append(node)
        elif isinstance(node, dict):
            waiting.extend(node[key] for key in sorted(node, reverse=True))
        elif isinstance(node, list):
            waiting.extend(_of_block(item) for item in reversed(node))
    text = "\n".join(text for text in found if text.strip()).strip()
    return text or None


def _of_block(item: JsonValue) -> JsonValue:
    """A content block gives its text, without what describes it."""
    typed = isinstance(item, dict) and isinstance(item.get("type"), str) and isinstance(item.get("text"), str)
    return item["text"] if typed and isinstance(item, dict) else item


def _content(record: JsonObject, key: str) -> str | None:
    content = object_at(record, key)
    return text_at(content, "text") or (as_text(content["json"]) if content.get("json") is not None else None)


def _code(command: JsonObject) -> int | None:
    code = command.get("exit_code")
    if isinstance(code, str) and code.lstrip("-").isdecimal() and len(code) <= 11:
        return int(code)
    return code if isinstance(code, int) and not isinstance(code, bool) and abs(code) < 1 << 32 else None
