"""The experiments of a suite: of the spread in answers, how much is the cases, each factor, and asking again."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from bench.cases.load import LoadedSuite
from bench.measure.factor_levels import FactorLevels, factor_levels
from bench.measure.items import REPORTED_SPLITS, JudgedRows, statements_of
from bench.measure.rows import Row
from bench.measure.signature import Signature
from bench.measure.variance import Crossed, crossed
from bench.measure.variance_shares import Breakdown, variance_breakdown
from bench.reading.canonical import digest
from bench.schema.experiment import Design, Factor
from bench.schema.suite import design_of_entries

Response = Literal["being right", "saying yes"]
NOT_SCORED, NO_LABEL = "not scored in every cell", "without a label"
Key = tuple[str, str]  # case, attempt


@dataclass(frozen=True)
class ExperimentLine:
    """One response to one statement in one stratum. Items that are not scored in every cell are excluded, and counted."""

    stratum: str
    statement: str
    response: Response
    items: int
    excluded: Mapping[str, int]
    breakdown: Breakdown
    levels: tuple[FactorLevels, ...]  # of each factor
    signature: Signature  # its judge is the digest of all cells


@dataclass(frozen=True)
class Experiment:
    """One experiment; ``missing`` says why it has no lines, where a selection took only a part of its seats."""

    id: str
    factors: tuple[Factor, ...]
    samples: int
    seats: tuple[tuple[str, tuple[str, ...]], ...]  # judge_id and its level of each factor
    lines: tuple[ExperimentLine, ...]
    missing: str | None = None


def experiments(suite: LoadedSuite, judged: JudgedRows, signature: Signature) -> tuple[Experiment, ...]:
    """Every experiment, in the suite's order, on the reported splits."""
    groups: dict[str, JudgedRows] = {}
    for outcome, rows in judged:
        name = outcome.judge.entry.experiment
        if name is not None:
            groups[name] = [*groups.get(name, ()), (outcome, rows)]
    return tuple(_experiment(suite, name, seats, signature) for name, seats in groups.items())


def _experiment(suite: LoadedSuite, name: str, seats: JudgedRows, signature: Signature) -> Experiment:
    samples = seats[0][0].judge.entry.samples
    try:
        design = design_of_entries(name, [outcome.judge.entry for outcome, _ in seats])
    except ValueError as error:
        return Experiment(name, (), samples, (), (), f"only a part of the seats is selected: {error}")
    told = tuple(
        (outcome.judge.id, tuple(f.levels[at] for f, at in zip(design.factors, cell, strict=True)))
        for (outcome, _), cell in zip(seats, design.cells, strict=True)
    )
    cells = digest({judge: list(levels) for judge, levels in told})[:12]
    signature = replace(signature, judge=f"experiment-{name}-{cells}", samples=samples)
    lines = tuple(_lines(suite, design, signature, [rows for _, rows in seats]))
    return Experiment(name, design.factors, samples, told, lines)


def _lines(
    suite: LoadedSuite, design: Design, signature: Signature, seats: Sequence[Sequence[Row]]
) -> Iterator[ExperimentLine]:
    yes_no = {s.id for loaded in suite.cases for s in loaded.statements if s.type == "yes_no"}
    for stratum in suite.suite.strata:
        for statement in statements_of(suite):
            cells = [_rows(rows, stratum.id, statement) for rows in seats]
            if statement in yes_no and cells[0]:
                signed = replace(signature, stratum=stratum.id, statement=statement)
                yield _line(suite, design, signed, cells, "being right")
                yield _line(suite, design, signed, cells, "saying yes")


def _rows(rows: Sequence[Row], stratum: str, statement: str) -> dict[Key, Row]:
    return {
        (row.case, row.attempt): row
        for row in rows
        if row.stratum == stratum and row.statement == statement and row.split in REPORTED_SPLITS
    }


def _line(
    suite: LoadedSuite, design: Design, signature: Signature, cells: Sequence[Mapping[Key, Row]], response: Response
) -> ExperimentLine:
    samples = signature.samples or 1
    scored = [key for key in cells[0] if all(cell[key].samples_scored == samples for cell in cells)]
    labelled = [key for key in scored if response == "saying yes" or cells[0][key].label.answer in ("yes", "no")]
    excluded = {NOT_SCORED: len(cells[0]) - len(scored), NO_LABEL: len(scored) - len(labelled)}
    table = _table(design, samples, cells, labelled, response)
    seed, resamples = suite.suite.seed, suite.suite.resamples
    row = next(iter(cells[0].values()))
    return ExperimentLine(
        stratum=row.stratum,
        statement=row.statement,
        response=response,
        items=len(labelled),
        excluded={reason: count for reason, count in excluded.items() if count},
        breakdown=variance_breakdown(table, seed, resamples),
        signature=signature,
        levels=tuple(factor_levels(table, at, seed, resamples) for at in range(len(design.factors))),
    )


def _table(
    design: Design, samples: int, cells: Sequence[Mapping[Key, Row]], keys: Sequence[Key], response: Response
) -> Crossed:
    hits = np.zeros((len(keys), *design.shape), dtype=np.int64)
    for place, cell in zip(design.cells, cells, strict=True):
        where: tuple[int | slice, ...] = (slice(None), *place)
        hits[where] = [_hits(cell[key], response) for key in keys]
    names = tuple(factor.name for factor in design.factors)
    return crossed(hits, samples, names, [cells[0][key].family for key in keys])


def _hits(row: Row, response: Response) -> int:
    """Of the scored samples, those that are right, or those that say yes."""
    if response == "saying yes" or row.label.answer == "yes":
        return row.said_yes
    return row.samples_scored - row.said_yes
