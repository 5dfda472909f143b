"""How many really hold, from how often a judge says so and how often it errs in each class."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from bench.estimating.profile import Binomial, Shares, prevalence_bounds
from bench.measure.counts import FamilyVectors
from bench.measure.estimate import TOO_FEW, Estimate, rounded, undefined_estimate
from bench.measure.intervals import intervals
from bench.measure.metrics import FN, FP, METRICS, TN, TP
from bench.measure.proportions import Share, between_families, share_of

METHOD = "profile likelihood over families"
_YES, _NO = (TP, FN), (FP, TN)


@dataclass(frozen=True)
class ClassRates:
    """How the judge answers in each class of labels, and how far the two lie apart."""

    true_positive: Estimate
    false_positive: Estimate
    difference: Estimate


@dataclass(frozen=True)
class Corrected:
    """A corrected share; ``raw`` is what the formula gave, also outside 0 to 1, where the estimate is cut to the end."""

    estimate: Estimate
    raw: float | None

    @property
    def clipped(self) -> bool:
        return self.raw is not None and not 0 <= self.raw <= 1


def class_rates(families: FamilyVectors, seed: int, resamples: int, level: float) -> ClassRates:
    """True-positive and false-positive rate of the judge, with their intervals, from labelled families."""
    wanted = [METRICS[name] for name in ("recall", "specificity", "balanced_accuracy")]
    recall, specificity, balanced = intervals(wanted, families, seed, resamples, level)
    return ClassRates(
        replace(recall, name="true-positive rate"),
        _mirrored(specificity),
        _moved(balanced, "difference of the two rates"),
    )


def why_no_rates(families: FamilyVectors, rates: ClassRates) -> str | None:
    """Why these rates correct nothing, or None."""
    yes, no = (families.items[:, list(cells)].sum(axis=1) for cells in (_YES, _NO))
    if not (families.multiplicity @ yes and families.multiplicity @ no):
        return "the labelled rows hold one class only" if len(yes) else "nothing is labelled and scored"
    if families.families > 1 and bool(np.all((yes == no) & (yes > 0))):
        return "every group of the labelled rows holds as many yes as no: they are set by design, not drawn at random"
    apart = rates.difference
    if apart.low is None or apart.high is None or apart.value is None:
        return f"the class rates are unknown ({apart.undefined})"
    told = f"{rounded(apart.value)} [{rounded(apart.low)}, {rounded(apart.high)}]"
    if apart.high < 0:
        return f"the judge says yes more often where the label is no ({told}): is yes taken for no?"
    if apart.low <= 0:
        return f"the judge's true-positive rate is not above its false-positive rate beyond noise ({told})"
    return None


def rogan_gladen(name: str, families: FamilyVectors, said: Share, rates: ClassRates, level: float) -> Corrected:
    """The share that really holds, given how often the judge says so and its two error rates.

    Formula: (q + TNR - 1) / (TPR + TNR - 1), q the judge's rate of yes, cut to [0, 1]; the interval is the profile
    likelihood of the three rates at their effective sizes, families being the unit on both sides. Range 0 to 1.
    Undefined where the interval of TPR - FPR holds 0, where one class is missing, and where the labelled rows are
    balanced by design. Reference: Rogan and Gladen 1978, American Journal of Epidemiology 107:71. It holds where the
    judge errs in each class as often as on the labelled rows, whatever the prevalence there; easily confused with the
    judge's rate of yes, and with PPI++, which needs labels drawn from the pool itself.
    """
    reason = why_no_rates(families, rates)
    if reason is not None:
        return Corrected(undefined_estimate(name, reason, said.families), None)
    of_yes, of_no = share_of(families, (TP,), _YES), share_of(families, (FP,), _NO)
    raw = (said.value - of_no.value) / (of_yes.value - of_no.value)
    shares = Shares(_binomial(of_yes), _binomial(of_no), _binomial(said), _shared(families, of_yes, of_no))
    low, high = prevalence_bounds(shares, level)
    value = min(max(raw, 0.0), 1.0)
    few = rates.true_positive.too_few or rates.false_positive.too_few
    estimate = Estimate(
        name, value, min(low, value), max(high, value), METHOD, said.families, TOO_FEW if few else None
    )  # fmt: skip
    return Corrected(estimate, raw)


def corrected_value(said: float, rates: ClassRates) -> float | None:
    """The formula alone, cut to [0, 1]; None where a rate is unknown."""
    hit, alarm = rates.true_positive.value, rates.false_positive.value
    return None if hit is None or alarm is None or hit <= alarm else min(max((said - alarm) / (hit - alarm), 0.0), 1.0)


def _binomial(share: Share) -> Binomial:
    return Binomial(share.value, share.effective_size, share.families - 1)


def _shared(families: FamilyVectors, of_yes: Share, of_no: Share) -> float:
    """The covariance of the two rates over families: a quarter of var(sum) - var(difference)."""
    totals = families.totals()
    yes, no = (families.vectors[:, list(cells)].sum(axis=1) for cells in (_YES, _NO))
    hit = (families.vectors[:, TP] - of_yes.value * yes) / totals[list(_YES)].sum()
    alarm = (families.vectors[:, FP] - of_no.value * no) / totals[list(_NO)].sum()
    times, stratum = families.multiplicity, families.stratum
    return (between_families(hit + alarm, times, stratum) - between_families(hit - alarm, times, stratum)) / 4


def _mirrored(specificity: Estimate) -> Estimate:
    name = "false-positive rate"
    if specificity.value is None or specificity.low is None or specificity.high is None:
        return replace(specificity, name=name)
    size, right = specificity.denominator, specificity.numerator
    return replace(
        specificity, name=name, value=1 - specificity.value, low=1 - specificity.high, high=1 - specificity.low,
        numerator=None if size is None or right is None else size - right,
    )  # fmt: skip


def _moved(balanced: Estimate, name: str) -> Estimate:
    """TPR - FPR from balanced accuracy, of which it is twice the distance from one half."""
    if balanced.value is None or balanced.low is None or balanced.high is None:
        return replace(balanced, name=name)
    return replace(
        balanced, name=name, value=2 * balanced.value - 1, low=2 * balanced.low - 1, high=2 * balanced.high - 1
    )
