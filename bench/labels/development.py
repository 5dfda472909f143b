"""What the development labels give; the only labels that a judge's parameters may rest on."""

from __future__ import annotations

from collections.abc import Sequence

from bench.cases.load import LoadedSuite
from bench.labels.load import Labels


def development_prior(suite: LoadedSuite, labels: Labels, statements: Sequence[str]) -> str | None:
    """The share of yes among the labelled development items of the primary strata, as written in suite.yaml."""
    primary = {stratum.id for stratum in suite.suite.strata if stratum.primary}
    answers = [
        labels.label((loaded.case.id, attempt.id, statement)).answer
        for loaded, attempt in suite.attempts()
        for statement in statements
        if loaded.case.stratum in primary
        and suite.splits
        and suite.splits.families[loaded.case.family] == "development"
    ]
    known = [answer == "yes" for answer in answers if answer is not None]
    return f"{sum(known) / len(known):.3f}" if known else None
