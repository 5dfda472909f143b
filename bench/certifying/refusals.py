"""Why no certificate can be given, before any threshold is tested: each reason in words that say what to do."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from bench.certifying.material import Material
from bench.deciding.policy import weigh
from bench.measure.estimate import Estimate, rounded
from bench.measure.ranking import RANK_METRICS, rank_interval, score_families

CHANCE = 0.5


def how_well_it_ranks(material: Material, seed: int) -> Estimate:
    """The AUROC of the policy's score on the labelled rows: whether it says anything beyond the mix of labels."""
    rows = [(w.score, row) for row in material.labelled if (w := weigh(material.policy, row.values)).score is not None]
    scores = np.array([score for score, _ in rows], dtype=np.float64)
    right = np.array([row.right for _, row in rows], dtype=bool)
    families = score_families(scores, right, np.array([row.family for _, row in rows], dtype=object))
    return rank_interval(RANK_METRICS["auroc"], families, seed)


def refusals(material: Material, ranks: Estimate) -> Iterator[str]:
    """Every reason that holds; none means that the thresholds may be tested."""
    rows, labelled = len(material.rows), material.labelled
    scored = [w.score for row in labelled if (w := weigh(material.policy, row.values)).score is not None]
    if not rows:
        yield "no rows: nothing here may be tested on (calibration rows with verdicts are wanted)"
    elif not labelled:
        yield f"none of {rows} rows has a label that tells: label them first"
    elif not scored:
        yield f"the judge answered on none of {len(labelled)} labelled rows"
    elif len({row.right for row in labelled}) == 1:
        told = "to promote" if labelled[0].right else "not to promote"
        yield (
            f"one class: all {len(labelled)} labels say {told}, so that nothing tells this judge from one that always says "
            "the same; label sessions of the other kind"
        )
    elif len(set(scored)) == 1:
        yield (
            f"the judge says the same of every session ({scored[0]:.4g}): it decides nothing, the mix of labels does"
        )
    elif ranks.value is None or ranks.low is None or ranks.high is None:
        yield f"whether its scores tell right from wrong is not known: {ranks.undefined}"
    elif ranks.high < CHANCE:
        yield (
            f"its scores run against the labels: AUROC {ranks.cell()}; are labels and judge, or yes and no, swapped?"
        )
    elif ranks.low <= CHANCE:
        yield (
            f"its scores cannot be told from chance: AUROC {ranks.cell()} on {len(scored)} labelled rows reaches "
            f"{rounded(CHANCE)}{_in_time(ranks)}"
        )


def _in_time(ranks: Estimate) -> str:
    """How many families would tell, an interval's half shrinking with the root of their number."""
    value, low, families = ranks.value, ranks.low, ranks.families
    if value is None or low is None or value <= CHANCE:
        return ""
    needed = math.ceil(families * ((value - low) / (value - CHANCE)) ** 2)
    return f" (if it stays at {rounded(value)}, about {max(needed - families, 1)} more families on the rarer side tell)"
