"""What the present labels can and cannot support, and how many more unblock the rest. No judge is needed or asked."""

from __future__ import annotations

from dataclasses import dataclass

from bench.cases.load import LoadedSuite
from bench.labels.load import Labels
from bench.measure.certificate_power import labels_for_certificate, rows_for_certificate
from bench.measure.label_claims import Certificate, Claim, Claims, Differences, Plan
from bench.measure.label_supply import (
    AttemptSupply,
    LabelSlice,
    VoteSupply,
    attempt_supply,
    label_slices,
    vote_supply,
)
from bench.measure.power import difference_at_best, smallest_difference

TARGETS = (0.1, 0.2)
DELTA = 0.05


@dataclass(frozen=True)
class Diagnosis:
    """Everything that ``bench doctor`` tells."""

    suite: str
    plan: Plan
    slices: tuple[tuple[LabelSlice, Differences, tuple[Certificate, ...]], ...]
    votes: VoteSupply
    attempts: AttemptSupply | None
    claims: tuple[Claim, ...]

    @property
    def supported(self) -> tuple[Claim, ...]:
        return tuple(claim for claim in self.claims if claim.supported)

    @property
    def exit_code(self) -> int:
        """0 when a claim is supported, else 2."""
        return 0 if self.supported else 2


def diagnose(suite: LoadedSuite, labels: Labels, plan: Plan) -> Diagnosis:
    """What the labels of a suite are good for."""
    slices = tuple((one, _differences(one, plan), _certificates(one, plan)) for one in label_slices(suite, labels))
    votes = vote_supply(suite, labels)
    attempts = attempt_supply(suite, labels)
    held = {loaded.case.stratum for loaded in suite.cases}
    declared = [stratum.id for stratum in suite.suite.strata]
    told = Claims(suite.layout.suite.name, plan, [s for s in declared if s in held] if held < set(declared) else ())
    claims = [claim for one in slices for claim in told.of_slice(*one)]
    if attempts is not None:
        claims.append(told.pass_k(attempts))
    if votes.items:
        claims += [told.people(votes), told.label_errors(votes)]
    return Diagnosis(suite.suite.id, plan, slices, votes, attempts, tuple(claims))


def _differences(one: LabelSlice, plan: Plan) -> Differences:
    families = one.labelled.families
    return Differences(smallest_difference(families, plan.discordance), difference_at_best(families))


def _certificates(one: LabelSlice, plan: Plan) -> tuple[Certificate, ...]:
    return tuple(
        Certificate(
            target,
            one.calibration_families,
            rows_for_certificate(0, target, DELTA),
            labels_for_certificate(plan.selection, plan.wrong, target, DELTA),
        )
        for target in TARGETS
    )
