"""How far the blind votes agree, per stratum and statement, with and without ``unclear``."""

from __future__ import annotations

from dataclasses import dataclass

from bench.cases.load import LoadedSuite
from bench.labels.load import UNCLEAR, Labels
from bench.measure.agreement import Rating, krippendorff_alpha, raw_agreement
from bench.measure.estimate import Estimate
from bench.measure.items import statements_of


@dataclass(frozen=True)
class AgreementLine:
    """How far the blind votes agree on one statement in one stratum."""

    stratum: str
    statement: str
    items: int
    votes: int
    adjudicated: int
    raw: Estimate
    alpha: Estimate
    alpha_without_unclear: Estimate


def agreement_lines(suite: LoadedSuite, labels: Labels) -> tuple[AgreementLine, ...]:
    """A line where there are votes, over all splits."""
    lines = []
    for stratum in suite.suite.strata:
        for statement in statements_of(suite):
            line = _agreement_line(suite, labels, stratum.id, statement)
            if line is not None:
                lines.append(line)
    return tuple(lines)


def _agreement_line(suite: LoadedSuite, labels: Labels, stratum: str, statement: str) -> AgreementLine | None:
    ratings: list[Rating] = []
    items = adjudicated = 0
    for loaded, attempt in suite.attempts():
        item = (loaded.case.id, attempt.id, statement)
        votes = labels.votes.get(item, ())
        if loaded.case.stratum != stratum or not votes:
            continue
        items += 1
        adjudicated += item in labels.rulings
        unit = "/".join(item)
        ratings += [Rating(loaded.case.family, unit, cast.annotator, cast.vote.answer) for cast in votes]
    if not ratings:
        return None
    seed, resamples = suite.suite.seed, suite.suite.resamples
    decided = [rating for rating in ratings if rating.category != UNCLEAR]
    return AgreementLine(
        stratum=stratum,
        statement=statement,
        items=items,
        votes=len(ratings),
        adjudicated=adjudicated,
        raw=raw_agreement(ratings),
        alpha=krippendorff_alpha(ratings, seed, resamples),
        alpha_without_unclear=krippendorff_alpha(decided, seed, resamples),
    )
