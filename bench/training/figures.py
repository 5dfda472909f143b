"""Out-of-fold figures on development rows of the primary strata, each with its interval. They certify nothing."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bench.judges.head.features import COLUMNS
from bench.judges.head.signals import SIGNALS
from bench.measure.estimate import Estimate, undefined_estimate
from bench.measure.one_metric import auroc, balanced_accuracy
from bench.measure.probability import log_loss
from bench.training.candidates import Candidate
from bench.training.crossfit import mean_probability
from bench.training.solve import Floats
from bench.training.table import Table

CERTIFIES_NOTHING = "out of fold on development: certifies nothing"
_NO_PROBABILITY = "a count, no probability"


@dataclass(frozen=True)
class Line:
    """One way to judge, on the primary rows: how well it ranks, how far its probabilities are off, how well it decides."""

    name: str
    auroc: Estimate
    log_loss: Estimate
    balanced_accuracy: Estimate


def line(name: str, probability: Floats, table: Table, seed: int) -> Line:
    """The figures of probabilities, one a row; yes means p >= .5."""
    core = table.primary
    p, yes, family = np.round(probability[core], 6), table.yes[core], [str(f) for f in table.family[core]]
    return Line(
        name,
        auroc(yes, p, groups=family, seed=seed),
        log_loss(p, yes, family, seed),
        balanced_accuracy(yes, p >= 0.5, groups=family, seed=seed),
    )


def candidate_lines(candidates: tuple[Candidate, ...], sums: Floats, table: Table, seed: int) -> tuple[Line, ...]:
    """The figures of every candidate, from sums of shape (candidates, repeats, rows)."""
    return tuple(line(c.name, mean_probability(s), table, seed) for c, s in zip(candidates, sums, strict=True))


def control_lines(table: Table, seed: int) -> tuple[Line, ...]:
    """What costs nothing: the same answer always, and two counts that rank (larger is likelier yes)."""
    core = table.primary
    yes, family = table.yes[core], [str(f) for f in table.family[core]]
    always = Line(
        "always-yes",
        undefined_estimate("auroc", "one score"),
        undefined_estimate("log_loss", "no probability"),
        balanced_accuracy(yes, np.ones(len(yes), dtype=bool), groups=family, seed=seed),
    )
    typed = table.events @ table.patterns[:, SIGNALS.index("typed")]
    counts = {"length": table.columns[:, COLUMNS.index("size")], "typed prompts": typed}
    return (always, *(_ranked(name, values[core], yes, family, seed) for name, values in counts.items()))


def _ranked(name: str, values: Floats, yes: NDArray[np.bool_], family: list[str], seed: int) -> Line:
    # A rank metric asks for probabilities: a share of the largest count keeps the order.
    scaled = values / max(float(values.max()), 1.0)
    undefined = (undefined_estimate(metric, _NO_PROBABILITY) for metric in ("log_loss", "balanced_accuracy"))
    return Line(f"{name} as a score", auroc(yes, scaled, groups=family, seed=seed), *undefined)
