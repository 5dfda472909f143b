"""The comparisons that a suite declares, decided together (Holm) on the items both judges scored."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from bench.cases.load import LoadedSuite
from bench.measure.compare import Test, accuracy_test
from bench.measure.counts import FamilyVectors, count_joint
from bench.measure.declared import Claim, Decided, Declared, decide_claims
from bench.measure.items import REPORTED_SPLITS, JudgedRows
from bench.measure.metrics import METRICS
from bench.measure.rows import Row
from bench.schema.suite import ComparisonEntry

_CLAIMS: dict[str, Claim] = {"better": "better by at least", "not_worse": "not worse by more than"}


@dataclass(frozen=True)
class ComparisonLine:
    """One declared comparison and what became of it."""

    entry: ComparisonEntry
    items: int  # scored by both and labelled
    families: int
    decided: Decided | None  # None where there is nothing to compare
    missing: str | None
    accuracy: Test | None
    flips: tuple[str, ...]  # items on which the two differ: who is right


def comparison_lines(suite: LoadedSuite, judged: JudgedRows) -> tuple[ComparisonLine, ...]:
    """Every declared comparison, in the suite's order."""
    pairs = [_common(entry, judged) for entry in suite.suite.comparisons]
    claims: dict[str, tuple[Declared, FamilyVectors]] = {}
    for number, (entry, common) in enumerate(zip(suite.suite.comparisons, pairs, strict=True)):
        if common:
            declared = Declared(METRICS[entry.metric], _CLAIMS[entry.claim], entry.margin)
            claims[str(number)] = declared, _joint(common)
    decided = decide_claims(claims, suite.suite.seed, suite.suite.resamples)
    return tuple(
        _line(entry, common, decided.get(str(number)), suite.suite.seed)
        for number, (entry, common) in enumerate(zip(suite.suite.comparisons, pairs, strict=True))
    )


def _common(entry: ComparisonEntry, judged: JudgedRows) -> list[tuple[Row, Row]]:
    """Rows of both judges on the same items, both scored, labelled yes or no."""
    sides = [_rows_of(name, entry, judged) for name in (entry.candidate, entry.comparator)]
    return [(sides[0][item], sides[1][item]) for item in sides[0] if item in sides[1]]


def _rows_of(name: str, entry: ComparisonEntry, judged: JudgedRows) -> dict[tuple[str, str], Row]:
    return {
        (row.case, row.attempt): row
        for outcome, rows in judged
        if outcome.judge.judge.name == name
        for row in rows
        if row.stratum == entry.stratum
        and row.statement == entry.statement
        and row.split in REPORTED_SPLITS
        and row.counts
        and row.answer in ("yes", "no")
    }


def _joint(common: Sequence[tuple[Row, Row]]) -> FamilyVectors:
    return count_joint(
        np.array([a.label.answer == "yes" for a, _ in common], dtype=bool),
        np.array([a.answer == "yes" for a, _ in common], dtype=bool),
        np.array([b.answer == "yes" for _, b in common], dtype=bool),
        [a.family for a, _ in common],
    )


def _line(
    entry: ComparisonEntry, common: Sequence[tuple[Row, Row]], decided: Decided | None, seed: int
) -> ComparisonLine:
    flips = tuple(
        f"{a.case}/{a.attempt}: {entry.candidate if a.answer == a.label.answer else entry.comparator} is right"
        for a, b in common
        if a.answer != b.answer
    )
    return ComparisonLine(
        entry=entry,
        items=len(common),
        families=len({a.family for a, _ in common}),
        decided=decided,
        missing=None if common else "no item is scored by both and labelled",
        accuracy=accuracy_test(_joint(common), seed) if common else None,
        flips=flips,
    )
