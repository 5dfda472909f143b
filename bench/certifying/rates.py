"""What a benchmark certificate can say of another population: class rates, and the prevalence that meets the target.

Rates of the two classes carry over where only the mix of yes and no changes; the share wrong among what is decided
does not.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from bench.measure.counts import FamilyVectors, count_families
from bench.measure.estimate import Estimate, undefined_estimate
from bench.measure.inputs import same_rows, truths
from bench.measure.intervals import proportion_interval
from bench.measure.power import check_share, check_within
from bench.measure.proportions import share_of

Verb = Literal["promote", "discard"]
_CLASSES = {"yes": (0, 2), "no": (1, 3)}  # cells of (tp, fp, fn, tn): decided, all of the class


@dataclass(frozen=True)
class BandRates:
    """How much of each class a band decides. Right is what the band is for: yes for promote, no for discard.

    ``level`` is that of each interval; together they hold at ``together`` or more (Bonferroni, whatever the dependence).
    """

    band: Verb
    right: Estimate  # promote: the true-positive rate; discard: the share of no that is discarded
    wrong: Estimate  # promote: the false-positive rate; discard: the share of yes that is discarded
    level: float
    together: float

    @property
    def undefined(self) -> str | None:
        """Why nothing can be carried over, or None."""
        return self.right.undefined or self.wrong.undefined


@dataclass(frozen=True)
class PrevalenceRange:
    """The shares of yes at which at most the target is wrong among what is decided; ``span`` None, with the reason."""

    span: tuple[float, float] | None
    why_none: str | None


@dataclass(frozen=True)
class CarriedOver:
    """The range by the rates as found, and by the worst corner of their simultaneous bounds."""

    found: PrevalenceRange
    worst: PrevalenceRange


def band_rates(
    labels: ArrayLike, decided: ArrayLike, families: ArrayLike, band: Verb, delta: float, *, intervals: int = 2
) -> BandRates:
    """The shares of yes and of no that a band decides, with bounds that hold together.

    Formula: decided yes / yes and decided no / no, each with its family interval at level 1 - delta / intervals
    (``intervals``: how many hold together, 2 for a band, 4 for both). Range 0 to 1; a high right rate and a low wrong
    rate are good. Undefined without a row of the class. Reference: Bonferroni 1936; Dunn 1961, JASA 56:52 (several
    intervals together). Easily confused with the share wrong among what is decided, which moves with prevalence.
    """
    check_within("delta", delta, 1.0)
    if intervals < 2:
        raise ValueError(f"{intervals} intervals: wanted 2 or more")
    yes, taken = truths(labels, "labels"), truths(decided, "decided")
    same_rows(labels=yes, decided=taken, families=np.asarray(families))
    level = 1 - delta / intervals
    counted = count_families(yes, taken, families)
    of_yes, of_no = _share(counted, "yes", band, level), _share(counted, "no", band, level)
    right, wrong = (of_yes, of_no) if band == "promote" else (of_no, of_yes)
    return BandRates(band, right, wrong, level, 1 - 2 * delta / intervals)


def carried_over(rates: Sequence[BandRates], target: float) -> CarriedOver:
    """The prevalences that meet the target for the bands taken together, if their rates carry over.

    For one band it is that band's range. The worst corner takes each right rate at its low and each wrong rate at its
    high bound.
    """
    missing = next((f"{rate.band}: {rate.undefined}" for rate in rates if rate.undefined is not None), None)
    if missing is not None or not rates:
        nothing = PrevalenceRange(None, missing or "no band")
        return CarriedOver(nothing, nothing)
    found = [(rate.band, rate.right.value or 0.0, rate.wrong.value or 0.0) for rate in rates]
    worst = [(rate.band, rate.right.low or 0.0, 1.0 if rate.wrong.high is None else rate.wrong.high) for rate in rates]
    return CarriedOver(prevalence_range(found, target), prevalence_range(worst, target))


def prevalence_range(bands: Sequence[tuple[Verb, float, float]], target: float) -> PrevalenceRange:
    """At which shares of yes at most the target is wrong among what the bands decide, given (band, right, wrong) rates.

    Formula: wrong - target x decided is linear in the prevalence p, (1 - p) a + p b; for promote a = (1 - target) FPR
    and b = -target TPR, so that p >= a / (a - b); for discard the classes change places. Range 0 to 1, a wide one is
    good. Undefined (None) where nothing is decided or no share will do. Reference: Bayes' rule; Vecchio 1966, NEJM
    274:1171 (predictive values and prevalence). Easily confused with an interval for the prevalence, which it is not.
    """
    check_within("target", target, 1.0)
    at_no = at_yes = 0.0
    if all(right == 0 and wrong == 0 for _, right, wrong in bands):
        return PrevalenceRange(None, "nothing is decided")
    for band, right, wrong in bands:
        check_share(right)
        check_share(wrong)
        fair, foul = -target * right, (1 - target) * wrong
        at_no += foul if band == "promote" else fair
        at_yes += fair if band == "promote" else foul
    if at_no <= 0 and at_yes <= 0:
        return PrevalenceRange((0.0, 1.0), None)
    if at_no >= 0 and at_yes >= 0:
        # At one end the excess may be 0, but only because nothing is decided there.
        return PrevalenceRange(None, "no share of yes meets the target at these rates")
    crossing = at_no / (at_no - at_yes)
    return PrevalenceRange((crossing, 1.0) if at_no > 0 else (0.0, crossing), None)


def wrong_share(bands: Sequence[tuple[Verb, float, float]], prevalence: float) -> float | None:
    """The share wrong among what the bands decide at a prevalence, given (band, right, wrong) rates.

    Formula: for promote (1 - p) FPR / (p TPR + (1 - p) FPR), for discard with the classes in each other's place, for
    both the sums over sums. Range 0 to 1, low is good; undefined (None) where nothing is decided. Reference: Bayes'
    rule; Vecchio 1966. Easily confused with the wrong rate, which is a share of a class.
    """
    check_share(prevalence)
    wrong = decided = 0.0
    for band, right, foul in bands:
        fits = prevalence if band == "promote" else 1 - prevalence
        wrong += (1 - fits) * foul
        decided += fits * right + (1 - fits) * foul
    return wrong / decided if decided > 0 else None


def _share(counted: FamilyVectors, label: str, band: Verb, level: float) -> Estimate:
    hits, rest = _CLASSES[label]
    name = f"{band} rate of {label}"
    items = counted.multiplicity @ counted.items
    size = int(items[hits] + items[rest])
    if size == 0:
        return undefined_estimate(name, f"0 labelled {label}")
    share = share_of(counted, (hits,), (hits, rest))
    method, (low, high), note = proportion_interval(share, twins=False, level=level)
    return Estimate(
        name, share.value, low, high, method, share.families, note, numerator=int(items[hits]), denominator=size
    )
