"""A rate of violations that a judge may have at most."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

from bench.measure.estimate import rounded
from bench.probing.figures import Figures

Status = Literal["met", "not met", "cannot decide"]


@dataclass(frozen=True)
class Decided:
    """What the data say about one limit for one judge and statement."""

    probe: str
    judge: str
    statement: str
    limit: float
    status: Status
    reason: str


def decide(limits: Mapping[str, float], figures: Iterable[Figures]) -> list[Decided]:
    """Each limit on each of its figures: met where the whole interval lies at or under it, not met where it lies above."""
    return [_decided(limits[f.probe.id], f) for f in figures if f.probe.id in limits]


def _decided(limit: float, found: Figures) -> Decided:
    rate = found.rate
    status: Status
    if rate.value is None or rate.low is None or rate.high is None:
        status, reason = "cannot decide", rate.undefined or "no interval"
    elif rate.high <= limit:
        status, reason = "met", f"at most {rounded(rate.high)}"
    elif rate.low > limit:
        status, reason = "not met", f"at least {rounded(rate.low)}"
    else:
        status, reason = "cannot decide", f"between {rounded(rate.low)} and {rounded(rate.high)}"
    return Decided(found.probe.id, found.judge, found.statement, limit, status, reason)


def worst(decided: Iterable[Decided]) -> Status:
    """One that is not met decides; else one that cannot be decided."""
    found = {one.status for one in decided}
    return "not met" if "not met" in found else "cannot decide" if "cannot decide" in found or not found else "met"
