"""The rows that a certificate is tested on: one an attempt, with the policy's score and the truth about promoting it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from bench.deciding.certificate import Anchor
from bench.deciding.policy import PROMOTE, Policy, Verb, weigh
from bench.judges.contract import CallingJudge
from bench.policies.attempts import JudgedAttempt, JudgedSuite, Scale
from bench.reading.canonical import digest
from bench.running.outcome import Outcome


@dataclass(frozen=True)
class CalibrationRow:
    """One attempt. ``right`` says whether promoting it is right; None where no label tells, which counts as wrong."""

    family: str
    values: Mapping[str, float | None]
    missing: Mapping[str, str]
    right: bool | None
    content: str  # digest of what the judge was shown, without any name


@dataclass(frozen=True)
class Took:
    """What asking took per session, as it was recorded; a judge that is code costs nothing, None is unknown."""

    cost_usd: float | None = None
    seconds: float | None = None
    answered_by: tuple[str, ...] = ()


@dataclass(frozen=True)
class Material:
    """Rows of one judge under one policy without thresholds, and what else a certificate keeps."""

    policy: Policy
    rows: tuple[CalibrationRow, ...]
    scales: Mapping[str, Scale]
    anchors: tuple[Anchor, ...] = ()
    largest_family: int = 1  # over all splits of the data: known before any label
    development: tuple[float, ...] = ()  # scores on development, which a path may rest on
    took: Took = Took()
    flips: tuple[int, int] | None = None  # pairs of samples that differed, and pairs

    @property
    def labelled(self) -> tuple[CalibrationRow, ...]:
        return tuple(row for row in self.rows if row.right is not None)

    @property
    def probabilities(self) -> bool:
        """Whether every value lies between 0 and 1: a probability, or 1 and 0 for an answer."""
        return all(scale != "score" for scale in self.scales.values())

    @property
    def unscored(self) -> int:
        return sum(weigh(self.policy, row.values).score is None for row in self.rows)

    def scores(self, band: Verb) -> list[float | None]:
        """Each row's score where the band may take it; None where an answer is missing, in doubt or vetoed."""
        found = [weigh(self.policy, row.values) for row in self.rows]
        return [None if w.score is None or w.doubts or (band == PROMOTE and w.vetoes) else w.score for w in found]

    def wrong(self, band: Verb) -> list[bool]:
        """Whether taking each row would be wrong; a row whose label does not tell counts as wrong in both bands."""
        return [row.right is not True if band == PROMOTE else row.right is not False for row in self.rows]

    def data_digest(self) -> str:
        """Names, order and files are not in it."""
        rows = sorted((row.content, str(sorted(row.values.items())), str(row.right)) for row in self.rows)
        sizes = sorted(Counter(row.family for row in self.rows).values())
        return digest({"rows": [list(row) for row in rows], "families": sizes})

    def one_a_family(self, seed: int) -> tuple[CalibrationRow, ...]:
        """One row of each family, drawn evenly; names and order of rows play no part."""
        families: dict[str, list[CalibrationRow]] = {}
        for row in sorted(self.rows, key=lambda row: (str(sorted(row.values.items())), row.content)):
            families.setdefault(row.family, []).append(row)
        held = sorted(families.values(), key=lambda rows: [(str(sorted(r.values.items())), r.content) for r in rows])
        places = np.random.default_rng(seed).random(len(held))
        return tuple(rows[int(place * len(rows))] for rows, place in zip(held, places, strict=True))


def suite_material(
    judged: JudgedSuite, outcomes: Iterable[Outcome], policy: Policy, keep: Callable[[JudgedAttempt], bool]
) -> Material:
    """The kept attempts of a judge; ``outcomes`` are those of all its seats, with what was stored."""
    mine = [outcome for outcome in outcomes if outcome.judge.id == judged.id]
    items = _items(mine)
    kept = [one for one in judged.attempts if keep(one)]
    return Material(
        policy,
        tuple(_row(one, policy, items) for one in kept),
        {name: judged.scales.get(name, "answer") for name in policy.statements},
        anchors=tuple(_anchors(kept, mine, policy)),
        largest_family=max(Counter(one.family for one in judged.attempts).values(), default=1),
        development=tuple(_scores(judged, policy, kept)),
        took=_took(mine, {(one.case, one.attempt) for one in kept}),
        flips=_flips(mine, {(one.case, one.attempt) for one in kept}),
    )


def _scores(judged: JudgedSuite, policy: Policy, kept: Sequence[JudgedAttempt]) -> list[float]:
    strata = {one.stratum for one in kept}
    own = [one for one in judged.attempts if one.split == "development" and one.stratum in strata]
    return [w.score for one in own if (w := weigh(policy, one.values)).score is not None]


def _items(outcomes: Sequence[Outcome]) -> dict[tuple[str, str, str], str]:
    return {
        (e.loaded.case.id, e.attempt.id, e.statement.id): e.item or ""
        for outcome in outcomes
        for e in outcome.expected
        if e.sample == 0
    }


def _row(one: JudgedAttempt, policy: Policy, items: Mapping[tuple[str, str, str], str]) -> CalibrationRow:
    shown = [items.get((one.case, one.attempt, name), "") for name in policy.statements]
    values = {name: one.values.get(name) for name in policy.statements}
    return CalibrationRow(one.family, values, one.missing, one.right_to_promote(policy), digest(shown))


def _anchors(kept: Sequence[JudgedAttempt], outcomes: Sequence[Outcome], policy: Policy) -> Iterable[Anchor]:
    """One an item, sorted: of several samples the first."""
    wanted = {(one.case, one.attempt) for one in kept}
    found: dict[tuple[str, str], Anchor] = {}
    for outcome in outcomes:
        for e in outcome.expected:
            stored = outcome.row(e)
            here = (e.loaded.case.id, e.attempt.id) in wanted and e.statement.id in policy.statements
            if here and stored is not None and e.item is not None and e.sample == 0:
                found[e.item, e.statement.id] = Anchor(
                    item=e.item, statement=e.statement.id, answer=stored.answer, p=stored.p
                )
    return [found[key] for key in sorted(found)]


def _took(outcomes: Sequence[Outcome], wanted: set[tuple[str, str]]) -> Took:
    rows = [
        stored
        for outcome in outcomes
        for e in outcome.expected
        if (e.loaded.case.id, e.attempt.id) in wanted and (stored := outcome.row(e)) is not None
    ]
    calling = any(isinstance(outcome.judge.judge, CallingJudge) for outcome in outcomes)
    costs = [row.cost_usd for row in rows]
    times = [row.latency_ms for row in rows if row.latency_ms is not None]
    known = [cost for cost in costs if cost is not None]
    usd = 0.0 if not calling else sum(known) / len(wanted) if known and len(known) == len(costs) else None
    models = sorted({row.answered_by for row in rows if row.answered_by is not None})
    seconds = sum(times) / 1000 / len(wanted) if wanted and len(times) == len(rows) and times else None
    return Took(usd, seconds, tuple(models))


def _flips(outcomes: Sequence[Outcome], wanted: set[tuple[str, str]]) -> tuple[int, int] | None:
    """How often the first two samples of an item differ; None for a judge that is asked once."""
    answers: dict[tuple[str, str, str], dict[int, str | None]] = {}
    for outcome in outcomes:
        for e in outcome.expected:
            stored = outcome.row(e)
            if e.sample < 2 and stored is not None and (e.loaded.case.id, e.attempt.id) in wanted:
                key = (e.loaded.case.id, e.attempt.id, e.statement.id)
                answers.setdefault(key, {})[e.sample] = stored.answer
    pairs = [(held[0], held[1]) for held in answers.values() if len(held) == 2]
    return (sum(a != b for a, b in pairs), len(pairs)) if pairs else None
