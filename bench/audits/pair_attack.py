"""Can the positives of pairs be told from their controls by a model that understands nothing? Conditional logistic regression.

Within a pair only the difference of the two members counts: P(first is the positive) = sigmoid(w . (x_first - x_second)),
without intercept, which is the conditional likelihood of a matched pair (Breslow and Day 1980, sec. 7.2), with a ridge
penalty. Everything is done on the kernel of the differences, (pairs, pairs): swapping the labels of a pair is a change
of sign, and the curvature of the logistic loss is at most 1/4, so one inverse a fold serves every swap and every step
(Boehning and Lindsay 1988, Ann. Inst. Stat. Math. 40:641). 499 swaps of 60 pairs, each refitted in each of ten folds
until it stands still, take well under a second.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256

import numpy as np
from numpy.typing import NDArray
from scipy.special import betaincinv, expit

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
FOLDS, SWAPS, SIZE, POWER = 10, 499, 0.01, 0.8
RIDGE = 1.0  # the kernel's diagonal is 1 on average, so the prior of a score is about a standard normal
_TIED = 1e-9  # scores this near zero rank neither member first
_STILL, _MOST_STEPS = 1e-8, 1000


@dataclass(frozen=True)
class Attack:
    """How many pairs were told apart, out of fold, and how often swapped labels do as well."""

    first: float  # pairs whose positive ranks first; a tie is half a pair
    pairs: int
    p: float
    silent: int  # pairs that are tied whatever the labels: they share no difference with a pair of another fold
    detectable: float | None  # the share told apart that would be found with power .8; None: no count is rare enough

    @property
    def leaks(self) -> bool:
        return self.p < SIZE


def folds_of(families: Sequence[str]) -> Integers:
    """The fold of each family, fixed by its name alone."""
    return np.array([int(sha256(name.encode()).hexdigest(), 16) % FOLDS for name in families], dtype=np.int64)


def attack(kernel: Floats, folds: Integers, seed: int, swaps: int = SWAPS) -> Attack:
    """Out-of-fold ranks against label swaps within pairs; p = (1 + swaps that do as well) / (1 + swaps)."""
    pairs = len(kernel)
    generator = np.random.default_rng(seed)
    signs = np.ones((pairs, swaps + 1))
    signs[:, 1:] = generator.choice([-1.0, 1.0], size=(pairs, swaps))
    scores = signs * out_of_fold(kernel, folds, signs)
    tied = np.abs(scores) <= _TIED
    first = ((scores > 0) & ~tied).sum(axis=0) + tied.sum(axis=0) / 2
    as_well = int((first[1:] >= first[0]).sum())
    silent = int(tied.all(axis=1).sum())
    share = detectable_share(first[1:], pairs, silent)
    return Attack(float(first[0]), pairs, (1 + as_well) / (1 + swaps), silent, share)


def out_of_fold(kernel: Floats, folds: Integers, signs: Floats, ridge: float = RIDGE) -> Floats:
    """Each pair's score w . difference, fitted without its fold, for every column of ``signs`` (pairs, swaps)."""
    scores = np.zeros_like(signs)
    for fold in np.unique(folds):
        train = folds != fold
        if not kernel[np.ix_(~train, train)].any():
            continue  # nothing in common with any other pair: every score is 0, whatever the weights
        weights = fitted(kernel[np.ix_(train, train)], signs[train], ridge)
        scores[~train] = kernel[np.ix_(~train, train)] @ weights
    return scores


def fitted(kernel: Floats, signs: Floats, ridge: float = RIDGE) -> Floats:
    """Dual weights a (pairs, swaps) of the penalised fits: w = sum of a_i difference_i, stationary where
    sign_i sigmoid(-sign_i w . difference_i) = ridge a_i."""
    inverse = np.linalg.inv(kernel / 4 + ridge * np.eye(len(kernel)))
    weights = np.zeros_like(signs)
    for _ in range(_MOST_STEPS):
        pull = signs * expit(-signs * (kernel @ weights))
        step = inverse @ (pull - ridge * weights)
        weights += step
        if np.abs(step).max(initial=0.0) < _STILL:
            break
    return weights


def detectable_share(null: Floats, pairs: int, silent: int = 0) -> float | None:
    """The share that reaches a count as rare as SIZE under the swaps with probability POWER; None where no count is.

    Binomial over the pairs that can be told; the silent ones count half each, in the share as in the count.
    """
    speaking = pairs - silent
    for told in range(speaking // 2, speaking + 1):
        if (1 + int((null >= told + silent / 2).sum())) / (1 + len(null)) < SIZE:
            share = float(betaincinv(told, speaking - told + 1, POWER)) if told else 0.0
            return (speaking * share + silent / 2) / pairs
    return None
