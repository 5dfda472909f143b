"""Precision at other mixes of sessions: what the measured rates would give if they carried over. No estimate."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from bench.measure.estimate import TOO_FEW, Estimate, undefined_estimate

PREVALENCES = (0.1, 0.2, 0.3)
HARD_SHARES = (0.0, 0.5, 1.0)
JOINED = "the rates' own intervals, joined (MOVER)"


def precision_at(
    prevalence: float, hard: float, recall: Estimate, specificity: Estimate, specificity_hard: Estimate
) -> Estimate:
    """The share of true yes among the judge's yes, at another share of yes and of near misses among the no.

    Formula: pi TPR / (pi TPR + (1 - pi) (h FPR_hard + (1 - h) FPR)), where pi is ``prevalence``, h is ``hard`` and FPR is one
    minus specificity. Range 0 to 1, high is good. Undefined where one of the rates is, or where the judge would never say
    yes. The interval moves one rate at a time to its bound and adds the moves in squares. Reference: Zou and Donner 2008,
    Statistics in Medicine 27:1693 (MOVER). Easily confused with a precision measured on a stream with that share of yes:
    the rates come from other sessions.
    """
    name = f"precision at {prevalence:g}, {hard:g} hard"
    if not 0 < prevalence < 1 or not 0 <= hard <= 1:
        raise ValueError(f"wanted 0 < prevalence < 1 and 0 <= hard <= 1, found {prevalence} and {hard}")
    used = [recall, *([specificity] if hard < 1 else []), *([specificity_hard] if hard > 0 else [])]
    missing = [f"{part.name}: {part.undefined}" for part in used if part.value is None]
    if missing:
        return undefined_estimate(name, "; ".join(missing))
    rates = [_rate(recall), _rate(specificity), _rate(specificity_hard)]

    def at(values: Sequence[float]) -> float | None:
        wrong = hard * (1 - values[2]) + (1 - hard) * (1 - values[1])
        said = prevalence * values[0] + (1 - prevalence) * wrong
        return prevalence * values[0] / said if said > 0 else None

    centre = at([rate[0] for rate in rates])
    if centre is None:
        return undefined_estimate(name, "the judge would never say yes")
    low, high = centre - _reach(rates, at, centre, 1), centre + _reach(rates, at, centre, 2)
    return Estimate(
        name,
        centre,
        max(low, 0.0),
        min(high, 1.0),
        JOINED,
        min(part.families for part in used),
        TOO_FEW if any(part.too_few for part in used) else None,
    )


def _rate(part: Estimate) -> tuple[float, float, float]:
    """(value, low, high); a rate that is not used counts for nothing and may be undefined."""
    if part.value is None or part.low is None or part.high is None:
        return 0.0, 0.0, 0.0
    return part.value, part.low, part.high


def _reach(
    rates: Sequence[tuple[float, float, float]], at: Callable[[Sequence[float]], float | None], centre: float, end: int
) -> float:
    moves = []
    for index, rate in enumerate(rates):
        moved = [r[0] for r in rates]
        moved[index] = rate[end]
        value = at(moved)
        moves.append(0.0 if value is None else value - centre)
    return math.sqrt(sum(move**2 for move in moves))
