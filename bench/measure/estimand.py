"""A function of summed family vectors and what its interval needs: bootstrap where there is spread, else exact."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np

from bench.measure.counts import FamilyVectors, Floats
from bench.measure.estimate import TOO_FEW, Estimate
from bench.measure.proportions import Bounds
from bench.measure.resampling import Statistic, studentised

LEVEL = 0.95
RESAMPLES = 10_000
FEW_ITEMS = 10
FEW_FAMILIES = 5
BOOTSTRAP_FAMILIES = 15
BOOTSTRAP_SIDES = 5
DEGENERATE = "degenerate over resamples; exact interval printed"
THIN = "too thin to resample; exact interval printed"
STUDENTISED = "studentised family bootstrap"


@dataclass(frozen=True)
class Estimand:
    """What is to be estimated.

    ``exact`` gives the interval that stands in when there is nothing to resample; ``note`` says that this is known
    beforehand (too few or too thin), and is None when the bootstrap may be tried.
    """

    name: str
    statistic: Statistic
    families: FamilyVectors
    lowest: float
    highest: float
    contributing: int
    exact: Callable[[], Bounds]
    exact_method: str
    note: str | None

    def estimate(self, drawn: Floats | Iterable[Floats] | None, level: float) -> Estimate:
        """The estimate; ``drawn`` (B, D), or blocks of it, are the resamples, needed only when there is no note."""
        value = float(self.statistic(self.families.totals()))
        if self.note is not None or drawn is None:
            return self._exact(value, self.note or THIN, 0)
        parts = [drawn] if isinstance(drawn, np.ndarray) else drawn
        result = studentised(self.statistic, self.families, parts, level, self.contributing - 1)
        if result.degenerate:
            return self._exact(value, DEGENERATE, result.undefined)
        return self._with(value, (result.low, result.high), STUDENTISED, None, result.undefined)

    def _exact(self, value: float, note: str, undefined: int) -> Estimate:
        low, high = self.exact()
        return self._with(value, (min(low, value), max(high, value)), self.exact_method, note, undefined)

    def _with(self, value: float, bounds: Bounds, method: str, note: str | None, undefined: int) -> Estimate:
        low, high = max(bounds[0], self.lowest), min(bounds[1], self.highest)
        return Estimate(self.name, value, low, high, method, self.contributing, note, undefined_resamples=undefined)


def shortage(items: float, contributing: int, sides: int) -> str | None:
    """Why a bootstrap is not tried, or None.

    ``items`` in the scarcest margin, ``contributing`` families, and ``sides``, the families on the scarcer of the hit
    and the miss side.
    """
    if items < FEW_ITEMS or contributing < FEW_FAMILIES:
        return TOO_FEW
    return THIN if contributing < BOOTSTRAP_FAMILIES or sides < BOOTSTRAP_SIDES else None
