"""pass@k (at least one of k attempts succeeds) and pass^k (all k do), per case and as a mean over cases.

A case with fewer than k scored attempts has no value: it is left out and counted, never 1.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from bench.measure.estimand import LEVEL, RESAMPLES
from bench.measure.estimate import Estimate, undefined_estimate
from bench.measure.means import mean_interval

Kind = Literal["pass@k", "pass^k"]


@dataclass(frozen=True)
class CaseAttempts:
    """The attempts at one case that count (scored or labelled), and how many of them succeeded."""

    case: str
    family: str
    attempts: int
    successes: int
    stratum: str = ""

    def __post_init__(self) -> None:
        if not 0 <= self.successes <= self.attempts:
            raise ValueError(f"case {self.case}: {self.successes} successes in {self.attempts} attempts")


@dataclass(frozen=True)
class PassEstimate:
    """A mean over the cases that have k attempts, and what was left out, with the reasons."""

    estimate: Estimate
    k: int
    cases: int
    excluded: int
    reasons: tuple[str, ...]


def pass_at_k(attempts: int, successes: int, k: int) -> Fraction | None:
    """The chance that at least one of k attempts, drawn without replacement, succeeds.

    Formula: 1 - C(n - c, k) / C(n, k) for c successes in n attempts. Range 0 to 1, high is good; undefined (None) when
    there are fewer than k attempts, never 1. Reference: Chen et al. 2021,
    arXiv:2107.03374. Easily confused with pass^k, and with 1 - (1 - c/n)^k, which is biased.
    """
    return None if attempts < _positive(k) else 1 - Fraction(math.comb(attempts - successes, k), math.comb(attempts, k))


def pass_hat_k(attempts: int, successes: int, k: int) -> Fraction | None:
    """The chance that all of k attempts, drawn without replacement, succeed.

    Formula: C(c, k) / C(n, k) for c successes in n attempts. Range 0 to 1, high is good; undefined (None) when there
    are fewer than k attempts. Reference: Yao et al. 2024, arXiv:2406.12045. Easily confused with pass@k, and with
    (c / n)^k, which is biased.
    """
    return None if attempts < _positive(k) else Fraction(math.comb(successes, k), math.comb(attempts, k))


def mean_pass(
    kind: Kind, cases: Iterable[CaseAttempts], k: int, seed: int, resamples: int = RESAMPLES, level: float = LEVEL
) -> PassEstimate:
    """The mean of pass@k or pass^k over the cases that have k attempts, with a family-aware interval.

    Formula: sum over those cases of the case's own value / their number. Range 0 to 1, high is good. Undefined if no
    case has k attempts; cases with fewer are left out and counted. Reference: Chen et al. 2021, arXiv:2107.03374
    (pass@k); Yao et al. 2024, arXiv:2406.12045 (pass^k). Easily confused with the value of all attempts pooled, which
    lets cases with many attempts count more.
    """
    per_case = pass_at_k if kind == "pass@k" else pass_hat_k
    every = tuple(cases)
    short = [case for case in every if case.attempts < _positive(k)]
    kept = [(case, value) for case in every if (value := per_case(case.attempts, case.successes, k)) is not None]
    name = kind[:-1] + str(k)
    if kept:
        estimate = mean_interval(
            name, [float(value) for _, value in kept], [case.family for case, _ in kept], seed,
            [case.stratum for case, _ in kept], resamples, level,
        )  # fmt: skip
    else:
        estimate = undefined_estimate(name, f"0 of {len(every)} cases have {k} attempts")
    return PassEstimate(estimate, k, len(kept), len(short), _reasons(short, k))


def _reasons(short: Iterable[CaseAttempts], k: int) -> tuple[str, ...]:
    counts = Counter(case.attempts for case in short)
    return tuple(f"{counts[n]} with {n} of {k} attempts" for n in sorted(counts))


def _positive(k: int) -> int:
    if k < 1:
        raise ValueError(f"k must be at least 1, not {k}")
    return k
