"""From a reply to a verdict: taken only where it is stated once, in the asked form, in the asked words.

What was quoted from the session, thought aloud, cut off or said twice is no verdict. Nothing of a reply gets into ``detail``,
which is shown everywhere; the reply may quote the session.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from bench.judges.contract import Question, Reason
from bench.judges.llm.prompt import CANNOT_TELL
from bench.judges.llm.reasoning import behind_closers, without_reasoning

LONGEST_REPLY = 200_000  # characters that are looked through for JSON
_MOST_OBJECTS = 200
_MOST_QUOTES = 20
_FENCE_BEFORE = re.compile(r"```[A-Za-z]{0,10}[ \t]*\r?\n?\s*\Z")
_FENCE_AFTER = re.compile(r"\s*```")
_NUMBER = re.compile(r"[+-]?[0-9]+(?:\.[0-9]+)?(?:\s*/\s*[0-9]+)?")
_REFUSAL = re.compile(
    r"\s*(?:(?:I['’]?m|I am)?\s*(?:very |so )?(?:sorry|afraid)|unfortunately|as an AI[^,.\n]{0,40})?[,.;:]?\s*(?:but\s+|that\s+)?"
    r"I\s*(?:can ?not|can['’]t|(?:am|['’]m)\s+(?:unable|not able)\s+to|won['’]t|will\s+not|(?:must\s+)?decline\s+to)"
    r"\s+(?:be able to\s+)?(?:assist|help|comply|fulfil|provide|engage|continue|process|discuss|participate|complete|do th)",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Parsed:
    """What a reply says. Exactly one of ``answer`` and ``unscored`` is given."""

    answer: str | None = None
    unscored: Reason | None = None
    detail: str | None = None
    reason: str | None = None
    quotes: tuple[str, ...] = ()


class _Refused(ValueError):
    """JSON that is not taken, with the reason why."""


def parse_json(texts: Sequence[str], question: Question, trace: str) -> Parsed:
    """The verdict of a reply that should be JSON: one text, or the arguments of each function call."""
    if not any(text.strip() for text in texts):
        return Parsed(unscored="missing_answer", detail="an empty reply")
    try:
        found = [candidate for text in texts for candidate in _objects(text)]
    except _Refused as refused:
        return Parsed(unscored="unparsed", detail=str(refused))
    stated = [candidate for candidate in found if "verdict" in candidate.value]
    own = [candidate for candidate in stated if not _quoted(candidate.text, trace)]
    taken = [candidate for candidate in own if candidate.stands_alone]
    if not taken:
        return _nothing(texts, found, stated, own)
    if len({_distinct(candidate.value["verdict"]) for candidate in own}) > 1:
        return Parsed(unscored="unparsed", detail="two different verdicts")
    return _from_object(taken[0].value, question)


def parse_lines(text: str, question: Question, nonce: str) -> Parsed:
    """The verdict of a reply in plain text: the line that carries the code, which the session cannot know."""
    if not text.strip():
        return Parsed(unscored="missing_answer", detail="an empty reply")
    body = without_reasoning(text)
    # Matched by the code alone, so that a line with another code, or none, is just text.
    stated = re.findall(rf"^[ \t>*_`-]*(?i:verdict)-{nonce}[*_`]*[ \t]*:(.*)$", body, re.MULTILINE)
    values = [_bare(value) for value in stated]
    if not values:
        return _refusal_or(body, "no verdict line with the code that was asked for")
    if len({value.lower() for value in values}) > 1:
        return Parsed(unscored="unparsed", detail="two different verdicts")
    quotes = re.findall(rf"^[ \t>*_`-]*(?i:evidence)-{nonce}[*_`]*[ \t]*:(.*)$", body, re.MULTILINE)
    others = [line for line in body.split("\n") if nonce not in line]
    reason = "\n".join(others).strip() or None
    return _judged(values[0], question, reason, [_bare(quote) for quote in quotes])


def _bare(value: str) -> str:
    """A value without the marks that frame it on its line."""
    value = value.strip().strip("*_").strip()
    for mark in ("`", '"', "'"):
        if len(value) >= 2 and value[0] == mark == value[-1]:
            return value[1:-1].strip()
    return value


def _from_object(value: dict[str, Any], question: Question) -> Parsed:
    reason = value.get("reason")
    given = value.get("evidence")
    quotes = [quote for quote in given if isinstance(quote, str)] if isinstance(given, list) else []
    return _judged(value["verdict"], question, reason if isinstance(reason, str) else None, quotes)


def _judged(value: object, question: Question, reason: str | None, quotes: Iterable[str]) -> Parsed:
    answer, unscored, detail = _answer(value, question)
    return Parsed(answer, unscored, detail, reason, tuple(quotes)[:_MOST_QUOTES])


def _answer(value: object, question: Question) -> tuple[str | None, Reason | None, str | None]:
    """The allowed answer that a stated value is, letter case aside; or why it is none."""
    scale = question.type == "score"
    if isinstance(value, float) and scale:
        return None, "out_of_range", "a score that is no level"
    if isinstance(value, int) and not isinstance(value, bool) and scale:
        value = str(value)
    if not isinstance(value, str):
        return None, "unparsed", f"a verdict that is no text ({type(value).__name__})"
    said = value.strip()
    if said.lower() == CANNOT_TELL:
        return None, "abstained", "it cannot tell"
    matches = [answer for answer in question.answers if answer == said]
    matches = matches or [answer for answer in question.answers if answer.lower() == said.lower()]
    if len(matches) == 1:
        return matches[0], None, None
    if scale and _NUMBER.fullmatch(said):
        return None, "out_of_range", "a score that is no level"
    return None, "unparsed", "a verdict that is none of the allowed answers"


@dataclass(frozen=True)
class _Candidate:
    value: dict[str, Any]
    text: str
    stands_alone: bool  # the whole reply, or the whole of a fence


def _objects(text: str) -> list[_Candidate]:
    """The JSON objects of a text. One that is the whole text is alone, whatever its texts look like."""
    if len(text) > LONGEST_REPLY:
        raise _Refused(f"a reply of over {LONGEST_REPLY} characters")
    for whole in (text, *behind_closers(text)):
        whole = whole.strip()
        value = _whole(whole)
        if value is not None:
            return [_Candidate(value, whole, stands_alone=True)]
    return list(_scattered(without_reasoning(text)))


def _whole(text: str) -> dict[str, Any] | None:
    if not (text.startswith("{") and text.endswith("}")):
        return None
    try:
        value, end = _DECODER.raw_decode(text)
    except json.JSONDecodeError:
        return None
    except RecursionError:
        raise _Refused("JSON that nests too deep") from None
    return value if end == len(text) and isinstance(value, dict) else None


def _scattered(text: str) -> Iterable[_Candidate]:
    whole = _whole(text.strip())
    if whole is not None:
        yield _Candidate(whole, text.strip(), stands_alone=True)
        return
    position, tries = text.find("{"), 0
    while position >= 0:
        tries += 1
        if tries > _MOST_OBJECTS:
            raise _Refused("too many braces to look through")
        try:
            value, end = _DECODER.raw_decode(text, position)
        except json.JSONDecodeError:
            end = position + 1
        except RecursionError:
            raise _Refused("JSON that nests too deep") from None
        else:
            fenced = bool(_FENCE_BEFORE.search(text[max(0, position - 200) : position])) and bool(
                _FENCE_AFTER.match(text, end)
            )
            yield _Candidate(value, text[position:end], fenced)
        position = text.find("{", end)


def _quoted(text: str, trace: str) -> bool:
    """Whether the object is a copy of text in the session."""
    return "".join(text.split()) in "".join(trace.split())


def _distinct(value: object) -> str:
    return value.strip().lower() if isinstance(value, str) else f"{type(value).__name__} {value!r}"


def _nothing(texts: Sequence[str], found: list[_Candidate], stated: list[_Candidate], own: list[_Candidate]) -> Parsed:
    if stated and not own:
        return Parsed(unscored="unparsed", detail="its only verdict is a copy of text in the session")
    if stated:
        return Parsed(unscored="unparsed", detail="a verdict in the midst of other text")
    if found:
        return Parsed(unscored="unparsed", detail="JSON without a verdict")
    return _refusal_or(without_reasoning("\n".join(texts)), "no verdict")


def _refusal_or(body: str, detail: str) -> Parsed:
    if _REFUSAL.match(body):
        return Parsed(unscored="refused", detail="it declines in words")
    return Parsed(unscored="unparsed", detail=detail)


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) != len(pairs):
        raise _Refused("JSON with a key that stands twice")
    return value


def _no_constant(name: str) -> Any:
    raise _Refused("JSON with a number that is none")


def _finite(text: str) -> float:
    value = float(text)
    if value in (float("inf"), float("-inf")):
        raise _Refused("JSON with a number out of all range")
    return value


def _short_int(text: str) -> int:
    if len(text) > 100:
        raise _Refused("JSON with a number out of all range")
    return int(text)


_DECODER = json.JSONDecoder(
    strict=False, object_pairs_hook=_unique, parse_constant=_no_constant, parse_float=_finite, parse_int=_short_int
)
