"""Audits of the data set: each with a declared expectation in suite.yaml, and its result printed, also when it fails.

A new audit is one function and one line in ``AUDITS``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from bench.audits.coverage import coverage_matrix, deciding_event_position, phenomena
from bench.audits.integrity import anchors_match, near_duplicates, prior_from_development, projections_known
from bench.audits.lengths import length_on_natural, length_on_twins
from bench.audits.material import Material, Result
from bench.audits.twins import query_only_on_twins, twin_attack, twin_attack_masked
from bench.problems import BrokenInput, Problem
from bench.schema.suite import AuditEntry
from bench.verify.checks import Check

AUDITS: dict[str, Callable[[Material], Result]] = {
    "anchors-match": anchors_match,
    "near-duplicates": near_duplicates,
    "twin-attack": twin_attack,
    "twin-attack-masked": twin_attack_masked,
    "query-only-on-twins": query_only_on_twins,
    "length-on-twins": length_on_twins,
    "length-on-natural": length_on_natural,
    "coverage-matrix": coverage_matrix,
    "phenomena": phenomena,
    "deciding-event-position": deciding_event_position,
    "prior-from-development": prior_from_development,
    "projections-known": projections_known,
}


def audit_checks(material: Material) -> list[Check]:
    """Every declared audit, against its expectation. Raises BrokenInput that names audits there are not."""
    unknown = list(_unknown(material))
    if unknown:
        raise BrokenInput(unknown)
    return [_against(entry, AUDITS[entry.audit](material)) for entry in material.suite.suite.audits]


def _unknown(material: Material) -> Iterator[Problem]:
    document = material.suite.document
    for index, entry in enumerate(material.suite.suite.audits):
        if entry.audit not in AUDITS:
            line = document.line_of(("audits", index, "audit"))
            fix = f"use one of {', '.join(AUDITS)}"
            yield Problem(document.file, line, None, f"audits[{index}].audit", repr(entry.audit), fix)


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
