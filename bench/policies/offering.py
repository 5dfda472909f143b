"""Policies to start from: every operating point of a score, a grid of thresholds, and a few policies of three bands."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeVar

import numpy as np

from bench.deciding.policy import Policy
from bench.measure.counts import Floats
from bench.policies.arrays import arrays_of, score_all
from bench.policies.attempts import JudgedAttempt, Scale
from bench.policies.sweep import NamedPolicy

Item = TypeVar("Item")
DIGITS = 12  # of a threshold: what adds up from decimals is that decimal
MOST_POINTS = 1000
_MARGINS = (0.1, 0.2, 0.3, 0.4)  # around .5
_TAILS = (0.1, 0.2, 0.3, 0.4)  # shares of the attempts, where a score has no .5


def scores_of(base: Policy, attempts: Sequence[JudgedAttempt]) -> Floats:
    """The distinct scores, rising; attempts that cannot be scored have none."""
    score, usable = score_all(base, arrays_of(attempts, [base]))
    return np.asarray(np.unique(np.round(score[usable], DIGITS) + 0.0))  # - 0 is 0


def operating_points(base: Policy, scores: Floats, most: int = MOST_POINTS) -> tuple[NamedPolicy, ...]:
    """One policy a distinct score, that promotes from it on, strict to loose; thinned evenly where there are too many."""
    return _named("at", [(base, float(score), None) for score in thinned(scores[::-1].tolist(), most)])


def thinned(items: Sequence[Item], most: int) -> list[Item]:
    """At most so many, evenly spread, the first and the last among them."""
    if len(items) <= most:
        return list(items)
    return [items[round(i * (len(items) - 1) / (most - 1))] for i in range(most)]


def at_thresholds(base: Policy, thresholds: Sequence[float]) -> tuple[NamedPolicy, ...]:
    """One policy a threshold, that promotes from it on, in the order given."""
    return _named("at", [(base, threshold, None) for threshold in thresholds])


def three_bands(base: Policy, attempts: Sequence[JudgedAttempt], scale: Scale) -> tuple[NamedPolicy, ...]:
    """A few policies that promote above, discard below and leave the middle for review, wide review last.

    Bare answers have one; probabilities lie around .5; other scores are cut where a share of the attempts lies outside.
    """
    if not len(scores_of(base, attempts)):
        return ()
    if scale == "answer" and len(base.statements) == 1:
        pairs = [(0.0, 1.0)]
    elif scale == "probability" or not base.any_scale:
        pairs = [(round(0.5 - margin, DIGITS), round(0.5 + margin, DIGITS)) for margin in _MARGINS]
    else:
        score, usable = score_all(base, arrays_of(attempts, [base]))
        held = np.round(score[usable], DIGITS) + 0.0
        ends = [np.quantile(held, (tail, 1 - tail), method="inverted_cdf") for tail in _TAILS]
        pairs = [(float(low), float(high)) for low, high in reversed(ends)]
    bands = [(base, high, low) for low, high in dict.fromkeys(pairs) if low < high]
    return _named("bands", bands)


def grid(first: float, last: float, step: float) -> tuple[float, ...]:
    """first, first + step, ... up to last, as decimals. Raises ValueError."""
    if step <= 0:
        raise ValueError(f"the step {step:g} must be over 0")
    if last < first:
        raise ValueError(f"{last:g} lies under {first:g}")
    count = int((last - first) / step + 1e-9) + 1
    if count > MOST_POINTS:
        raise ValueError(f"{count} thresholds, where at most {MOST_POINTS} are swept: take a larger step")
    return tuple(round(first + i * step, DIGITS) for i in range(count))


def number(value: float) -> str:
    """A threshold as a name holds it."""
    short = f"{value:.6g}"
    return short if float(short) == value else repr(value)


def _named(word: str, wanted: Sequence[tuple[Policy, float, float | None]]) -> tuple[NamedPolicy, ...]:
    return tuple(_all(word, wanted))


def _all(word: str, wanted: Sequence[tuple[Policy, float, float | None]]) -> Iterator[NamedPolicy]:
    for base, promote, discard in wanted:
        limits = number(promote) if discard is None else f"{number(discard)}-{number(promote)}"
        policy = base.model_copy(update={"promote_at": promote, "discard_at": discard})
        yield NamedPolicy(f"{word}-{limits}", policy)
