"""Learning curves: how the chosen candidate does with fewer labels, and what more labels would give.

The second is cross-fitted over every split: it certifies nothing and chooses nothing. It is the one place where a head is
fitted to labels outside development, and no head of it is kept.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bench.cases.load import LoadedSuite
from bench.cases.sources import SessionFolders
from bench.labels.load import Labels
from bench.training.candidates import CANDIDATES, fit
from bench.training.crossfit import FULL, folds, mean_probability
from bench.training.figures import Line, line
from bench.training.material import Material, development_material, material_of
from bench.training.solve import Integers
from bench.training.table import Table, table_of

CHOOSES_NOTHING = "cross-fitted over all splits: certifies nothing and chooses nothing"
SHARES = (0.25, 0.5, 0.75, 1.0)  # of the development families that are left beside the held-out fold
TIMES = (1, 2, 4)  # development's number of primary attempts
DRAWS = 5
PARTS = 5


@dataclass(frozen=True)
class Step:
    """One size of training set: how many primary attempts were fitted to, and the figures on held-out ones."""

    trained_on: float  # primary attempts, on average
    line: Line


def inside_development(material: Material, chosen: str) -> tuple[Step, ...]:
    """The chosen candidate fitted to shares of the development families, and scored on families of the held-out fold."""
    table = table_of(material.rows)
    candidate = next(c for c in CANDIDATES if c.name == chosen)
    rows = np.arange(len(table))
    steps = []
    for share in SHARES:
        sums, sizes = np.empty((DRAWS, len(rows))), []
        for draw in range(DRAWS):
            fold = folds(table, rows, FULL.folds, np.random.default_rng((material.seed, 3, draw)))
            for held in range(FULL.folds):
                out = fold == held
                generator = np.random.default_rng((material.seed, 4, draw, held))
                kept = part_of(table, rows[~out], share, generator)
                sizes.append(int(table.primary[kept].sum()))
                sums[draw, out] = fit(candidate, table, kept).logits(table)[out]
        name = f"{share:.0%} of the families"
        steps.append(Step(float(np.mean(sizes)), line(name, mean_probability(sums), table, material.seed)))
    return tuple(steps)


def over_all_splits(
    suite: LoadedSuite, labels: Labels, folders: SessionFolders, statement: str, chosen: str
) -> tuple[Step, ...]:
    """What about 1, 2 and 4 times the labels give: primary attempts of every split in five parts, families whole; fitted to
    so many attempts of four parts and all other attempts of development, scored on the fifth."""
    own = development_material(suite, labels, folders, statement)
    primary = {stratum.id for stratum in suite.suite.strata if stratum.primary}
    there = {row.family for row in own.rows}
    places = [p for p in suite.attempts() if p[0].case.stratum in primary or p[0].case.family in there]
    material = material_of(suite, labels, folders, statement, places)
    table = table_of(material.rows)
    candidate = next(c for c in CANDIDATES if c.name == chosen)
    core, others = np.flatnonzero(table.primary), np.flatnonzero(~table.primary)
    base = sum(row.primary for row in own.rows)
    steps = []
    for times in TIMES:
        sums, sizes = np.zeros((DRAWS, len(table))), []
        for draw in range(DRAWS):
            fold = folds(table, core, PARTS, np.random.default_rng((material.seed, 5, draw)))
            for held in range(PARTS):
                left = core[fold != held]
                share = min(1.0, times * base / len(left))
                generator = np.random.default_rng((material.seed, 6, draw, held))
                kept = part_of(table, left, share, generator)
                sizes.append(len(kept))
                fitted = fit(candidate, table, np.sort(np.concatenate([kept, others])))
                sums[draw, core[fold == held]] = fitted.logits(table)[core[fold == held]]
        steps.append(Step(float(np.mean(sizes)), line(f"{times} x", mean_probability(sums), table, material.seed)))
    return tuple(steps)


def part_of(table: Table, rows: Integers, share: float, generator: np.random.Generator) -> Integers:
    """A share of the families among these rows, at least one of each kind; kinds as in folds; nested in the share."""
    families = np.unique(table.family[rows])
    kinds: dict[tuple[bool, float], list[int]] = {}
    for family in families.tolist():
        members = rows[table.family[rows] == family]
        kinds.setdefault((bool(table.primary[members].any()), float(table.yes[members].mean())), []).append(family)
    kept: list[int] = []
    for kind in sorted(kinds):
        shuffled = generator.permutation(np.array(kinds[kind])).tolist()
        kept += shuffled[: max(1, round(share * len(shuffled)))]
    return rows[np.isin(table.family[rows], kept)]
