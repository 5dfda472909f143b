"""What the spans of one trace are, and how they lie in each other."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from bench.traces.otel_messages import said
from bench.traces.otlp import Span

Role = Literal["model", "tool", "agent", "chain", "decision", "retriever", "guardrail", "silent", "unknown", "foreign"]

_BY_KIND: dict[str, Role] = {  # openinference.span.kind
    "LLM": "model",
    "TOOL": "tool",
    "AGENT": "agent",
    "CHAIN": "chain",
    "DECISION": "decision",
    "RETRIEVER": "retriever",
    "GUARDRAIL": "guardrail",
    "EMBEDDING": "silent",
    "RERANKER": "silent",
    "EVALUATOR": "silent",
    "PROMPT": "silent",
}
_BY_OPERATION: dict[str, Role] = {  # gen_ai.operation.name
    "chat": "model",
    "text_completion": "model",
    "generate_content": "model",
    "execute_tool": "tool",
    "invoke_agent": "agent",
    "invoke_workflow": "chain",
    "decision": "decision",
    "retrieval": "retriever",
    "create_agent": "silent",
    "embeddings": "silent",
    "plan": "silent",
}
_BY_TRACELOOP: dict[str, Role] = {"workflow": "chain", "task": "chain", "agent": "agent", "tool": "tool"}
_OF_MODELS = ("gen_ai.request.model", "gen_ai.system", "gen_ai.provider.name", "llm.request.type")


@dataclass
class Place:
    """A span in its trace."""

    span: Span
    role: Role
    name: str  # for the books
    depth: int = 0
    thread: str = "main"
    in_model: bool = False  # a model call inside a model call: two libraries recorded one call
    covered: bool = False  # model calls inside it carry what was said
    speaks: bool = False  # a model call that carries what was said
    agent_above: bool = False  # it is an agent, or lies in one


def places(spans: Iterable[Span]) -> list[Place]:
    """The spans of one trace, parents before their children. A cycle of parents, which no tracer writes, is cut."""
    found = [Place(span, *role_of(span)) for span in spans]
    for place in found:
        place.agent_above = place.role == "agent"
        place.speaks = place.role == "model" and any(said(place.span))
    children: dict[str, list[int]] = defaultdict(list)
    known = {place.span.id for place in found if place.span.id}
    roots: list[int] = []
    for index, place in enumerate(found):
        parent = place.span.parent
        (children[parent] if parent in known and parent != place.span.id else roots).append(index)
    order = _walk(found, children, roots)
    for above, index in reversed(order):
        if above is not None and (found[index].speaks or found[index].covered):
            found[above].covered = True
    return [found[index] for _, index in order]


def role_of(span: Span) -> tuple[Role, str]:
    """What the span records, and its name in the books."""
    kind = span.attributes.get("openinference.span.kind")
    operation = span.attributes.get("gen_ai.operation.name")
    loop = span.attributes.get("traceloop.span.kind")
    if isinstance(kind, str):
        return _BY_KIND.get(kind.upper(), "unknown"), f"{kind[:40]} span"
    if isinstance(operation, str):
        return _BY_OPERATION.get(operation, "silent" if "memory" in operation else "unknown"), f"{operation[:40]} span"
    if isinstance(loop, str):
        return _BY_TRACELOOP.get(loop, "unknown"), f"{loop[:40]} span"
    if any(name in span.attributes for name in _OF_MODELS):
        return "model", "model span"
    return "foreign", "span of no agent"


def _walk(found: list[Place], children: dict[str, list[int]], roots: list[int]) -> list[tuple[int | None, int]]:
    order: list[tuple[int | None, int]] = []
    placed: set[int] = set()
    for root in [*roots, *range(len(found))]:  # what no root leads to lies in a cycle
        waiting: list[tuple[int | None, int]] = [(None, root)] if root not in placed else []
        while waiting:
            parent, index = waiting.pop()
            if index in placed:
                continue
            placed.add(index)
            order.append((parent, index))
            if parent is not None:
                _inherit(found[parent], found[index])
            waiting.extend((index, child) for child in reversed(children.get(found[index].span.id, [])))
    return order


def _inherit(parent: Place, child: Place) -> None:
    child.depth = parent.depth + 1
    child.in_model = parent.in_model or (parent.role == "model" and parent.speaks)
    child.thread = parent.thread
    if child.role == "agent" and parent.agent_above:
        child.thread = f"sub:{child.span.id or 'unknown'}"
    child.agent_above = child.agent_above or parent.agent_above
