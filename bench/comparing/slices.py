"""Base against head by slices of the cases. A slice never decides: many looks at few cases."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from bench.cases.load import LoadedSuite
from bench.comparing.items import Contents
from bench.comparing.metric_lines import Chance, Pairs, joint_of, named, scored_by_both
from bench.measure.compare import difference
from bench.measure.estimate import Estimate, undefined_estimate
from bench.measure.metrics import METRICS
from bench.measure.rows import Row

CaseFacts = Mapping[str, Sequence[tuple[str, str]]]  # case -> (dimension, value)


@dataclass(frozen=True)
class SliceLine:
    """One slice of the compared statement."""

    dimension: str
    value: str
    items: int
    families: int
    to_wrong: int
    to_right: int
    accuracy: Estimate  # head - base


def case_facts(suite: LoadedSuite) -> CaseFacts:
    """The slices that a case lies in."""
    facts = {}
    for loaded in suite.cases:
        about = loaded.case.metadata
        named_values = [
            ("capability", about.capability),
            ("difficulty", about.difficulty),
            ("language", about.language),
        ]
        facts[loaded.case.id] = [*named_values, *(("tag", tag) for tag in about.tags)]
    return facts


def slice_lines(
    head: Sequence[Row],
    base: Sequence[Row],
    statement: str,
    splits: Sequence[str],
    contents: tuple[Contents, Contents],
    facts: CaseFacts,
    chance: Chance,
) -> tuple[SliceLine, ...]:
    """Strata first, then what cases say of themselves; all strata, in the compared splits."""
    before = {(r.case, r.attempt): r for r in base if r.statement == statement}
    grouped: dict[tuple[str, str], list[tuple[Row, Row]]] = {}
    for row in head:
        item = (row.case, row.attempt, statement)
        if row.statement != statement or row.split not in splits or item[:2] not in before:
            continue
        if contents[0].get(item) != contents[1].get(item):
            continue
        for slice_ in _slices(row, facts):
            grouped.setdefault(slice_, []).append((before[item[:2]], row))
    ordered = sorted(grouped, key=lambda s: (s[0] != "stratum", s))
    return tuple(_line(*name, grouped[name], chance) for name in ordered)


def _slices(row: Row, facts: CaseFacts) -> Iterator[tuple[str, str]]:
    yield "stratum", row.stratum
    yield from facts.get(row.case, ())


def _line(dimension: str, value: str, common: Pairs, chance: Chance) -> SliceLine:
    pairs = scored_by_both(common)
    right = [(a.answer == b.label.answer, b.answer == b.label.answer) for a, b in pairs]
    gap = (
        named(difference(METRICS["accuracy"], joint_of(pairs), chance.seed, chance.resamples))
        if pairs
        else undefined_estimate("head - base", "no item is scored on both sides and labelled")
    )
    return SliceLine(
        dimension,
        value,
        len(pairs),
        len({b.family for _, b in pairs}),
        right.count((True, False)),
        right.count((False, True)),
        gap,
    )
