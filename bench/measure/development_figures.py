"""What the development split alone says of each judge: the only rows that a comparator may be chosen on."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bench.cases.load import LoadedSuite
from bench.measure.counts import count_families
from bench.measure.estimate import Estimate, undefined_estimate
from bench.measure.intervals import interval
from bench.measure.items import JudgedRows
from bench.measure.metrics import METRICS
from bench.measure.rows import Row


@dataclass(frozen=True)
class DevelopmentLine:
    """One judge on the development items of one statement in one primary stratum."""

    stratum: str
    statement: str
    judge: str
    items: int
    value: Estimate


def development_lines(suite: LoadedSuite, judged: JudgedRows, metric: str) -> tuple[DevelopmentLine, ...]:
    """Every judge by a count metric on development, best first within a statement; nothing of another split is looked at."""
    lines = []
    for stratum in suite.suite.strata:
        for statement in suite.suite.statements:
            if stratum.primary and statement.critical:
                for outcome, rows in judged:
                    mine = [row for row in rows if _is_of(row, stratum.id, statement.id)]
                    if mine:
                        value = _value(mine, metric, suite.suite.seed)
                        lines.append(
                            DevelopmentLine(stratum.id, statement.id, outcome.judge.judge.name, len(mine), value)
                        )
    return tuple(sorted(lines, key=_best_first))


def _best_first(line: DevelopmentLine) -> tuple[str, str, float, str]:
    return line.stratum, line.statement, -(line.value.value if line.value.value is not None else -2.0), line.judge


def _is_of(row: Row, stratum: str, statement: str) -> bool:
    here = row.stratum == stratum and row.statement == statement and row.split == "development"
    return here and row.counts and row.answer in ("yes", "no")


def _value(rows: list[Row], metric: str, seed: int) -> Estimate:
    if not rows:
        return undefined_estimate(metric, "0 items")
    counted = count_families(
        np.array([row.label.answer == "yes" for row in rows], dtype=bool),
        np.array([row.answer == "yes" for row in rows], dtype=bool),
        [row.family for row in rows],
    )
    return interval(METRICS[metric], counted, seed)
