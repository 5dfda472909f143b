"""Simulated judges for the choice of a calibrator: how often one is kept, and whether it helps on fresh rows.

PYTHONPATH=tests python tests/recalibration_grid.py > reports/certificates/recalibration.md
"""

from __future__ import annotations

import sys
from dataclasses import dataclass

import numpy as np

from bench.certifying.fitting import apply_map
from bench.certifying.recalibration import FLEXIBLE_FROM, Recalibration, Scale, fit_calibrator
from bench.deciding.calibrator import EDGE
from bench.measure.counts import Floats
from bench.problems import CannotDecide

TRIALS = 500
_FRESH = 4_000  # rows whose expected loss is taken, so that fresh labels add no noise


@dataclass(frozen=True)
class Judge:
    """States sigmoid(sharpness x + shift), x normal with this spread, where yes has the chance sigmoid(x).

    ``blind``: yes has the chance one half whatever x is, and the values are scores.
    """

    name: str
    spread: float = 1.0
    sharpness: float = 1.0
    shift: float = 0.0
    blind: bool = False

    @property
    def scale(self) -> Scale:
        return "score" if self.blind else "probability"

    def stated(self, x: Floats) -> Floats:
        lifted = self.sharpness * x + self.shift
        return lifted if self.blind else 1 / (1 + np.exp(-lifted))

    def chance(self, x: Floats) -> Floats:
        return np.full(len(x), 0.5) if self.blind else 1 / (1 + np.exp(-x))


@dataclass(frozen=True)
class Cell:
    judge: Judge
    rows: int
    family: int = 1  # rows in each; half the variance of labels' draws is the family's own


CALIBRATED, CERTAIN = Judge("calibrated"), Judge("calibrated, sharper", spread=2.0)
OVERCONFIDENT, SHIFTED = Judge("log odds doubled", sharpness=2.0), Judge("log odds plus 1", shift=1.0)
BLIND = Judge("score that knows nothing", blind=True)
CELLS = (
    *(Cell(CALIBRATED, rows, family) for rows in (30, 60, 200, 400) for family in (1, 2)),
    *(Cell(CERTAIN, rows) for rows in (60, 200, 400)),
    *(Cell(BLIND, rows) for rows in (60, 200)),
    *(Cell(judge, rows) for judge in (OVERCONFIDENT, SHIFTED) for rows in (30, 60, 200, 400)),
)


@dataclass(frozen=True)
class Found:
    """Over the trials: how many were refused, kept a map, and kept one that is worse on fresh rows; losses saved there."""

    cell: Cell
    trials: int
    refused: int
    kept: int
    worse: int
    saved: tuple[float, ...]  # of the log loss, by each kept map, on fresh rows
    torn: int  # another seed for the folds chooses another kind

    @property
    def decided(self) -> int:
        return self.trials - self.refused


def simulate(cell: Cell, trials: int, seed: int) -> Found:
    """Fit on ``trials`` simulated tables and look at what is kept."""
    generator = np.random.default_rng((seed, cell.rows, cell.family))
    fresh = np.random.default_rng(seed + 1).normal(0, cell.judge.spread, _FRESH)
    refused, torn, saved = 0, 0, []
    for trial in range(trials):
        x = generator.normal(0, cell.judge.spread, cell.rows)
        family = np.arange(cell.rows) // cell.family
        yes = _draws(generator, family, cell.family) < cell.judge.chance(x)
        try:
            found = again = fit_calibrator(cell.judge.stated(x), yes, family, scale=cell.judge.scale, seed=trial)
            if cell.rows >= FLEXIBLE_FROM:
                again = fit_calibrator(cell.judge.stated(x), yes, family, seed=trials + trial)
        except CannotDecide:
            refused += 1
            continue
        torn += found.calibrator.kind != again.calibrator.kind
        if found.calibrator.kind != "none":
            saved.append(_saved(cell.judge, found, fresh))
    return Found(cell, trials, refused, len(saved), sum(one < 0 for one in saved), tuple(saved), torn)


def _draws(generator: np.random.Generator, family: Floats, size: int) -> Floats:
    own = generator.random(len(family))
    if size == 1:
        return own
    shared = generator.random(int(family.max()) + 1)[family]
    return np.where(generator.random(len(family)) < np.sqrt(0.5), shared, own)


def _saved(judge: Judge, found: Recalibration, fresh: Floats) -> float:
    """The expected log loss of none less that of the kept map."""
    values, chance = judge.stated(fresh), judge.chance(fresh)
    none = np.full(len(fresh), found.share_of_yes) if judge.blind else values
    before, after = (_expected(stated, chance) for stated in (none, apply_map(found.calibrator, values)))
    return before - after


def _expected(stated: Floats, chance: Floats) -> float:
    held = np.clip(stated, EDGE, 1 - EDGE)
    return float(np.mean(-chance * np.log(held) - (1 - chance) * np.log1p(-held)))


def _row(found: Found) -> str:
    cell, saved = found.cell, found.saved
    shares = [f"{found.kept / found.decided:.3f}", f"{found.worse / found.decided:.3f}"]
    figures = [f"{np.mean(saved):+.4f}", f"{min(saved):+.4f}"] if saved else ["n/a (none kept)"] * 2
    seeds = f"{found.torn / found.decided:.3f}" if cell.rows >= FLEXIBLE_FROM else "no matter"
    told = [cell.judge.name, f"{cell.rows}", f"{cell.family}", f"{found.refused}", *shares, *figures, seeds]
    return f"| {' | '.join(told)} |"


def main() -> int:
    error = 0.5 / np.sqrt(TRIALS)
    print("# Calibrators that are kept though they should not be, and those that help\n")
    print(
        f"{TRIALS:,} simulated judges a line, each fitted as `bench recalibrate` fits: under {FLEXIBLE_FROM} rows each family is "
        "left out in turn, from there on ten folds of whole families; a map is kept when it gains more than one standard error. "
        f"Fresh figures are expectations over labels at {_FRESH:,} fresh values, in nats of log loss. Monte-Carlo error of a "
        f"share: at most {error:.3f}. In families of two the labels' draws have the dependence .5. A calibrated judge loses by "
        "any map, so there kept and worse are one. Of the score, none is the share of yes. Seeds: the share of judges for which "
        "another deal of the ten folds chooses another kind. Made by `PYTHONPATH=tests python tests/recalibration_grid.py`.\n"
    )
    print("| judge | rows | rows a family | refused | kept | kept and worse | saved, mean if kept | worst | seeds |")
    print("|---|--:|--:|--:|--:|--:|--:|--:|--:|")
    for place, cell in enumerate(CELLS):
        print(_row(simulate(cell, TRIALS, place)), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
