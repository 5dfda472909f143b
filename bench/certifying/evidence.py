"""What the rows selected at one threshold say against "more than the target is wrong": three methods, one answer.

All are told which rows are selected; whether there are enough to test never looks at the labels.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import bdtr, betaincinv

from bench.measure.certificate_power import errors_allowed, rows_for_certificate
from bench.measure.counts import Floats, Integers, count_families
from bench.measure.inputs import Truths
from bench.measure.proportions import korn_graubard, share_of

# Stakes in parts of the largest that cannot go broke. For items that are wrong with chance p the best part is
# 1 - p / target (Kelly 1956), so .4 to 1 serve judges from just good enough (.6 of the target) to faultless. The top
# one decides how few families can do: 36 at 10 % / 95 %, where ten even parts from .1 on need 41. Small parts would
# pay only from about 400 families on.
STAKES = np.array([0.4, 0.6, 0.8, 1.0])
_ROUNDS, _PARTS = 8, 32  # of the search for a limit: 32^-8 is under 1e-12


@dataclass(frozen=True)
class Found:
    """One test: ``passed`` is None and ``told`` the reason where too few rows are selected."""

    counted: int
    wrong: int
    passed: bool | None
    told: str
    p_value: float | None = None
    wealth: float | None = None
    upper: float | None = None


class Evidence(Protocol):
    """A method, made ready for one table of rows."""

    def at(self, selected: Truths) -> Found:
        """The test on the selected rows."""


class OneItem:
    """The exact binomial test on one drawn item of each family."""

    def __init__(self, scores: Floats, wrong: Truths, codes: Integers, target: float, delta: float, seed: int) -> None:
        self.wrong, self.target, self.delta = wrong, target, delta
        self.drawn = drawn_items(scores, wrong, codes, seed)

    def at(self, selected: Truths) -> Found:
        """The test on the drawn items among the selected rows."""
        here = selected & self.drawn
        counted, wrong = int(here.sum()), int((here & self.wrong).sum())
        needed = rows_for_certificate(0, self.target, self.delta)
        if counted < needed:
            return Found(counted, wrong, None, f"{counted} of {needed} rows")
        allowed = errors_allowed(counted, self.target, self.delta)
        upper = 1.0 if wrong == counted else float(betaincinv(wrong + 1, counted - wrong, 1 - self.delta))
        return Found(
            counted, wrong, allowed is not None and wrong <= allowed,
            f"{wrong} wrong of {counted} selected, at most {allowed} may be",
            p_value=float(bdtr(wrong, counted, self.target)), upper=upper,
        )  # fmt: skip


class Betting:
    """A bet against each family in turn, on its sum of selected x (wrong - target); the order plays no part."""

    def __init__(self, wrong: Truths, codes: Integers, largest: int, target: float, delta: float) -> None:
        self.wrong, self.codes, self.largest, self.target, self.delta = wrong, codes, largest, target, delta

    def at(self, selected: Truths) -> Found:
        """The wealth over the families of the selected rows."""
        families = family_sums(selected, self.wrong, self.codes)
        counted, wrong = int(selected.sum()), int((selected & self.wrong).sum())
        faultless = families.copy()
        faultless[:, 1] = 0
        wanted = 1 / self.delta
        most = wealth(faultless, self.target, self.largest)
        if most < wanted:
            few = f"{len(families)} families, which even without an error make a wealth of {most:.1f} of {wanted:.4g}"
            return Found(counted, wrong, None, few)
        made = wealth(families, self.target, self.largest)
        return Found(
            counted, wrong, made >= wanted,
            f"{wrong} wrong of {counted} selected, a wealth of {_short(made)}, at least {wanted:.4g} wanted",
            wealth=made, upper=self._upper(families),
        )  # fmt: skip

    def _upper(self, families: Integers) -> float:
        """The smallest target that the same bet would have shown to be kept; the wealth rises with the target."""
        pairs, times = _pairs(families)
        low, high = 0.0, 1.0
        for _ in range(_ROUNDS):
            inner = low + (high - low) * np.arange(1, _PARTS) / _PARTS
            kept = int((_bet(pairs, times, inner, self.largest) < 1 / self.delta).sum())
            ends = np.r_[low, inner, high]
            low, high = float(ends[kept]), float(ends[kept + 1])
        return high


class Adjusted:
    """Clopper-Pearson at the effective number of rows that the families show (Korn and Graubard)."""

    def __init__(self, wrong: Truths, codes: Integers, target: float, delta: float) -> None:
        self.wrong, self.codes, self.target, self.delta = wrong, codes, target, delta

    def at(self, selected: Truths) -> Found:
        """The upper limit over the selected rows against the target."""
        counted, wrong = int(selected.sum()), int((selected & self.wrong).sum())
        sizes = family_sums(selected, self.wrong, self.codes)[:, 0]
        blocks = float(sizes.sum()) ** 2 / float((sizes**2).sum()) if counted else 0.0
        needed = math.log(self.delta) / math.log1p(-self.target)
        if blocks < needed:
            return Found(counted, wrong, None, f"{blocks:.1f} of {needed:.1f} effective rows")
        pairs = count_families(self.wrong[selected], np.ones(counted, dtype=bool), self.codes[selected])
        upper = korn_graubard(share_of(pairs, (0,), (0, 1)), 1 - 2 * self.delta)[1]
        told = f"{wrong} wrong of {counted} selected, upper limit {upper:.3f}, at most {self.target:g} wanted"
        return Found(counted, wrong, upper <= self.target, told, upper=upper)


def wealth(families: ArrayLike, target: float, largest: int) -> float:
    """What a bet of 1 against "more than the target is wrong" has become after all families.

    Formula: mean over stakes L of the product over families of 1 - L (wrong - target x selected), with L = part /
    ((1 - target) largest) and ``families`` of shape (F, 2): selected, wrong. Range 0 up, high is good; 1 / delta or
    more rejects at level delta, since under the hypothesis its mean is at most 1 (Markov). Undefined (an error) for a
    family of more than ``largest``. References: Waudby-Smith and Ramdas 2024, JRSS-B 86:1 (betting on bounded means);
    Howard, Ramdas, McAuliffe and Sekhon 2021, Ann. Stat. 49:1055 (mixtures). Easily confused with a likelihood ratio:
    nothing is assumed within a family.
    """
    table = np.asarray(families, dtype=np.int64).reshape(-1, 2)
    if len(table) and table[:, 0].max() > largest:
        raise ValueError(f"a family with {table[:, 0].max()} selected rows, but the largest was declared {largest}")
    return float(_bet(*_pairs(table), np.array([target]), largest)[0])


def _pairs(table: Integers) -> tuple[Integers, Integers]:
    """Distinct pairs in a canonical order, and how often: the same families make the same bytes, whatever their order."""
    width = int(table.max(initial=0)) + 1
    coded, times = np.unique(table[:, 0] * width + table[:, 1], return_counts=True)
    return np.stack(np.divmod(coded, width), axis=1), times


def _bet(pairs: Integers, times: Integers, targets: Floats, largest: int) -> Floats:
    """The wealth for each of several targets."""
    sums = (pairs[:, 1] - targets[:, None] * pairs[:, 0]) / ((1 - targets[:, None]) * largest)
    with np.errstate(divide="ignore"):
        logs = np.log(np.maximum(1 - STAKES[:, None, None] * sums, 0.0)) @ times
    return np.asarray(np.exp(np.minimum(logs, 700.0)).mean(axis=0))


def family_sums(selected: Truths, wrong: Truths, codes: Integers) -> Integers:
    """(selected, wrong among them) for each family with a selected row, shape (F, 2)."""
    families = int(codes.max(initial=-1)) + 1
    rows = np.bincount(codes[selected], minlength=families)
    bad = np.bincount(codes[selected & wrong], minlength=families)
    return np.stack([rows, bad], axis=1)[rows > 0].astype(np.int64)


def drawn_items(scores: Floats, wrong: Truths, codes: Integers, seed: int) -> Truths:
    """One item of each family, drawn evenly: True at its row.

    Items are put in order of (score, wrong) and families in order of their items, so that neither row order nor names
    reach the draw. That order may use labels: the draws are independent and even whatever the order is, so each
    family's item is an even draw that knows nothing of its label.
    """
    order = np.lexsort((wrong, scores, codes))
    starts = np.flatnonzero(np.r_[True, np.diff(codes[order]) != 0]) if len(order) else np.zeros(0, dtype=np.int64)
    sizes = np.diff(np.r_[starts, len(order)])
    ranked = sorted(range(len(starts)), key=lambda f: _content(scores, wrong, order[starts[f] : starts[f] + sizes[f]]))
    ranks = np.empty(len(starts), dtype=np.int64)
    ranks[ranked] = np.arange(len(starts))
    places = (np.random.default_rng(seed).random(len(starts))[ranks] * sizes).astype(np.int64)
    drawn = np.zeros(len(scores), dtype=bool)
    drawn[order[starts + places]] = True
    return drawn


def _content(scores: Floats, wrong: Truths, rows: Integers) -> tuple[list[float], list[bool]]:
    return scores[rows].tolist(), wrong[rows].tolist()


def _short(value: float) -> str:
    return f"{value:.2g}" if value < 1 else f"{value:.4g}"
