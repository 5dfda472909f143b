"""Tests declared before labels are joined: better than a comparator by at least M, or not worse by more than M."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from bench.measure.compare import difference
from bench.measure.counts import FamilyVectors
from bench.measure.estimand import LEVEL, RESAMPLES
from bench.measure.estimate import Estimate
from bench.measure.metrics import Metric

Claim = Literal["better by at least", "not worse by more than"]
Verdict = Literal["holds", "does not hold", "cannot tell"]


@dataclass(frozen=True)
class Declared:
    """A claim about judge A and comparator B, as a suite lists it."""

    metric: Metric
    claim: Claim
    margin: float

    def __post_init__(self) -> None:
        if self.metric.direction == "neither":
            raise ValueError(f"{self.metric.name} has no better end, so that nothing is better by it")
        if not 0 <= self.margin < self.metric.high - self.metric.low:
            raise ValueError(f"margin {self.margin}: wanted 0 or more, and under the range of {self.metric.name}")

    @property
    def threshold(self) -> float:
        """What the difference A - B must reach."""
        return self.margin if self.claim == "better by at least" else -self.margin

    def __str__(self) -> str:
        return f"{self.metric.name} {self.claim} {self.margin:g}"


@dataclass(frozen=True)
class Decided:
    """The verdict on a claim, with the interval that decided it; ``level`` is that interval's, after Holm if several."""

    declared: Declared
    verdict: Verdict
    reason: str
    gap: Estimate
    level: float


def decide_claim(
    declared: Declared, joint: FamilyVectors, seed: int, resamples: int = RESAMPLES, level: float = LEVEL
) -> Decided:
    """Whether a claim holds: the whole interval of A - B must lie at or above the threshold, or below it.

    Formula: holds when low >= M ("better by at least") or low > -M ("not worse by more than"); does not hold when high
    is under that; else, and where the difference is undefined, "cannot tell". The interval is two-sided, so the chance
    of a false "holds" is (1 - level) / 2. Reference: CONSORT extension for non-inferiority, Piaggio et al. 2012, JAMA
    308:2594. Easily confused with a test of any difference: significant is not "by at least M", and not significant is
    not "not worse".
    """
    gap = difference(declared.metric, joint, seed, resamples, level)
    if gap.low is None or gap.high is None:
        return Decided(declared, "cannot tell", gap.undefined or "no interval", gap, level)
    mark = declared.threshold
    reaches = gap.low >= mark if declared.claim == "better by at least" else gap.low > mark
    verdict: Verdict = "holds" if reaches else "does not hold" if gap.high < mark else "cannot tell"
    return Decided(declared, verdict, _reason(gap, mark), gap, level)


def decide_claims(
    claims: Mapping[str, tuple[Declared, FamilyVectors]], seed: int, resamples: int = RESAMPLES, level: float = LEVEL
) -> dict[str, Decided]:
    """Several claims together, by Holm: the chance of any false "holds" is at most (1 - level) / 2.

    Formula: with k claims open, each is asked at level 1 - (1 - level) / k; those that hold are closed, and again until
    none does. A claim that does not hold is told so at the level of the last round. Same range, reference and cautions
    as :func:`decide_claim`; Holm 1979, Scand. J. Statist. 6:65.
    """
    decided: dict[str, Decided] = {}
    remaining = dict(claims)
    while remaining:
        asked = 1 - (1 - level) / len(remaining)
        tried = {
            name: decide_claim(declared, joint, seed, resamples, asked) for name, (declared, joint) in remaining.items()
        }
        held = [name for name, found in tried.items() if found.verdict == "holds"]
        decided |= tried if not held else {name: tried[name] for name in held}
        remaining = {name: claim for name, claim in remaining.items() if name not in decided}
    return {name: decided[name] for name in claims}


def _reason(gap: Estimate, mark: float) -> str:
    return f"A - B is {gap.value:.3f} [{gap.low:.3f}, {gap.high:.3f}], the mark {mark:g}"
