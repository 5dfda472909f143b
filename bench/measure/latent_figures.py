"""What third votes on drawn cases say of the labels: how often they agree, and how often a vote is wrong."""

from __future__ import annotations

from dataclasses import dataclass

from bench.cases.load import LoadedSuite
from bench.labels.load import UNCLEAR, CastVote, Labels
from bench.measure.estimate import Estimate, undefined_estimate
from bench.measure.items import share_of_items, statements_of
from bench.measure.latent import LatentRates, latent_rates

_FIRST = 2  # blind votes behind a label


@dataclass(frozen=True)
class LatentLine:
    """One statement in one stratum, over all splits."""

    stratum: str
    statement: str
    items: int  # with a third vote
    agrees: Estimate  # of them, the share whose third vote says what the label says
    left_out: int  # of them, those with an unclear vote or without two first votes
    lineages: tuple[str, ...]  # of the models behind the three votes
    rates: LatentRates


@dataclass(frozen=True)
class _Item:
    """One item with a third vote."""

    family: str
    label: str | None  # the answer, unclear, or None where there is no label
    votes: tuple[CastVote, ...]
    third: CastVote

    @property
    def answers(self) -> tuple[str, ...]:
        return tuple(cast.vote.answer for cast in (*self.votes, self.third))

    @property
    def is_whole(self) -> bool:
        return len(self.votes) == _FIRST and set(self.answers) <= {"yes", "no"}


def latent_lines(suite: LoadedSuite, labels: Labels) -> tuple[LatentLine, ...]:
    """A line where there are third votes on drawn cases: only those stand for the rest."""
    found = []
    for stratum in suite.suite.strata:
        for statement in statements_of(suite):
            items = _items(suite, labels, stratum.id, statement)
            if items:
                found.append(_line(suite, stratum.id, statement, items))
    return tuple(found)


def _items(suite: LoadedSuite, labels: Labels, stratum: str, statement: str) -> list[_Item]:
    found = []
    for loaded, attempt in suite.attempts():
        item = (loaded.case.id, attempt.id, statement)
        checks = labels.checks.get(item, ())
        if loaded.case.stratum == stratum and checks and loaded.case.id in (labels.drawn or ()):
            label = labels.label(item)
            told = UNCLEAR if label.status == "unclear" else label.answer
            found.append(_Item(loaded.case.family, told, labels.votes.get(item, ()), checks[0]))
    return found


def _line(suite: LoadedSuite, stratum: str, statement: str, items: list[_Item]) -> LatentLine:
    labelled = [item for item in items if item.label is not None]
    whole = [item for item in items if item.is_whole]
    cast = [one for item in items for one in (*item.votes, item.third)]
    return LatentLine(
        stratum=stratum,
        statement=statement,
        items=len(items),
        agrees=share_of_items(
            "third_vote_agrees",
            [item.third.vote.answer == item.label for item in labelled],
            [item.family for item in labelled],
        ),
        left_out=len(items) - len(whole),
        lineages=tuple(sorted({one.lineage for one in cast if one.lineage is not None})),
        rates=_rates(suite, statement, whole),
    )


def _rates(suite: LoadedSuite, statement: str, whole: list[_Item]) -> LatentRates:
    types = {s.type for loaded in suite.cases for s in loaded.statements if s.id == statement}
    if types != {"yes_no"}:
        none = undefined_estimate("latent", "no yes / no statement")
        return LatentRates((0, 0, 0, 0), none, none, none, none)
    yes = [item.answers.count("yes") for item in whole]
    return latent_rates(yes, [item.family for item in whole], suite.suite.seed, suite.suite.resamples)
