"""Is a limit met? By the lower bound, not by the value; by the upper bound it is not met; between them nobody can tell."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

from bench.measure.estimate import Estimate, rounded

Status = Literal["met", "not met", "cannot decide"]
# An interval this much narrower (in variance) than the distance excludes the limit four times in five, not every
# second time: ((z_.975 + z_.8) / z_.975)^2.
_FOUR_IN_FIVE = ((1.959964 + 0.841621) / 1.959964) ** 2
_HOPELESS = 1_000_000


@dataclass(frozen=True)
class Limit:
    """A metric must be at least this."""

    metric: str
    value: float

    def __str__(self) -> str:
        return f"{self.metric} >= {self.value:g}"


@dataclass(frozen=True)
class Decision:
    """What the data say about a limit, why, and about how many more labels would probably decide it."""

    limit: Limit
    status: Status
    reason: str
    more_labels: int | None = None

    def __str__(self) -> str:
        return f"{self.status}: {self.limit} ({self.reason})"


def weigh(limit: Limit, estimate: Estimate, labels: int, ends: tuple[float | None, float | None] | None) -> Decision:
    """The decision. ``ends`` are the metric's values with all missing verdicts wrong and all right, if any is missing."""
    low, high, value = estimate.low, estimate.high, estimate.value
    if value is None or low is None or high is None:
        return Decision(limit, "cannot decide", estimate.undefined or "no interval")
    worst, best = ends or (value, value)
    if low >= limit.value:
        if worst is None or worst < limit.value:
            told = "unknown" if worst is None else rounded(worst)
            return Decision(limit, "cannot decide", f"with every missing verdict wrong it would be {told}")
        return Decision(limit, "met", f"lower bound {_beside(low, limit.value)}")
    if high < limit.value:
        if best is None or best >= limit.value:
            told = "unknown" if best is None else rounded(best)
            return Decision(limit, "cannot decide", f"with every missing verdict right it would be {told}")
        return Decision(limit, "not met", f"upper bound {_beside(high, limit.value)}")
    more = more_labels(limit.value, estimate, labels)
    interval = f"interval {_beside(low, limit.value)} to {_beside(high, limit.value)}"
    hope = f"about {more} more labels would probably decide" if more else "no realistic number of labels would decide"
    return Decision(limit, "cannot decide", f"{interval}; {hope}", more)


def more_labels(limit: float, estimate: Estimate, labels: int) -> int | None:
    """How many more labels decide a limit four times in five, if the value stays and new rows are like these.

    Formula: n ((r / d)^k c - 1), r the reach of the interval towards the limit, d the distance of value and limit,
    c = ((1.96 + .84) / 1.96)^2, k = 2, and 1 for a value of 1 or 0, whose interval shrinks with n. None where the value
    is the limit, and above a million.
    """
    if estimate.value is None or estimate.low is None or estimate.high is None:
        return None
    distance = abs(estimate.value - limit)
    reach = estimate.value - estimate.low if estimate.value > limit else estimate.high - estimate.value
    if limit >= 1 or distance <= 1e-9:
        return None
    ratio = reach / distance
    needed = labels * (ratio * (1 if estimate.value in (0.0, 1.0) else ratio) * _FOUR_IN_FIVE - 1)
    if needed > _HOPELESS:
        return None
    size: int = 10 ** max(math.floor(math.log10(max(needed, 1))) - 1, 0)
    return max(math.ceil(needed / size) * size, 1)


def _beside(bound: float, limit: float) -> str:
    """The bound with as many digits as it takes to see on which side of the limit it lies."""
    for digits in (2, 3, 4):
        text = f"{bound:.{digits}f}"
        if (float(text) >= limit) == (bound >= limit):
            return rounded(bound, digits)
    return f"{bound:.6g}"
