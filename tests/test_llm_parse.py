"""Whatever a model writes: parsing raises nothing, and takes no verdict that is not there."""

from __future__ import annotations

import json
import time

import pytest
from fake_llm import verdict
from hypothesis import given, settings
from hypothesis import strategies as st
from llm_judges import CHOICE, SCORE, YES_NO

from bench.judges.contract import Question
from bench.judges.llm.parse import LONGEST_REPLY, Parsed, parse_json, parse_lines
from bench.judges.llm.reasoning import without_reasoning

NONCE = "0123456789abcdef"
PIECES = st.sampled_from(
    [
        *(
            "{",
            "}",
            "[",
            "]",
            '"',
            ":",
            ",",
            "```",
            "```json\n",
            "\n",
            "\\",
            "\\u0079es",
            "NaN",
            "1e400",
            "true",
            "null",
            "4",
            "9",
            "-1",
        ),
        *(
            "<think>",
            "</think>",
            "<thinking>",
            "</reasoning>",
            "yes",
            "no",
            "Yes",
            "cannot tell",
            "INCORRECT",
            "shop",
            "\ud800",
            "\0",
        ),
        *(
            '"verdict"',
            '"verdict":',
            '"reason":',
            verdict("yes"),
            verdict("no"),
            verdict("3"),
            verdict(3),
            "I cannot help",
            "sorry",
        ),
        *(
            f"verdict-{NONCE}:",
            f"verdict-{NONCE}: yes\n",
            f"evidence-{NONCE}:",
            "verdict: yes",
            "verdict-fedcba9876543210: yes\n",
        ),
    ]
)
REPLIES = st.lists(PIECES | st.text(max_size=8), max_size=12).map("".join) | st.text(max_size=200)
QUESTIONS = st.sampled_from([YES_NO, SCORE, CHOICE])


def well_formed(parsed: Parsed, question: Question) -> None:
    assert (parsed.answer is None) != (parsed.unscored is None)
    assert parsed.answer is None or parsed.answer in question.answers
    assert (parsed.detail is None) == (parsed.unscored is None)


@settings(max_examples=600, deadline=None)
@given(st.lists(REPLIES, min_size=1, max_size=2), QUESTIONS, REPLIES)
def test_any_reply_in_json(texts: list[str], question: Question, trace: str) -> None:
    parsed = parse_json(texts, question, trace)
    well_formed(parsed, question)
    if parsed.answer is not None:
        said = "".join(texts).lower().replace("\\u0079", "y")
        assert '"verdict"' in said
        assert parsed.answer in said


@settings(max_examples=600, deadline=None)
@given(REPLIES, QUESTIONS)
def test_any_reply_in_lines(text: str, question: Question) -> None:
    parsed = parse_lines(text, question, NONCE)
    well_formed(parsed, question)
    if parsed.answer is not None:
        assert any(
            f"verdict-{NONCE}" in line.lower() and parsed.answer in line.lower()
            for line in without_reasoning(text).split("\n")
        )


@settings(max_examples=300, deadline=None)
@given(REPLIES, REPLIES, st.sampled_from(["yes", "no"]))
def test_a_verdict_behind_a_closer_is_the_only_one(before: str, reason: str, answer: str) -> None:
    own = verdict(answer, reason=reason)
    parsed = parse_json([f"{before}</think>\n{own}"], YES_NO, "")
    assert (parsed.answer, parsed.reason) == (answer, reason)


@settings(max_examples=300, deadline=None)
@given(
    st.dictionaries(
        st.text(max_size=5), st.recursive(st.none() | st.floats() | st.text(max_size=5), st.lists, max_leaves=5)
    )
)
def test_an_object_without_verdict_has_none(value: dict[str, object]) -> None:
    value.pop("verdict", None)
    assert parse_json([json.dumps(value)], YES_NO, "").answer is None


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("a<think>b</think>c", "ac"),
        ("b</think>c", "c"),
        ("b</think>c</thinking>d", "d"),
        ("a<think>b", "a"),
        ("a<think>b<think>c</think>d", "ad"),
        ("<THINK>b</Think>c", "c"),
        ("<think>a</think>b<reasoning>c</reasoning>d", "bd"),
        ("a<thinker>b", "a<thinker>b"),
        ("", ""),
    ],
)
def test_reasoning(text: str, left: str) -> None:
    assert without_reasoning(text) == left


@pytest.mark.parametrize(
    "text",
    [
        "{" * LONGEST_REPLY,
        '{"a":' * (LONGEST_REPLY // 5),
        '{"' * (LONGEST_REPLY // 2),
        "```json\n{}" * (LONGEST_REPLY // 10),
        "<think>" * (LONGEST_REPLY // 7),
        f"{verdict('yes')}\n" * (LONGEST_REPLY // 70),
        f"```\n{verdict('yes')}\n```" * 150,
        f"verdict-{NONCE}:" * (LONGEST_REPLY // 25),
        "*" * LONGEST_REPLY,
        "I" + " " * (LONGEST_REPLY - 1),
        "sorry" + " " * (LONGEST_REPLY - 5),
        "x" * (LONGEST_REPLY + 1),
    ],
    ids=range(12),
)
def test_hostile_replies_take_no_time(text: str) -> None:
    start = time.perf_counter()
    parse_json([text], YES_NO, "trace " * 20_000)
    parse_lines(text, YES_NO, NONCE)
    assert time.perf_counter() - start < 2
