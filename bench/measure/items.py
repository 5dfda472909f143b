"""Which items a report tells about, and how a share of them is estimated."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np

from bench.cases.load import LoadedSuite
from bench.measure.counts import count_families
from bench.measure.estimate import Estimate, undefined_estimate
from bench.measure.intervals import intervals
from bench.measure.metrics import METRICS
from bench.measure.rows import Row
from bench.running.outcome import Outcome

JudgedRows = Sequence[tuple[Outcome, Sequence[Row]]]
REPORTED_SPLITS = ("calibration", "test", "all")  # rules and controls are developed on the development split only


def headline(judged: JudgedRows) -> JudgedRows:
    """Without the seats of experiments, which stand in no headline table."""
    return [(outcome, rows) for outcome, rows in judged if outcome.judge.entry.experiment is None]


def statements_of(suite: LoadedSuite) -> list[str]:
    """The suite's statements, then those that cases write out for themselves."""
    own = {s.id for loaded in suite.cases for s in loaded.statements}
    shared = [s.id for s in suite.suite.statements]
    return shared + sorted(own - set(shared))


def reported_items(suite: LoadedSuite, stratum: str, statement: str) -> Iterable[tuple[tuple[str, str, str], str]]:
    """(case, attempt, statement) and family of each item of a stratum in the reported splits."""
    for loaded, attempt in suite.attempts():
        case = loaded.case
        split = suite.splits.families[case.family] if suite.splits else "all"
        if case.stratum == stratum and split in REPORTED_SPLITS and any(s.id == statement for s in loaded.statements):
            yield (case.id, attempt.id, statement), case.family


def share_of_items(name: str, hits: Sequence[bool], families: Sequence[str]) -> Estimate:
    """The share of hits, with families as the unit."""
    if not hits:
        return undefined_estimate(name, "0 items")
    vectors = count_families(np.array(hits, dtype=bool), np.ones(len(hits), dtype=bool), families)
    estimate = intervals([METRICS["accuracy"]], vectors, 0)[0]
    return replace(estimate, name=name)
