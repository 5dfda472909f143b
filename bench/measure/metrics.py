"""The table of count metrics: each declares its formula, range, direction, symmetries and when it is undefined.

Counts have shape (..., 4) in the order tp, fp, fn, tn; values have shape (...). Inside this package an undefined
value is NaN; it becomes None with a reason in :class:`bench.measure.estimate.Estimate`.
A new metric is one function and one line in ``METRICS``.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from bench.measure.counts import Floats

TP, FP, FN, TN = range(4)
Direction = Literal["higher is better", "neither"]
CountFunction = Callable[[Floats], Floats]
Composition = Callable[[Floats, Sequence[float]], float]
"""From the total counts (4,) and the values of the parts to the metric."""


@dataclass(frozen=True)
class Margin:
    """A group of items that must not be empty, by its name in a reason ("0 labelled yes")."""

    name: str
    cells: tuple[int, ...]

    def size(self, counts: Floats) -> Floats:
        """How many items the group has, over the last axis."""
        return np.asarray(counts[..., list(self.cells)].sum(axis=-1))


LABELLED_YES = Margin("labelled yes", (TP, FN))
LABELLED_NO = Margin("labelled no", (FP, TN))
PREDICTED_YES = Margin("predicted yes", (TP, FP))
PREDICTED_NO = Margin("predicted no", (FN, TN))
ANY_YES = Margin("labelled or predicted yes", (TP, FP, FN))
ITEMS = Margin("items", (TP, FP, FN, TN))
_BOTH_CLASSES = (LABELLED_YES, LABELLED_NO, PREDICTED_YES, PREDICTED_NO)


@dataclass(frozen=True)
class Part:
    """A share of items inside a metric: these cells among a margin."""

    numerator: tuple[int, ...]
    margin: Margin


@dataclass(frozen=True)
class Metric:
    """A count metric and everything a reader or a test must know about it.

    ``exchange_partner`` is the metric it turns into when labels and verdicts change places (its own name when it is
    symmetric, None when that metric is not in the table). ``polarity_partner`` is the one it turns into when yes and
    no change places in both; with ``polarity_complement`` the value turns into one minus that metric's.
    ``parts`` are the shares it is made of and ``compose`` makes it from them, the margins being held as observed;
    that carries an exact interval of the shares over to the metric when a bootstrap has nothing to work with.
    """

    name: str
    sentence: str
    formula: str
    function: CountFunction
    needs: tuple[Margin, ...]
    parts: tuple[Part, ...]
    compose: Composition
    low: float
    direction: Direction
    exchange_partner: str | None
    polarity_partner: str | None
    reference: str
    confused_with: str
    proportion: bool = False
    high: float = 1.0
    polarity_complement: bool = False

    @property
    def symmetric(self) -> bool:
        """Whether labels and verdicts may change places."""
        return self.exchange_partner == self.name

    @property
    def defined_when(self) -> str:
        """The condition under which a value exists."""
        return "at least one item " + " and at least one ".join(margin.name for margin in self.needs)

    def values(self, counts: Floats) -> Floats:
        """The metric over the last axis of (..., 4) counts; NaN where a needed margin is empty."""
        counts = np.asarray(counts, dtype=np.float64)
        empty = np.logical_or.reduce([margin.size(counts) == 0 for margin in self.needs])
        with np.errstate(divide="ignore", invalid="ignore"):
            raw = self.function(counts)
        # The formulas stay in range; their last bit may not (1.0000000000000002).
        return np.where(empty, np.nan, np.clip(raw, self.low, self.high))

    def why_undefined(self, counts: Floats) -> str | None:
        """The reason why one (4,) vector of counts gives no value, or None."""
        empty = [f"0 {margin.name}" for margin in self.needs if margin.size(counts) == 0]
        return ", ".join(empty) or None


def share(numerator: tuple[int, ...], denominator: Margin) -> CountFunction:
    """The function numerator cells / denominator cells."""

    def of(counts: Floats) -> Floats:
        return np.asarray(counts[..., list(numerator)].sum(axis=-1) / denominator.size(counts))

    return of


def f1(counts: Floats) -> Floats:
    """Harmonic mean of precision and recall; 0 to 1, high is good; undefined without any yes."""
    return np.asarray(2 * counts[..., TP] / (2 * counts[..., TP] + counts[..., FP] + counts[..., FN]))


def balanced_accuracy(counts: Floats) -> Floats:
    """Mean of recall and specificity; 0 to 1, .5 is chance; undefined when labels hold one class."""
    return np.asarray((counts[..., TP] / LABELLED_YES.size(counts) + counts[..., TN] / LABELLED_NO.size(counts)) / 2)


def mcc(counts: Floats) -> Floats:
    """Correlation of label and verdict; -1 to 1, 0 is chance; undefined when either holds one class."""
    # Square roots before the product: four margins of 10^5 items multiply to 10^20.
    spread = np.prod([np.sqrt(margin.size(counts)) for margin in _BOTH_CLASSES], axis=0)
    return np.asarray((counts[..., TP] * counts[..., TN] - counts[..., FP] * counts[..., FN]) / spread)


def cohen_kappa(counts: Floats) -> Floats:
    """Agreement beyond chance from each side's own yes-rate; -1 to 1, 0 is chance; undefined with one class."""
    product = counts[..., TP] * counts[..., TN] - counts[..., FP] * counts[..., FN]
    margins = PREDICTED_YES.size(counts) * LABELLED_NO.size(counts) + LABELLED_YES.size(counts) * PREDICTED_NO.size(
        counts
    )
    return np.asarray(2 * product / margins)


def gwet_ac1(counts: Floats) -> Floats:
    """Agreement beyond chance from the mean yes-rate; -1 to 1, high is good; undefined without items."""
    items = ITEMS.size(counts)
    agreement = (counts[..., TP] + counts[..., TN]) / items
    rate = (LABELLED_YES.size(counts) + PREDICTED_YES.size(counts)) / (2 * items)
    chance = 2 * rate * (1 - rate)
    return np.asarray((agreement - chance) / (1 - chance))


def _only_part(counts: Floats, parts: Sequence[float]) -> float:
    return parts[0]


def _mean_of_parts(counts: Floats, parts: Sequence[float]) -> float:
    return sum(parts) / len(parts)


def _f1_from_jaccard(counts: Floats, parts: Sequence[float]) -> float:
    return 2 * parts[0] / (1 + parts[0])


def _ac1_from_accuracy(counts: Floats, parts: Sequence[float]) -> float:
    rate = float(LABELLED_YES.size(counts) + PREDICTED_YES.size(counts)) / (2 * float(ITEMS.size(counts)))
    chance = 2 * rate * (1 - rate)
    return (parts[0] - chance) / (1 - chance)


def _kappa_from_accuracy(counts: Floats, parts: Sequence[float]) -> float:
    items = float(ITEMS.size(counts))
    yes, said = float(LABELLED_YES.size(counts)) / items, float(PREDICTED_YES.size(counts)) / items
    chance = yes * said + (1 - yes) * (1 - said)
    return (parts[0] - chance) / (1 - chance)


def _mcc_from_accuracy(counts: Floats, parts: Sequence[float]) -> float:
    # With the margins held, MCC and kappa are the same covariance over different constants.
    yes, no, said_yes, said_no = (float(margin.size(counts)) for margin in _BOTH_CLASSES)
    ratio = (said_yes * no + yes * said_no) / (2 * math.sqrt(yes * no * said_yes * said_no))
    return _kappa_from_accuracy(counts, parts) * ratio


_AGREEMENT = (Part((TP, TN), ITEMS),)


def _proportion(
    name: str,
    sentence: str,
    formula: str,
    numerator: tuple[int, ...],
    margin: Margin,
    direction: Direction,
    exchange: str | None,
    polarity: str,
    reference: str,
    confused: str,
    complement: bool = False,
) -> Metric:
    return Metric(
        name,
        sentence,
        formula,
        share(numerator, margin),
        (margin,),
        (Part(numerator, margin),),
        _only_part,
        0.0,
        direction,
        exchange,
        polarity,
        reference,
        confused,
        True,
        polarity_complement=complement,
    )


_POWERS = "Powers 2011, J. Machine Learning Technologies 2(1):37-63"
_UP: Direction = "higher is better"

_TABLE = (
    _proportion(
        "precision", "Of the items the judge called yes, the share labelled yes.", "TP / (TP + FP)",
        (TP,), PREDICTED_YES, _UP, "recall", "npv", _POWERS, "recall; accuracy; it moves with prevalence",
    ),
    _proportion(
        "recall", "Of the items labelled yes, the share the judge called yes.", "TP / (TP + FN)",
        (TP,), LABELLED_YES, _UP, "precision", "specificity", _POWERS, "precision; also called sensitivity, TPR",
    ),
    _proportion(
        "specificity", "Of the items labelled no, the share the judge called no.", "TN / (TN + FP)",
        (TN,), LABELLED_NO, _UP, "npv", "recall", _POWERS, "npv; also called TNR, one minus the false-positive rate",
    ),
    _proportion(
        "npv", "Of the items the judge called no, the share labelled no.", "TN / (TN + FN)",
        (TN,), PREDICTED_NO, _UP, "specificity", "precision", _POWERS, "specificity; it moves with prevalence",
    ),
    _proportion(
        "accuracy", "The share of items where verdict and label are the same.", "(TP + TN) / N",
        (TP, TN), ITEMS, _UP, "accuracy", "accuracy", _POWERS, "balanced accuracy; always-no scores 1 - prevalence",
    ),
    _proportion(
        "prevalence", "The share of items labelled yes.", "(TP + FN) / N",
        (TP, FN), ITEMS, "neither", "predicted_yes_rate", "prevalence", _POWERS, "predicted_yes_rate", True,
    ),
    _proportion(
        "predicted_yes_rate", "The share of items the judge called yes.", "(TP + FP) / N",
        (TP, FP), ITEMS, "neither", "prevalence", "predicted_yes_rate", _POWERS, "prevalence; precision", True,
    ),
    Metric(
        "f1", "The harmonic mean of precision and recall.", "2 TP / (2 TP + FP + FN)",
        f1, (ANY_YES,), (Part((TP,), ANY_YES),), _f1_from_jaccard, 0.0, _UP, "f1", None,
        "van Rijsbergen 1979, Information Retrieval, ch. 7",
        "accuracy; the F1 of the no class; a macro average over both",
    ),
    Metric(
        "balanced_accuracy", "The mean of recall and specificity.", "(TP / (TP + FN) + TN / (TN + FP)) / 2",
        balanced_accuracy, (LABELLED_YES, LABELLED_NO), (Part((TP,), LABELLED_YES), Part((TN,), LABELLED_NO)),
        _mean_of_parts, 0.0, _UP, None, "balanced_accuracy",
        "Brodersen et al. 2010, ICPR", "accuracy; its value by chance is .5 at any prevalence",
    ),
    Metric(
        "mcc", "The correlation between labels and verdicts (phi).",
        "(TP TN - FP FN) / sqrt((TP + FP)(TP + FN)(TN + FP)(TN + FN))",
        mcc, _BOTH_CLASSES, _AGREEMENT, _mcc_from_accuracy, -1.0, _UP, "mcc", "mcc",
        "Matthews 1975, BBA 405:442-451", "cohen_kappa",
    ),
    Metric(
        "cohen_kappa", "Agreement beyond what both yes-rates would give by chance, as a share of what was possible.",
        "(p_o - p_e) / (1 - p_e) = 2 (TP TN - FP FN) / ((TP + FP)(FP + TN) + (TP + FN)(FN + TN))",
        cohen_kappa, _BOTH_CLASSES, _AGREEMENT, _kappa_from_accuracy, -1.0, _UP, "cohen_kappa", "cohen_kappa",
        "Cohen 1960, Educ. Psychol. Meas. 20:37-46", "raw agreement; gwet_ac1; it falls at extreme prevalence",
    ),
    Metric(
        "gwet_ac1", "Agreement beyond chance, where chance is taken from the mean yes-rate.",
        "(p_o - p_e) / (1 - p_e), p_e = 2 q (1 - q), q = (2 TP + FP + FN) / 2N",
        gwet_ac1, (ITEMS,), _AGREEMENT, _ac1_from_accuracy, -1.0, _UP, "gwet_ac1", "gwet_ac1",
        "Gwet 2008, Br. J. Math. Stat. Psychol. 61:29-48", "cohen_kappa; it stays high when one class is rare",
    ),
)  # fmt: skip

METRICS: dict[str, Metric] = {metric.name: metric for metric in _TABLE}
