"""One band: a path of thresholds, fixed beforehand, tested from strict to loose until the first failure.

| method | counts | claim | error control |
|---|---|---|---|
| one item per family | one drawn item of each family | family-weighted | finite sample |
| betting | family sums of selected x (wrong - target) | item-weighted | finite sample |
| adjusted | all rows, at their effective number | item-weighted | validated by simulation |
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from numpy.typing import ArrayLike

from bench.certifying.evidence import Adjusted, Betting, Evidence, Found, OneItem
from bench.measure.counts import Floats, Integers, family_codes
from bench.measure.inputs import Truths, finite_scores, same_rows, truths
from bench.measure.power import check_within

Method = Literal["one item per family", "betting", "adjusted"]
Side = Literal["high", "low"]
Claim = Literal["family-weighted", "item-weighted"]

ONE_ITEM: Method = "one item per family"
BETTING: Method = "betting"
ADJUSTED: Method = "adjusted"
SIMULATED = "validated by simulation"
FINITE = "finite sample"
_DIGITS = 12  # a path is rounded to this, so that 3 x .1 is the .3 that a judge states


@dataclass(frozen=True)
class Step:
    """One distinct selection on the path.

    ``threshold`` is the strictest of the ``points`` path points that select these rows. ``counted`` are the rows that
    the method looks at, ``wrong`` those among them. ``passed`` is None where nothing was tested; ``told`` says why, or
    what was found.
    """

    threshold: float
    points: int
    rows: int
    families: int
    counted: int
    wrong: int
    p_value: float | None
    wealth: float | None
    upper: float | None
    passed: bool | None
    told: str


@dataclass(frozen=True)
class BandTest:
    """What the calibration rows say about one band.

    ``threshold`` is the last that passed, or None, and then ``why_not`` says why. ``upper`` is the 1 - delta upper
    limit of the share wrong at this threshold taken alone; what the whole path guarantees is the target.
    """

    method: Method
    side: Side
    claim: Claim
    target: float
    delta: float
    rows: int
    families: int
    steps: tuple[Step, ...]
    threshold: float | None
    upper: float | None
    why_not: str | None

    @property
    def finite_sample(self) -> bool:
        """Whether the guarantee is proved for any number of families, and not only seen in simulations."""
        return self.method != ADJUSTED

    @property
    def basis(self) -> str:
        """What the guarantee rests on, in words."""
        return FINITE if self.finite_sample else SIMULATED

    @property
    def certified(self) -> Step | None:
        """The step of the certified threshold."""
        return next((step for step in reversed(self.steps) if step.passed), None)


def walk_path(
    scores: ArrayLike,
    wrong: ArrayLike,
    families: ArrayLike,
    path: Sequence[float],
    target: float,
    delta: float,
    *,
    method: Method,
    seed: int,
    largest_family: int | None,
    side: Side,
) -> BandTest:
    """Finds the loosest threshold of a path at which the share wrong is shown to be at most the target.

    Formula: at each threshold from strict to loose, a test of "more than ``target`` of the selected are wrong" at
    level ``delta``; it starts at the first threshold where one is possible without an error (29 counted rows at 10 % /
    95 %) and stops at the first failure. Selected is score >= threshold on the high side, <= on the low side.
    Range: a threshold of the path; a looser one is better (more is decided). Undefined (``threshold`` None, with
    ``why_not``) where too few are selected or the first test fails. References: Maurer, Hothorn and Lehmacher 1995
    (fixed sequences); Angelopoulos et al. 2021, arXiv:2110.01052 (learn then test); Clopper and Pearson 1934.
    Easily confused with the loosest threshold at which the observed share is under the target, which promises nothing.

    ``wrong`` says of each row whether deciding it in this band would be wrong; a score of minus or plus infinity keeps
    a row out of the band. Path and ``largest_family`` (the most rows that a family can have; betting needs it) are
    fixed without the labels of these rows. The start looks at how many rows are selected, never at labels; what that
    does to the level is in reports/certificates/simulation.md.
    """
    values, bad = _scores(scores), truths(wrong, "wrong")
    same_rows(scores=values, wrong=bad, families=np.asarray(families))
    check_within("target", target, 1.0)
    check_within("delta", delta, 1.0)
    codes, _ = family_codes(families, None)
    evidence = _evidence(values, bad, codes, target, delta, method, seed, largest_family)
    steps = _walk(evidence, _selections(values, _checked(path, side), side), codes)
    last = next((step for step in reversed(steps) if step.passed), None)
    return BandTest(
        method, side, "family-weighted" if method == ONE_ITEM else "item-weighted", target, delta,
        len(values), int(codes.max(initial=-1)) + 1, steps,
        None if last is None else last.threshold,
        None if last is None else last.upper,
        _why_not(steps) if last is None else None,
    )  # fmt: skip


def even_path(first: float, last: float, points: int) -> tuple[float, ...]:
    """Evenly spaced thresholds from the strictest, ``first``, to the loosest, ``last``, both included."""
    if points < 2 or first == last:
        raise ValueError(f"{points} points from {first} to {last}: wanted 2 or more, between two ends")
    steps = points - 1
    return tuple(round(first + (last - first) * place / steps, _DIGITS) for place in range(points))


def path_from(values: ArrayLike, points: int, side: Side = "high") -> tuple[float, ...]:
    """At most so many thresholds taken from development scores: each distinct one, or else quantiles.

    Quantiles are scores that occur, at even steps of the rows, both ends included. The values must not be those of the
    rows that test the path.
    """
    rising = np.sort(finite_scores(values))
    if points < 1 or not len(rising):
        raise ValueError(f"{points} points from {len(rising)} scores: wanted 1 or more of each")
    distinct = np.unique(rising)
    if len(distinct) > points:
        places = np.rint(np.linspace(0, len(rising) - 1, points)).astype(np.int64) if points > 1 else [0]
        distinct = np.unique(rising[places])
    return tuple(distinct[::-1].tolist() if side == "high" else distinct.tolist())


def _scores(values: ArrayLike) -> Floats:
    """One number per row; infinity is allowed, NaN is not."""
    array = np.asarray(values)
    if array.dtype.kind == "f":
        finite_scores(np.where(np.isinf(array), 0.0, array))
        return array.astype(np.float64)
    return finite_scores(values)


def _evidence(
    scores: Floats,
    wrong: Truths,
    codes: Integers,
    target: float,
    delta: float,
    method: Method,
    seed: int,
    largest: int | None,
) -> Evidence:
    if method == ONE_ITEM:
        return OneItem(scores, wrong, codes, target, delta, seed)
    if method == ADJUSTED:
        return Adjusted(wrong, codes, target, delta)
    if method != BETTING:
        raise ValueError(f"method {method!r}: wanted one of {', '.join(get_args(Method))}")
    found = int(np.bincount(codes).max(initial=0))
    if largest is None or largest < max(found, 1):
        raise ValueError(
            f"largest_family {largest}, and a family here has {found} rows: betting needs the most rows that a "
            "family can have, declared beforehand"
        )
    return Betting(wrong, codes, largest, target, delta)


def _checked(path: Sequence[float], side: Side) -> Floats:
    if side not in get_args(Side):
        raise ValueError(f"side {side!r}: wanted high or low")
    points = finite_scores(path, "path")
    towards_loose = np.diff(points) * (-1 if side == "high" else 1)
    if not len(points) or np.any(towards_loose < 0):
        order = "falling" if side == "high" else "rising"
        raise ValueError(f"path {points.tolist()}: wanted thresholds in {order} order, strict to loose")
    return points


def _selections(scores: Floats, path: Floats, side: Side) -> list[tuple[float, int, Truths]]:
    """(strictest threshold, how many path points, selected rows) of each distinct selection.

    The strictest: between points that select the same rows no row was seen.
    """
    found: list[tuple[float, int, Truths]] = []
    for threshold in path.tolist():
        selected = scores >= threshold if side == "high" else scores <= threshold
        if found and np.array_equal(found[-1][2], selected):
            found[-1] = (found[-1][0], found[-1][1] + 1, selected)
        else:
            found.append((threshold, 1, selected))
    return found


def _walk(evidence: Evidence, selections: list[tuple[float, int, Truths]], codes: Integers) -> tuple[Step, ...]:
    """Rows and errors of every point are kept; after the first failure nothing is tested."""
    steps: list[Step] = []
    started = stopped = False
    for threshold, points, selected in selections:
        found = evidence.at(selected)
        if stopped:
            found = Found(found.counted, found.wrong, None, "not tested: a stricter point failed")
        elif found.passed is None:
            # Effective rows can shrink again when large families come in; a point that cannot pass then fails.
            found = Found(found.counted, found.wrong, False if started else None, f"too few selected: {found.told}")
        started = started or found.passed is not None
        stopped = stopped or found.passed is False
        rows, families = int(selected.sum()), len(np.unique(codes[selected]))
        steps.append(_step(threshold, points, rows, families, found))
    return tuple(steps)


def _step(threshold: float, points: int, rows: int, families: int, found: Found) -> Step:
    return Step(
        threshold, points, rows, families, found.counted, found.wrong,
        found.p_value, found.wealth, found.upper, found.passed, found.told,
    )  # fmt: skip


def _why_not(steps: tuple[Step, ...]) -> str:
    failed = next((step for step in steps if step.passed is False), None)
    if failed is not None:
        return f"the first testable point failed: {failed.told}, at threshold {failed.threshold:g}"
    return f"{steps[-1].told}, at the loosest threshold {steps[-1].threshold:g}"
