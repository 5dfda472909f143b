"""Rules: the shipped ones on tables of sessions, and what a broken rule file is told."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest

from bench.judges.contract import Item, Question
from bench.judges.rules import RULE_FOLDER, RuleJudge, load_rule, shown_to_rule
from bench.problems import BrokenInput
from bench.projection.presets import PRESETS
from bench.projection.project import project
from bench.schema.event import Approval, Event

NAMES = sorted(path.name.removesuffix(".rule.yaml") for path in RULE_FOLDER.glob("*.rule.yaml"))


def rule(name: str) -> RuleJudge:
    return load_rule(RULE_FOLDER / f"{name}.rule.yaml")


def says(judge: RuleJudge, events: list[Event]) -> str:
    verdict = judge.apply(events, range(1, len(events) + 1))
    return verdict.answer or f"{verdict.unscored}: {verdict.detail}"


def told(path: Path) -> str:
    with pytest.raises(BrokenInput) as caught:
        load_rule(path)
    return str(caught.value)


TESTS = [(name, test) for name in NAMES for test in rule(name).rule.tests]


@pytest.mark.parametrize(("name", "test"), [pytest.param(n, t, id=f"{n}: {t.name}") for n, t in TESTS])
def test_every_shipped_rule_passes_its_own_tests(name: str, test: Any) -> None:
    answer = {"match": "yes", "no_match": "no"}.get(test.verdict, test.verdict)
    assert says(rule(name), list(test.events)).startswith(answer)


@pytest.mark.parametrize("name", NAMES)
def test_every_shipped_rule_is_named_as_its_file_and_tests_both_ways(name: str) -> None:
    judge = rule(name)
    assert (judge.name, judge.rule.id) == (f"rule:{name}", name)
    assert {"match", "no_match"} <= {test.verdict for test in judge.rule.tests}


# A few kinds of events, to write sessions in a line.
DENIED = Approval(decision="denied", source="person", reason="use pnpm")
ASK = Event(kind="prompt", origin="human", text="Add the footer.")
NO = Event(kind="prompt", origin="human", text="No, use pnpm instead.")
THANKS = Event(kind="prompt", origin="human", text="Thank you, that's it")
HOOK = Event(kind="prompt", origin="hook", text="no, wrong, stop")
INJECTED = Event(kind="prompt", origin="injected", text="never do that instead")
SLASH = Event(kind="prompt", origin="command", text="no, /clear")
SIMULATED = Event(kind="prompt", origin="simulated", text="no, use pnpm instead")
RAN = Event(kind="command", command="make", ok=True, output="ok")
FAILED = Event(kind="command", command="make", ok=False, output="error: no rule")
UNKNOWN = Event(kind="command", command="make")
REFUSED = Event(kind="command", command="npm install", ok=False, approval=DENIED)
EDIT = Event(kind="tool_call", tool="Edit", ok=True, output="done")
RESULT = Event(kind="tool_result", output="done")
SAID = Event(kind="message", text="No, I was wrong. Instead I stop.")
THOUGHT = Event(kind="reasoning", text="no, wrong")
NOTICE = Event(kind="system", text="80 % of the context is used")
STOPPED = Event(kind="interrupt")
SHORTER = Event(kind="compaction", text="no, wrong, instead")

FIRES = {
    "prompt-after-call": [[ASK, RAN, THANKS], [EDIT, SAID, THANKS], [REFUSED, NO], [FAILED, HOOK, ASK]],
    "prompt-directly-after": [
        [RAN, NO],
        [RESULT, NO],
        [RAN, THOUGHT, NOTICE, HOOK, NO],
        [STOPPED, NO],
        [SAID, STOPPED, ASK],
    ],
    "correction-words": [[ASK, RAN, NO], [EDIT, SAID, NO], [ASK, REFUSED, SAID, NO]],
    "refused-call": [[REFUSED], [ASK, RAN, REFUSED, RAN]],
    "failed-then-succeeded": [
        [FAILED, RAN],
        [FAILED, NO, EDIT, RAN],
        [Event(kind="tool_call", tool="Edit", ok=False), RAN],
    ],
    "five-calls": [[RAN] * 5, [RAN, EDIT] * 3, [ASK, REFUSED, *[RAN] * 4]],
    "last-command-succeeded": [[RAN], [FAILED, RAN, SAID], [RAN, REFUSED], [FAILED, RAN, EDIT]],
}
SILENT = {
    "prompt-after-call": [
        [ASK],
        [ASK, SAID, NO],
        [RAN, HOOK],
        [RAN, INJECTED],
        [RAN, SLASH],
        [RAN, SIMULATED],
        [RAN, SHORTER],
    ],
    "prompt-directly-after": [[ASK], [RAN, SAID, NO], [RAN, HOOK], [STOPPED, SAID, NO], [RAN, SHORTER, NO]],
    "correction-words": [
        [NO],
        [NO, RAN],
        [RAN, THANKS],
        [RAN, SAID],
        [RAN, HOOK],
        [RAN, INJECTED],
        [RAN, SHORTER],
        [RAN, THOUGHT],
    ],
    "refused-call": [[FAILED], [RAN, NO], [STOPPED]],
    "failed-then-succeeded": [[RAN], [RAN, FAILED], [FAILED, UNKNOWN], [FAILED, EDIT]],
    "five-calls": [[RAN] * 4, [ASK, SAID] * 9, [RESULT] * 9],
    "last-command-succeeded": [[RAN, FAILED], [ASK, SAID], [RAN, UNKNOWN]],
}


@pytest.mark.parametrize(("name", "events"), [(name, events) for name in NAMES for events in FIRES[name]])
def test_it_fires(name: str, events: list[Event]) -> None:
    assert says(rule(name), events) == "yes"


@pytest.mark.parametrize(("name", "events"), [(name, events) for name in NAMES for events in SILENT[name]])
def test_it_stays_silent(name: str, events: list[Event]) -> None:
    assert says(rule(name), events) == "no"


@pytest.mark.parametrize(
    "text",
    [
        "No.",
        "nope",
        "don't",
        "DO NOT",
        "that is wrong",
        "undo it",
        "why did you",
        "shouldn't be",
        "lieber nicht",
        "plutôt x",
    ],
)
def test_correction_words(text: str) -> None:
    assert says(rule("correction-words"), [RAN, Event(kind="prompt", origin="human", text=text)]) == "yes"


@pytest.mark.parametrize("text", ["now", "note it", "I know", "unstoppable", "an overwrongful one", "good", "nothing"])
def test_words_that_only_hold_one(text: str) -> None:
    assert says(rule("correction-words"), [RAN, Event(kind="prompt", origin="human", text=text)]) == "no"


@pytest.mark.parametrize("name", ["failed-then-succeeded", "last-command-succeeded"])
def test_a_record_without_results_is_not_applicable(name: str) -> None:
    assert says(rule(name), [UNKNOWN, UNKNOWN]).startswith("not_applicable")
    assert says(rule(name), [ASK]) == "no"


@pytest.mark.parametrize("name", NAMES)
def test_no_events_is_no(name: str) -> None:
    assert says(rule(name), []) == "no"


def test_evidence_is_the_number_in_the_whole_attempt() -> None:
    assert rule("refused-call").apply([RAN, REFUSED, REFUSED], [7, 30, 31]).evidence == (30,)


def test_the_judge_reads_a_projection() -> None:
    question = Question("yes_no", "t", (("yes", "a"), ("no", "b")))
    view = project(PRESETS["naive-80"], "q", "h", [RAN, NO])
    assert rule("correction-words").judge(Item(view), [question], 0)[0].answer == "yes"


def test_a_rule_needs_no_has() -> None:
    assert set(shown_to_rule(ASK)) == set(shown_to_rule(REFUSED))


# Files of one's own.
GOOD = """\
id: mine
version: 1
title: A rule
description: For this test.
match: {match}
tests:
  - name: red
    verdict: match
    events:
      - {{kind: command, command: make, ok: false}}
  - name: green
    verdict: no_match
    events:
      - {{kind: command, command: make, ok: true}}
"""


def written(folder: Path, match: str = "e.ok == false", **changes: str) -> Path:
    text = GOOD.format(match=match)
    for old, new in changes.items():
        assert f"{old}:" in text
        text = text.replace(f"{old}:", new, 1)
    path = folder / "mine.rule.yaml"
    path.write_text(text, encoding="utf-8")
    return path


def test_a_good_file(tmp_path: Path) -> None:
    assert load_rule(written(tmp_path)).name == "rule:mine"


@pytest.mark.parametrize(
    ("match", "changes", "expected"),
    [
        pytest.param("e.ok ==", {}, ["mine.rule.yaml:5", "field match", "mend the CEL expression"], id="broken-cel"),
        pytest.param("f.ok == true", {}, ["mine.rule.yaml:5", "undeclared reference to 'f.ok'"], id="unknown-variable"),
        pytest.param(
            "e.ok == true",
            {},
            [
                "mine.rule.yaml:7",
                "tests[0]",
                "'red' wants match, the rule says no_match",
                "mine.rule.yaml:11",
                "tests[1]",
            ],
            id="failing-tests",
        ),
        pytest.param(
            "e.command", {}, ["mine.rule.yaml:7", "tests[0]", "gives STRING, not a truth value"], id="not-boolean"
        ),
        pytest.param("s.calls", {}, ["mine.rule.yaml:7", "gives INT, not a truth value"], id="a-number"),
        pytest.param("e.exit == 0", {}, ["mine.rule.yaml:7", "tests[0]", "exit"], id="no-such-field-of-e"),
        pytest.param("s.nothing > 0", {}, ["mine.rule.yaml:7", "tests[0]", "nothing"], id="no-such-field-of-s"),
        pytest.param('e.command.matches("(")', {}, ["mine.rule.yaml:7", "tests[0]"], id="broken-regex"),
        pytest.param("e.exit_code > 0", {}, ["mine.rule.yaml:7", "tests[0]"], id="null-compared"),
        pytest.param(
            "e.ok == false",
            {"title": "titel:"},
            ["mine.rule.yaml:3", "unknown field 'titel'", "did you mean title?", "field title", "the field is missing"],
            id="unknown-and-missing",
        ),
        pytest.param(
            "e.ok == false", {"version": "version: x\nneeds:"}, ["mine.rule.yaml:2", "whole number"], id="wrong-type"
        ),
        pytest.param(
            "e.ok == false",
            {"version": "when: always\nversion:"},
            ["mine.rule.yaml:2", "field when", "session_end"],
            id="when",
        ),
        pytest.param("e.ok == false", {"verdict": "verdict: maybe #"}, ["mine.rule.yaml:8"], id="verdict"),
        pytest.param(
            "e.ok == false",
            {"description": "id: again\ndescription:"},
            ["mine.rule.yaml:4", "second time"],
            id="double-key",
        ),
        pytest.param("e.text.matches('a: b')", {}, ["mine.rule.yaml:5"], id="yaml-that-does-not-parse"),
        pytest.param(
            "e.kind == 'x' # not a match", {}, ["mine.rule.yaml:5", "a comment that swallows"], id="swallowed"
        ),
    ],
)
def test_a_broken_file_is_told_where_and_what(
    tmp_path: Path, match: str, changes: dict[str, str], expected: list[str]
) -> None:
    message = told(written(tmp_path, match, **changes))
    for part in expected:
        assert part in message


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    assert "cannot be read: No such file" in told(tmp_path / "none.rule.yaml")


def test_a_condition_that_cannot_be_decided_later_is_an_error_and_no_answer(tmp_path: Path) -> None:
    judge = load_rule(written(tmp_path, "e.ok == false || (e.kind == 'message' && e.exit_code > 0)"))
    assert says(judge, [SAID]).startswith("error: ")


def test_one_test_is_too_few(tmp_path: Path) -> None:
    path = written(tmp_path)
    path.write_text("\n".join(path.read_text(encoding="utf-8").splitlines()[:10]), encoding="utf-8")
    assert "mine.rule.yaml:7, field tests: a list" in told(path)


def test_a_catastrophic_regex_stays_fast(tmp_path: Path) -> None:
    judge = load_rule(written(tmp_path, "'e.ok == false || e.text.matches(\"^(a+)+(b|a)*(a|aa)+$\")'"))
    start = time.perf_counter()
    assert says(judge, [Event(kind="message", text="a" * 200_000 + "!")]) == "no"
    assert time.perf_counter() - start < 2


@pytest.mark.parametrize("name", ["correction-words", "last-command-succeeded"])
def test_a_rule_is_linear_in_events(name: str) -> None:
    """100,000 events, most of them not matching; a rule that rescanned the session would take hours."""
    events = [Event.model_construct(kind="message", text="working", thread="main")] * 100_000
    start = time.perf_counter()
    assert says(rule(name), events) == "no"
    assert time.perf_counter() - start < 10


@pytest.mark.parametrize("name", NAMES)
def test_a_long_output_is_not_copied_for_each_event_after_it(name: str) -> None:
    output = Event(kind="command", command="make", ok=True, output="x" * 5_000_000)
    start = time.perf_counter()
    says(rule(name), [ASK, output, *[SAID] * 2_000])
    says(rule(name), [ASK, output, *[UNKNOWN] * 3, *[SAID] * 2_000])
    assert time.perf_counter() - start < 5
