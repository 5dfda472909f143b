"""Red lines: floors under the head's figures, decided by the interval, whatever the base says."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from bench.comparing.config import Config
from bench.comparing.metric_lines import Chance, families_of
from bench.measure.estimate import Estimate, undefined_estimate
from bench.measure.intervals import interval
from bench.measure.limits import Decision, Limit, weigh
from bench.measure.metrics import METRICS
from bench.measure.rows import Row

_ONE_CLASS_WILL_DO = ("recall", "specificity")


@dataclass(frozen=True)
class RedLineResult:
    """A floor, the head's figure on all its items in the table, and what follows."""

    estimate: Estimate
    decision: Decision


def red_lines(config: Config, rows: Sequence[Row], chance: Chance) -> tuple[RedLineResult, ...]:
    """Each red line of the config on the head's rows of the table; missing verdicts count as either."""
    found = []
    for entry in config.red_line:
        limit = Limit(entry.metric, entry.at_least)
        estimate = _value(rows, entry.metric, chance)
        found.append(RedLineResult(estimate, _decided(rows, limit, estimate)))
    return tuple(found)


def _value(rows: Sequence[Row], metric: str, chance: Chance) -> Estimate:
    counted = [row for row in rows if row.counts and row.answer in ("yes", "no")]
    if not counted:
        return undefined_estimate(metric, "no item is scored and labelled")
    return interval(METRICS[metric], families_of(counted), chance.seed, chance.resamples)


def _decided(rows: Sequence[Row], limit: Limit, estimate: Estimate) -> Decision:
    labelled = [row for row in rows if row.label.answer in ("yes", "no")]
    classes = {row.label.answer for row in labelled}
    if len(classes) == 1 and limit.metric not in _ONE_CLASS_WILL_DO:
        return Decision(limit, "cannot decide", f"every label is {classes.pop()}")
    missing = any(row.answer is None for row in labelled)
    ends = (_filled(labelled, limit.metric, right=False), _filled(labelled, limit.metric, right=True))
    return weigh(limit, estimate, len(labelled), ends if missing else None)


def _filled(rows: Sequence[Row], metric: str, *, right: bool) -> float | None:
    """The metric, had every missing verdict been right, or wrong."""
    whole = [r if r.answer is not None else replace(r, answer=_answer(r, right)) for r in rows]
    counts = families_of(whole).totals()
    return None if METRICS[metric].why_undefined(counts) else float(METRICS[metric].values(counts))


def _answer(row: Row, right: bool) -> str:
    return "yes" if (row.label.answer == "yes") is right else "no"
