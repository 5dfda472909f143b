"""What stands inside the samples of an Inspect log: attachments, the text of messages, spans, scores."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from pydantic import JsonValue

from bench.traces.calls import as_text
from bench.traces.lines import JsonObject, list_at, object_at, text_at
from bench.traces.report import Recorded
from bench.traces.rewards import UNSCORED, answer_of

_REFERENCES = ("attachment://", "tc://")  # the second until 2024
_MOST_SPANS = 500  # on the way up from an event: far above any real nesting


@dataclass(frozen=True)
class Attachments:
    """Long texts that a sample keeps apart, once each."""

    texts: JsonObject

    def resolve(self, value: JsonValue) -> JsonValue:
        """The value with every reference replaced; one that leads nowhere stays as it is."""
        if isinstance(value, str):
            return self._resolved(value)
        if isinstance(value, list):
            return [self.resolve(item) for item in value]
        if isinstance(value, dict):
            return {key: self.resolve(item) for key, item in value.items()}
        return value

    def text(self, content: JsonValue) -> str:
        """Content as one text, of a message or a result."""
        return as_text(self.resolve(content)) or ""

    def _resolved(self, text: str) -> str:
        for protocol in _REFERENCES:
            if text.startswith(protocol):
                found = self.texts.get(text.removeprefix(protocol))
                return found if isinstance(found, str) else text
        return text


def attachments_of(sample: JsonObject) -> Attachments:
    return Attachments(object_at(object_at(sample, "transcript"), "content") | object_at(sample, "attachments"))


@dataclass(frozen=True)
class _Span:
    parent: str | None
    type: str
    name: str


@dataclass
class Spans:
    """The nested parts of a sample's run: solvers, agents, tools, scorers. Older logs have steps, which only nest."""

    _known: dict[str, _Span] = field(default_factory=dict)
    _unclaimed: dict[str, list[str]] = field(default_factory=dict)  # tool spans by name, whose call comes next
    _calls: dict[str, str] = field(default_factory=dict)  # tool span -> call
    _scoring_steps: int = 0

    def begin(self, event: JsonObject) -> None:
        identity, type_, name = text_at(event, "id"), text_at(event, "type") or "", text_at(event, "name") or ""
        if identity is not None:
            self._known[identity] = _Span(text_at(event, "parent_id"), type_, name)
            if type_ == "tool":
                self._unclaimed.setdefault(name, []).append(identity)

    def step(self, event: JsonObject) -> None:
        if text_at(event, "type") == "scorer":
            self._scoring_steps += 1 if event.get("action") == "begin" else -1

    def claim(self, tool: str, call: str) -> None:
        """A tool's span begins right before the event of its call, which is filed outside of it."""
        if waiting := self._unclaimed.get(tool):
            self._calls[waiting.pop()] = call

    def call_at(self, event: JsonObject) -> str | None:
        """The call that an event belongs to."""
        tools = (identity for identity, span in self._path(event) if span.type == "tool")
        return self._calls.get(next(tools, ""))

    def is_within(self, event: JsonObject, types: frozenset[str]) -> bool:
        return any(span.type in types for _, span in self._path(event))

    def is_scoring(self, event: JsonObject) -> bool:
        return self._scoring_steps > 0 or self.is_within(event, frozenset({"scorer", "scorers"}))

    def thread(self, event: JsonObject) -> str:
        """An agent that another agent or a tool started is a thread of its own."""
        agent: str | None = None
        for identity, span in self._path(event):
            if agent is not None and span.type in ("agent", "tool", "handoff"):
                return f"sub:{agent}"
            if agent is None and span.type == "agent":
                agent = identity
        return "main"

    def _path(self, event: JsonObject) -> Iterator[tuple[str, _Span]]:
        identity = text_at(event, "span_id")
        for _ in range(_MOST_SPANS):
            span = self._known.get(identity) if identity is not None else None
            if identity is None or span is None:
                return
            yield identity, span
            identity = span.parent if span.parent != identity else None


def scores_of(sample: JsonObject, attachments: Attachments) -> tuple[Recorded, ...]:
    """Every score by the name of its scorer, and the target of the data set."""
    scores = object_at(sample, "scores")
    if not scores and isinstance(sample.get("score"), dict):  # logs of version 1 have one, without a name
        scores = {"score": sample["score"]}
    found = [_score(name, score, attachments) for name, score in scores.items() if isinstance(score, dict)]
    target = sample.get("target")
    if isinstance(target, str | list) and target:
        text = target if isinstance(target, str) else answer_of(target[0] if len(target) == 1 else target)
        found.append(Recorded("target", text, "dataset"))
    return tuple(found)


def _score(name: str, score: JsonObject, attachments: Attachments) -> Recorded:
    """A score without a value (NaN in the log) is unscored; the last edit of a score tells who gave it."""
    answer = answer_of(attachments.resolve(score.get("value")))
    history = [edit for edit in list_at(score, "history") if isinstance(edit, dict)]
    editor = text_at(object_at(history[-1], "provenance"), "author") if history else None
    reason = text_at(score, "reason") or text_at(object_at(score, "metadata"), "unscored_reason")
    notes = [
        f"edited by {editor}" if editor else None,
        reason if answer == UNSCORED or reason else None,
        attachments.text(score.get("explanation")) or None,
    ]
    detail = ": ".join(note for note in notes if note)
    return Recorded(name, answer, "person" if editor else "scorer", detail=detail or None)
