"""How often a head points at an event that annotators point at, out of fold on development. It certifies nothing."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from bench.judges.head.judge import CITED, cited
from bench.judges.head.model import Head
from bench.measure.estimate import Estimate
from bench.measure.means import mean_interval
from bench.training.candidates import Candidate, Fitted, fit
from bench.training.crossfit import FULL, Effort, folds
from bench.training.material import Material, Row
from bench.training.solve import Floats
from bench.training.table import Table


@dataclass(frozen=True)
class Citations:
    """Over primary attempts labelled yes whose annotators cite events."""

    hit: Estimate  # the head's cited events hold one that an annotator cites
    by_chance: Estimate  # as many events drawn at random do


def citations(
    material: Material,
    table: Table,
    candidate: Candidate,
    write: Callable[[Fitted], Head],
    effort: Effort = FULL,
) -> Citations:
    """The share of attempts where one of the events a yes would cite is among those that annotators cite.

    Formula: mean over attempts, over repeats, of [top 3 and cited overlap]. Range 0 to 1, high is good; undefined without
    such an attempt. Chance: 1 - C(n - c, 3) / C(n, 3) for c cited of n events. Easily confused with recall of events,
    which counts every cited event.
    """
    rows = np.arange(len(table))
    hits: dict[int, list[float]] = {
        i: [] for i, row in enumerate(material.rows) if row.primary and row.yes and row.cited
    }
    for repeat in range(effort.repeats):
        fold = folds(table, rows, effort.folds, np.random.default_rng((material.seed, 7, repeat)))
        for held in range(effort.folds):
            head = write(fit(candidate, table, rows[fold != held]))
            for i in set(hits) & set(np.flatnonzero(fold == held).tolist()):
                hits[i].append(float(_overlap(head, material.rows[i])))
    family = [str(table.family[i]) for i in hits]
    found: Floats = np.array([np.mean(of_row) for of_row in hits.values()])
    chance: Floats = np.array([_chance(material.rows[i]) for i in hits])
    return Citations(
        mean_interval("hit", found, family, material.seed), mean_interval("by_chance", chance, family, material.seed)
    )


def _overlap(head: Head, row: Row) -> bool:
    theirs = {row.projection.numbers[place] for place, _ in row.cited}
    return bool(theirs & set(cited(head, row.projection, row.seen)))


def _chance(row: Row) -> float:
    total, wanted, missed = len(row.seen.signals), len(row.cited), 1.0
    for drawn in range(min(CITED, total)):
        missed *= max(0, total - wanted - drawn) / (total - drawn)
    return 1 - missed
