"""How a tool call of Claude Code ended, from its result block and the record around it."""

from __future__ import annotations

import json
import re
from typing import Literal

from pydantic import JsonValue

from bench.schema.event import Approval, Event, ExitSource
from bench.traces.claude_prompts import INTERRUPT
from bench.traces.lines import JsonObject, text_at
from bench.traces.transcript import Result

_REFUSED = (
    "The user doesn't want to proceed with this tool use.",
    "The user doesn't want to take this action right now.",
    "The agent proposed a plan that was rejected by the user.",
)
_REASON = re.compile(
    r"To tell you how to proceed, the user said:\n(?P<reason>.*?)(?:\n\nNote: The user's next message .*)?\Z", re.DOTALL
)
# To a sub-agent the harness does not say who refused, unless a person gave a reason.
_DENIED = "Permission for this tool use was denied"
_DENIED_BECAUSE = re.compile(r"[^\n]{0,300}? The user said:\n(?P<reason>.*)\Z", re.DOTALL)
_NOBODY_TO_ASK = re.compile(r"[^\n]{0,80}?\b(?:requires (?:interactive )?approval)\b")
# A sentence of the harness, put there when a person chose to talk about a question instead of answering it.
_CANNED_REASON = "The user wants to clarify these questions."
_FORBIDDEN: tuple[tuple[re.Pattern[str], Literal["config", "policy"]], ...] = (
    (re.compile(r"Permission to use \S.{0,2000}? has been (?:auto-)?denied", re.DOTALL), "config"),
    (re.compile(r"Claude requested permissions to (?:use|read|write|edit)\b.* but you haven't granted it"), "config"),
    (re.compile(r"Permission for this action (?:has been|was) denied"), "policy"),
    (
        re.compile(r"(?:Hook )?PreToolUse\S* (?:.{0,200} )?(?:hook (?:returned blocking )?error|denied this tool)"),
        "policy",
    ),
)
_EXIT_HEADER = re.compile(r"(?:Error: )?Exit code (?P<code>-?\d{1,10})(?:\n|\Z)")
_UNKNOWN_END = ("interrupted", "returnCodeInterpretation", "backgroundTaskId")
_PLAN_APPROVED = "User has approved your plan"


def flatten(content: JsonValue) -> str:
    """The text of a content value: a string, or blocks of which images keep only their place."""
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return "" if content is None else json.dumps(content, ensure_ascii=False)
    return "\n".join(_block_text(block) for block in content)


def result_of(block: JsonObject, details: JsonValue, call: Event | None) -> Result:
    """What the block says about its call. ``details`` is the record's toolUseResult."""
    output = flatten(block.get("content"))
    failed = block.get("is_error") is True
    if failed and INTERRUPT.fullmatch(output):
        return Result(output, exit_source=_no_exit(call))
    approval = _refusal(output, details) if failed else None
    if approval is not None:
        return Result(output, ok=False, exit_source=_no_exit(call), approval=approval)
    if call is not None and call.kind == "command":
        return _shell_result(output, block, details, call)
    return _tool_result(output, failed, details, call)


def permission_of(attachment: JsonObject) -> Approval | None:
    """What a hook decided about a call, where the harness files it apart from the call."""
    match attachment.get("decision"):
        case "allow":
            return Approval(decision="approved", source="policy")
        case "deny":
            return Approval(decision="denied", source="policy")
    return None


def _block_text(block: JsonValue) -> str:
    if isinstance(block, str):
        return block
    if not isinstance(block, dict):
        return json.dumps(block, ensure_ascii=False)
    if block.get("type") == "image":
        return "[image]"
    text = block.get("text")
    return text if isinstance(text, str) else json.dumps(block, ensure_ascii=False)


def _refusal(output: str, details: JsonValue) -> Approval | None:
    if output.startswith(_REFUSED) or details == "User rejected tool use":
        return Approval(decision="denied", source="person", reason=_typed_reason(output))
    for pattern, source in _FORBIDDEN:
        if pattern.match(output):
            return Approval(decision="denied", source=source, reason=output)
    return _denied_to_sub_agent(output) if output.startswith(_DENIED) else None


def _denied_to_sub_agent(output: str) -> Approval:
    rest = output.removeprefix(_DENIED)
    if said := _DENIED_BECAUSE.match(rest):
        return Approval(decision="denied", source="person", reason=said["reason"].strip() or None)
    source: Literal["config", "unknown"] = "config" if _NOBODY_TO_ASK.match(rest) else "unknown"
    return Approval(decision="denied", source=source, reason=output)


def _typed_reason(output: str) -> str | None:
    match = _REASON.search(output)
    if match is None or match["reason"].startswith(_CANNED_REASON):
        return None
    return match["reason"].strip() or None


def _shell_result(output: str, block: JsonObject, details: JsonValue, call: Event) -> Result:
    failed = block.get("is_error") is True
    header = _EXIT_HEADER.match(output) if failed else None
    if header is not None:
        code = int(header["code"])
        return Result(output[header.end() :], ok=code == 0, exit_code=code, exit_source="text")
    if failed:
        return Result(output, ok=False, exit_source="none")
    if block.get("is_error") is not False or _end_unknown(details, call):
        return Result(output, exit_source="none")
    return Result(output, ok=True, exit_code=0, exit_source="implied")


def _end_unknown(details: JsonValue, call: Event) -> bool:
    """Whether the success flag only says that the call went through: stopped, explained away or still running."""
    if isinstance(details, dict) and any(details.get(key) for key in _UNKNOWN_END):
        return True
    return call.args is not None and call.args.get("run_in_background") is True


def _tool_result(output: str, failed: bool, details: JsonValue, call: Event | None) -> Result:
    if failed:
        return Result(output, ok=False)
    if isinstance(details, dict) and (details.get("interrupted") is True or _only_launched(details)):
        return Result(output)
    approved = call is not None and call.tool == "ExitPlanMode" and output.startswith(_PLAN_APPROVED)
    return Result(output, ok=True, approval=Approval(decision="approved", source="person") if approved else None)


def _only_launched(details: JsonObject) -> bool:
    return text_at(details, "status") in ("async_launched", "remote_launched")


def _no_exit(call: Event | None) -> ExitSource | None:
    return "none" if call is not None and call.kind == "command" else None
