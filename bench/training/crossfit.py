"""Out-of-fold sums: families whole, answers balanced over folds, repeated, seeded; and the nested choice of a candidate."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from bench.training.candidates import Candidate, fit
from bench.training.solve import Floats, Integers, expit
from bench.training.table import Table


@dataclass(frozen=True)
class Effort:
    """How often families are redrawn into folds."""

    folds: int = 7
    repeats: int = 5
    inner_folds: int = 5


FULL = Effort()


def folds(table: Table, rows: Integers, count: int, generator: np.random.Generator) -> Integers:
    """The fold of each of these rows. Families stay whole; families alike in stratum and share of yes are spread evenly."""
    families = np.unique(table.family[rows])
    members = {int(f): rows[table.family[rows] == f] for f in families}
    kinds = {f: (bool(table.primary[m].any()), float(table.yes[m].mean())) for f, m in members.items()}
    fold_of: dict[int, int] = {}
    start = 0
    for kind in sorted(set(kinds.values())):
        alike = np.array([f for f in members if kinds[f] == kind])
        for place, family in enumerate(generator.permutation(alike).tolist()):
            fold_of[family] = (start + place) % count
        start += len(alike)
    shuffled = generator.permutation(count)
    return np.array([shuffled[fold_of[int(f)]] for f in table.family[rows]], dtype=np.int64)


def out_of_fold(
    candidates: Sequence[Candidate], table: Table, rows: Integers, count: int, repeats: int, seed: Sequence[int]
) -> Floats:
    """Sums of candidates for rows that they were not fitted to, shape (candidates, repeats, rows)."""
    sums = np.empty((len(candidates), repeats, len(rows)))
    for repeat in range(repeats):
        fold = folds(table, rows, count, np.random.default_rng((*seed, repeat)))
        for held in range(count):
            out = fold == held
            for place, candidate in enumerate(candidates):
                if out.any():
                    sums[place, repeat, out] = fit(candidate, table, rows[~out]).logits(table)[rows[out]]
    return sums


def losses(logits: Floats, yes: Floats) -> Floats:
    """Log loss of each sum at its label."""
    return np.asarray(np.logaddexp(0, logits) - yes * logits)


def choose(sums: Floats, table: Table, rows: Integers) -> int:
    """The candidate with the least mean log loss on primary rows; of equal ones the first, which is the simplest."""
    core = table.primary[rows]
    means = losses(sums[:, :, core], table.yes[rows][core].astype(np.float64)).mean(axis=(1, 2))
    return int(np.argmin(np.round(means, 6)))


def nested(candidates: Sequence[Candidate], table: Table, seed: int, effort: Effort = FULL) -> tuple[Floats, list[str]]:
    """Sums (repeats, rows) where the choice itself is made anew without the held-out fold, and what was chosen."""
    rows = np.arange(len(table))
    sums = np.empty((effort.repeats, len(rows)))
    chosen = []
    for repeat in range(effort.repeats):
        fold = folds(table, rows, effort.folds, np.random.default_rng((seed, 0, repeat)))
        for held in range(effort.folds):
            out = fold == held
            if not out.any():
                continue
            kept = rows[~out]
            inner = out_of_fold(candidates, table, kept, effort.inner_folds, 1, (seed, 1, repeat, held))
            best = candidates[choose(inner, table, kept)]
            chosen.append(best.name)
            sums[repeat, out] = fit(best, table, kept).logits(table)[out]
    return sums, chosen


def mean_probability(sums: Floats) -> Floats:
    """The mean probability over repeats; shape (repeats, rows) to (rows,)."""
    return np.asarray(expit(sums).mean(axis=0))
