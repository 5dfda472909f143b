"""A call as an event, for formats that name tools freely: which tools are shells, and where their command stands."""

from __future__ import annotations

import json
import shlex

from pydantic import JsonValue

from bench.traces.lines import JsonObject, parse

_SHELLS = frozenset(
    {
        "bash",
        "container.exec",
        "exec_command",
        "execute_bash",
        "execute_command",
        "local_shell",
        "powershell",
        "run_command",
        "run_shell_command",
        "run_terminal_cmd",
        "shell",
        "shell_command",
        "terminal",
    }
)
_COMMANDS = ("command", "cmd")


def call_fields(tool: str | None, arguments: JsonValue, call: str | None) -> dict[str, object]:
    """The fields of the event: a command where the tool is a known shell and its command is recorded."""
    name, given = tool or "(no name)", arguments_of(arguments)
    fields: dict[str, object] = {"kind": "tool_call", "call": call, "tool": name, "args": given}
    key = next((key for key in _COMMANDS if given and _command(given.get(key))), None)
    if name.lower() in _SHELLS and given is not None and key is not None:
        rest = {other: value for other, value in given.items() if other != key}
        fields |= {"kind": "command", "command": _command(given[key]), "args": rest or None, "exit_source": "none"}
    return fields


def arguments_of(value: JsonValue) -> JsonObject | None:
    """Arguments as an object: written as JSON text they are read, anything else stands under ``value``."""
    if isinstance(value, str):
        found = parse(value.encode("utf-8", "replace")) if value.lstrip().startswith("{") else None
        return found if found is not None else ({"value": value} if value else None)
    if value is None or isinstance(value, dict):
        return value
    return {"value": value}


def as_text(value: JsonValue) -> str | None:
    """A result as text: content blocks give their text, anything else its JSON."""
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, list) and value and all(isinstance(item, dict) and "type" in item for item in value):
        return "\n".join(_block(item) for item in value if isinstance(item, dict))
    return json.dumps(value, ensure_ascii=False)


def _command(value: JsonValue) -> str | None:
    if isinstance(value, str):
        return value if value.strip() else None
    if isinstance(value, list) and value and all(isinstance(word, str) for word in value):
        return shlex.join(str(word) for word in value)
    return None


def _block(block: JsonObject) -> str:
    for key in ("text", "content"):
        text = block.get(key)
        if isinstance(text, str):
            return text
    return f"[{block.get('type')}]"
