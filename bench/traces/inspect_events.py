"""The events of one sample of an Inspect log, in the order of its transcript.

Every model event repeats the conversation so far; what is new in it is told once. A call, its approval, its result and
the exit code of the command that its tool ran in the sandbox are one event.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from pydantic import JsonValue

from bench.schema.event import Event, Origin
from bench.traces.calls import call_fields
from bench.traces.documents import entries
from bench.traces.gatherer import Gatherer
from bench.traces.inspect_calls import SampleCalls
from bench.traces.inspect_content import Spans, attachments_of
from bench.traces.lines import JsonObject, list_at, object_at, text_at
from bench.traces.report import ImportReport
from bench.traces.transcript import account, moment_of

_ORIGINS: dict[JsonValue, Origin] = {"input": "injected", "operator": "human"}  # others may be a solver's or simulated
_SILENT = frozenset(
    {
        "anchor", "branch", "checkpoint", "info", "logger", "review", "sample_init", "score", "score_edit", "sentinel",
        "span_begin", "span_end", "state", "step", "store",
    }
)  # fmt: skip
_EVENTS = frozenset(
    {"approval", "compaction", "error", "input", "interrupt", "model", "sample_limit", "sandbox", "subtask", "tool"}
)
_ASIDE = frozenset(
    {"model (scoring)", "sandbox (harness)", "sandbox/read_file", "approval (escalated)", "approval/result"}
)
_ROLES = frozenset({"system", "user", "assistant", "tool"})
KNOWN = _SILENT | _EVENTS | _ASIDE | {f"message/{role}" for role in _ROLES}
# A hostile log could refer to its pool any number of times: messages looked at again, and new ones of a model event.
_MOST_REPEATED, _NEW, _SPARE = 5_000_000, 4, 100


class SampleEvents:
    """One pass over the events of a sample."""

    def __init__(self, sample: JsonObject, report: ImportReport) -> None:
        self.gathered = Gatherer(report)
        self.attachments = attachments_of(sample)
        self._report = report
        self._messages = list_at(sample, "messages")
        self._pool = list_at(object_at(sample, "events_data"), "messages") or list_at(sample, "message_pool")
        self._final = {_identity(message) for message in self._messages} - {None}
        self._spans = Spans()
        self._calls = SampleCalls(self.gathered, self.attachments, self._spans)
        self._keys: dict[object, int] = {}
        self._pooled: dict[int, int] = {}  # what model events look at again and again
        self._said: Counter[tuple[str, int]] = Counter()  # thread and message
        self._ids: set[str] = set()
        self._pooled = {id(message): self._key(message) for message in self._pool if isinstance(message, dict)}
        self._within: list[str | None] = []  # calls whose own events are being read, in logs before spans
        self._looked_at = 0
        self._left = _SPARE + len(self._pool) + len(self._messages)  # messages that may still be told

    def read(self, events: list[JsonValue]) -> None:
        """Take the events; then, of the final messages, those that no event told."""
        transcript = self.gathered.transcript
        account(entries(events), self._report, transcript, self.take, KNOWN)
        told = bool(self._said)
        if told and None in (_identity(message) for message in self._messages):
            return  # messages without ids may be edited copies of what was told
        base = Event(kind="other")
        counts: Counter[int] = Counter()
        for line in entries(self._messages):
            if line.record is None or self._is_new(base.thread, line.record, counts, by_id=True):
                account([line], self._report, transcript, lambda _, message: self._tell(base, message), KNOWN)

    def take(self, line: int, event: JsonObject) -> str:
        """Turn one event of the log into events, and say what it was."""
        name = text_at(event, "event") or "(no event)"
        if name in ("model", "sandbox", "approval", "tool", "subtask"):
            return self._agent_event(name, event)
        base = self._base(event)
        match name:
            case "span_begin":
                self._spans.begin(event)
            case "step":
                self._spans.step(event)
            case "compaction":
                self.gathered.transcript.add(base.model_copy(update={"kind": "compaction"}))
            case "interrupt":
                kind = "interrupt" if event.get("source") == "user_cancel" else "system"
                text = f"interrupted by {text_at(event, 'source') or 'an unknown source'}"
                self.gathered.say(base, kind, text)  # type: ignore[arg-type]
            case "sample_limit":
                kind = "interrupt" if event.get("type") == "operator" else "system"
                self.gathered.say(base, kind, text_at(event, "message") or "limit")  # type: ignore[arg-type]
            case "error":
                self.gathered.say(base, "system", f"error: {text_at(object_at(event, 'error'), 'message') or ''}")
            case "input":
                self.gathered.say(base, "other", self.attachments.text(event.get("input")))
        return name

    def _agent_event(self, name: str, event: JsonObject) -> str:
        match name:
            case "model":
                return self._model(event)
            case "sandbox":
                return self._calls.sandbox(self._base(event), event, self._within[-1] if self._within else None)
            case "approval":
                return self._calls.approval(self._base(event), event)
            case "tool" if not self._spans.is_scoring(event):
                self._calls.tool(self._base(event), event)
                self._nested(text_at(event, "id"), event)
            case _:
                self._nested(None, event)
        return name

    def _nested(self, call: str | None, event: JsonObject) -> None:
        """In logs before spans a tool's own events stand inside of its event."""
        self._within.append(call)
        nested = entries(list_at(event, "events"))
        account(nested, self._report, self.gathered.transcript, self.take, KNOWN)
        self._within.pop()

    def _base(self, event: JsonObject) -> Event:
        return Event(kind="other", ts=moment_of(event.get("timestamp")), thread=self._spans.thread(event))

    def _model(self, event: JsonObject) -> str:
        if self._spans.is_scoring(event):
            return "model (scoring)"
        output = object_at(event, "output")
        first = next(iter(list_at(output, "choices")), None)
        message = object_at(first, "message") if isinstance(first, dict) else {}
        base = self._base(event)
        base = base.model_copy(update={"thread": self._speaker(event, message, base.thread)})
        self._hear(base, self._input(event))
        ended = base.model_copy(update={"ts": moment_of(event.get("completed")) or base.ts})
        if message:
            self._tell(ended, {**message, "role": "assistant"})
            if base.thread == "main" and (model := text_at(output, "model") or text_at(event, "model")):
                self.gathered.models[model] += 1
        if error := text_at(event, "error"):
            self.gathered.say(ended, "system", f"model error: {error}")
        return "model"

    def _speaker(self, event: JsonObject, message: JsonObject, thread: str) -> str:
        """Models beside the agent's (a critic, a simulated user, one inside of a tool) are threads of their own."""
        if text_at(message, "id") in self._final:
            return "main"
        beside = (self._within[-1] if self._within else None) or text_at(event, "role")
        return f"sub:{beside}" if thread == "main" and beside else thread

    def _input(self, event: JsonObject) -> Iterable[JsonValue]:
        found = list(list_at(event, "input"))
        self._left += len(found) + _NEW
        self._look(len(found))
        for reference in list_at(event, "input_refs") if not found else ():
            edges = [edge for edge in reference if type(edge) is int] if isinstance(reference, list) else []
            if len(edges) == 2:
                start, end = (min(max(0, edge), len(self._pool)) for edge in edges)
                self._look(end - start)
                found.extend(self._pool[start:end])
        return found

    def _look(self, count: int) -> None:
        self._looked_at += max(0, count)
        if self._looked_at > _MOST_REPEATED:
            raise ValueError(f"its model events repeat more than {_MOST_REPEATED} messages")

    def _hear(self, base: Event, messages: Iterable[JsonValue]) -> None:
        counts: Counter[int] = Counter()
        for message in messages:
            if isinstance(message, dict) and self._is_new(base.thread, message, counts):
                self._tell(base, message)

    def _is_new(self, thread: str, message: JsonObject, counts: Counter[int], by_id: bool = False) -> bool:
        """Equal messages are told as often as they occur; a pool may give equal ones the id of the first."""
        key = self._key(message)
        counts[key] += 1
        if counts[key] <= self._said[thread, key]:
            return False
        role = text_at(message, "role")
        if role == "tool" and text_at(message, "tool_call_id") in self._calls.answered:
            return False
        by_id = by_id or role == "assistant" or thread != "main"
        return not (by_id and text_at(message, "id") in self._ids)

    def _key(self, message: JsonObject) -> int:
        """The same number for equal messages."""
        if id(message) in self._pooled:
            return self._pooled[id(message)]
        calls = tuple(str(call.get("id")) for call in list_at(message, "tool_calls") if isinstance(call, dict))
        text = self.attachments.text(message.get("content"))
        key = (text_at(message, "role"), text_at(message, "tool_call_id"), text, calls)
        return self._keys.setdefault(key, len(self._keys))

    def _tell(self, base: Event, message: JsonObject) -> str:
        self._left -= 1
        if self._left < 0:
            raise ValueError("its model events refer to more messages than its conversation can hold")
        self._said[base.thread, self._key(message)] += 1
        if identity := text_at(message, "id"):
            self._ids.add(identity)
        role = text_at(message, "role") or "(no role)"
        match role:
            case "system":
                self.gathered.say(base, "system", self.attachments.text(message.get("content")))
            case "user":
                text, origin = self.attachments.text(message.get("content")), _origin(message)
                if text.strip():
                    prompt = {"kind": "prompt", "text": text, "origin": origin}
                    self.gathered.transcript.add(base.model_copy(update=prompt))
            case "assistant":
                self._assistant(base, message)
            case "tool":
                call, tool = text_at(message, "tool_call_id"), text_at(message, "function")
                self._calls.answer(base, call, tool, message, "content")
        return f"message/{role}"

    def _assistant(self, base: Event, message: JsonObject) -> None:
        content = message.get("content")
        for block in content if isinstance(content, list) else [content]:
            if isinstance(block, dict) and block.get("type") == "reasoning":
                thought = block.get("summary") if block.get("redacted") is True else block.get("reasoning")
                self.gathered.say(base, "reasoning", self.attachments.text(thought))
            elif isinstance(block, dict) and block.get("type") == "tool_use":
                self._served(base, block)
            else:
                text: JsonValue = [block] if isinstance(block, dict) else block
                self.gathered.say(base, "message", self.attachments.text(text))
        for call in list_at(message, "tool_calls"):
            if isinstance(call, dict):
                arguments = self.attachments.resolve(object_at(call, "arguments"))
                self.gathered.call(base, call_fields(text_at(call, "function"), arguments, text_at(call, "id")))

    def _served(self, base: Event, block: JsonObject) -> None:
        """A tool that ran at the model's provider: call and result are one block."""
        arguments = self.attachments.resolve(block.get("arguments"))
        position = self.gathered.call(base, call_fields(text_at(block, "name"), arguments, text_at(block, "id")))
        error = text_at(block, "error")
        output = "\n".join(text for text in (self.attachments.text(block.get("result")), error or "") if text)
        self.gathered.fill(position, {"output": output, "ok": error is None})


def _identity(message: JsonValue) -> str | None:
    return text_at(message, "id") if isinstance(message, dict) else None


def _origin(message: JsonObject) -> Origin:
    source = message.get("source")
    return _ORIGINS.get(source, "unknown") if isinstance(source, str) else "unknown"
