"""LoCoMo and LongMemEval as cases, by fixtures written here: no sample of either was at hand."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Iterator
from typing import Any, BinaryIO

import pytest
from hypothesis import given
from imported import NOISE, broken_documents, foreign_documents

from bench.schema.event import Event
from bench.traces import locomo, longmemeval
from bench.traces.memory import MemoryCase, Place
from bench.traces.report import Recorded

Tree = dict[str, Any]
TALK: Tree = {
    "sample_id": "conv-1",
    "conversation": {
        "speaker_a": "Ann",
        "speaker_b": "Bob",
        "session_10_date_time": "9:00 am on 2 June, 2023",
        "session_10": [{"speaker": "Bob", "dia_id": "D10:1", "text": "I moved to Oslo."}],
        "session_2_date_time": "1:56 pm on 8 May, 2023",
        "session_2": [
            {"speaker": "Ann", "dia_id": "D2:1", "text": "I got a dog."},
            {"speaker": "Bob", "dia_id": "D2:2", "text": "", "blip_caption": "a red bicycle", "img_url": ["x"]},
            {"speaker": "Bob", "dia_id": "D2:3"},
        ],
        "session_11_date_time": "a date without a session",
    },
    "qa": [
        {"question": "Which pet?", "answer": "a dog", "category": 4, "evidence": ["D2:1"]},
        {"question": "When?", "answer": 2023, "category": 2, "evidence": ["D10:01; D2:2", "(D2:1)"]},
        {"question": "Which cat?", "adversarial_answer": "a tabby", "category": 5, "evidence": ["D9:9", "D:2", 7]},
        {"question": "Why?", "answer": "", "category": 3},
        {"question": "How?", "answer": "by both", "category": 1, "evidence": ["D2:1", "D10:1", "D2:1"]},
        {"question": "Odd?", "answer": "x", "category": 8},
        {"answer": "no question"},
    ],
}
HISTORY: Tree = {
    "question_id": "q_abs",
    "question_type": "multi-session",
    "question": "How many?",
    "question_date": "2023/05/30 (Tue) 23:40",
    "answer": 3,
    "haystack_session_ids": ["s1", "answer_1", "answer_2"],
    "haystack_dates": ["2023/05/20 (Sat) 02:21", "2023/05/21 (Sun) 02:21"],
    "haystack_sessions": [
        [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hello"}],
        [{"role": "user", "content": "Two cats.", "has_answer": True}, {"role": "tool", "content": "?"}, 5],
        [{"role": "user", "content": "One more."}],
    ],
    "answer_session_ids": ["answer_1", "answer_2", "answer_9"],
}


def cases(read: Callable[[BinaryIO], Iterator[MemoryCase]], document: Any) -> list[MemoryCase]:
    found = list(read(io.BytesIO(json.dumps(document).encode())))
    for case in found:
        sound(case)
    return found


def sound(case: MemoryCase) -> None:
    assert case.report.balanced
    for session in case.sessions:
        for event in session.events:
            assert Event.model_validate(event.model_dump()) == event
    events = {session.id: len(session.events) for session in case.sessions}
    for place in (place for question in case.questions for place in question.evidence):
        assert place.event is None or 1 <= place.event <= max(events[place.session], 1)


def test_the_sessions_of_a_conversation() -> None:
    (case,) = cases(locomo.read, [TALK])
    assert [(s.id, s.date, len(s.events)) for s in case.sessions] == [
        ("session_2", "1:56 pm on 8 May, 2023", 2),
        ("session_10", "9:00 am on 2 June, 2023", 1),
    ]
    told = [(e.kind, e.origin, e.ts, e.text, e.args) for e in case.sessions[0].events]
    assert told == [
        ("prompt", "simulated", None, "I got a dog.", {"speaker": "Ann", "id": "D2:1"}),
        ("prompt", "simulated", None, "", {"speaker": "Bob", "id": "D2:2", "image": "a red bicycle"}),
    ]
    assert (case.id, case.report.seen, case.report.malformed) == ("conv-1", 11, [3, 11])


def test_the_questions_of_a_conversation() -> None:
    (case,) = cases(locomo.read, TALK)  # one conversation alone
    dog, cat, oslo = Place("session_2", 1), Place("session_2", 2), Place("session_10", 1)
    asked = [(q.id, q.category, q.evidence, q.unresolved) for q in case.questions]
    assert asked == [
        ("conv-1:1", "single-hop", (dog,), ()),
        ("conv-1:2", "temporal", (oslo, cat, dog), ()),
        ("conv-1:3", "adversarial", (), ("D9:9", "D:2", "7")),
        ("conv-1:4", "open", (), ()),
        ("conv-1:5", "multi-hop", (dog, oslo), ()),
        ("conv-1:6", "category 8", (), ()),
    ]
    answers = [[(label.name, label.answer, label.by) for label in q.recorded] for q in case.questions]
    assert answers[:4] == [
        [("answer", "a dog", "dataset"), ("answerable", "yes", "dataset")],
        [("answer", "2023", "dataset"), ("answerable", "yes", "dataset")],
        [("adversarial_answer", "a tabby", "dataset"), ("answerable", "no", "dataset")],
        [("answerable", "yes", "dataset")],
    ]


def test_the_categories_have_their_names() -> None:
    # github.com/snap-research/locomo, task_eval/evaluation.py: 1 is scored part by part, 5 by refusal
    assert locomo.CATEGORIES == {1: "multi-hop", 2: "temporal", 3: "open", 4: "single-hop", 5: "adversarial"}


def test_a_history_with_its_question() -> None:
    (case,) = cases(longmemeval.read, [HISTORY])
    assert [(s.id, s.date, [(e.kind, e.origin, e.text) for e in s.events]) for s in case.sessions] == [
        ("s1", "2023/05/20 (Sat) 02:21", [("prompt", "unknown", "Hi"), ("message", None, "Hello")]),
        ("answer_1", "2023/05/21 (Sun) 02:21", [("prompt", "unknown", "Two cats.")]),
        ("answer_2", None, [("prompt", "unknown", "One more.")]),
    ]
    (question,) = case.questions
    assert (question.id, question.category, question.date) == ("q_abs", "multi-session", "2023/05/30 (Tue) 23:40")
    assert question.recorded == (Recorded("answer", "3", "dataset"), Recorded("answerable", "no", "dataset"))
    assert question.evidence == (Place("answer_1", 1), Place("answer_2"))  # no turn of the second is marked
    assert question.unresolved == ("answer_9",)
    assert (case.report.seen, case.report.malformed) == (7, [4, 5])


def test_two_sessions_of_one_id_are_kept_apart() -> None:
    (case,) = cases(longmemeval.read, [{**HISTORY, "haystack_session_ids": ["answer_1"] * 3}])
    assert [session.id for session in case.sessions] == ["answer_1", "answer_1#2", "answer_1#3"]
    assert case.questions[0].evidence == (Place("answer_1#2", 1), Place("answer_1"))


def test_answers_that_nobody_is_shown() -> None:
    (talk,), (history,) = cases(locomo.read, TALK), cases(longmemeval.read, [{**HISTORY, "question_id": "q1"}])
    assert history.questions[0].recorded[-1].answer == "yes"
    for case in (talk, history):
        shown = json.dumps([event.model_dump() for session in case.sessions for event in session.events])
        assert "has_answer" not in shown and "adversarial" not in shown and "tabby" not in shown


def test_what_cannot_be_read_is_counted() -> None:
    torn, good = cases(locomo.read, [7, TALK])
    assert (torn.id, torn.report.malformed, good.id) == ("conversation-1", [1], "conv-1")
    found = cases(longmemeval.read, [7, {"question_id": "q"}, HISTORY])
    assert [(case.id, case.report.malformed) for case in found[:2]] == [("question-1", [1]), ("q", [2])]
    with pytest.raises(ValueError, match="list of questions"):
        list(longmemeval.read(io.BytesIO(b"{}")))


def test_they_are_told_from_all_formats() -> None:
    assert locomo.speaks([TALK]) and locomo.speaks(TALK) and longmemeval.speaks([HISTORY])
    assert not locomo.speaks([HISTORY]) and not longmemeval.speaks([TALK]) and not longmemeval.speaks([])
    for path, document in foreign_documents("none/*"):
        assert not locomo.speaks(document) and not longmemeval.speaks(document), path


@NOISE
@given(broken_documents([TALK]))
def test_any_conversation_is_read_or_refused(raw: bytes) -> None:
    assert_cases_or_refused(locomo.read, raw)


@NOISE
@given(broken_documents([HISTORY]))
def test_any_history_is_read_or_refused(raw: bytes) -> None:
    assert_cases_or_refused(longmemeval.read, raw)


def assert_cases_or_refused(read: Callable[[BinaryIO], Iterator[MemoryCase]], raw: bytes) -> None:
    found: list[MemoryCase] = []
    refusal: ValueError | None = None
    try:
        found = list(read(io.BytesIO(raw)))
    except ValueError as error:
        refusal = error
    assert refusal is None or str(refusal)
    for case in found:
        sound(case)
