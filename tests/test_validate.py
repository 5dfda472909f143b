"""From a parsed file to a record: every mistake with its line, its field, what was found and what to do."""

from __future__ import annotations

import pytest
from suites import CASES, STATEMENTS, SUITE, votes_text

from bench.problems import Problem
from bench.reading.strict_yaml import Document, parse_yaml
from bench.reading.validate import validate
from bench.schema.base import Record
from bench.schema.case import Case
from bench.schema.suite import Splits, Suite
from bench.schema.vote import VoteFile

CASE = CASES["S001"]
VOTES = votes_text("S001", "ann")
PLAIN = "metadata: {source: written"  # line 8 of a case
ASKED = "statements: [format-kept, mentions-refund, quality, channel]"
ANCHORS = "trajectory_anchors:\n  expect:\n    - tool: lookup"
NOW = "world_state: {reference_time: "


def problems(text: str, model: type[Record]) -> list[Problem]:
    document = parse_yaml(text.encode(), "f.yaml")
    assert isinstance(document, Document), document
    record = validate(document, model, "S001")
    return record if isinstance(record, list) else []


# change of a valid text (old, new), model, line, field, a word of what was found or of the fix
REFUSED = [
    # unknown and missing fields
    (CASE, "query:", "qurey:", Case, 5, "qurey", "did you mean query?"),
    (CASE, "query:", "qurey:", Case, 1, "query", "missing"),
    (CASE, "ok: true}", "okay: true}", Case, 14, "attempts[0].events[1].okay", "did you mean ok?"),
    (CASE, PLAIN, PLAIN + ", zzz: 1", Case, 8, "metadata.zzz", "remove it; known here: capability"),
    (SUITE, "    critical: true", "    critcal: true", Suite, 13, "statements[0].critcal", "did you mean critical?"),
    # scalars: the schema decides what a text means, and takes no other spelling of it
    (CASE, "ok: true}", "ok: yes}", Case, 14, "attempts[0].events[1].ok", "true or false"),
    (CASE, "ok: true}", "ok: True}", Case, 14, "attempts[0].events[1].ok", "true or false"),
    (CASE, "ok: true}", "exit_code: 007, exit_source: text}", Case, 14, "attempts[0].events[1].exit_code", "whole number"),
    (CASE, "ok: true}", "exit_code: 1_0, exit_source: text}", Case, 14, "attempts[0].events[1].exit_code", "whole number"),
    (CASE, "ok: true}", f"exit_code: {'9' * 5000}, exit_source: text}}", Case, 14, "attempts[0].events[1].exit_code", "whole"),
    (SUITE, "    critical: true", "    weight: 1e3", Suite, 13, "statements[0].weight", "plain decimal"),
    (SUITE, "    critical: true", "    weight: .inf", Suite, 13, "statements[0].weight", "plain decimal"),
    (SUITE, "    critical: true", "    weight: NaN", Suite, 13, "statements[0].weight", "plain decimal"),
    (CASE, "schema: 1", "schema: 2", Case, 1, "schema", "'1'"),
    (CASE, "schema: 1", "schema: 1.0", Case, 1, "schema", "'1'"),
    (CASE, "query: How long may I take to send the lamp back?", "query:", Case, 5, "query", "an empty value"),
    (CASE, "query: How long may I take to send the lamp back?", "query: ''", Case, 5, "query", "write a text"),
    (CASE, 'output: "30 days"', "output: null", Case, 14, "attempts[0].events[1].output", "an empty value"),
    (CASE, 'output: "30 days"', "output: ~", Case, 14, "attempts[0].events[1].output", "an empty value"),
    (CASE, "    harness: desk", "    harness: desk\n    answer:", Case, 12, "attempts[0].answer", "an empty value"),
    (CASE, "family: refund-a", "family: refund a", Case, 3, "family", "letters, digits"),
    (CASE, "family: refund-a", "family: ../refund", Case, 3, "family", "letters, digits"),
    (CASE, "family: refund-a", "family: [refund]", Case, 3, "family", "a list"),
    # moments: a day that is none, a naive one, a day without time (RFC 3339 wants date, time and offset)
    (CASE, PLAIN, NOW + "2026-02-30T10:00:00Z}\n" + PLAIN, Case, 8, "world_state.reference_time", "with its zone"),
    (CASE, PLAIN, NOW + "2026-02-03T10:00:00}\n" + PLAIN, Case, 8, "world_state.reference_time", "with its zone"),
    (CASE, PLAIN, NOW + "2026-02-03}\n" + PLAIN, Case, 8, "world_state.reference_time", "with its zone"),
    (CASE, PLAIN, NOW + "12:30:45}\n" + PLAIN, Case, 8, "world_state.reference_time", "with its zone"),
    # one indent off turns an assertion into data
    (CASE, PLAIN, "world_state:\n  facts:\n    plan: pro\n    snapshot: git:1\n" + PLAIN, Case, 9, "world_state", "indent"),
    (CASE, PLAIN, f"{ANCHORS}\n      forbid: []\n{PLAIN}", Case, 11, "trajectory_anchors.expect[0].forbid", "unknown"),
    (CASE, PLAIN, f"{ANCHORS}\nforbid: [{{tool: refund}}]\n{PLAIN}", Case, 11, "forbid", "unknown field"),
    # closed vocabularies, lists and maps
    (CASE, "kind: message", "kind: mesage", Case, 15, "attempts[0].events[2].kind", "'message'"),
    (CASE, "{kind: tool_call, tool: lookup,", "{kind: tool_call,", Case, 14, "attempts[0].events[1]", "needs the field tool"),
    (CASE, "origin: human, ", "", Case, 13, "attempts[0].events[0]", "origin"),
    (CASE, ", ok: true}", ", exit_code: 1}", Case, 14, "attempts[0].events[1]", "exit_source"),
    (CASE, ASKED, "statements: []", Case, 7, "judgment.statements", "add entries"),
    (CASE, ASKED, "statements: quality", Case, 7, "judgment.statements", "list"),
    (CASE, "    events:", "    events_from: {file: a.jsonl}\n    events:", Case, 10, "attempts[0]", "exactly one of events"),
    (CASE, PLAIN, "trajectory_anchors: {forbid: [{}]}\n" + PLAIN, Case, 8, "trajectory_anchors.forbid[0]", "at least one of"),
    (CASE, PLAIN, "trajectory_anchors: {states: [{file: a}]}\n" + PLAIN, Case, 8, "trajectory_anchors.states[0]", "exactly"),
    # a statement written out in the case
    (CASE, "quality, channel]", "{id: own, text: Is it?, 'true': a}]", Case, 7, "judgment.statements[2].false", "missing"),
    (CASE, "quality, channel]", "{id: own, text: T, type: scale}]", Case, 7, "judgment.statements[2]", "'yes_no', 'score'"),
    # suites
    (SUITE, "- {level: 2, meaning: hardly}", "- {level: 1, meaning: hardly}", Suite, 24, "statements[2]", "must rise"),
    (SUITE, "id: mentions-refund", "id: Format-Kept", Suite, 1, None, "unique"),
    (SUITE, "answers: [format-kept,", "answers: [nothing,", Suite, 1, None, "'nothing' is not declared"),
    (SUITE, "id_pattern: S[0-9]{3}", "id_pattern: 'S['", Suite, 7, "id_pattern", "no regular expression"),
    (SUITE, "resamples: 100", "resamples: 99", Suite, 48, "resamples", "greater than or equal to 100"),
    # votes
    (VOTES, "made_by: person", "made_by: model", VoteFile, 1, None, "lineage"),
    (VOTES, "evidence: [3]", "evidence: [0]", VoteFile, 12, "votes[0].evidence[0]", "greater than or equal to 1"),
    (VOTES, "evidence: [3]", "evidence: [three]", VoteFile, 12, "votes[0].evidence[0]", "whole number"),
    ("schema: 1\nseed: 1\nfamilies:\n  a: test\nfamilies_b: x", "a: test", "a: train", Splits, 4, "families.a", "'development'"),
    ("- a\n- b", "a", "c", Case, 1, None, "a map of key: value lines"),
    ("a", "a", "b", Case, 1, None, "a map of key: value lines"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "old", "new", "model", "line", "field", "word"), REFUSED)
def test_is_refused(
    text: str, old: str, new: str, model: type[Record], line: int, field: str | None, word: str
) -> None:
    assert old in text
    found = problems(text.replace(old, new, 1), model)
    (problem,) = [p for p in found if p.field == field]
    assert problem.line == line
    assert word in f"{problem.found} {problem.fix}" and problem.found and problem.fix
    assert problem.file == "f.yaml" and problem.case == "S001"


# old, new, where in the record, value
READ_RIGHT = [
    ("family: refund-a", "family: no", ("family",), "no"),
    ("family: refund-a", "family: 007", ("family",), "007"),
    ("query: How", "query: 2026-02-30 How", ("query",), "2026-02-30 How long may I take to send the lamp back?"),
    ("output: \"30 days\"", "output: 12:30:45", ("attempts", 0, "events", 1, "output"), "12:30:45"),
    ("output: \"30 days\"", "output: ''", ("attempts", 0, "events", 1, "output"), ""),
    ("output: \"30 days\"", "output: 'null'", ("attempts", 0, "events", 1, "output"), "null"),
    ("{topic: returns}", "{topic: null}", ("attempts", 0, "events", 1, "args"), {"topic": None}),
    ("ok: true}", "ok: false}", ("attempts", 0, "events", 1, "ok"), False),
    ("ok: true}", "exit_code: -1, exit_source: text}", ("attempts", 0, "events", 1, "exit_code"), -1),
    (PLAIN, "world_state: {facts: {plan: no, seats: 010}}\n" + PLAIN, ("world_state", "facts"), {"plan": "no", "seats": "010"}),
    (PLAIN, NOW + "2024-02-29T00:00:00Z}\n" + PLAIN, ("world_state", "reference_time"), "2024-02-29T00:00:00Z"),
]  # fmt: skip


@pytest.mark.parametrize(("old", "new", "place", "value"), READ_RIGHT)
def test_is_read_right(old: str, new: str, place: tuple[str | int, ...], value: object) -> None:
    assert old in CASE
    document = parse_yaml(CASE.replace(old, new, 1).encode(), "f.yaml")
    assert isinstance(document, Document)
    record = validate(document, Case)
    assert isinstance(record, Case), record
    found: object = record
    for step in place:
        found = found[step] if isinstance(step, int) else getattr(found, step)  # type: ignore[index]
    assert found == value and type(found) is type(value)


def test_every_mistake_is_told_at_once() -> None:
    text = CASE.replace("schema: 1", "schema: 9").replace("query:", "qurey:").replace("ok: true", "ok: maybe")
    assert sorted((p.line, p.field) for p in problems(text, Case)) == [
        (1, "query"), (1, "schema"), (5, "qurey"), (14, "attempts[0].events[1].ok"),
    ]  # fmt: skip


def test_a_problem_answers_five_questions() -> None:
    (problem,) = problems(CASE.replace("ok: true", "ok: maybe"), Case)
    place, mend = str(problem).split("\n")
    assert place.startswith("f.yaml:14, case S001, field attempts[0].events[1].ok: maybe: true or false is wanted")
    assert mend == "    to mend: change it so that this holds"


def test_records_are_frozen() -> None:
    document = parse_yaml(CASE.encode(), "f.yaml")
    assert isinstance(document, Document)
    case = validate(document, Case)
    assert isinstance(case, Case)
    with pytest.raises(ValueError, match="frozen"):
        case.id = "S002"  # type: ignore[misc]
    assert case.judgment.statements == STATEMENTS
