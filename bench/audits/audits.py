"""Audits of the data set: each with a declared expectation in suite.yaml, and its result printed, also when it fails.

A new audit is one function and one line in ``AUDITS``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from bench.cases.load import LoadedSuite
from bench.judges.anchors import check
from bench.labels.development import development_prior
from bench.labels.load import Labels
from bench.measure.ranking import RANK_METRICS, rank_interval, score_families
from bench.measure.rows import Row
from bench.projection.presets import PRESETS
from bench.running.outcome import Outcome
from bench.running.views import Views
from bench.schema.case import Anchors
from bench.schema.event import Event
from bench.schema.suite import AuditEntry
from bench.verify.checks import Check

JudgedRows = Sequence[tuple[Outcome, Sequence[Row]]]
_SHINGLE = 8  # words
_TWIN_WORDS = 200  # shorter attempts say too little to be compared


@dataclass(frozen=True)
class Material:
    """What audits look at."""

    suite: LoadedSuite
    labels: Labels
    judged: JudgedRows
    views: Views


@dataclass(frozen=True)
class Result:
    """What an audit found. ``passed`` is None for an audit that only reports, or that could not be made."""

    passed: bool | None
    found: str
    details: tuple[str, ...] = ()


def audit_checks(material: Material) -> list[Check]:
    """Every declared audit, against its expectation."""
    return [_against(entry, AUDITS[entry.audit](material)) for entry in material.suite.suite.audits]


def _against(entry: AuditEntry, result: Result) -> Check:
    name = f"audit {entry.audit}"
    if entry.expect == "report" or result.passed is None:
        status = "met" if entry.expect == "report" else "cannot decide"
        return Check(name, status, result.found, None, result.details)  # type: ignore[arg-type]
    told = "pass" if result.passed else "fail"
    if told == entry.expect:
        return Check(name, "met", f"{told} as declared: {result.found}", None, result.details)
    fix = f"declared is {entry.expect} because {entry.reason}"
    return Check(name, "not met", f"{told}, declared {entry.expect}: {result.found}", fix, result.details)


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
    if len(words) < _TWIN_WORDS:
        return set()
    return {hash(tuple(words[i : i + _SHINGLE])) for i in range(len(words) - _SHINGLE + 1)}


def length_on_twins(material: Material) -> Result:
    """Neither the number of events nor the number of typed prompts tells twins apart."""
    lines, told = [], []
    for outcome, rows in material.judged:
        if outcome.judge.judge.name not in ("length", "prompts"):
            continue
        paired = {s.id for s in material.suite.suite.strata if s.design == "paired_by_design"}
        critical = {s.id for s in material.suite.suite.statements if s.critical}
        mine = [r for r in rows if r.stratum in paired and r.statement in critical and r.counts and r.ranks is not None]
        if not mine:
            continue
        scores = np.array([row.ranks for row in mine], dtype=float)
        labels = np.array([row.label.answer == "yes" for row in mine], dtype=bool)
        estimate = rank_interval(RANK_METRICS["auroc"], score_families(scores, labels, [r.family for r in mine]), 0)
        lines.append(f"{outcome.judge.judge.name}: AUROC {estimate.cell()} on {len(mine)} items")
        if estimate.value is not None and estimate.low is not None and estimate.high is not None:
            told.append(estimate.low > 0.5 or estimate.high < 0.5)
    if not told:
        return Result(None, "no twin has a label and a count")
    return Result(not any(told), "; ".join(lines), ())


def coverage_matrix(material: Material) -> Result:
    """How many cases each capability and difficulty has; empty cells are named."""
    cells = Counter(
        (loaded.case.metadata.capability, loaded.case.metadata.difficulty) for loaded in material.suite.cases
    )
    capabilities = list(material.suite.suite.vocabulary.capability)
    difficulties = list(material.suite.suite.vocabulary.difficulty)
    lines = tuple(f"{c} x {d}: {cells[c, d]}" for c in capabilities for d in difficulties)
    empty = sum(1 for c in capabilities for d in difficulties if cells[c, d] == 0)
    return Result(None, f"{len(lines) - empty} of {len(lines)} cells hold a case", lines)


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


AUDITS: dict[str, Callable[[Material], Result]] = {
    "anchors-match": anchors_match,
    "near-duplicates": near_duplicates,
    "length-on-twins": length_on_twins,
    "coverage-matrix": coverage_matrix,
    "prior-from-development": prior_from_development,
    "projections-known": projections_known,
}
