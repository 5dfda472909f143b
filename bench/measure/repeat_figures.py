"""A/A of the suite's stochastic judges: their first two samples as two runs of one judge."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from bench.cases.load import LoadedSuite
from bench.measure.counts import count_joint
from bench.measure.holm import Adjusted
from bench.measure.items import REPORTED_SPLITS, JudgedRows
from bench.measure.metrics import METRICS
from bench.measure.repeatability import Repeat, repeat, repeat_tests
from bench.measure.rows import Row
from bench.schema.suite import ComparisonEntry


@dataclass(frozen=True)
class RepeatLine:
    """One judge against itself in one table."""

    stratum: str
    statement: str
    judge: str
    judge_id: str
    metric: str
    items: int  # scored in both samples and labelled
    declared: bool  # a declared comparison rests on this judge here
    repeat: Repeat
    test: Adjusted  # of equal accuracy, Holm at .01 over all lines


def repeat_lines(suite: LoadedSuite, judged: JudgedRows) -> tuple[RepeatLine, ...]:
    """Every judge with two samples or more on every critical statement and on every declared comparison."""
    critical = [statement.id for statement in suite.suite.statements if statement.critical]
    found: list[tuple[str, str, str, str, str, int, bool, Repeat]] = []
    for outcome, rows in judged:
        if outcome.judge.entry.samples < 2:
            continue
        name = outcome.judge.judge.name
        for stratum in suite.suite.strata:
            for statement in outcome.judge.entry.answers:
                claim = _claim(suite, name, stratum.id, statement)
                pairs = [row for row in rows if _twice(row, stratum.id, statement)]
                if pairs and (claim is not None or statement in critical):
                    metric = claim.metric if claim else "accuracy"
                    margin = claim.margin if claim else suite.suite.rules.repeat_margin
                    repeated = _repeat(pairs, metric, margin, suite.suite.seed, suite.suite.resamples)
                    place = (stratum.id, statement, name, outcome.judge.id, metric)
                    found.append((*place, len(pairs), claim is not None, repeated))
    tests = repeat_tests({str(number): entry[-1] for number, entry in enumerate(found)}) if found else ()
    by_name = {test.name: test for test in tests}
    return tuple(RepeatLine(*entry, by_name[str(number)]) for number, entry in enumerate(found))


def _claim(suite: LoadedSuite, judge: str, stratum: str, statement: str) -> ComparisonEntry | None:
    """The strictest declared comparison that the judge takes part in here."""
    claims = [
        entry
        for entry in suite.suite.comparisons
        if judge in (entry.candidate, entry.comparator)
        and (entry.stratum, entry.statement) == (stratum, statement)
        and entry.margin > 0
    ]
    return min(claims, key=lambda entry: entry.margin, default=None)


def _twice(row: Row, stratum: str, statement: str) -> bool:
    here = row.stratum == stratum and row.statement == statement and row.split in REPORTED_SPLITS
    scored = len(row.by_sample) > 1 and all(answer in ("yes", "no") for answer in row.by_sample[:2])
    return here and scored and row.label.answer in ("yes", "no")


def _repeat(rows: Sequence[Row], metric: str, margin: float, seed: int, resamples: int) -> Repeat:
    joint = count_joint(
        np.array([row.label.answer == "yes" for row in rows], dtype=bool),
        np.array([row.by_sample[0] == "yes" for row in rows], dtype=bool),
        np.array([row.by_sample[1] == "yes" for row in rows], dtype=bool),
        [row.family for row in rows],
    )
    return repeat(METRICS[metric], joint, margin, seed, resamples)
