"""A whole reply: who answered, what it took, and a verdict a question. Nothing in it can raise, whatever was sent."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from bench.judges.contract import Question, Verdict
from bench.judges.decision.answers import verdict_of
from bench.judges.decision.protocol import Dialect, question_id
from bench.judges.prices import Price
from bench.problems import shorten
from bench.reading.strict_json import read_json

_OVERRIDES = ("score", "decision", "verdict", "result")
_RAW_CHARACTERS = 4000


@dataclass(frozen=True)
class Usage:
    """What one call took; None is unknown."""

    tokens_in: int | None = None
    tokens_out: int | None = None
    tokens_cached: int | None = None
    cost_usd: float | None = None
    flags: tuple[str, ...] = ()


@dataclass(frozen=True)
class Asked:
    """What the reply replies to. ``clean`` takes secrets out of texts that are kept."""

    dialect: Dialect
    model: str
    questions: Sequence[Question]
    price: Price | None = None
    clean: Callable[[str], str] = str


def read_reply(asked: Asked, body: bytes, content_type: str) -> list[Verdict]:
    """One verdict a question, in order."""
    try:
        return _read(asked, body, content_type)
    except RecursionError:
        return _unparsed(asked, body, "nested too deeply")


def _read(asked: Asked, body: bytes, content_type: str) -> list[Verdict]:
    try:
        reply = read_json(body)
        if not isinstance(reply, dict):
            raise ValueError(f"a reply that is {type(reply).__name__}, not a map")
        model = reply.get("model")
        if not isinstance(model, str) or not model.strip():
            raise ValueError("the reply does not name the model that answered")
        answers, nameless = asked.dialect.answers(reply.get("answers"))
    except ValueError as error:
        return _unparsed(asked, body, str(error))
    usage = _usage(reply.get("usage"), asked.price)
    flags = (*_flags(asked, reply, answers, nameless, content_type), *usage.flags)
    verdicts = []
    for i, question in enumerate(asked.questions):
        given = answers.get(question_id(i), [])
        verdict = _verdict(asked, question, given)
        raw = _kept(asked, json.dumps(given[0], ensure_ascii=False)) if given else None
        verdicts.append(replace(verdict, raw=raw, flags=tuple(dict.fromkeys((*verdict.flags, *flags)))))
    return _with_usage(verdicts, _answerer(asked, reply), usage)


def _verdict(asked: Asked, question: Question, given: Sequence[Any]) -> Verdict:
    if not given:
        return Verdict(unscored=asked.dialect.left_out, detail="no answer to this question")
    if len(given) > 1:
        return Verdict(unscored="unparsed", detail=f"{len(given)} answers to this question")
    verdict = verdict_of(question, given[0], asked.dialect.legend(question))
    return verdict if verdict.detail is None else replace(verdict, detail=_cleaned(asked, verdict.detail))


def _unparsed(asked: Asked, body: bytes, why: str) -> list[Verdict]:
    raw = _kept(asked, body[:_RAW_CHARACTERS].decode("utf-8", "replace"))
    verdict = Verdict(unscored="unparsed", detail=_cleaned(asked, shorten(why, 200)), raw=raw)
    return [verdict] * len(asked.questions)


def _kept(asked: Asked, text: str) -> str:
    return _cleaned(asked, text)[:_RAW_CHARACTERS]


def _cleaned(asked: Asked, text: str) -> str:
    """Without secrets; lone surrogates, which UTF-8 has no bytes for, are written as escapes."""
    return asked.clean(text.encode("utf-8", "backslashreplace").decode())


def _answerer(asked: Asked, reply: dict[str, Any]) -> str:
    """The model that answered; behind a router, with the provider that served it."""
    provider = reply.get("provider") if "provider" in asked.dialect.fields else None
    via = f" via {provider}" if isinstance(provider, str) and provider else ""
    return shorten(_cleaned(asked, f"{reply['model']}{via}"), 120)


def _flags(asked: Asked, reply: dict[str, Any], answers: Any, nameless: int, content_type: str) -> tuple[str, ...]:
    ids = {question_id(i) for i in range(len(asked.questions))}
    extra = [n for n in reply if n not in asked.dialect.fields and not n.startswith("x_") and n not in _OVERRIDES]
    media = content_type.split(";")[0].strip().lower()
    found = {
        "top_level_override": any(name in reply for name in _OVERRIDES),
        "extra_answers": nameless > 0 or bool(set(answers) - ids),
        "extra_fields": bool(extra),
        "content_type": media != "application/json" and not media.endswith("+json"),
        "answered_by_another_model": reply["model"] != asked.model,
    }
    return tuple(name for name, is_so in found.items() if is_so)


# --- usage ---


def _usage(usage: Any, price: Price | None) -> Usage:
    """Token counts where they are whole numbers; else unknown, which is not 0."""
    if not isinstance(usage, dict):
        return Usage(flags=("usage_missing" if usage is None else "usage_unreadable",))
    tokens_in, tokens_out = _count(usage.get("input_tokens")), _count(usage.get("output_tokens"))
    details = usage.get("input_tokens_details")
    cached = _count(details.get("cached_tokens")) if isinstance(details, dict) else None
    cost = _cost(usage.get("cost"))
    if cost is None and price is not None and tokens_in is not None and tokens_out is not None:
        cost = price.of(tokens_in, tokens_out)
    readable = tokens_in is not None and tokens_out is not None
    return Usage(tokens_in, tokens_out, cached, cost, () if readable else ("usage_unreadable",))


def _count(value: Any) -> int | None:
    whole = isinstance(value, int) and not isinstance(value, bool)
    return value if whole and 0 <= value < 10**12 else None


def _cost(value: Any) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < 10**6:
        return None
    return float(value) if math.isfinite(value) else None


def _with_usage(verdicts: Sequence[Verdict], answered_by: str, usage: Usage) -> list[Verdict]:
    """One call answered them all: each verdict carries its share, so that sums over verdicts are those of the call."""
    n = len(verdicts)
    return [
        replace(
            verdict,
            answered_by=answered_by,
            tokens_in=_share(usage.tokens_in, n, i),
            tokens_out=_share(usage.tokens_out, n, i),
            tokens_cached=_share(usage.tokens_cached, n, i),
            cost_usd=None if usage.cost_usd is None else usage.cost_usd / n,
        )
        for i, verdict in enumerate(verdicts)
    ]


def _share(whole: int | None, parts: int, i: int) -> int | None:
    return None if whole is None else whole // parts + (i < whole % parts)
