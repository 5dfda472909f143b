"""The projection as plain text, for people and for judges that read text."""

from __future__ import annotations

import json

from bench.projection.view import Projection, gaps
from bench.schema.event import Event


def render(projection: Projection) -> str:
    """One block an event, with its number; what is missing is said where it is missing."""
    missing = dict(gaps(projection))
    blocks = [f"query: {projection.query}", f"harness: {projection.harness}"]
    for position, (number, event) in enumerate(zip(projection.numbers, projection.events, strict=True)):
        if position in missing:
            blocks.append(f"[... {missing[position]} events cut ...]")
        blocks.append(render_event(number, event))
    if len(projection.events) in missing:
        blocks.append(f"[... {missing[len(projection.events)]} events cut ...]")
    if projection.answer is not None:
        blocks.append(f"final answer: {projection.answer}")
    return "\n".join(blocks) + "\n"


def render_event(number: int, event: Event) -> str:
    """One event: a head line with number, kind and facts, then its texts, indented."""
    lines = [f"#{number} {' '.join(_head(event))}"]
    if event.args:
        lines += _indented("args", json.dumps(event.args, ensure_ascii=False, sort_keys=True))
    for name in ("command", "text", "output"):
        value = getattr(event, name)
        if value:
            lines += _indented(name, value)
    return "\n".join(lines)


def _head(event: Event) -> list[str]:
    facts: list[str] = [event.kind]
    if event.origin is not None:
        facts.append(f"origin={event.origin}")
    if event.thread != "main":
        facts.append(f"thread={event.thread}")
    if event.tool is not None:
        facts.append(f"tool={event.tool}")
    if event.path is not None:
        facts.append(f"path={event.path}")
    if event.exit_code is not None:
        facts.append(f"exit={event.exit_code}({event.exit_source})")
    elif event.ok is not None:
        facts.append("ok" if event.ok else "failed")
    if event.approval is not None:
        by = event.approval
        facts.append(f"{by.decision} by {by.source}" + (f": {' '.join(by.reason.split())}" if by.reason else ""))
    return facts


def _indented(name: str, value: str) -> list[str]:
    return [f"  {name}:"] + [f"    {line}" for line in value.splitlines()]
