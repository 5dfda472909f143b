"""Audits of pairs: does anything but the decisive fact tell a positive from its control?

A pair is a family of a stratum that is paired by design with one attempt labelled yes on the critical statement (the
positive) and one labelled no. Families that are no such pair are left out and named.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from bench.audits.material import Material, Result
from bench.audits.pair_attack import SIZE, attack, folds_of
from bench.audits.pair_features import Member, Pair, kernel_of
from bench.cases.load import LoadedCase
from bench.projection.presets import PRESETS
from bench.schema.case import Attempt
from bench.schema.event import Event

FEWEST = 10  # pairs; with fewer, nothing is decided
ENOUGH = 0.75  # about the share that sixty pairs detect: where no more can be told, that is as good as a pass
_Twin = tuple[LoadedCase, Attempt]
_ToPair = Callable[[Material, str, _Twin, _Twin], Pair | str]


@dataclass(frozen=True)
class _Pairs:
    """The pairs there are, and why other families are none."""

    pairs: tuple[Pair, ...]
    left_out: tuple[str, ...]


def twin_attack(material: Material) -> Result:
    """Words, characters, lengths and positions of the whole attempts do not rank positives first."""
    return _judged(material, _pairs(material, _whole))


def twin_attack_masked(material: Material) -> Result:
    """The same without the deciding events: what still tells the twins apart is a leak."""
    return _judged(material, _pairs(material, _masked))


def query_only_on_twins(material: Material) -> Result:
    """The query alone does not rank positives first."""
    found = _pairs(material, _query)
    total = len(found.pairs)
    alike = sum(pair.positive == pair.control for pair in found.pairs)
    told = f"queries are identical in {alike} of {total} pairs"
    if total and alike == total:
        return Result(True, f"{told}: the query alone is at chance", found.left_out)
    rest = _judged(material, found)
    return Result(rest.passed, f"{told}; {rest.found}", rest.details)


def _judged(material: Material, found: _Pairs) -> Result:
    total = len(found.pairs)
    if total < FEWEST:
        return Result(None, f"{total} pairs, {FEWEST} are wanted", found.left_out)
    tried = attack(kernel_of(found.pairs), folds_of([p.family for p in found.pairs]), material.suite.suite.seed)
    most = 1 - tried.silent / (2 * total)  # no more than this share can be told, whatever the labels
    told = f"{tried.first:g} of {total} positives rank first, p = {tried.p:.3f}"
    if tried.silent:
        told += f" ({tried.silent} pairs share no difference with another and count half)"
    if tried.leaks:
        return Result(False, f"{told}: twins are told apart (fails at p < {SIZE:g})", found.left_out)
    if tried.detectable is not None:
        share = min(tried.detectable, most)
        return Result(True, f"{told}: no leak above about {share:.2f} detected", found.left_out)
    if most <= ENOUGH:
        return Result(True, f"{told}: no more than {most:.2f} can be told", found.left_out)
    return Result(None, f"{told}: too few pairs for any count to fail at p < {SIZE:g}", found.left_out)


def _pairs(material: Material, to_pair: _ToPair) -> _Pairs:
    critical = [statement.id for statement in material.suite.suite.statements if statement.critical]
    if len(critical) != 1:
        return _Pairs((), (f"{len(critical)} statements are critical, one is wanted",))
    designed = {stratum.id for stratum in material.suite.suite.strata if stratum.design == "paired_by_design"}
    families: dict[str, list[_Twin]] = {}
    for loaded, attempt in material.suite.attempts():
        if loaded.case.stratum in designed:
            families.setdefault(loaded.case.family, []).append((loaded, attempt))
    pairs, left_out = [], []
    for family, twins in sorted(families.items()):
        sides = _sides(material, critical[0], twins)
        pair = sides if isinstance(sides, str) else to_pair(material, family, *sides)
        if isinstance(pair, str):
            left_out.append(f"left out: {family}, {pair}")
        else:
            pairs.append(pair)
    return _Pairs(tuple(pairs), tuple(left_out))


def _sides(material: Material, statement: str, twins: list[_Twin]) -> tuple[_Twin, _Twin] | str:
    """(positive, control), or why the family is no pair."""
    labels = [material.labels.label((loaded.case.id, attempt.id, statement)) for loaded, attempt in twins]
    answers = [label.answer or label.status for label in labels]
    if sorted(answers) != ["no", "yes"]:
        return f"labelled {', '.join(sorted(answers))}"
    return twins[answers.index("yes")], twins[answers.index("no")]


def _query(material: Material, family: str, positive: _Twin, control: _Twin) -> Pair:
    return Pair(family, *(Member((loaded.case.query,), ()) for loaded, _ in (positive, control)))


def _whole(material: Material, family: str, positive: _Twin, control: _Twin) -> Pair | str:
    return _without(material, family, positive, control, frozenset())


def _masked(material: Material, family: str, positive: _Twin, control: _Twin) -> Pair | str:
    """Both lose the same numbers, those of either note, so that what is cut tells nothing by itself."""
    numbers: set[int] = set()
    for loaded, _ in (positive, control):
        note = material.notes.get(loaded.case.id)
        if note is None or not note.note.deciding_events:
            return f"the note of {loaded.case.id} names no deciding_events"
        numbers.update(note.note.deciding_events)
    return _without(material, family, positive, control, frozenset(numbers))


def _without(material: Material, family: str, positive: _Twin, control: _Twin, numbers: frozenset[int]) -> Pair | str:
    members = []
    for loaded, attempt in (positive, control):
        events = _events(material, loaded, attempt)
        if events is None:
            return f"the session of {loaded.case.id} is not at hand"
        kept = tuple(event for number, event in enumerate(events, 1) if number not in numbers)
        members.append(Member((loaded.case.query, attempt.answer or ""), kept))
    return Pair(family, *members)


def _events(material: Material, loaded: LoadedCase, attempt: Attempt) -> tuple[Event, ...] | None:
    if attempt.events is not None:
        return attempt.events
    projection = material.views.make(loaded, attempt, PRESETS["events"])
    return None if projection is None else projection.events
