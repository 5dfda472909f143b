"""One answer of a decision model, checked in full: a verdict, or the reason why it is none.

Tolerances follow the protocol's conformance suite (jevcompat 0.1.1, SPEC section 5): sums within .05 of 1, a score within
.02 of its expectation, both widened by what the rounding of the values shown explains.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from bench.judges.contract import Question, Reason, Verdict, yes_or_no
from bench.problems import shorten

CERTAINTY = "margin-from-uniform@1"  # (n * max - 1) / (n - 1); of P(yes) that is |2p - 1|
_TYPES = {"yes_no": "noul", "choice": "choice", "score": "score"}
_FIELDS = {
    "noul": {"type", "noul"},
    "choice": {"type", "choice", "probabilities", "confidence"},
    "score": {"type", "score", "legend", "probabilities", "confidence"},
}
_SLACK = 1e-9


class _Refused(Exception):
    """The answer is none."""

    def __init__(self, reason: Reason, detail: str) -> None:
        super().__init__(detail)
        self.reason: Reason = reason


def verdict_of(question: Question, answer: Any, legend: Sequence[str]) -> Verdict:
    """The verdict on one question. Never raises; a fault concerns this question only."""
    try:
        return _read(question, answer, legend)
    except _Refused as error:
        return Verdict(unscored=error.reason, detail=shorten(str(error), 200))


def _read(question: Question, answer: Any, legend: Sequence[str]) -> Verdict:
    if not isinstance(answer, dict):
        raise _Refused("unparsed", f"the answer is {type(answer).__name__}, not a map")
    if answer.get("type") == "refusal" or answer.get("refusal"):
        raise _Refused("refused", shorten(answer.get("refusal") or "no words were given", 120))
    wanted = _TYPES[question.type]
    if answer.get("type") != wanted:
        raise _Refused("unparsed", f"an answer of type {shorten(answer.get('type'), 40)} to a {wanted} question")
    flags = ("extra_answer_fields",) if _extra(answer, _FIELDS[wanted]) else ()
    if wanted == "noul":
        return _noul(answer, flags)
    if wanted == "choice":
        return _choice(question, answer, flags)
    return _score(question, answer, legend, flags)


def _extra(answer: dict[str, Any], known: set[str]) -> bool:
    return any(name not in known and not name.startswith("x_") and value is not None for name, value in answer.items())


def _noul(answer: dict[str, Any], flags: tuple[str, ...]) -> Verdict:
    p = _probability(answer.get("noul"), "P(yes)")
    return Verdict(yes_or_no(p >= 0.5), p=p, certainty=_certainty([p, 1 - p]), flags=flags)


def _choice(question: Question, answer: dict[str, Any], flags: tuple[str, ...]) -> Verdict:
    values = _distribution(answer.get("probabilities"), question.answers)
    choice = answer.get("choice")
    if not isinstance(choice, str) or choice not in question.answers:
        raise _Refused("out_of_range", f"the choice {shorten(choice, 40)} is none of the options")
    chosen = values[question.answers.index(choice)]
    if max(values) - chosen > 0.005 + _SLACK:
        raise _Refused("out_of_range", f"the choice {shorten(choice, 40)} has {chosen:g}, another {max(values):g}")
    return Verdict(choice, certainty=_certainty(values), flags=flags)


def _score(question: Question, answer: dict[str, Any], legend: Sequence[str], flags: tuple[str, ...]) -> Verdict:
    n = len(question.answers)
    keys = [str(i) for i in range(n)]
    values = _distribution(answer.get("probabilities"), keys)
    score = _number(answer.get("score"))
    expected = sum(i * p for i, p in enumerate(values))
    if score is None or abs(score - expected) > 0.02 + _rounding(values) * (1 + n * (n - 1) / 2) + _SLACK:
        told = f"the score {shorten(answer.get('score'), 40)} is not the expectation {expected:.4f}"
        raise _Refused("out_of_range", told)
    _check_legend(answer.get("legend"), dict(zip(keys, legend, strict=True)))
    levels = [float(level) for level in question.answers]
    mean = sum(level * p for level, p in zip(levels, values, strict=True)) / sum(values)
    likeliest = [i for i in range(n) if values[i] == max(values)]
    best = min(likeliest, key=lambda i: abs(i - expected))
    tied = ("tied_levels",) if len(likeliest) > 1 else ()
    return Verdict(question.answers[best], score=mean, certainty=_certainty(values), flags=flags + tied)


def _check_legend(legend: Any, wanted: dict[str, str]) -> None:
    """A legend is optional; one that says other than what was asked means that levels were mixed up."""
    if legend is None:
        return
    told = {key: text.strip() for key, text in legend.items() if isinstance(text, str)} if _is_map(legend) else {}
    if told != {key: text.strip() for key, text in wanted.items()}:
        raise _Refused("out_of_range", "the legend is not that of the levels asked")


def _is_map(value: Any) -> bool:
    return isinstance(value, dict)


def _distribution(probabilities: Any, keys: Sequence[str]) -> list[float]:
    if not isinstance(probabilities, dict):
        raise _Refused("unparsed", "no map of probabilities")
    if set(probabilities) != set(keys):
        raise _Refused("out_of_range", "the keys of the probabilities are not the options")
    values = [_probability(probabilities[key], f"the probability of {shorten(key, 40)}") for key in keys]
    total, rounding = sum(values), _rounding(values)
    over = max(0.05, sum(value > 0 for value in values) * rounding)
    under = max(0.05, len(values) * rounding)
    if total - 1 > over + _SLACK or 1 - total > under + _SLACK or total == 0:
        raise _Refused("out_of_range", f"the probabilities sum to {total:.4f}")
    return values


def _probability(value: Any, what: str) -> float:
    number = _number(value)
    if number is None or not 0 <= number <= 1:
        raise _Refused("out_of_range", f"{what} is {shorten(value, 40)}")
    return number


def _number(value: Any) -> float | None:
    """A finite number; truth values, texts and integers beyond any float are none."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        number = float(value)
    except OverflowError:
        return None
    return number if math.isfinite(number) else None


def _rounding(values: Sequence[float]) -> float:
    """Half a unit of the last decimal at which all values are exact, from 2 to 6 decimals; 0 where none is."""
    for decimals in range(2, 7):
        if all(abs(value - round(value, decimals)) < 1e-7 for value in values):
            return 0.5 * 10.0**-decimals
    return 0.0


def _certainty(values: Sequence[float]) -> float:
    n = len(values)
    return 1.0 if n < 2 else min(1.0, max(0.0, (n * max(values) - 1) / (n - 1)))
