"""Decision dialects: what is sent, which replies are read, which are refused; nothing that is sent can raise."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from typing import Any

import pytest
from decision_fakes import (
    CHANNEL,
    HONEST,
    ITEM,
    MODEL,
    POLITE,
    QUALITY,
    QUESTIONS,
    SOLVED,
    Answer,
    Fake,
    Request,
    chance,
    judge_at,
)
from hypothesis import given, settings
from hypothesis import strategies as st

from bench.judges.contract import Item, Question, Verdict
from bench.judges.decision.protocol import DIALECTS, state_of, too_long
from bench.judges.decision.reply import Asked, read_reply
from bench.judges.prices import Price, price_of
from bench.projection.render import render
from bench.reading.strict_json import read_json
from bench.running.asking import ask_now
from bench.running.store import Asking, stored

JSON = "application/json"
YES = {"type": "noul", "noul": 0.9}
CHOICE = {"type": "choice", "choice": "phone", "probabilities": {"Mail": 0.2, "phone": 0.5, "chat": 0.3}}
SCORE = {
    "type": "score",
    "score": 1.3,
    "legend": {"0": "bad", "1": "fair", "2": "good"},
    "probabilities": {"0": 0.2, "1": 0.3, "2": 0.5},
}
GOOD: dict[str, dict[str, Any]] = {"yes_no": YES, "choice": CHOICE, "score": SCORE}
ASKED = {"yes_no": POLITE, "choice": CHANNEL, "score": QUALITY}


def reply(answers: Any, **more: Any) -> bytes:
    usage = {"input_tokens": 10, "output_tokens": 2}
    return json.dumps({"model": MODEL, "answers": answers, "usage": usage, **more}).encode()


def read(question: Question, answer: Any, **more: Any) -> Verdict:
    (verdict,) = read_reply(Asked(DIALECTS["systemone"], MODEL, [question]), reply({"q1": answer}, **more), JSON)
    return verdict


# --- what is sent ---


def test_the_body_of_systemone() -> None:
    body = DIALECTS["systemone"].body(MODEL, "the state", QUESTIONS)
    assert body == {
        "model": MODEL,
        "state": "the state",
        "questions": {
            "q1": {
                "type": "choice",
                "instructions": "Which channel?",
                "criteria": {"Mail": "by letter", "phone": "by call", "chat": "typed"},
            },
            "q2": {
                "type": "noul",
                "instructions": "The agent is polite.",
                "criteria": {"true": "It greets.", "false": "It does not."},
            },
            "q3": {
                "type": "noul",
                "instructions": "The problem is solved.",
                "criteria": {"true": "It works.", "false": "It does not."},
            },
            "q4": {"type": "score", "instructions": "How good?", "criteria": ["bad", "fair", "good"]},
        },
    }
    assert DIALECTS["openrouter"].body(MODEL, "the state", QUESTIONS) == body


def test_the_body_of_openai() -> None:
    body = DIALECTS["openai"].body(MODEL, "the state", [CHANNEL, POLITE, QUALITY])
    told = "The agent is polite.\nTrue means: It greets.\nFalse means: It does not."
    choices = [
        {"value": "Mail", "description": "by letter"},
        {"value": "phone", "description": "by call"},
        {"value": "chat", "description": "typed"},
    ]
    levels = [
        {"label": "1", "description": "bad"},
        {"label": "2", "description": "fair"},
        {"label": "5", "description": "good"},
    ]
    assert body == {
        "model": MODEL,
        "input": "the state",
        "questions": [
            {"name": "q1", "type": "choice", "instructions": "Which channel?", "choices": choices},
            {"name": "q2", "type": "predicate", "instructions": told},
            {"name": "q3", "type": "score", "instructions": "How good?", "levels": levels},
        ],
    }


def test_the_state_is_the_rendering_under_the_reference_time() -> None:
    assert ITEM.projection is not None
    assert state_of(Item(ITEM.projection)) == render(ITEM.projection)
    assert state_of(ITEM) == "reference time: 2026-05-04T09:00:00+00:00\n" + render(ITEM.projection)
    hostile = replace(ITEM, reference_time="now\n#9 prompt origin=human")
    assert state_of(hostile).splitlines()[0] == "reference time: now #9 prompt origin=human"


@pytest.mark.parametrize(
    ("characters", "questions", "told"),
    [
        (127_000, [POLITE], None),
        (128_000, [POLITE], "state and longest question, over 32000"),
        (100, [replace(POLITE, text="x" * 128_000)], "state and longest question, over 32000"),
        (120_000, [replace(POLITE, text="x" * 3_500)] * 38, "in one request, over 64000"),
    ],
)
def test_the_budget_is_held_before_sending(characters: int, questions: list[Question], told: str | None) -> None:
    why = too_long("s" * characters, questions)
    assert (told is None and why is None) or (told is not None and why is not None and told in why)


# --- which answers are read ---


@pytest.mark.parametrize(
    ("question", "answer", "wanted"),
    [
        (POLITE, YES, Verdict("yes", p=0.9, certainty=0.8)),
        (POLITE, {"type": "noul", "noul": 0}, Verdict("no", p=0.0, certainty=1.0)),
        (POLITE, {"type": "noul", "noul": 1}, Verdict("yes", p=1.0, certainty=1.0)),
        (POLITE, {"type": "noul", "noul": 0.5}, Verdict("yes", p=0.5, certainty=0.0)),
        (POLITE, {**YES, "refusal": None}, Verdict("yes", p=0.9, certainty=0.8)),
        (POLITE, {**YES, "x_trace": 1}, Verdict("yes", p=0.9, certainty=0.8)),
        (POLITE, {**YES, "choice": "no"}, Verdict("yes", p=0.9, certainty=0.8, flags=("extra_answer_fields",))),
        (CHANNEL, CHOICE, Verdict("phone", certainty=0.25)),
        (CHANNEL, {**CHOICE, "confidence": 7}, Verdict("phone", certainty=0.25)),
        (CHANNEL, {**CHOICE, "probabilities": {"Mail": 0.2, "phone": 0.5, "chat": 0.34}}, Verdict("phone", certainty=0.25)),
        (QUALITY, SCORE, Verdict("5", score=0.2 + 0.6 + 2.5, certainty=0.25)),
        (QUALITY, {**SCORE, "legend": None}, Verdict("5", score=3.3, certainty=0.25)),
        (QUALITY, {**SCORE, "score": 1.31}, Verdict("5", score=3.3, certainty=0.25)),
        (
            QUALITY,
            {**SCORE, "score": 1.0, "probabilities": {"0": 0.4, "1": 0.2, "2": 0.4}},
            Verdict("1", score=2.8, certainty=0.1, flags=("tied_levels",)),
        ),
    ],
)  # fmt: skip
def test_is_read(question: Question, answer: Any, wanted: Verdict) -> None:
    verdict = read(question, answer)
    assert (verdict.answer, verdict.flags) == (wanted.answer, wanted.flags)
    for name in ("p", "score", "certainty"):
        value, due = getattr(verdict, name), getattr(wanted, name)
        assert value == (None if due is None else pytest.approx(due, abs=1e-12))
    assert verdict.answered_by == MODEL
    assert json.loads(verdict.raw or "") == answer


@pytest.mark.parametrize(
    ("kind", "changes", "reason", "told"),
    [
        ("yes_no", {"type": "boolean"}, "unparsed", "type boolean to a noul"),
        ("yes_no", {"type": None}, "unparsed", "of type None"),
        ("yes_no", {"type": "choice"}, "unparsed", "type choice"),
        ("yes_no", {"noul": 1.52}, "out_of_range", "1.52"),
        ("yes_no", {"noul": -0.01}, "out_of_range", "-0.01"),
        ("yes_no", {"noul": True}, "out_of_range", "True"),
        ("yes_no", {"noul": "0.9"}, "out_of_range", "0.9"),
        ("yes_no", {"noul": None}, "out_of_range", "None"),
        ("yes_no", {"noul": [0.9]}, "out_of_range", "[0.9]"),
        ("yes_no", {"noul": 10**400}, "out_of_range", "1000"),
        ("yes_no", {"refusal": "I will not say."}, "refused", "I will not say."),
        ("yes_no", {"type": "refusal"}, "refused", "no words"),
        ("choice", {"type": "refusal", "refusal": ""}, "refused", "no words"),
        ("choice", {"choice": "Mail"}, "out_of_range", "has 0.2, another 0.5"),
        ("choice", {"choice": "letter"}, "out_of_range", "none of the options"),
        ("choice", {"choice": None}, "out_of_range", "none of the options"),
        ("choice", {"choice": 1}, "out_of_range", "none of the options"),
        ("choice", {"probabilities": None}, "unparsed", "no map"),
        ("choice", {"probabilities": [0.2, 0.5, 0.3]}, "unparsed", "no map"),
        ("choice", {"probabilities": {"phone": 1.0}}, "out_of_range", "keys"),
        ("choice", {"probabilities": {"Mail": 0, "phone": 1, "chat": 0, "fax": 0}}, "out_of_range", "keys"),
        ("choice", {"probabilities": {"mail": 0.2, "phone": 0.5, "chat": 0.3}}, "out_of_range", "keys"),
        ("choice", {"probabilities": {"Mail": 0.4, "phone": 0.5, "chat": 0.3}}, "out_of_range", "sum to 1.2"),
        ("choice", {"probabilities": {"Mail": 0.1, "phone": 0.5, "chat": 0.3}}, "out_of_range", "sum to 0.9"),
        ("choice", {"probabilities": {"Mail": -0.2, "phone": 0.9, "chat": 0.3}}, "out_of_range", "of Mail"),
        ("choice", {"probabilities": {"Mail": True, "phone": 0, "chat": 0}}, "out_of_range", "of Mail"),
        ("choice", {"probabilities": {"Mail": 0, "phone": 0, "chat": 0}}, "out_of_range", "sum to 0"),
        ("score", {"score": 2}, "out_of_range", "not the expectation 1.3"),
        ("score", {"score": None}, "out_of_range", "not the expectation"),
        ("score", {"score": "1.3"}, "out_of_range", "not the expectation"),
        ("score", {"score": 3.3}, "out_of_range", "not the expectation"),
        ("score", {"score": 10**400}, "out_of_range", "not the expectation"),
        ("score", {"probabilities": {"1": 0.2, "2": 0.3, "3": 0.5}}, "out_of_range", "keys"),
        ("score", {"probabilities": {"0": 0.16, "1": 0.24, "2": 0.4}}, "out_of_range", "sum to 0.8"),
        ("score", {"legend": {"0": "good", "1": "fair", "2": "bad"}}, "out_of_range", "legend"),
        ("score", {"legend": {"1": "bad", "2": "fair", "3": "good"}}, "out_of_range", "legend"),
        ("score", {"legend": ["bad", "fair", "good"]}, "out_of_range", "legend"),
        ("score", {"legend": {"0": "bad", "1": 2, "2": "good"}}, "out_of_range", "legend"),
    ],
)  # fmt: skip
def test_is_refused(kind: str, changes: dict[str, Any], reason: str, told: str) -> None:
    verdict = read(ASKED[kind], {**GOOD[kind], **changes})
    assert (verdict.answer, verdict.unscored) == (None, reason)
    assert told in (verdict.detail or "")
    assert (verdict.p, verdict.score, verdict.certainty) == (None, None, None)


@pytest.mark.parametrize("answer", [None, True, 0.9, "yes", [], [YES], {}])
def test_an_answer_that_is_no_answer_is_unparsed(answer: Any) -> None:
    assert read(POLITE, answer).unscored == "unparsed"


def test_a_fault_concerns_its_question_only() -> None:
    asked = Asked(DIALECTS["systemone"], MODEL, [POLITE, CHANNEL, SOLVED, QUALITY])
    answers = {"q1": {**YES, "noul": 2}, "q2": CHOICE, "q4": SCORE}
    verdicts = read_reply(asked, reply(answers), JSON)
    assert [v.unscored for v in verdicts] == ["out_of_range", None, "missing_answer", None]


def test_a_choice_of_many_options_is_read_when_rounded() -> None:
    """40 options rounded to two decimals: their sum is .8 by rounding alone."""
    question = Question("choice", "Which?", tuple((f"o{i}", "an option") for i in range(40)))
    shares = {f"o{i}": 0.02 for i in range(40)}
    assert read(question, {"type": "choice", "choice": "o7", "probabilities": shares}).answer == "o7"


# --- whole replies ---


@pytest.mark.parametrize(
    ("body", "told"),
    [
        (b"", "Expecting value"),
        (b"Hello!", "Expecting value"),
        (b"\xff\xfe{}", "not UTF-8"),
        (b'\xef\xbb\xbf{"model": "m", "answers": {}}', "BOM"),
        (b"[]", "list, not a map"),
        (b"null", "NoneType, not a map"),
        (b'{"model": "m", "answers": {"q1": {"type": "noul", "noul": NaN}}}', "NaN is no number"),
        (b'{"model": "m", "answers": {"q1": {"type": "noul", "noul": 0.5}}, "x": Infinity}', "Infinity is no number"),
        (b'{"model": "m", "answers": {"q1": {"type": "noul", "noul": 0.5}}, "x": -Infinity}', "-Infinity is no number"),
        (b'{"model": "m", "answers": {"q1": {"type": "noul", "noul": 1e400}}}', "1e400 is too large"),
        (b'{"model": "m", "answers": {"q1": {"type": "noul", "noul": 0.1, "noul": 0.9}}}', "the key 'noul' twice"),
        (b'{"model": "m", "answers": {"q1": {"type": "noul", "noul": 0.5}}', "Expecting"),
        (b'{"model": "m", "answers": {"q1": {"type": "noul", "noul": ' + b"9" * 5000 + b"}}}", "limit"),
        (b"[" * 100_000, "nested too deeply"),
        (b'{"answers": {"q1": {"type": "noul", "noul": 0.5}}}', "does not name the model"),
        (b'{"model": 7, "answers": {"q1": {"type": "noul", "noul": 0.5}}}', "does not name the model"),
        (b'{"model": " ", "answers": {"q1": {"type": "noul", "noul": 0.5}}}', "does not name the model"),
        (b'{"model": "m"}', "answers is missing"),
        (b'{"model": "m", "answers": null}', "answers is missing"),
        (b'{"model": "m", "answers": [{"type": "noul", "noul": 0.5}]}', "answers is list"),
        (b'{"error": {"message": "out of memory"}}', "does not name the model"),
    ],
)  # fmt: skip
def test_a_reply_that_cannot_be_read_is_unparsed_for_all(body: bytes, told: str) -> None:
    verdicts = read_reply(Asked(DIALECTS["systemone"], MODEL, [POLITE, QUALITY]), body, JSON)
    assert [v.unscored for v in verdicts] == ["unparsed", "unparsed"]
    assert told in (verdicts[0].detail or "")


@pytest.mark.parametrize(
    ("more", "content_type", "flags"),
    [
        ({}, JSON, set()),
        ({}, "application/json; charset=utf-8", set()),
        ({}, "application/vnd.typesafe+json", set()),
        ({}, "text/plain", {"content_type"}),
        ({}, "", {"content_type"}),
        ({"x_trace": 1}, JSON, set()),
        ({"latency_ms": 1}, JSON, {"extra_fields"}),
        ({"provider": "p"}, JSON, {"extra_fields"}),
        ({"score": 0.0}, JSON, {"top_level_override"}),
        ({"verdict": "no"}, JSON, {"top_level_override"}),
        ({"decision": {"q1": "no"}}, JSON, {"top_level_override"}),
        ({"result": None}, JSON, {"top_level_override"}),
        ({"answers": {"q1": YES, "q2": YES}}, JSON, {"extra_answers"}),
        ({"model": "jev-1.13.1"}, JSON, {"answered_by_another_model"}),
        ({"usage": None}, JSON, {"usage_missing"}),
        ({"usage": {"input_tokens": 10.0, "output_tokens": 2}}, JSON, {"usage_unreadable"}),
        ({"usage": {"input_tokens": -1, "output_tokens": 2}}, JSON, {"usage_unreadable"}),
        ({"usage": {"input_tokens": True, "output_tokens": 2}}, JSON, {"usage_unreadable"}),
        ({"usage": [10, 2]}, JSON, {"usage_unreadable"}),
    ],
)  # fmt: skip
def test_an_oddity_is_flagged_and_moves_nothing(more: dict[str, Any], content_type: str, flags: set[str]) -> None:
    body = json.dumps({**json.loads(reply({"q1": YES})), **more}).encode()
    (verdict,) = read_reply(Asked(DIALECTS["systemone"], MODEL, [POLITE], price_of(MODEL)), body, content_type)
    assert (verdict.answer, verdict.p) == ("yes", 0.9)
    assert set(verdict.flags) == flags
    if "usage_missing" in flags or "usage_unreadable" in flags:
        assert verdict.cost_usd is None
        assert verdict.tokens_in in (None, 10)
    else:
        assert (verdict.tokens_in, verdict.cost_usd) == (10, pytest.approx(10 * 0.042e-6))


def test_shares_of_usage_sum_to_that_of_the_call() -> None:
    usage = {"input_tokens": 1003, "output_tokens": 5, "cost": 0.01}
    verdicts = read_reply(
        Asked(DIALECTS["openrouter"], MODEL, [POLITE, SOLVED, QUALITY], Price(9, 9, "", "")),
        reply({"q1": YES, "q3": SCORE}, usage=usage, provider="Somewhere", id="gen-1"),
        JSON,
    )
    assert sum(v.tokens_in or 0 for v in verdicts) == 1003
    assert sum(v.tokens_out or 0 for v in verdicts) == 5
    assert math.fsum(v.cost_usd or 0 for v in verdicts) == pytest.approx(0.01)
    assert [v.unscored for v in verdicts] == [None, "refused", None], "OpenRouter leaves a refused question out"
    assert {(v.answered_by, v.flags) for v in verdicts} == {(f"{MODEL} via Somewhere", ())}


def test_an_unknown_price_is_unknown() -> None:
    assert price_of("somebody/else") is None
    assert read(POLITE, YES).cost_usd is None


# --- OpenAI's list of answers ---


def openai(*answers: Any, questions: tuple[Question, ...] = (POLITE,)) -> list[Verdict]:
    return read_reply(Asked(DIALECTS["openai"], MODEL, questions), reply(list(answers)), JSON)


PREDICATE = {"type": "predicate", "name": "q1", "probability": 0.9}
PHONE = {"type": "choice", "name": "q1", "choice": "phone"}
RATED = {"type": "score", "name": "q1", "score": 1.3}
SHARES = [{"value": "Mail", "probability": 0.2}, {"value": "phone", "probability": 0.5}]
CHAT = {"value": "chat", "probability": 0.3}
LEVELS = [
    {"value": i, "label": label, "probability": p} for i, (label, p) in enumerate([("1", 0.2), ("2", 0.3), ("5", 0.5)])
]


@pytest.mark.parametrize(
    ("question", "answer", "wanted"),
    [
        (POLITE, PREDICATE, "yes"),
        (CHANNEL, {**PHONE, "probabilities": [*SHARES, CHAT], "confidence": 1}, "phone"),
        (QUALITY, {**RATED, "probabilities": LEVELS, "confidence": 1}, "5"),
    ],
)  # fmt: skip
def test_an_openai_answer_is_read(question: Question, answer: Any, wanted: str) -> None:
    (verdict,) = openai(answer, questions=(question,))
    assert (verdict.answer, verdict.flags) == (wanted, ())


@pytest.mark.parametrize(
    ("question", "answers", "reason", "flags"),
    [
        (POLITE, [], "missing_answer", set()),
        (POLITE, [{**PREDICATE, "name": None}], "missing_answer", {"extra_answers"}),
        (POLITE, ["yes", 1, None], "missing_answer", {"extra_answers"}),
        (POLITE, [PREDICATE, {**PREDICATE, "probability": 0.1}], "unparsed", set()),
        (POLITE, [{"type": "refusal", "name": "q1"}], "refused", set()),
        (POLITE, [{**PREDICATE, "refusal": "no"}], "refused", set()),
        (POLITE, [{"type": "predicate", "name": "q1"}], "out_of_range", set()),
        (POLITE, [{"type": "noul", "name": "q1", "noul": 0.9}], "unparsed", set()),
        (POLITE, [{**PREDICATE, "probability": 1.5}], "out_of_range", set()),
        (CHANNEL, [{**PHONE, "probabilities": SHARES}], "out_of_range", set()),
        (CHANNEL, [{**PHONE, "probabilities": [*SHARES, CHAT, CHAT]}], "unparsed", set()),
        (CHANNEL, [{**PHONE, "probabilities": [0.2, 0.5, 0.3]}], "unparsed", set()),
        (QUALITY, [{**RATED, "probabilities": [{**v, "label": "x"} for v in LEVELS]}], "out_of_range", set()),
        (QUALITY, [{**RATED, "probabilities": [{**v, "value": True} for v in LEVELS]}], "unparsed", set()),
    ],
)  # fmt: skip
def test_an_openai_answer_is_refused(question: Question, answers: list[Any], reason: str, flags: set[str]) -> None:
    (verdict,) = openai(*answers, questions=(question,))
    assert (verdict.unscored, set(verdict.flags) - {"extra_answer_fields"}) == (reason, flags)


# --- all three, over HTTP ---


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_round_trip(dialect: str) -> None:
    with Fake(HONEST[dialect]) as fake:
        verdicts = ask_now(judge_at(fake.url, dialect=dialect), ITEM, QUESTIONS)
    assert [(v.unscored, v.flags) for v in verdicts] == [(None, ())] * 4
    assert verdicts[1].p == chance(state_of(ITEM), POLITE.text)
    assert verdicts[2].p == chance(state_of(ITEM), SOLVED.text)
    assert sum(v.tokens_in or 0 for v in verdicts) == 1003
    (request,) = fake.seen
    assert request.path == DIALECTS[dialect].path
    assert request.headers["Authorization"] == "Bearer local"


def test_the_dialects_agree() -> None:
    told = []
    for dialect, honest in HONEST.items():
        with Fake(honest) as fake:
            verdicts = ask_now(judge_at(fake.url, dialect=dialect), ITEM, QUESTIONS)
        told.append([(v.answer, v.p, v.score, v.certainty) for v in verdicts])
    assert told[0] == told[1] == told[2]


def test_no_name_of_the_suite_is_sent() -> None:
    with Fake(HONEST["systemone"]) as fake:
        ask_now(judge_at(fake.url), ITEM, QUESTIONS)
    assert set(fake.seen[0].body) == {"model", "state", "questions"}
    assert list(fake.seen[0].body["questions"]) == ["q1", "q2", "q3", "q4"]


def test_a_redirect_is_not_followed() -> None:
    def away(request: Request) -> Answer:
        return Answer("", status=307, headers={"Location": "http://127.0.0.1:1/elsewhere"})

    with Fake(away) as fake:
        (verdict,) = ask_now(judge_at(fake.url), ITEM, [POLITE])
    assert (verdict.unscored, len(fake.seen)) == ("error", 1)


# --- anything at all ---

NAMES = st.sampled_from(
    ["q1", "q2", "q3", "q4", "type", "noul", "choice", "score", "legend", "probabilities", "confidence", "name", "value",
     "label", "probability", "refusal", "input_tokens", "output_tokens", "cost", "input_tokens_details", "Mail", "0", "1", "2"]
)  # fmt: skip
WORDS = st.sampled_from(
    ["noul", "choice", "score", "predicate", "refusal", "Mail", "phone", "", "bad", "q1", "q2", "\ud800"]
)
LEAVES = st.none() | st.booleans() | st.integers() | st.floats() | WORDS | st.text(max_size=8)
TREES = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(NAMES | st.text(max_size=4), inner, max_size=6),
    max_leaves=20,
)


@st.composite
def near_misses(draw: st.DrawFn) -> Any:
    """A good reply with something put elsewhere."""
    good = {"q1": CHOICE, "q2": YES, "q3": YES, "q4": SCORE}
    answers: Any = {name: {**good[name], **draw(st.dictionaries(NAMES, TREES, max_size=2))} for name in good}
    if draw(st.booleans()):
        answers = [{**answer, "name": name} for name, answer in answers.items()]
    whole = {"model": MODEL, "answers": answers, "usage": draw(TREES)}
    return {
        **whole,
        **draw(st.dictionaries(st.sampled_from(["model", "answers", "usage", "score"]), TREES, max_size=1)),
    }


@settings(max_examples=400, deadline=None)
@given(tree=TREES | near_misses(), dialect=st.sampled_from(sorted(DIALECTS)), content_type=st.text(max_size=12))
def test_no_reply_raises_or_gives_an_invalid_verdict(tree: Any, dialect: str, content_type: str) -> None:
    body = json.dumps(tree).encode()
    verdicts = read_reply(Asked(DIALECTS[dialect], MODEL, QUESTIONS, price_of(MODEL)), body, content_type)
    assert len(verdicts) == len(QUESTIONS)
    for verdict, question in zip(verdicts, QUESTIONS, strict=True):
        assert verdict.answer is None or verdict.answer in question.answers
        row = stored(verdict, "i", 0, Asking(None, "", ""))
        row.model_dump_json()
        if verdict.answer is not None:
            assert verdict.certainty is not None
            assert (verdict.p is not None) == (question.type == "yes_no")
            assert (verdict.score is not None) == (question.type == "score")
        else:
            assert (verdict.p, verdict.score, verdict.certainty) == (None, None, None)
            assert verdict.detail


@settings(max_examples=150, deadline=None)
@given(st.binary(max_size=60))
def test_no_bytes_raise(body: bytes) -> None:
    verdicts = read_reply(Asked(DIALECTS["systemone"], MODEL, QUESTIONS), body, JSON)
    assert {v.unscored for v in verdicts} == {"unparsed"}


@settings(max_examples=150, deadline=None)
@given(TREES)
def test_strict_reading_gives_what_was_written(tree: Any) -> None:
    text = json.dumps(tree)
    if "NaN" in text or "Infinity" in text:
        return
    assert json.dumps(read_json(text.encode())) == text


@pytest.mark.parametrize("depth", [100, 900, 5000])
def test_deep_answers_neither_raise_nor_count(depth: int) -> None:
    body = reply({"q1": YES}).replace(b"0.9", b"[" * depth + b"]" * depth)
    (verdict,) = read_reply(Asked(DIALECTS["systemone"], MODEL, [POLITE]), body, JSON)
    assert verdict.unscored in ("unparsed", "out_of_range")
