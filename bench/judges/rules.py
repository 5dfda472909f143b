"""The regex baseline: a declarative rule (``*.rule.yaml``) over typed events, in CEL.

``match`` is a condition over ``e``, an event, and ``s``, what the session holds *before* it (linear: counters and the last
event of a kind, never the whole list). ``when: session_end`` asks once, after the last event, with ``e`` the last event.
Each rule carries inline tests; a rule whose tests fail does not load.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, Literal

from cel_expr_python import cel
from pydantic import Field, JsonValue

from bench.judges.contract import Item, Part, Question, Verdict, only_yes_no, yes_or_no
from bench.problems import BrokenInput, Problem, shorten
from bench.reading.strict_yaml import read_yaml
from bench.reading.validate import validate
from bench.schema.base import Id, Integer, Record, Text
from bench.schema.event import Event

VERSION = 1  # of the meaning of e and s
RULE_FOLDER = Path(__file__).parent / "rules"
_QUIET = ("system", "usage", "other", "reasoning")  # kinds that do not count as the event before


class RuleTest(Record):
    """A tiny session and what the rule must say of it."""

    name: Text
    verdict: Literal["match", "no_match", "not_applicable"]
    events: Annotated[tuple[Event, ...], Field(min_length=1)]


class Rule(Record):
    """A rule file."""

    id: Id
    version: Integer
    title: Text
    description: Text
    when: Literal["any_event", "session_end"] = "any_event"
    needs: tuple[Literal["results"], ...] = ()
    match: Text
    tests: Annotated[tuple[RuleTest, ...], Field(min_length=2)]


@dataclass(frozen=True)
class RuleJudge:
    """Yes where the rule fires; evidence is the first event it fires on."""

    rule: Rule
    receives: frozenset[Part] = frozenset({"projection"})

    @property
    def name(self) -> str:
        return f"rule:{self.rule.id}"

    def fingerprint(self) -> Mapping[str, JsonValue]:
        needs: list[JsonValue] = list(self.rule.needs)
        return {"rule": self.rule.match, "when": self.rule.when, "needs": needs, "version": VERSION}

    @cached_property
    def _condition(self) -> Any:
        return compile_condition(self.rule.match)

    def __getstate__(self) -> Mapping[str, object]:
        return {"rule": self.rule, "receives": self.receives}  # the compiled condition cannot be pickled

    def judge(self, item: Item, questions: Sequence[Question], sample: int) -> Sequence[Verdict]:
        if item.projection is None:
            verdict = Verdict(unscored="error", detail="no projection was given")
        else:
            verdict = self.apply(item.projection.events, item.projection.numbers)
        return [only_yes_no(question) or verdict for question in questions]

    def apply(self, events: Sequence[Event], numbers: Sequence[int]) -> Verdict:
        """The rule's verdict on a session."""
        if "results" in self.rule.needs and not results_are_recorded(events):
            return Verdict(unscored="not_applicable", detail="the record holds no results of calls")
        try:
            return self._scan(events, numbers)
        except _RuleError as error:
            return Verdict(unscored="error", detail=str(error))

    def _scan(self, events: Sequence[Event], numbers: Sequence[int]) -> Verdict:
        counted = _SoFar([name for name in _EVENTS_SO_FAR if name in self.rule.match])
        moments = _moments(events, counted) if self.rule.when == "any_event" else _last_moment(events, counted)
        for position, event, so_far in moments:
            if self._fires(event, so_far):
                return Verdict(yes_or_no(True), evidence=(numbers[position],))
        return Verdict(yes_or_no(False))

    def _fires(self, event: Mapping[str, JsonValue], so_far: Mapping[str, JsonValue]) -> bool:
        value = self._condition.eval(data={"e": event, "s": so_far})
        if value.type() != cel.Type.BOOL:
            raise _RuleError(
                f"the condition gives {value.type().name()}, not a truth value: {shorten(str(value.value()))}"
            )
        return bool(value.value())


class _RuleError(Exception):
    """A condition that cannot be decided on an event."""


def compile_condition(match: str) -> Any:
    """A CEL condition over e and s. Raises RuntimeError with CEL's message."""
    return cel.NewEnv(variables={"e": cel.Type.DYN, "s": cel.Type.DYN}).compile(match)


def load_rule(path: Path) -> RuleJudge:
    """Read a rule file, compile it, run its inline tests. Raises BrokenInput with every problem."""
    document = read_yaml(path, path.name)
    if isinstance(document, list):
        raise BrokenInput(document)
    rule = validate(document, Rule)
    if isinstance(rule, list):
        raise BrokenInput(rule)
    try:
        compile_condition(rule.match)
    except RuntimeError as error:
        line = document.line_of(("match",))
        message = shorten(str(error).splitlines()[0], 200)
        raise BrokenInput([Problem(path.name, line, None, "match", message, "mend the CEL expression")]) from None
    judge = RuleJudge(rule)
    failures = [(index, told) for index, told in enumerate(_test_answers(judge)) if told != rule.tests[index].verdict]
    if failures:
        raise BrokenInput(
            Problem(
                path.name,
                document.line_of(("tests", index)),
                None,
                f"tests[{index}]",
                f"the test {rule.tests[index].name!r} wants {rule.tests[index].verdict}, the rule says {told}",
                "mend the condition or the test",
            )
            for index, told in failures
        )
    return judge


def _test_answers(judge: RuleJudge) -> Iterator[str]:
    for test in judge.rule.tests:
        verdict = judge.apply(test.events, range(1, len(test.events) + 1))
        if verdict.unscored is not None:
            yield verdict.unscored if verdict.unscored == "not_applicable" else f"{verdict.unscored} ({verdict.detail})"
        else:
            yield "match" if verdict.answer == "yes" else "no_match"


def results_are_recorded(events: Sequence[Event]) -> bool:
    """Whether a record tells of any call how it ended; true where it holds no calls."""
    calls = [event for event in events if event.kind in ("tool_call", "command")]
    return not calls or any(e.output is not None or e.ok is not None or e.exit_code is not None for e in calls)


def shown_to_rule(event: Event) -> dict[str, JsonValue]:
    """An event as ``e``: every field is there (texts empty, truth values null), so that a rule needs no ``has()``."""
    values: dict[str, JsonValue] = {
        "kind": event.kind,
        "origin": event.origin or "",
        "tool": event.tool or "",
        "text": event.text or "",
        "command": event.command or "",
        "output": event.output or "",
        "exit_code": event.exit_code,
        "ok": event.ok,
        "thread": event.thread,
        "path": event.path or "",
        "denied": event.approval is not None and event.approval.decision == "denied",
        "denied_by": event.approval.source if event.approval is not None else "",
    }
    return values


_NOTHING: dict[str, JsonValue] = shown_to_rule(Event.model_construct(kind="other"))


_EVENTS_SO_FAR = ("previous", "last_command")


class _SoFar:
    """Counters of the session before an event, and those earlier events that the rule mentions: CEL copies each one
    whenever a condition looks at ``s``, and a single output may be megabytes."""

    def __init__(self, mentioned: Collection[str]) -> None:
        self.counts = dict.fromkeys(_COUNTED, 0)
        self.mentioned = mentioned
        self.events: dict[str, JsonValue] = dict.fromkeys(_EVENTS_SO_FAR, _NOTHING)

    def seen(self) -> dict[str, JsonValue]:
        return {**self.counts, **self.events}

    def add(self, event: dict[str, JsonValue]) -> None:
        for name, counts in _COUNTED.items():
            self.counts[name] += bool(counts(event))
        if event["kind"] == "command" and not event["denied"]:
            self._keep("last_command", event)
        if event["kind"] not in _QUIET and event["origin"] not in ("injected", "hook"):
            self._keep("previous", event)

    def _keep(self, name: str, event: dict[str, JsonValue]) -> None:
        if name in self.mentioned:
            self.events[name] = event


_COUNTED: dict[str, Callable[[Mapping[str, JsonValue]], object]] = {
    "events": lambda e: True,
    "prompts": lambda e: e["kind"] == "prompt" and e["origin"] == "human",
    "calls": lambda e: e["kind"] in ("tool_call", "command"),
    "commands": lambda e: e["kind"] == "command",
    "failures": lambda e: e["ok"] is False,
    "denials": lambda e: e["denied"],
    "interrupts": lambda e: e["kind"] == "interrupt",
    "compactions": lambda e: e["kind"] == "compaction",
}


_Moment = tuple[int, dict[str, JsonValue], dict[str, JsonValue]]


def _moments(events: Sequence[Event], so_far: _SoFar) -> Iterator[_Moment]:
    for position, event in enumerate(events):
        shown = shown_to_rule(event)
        yield position, shown, so_far.seen()
        so_far.add(shown)


def _last_moment(events: Sequence[Event], so_far: _SoFar) -> list[_Moment]:
    shown = _NOTHING
    for event in events:
        shown = shown_to_rule(event)
        so_far.add(shown)
    return [(len(events) - 1, shown, so_far.seen())] if events else []
