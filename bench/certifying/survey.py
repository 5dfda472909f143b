"""Every judge of a suite, each band and target for itself: who could be certified, and what the others lack."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from bench.cases.load import LoadedSuite
from bench.certifying.asking import Case, suite_case
from bench.certifying.certify import Asked, Attempted, attempt
from bench.deciding.certificate import LabelSource
from bench.deciding.policy import DISCARD, PROMOTE, Policy
from bench.labels.load import Labels
from bench.measure.items import JudgedRows
from bench.policies.attempts import judged_suites
from bench.problems import CannotDecide
from bench.schema.suite import Stratum


@dataclass(frozen=True)
class Candidate:
    """One judge: why it cannot be asked about at all, or its attempts by band and target."""

    judge: str
    judge_id: str
    excluded: str | None
    attempts: tuple[Attempted, ...]


@dataclass(frozen=True)
class Survey:
    """All judges on one stratum's calibration rows. No correction over judges: choosing the best of many is choosing."""

    suite: str
    version: str
    stratum: Stratum
    policy: Policy
    targets: tuple[float, ...]
    asked: Asked
    rows: int
    families: int
    labels: LabelSource | None
    candidates: tuple[Candidate, ...]

    @property
    def attempted(self) -> int:
        return sum(len(one.attempts) for one in self.candidates)

    @property
    def issued(self) -> int:
        return sum(attempted.issued for one in self.candidates for attempted in one.attempts)


def survey(
    suite: LoadedSuite, labels: Labels, rows: JudgedRows, policy: Policy, stratum: Stratum, targets: Sequence[float],
    asked: Asked,
) -> Survey:  # fmt: skip
    """Attempt each judge that answers the policy's statements, with delta for each attempt alone."""
    candidates, cases = [], []
    for judged in judged_suites(rows):
        if not set(policy.statements) <= set(judged.scales):
            continue
        try:
            case = suite_case(suite, labels, rows, judged, policy, stratum)
        except CannotDecide as error:
            candidates.append(Candidate(judged.name, judged.id, str(error), ()))
            continue
        cases.append(case)
        candidates.append(Candidate(judged.name, judged.id, None, tuple(_attempts(case, targets, asked))))
    most: Case | None = max(cases, key=lambda case: len(case.material.rows), default=None)
    return Survey(
        suite.suite.id, suite.suite.version, stratum, policy, tuple(targets), asked,
        0 if most is None else len(most.material.rows),
        0 if most is None else len({row.family for row in most.material.rows}),
        None if most is None else most.labels,
        tuple(candidates),
    )  # fmt: skip


def _attempts(case: Case, targets: Sequence[float], asked: Asked) -> list[Attempted]:
    pairs = [(band, target) for band in (PROMOTE, DISCARD) for target in targets]
    return [attempt(case.material, replace(asked, targets=((band, target),))) for band, target in pairs]
