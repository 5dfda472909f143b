"""The events of one session out of its spans, in the order of time."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from pydantic import JsonValue

from bench.schema.event import Event, Kind
from bench.traces.calls import as_text, call_fields
from bench.traces.otel_messages import Part, said, unflatten
from bench.traces.otel_tree import Place
from bench.traces.otlp import Attributes, moment
from bench.traces.report import ImportReport, Recorded, Session
from bench.traces.transcript import Result, Transcript, most_common

_MODELS = ("gen_ai.response.model", "llm.response.model_name", "gen_ai.request.model", "llm.model_name")
_JUDGES = {"HUMAN": "person", "LLM": "model", "CODE": "code"}


@dataclass
class OtelSession:
    """One pass over the moments of a session: every span begins and ends."""

    harness: str
    identity: str
    report: ImportReport
    transcript: Transcript = field(default_factory=Transcript)
    models: Counter[str] = field(default_factory=Counter)
    recorded: list[Recorded] = field(default_factory=list)
    _seen: Counter[tuple[str, ...]] = field(default_factory=Counter)
    _used: set[int] = field(default_factory=set)
    _first_event: dict[int, int] = field(default_factory=dict)  # place -> number of its first event

    def run(self, members: list[Place]) -> Session | None:
        """The session; nothing where its spans hold neither an event nor a label."""
        for _, _, _, index, ends in sorted(_moments(members)):
            self._moment(index, members[index], ends)
        for index, place in enumerate(members):
            self._labels(index, place)
            self._book(index, place)
        self.report.orphan_results += self.transcript.orphan_results
        if not self.transcript.events and not self.recorded:
            return None
        whole = [p for p in members if p.depth == 0 and p.role in ("agent", "chain")]
        return Session(
            self.harness,
            tuple(self.transcript.events),
            self.report,
            most_common(self.models),
            id=self.identity or None,
            query=_text(whole[0].span.attributes, "input.value") if len(whole) == 1 else None,
            answer=_text(whole[0].span.attributes, "output.value") if len(whole) == 1 else None,
            recorded=tuple(self.recorded),
        )

    def _moment(self, index: int, place: Place, ends: bool) -> None:
        before = len(self.transcript.events)
        changes = self.transcript.changes
        nanoseconds = place.span.end if ends and place.span.end is not None else place.span.start
        base = Event(kind="other", ts=moment(nanoseconds), thread=place.thread, line=place.span.line)
        if ends:
            self._ends(base, place)
        else:
            self._begins(base, place)
        if self.transcript.changes > changes:
            self._used.add(index)
        if len(self.transcript.events) > before:
            self._first_event.setdefault(index, before + 1)

    def _begins(self, base: Event, place: Place) -> None:
        attributes = place.span.attributes
        if place.role == "tool":
            self._tool(base, place)
        elif place.role in ("decision", "retriever", "guardrail"):
            self._aside(base, place)
        elif self._tells(place):
            for part in self._new(place.thread, said(place.span)[0]):
                self._part(base, part)
        if place.role == "model" and not place.in_model:
            model = next((name for key in _MODELS if (name := _text(attributes, key))), None)
            if model is not None:
                self.models[model] += 1

    def _ends(self, base: Event, place: Place) -> None:
        if not self._tells(place):
            return
        for part in said(place.span)[1]:
            self._seen[(place.thread, *part.key)] += 1
            self._part(base, part)
        if place.role == "model" and place.span.ok is False:
            told = _text(place.span.attributes, "error.type") or "no type"
            self._add(base, "system", f"error: {told}")

    def _tells(self, place: Place) -> bool:
        """Whether this span is where its messages are told: the innermost that has them, of nested calls the outer."""
        if place.role == "model":
            return not place.in_model
        return place.role in ("agent", "chain") and not place.covered

    def _new(self, thread: str, parts: list[Part]) -> list[Part]:
        """The pieces that no earlier call told: a history holds what was said, each as often as it was said."""
        found: list[Part] = []
        counted: Counter[tuple[str, ...]] = Counter()
        for part in parts:
            key = (thread, *part.key)
            counted[key] += 1
            if counted[key] > self._seen[key]:
                self._seen[key] = counted[key]
                found.append(part)
        return found

    def _part(self, base: Event, part: Part) -> None:
        if part.other_choice:
            self._add(base, "other", part.text)
        elif part.kind == "call":
            if part.call is None or self.transcript.called(part.call) is None:
                fields = call_fields(part.tool, part.arguments, part.call)
                self.transcript.add_call(base.model_copy(update=fields))
        elif part.kind == "result":
            self._answer(base, part)
        elif part.kind == "reasoning":
            self._add(base, "reasoning", part.text)
        elif part.role in ("assistant", "model", "ai"):
            self._add(base, "message", part.text)
        elif part.role == "user" and part.text.strip():
            origin = "injected" if base.thread != "main" else "unknown"
            self.transcript.add(base.model_copy(update={"kind": "prompt", "text": part.text, "origin": origin}))

    def _answer(self, base: Event, part: Part) -> None:
        """A result inside a later call's messages: the span of the tool may have told it already."""
        called = self.transcript.called(part.call)
        if called is None:
            fields = {"kind": "tool_result", "call": part.call, "output": part.text}
            self.transcript.add_orphan(base.model_copy(update=fields))
        elif not self.transcript.answer(part.call, Result(part.text)) and called.output is None:
            self.transcript.amend(part.call, Result(part.text))

    def _tool(self, base: Event, place: Place) -> None:
        attributes = place.span.attributes
        call = next(
            (t for key in ("gen_ai.tool.call.id", "tool_call.id", "tool.id") if (t := _text(attributes, key))), None
        )
        names = ("gen_ai.tool.name", "tool.name", "tool_call.function.name", "traceloop.entity.name")
        tool = next((t for key in names if (t := _text(attributes, key))), None) or place.span.name or None
        given = _first(
            attributes, "gen_ai.tool.call.arguments", "tool.parameters", "traceloop.entity.input", "input.value"
        )
        result = _ended(place, _first(attributes, "gen_ai.tool.call.result", "output.value", "traceloop.entity.output"))
        call = call or self._waiting(place.thread, tool, given)
        known = self.transcript.called(call)
        if known is None:
            call = call or f"span {place.span.id}"
            self.transcript.add_call(base.model_copy(update=call_fields(tool, given, call)))
        self.transcript.answer(call, result)

    def _waiting(self, thread: str, tool: str | None, given: JsonValue) -> str | None:
        """The id of the one unanswered call of this tool with these arguments: the span itself names none."""
        wanted = call_fields(tool, given, None)
        found = [
            event.call
            for event in self.transcript.events[-200:]
            if event.call is not None
            and (event.thread, event.tool, event.output, event.ok) == (thread, tool, None, None)
            and (given is None or (event.args, event.command) == (wanted["args"], wanted.get("command")))
        ]
        return found[0] if len(found) == 1 else None

    def _aside(self, base: Event, place: Place) -> None:
        """What the program around the agent asked of a decision model, a store or a guard: no act of the agent."""
        attributes = place.span.attributes
        noted: Attributes = {}
        for note in place.span.notes:
            noted |= note.attributes
        asked = _first(attributes, "input.value", "gen_ai.retrieval.query.text") or noted.get(
            "gen_ai.decision.questions"
        )
        told = _first(attributes, "output.value", "gen_ai.retrieval.documents") or noted.get("gen_ai.decision.answers")
        if asked is None and told is None:
            return
        fields = {"kind": "other", "tool": place.role, "text": as_text(asked), "output": as_text(told)}
        self.transcript.add(base.model_copy(update=fields))

    def _labels(self, index: int, place: Place) -> None:
        number = self._first_event.get(index)
        evidence = (number,) if number is not None else ()
        found = [
            (note.attributes, "gen_ai.evaluation.", "score.")
            for note in place.span.notes
            if note.name == "gen_ai.evaluation.result"
        ]
        for prefix, inner in (("annotations", "annotation"), ("evaluations", "evaluation")):
            for item in unflatten(place.span.attributes, prefix):
                fields = item.get(inner) if isinstance(item, dict) else None
                if isinstance(fields, dict):
                    found.append((fields, "", ""))
        for fields, prefix, score in found:
            name = _text(fields, f"{prefix}name")
            answer = fields.get(f"{prefix}{score}label") or fields.get(
                f"{prefix}{score}{'value' if score else 'score'}"
            )
            if name is None or not isinstance(answer, str | int | float):
                continue
            kind = _text(fields, "annotator_kind") or ""
            by = _JUDGES.get(kind, kind.lower() or "evaluator")
            self.recorded.append(Recorded(name, str(answer), by, evidence, _text(fields, f"{prefix}explanation")))
            self._used.add(index)

    def _book(self, index: int, place: Place) -> None:
        if index in self._used:
            self.report.used += 1
        elif place.role == "unknown":
            self.report.unknown[place.name] += 1
        else:
            self.report.skipped[place.name] += 1

    def _add(self, base: Event, kind: Kind, text: str) -> None:
        if text.strip():
            self.transcript.add(base.model_copy(update={"kind": kind, "text": text}))


def _moments(members: list[Place]) -> list[tuple[int, int, int, int, bool]]:
    """(time, what ends before what begins, outer before inner, place, whether it ends), to be sorted."""
    found: list[tuple[int, int, int, int, bool]] = []
    last = 0
    for index, place in enumerate(members):
        start = place.span.start if place.span.start is not None else last
        end = place.span.end if place.span.end is not None else start
        last = start
        found.append((start, 1, place.depth, index, False))
        # One that takes no time ends after it began.
        found.append((end, 0, -place.depth, index, True) if end > start else (start, 2, -place.depth, index, True))
    return found


def _ended(place: Place, output: JsonValue) -> Result:
    code = place.span.attributes.get("process.exit.code")
    ok = False if place.span.ok is None and _text(place.span.attributes, "error.type") else place.span.ok
    if isinstance(code, int) and not isinstance(code, bool):
        return Result(as_text(output), ok=code == 0, exit_code=code, exit_source="structured")
    return Result(as_text(output), ok=ok)


def _first(attributes: Attributes, *keys: str) -> JsonValue:
    return next((attributes[key] for key in keys if attributes.get(key) is not None), None)


def _text(attributes: Attributes, key: str) -> str | None:
    value = attributes.get(key)
    return value if isinstance(value, str) and value else None
