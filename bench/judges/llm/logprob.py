"""P(yes) from what a model might have said first: steadier than a worded answer of a small model."""

from __future__ import annotations

import math
from collections.abc import Iterable

from bench.judges.llm.parse import Parsed

LEAST_MASS = 0.05  # below it, yes and no are noise in what the model wanted to say


def p_yes(first: Iterable[tuple[str, float]]) -> tuple[float, float] | Parsed:
    """(P(yes) among yes and no, the probability that yes and no have of all), or why there is none."""
    mass = {"yes": 0.0, "no": 0.0}
    seen: set[str] = set()
    any_token = False
    for token, logprob in first:
        any_token = True
        if math.isnan(logprob) or logprob > 1e-3:
            return Parsed(unscored="unparsed", detail="a log probability that is none")
        word = token.strip(" \t\r\n\"'`*.▁Ġ").lower()
        if word in mass and token not in seen:
            seen.add(token)
            mass[word] += math.exp(min(logprob, 0.0))
    if not any_token:
        return Parsed(unscored="missing_answer", detail="no log probabilities in the reply")
    total = mass["yes"] + mass["no"]
    if total > 1.01:
        return Parsed(unscored="unparsed", detail="probabilities that sum to more than 1")
    if total < LEAST_MASS:
        return Parsed(unscored="unparsed", detail=f"yes and no have {total:.3f} of the probability, under {LEAST_MASS}")
    return mass["yes"] / total, min(total, 1.0)
