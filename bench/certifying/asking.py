"""What a certificate is asked about: a judge of a suite, or a table of its verdicts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from bench.cases.load import LoadedSuite
from bench.certifying.material import CalibrationRow, Material, suite_material
from bench.certifying.provenance import labels_of, stated
from bench.deciding.certificate import CertifiedJudge, CertifiedStatement, LabelSource, Population
from bench.deciding.policy import Policy
from bench.judges.contract import question_of
from bench.labels.load import Labels
from bench.measure.items import JudgedRows
from bench.policies.attempts import JudgedAttempt, JudgedSuite
from bench.problems import CannotDecide
from bench.projection.project import OWN_PROMPTS
from bench.reading.canonical import digest
from bench.schema.statement import YesNo
from bench.schema.suite import Stratum

CALIBRATION = "calibration"


@dataclass(frozen=True)
class Case:
    """Everything about one attempt to certify, the targets aside."""

    judge: CertifiedJudge
    statements: tuple[CertifiedStatement, ...]
    material: Material
    population: Population
    labels: LabelSource
    synthetic: bool = False


def suite_case(
    suite: LoadedSuite, labels: Labels, rows: JudgedRows, judged: JudgedSuite, policy: Policy, stratum: Stratum,
    population: Population | None = None,
) -> Case:  # fmt: skip
    """A judge of a suite on the calibration split of one stratum. Raises CannotDecide where it cannot be certified."""
    if suite.splits is None:
        raise CannotDecide("the suite has no splits: a certificate is tested on calibration families (bench split)")
    unread = [name for name in policy.statements if name not in judged.scales]
    if unread:
        raise CannotDecide(f"{judged.name} does not answer {unread[0]}; it answers {', '.join(judged.scales)}")

    def kept(one: JudgedAttempt) -> bool:
        asked = any(name in one.missing or name in one.values for name in policy.statements)
        return one.stratum == stratum.id and one.split == CALIBRATION and asked

    mine = [outcome for outcome, _ in rows if outcome.judge.id == judged.id]
    foreign = _foreign(suite, judged, kept)
    if foreign:
        raise CannotDecide(f"{judged.name} is shown {', '.join(foreign)} of a case, which no session has")
    material = suite_material(judged, mine, policy, kept)
    used = [one for one in judged.attempts if kept(one)]
    queries = {loaded.case.id: loaded.case.query for loaded in suite.cases}
    items = [(one.case, one.attempt, name) for one in used for name in policy.right_when]
    source = f"{suite.suite.id} {suite.suite.version}, {stratum.id}, {CALIBRATION}"
    return Case(
        _judge(judged, material, told=any(queries[one.case] != OWN_PROMPTS for one in used)),
        tuple(_words(suite, name) for name in policy.statements),
        material,
        population or Population(name=stratum.meaning, sample="benchmark", source=source, design=stratum.design),
        labels_of(labels, items),
    )


def plain_policy(statement: YesNo) -> Policy:
    """The plainest policy: one statement's value."""
    must_not = (statement.id,) if statement.polarity == "must_not" else ()
    return Policy(statements=(statement.id,), right_when=(statement.id,), must_not=must_not)


def table_case(
    judge: CertifiedJudge, statements: tuple[CertifiedStatement, ...], policy: Policy, attempts: Sequence[JudgedAttempt],
    *, population: Population, made_by: str | None, synthetic: bool,
) -> Case:  # fmt: skip
    """Rows of a table, one an attempt. A row's content is its values: names and files are not in it."""
    rows = tuple(
        CalibrationRow(
            one.family, one.values, one.missing, one.right_to_promote(policy), digest(sorted(one.values.items()))
        )
        for one in attempts
    )
    sizes = Counter(row.family for row in rows)
    material = Material(policy, rows, judge.scales, largest_family=max(sizes.values(), default=1))
    return Case(judge, statements, material, population, stated(made_by, len(material.labelled)), synthetic)


def without_thresholds(policy: Policy) -> Policy:
    """A policy whose thresholds the path is to find."""
    return policy.model_copy(update={"promote_at": None, "discard_at": None})


def _foreign(suite: LoadedSuite, judged: JudgedSuite, kept: Callable[[JudgedAttempt], bool]) -> list[str]:
    """What the judge is shown of these cases that a session outside any suite does not have."""
    used = {one.case for one in judged.attempts if kept(one)}
    cases = [loaded.case for loaded in suite.cases if loaded.case.id in used]
    held = {
        "anchors": any(case.trajectory_anchors.model_dump(exclude_defaults=True) for case in cases),
        "facts": any(case.world_state.facts for case in cases),
        "reference_time": any(case.world_state.reference_time is not None for case in cases),
    }
    return sorted(part for part in judged.seats[0].judge.receives if held.get(part, False))


def _judge(judged: JudgedSuite, material: Material, *, told: bool) -> CertifiedJudge:
    seat = judged.seats[0]
    shown = "projection" in seat.judge.receives
    return CertifiedJudge(
        id=judged.id,
        name=judged.name,
        made_from=seat.entry.judge,
        parameters=dict(seat.entry.parameters),
        preset=seat.preset.label if shown else None,
        samples=seat.entry.samples,
        query_told=shown and told,
        scales=dict(material.scales),
        answered_by=material.took.answered_by,
    )


def _words(suite: LoadedSuite, name: str) -> CertifiedStatement:
    statement = next(one for one in suite.suite.statements if one.id == name)
    question = question_of(statement)
    return CertifiedStatement(id=name, text=question.text, criteria=question.criteria)
