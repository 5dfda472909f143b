"""All singles, panels and cascades of one statement: chosen on development, told on the reported splits."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

from bench.cases.load import LoadedSuite
from bench.measure.estimand import LEVEL
from bench.measure.estimate import Estimate
from bench.measure.items import REPORTED_SPLITS, JudgedRows
from bench.measure.metrics import METRICS
from bench.policies.cascade import REVIEW_AT_MOST, Cascade, Plan, fit_cascade, read_plan
from bench.policies.combine import (
    Arrangement,
    NotFitted,
    Single,
    Weighted,
    default_floor,
    fit_stacked,
    fit_weighted,
    majority,
    out_of_fold,
)
from bench.policies.frontier import Axis, Frontier, Point, frontier
from bench.policies.members import Assembly, Item, Member, assemble
from bench.policies.replay import (
    Chance,
    Figures,
    Replayed,
    bounds,
    figures,
    filled,
    gap,
    point,
    replay,
    wanted_metrics,
    written,
)
from bench.problems import CannotDecide
from bench.schema.suite import Stratum

DEVELOPMENT = "development"


@dataclass(frozen=True)
class Asked:
    """What is to be studied; empty means the defaults."""

    statement: str
    stratum: Stratum
    metric: str = "balanced_accuracy"
    members: tuple[str, ...] = ()
    cascades: tuple[str, ...] = ()
    weights: tuple[float, ...] = ()  # given ones, by member; else they are fitted
    floor: int | None = None
    review_at_most: float = REVIEW_AT_MOST


@dataclass(frozen=True)
class Line:
    """One arrangement. ``development`` is out of fold where something was ``fitted``; ``gain`` is its difference from the
    best of its own members, which is the best on development."""

    name: str
    kind: str
    arrangement: Arrangement
    places: tuple[int, ...]  # of its members
    fitted: bool
    development: Figures | None
    reported: Figures
    done: Replayed
    bounds: tuple[float | None, float | None] | None = (
        None  # of the metric, where items are undecided: all wrong, all right
    )
    best_member: int | None = None
    gain: Estimate | None = None

    @property
    def reviews(self) -> bool:
        """Whether a person is its last stage."""
        return isinstance(self.arrangement, Cascade) and self.arrangement.last is None


@dataclass(frozen=True)
class Study:
    """Everything that ``bench panel`` tells."""

    asked: Asked
    members: tuple[Member, ...]
    floor: int
    splits: tuple[str, ...]  # reported on
    development: tuple[Item, ...]
    reported: tuple[Item, ...]
    lines: tuple[Line, ...]
    missing: tuple[tuple[str, str], ...]  # arrangements that could not be made, with the reason
    level: float  # of the intervals of the gains, which hold together at 95 %
    frontiers: tuple[Frontier, ...]


@dataclass(frozen=True)
class _Draft:
    """An arrangement before it is fitted."""

    name: str
    kind: str
    places: tuple[int, ...]
    fit: Callable[[Sequence[Item]], Arrangement]
    fitted: bool


def study(suite: LoadedSuite, judged: JudgedRows, asked: Asked) -> Study:
    """Fit on development, replay on the reported splits. Raises CannotDecide with nothing to combine, BrokenInput."""
    found = assemble(judged, asked.statement, asked.stratum.id, asked.members)
    if len(found.members) < 2:
        names = ", ".join(member.name for member in found.members) or "none"
        where = f"{asked.statement} on {asked.stratum.id}"
        raise CannotDecide(
            f"a panel needs two judges of {where} that are no controls; there is {names} (seat one in suite.yaml, then "
            "bench run)"
        )
    reported = found.of(*REPORTED_SPLITS)
    if not any(item.label is not None for item in reported):
        raise CannotDecide(
            f"no labelled item of {asked.statement} on {asked.stratum.id} outside development; bench label, or bench doctor "
            "for how many"
        )
    chance = Chance(suite.suite.seed, suite.suite.resamples)
    wanted = wanted_metrics(asked.stratum, asked.metric)
    development = found.of(DEVELOPMENT)
    lines, missing = [], []
    for draft in _drafts(asked, found, development):
        try:
            lines.append(_line(draft, development, reported, wanted, len(found.members), chance))
        except NotFitted as reason:
            missing.append((draft.name, str(reason)))
    lines, level = _with_gains(lines, development, asked.metric, chance)
    return Study(
        asked=asked,
        members=found.members,
        floor=default_floor(len(found.members)) if asked.floor is None else asked.floor,
        splits=tuple(split for split in REPORTED_SPLITS if any(item.row.split == split for item in reported)),
        development=development,
        reported=reported,
        lines=tuple(lines),
        missing=tuple(missing),
        level=level,
        frontiers=tuple(_frontier(axis, lines, asked.metric, chance) for axis in ("usd", "ms")),
    )


def _drafts(asked: Asked, found: Assembly, development: Sequence[Item]) -> list[_Draft]:
    members = found.members
    everybody = tuple(range(len(members)))
    drafts = [_Draft(m.name, "single", (i,), partial(_fixed, Single(i)), False) for i, m in enumerate(members)]
    count = f"all {len(members)}"
    votes = majority(len(members), asked.floor)
    drafts.append(_Draft(f"majority of {count}", "majority", everybody, partial(_fixed, votes), False))
    if asked.weights:
        carrying = sum(weight > 0 for weight in asked.weights)
        floor = default_floor(carrying) if asked.floor is None else min(asked.floor, carrying)
        given = Weighted(asked.weights, floor)
        drafts.append(_Draft(f"weighted {count}, given", "weighted", everybody, partial(_fixed, given), False))
    else:
        weigh = partial(fit_weighted, floor=asked.floor)
        drafts.append(_Draft(f"weighted {count}", "weighted", everybody, weigh, True))
    drafts.append(_Draft(f"stacked {count}", "stacked", everybody, partial(fit_stacked, floor=asked.floor), True))
    plans = [read_plan(text, members) for text in asked.cascades] or default_plans(members, development, asked.metric)
    metric = METRICS[asked.metric]
    for plan in plans:
        fit = partial(fit_cascade, plan=plan, metric=metric, review_at_most=asked.review_at_most)
        drafts.append(_Draft(_plan_name(plan), "cascade", plan.members, fit, plan.chosen))
    return drafts


def _fixed(arrangement: Arrangement, items: Sequence[Item]) -> Arrangement:
    return arrangement


def _plan_name(plan: Plan) -> str:
    return " > ".join([*(str(place + 1) for place in plan.members), *(["review"] if plan.review else [])])


def default_plans(members: Sequence[Member], development: Sequence[Item], metric: str) -> list[Plan]:
    """The cheapest judge that calls no model, then each that does; of equally cheap ones the best on development."""
    models = [place for place, member in enumerate(members) if member.calls_a_model]
    code = [place for place in range(len(members)) if place not in models]
    if not code or not development:
        return []
    values = {place: point(replay(Single(place), development), metric) for place in code}
    first = min(code, key=lambda place: (_price(development, place), -_or_least(values[place]), place))
    return [Plan((first, place), (None,), review=False) for place in models]


def _price(items: Sequence[Item], place: int) -> float:
    """The recorded cost of a member on these items; an unknown price is the highest."""
    prices = [item.voices[place].usd for item in items if item.voices[place].was_run]
    known = [price for price in prices if price is not None]
    return math.fsum(known) if len(known) == len(prices) else math.inf


def _line(
    draft: _Draft,
    development: Sequence[Item],
    reported: Sequence[Item],
    wanted: Sequence[str],
    members: int,
    chance: Chance,
) -> Line:
    arrangement = draft.fit(development) if draft.fitted else draft.fit(())
    before = None
    if development and draft.fitted:
        before = written(development, out_of_fold(development, draft.fit, chance.seed))
    elif development:
        before = replay(arrangement, development)
    done = replay(arrangement, reported)
    whole = all(row.answer is not None for row in done.rows)
    return Line(
        name=_name(draft, arrangement),
        kind=draft.kind,
        arrangement=arrangement,
        places=_places(draft, arrangement),
        fitted=draft.fitted,
        development=None if before is None else figures(before, wanted[:1], members, chance),
        reported=figures(done, wanted, members, chance),
        done=done,
        bounds=None if whole else bounds(done, wanted[0]),
    )


def _name(draft: _Draft, arrangement: Arrangement) -> str:
    if not isinstance(arrangement, Cascade):
        return draft.name
    words = [str(arrangement.stages[0].member + 1)]
    nexts = [*(str(stage.member + 1) for stage in arrangement.stages[1:])]
    nexts.append("review" if arrangement.last is None else str(arrangement.last + 1))
    for stage, following in zip(arrangement.stages, nexts, strict=True):
        words.append(f"> {following} {'if unscored' if stage.band is None else stage.band}")
    return " ".join(words)


def _places(draft: _Draft, arrangement: Arrangement) -> tuple[int, ...]:
    if isinstance(arrangement, Weighted):
        return tuple(place for place in draft.places if arrangement.weights[place] > 0)
    return draft.places


def _with_gains(
    lines: Sequence[Line], development: Sequence[Item], metric: str, chance: Chance
) -> tuple[list[Line], float]:
    singles = {line.places[0]: line for line in lines if line.kind == "single"}
    values = {place: point(replay(line.arrangement, development), metric) for place, line in singles.items()}
    compared = [line for line in lines if line.kind != "single" and not line.reviews]
    level = 1 - (1 - LEVEL) / max(1, len(compared))
    told = []
    for line in lines:
        known = [place for place in line.places if values[place] is not None]
        if line not in compared or not known:
            told.append(line)
            continue
        best = min(known, key=lambda place: (-_or_least(values[place]), place))
        difference = gap(metric, line.done, singles[best].done, chance, level)
        told.append(replace(line, best_member=best, gain=difference))
    return told, level


def _or_least(value: float | None) -> float:
    return -2.0 if value is None else value


def _frontier(axis: Axis, lines: Sequence[Line], metric: str, chance: Chance) -> Frontier:
    """On all labelled items, an undecided one taken as wrong: leaving the hard ones out must not look like quality."""
    whole = [filled(line.done, right=False) for line in lines]
    points, left_out = [], []
    for place, line in enumerate(lines):
        spent = line.reported.usd if axis == "usd" else line.reported.ms_mean
        quality = point(whole[place], metric)
        if line.reviews:
            left_out.append((place, "a person's cost and time are not recorded"))
        elif quality is None:
            left_out.append((place, f"{metric} is undefined"))
        elif spent.value is None:
            left_out.append((place, str(spent.why)))
        else:
            points.append(Point(place, quality, spent.value))

    def gain(a: int, b: int) -> Estimate:
        return gap(metric, whole[a], whole[b], chance)

    return frontier(axis, points, left_out, gain)
