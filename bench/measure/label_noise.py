"""What the figures would be if a share of the labels is wrong: sensitivity, not a correction.

Two models, both with a chance e that a label is wrong, the same for yes and no. *Independent*: the error has nothing to
do with the judge, so that for each verdict the labels are a mixture that can be unmixed. *Shared*: whenever a label is
wrong, the judge makes the same mistake, so that every error hides among the agreements. The truth of both kinds of
mistakes together lies between. Reference: Lam and Stork 2003, IJCAI ("Evaluating classifiers by means of test data with
noisy labels").
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from bench.measure.counts import CELLS, Floats
from bench.measure.metrics import FN, FP, METRICS, TN, TP, Metric

NoiseModel = Literal["independent", "shared"]
LABEL_ERRORS = (0.0, 0.02, 0.05, 0.10)
SENSITIVE = ("precision", "recall", "f1", "accuracy", "mcc")
# Expected counts below zero by no more than this are rounding.
_DUST = 1e-9


@dataclass(frozen=True)
class NoisyValue:
    """One metric against the true answers under one model; ``value`` is None exactly when ``undefined`` says why."""

    metric: str
    error: float
    model: NoiseModel
    value: float | None
    undefined: str | None = None


def true_counts(counts: Floats, error: float, model: NoiseModel) -> Floats:
    """The expected (tp, fp, fn, tn) against the true answers, from the (..., 4) counts against the labels.

    Independent: within each verdict, true yes = ((1 - e) labelled yes - e labelled no) / (1 - 2e). Shared: of all
    items, true yes Y = (labelled yes - e N) / (1 - 2e); e (N - Y) of tp are really fp, and e Y of tn are really fn. The
    sum stays N. A negative count says that the error cannot be so large. Undefined from e = .5 on. Easily confused with
    the confusion matrix of the labels themselves.
    """
    if not 0 <= error < 0.5:
        raise ValueError(f"a label error must lie in [0, .5), not {error}")
    counts = np.asarray(counts, dtype=np.float64)
    tp, fp, fn, tn = (counts[..., cell] for cell in (TP, FP, FN, TN))
    if model == "independent":
        unmixed = [(1 - error) * own - error * other for own, other in ((tp, fp), (fp, tp), (fn, tn), (tn, fn))]
        return np.stack(unmixed, axis=-1) / (1 - 2 * error)
    items = tp + fp + fn + tn
    yes = (tp + fn - error * items) / (1 - 2 * error)
    hidden_no, hidden_yes = error * (items - yes), error * yes
    return np.stack([tp - hidden_no, fp + hidden_no, fn + hidden_yes, tn - hidden_yes], axis=-1)


def noisy_value(metric: Metric, counts: Floats, error: float, model: NoiseModel) -> NoisyValue:
    """One count metric against the true answers; undefined where the metric is, or where the error cannot be so large."""
    true = true_counts(counts, error, model)
    impossible = [
        f"{name} would be {number:.1f}" for name, number in zip(CELLS, true.tolist(), strict=True) if number < -_DUST
    ]
    if impossible:
        return NoisyValue(metric.name, error, model, None, f"labels cannot be that wrong: {', '.join(impossible)}")
    true = np.maximum(true, 0.0)
    reason = metric.why_undefined(true)
    return NoisyValue(metric.name, error, model, None if reason else float(metric.values(true)), reason)


def label_noise_table(
    counts: Floats, errors: Sequence[float] = LABEL_ERRORS, names: Sequence[str] = SENSITIVE
) -> tuple[NoisyValue, ...]:
    """Each metric at each label error under both models, from one judge's (tp, fp, fn, tn).

    Range and good end are the metric's. At e = 0 both models give the metric itself. A large spread between the rows
    says that the labels, not the judge, limit what can be claimed. Easily confused with a confidence interval, which
    knows nothing of wrong labels.
    """
    models: tuple[NoiseModel, ...] = ("independent", "shared")
    return tuple(
        noisy_value(METRICS[name], counts, error, model) for name in names for error in errors for model in models
    )
