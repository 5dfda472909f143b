"""Audits of what the data promise: anchors, families that tell one story each, the prior, known projections."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from bench.audits.material import Material, Result
from bench.judges.anchors import check
from bench.labels.development import development_prior
from bench.projection.presets import PRESETS
from bench.schema.case import Anchors
from bench.schema.event import Event

_SHINGLE = 8  # words
_SHORTEST = 200  # words; shorter attempts say too little to be compared


def anchors_match(material: Material) -> Result:
    """Anchors do not contradict attempts that are labelled as successful (inline attempts with anchors)."""
    wanted = material.suite.suite.pass_k
    contradicted, checked = [], 0
    for loaded, attempt in material.suite.attempts():
        label = material.labels.label((loaded.case.id, attempt.id, wanted.statement if wanted else ""))
        if attempt.events is None or loaded.case.trajectory_anchors == Anchors() or label.answer != "yes":
            continue
        checked += 1
        verdict = check(loaded.case.trajectory_anchors, attempt.events, range(1, len(attempt.events) + 1))
        if verdict.answer == "no":
            contradicted.append(f"{loaded.case.id}/{attempt.id}: {verdict.reason}")
    return Result(
        not contradicted,
        f"{len(contradicted)} of {checked} successful attempts break their anchors",
        tuple(contradicted),
    )


def near_duplicates(material: Material) -> Result:
    """No two families share a fifth or more of their eight-word shingles."""
    families: dict[str, set[int]] = {}
    for loaded, attempt in material.suite.attempts():
        if attempt.events is not None:
            families.setdefault(loaded.case.family, set()).update(_shingles(attempt.events))
    shared: Counter[tuple[str, str]] = Counter()
    owners: dict[int, list[str]] = {}
    for family, shingles in families.items():
        for shingle in shingles:
            owners.setdefault(shingle, []).append(family)
    for names in owners.values():
        shared.update((a, b) for i, a in enumerate(names) for b in names[i + 1 :])
    pairs = []
    for (a, b), common in sorted(shared.items()):
        share = common / max(1, min(len(families[a]), len(families[b])))
        if share >= 0.2:
            pairs.append(f"{a} and {b} share {share:.0%}")
    return Result(not pairs, f"{len(pairs)} pairs among {len(families)} authored families", tuple(pairs))


def _shingles(events: Sequence[Event]) -> set[int]:
    words = " ".join(part for e in events for part in (e.text, e.command, e.output) if part).split()
    if len(words) < _SHORTEST:
        return set()
    return {hash(tuple(words[i : i + _SHINGLE])) for i in range(len(words) - _SHINGLE + 1)}


def prior_from_development(material: Material) -> Result:
    """The prior's parameter is the share of yes among the development labels, and nothing else."""
    off = []
    for entry in material.suite.suite.judges:
        if entry.judge != "prior":
            continue
        share = development_prior(material.suite, material.labels, entry.answers)
        if share != entry.parameters.get("p"):
            off.append(f"{', '.join(entry.answers)}: declared {entry.parameters.get('p')}, development gives {share}")
    return Result(not off, f"{len(off)} priors off", tuple(off))


def projections_known(material: Material) -> Result:
    """Every attempt's full projection is in the index, so that figures can be recomputed without any session text."""
    unknown = [
        f"{loaded.case.id}/{attempt.id}"
        for loaded, attempt in material.suite.attempts()
        if material.views.look_up(loaded, attempt, PRESETS["events"]) is None
    ]
    return Result(not unknown, f"{len(unknown)} attempts without a known projection", tuple(unknown))
