"""The threat rules of agent-beacon (``*.rule.yaml``, spec threat-rules/v1.1) as judges.

Such a rule is a CEL condition over one event ``e`` (``match``), or several in one session within a time (``correlation``).
Its own tests run when it is loaded, twice: on the events as they are written, which tells whether the rule and its tests
agree, and on the same events as events here, which tells whether events here can carry what the rule looks at. A rule that
names a field which they do not hold does not load; the error names the rule, the line and the field.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field, JsonValue

from bench.judges.beacon_fields import OF_RESULTS, View, nested, view_of_test, views
from bench.judges.beacon_match import ConditionError, any_order, compiled, in_sequence, mentioned, seconds_of, window_of
from bench.judges.contract import Item, Part, Question, Verdict, only_yes_no, yes_or_no
from bench.judges.rules import RuleJudge, load_rule, results_are_recorded
from bench.problems import BrokenInput, Problem, shorten
from bench.reading.strict_yaml import Document, read_yaml
from bench.reading.validate import validate
from bench.schema.base import Integer, Record, Text
from bench.schema.event import Event
from bench.traces.beacon_events import told_by_log
from bench.traces.beacon_session import BeaconSession
from bench.traces.report import ImportReport
from bench.traces.transcript import moment_of

VERSION = 1  # of what the fields of e mean here
_MARKS = frozenset({"severity", "posture", "emit"})  # fields that every rule of beacon has and none of ours

RuleId = Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9-]*$", max_length=100)]
Spec = Annotated[str, Field(pattern=r"^threat-rules/v1(\.[01])?$")]


class Step(Record):
    """One step of a correlation."""

    id: Text
    match: Text


class Correlation(Record):
    """Steps that must all be met in one session, in their order or in any, within a window of time."""

    scope: Literal["session"]
    window: Text
    order: Literal["sequence", "any"] = "sequence"
    steps: Annotated[tuple[Step, ...], Field(min_length=2)]


class Emit(Record):
    """What a finding says."""

    reason: Text


class InlineTest(Record):
    """A rule's own test: events in beacon's shape and the verdict on them."""

    name: Text
    verdict: Literal["match", "no_match"]
    events: Annotated[tuple[dict[str, JsonValue], ...], Field(min_length=1)]


class BeaconRule(Record):
    """A rule file of beacon."""

    id: RuleId
    version: Integer
    spec: Spec = "threat-rules/v1"
    title: Text
    description: str | None = None
    severity: Literal["info", "low", "medium", "high", "critical"]
    status: Literal["experimental", "stable", "deprecated"]
    posture: Literal["detect", "enforce-capable"]
    taxonomy: dict[str, str] | None = None
    match: Text | None = None
    correlation: Correlation | None = None
    emit: Emit
    tests: Annotated[tuple[InlineTest, ...], Field(min_length=1)]

    @property
    def conditions(self) -> tuple[tuple[tuple[str | int, ...], str], ...]:
        """(where it stands, CEL) of every condition."""
        if self.correlation is not None:
            steps = enumerate(self.correlation.steps)
            return tuple((("correlation", "steps", index, "match"), step.match) for index, step in steps)
        return ((("match",), self.match or ""),)


@dataclass(frozen=True)
class BeaconRuleJudge:
    """Yes where the rule fires on the session; evidence is the events that met it."""

    rule: BeaconRule
    receives: frozenset[Part] = frozenset({"projection"})

    @property
    def name(self) -> str:
        return f"rule:{self.rule.id}"

    def fingerprint(self) -> Mapping[str, JsonValue]:
        correlation = self.rule.correlation
        return {
            "rule": [text for _, text in self.rule.conditions],
            "window": correlation.window if correlation is not None else None,
            "order": correlation.order if correlation is not None else None,
            "fields": VERSION,
        }

    @cached_property
    def _programs(self) -> tuple[Any, ...]:
        return tuple(compiled(text) for _, text in self.rule.conditions)

    @cached_property
    def fields(self) -> tuple[str, ...]:
        """The fields of ``e`` that the rule looks at."""
        return tuple(sorted({field for _, text in self.rule.conditions for field in mentioned(text)}))

    def __getstate__(self) -> Mapping[str, object]:
        return {"rule": self.rule, "receives": self.receives}  # a compiled condition cannot be pickled

    def judge(self, item: Item, questions: Sequence[Question], sample: int) -> Sequence[Verdict]:
        if item.projection is None:
            verdict = Verdict(unscored="error", detail="no projection was given")
        else:
            verdict = self.apply(item.projection.events, item.projection.numbers)
        return [only_yes_no(question) or verdict for question in questions]

    def apply(self, events: Sequence[Event], numbers: Sequence[int]) -> Verdict:
        """The rule's verdict on a session."""
        if OF_RESULTS & set(self.fields) and not results_are_recorded(events):
            return Verdict(unscored="not_applicable", detail="the record holds no results of calls")
        seen = [(number, view) for number, event in zip(numbers, events, strict=True) for view in views(event)]
        try:
            found = self.met_by([view for _, view in seen])
        except ConditionError as error:
            return Verdict(unscored="error", detail=str(error))
        evidence = tuple(sorted({seen[position][0] for position in found or ()}))
        return Verdict(yes_or_no(found is not None), evidence=evidence)

    def met_by(self, session: Sequence[View]) -> list[int] | None:
        """The positions of the events that meet the rule in one session; nothing where none do."""
        if self.rule.correlation is None:
            first = next((i for i, view in enumerate(session) if self._meets(0, view)), None)
            return None if first is None else [first]
        hits = [[i for i, view in enumerate(session) if self._meets(step, view)] for step in range(len(self._programs))]
        times = [seconds_of(str(view["timestamp"])) for view in session]
        align = any_order if self.rule.correlation.order == "any" else in_sequence
        return align(hits, times, window_of(self.rule.correlation.window))

    def _meets(self, condition: int, view: View) -> bool:
        value = self._programs[condition].eval(data={"e": nested(view, self.fields), "s": {}}).value()
        if not isinstance(value, bool):
            raise ConditionError(f"the condition gives no truth value: {shorten(str(value))}")
        return value


@dataclass(frozen=True)
class InlineCase:
    """A rule's own test as a labelled session: these events, and whether the rule's matter is in them."""

    name: str
    events: tuple[Event, ...]
    expected: bool


@dataclass(frozen=True)
class InlineCases:
    """Cases of a rule's tests, and the tests that give none, with the reason."""

    cases: tuple[InlineCase, ...]
    left_out: tuple[str, ...]


def inline_cases(rule: BeaconRule) -> InlineCases:
    """The rule's tests as (events, expected). Of a match in one of several sessions it is not said in which."""
    cases: list[InlineCase] = []
    left_out: list[str] = []
    for test in rule.tests:
        sessions = _sessions(test)
        if len(sessions) > 1 and test.verdict == "match":
            left_out.append(f"{test.name}: one of {len(sessions)} sessions matches, and the test does not say which")
            continue
        for index, records in enumerate(sessions, 1):
            name = test.name if len(sessions) == 1 else f"{test.name}, session {index}"
            events = events_of(records)
            if events:
                cases.append(InlineCase(name, events, test.verdict == "match"))
            else:
                left_out.append(f"{name}: none of its events is an event here")
    return InlineCases(tuple(cases), tuple(left_out))


def events_of(records: Sequence[dict[str, JsonValue]]) -> tuple[Event, ...]:
    """Events of beacon, of one session, as events here."""
    session = BeaconSession(ImportReport(format="beacon"))
    for record in records:
        session.take(Event(kind="other", ts=moment_of(record.get("timestamp"))), told_by_log(record))
    return tuple(session.gathered.transcript.events)


def load_rule_file(path: Path) -> RuleJudge | BeaconRuleJudge:
    """A rule file of ours or of beacon, told by its fields. Raises BrokenInput with every problem."""
    document = read_yaml(path, path.name)
    if isinstance(document, list):
        raise BrokenInput(document)
    if not (isinstance(document.tree, dict) and set(document.tree) & _MARKS):
        return load_rule(path)
    return _beacon_rule(document)


def _beacon_rule(document: Document) -> BeaconRuleJudge:
    rule = validate(document, BeaconRule)
    if isinstance(rule, list):
        raise BrokenInput(rule)
    problems = [*_shape_problems(rule), *_condition_problems(rule)]
    if problems:
        raise BrokenInput(_placed(document, rule, problems))
    judge = BeaconRuleJudge(rule)
    failures = list(_failures(judge))
    if failures:
        raise BrokenInput(_placed(document, rule, failures))
    return judge


_Found = tuple[tuple[str | int, ...], str, str]  # place, what was found, what to do


def _shape_problems(rule: BeaconRule) -> Iterator[_Found]:
    if (rule.match is None) == (rule.correlation is None):
        yield ("match",), "a rule has exactly one of match and correlation", "write one of the two"
    if rule.correlation is not None and window_of(rule.correlation.window) is None:
        yield (
            ("correlation", "window"),
            f"no duration: {shorten(rule.correlation.window, 40)}",
            "write one such as 120s",
        )
    verdicts = {test.verdict for test in rule.tests}
    if rule.status == "stable" and len(verdicts) < 2:
        yield ("tests",), f"a stable rule with tests of {verdicts.pop()} only", "add a test of the other verdict"


def _condition_problems(rule: BeaconRule) -> Iterator[_Found]:
    for place, text in rule.conditions if (rule.match is None) != (rule.correlation is None) else ():
        try:
            program = compiled(text)
            value = program.eval(data={"e": nested({}, mentioned(text)), "s": {}}).value()
            if not isinstance(value, bool):
                yield place, f"gives no truth value on an empty event: {shorten(str(value), 120)}", "mend the condition"
        except ConditionError as error:
            yield place, str(error), error.fix
        except RuntimeError as error:
            yield place, shorten(str(error).splitlines()[0], 200), "mend the CEL expression"


def _failures(judge: BeaconRuleJudge) -> Iterator[_Found]:
    """Tests that do not come out as they say: first as written, then as events here."""
    for index, test in enumerate(judge.rule.tests):
        place, sessions = ("tests", index), _sessions(test)
        try:
            written = any(judge.met_by([view_of_test(r) for r in s]) is not None for s in sessions)
            here = any(judge.met_by([v for e in events_of(s) for v in views(e)]) is not None for s in sessions)
        except ConditionError as error:
            yield place, f"the test {test.name!r} cannot be decided: {error}", "mend the condition or the test"
            continue
        wanted = test.verdict == "match"
        if written != wanted:
            said = "match" if written else "no_match"
            yield (
                place,
                f"the test {test.name!r} wants {test.verdict}, the rule says {said}",
                "mend the condition or the test",
            )
        elif here != wanted:
            told = f"the test {test.name!r} wants {test.verdict}; on the same events as events here it is lost"
            yield place, told, f"the rule needs what they do not hold; it looks at {', '.join(judge.fields)}"


def _sessions(test: InlineTest) -> list[list[dict[str, JsonValue]]]:
    grouped: dict[str, list[dict[str, JsonValue]]] = {}
    for record in test.events:
        session = record.get("session")
        identity = session.get("id") if isinstance(session, dict) else ""
        grouped.setdefault(str(identity), []).append(record)
    return list(grouped.values())


def _placed(document: Document, rule: BeaconRule, problems: Sequence[_Found]) -> Iterator[Problem]:
    for place, found, fix in problems:
        field = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in place).lstrip(".")
        yield Problem(document.file, document.line_of(place), f"rule {rule.id}", field, found, fix)
