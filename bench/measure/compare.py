"""Two judges on the items both scored: the paired difference of a metric, and a test for accuracy."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.special import bdtr

from bench.measure.counts import JOINT_WIDTH, FamilyVectors, Floats, Integers
from bench.measure.estimand import BOOTSTRAP_SIDES, LEVEL, RESAMPLES, THIN, Estimand
from bench.measure.estimate import TOO_FEW, Estimate, undefined_estimate
from bench.measure.intervals import carried, contributing, scarcity
from bench.measure.metrics import ITEMS, LABELLED_NO, LABELLED_YES, Metric
from bench.measure.proportions import Bounds, korn_graubard, share_of
from bench.measure.resampling import Statistic, draw

# Row: joint cell 4 * label + 2 * verdict A + verdict B. Column: tp, fp, fn, tn.
_SIDE_A, _SIDE_B = (
    np.array([[yes and said, not yes and said, yes and not said, not yes and not said] for yes, said in rows], float)
    for rows in (
        [(cell & 4 > 0, cell & 2 > 0) for cell in range(JOINT_WIDTH)],
        [(cell & 4 > 0, cell & 1 > 0) for cell in range(JOINT_WIDTH)],
    )
)
_ONLY_A_RIGHT, _ONLY_B_RIGHT = (1, 6), (2, 5)
# Above this total of absolute family differences the exact null costs more than its digits are worth.
_EXACT_TOTAL = 20_000


@dataclass(frozen=True)
class Test:
    """A two-sided p-value, how it was found, and the counts behind it."""

    p_value: float
    method: str
    only_a_right: int
    only_b_right: int
    families: int


def difference(
    metric: Metric, joint: FamilyVectors, seed: int, resamples: int = RESAMPLES, level: float = LEVEL
) -> Estimate:
    """The metric of judge A minus that of judge B on common items, with a paired family-bootstrap interval.

    ``joint`` comes from :func:`bench.measure.counts.count_joint`. Range minus to plus the metric's width; positive
    means A is higher; undefined when either judge's value is.
    """
    name = f"{metric.name}: A - B"
    sides = {"A": joint.merged(_SIDE_A), "B": joint.merged(_SIDE_B)}
    for judge, families in sides.items():
        if (reason := metric.why_undefined(families.totals())) is not None:
            return undefined_estimate(name, f"judge {judge}: {reason}", contributing(metric, families))
    note = _shortage(metric, joint, sides)
    drawn = draw(joint.multiplicity, joint.stratum, seed, resamples) if note is None else None
    width = metric.high - metric.low
    target = Estimand(
        name, _gap(metric), joint, -width, width, min(contributing(metric, side) for side in sides.values()),
        lambda: _exact(metric, joint, sides, level), "Korn-Graubard of both sides, joined (MOVER)", note,
    )  # fmt: skip
    return target.estimate(drawn, level)


def accuracy_test(joint: FamilyVectors, seed: int, flips: int = 100_000) -> Test:
    """Whether two judges are equally often right: McNemar mid-p, or a sign flip of whole families.

    McNemar holds for single-item families only (its size is .18 in families of four). Reference: Fagerland et al.
    2013, BMC Med. Res. Methodol. 13:91. Weights are not used; a p-value is between 0 and 1, 1 without discordance.
    """
    a = joint.items[:, list(_ONLY_A_RIGHT)].sum(axis=1).astype(np.int64)
    b = joint.items[:, list(_ONLY_B_RIGHT)].sum(axis=1).astype(np.int64)
    only_a, only_b = int(joint.multiplicity @ a), int(joint.multiplicity @ b)
    if np.all(joint.items.sum(axis=1) <= 1):
        return Test(mcnemar_mid_p(only_a, only_b), "McNemar mid-p", only_a, only_b, joint.families)
    p_value, method = _sign_flip(np.abs(a - b), joint.multiplicity, abs(only_a - only_b), seed, flips)
    return Test(p_value, method, only_a, only_b, joint.families)


def mcnemar_mid_p(only_a: int, only_b: int) -> float:
    """The two-sided mid-p value of the binomial test on discordant items; 1 when there are none."""
    total, fewer = only_a + only_b, min(only_a, only_b)
    if total == 0:
        return 1.0
    below = float(bdtr(fewer - 1, total, 0.5)) if fewer > 0 else 0.0
    return min(1.0, below + float(bdtr(fewer, total, 0.5)))


def _gap(metric: Metric) -> Statistic:
    def of(sums: Floats) -> Floats:
        return np.asarray(metric.values(sums @ _SIDE_A) - metric.values(sums @ _SIDE_B))

    return of


def _shortage(metric: Metric, joint: FamilyVectors, sides: dict[str, FamilyVectors]) -> str | None:
    notes = [scarcity(metric, families) for families in sides.values()]
    if TOO_FEW in notes:
        return TOO_FEW
    discordant = joint.contributing(_ONLY_A_RIGHT + _ONLY_B_RIGHT)
    return THIN if THIN in notes or discordant < BOOTSTRAP_SIDES else None


def _exact(metric: Metric, joint: FamilyVectors, sides: dict[str, FamilyVectors], level: float) -> Bounds:
    if metric.proportion and metric.needs[0] in (ITEMS, LABELLED_YES, LABELLED_NO):
        return _matched(metric, joint, level)
    (low_a, high_a), (low_b, high_b) = (carried(metric, side, level) for side in sides.values())
    a, b = (float(metric.values(side.totals())) for side in sides.values())
    return a - b - math.hypot(a - low_a, high_b - b), a - b + math.hypot(high_a - a, b - low_b)


def _matched(metric: Metric, joint: FamilyVectors, level: float) -> Bounds:
    """Both judges share the denominator, so only items where one hits and the other misses move the difference."""
    part = metric.parts[0]
    hit_a, hit_b = (side[:, list(part.numerator)].sum(axis=1) > 0 for side in (_SIDE_A, _SIDE_B))
    within = np.flatnonzero(_SIDE_A[:, list(part.margin.cells)].sum(axis=1) > 0)
    only_a, only_b = (
        share_of(joint, tuple(int(c) for c in within if one[c] and not other[c]), tuple(int(c) for c in within))
        for one, other in ((hit_a, hit_b), (hit_b, hit_a))
    )
    gap = only_a.value - only_b.value
    (low_a, high_a), (low_b, high_b) = korn_graubard(only_a, level), korn_graubard(only_b, level)
    down = math.hypot(only_a.value - low_a, high_b - only_b.value)
    return gap - down, gap + math.hypot(high_a - only_a.value, only_b.value - low_b)


def _sign_flip(sizes: Integers, times: Integers, observed: int, seed: int, flips: int) -> tuple[float, str]:
    moved = np.unique(sizes[sizes > 0])
    counts = [int(times[sizes == size].sum()) for size in moved]
    total = int(sum(int(size) * count for size, count in zip(moved, counts, strict=True)))
    if total <= _EXACT_TOTAL:
        return _exact_flip(moved, counts, total, observed), "family sign flip, exact"
    generator = np.random.default_rng(seed)
    up = np.column_stack([generator.binomial(count, 0.5, size=flips) for count in counts])
    sums = np.abs((2 * up - counts) @ moved)
    # The observed signs are one of the flips, so that the p-value cannot be 0.
    return float((np.sum(sums >= observed) + 1) / (flips + 1)), f"family sign flip, {flips} draws"


def _exact_flip(moved: Integers, counts: list[int], total: int, observed: int) -> float:
    chance = np.ones(1)
    for size, count in zip(moved.tolist(), counts, strict=True):
        steps = np.zeros(size * count + 1)
        steps[::size] = _binomial_halves(count)
        chance = np.convolve(chance, steps)
    # Index u of ``chance`` is the total of the families that point up; the signed sum is 2u - total.
    sums = np.abs(2 * np.arange(total + 1) - total)
    return min(1.0, float(chance[sums >= observed].sum()))


def _binomial_halves(count: int) -> Floats:
    """The chances of 0..count heads in as many tosses."""
    below = np.concatenate([[0.0], bdtr(np.arange(count + 1), count, 0.5)])
    return np.diff(below)
