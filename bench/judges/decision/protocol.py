"""The three dialects of a decision endpoint: the body that asks, and a reply's answers in one form.

The one form is that of ``/v1/systemone``. OpenAI's shapes are those of its published types (openai-client-base 0.16,
langchain-openai, Fireworks; read 2026-11-30): a predicate has no criteria of its own, so they stand in its instructions.
Only ``systemone`` was asked of servers that we did not write (the mock, sparrow-decider): see docs/decision-faults.md.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from bench.judges.contract import Item, Question, Reason
from bench.projection.presets import CHARACTERS_A_TOKEN
from bench.projection.render import escape, render

VERSION = 1  # of the bodies, the state and what is read from a reply: raise it with any change that can move an answer
STATE_AND_QUESTION_TOKENS = 32_000  # vendor's documentation; some servers cut in silence instead of refusing
REQUEST_TOKENS = 64_000


@dataclass(frozen=True)
class Dialect:
    """One way to ask and to answer."""

    name: str
    base_url: str  # its vendor's
    path: str
    key_env: str
    body: Callable[[str, str, Sequence[Question]], Mapping[str, Any]]
    answers: Callable[[Any], tuple[Mapping[str, list[Any]], int]]  # by question id; and how many have no usable id
    fields: frozenset[str]  # of a reply, that are documented
    left_out: Reason  # what it means that a question has no answer
    legend: Callable[[Question], tuple[str, ...]]  # what the legend of a score says, level by level


def state_of(item: Item) -> str:
    """The text that is judged: the rendering, under the line of the reference time where there is one."""
    if item.projection is None:
        raise ValueError("no projection was given")
    now = "" if item.reference_time is None else f"reference time: {escape(' '.join(item.reference_time.split()))}\n"
    return now + render(item.projection)


def question_id(position: int) -> str:
    """q1, q2, ...: the suite's own names of statements are never sent."""
    return f"q{position + 1}"


def too_long(state: str, questions: Sequence[Question]) -> str | None:
    """Why the request would be over the limits, or None; a token is estimated as four characters."""
    sizes = [_size(question) for question in questions]
    longest = (len(state) + max(sizes, default=0)) // CHARACTERS_A_TOKEN
    if longest > STATE_AND_QUESTION_TOKENS:
        return f"about {longest} tokens of state and longest question, over {STATE_AND_QUESTION_TOKENS}"
    whole = request_tokens(state, questions)
    if whole > REQUEST_TOKENS:
        return f"about {whole} tokens in one request, over {REQUEST_TOKENS}"
    return None


def request_tokens(state: str, questions: Sequence[Question]) -> int:
    """How many tokens the request has, about."""
    return (len(state) + sum(_size(question) for question in questions)) // CHARACTERS_A_TOKEN


def _size(question: Question) -> int:
    return len(json.dumps(systemone_question(question), ensure_ascii=False))


# --- /v1/systemone, and OpenRouter's, which has the same body ---


def systemone_question(question: Question) -> dict[str, Any]:
    """A question as noul, choice or score."""
    meanings = [meaning for _, meaning in question.criteria]
    if question.type == "yes_no":
        true, false = meanings
        return {"type": "noul", "instructions": question.text, "criteria": {"true": true, "false": false}}
    if question.type == "choice":
        return {"type": "choice", "instructions": question.text, "criteria": dict(question.criteria)}
    return {"type": "score", "instructions": question.text, "criteria": meanings}


def systemone_questions(questions: Sequence[Question]) -> dict[str, dict[str, Any]]:
    return {question_id(i): systemone_question(question) for i, question in enumerate(questions)}


def _systemone_body(model: str, state: str, questions: Sequence[Question]) -> Mapping[str, Any]:
    return {"model": model, "state": state, "questions": systemone_questions(questions)}


def _systemone_answers(answers: Any) -> tuple[Mapping[str, list[Any]], int]:
    if not isinstance(answers, dict):
        raise ValueError(f"answers is {_kind(answers)}, not a map")
    return {name: [answer] for name, answer in answers.items()}, 0


# --- OpenAI's /v1/decisions ---


def _openai_body(model: str, state: str, questions: Sequence[Question]) -> Mapping[str, Any]:
    asked = [{"name": question_id(i), **_openai_question(question)} for i, question in enumerate(questions)]
    return {"model": model, "input": state, "questions": asked}


def _openai_question(question: Question) -> dict[str, Any]:
    if question.type == "yes_no":
        (_, true), (_, false) = question.criteria
        return {"type": "predicate", "instructions": f"{question.text}\nTrue means: {true}\nFalse means: {false}"}
    if question.type == "choice":
        choices = [{"value": value, "description": meaning} for value, meaning in question.criteria]
        return {"type": "choice", "instructions": question.text, "choices": choices}
    levels = [{"label": label, "description": meaning} for label, meaning in question.criteria]
    return {"type": "score", "instructions": question.text, "levels": levels}


def _openai_answers(answers: Any) -> tuple[Mapping[str, list[Any]], int]:
    if not isinstance(answers, list):
        raise ValueError(f"answers is {_kind(answers)}, not a list")
    found: dict[str, list[Any]] = {}
    nameless = 0
    for answer in answers:
        name = answer.get("name") if isinstance(answer, dict) else None
        if isinstance(name, str):
            found.setdefault(name, []).append(_in_one_form(answer))
        else:
            nameless += 1
    return found, nameless


def _in_one_form(answer: dict[str, Any]) -> dict[str, Any]:
    """An answer of OpenAI's as one of systemone's. What has another shape stays as it is, and is refused later."""
    rest = {name: value for name, value in answer.items() if name != "name"}
    if answer.get("type") == "predicate" and "noul" not in rest:
        noul = {"noul": rest.pop("probability")} if "probability" in rest else {}
        return {**rest, "type": "noul", **noul}
    if answer.get("type") == "noul":
        return {**rest, "type": "noul, where predicate was due"}
    entries = rest.get("probabilities")
    if isinstance(entries, list):
        rest["probabilities"] = _as_map(entries, "probability")
        if answer.get("type") == "score":
            rest["legend"] = _as_map(entries, "label")
    return rest


def _as_map(entries: list[Any], name: str) -> object:
    """Entries of {value, ``name``} as a map from value; the list itself where it cannot be one."""
    found: dict[str, Any] = {}
    for entry in entries:
        if not isinstance(entry, dict) or name not in entry:
            return entries
        value = entry.get("value")
        key = str(value) if isinstance(value, int) and not isinstance(value, bool) and abs(value) < 1000 else value
        if not isinstance(key, str) or key in found:
            return entries
        found[key] = entry[name]
    return found


def _kind(value: object) -> str:
    return "missing" if value is None else type(value).__name__


def _meanings(question: Question) -> tuple[str, ...]:
    return tuple(meaning for _, meaning in question.criteria)


def _labels(question: Question) -> tuple[str, ...]:
    return question.answers


_SYSTEMONE = frozenset({"model", "answers", "usage"})
DIALECTS: dict[str, Dialect] = {
    dialect.name: dialect
    for dialect in (
        Dialect("systemone", "https://api.typesafe.ai", "/v1/systemone", "TYPESAFE_API_KEY",
                _systemone_body, _systemone_answers, _SYSTEMONE, "missing_answer", _meanings),
        Dialect("openrouter", "https://openrouter.ai", "/api/alpha/decisions", "OPENROUTER_API_KEY",
                _systemone_body, _systemone_answers, _SYSTEMONE | {"id", "provider"}, "refused", _meanings),
        Dialect("openai", "https://api.openai.com", "/v1/decisions", "OPENAI_API_KEY",
                _openai_body, _openai_answers, _SYSTEMONE, "missing_answer", _labels),
    )
}  # fmt: skip
