"""Rewards and scores as the text of a recorded label, and back as numbers."""

from __future__ import annotations

import json
import math
import re

from pydantic import JsonValue

UNSCORED = "unscored"  # a scorer ran and gave no value: not a zero
_NUMBER = re.compile(r"-?\d{1,18}(\.\d{1,18})?([eE][-+]?\d{1,3})?", re.ASCII)
# What Inspect's own reducers make of its letters (value_to_float): P is half, N is an agent that gave no answer.
_WORDS = {"C": 1.0, "I": 0.0, "P": 0.5, "N": 0.0, "true": 1.0, "false": 0.0, "yes": 1.0, "no": 0.0}


def answer_of(value: JsonValue) -> str:
    """A recorded value as text: whole numbers without a point, so that 1 and 1.0 are one answer."""
    if value is None:
        return UNSCORED
    if isinstance(value, str):
        return value
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    return json.dumps(value, ensure_ascii=False)


def reward_of(answer: str) -> float | None:
    """The number that a recorded answer stands for; nothing where it stands for none."""
    if answer in _WORDS or answer.lower() in ("true", "false", "yes", "no"):
        return _WORDS.get(answer, _WORDS.get(answer.lower()))
    if not _NUMBER.fullmatch(answer):
        return None
    value = float(answer)
    return value if math.isfinite(value) else None
