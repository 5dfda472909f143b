"""How reliable a judge's probabilities are before and after a map: log loss, Brier score, calibration error and its noise."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from bench.certifying.fitting import losses
from bench.deciding.calibrator import EDGE
from bench.measure.calibration import Calibration, calibration_error
from bench.measure.counts import Floats
from bench.measure.estimand import LEVEL
from bench.measure.estimate import Estimate, undefined_estimate
from bench.measure.inputs import Truths
from bench.measure.means import mean_interval
from bench.measure.probability import brier, log_loss
from bench.measure.ranking import RANK_RESAMPLES


@dataclass(frozen=True)
class Reliability:
    """What one set of probabilities is worth on labelled rows; they are held at EDGE from 0 and 1 for the log loss."""

    log_loss: Estimate
    brier: Estimate
    calibration: Calibration


@dataclass(frozen=True)
class BeforeAfter:
    """The same rows before and after a map; ``after`` is None where none is kept. Changes are after minus before."""

    on: str
    rows: int
    families: int
    yes: int
    before: Reliability
    after: Reliability | None
    log_loss_change: Estimate | None
    brier_change: Estimate | None


def before_and_after(
    on: str, before: Floats, after: Floats | None, yes: Truths, families: Sequence[str | int], seed: int,
    strata: Sequence[str] | None = None, resamples: int = RANK_RESAMPLES, level: float = LEVEL,
) -> BeforeAfter:  # fmt: skip
    """Both reliabilities and their paired changes, with intervals drawn from whole families.

    Formula of a change: mean over items of score(after) - score(before). Range: -1 to 1 for the Brier score, any number for
    the log loss; under 0 is good. Undefined without items. Reference: Gneiting and Raftery 2007, JASA 102:359. Easily confused
    with the difference of two calibration errors, which has no such pairing and whose noise differs before and after.
    """
    names = np.unique(np.asarray(families)) if len(families) else ()
    first = reliability(before, yes, families, seed, strata, resamples, level)
    found = BeforeAfter(on, len(yes), len(names), int(np.sum(yes)), first, None, None, None)
    if after is None:
        return found
    changes = {
        "log_loss_change": losses(after, yes) - losses(before, yes),
        "brier_change": (after - yes) ** 2 - (before - yes) ** 2,
    }
    lost, squared = (
        _mean_change(name, change, families, seed, strata, resamples, level) for name, change in changes.items()
    )
    after_it = reliability(after, yes, families, seed, strata, resamples, level)
    return replace(found, after=after_it, log_loss_change=lost, brier_change=squared)


def reliability(
    stated: Floats, yes: Truths, families: Sequence[str | int], seed: int,
    strata: Sequence[str] | None = None, resamples: int = RANK_RESAMPLES, level: float = LEVEL,
) -> Reliability:  # fmt: skip
    """Log loss, Brier score and calibration error of probabilities, with intervals and the error's noise floor."""
    return Reliability(
        log_loss(stated, yes, families, seed, strata, EDGE, resamples, level),
        brier(stated, yes, families, seed, strata, resamples, level),
        calibration_error(stated, yes, families, seed, strata, resamples=resamples, level=level),
    )


def _mean_change(
    name: str, changes: Floats, families: Sequence[str | int], seed: int, strata: Sequence[str] | None, resamples: int,
    level: float,
) -> Estimate:  # fmt: skip
    """The mean of changes as that of shares of the largest one, from 0 to 1, and back."""
    if len(changes) == 0:
        return undefined_estimate(name, "0 items")
    most = float(np.max(np.abs(changes))) or 1.0
    found = mean_interval(name, np.clip((changes / most + 1) / 2, 0, 1), families, seed, strata, resamples, level)
    ends = [None if end is None else (2 * end - 1) * most for end in (found.low, found.high)]
    return replace(found, value=float(np.mean(np.sort(changes))), low=ends[0], high=ends[1])
