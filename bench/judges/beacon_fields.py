"""Events as the threat rules of agent-beacon see them: which of its fields an event here can fill, and how.

One event here is up to three there: a command that was refused is ``tool.invoked`` and ``approval.denied``, one that ran
is ``tool.invoked`` and ``command.executed``. A field that is absent has the zero of its type, as in the reference engine.
Fields that events here do not hold (tokens, cost, model, host, session, ``approval.required``, diffs, ...) are not in
:data:`FIELDS`: a rule that names one does not load.
Source: ``spec/threat-rules/{SPEC,FIELDS}.md`` and ``threatrules/toolresult.go`` of Asymptote-Labs/agent-beacon, v1.1.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping

from pydantic import JsonValue

from bench.schema.event import Event
from bench.traces.beacon_events import is_retained, leaves
from bench.traces.lines import JsonObject

View = dict[str, JsonValue]  # field -> value

FIELDS: Mapping[str, str | int] = {  # field -> its zero
    "timestamp": "",
    "message": "",
    "prompt.text": "",
    "event.action": "",
    "event.category": "",
    "event.fidelity": "",
    "tool.name": "",
    "tool.command": "",
    "tool.path": "",
    "gen_ai.tool.name": "",
    "gen_ai.tool.call.result_text": "",
    "command.command": "",
    "command.output": "",
    "command.exit_code": 0,
    "file.path": "",
    "mcp.server": "",
    "mcp.tool": "",
    "approval.decision": "",
    "approval.reason": "",
}
OF_RESULTS = frozenset({"gen_ai.tool.call.result_text", "command.output", "command.exit_code"})
_LIMIT = 4096  # bytes of a result that a rule sees
_PATHS = ("file_path", "filePath", "path", "notebook_path", "target_file", "AbsolutePath")
_WORD = re.compile(r"[a-z0-9]+")
_READS = frozenset({"read"})
_WRITES = frozenset({"edit", "write", "patch", "create", "applypatch", "multiedit", "notebookedit", "modified"})
_FETCHES = frozenset({"webfetch", "websearch", "fetch", "fetchurl", "readurl"})
_TYPED = frozenset({"human", "unknown", "command", "plan", "simulated"})  # origins that reach beacon as a prompt
_SCALAR = re.compile(r"true|false|null|-?\d+(\.\d+)?([eE][+-]?\d+)?")


def views(event: Event) -> Iterator[View]:
    """What beacon would have recorded of an event, in its order; nothing where it records no such thing."""
    base: View = {"timestamp": event.ts or "", "event.fidelity": event.fidelity}
    match event.kind:
        case "prompt" if event.origin in _TYPED:
            yield _of("prompt.submitted", base, {"prompt.text": event.text or ""})
        case "message":
            yield _of("agent.message", base, {"message": event.text or ""})
        case "reasoning":
            yield _of("agent.reasoning", base, {"message": event.text or ""})
        case "file":
            action = "file.created" if event.tool == "file.created" else "file.modified"
            yield _of(action, base, {"file.path": event.path or ""})
        case "approval":
            yield _decided(event, {**base, **_target(event)})
        case "command" | "tool_call":
            yield from _of_call(event, {**base, **_target(event)})
        case "compaction":
            yield _of("session.compacted", base, {})


def view_of_test(record: JsonObject) -> View:
    """An event of a rule's own test, as written there."""
    view: View = {field: _at(record, field.split("."), zero) for field, zero in FIELDS.items()}
    names = [str(view[name]) for name in ("tool.name", "gen_ai.tool.name") if view[name]]
    told = _at(record, ["gen_ai", "tool", "call", "result"], None)
    text = leaves(typed(told)) or ""
    seen = is_retained(record) and _is_ingested(str(view["event.action"]), str(view["mcp.server"]), names, view)
    view["gen_ai.tool.call.result_text"] = _cut(text) if seen else ""
    return view


def nested(view: View, mentioned: Collection[str]) -> JsonObject:
    """The fields that a rule mentions, as the object ``e``: CEL copies all of it for every condition."""
    tree: JsonObject = {}
    for field in mentioned:
        *above, last = field.split(".")
        node = tree
        for step in above:
            below = node.setdefault(step, {})
            node = below if isinstance(below, dict) else {}
        node[last] = view.get(field, FIELDS[field])
    return tree


def typed(value: JsonValue) -> JsonValue:
    """A payload read from YAML, where every scalar is text: what looks like a number or a truth value is none."""
    if isinstance(value, str):
        return None if _SCALAR.fullmatch(value) else value
    if isinstance(value, dict):
        return {key: typed(inner) for key, inner in value.items()}
    return [typed(inner) for inner in value] if isinstance(value, list) else value


def _of_call(event: Event, base: View) -> Iterator[View]:
    yield _of("tool.invoked", base, {})
    if event.approval is not None:
        yield _decided(event, base)
        if event.approval.decision == "denied":
            return
    if event.kind == "command":
        ended: View = {"command.output": event.output or "", "command.exit_code": event.exit_code or 0}
        yield _of("command.executed", base, ended)
        return
    action = _action(event, base)
    if action is not None:
        names = [event.tool or ""]
        seen = _is_ingested(action, str(base.get("mcp.server", "")), names, base)
        text = _cut(event.output or "") if seen else ""
        yield _of(action, base, {"gen_ai.tool.call.result_text": text})


def _action(event: Event, base: View) -> str | None:
    """What beacon calls the end of a call; nothing where the record does not say that it ended."""
    if event.ok is False:
        return "tool.failed"
    if base.get("mcp.server"):
        return "mcp.tool_invoked"
    words = set(_WORD.findall((event.tool or "").lower()))
    if words & _READS:
        return "file.read"
    if base.get("file.path") and words & _WRITES:
        return "file.modified"
    return "tool.completed" if event.output is not None or event.ok is not None else None


def _target(event: Event) -> View:
    """What a call or a decision is about."""
    tool, path = event.tool or "", event.path or ""
    for key in _PATHS:
        value = (event.args or {}).get(key)
        path = path or (value if isinstance(value, str) else "")
    view: View = {"tool.name": tool, "gen_ai.tool.name": tool, "tool.path": path, "file.path": path}
    if event.command is not None:
        view |= {"command.command": event.command, "tool.command": event.command}
    if tool.startswith("mcp__"):
        _, server, *rest = tool.split("__")
        view |= {"mcp.server": server, "mcp.tool": "__".join(rest)}
    return view


def _decided(event: Event, base: View) -> View:
    approval = event.approval
    denied = approval is not None and approval.decision == "denied"
    reason = approval.reason if approval is not None else None
    about: View = {"approval.decision": "denied" if denied else "allowed", "approval.reason": reason or ""}
    return _of("approval.denied" if denied else "approval.allowed", base, about)


def _of(action: str, base: View, more: View) -> View:
    return {**base, **more, "event.action": action, "event.category": action.partition(".")[0]}


def _is_ingested(action: str, server: str, names: list[str], view: View) -> bool:
    """Whether a result came from outside the agent: only such text is shown as ``result_text``."""
    if action in ("file.read", "mcp.tool_invoked") or server or view.get("mcp.tool"):
        return True
    folded = [re.sub("[_-]", "", name.lower()) for name in names]
    outside = any(name in _FETCHES for name in folded) or any(n.lower().startswith(("mcp__", "mcp:")) for n in names)
    return outside or str(view.get("tool.path", "")).startswith(("http://", "https://"))


def _cut(text: str) -> str:
    return text.encode("utf-8", "replace")[:_LIMIT].decode("utf-8", "ignore")


def _at(record: JsonValue, path: list[str], zero: JsonValue) -> JsonValue:
    for step in path:
        record = record.get(step) if isinstance(record, dict) else None
    if isinstance(zero, int):
        whole = isinstance(record, str) and re.fullmatch(r"-?\d{1,9}", record)
        return int(str(record)) if whole else zero
    if zero is None:
        return record
    return record if isinstance(record, str) else zero
