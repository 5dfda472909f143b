"""Which records of a Claude Code session lie on abandoned branches of its tree.

A person who goes back and types a prompt anew leaves the earlier one, with all that followed it, in the file: two prompts
with one parent. Calls made in parallel fork the tree as well, but those forks are all of one conversation: only a second
prompt abandons anything. The reader keeps every record, in file order; this tells the lines to leave out.
Sources: two of the real sessions that the tests read, and microsoft/amplifier, ai_working/claude_code_logging.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from bench.schema.event import Event
from bench.traces.claude_prompts import INTERRUPT, pieces
from bench.traces.lines import JsonObject, object_at, read_lines, text_at

_TYPED = frozenset({"human", "unknown", "plan"})


@dataclass(frozen=True)
class _Node:
    identity: str
    line: int
    typed: bool  # a prompt that starts a turn


def branches(lines: Iterable[bytes]) -> dict[int, str]:
    """Line -> ``branch:N`` for every record on an abandoned branch, N being the line of the prompt that it starts with."""
    children = _children(lines)
    prompts = [[node for node in siblings if node.typed] for siblings in children.values()]
    heads = {node.identity: node for siblings in prompts for node in siblings[:-1]}
    found: dict[int, str] = {}
    for head in heads.values():
        waiting = [head]
        while waiting:
            node = waiting.pop()
            if node.line in found or (node is not head and node.identity in heads):
                continue  # a branch within a branch has its own name
            found[node.line] = f"branch:{head.line}"
            waiting.extend(children.get(node.identity, ()))
    return found


def on_branches(events: Iterable[Event], branches: Mapping[int, str]) -> dict[int, str]:
    """Number of an event, from 1 -> its abandoned branch, for events that the lines of ``branches`` gave."""
    placed = ((number, branches.get(event.line or 0)) for number, event in enumerate(events, start=1))
    return {number: branch for number, branch in placed if branch is not None}


def _children(lines: Iterable[bytes]) -> dict[str, list[_Node]]:
    """Parent -> records, in file order. A copied record counts where it stood first."""
    children: dict[str, list[_Node]] = defaultdict(list)
    known: set[str] = set()
    for number, record, _ in read_lines(lines):
        identity = None if record is None else text_at(record, "uuid")
        if record is None or identity is None or identity in known or record.get("isSidechain") is True:
            continue
        known.add(identity)
        # Two sessions in one file have two beginnings, and none of them is abandoned.
        parent = (
            text_at(record, "parentUuid") or text_at(record, "logicalParentUuid") or f"of {record.get('sessionId')}"
        )
        children[parent].append(_Node(identity, number, _is_typed(record)))
    return children


def _is_typed(record: JsonObject) -> bool:
    if record.get("type") != "user":
        return False
    content = object_at(record, "message").get("content")
    blocks = content if isinstance(content, list) else [content]
    texts: list[str] = []
    for block in blocks:
        if isinstance(block, str):
            texts.append(block)
        elif isinstance(block, dict):
            if "tool_use_id" in block:
                return False
            texts.append(text_at(block, "text") or "[image]")
    written = [piece for text in texts if text.strip() for piece in pieces(text, record)]
    return any(piece.origin in _TYPED and not INTERRUPT.fullmatch(piece.text) for piece in written)
