"""How a call of Codex ended: three encodings of an exit code, and the sentences that say a call was refused."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, replace

from pydantic import JsonValue

from bench.schema.event import Approval, Event
from bench.traces.lines import JsonObject, object_at, parse, text_at
from bench.traces.transcript import Result

# The header ends at the first "Output:" line; whatever the command printed comes after it and cannot speak for it.
_HEADER = re.compile(r"(?:(?!Output:|Command:)[A-Z][^\n]*\n){1,10}?Output:(?:\n|\Z)")
_HEADER_AFTER_COMMAND = re.compile(
    r"^(?:Chunk ID: [^\n]*\n)?(?:Exit code: -?\d+\n)?Wall time: [^\n]*\n"
    r"(?:(?!Output:)[A-Z][^\n]*\n){0,6}?Output:(?:\n|\Z)",
    re.MULTILINE,
)
_EXIT = re.compile(r"^(?:Process exited with code|Exit code:) (?P<code>-?\d{1,10})$", re.MULTILINE)
_RUNNING = re.compile(r"^Process running with session ID (?P<session>\d+)$", re.MULTILINE)
_SCRIPT = re.compile(r"Script (?P<state>completed|failed|running)\b")
_REFUSED = re.compile(
    r"(?:exec_command failed for .*message: \"Rejected\(|(?:exec command|patch|command) rejected by user)", re.DOTALL
)
_BY_PERSON = re.compile(r"rejected by user(?! approval settings)")
_FAILED = ("apply_patch verification failed", "failed to parse function arguments", "unsupported call")
_FAILED_CALL = re.compile(r"(?:exec_command|write_stdin|apply_patch|view_image) failed(?: for .*)?:", re.DOTALL)


@dataclass(frozen=True)
class Output:
    """One result as the record encodes it, taken apart."""

    text: str
    exit_code: int | None = None
    structured: bool = False
    success: bool | None = None  # a flag of the record itself
    session: str | None = None  # the process still runs under this number
    bare: bool = False  # no encoding around the text: only here the harness itself may speak


def decoded(value: JsonValue, command: str | None) -> Output:
    """Take the output value apart. ``command`` is what was run: newer versions repeat it in front of the header."""
    if isinstance(value, dict):
        success = value.get("success")
        inner = decoded(flatten(value.get("content")), command)
        return replace(inner, success=success if isinstance(success, bool) else None)
    text = flatten(value)
    wrapped = _wrapped(text)
    return wrapped if wrapped is not None else _with_header(text, command)


def flatten(content: JsonValue) -> str:
    """The text of a content value: a string, or items of which images keep only their place."""
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return "" if content is None else json.dumps(content, ensure_ascii=False)
    return "\n".join(_item_text(item) for item in content)


def result_of(output: Output, call: Event | None) -> Result:
    """What the output says about its call."""
    approval = _refusal(output.text) if output.bare else None
    shell = call is not None and call.kind == "command"
    if approval is not None:
        return Result(output.text, ok=False, exit_source="none" if shell else None, approval=approval)
    if not shell:
        return Result(output.text, ok=_tool_ok(output))
    if output.exit_code is None:
        return Result(output.text, ok=False if _says_failed(output) else output.success, exit_source="none")
    return Result(output.text, output.exit_code == 0, output.exit_code, "structured" if output.structured else "text")


def _item_text(item: JsonValue) -> str:
    if isinstance(item, str):
        return item
    if not isinstance(item, dict):
        return json.dumps(item, ensure_ascii=False)
    if "image" in (text_at(item, "type") or ""):
        return "[image]"
    text = item.get("text")
    return text if isinstance(text, str) else json.dumps(item, ensure_ascii=False)


def _wrapped(text: str) -> Output | None:
    """The JSON encoding: exactly an output and its metadata."""
    if not text.startswith("{") or '"metadata"' not in text:
        return None
    value = parse(text.encode("utf-8", "replace"))
    if value is None or set(value) != {"output", "metadata"}:
        return None
    code = object_at(value, "metadata").get("exit_code")
    number = code if isinstance(code, int) and not isinstance(code, bool) else None
    return Output(flatten(value["output"]), number, structured=number is not None)


def _with_header(text: str, command: str | None) -> Output:
    start, end = _header_span(text, command)
    header = text[start:end]
    if "Wall time:" not in header:
        return Output(text, bare=True)
    code, running = _EXIT.search(header), _RUNNING.search(header)
    return Output(text[end:], int(code["code"]) if code else None, session=running["session"] if running else None)


def _header_span(text: str, command: str | None) -> tuple[int, int]:
    if not text.startswith("Command: "):
        match = _HEADER.match(text)
        return match.span() if match else (0, 0)
    # The agent wrote the command, so a header inside it is no header.
    repeated = text.find(command) if command else -1
    match = _HEADER_AFTER_COMMAND.search(text, max(repeated, 0) + len(command or "") if repeated >= 0 else 0)
    return match.span() if match else (0, 0)


def _refusal(text: str) -> Approval | None:
    match = _REFUSED.match(text)
    if match is None:
        return None
    # Behind the last marker stands the reason; before it stands the command, which could say anything.
    reason = text[text.rfind('message: "Rejected(') :] if text.startswith("exec_command") else text
    return Approval(decision="denied", source="person" if _BY_PERSON.search(reason) else "policy", reason=text)


def _tool_ok(output: Output) -> bool | None:
    if output.success is not None:
        return output.success
    if output.structured:
        return output.exit_code == 0
    if script := _SCRIPT.match(output.text):
        return None if script["state"] == "running" else script["state"] == "completed"
    return False if _says_failed(output) else None


def _says_failed(output: Output) -> bool:
    return output.bare and (output.text.startswith(_FAILED) or _FAILED_CALL.match(output.text[:2000]) is not None)


def patch_changes(payload: JsonObject) -> list[str]:
    """The paths a recorded patch touched."""
    return [path for path in object_at(payload, "changes") if path]
