"""Does the judge answer on the labelled rows as it does on the pool? A test that can withhold a figure, never permit one."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import ndtri

from bench.estimating.sides import LabelledSide, PoolSide
from bench.measure.counts import FamilyVectors, Floats, Integers
from bench.measure.means import sum_families
from bench.measure.proportions import between_families

PERMUTATIONS = 1_999
ALPHA = 0.05
POWER = 0.8
_CUTS = 20
_DUST = 1e-12
_CELLS = 2_000_000  # drawn at once


@dataclass(frozen=True)
class ShiftTest:
    """What the test saw. ``detectable`` is the change of the yes rate that it would find in four of five tries."""

    p: float
    distance: float
    labelled_rate: float
    pool_rate: float
    detectable: float
    uses: str
    permutations: int

    @property
    def rejected(self) -> bool:
        return self.p <= ALPHA


def shift_test(labelled: LabelledSide, pool: PoolSide, seed: int, permutations: int = PERMUTATIONS) -> ShiftTest:
    """Whether the judge's answers look drawn from one population on both sides: a permutation test of whole families.

    Formula: the greatest difference, over the yes rate and up to 20 cuts through the probabilities, of the shares on
    the two sides; p = (1 + permutations at least as far apart) / (1 + permutations). Range 0 to 1; at most .05 says that
    the sides differ, anything above says nothing: at 60 labels its power is about .2. Undefined (ValueError) with an
    empty side. Reference: Fisher 1935, The Design of Experiments, sec. 21; Phipson and Smyth 2010, Stat. Appl. Genet. Mol.
    Biol. 9:39 (the added one). Easily confused with a licence to use PPI++, which no test gives.
    """
    if not (len(labelled.said) and pool.scored.any()):
        raise ValueError("a shift test needs answers on both sides")
    has = labelled.probabilities is not None and pool.probabilities is not None
    here, there = labelled.said[:, None].astype(float), pool.said[pool.scored][:, None].astype(float)
    if has and labelled.probabilities is not None and pool.probabilities is not None:
        mine, theirs = labelled.probabilities, pool.probabilities[pool.scored]
        cuts = np.unique(
            np.quantile(np.concatenate([mine, theirs]), np.linspace(0, 1, _CUTS + 2)[1:-1], method="lower")
        )
        here, there = (np.hstack([said, p[:, None] > cuts]) for said, p in ((here, mine), (there, theirs)))
    sums, mine_of, theirs_of = _families(here, labelled, there, pool)
    seen, rates = _distance(sums, mine_of[None, :], theirs_of[None, :])
    generator = np.random.default_rng(seed)
    together, few = mine_of + theirs_of, int(mine_of.sum())
    as_far = 0
    block = max(1, _CELLS // len(together))
    for start in range(0, permutations, block):
        size = min(block, permutations - start)
        drawn = generator.multivariate_hypergeometric(together, few, size=size, method="marginals")
        as_far += int(np.sum(_distance(sums, drawn, together - drawn)[0] >= seen[0] - _DUST))
    spread = sum(_spread(sums, times) for times in (mine_of, theirs_of))
    reach = float(ndtri(1 - ALPHA / 2) + ndtri(POWER)) * float(np.sqrt(spread))
    return ShiftTest(
        (1 + as_far) / (1 + permutations), float(seen[0]), float(rates[0][0]), float(rates[1][0]), min(reach, 1.0),
        "probabilities" if has else "verdicts", permutations,
    )  # fmt: skip


def _families(here: Floats, labelled: LabelledSide, there: Floats, pool: PoolSide) -> tuple[Floats, Integers, Integers]:
    """Distinct family sums (rows, then hits by cut), and how many families of each side have them."""
    both = [_sums(here, labelled.groups), _sums(there, pool.groups[pool.scored])]
    stacked = np.vstack([families.vectors for families in both])
    distinct, place = np.unique(stacked, axis=0, return_inverse=True)
    ends = np.split(place.reshape(-1), [len(both[0].vectors)])
    counts = [
        np.bincount(end, weights=families.multiplicity, minlength=len(distinct)).astype(np.int64)
        for end, families in zip(ends, both, strict=True)
    ]
    return distinct, counts[0], counts[1]


def _sums(values: Floats, groups: Integers) -> FamilyVectors:
    ones = np.ones((len(values), 1))
    return sum_families(np.hstack([ones, values]), ones, groups)


def _distance(sums: Floats, mine: Integers, theirs: Integers) -> tuple[Floats, tuple[Floats, Floats]]:
    """The greatest difference between the sides' shares in each row of draws, and the yes rates of the sides."""
    totals = [times @ sums for times in (mine, theirs)]
    shares = [total[:, 1:] / total[:, :1] for total in totals]
    return np.abs(shares[0] - shares[1]).max(axis=1), (shares[0][:, 0], shares[1][:, 0])


def _spread(sums: Floats, times: Integers) -> float:
    """The variance of one side's yes rate, with half a row of each answer added."""
    total = float(times @ sums[:, 0])
    rate = float(times @ sums[:, 1]) / total
    here = times > 0
    residuals = (sums[here, 1] - rate * sums[here, 0]) / total
    seen = between_families(residuals, times[here], np.zeros(int(here.sum()), dtype=np.int64))
    smoothed = (rate * total + 0.5) / (total + 1)
    return max(seen, smoothed * (1 - smoothed) / total)
