"""The projection as plain text, for people and for judges that read text.

Text of a session cannot pose as another part of the rendering: its lines are indented under the event they belong to, and
what a terminal would obey or hide (control characters, bidi marks, invisible characters) is written as an escape.
"""

from __future__ import annotations

import json

from bench.projection.view import Projection, gaps
from bench.schema.event import Event

# Joiners (U+200C, U+200D), tab and line feed stay: scripts, emoji and layout need them.
_UNSEEN = (
    (0x00, 0x08),  # controls
    (0x0B, 0x1F),
    (0x7F, 0x9F),
    (0xAD, 0xAD),  # soft hyphen
    (0x61C, 0x61C),  # bidi mark
    (0x180E, 0x180E),
    (0x200B, 0x200B),  # zero-width space
    (0x200E, 0x200F),  # bidi marks
    (0x2028, 0x202E),  # line and paragraph separators, bidi embeddings
    (0x2060, 0x206F),  # invisible operators, bidi isolates
    (0xD800, 0xDFFF),  # lone surrogates, which no file can hold
    (0xFEFF, 0xFEFF),
    (0xFFF9, 0xFFFB),
    (0xE0000, 0xE007F),  # tags: ASCII that nobody sees
)


def render(projection: Projection) -> str:
    """One block an event, with its number; what is missing is said where it is missing."""
    missing = dict(gaps(projection))
    before, after = _frame(projection.query, projection.harness, projection.answer)
    blocks = [*before]
    for position, (number, event) in enumerate(zip(projection.numbers, projection.events, strict=True)):
        if position in missing:
            blocks.append(render_gap(missing[position]))
        blocks.append(render_event(number, event))
    if len(projection.events) in missing:
        blocks.append(render_gap(missing[len(projection.events)]))
    return "\n".join([*blocks, *after]) + "\n"


def render_gap(count: int) -> str:
    """The line that stands for events that are not shown."""
    return f"[... {count} events cut ...]"


def render_frame(query: str, harness: str, answer: str | None) -> str:
    """What is rendered around the events."""
    before, after = _frame(query, harness, answer)
    return "\n".join([*before, *after]) + "\n"


def _frame(query: str, harness: str, answer: str | None) -> tuple[list[str], list[str]]:
    before = [f"query: {_hanging(query)}", f"harness: {_one_line(harness)}"]
    return before, [] if answer is None else [f"final answer: {_hanging(answer)}"]


def render_event(number: int, event: Event) -> str:
    """One event: a head line with number, kind and facts, then its texts, indented."""
    lines = [f"#{number} {' '.join(event_facts(event))}"]
    for name, value in event_texts(event):
        lines += _indented(name, value)
    return "\n".join(lines)


def event_texts(event: Event) -> list[tuple[str, str]]:
    """What an event holds at length, by name, as it was recorded: nothing is escaped yet."""
    texts = [("args", json.dumps(event.args, ensure_ascii=False, sort_keys=True))] if event.args else []
    return texts + [(name, value) for name in ("command", "text", "output") if (value := getattr(event, name))]


def event_facts(event: Event) -> list[str]:
    """Its kind, then what is known of it in a word, each on one line and escaped."""
    facts: list[str] = [event.kind]
    if event.origin is not None:
        facts.append(f"origin={event.origin}")
    if event.thread != "main":
        facts.append(f"thread={_one_line(event.thread)}")
    if event.tool is not None:
        facts.append(f"tool={_one_line(event.tool)}")
    if event.path is not None:
        facts.append(f"path={_one_line(event.path)}")
    if event.exit_code is not None:
        facts.append(f"exit={event.exit_code}({event.exit_source})")
    elif event.ok is not None:
        facts.append("ok" if event.ok else "failed")
    if event.outcome is not None:
        facts.append(f"result={event.outcome}")
    if event.approval is not None:
        by = event.approval
        facts.append(f"{by.decision} by {by.source}" + (f": {_one_line(by.reason)}" if by.reason else ""))
    return facts


def _indented(name: str, value: str) -> list[str]:
    return [f"  {name}:"] + [f"    {line}" for line in _lines(value)]


def _hanging(value: str) -> str:
    return "\n    ".join(_lines(value))


def _one_line(value: str) -> str:
    return escape(" ".join(value.split()))


def _lines(value: str) -> list[str]:
    """Its lines as a terminal would show them, escaped; an escape is no end of a line."""
    text = value.replace("\r\n", "\n")
    return escape(text[:-1] if text.endswith("\n") else text).split("\n")


def escape(text: str) -> str:
    """The text with every character that a terminal obeys or hides written as ``\\x1b``, ``\\u202e`` or ``\\U000e0041``."""
    return text.translate(_ESCAPES)


def _escaped(code: int) -> str:
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


_ESCAPES = {code: _escaped(code) for first, last in _UNSEEN for code in range(first, last + 1)}
