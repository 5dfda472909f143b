"""A survey of certificates, told: terminal, Markdown, JSON."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from bench import __version__
from bench.certifying.certify import Attempted
from bench.certifying.survey import Candidate, Survey
from bench.certifying.text import band_json
from bench.terminal.words import counted, wrapped

_HEADS = {"promote": "promote", "discard": "discard"}


def survey_sentence(found: Survey) -> str:
    """The outcome in words."""
    judges = sum(bool(one.attempts) for one in found.candidates)
    targets = " and ".join(f"{target:.0%}" for target in found.targets)
    number = "No certificate" if not found.issued else f"{found.issued} of {found.attempted} certificates"
    return (
        f"{number} for {counted(judges, 'judge')} at {targets} wrong ({1 - found.asked.delta:.0%} confidence each) on "
        f"{found.suite} {found.version}, {found.stratum.id}: {counted(found.rows, 'calibration row')} in "
        f"{counted(found.families, 'family')}."
    )


def survey_lines(found: Survey) -> Iterator[str]:
    """For a terminal."""
    yield wrapped(survey_sentence(found))
    for one in found.candidates:
        yield ""
        yield f"{one.judge}" if one.excluded else f"{one.judge}  (AUROC {one.attempts[0].ranks.cell()})"
        for told in _told(one):
            yield wrapped(told, "  ")
    yield ""
    yield wrapped(_NOTE)
    yield f"[exit {0 if found.issued else 2}]"


def survey_markdown(found: Survey) -> Iterator[str]:
    """For a published folder: nothing in it is typed by hand."""
    yield f"# Certificates on {found.suite} {found.version}, {found.stratum.id}"
    yield ""
    yield survey_sentence(found)
    yield ""
    yield (
        f"Statement: {', '.join(found.policy.statements)}. Method: {found.asked.method}, seed {found.asked.seed}, "
        f"bench {__version__}. {_votes(found)}"
    )
    yield ""
    columns = [f"{band} {target:.0%}" for band in _HEADS for target in found.targets]
    yield f"| judge | AUROC | {' | '.join(columns)} |"
    yield f"|---|---|{'---|' * len(columns)}"
    for one in found.candidates:
        ranks = "n/a" if not one.attempts else one.attempts[0].ranks.cell()
        cells = [one.excluded or ""] * len(columns) if one.excluded else [_cell(a) for a in one.attempts]
        yield f"| {one.judge} | {ranks} | {' | '.join(cells)} |"
    yield ""
    yield _NOTE
    yield ""
    yield "## Reasons"
    for one in found.candidates:
        yield ""
        yield f"### {one.judge}"
        yield f"`{one.judge_id}`"
        yield ""
        yield from (f"* {told}" for told in _told(one))


def survey_json(found: Survey) -> dict[str, Any]:
    """For machines."""
    return {
        "format": 1,
        "exit_code": 0 if found.issued else 2,
        "outcome": survey_sentence(found),
        "suite": found.suite,
        "version": found.version,
        "stratum": found.stratum.id,
        "policy": found.policy.model_dump(mode="json"),
        "rows": found.rows,
        "families": found.families,
        "delta": found.asked.delta,
        "method": found.asked.method,
        "seed": found.asked.seed,
        "issued": found.issued,
        "attempted": found.attempted,
        "judges": [
            {
                "judge": one.judge,
                "judge_id": one.judge_id,
                "excluded": one.excluded,
                "attempts": [
                    {**band_json(a.bands[0]), "issued": a.issued, "reasons": list(a.reasons)} for a in one.attempts
                ],
            }
            for one in found.candidates
        ],
    }


_NOTE = (
    "Each attempt stands for itself: whoever takes the best of many judges has chosen, and needs fresh rows to certify it. "
    "More labels are families of calibration rows that would probably do (four times in five) if the judge goes on as it "
    "did; they are no promise."
)


def _votes(found: Survey) -> str:
    if found.labels is None:
        return ""
    told = ", ".join(f"{count} of {kind}" for kind, count in found.labels.votes.items()) or "none"
    return f"Votes behind the labels: {told}."


def _told(one: Candidate) -> Iterator[str]:
    """Each band and target; reasons that are the same for all of them once."""
    if one.excluded is not None:
        yield one.excluded
        return
    refused = one.attempts[0].refused
    yield from refused
    for a in one.attempts:
        band = a.bands[0]
        step, test = band.proved, band.test
        more = "" if band.more is None else f"; {band.more.told}"
        if step is not None:
            yield (
                f"{band.band} {band.target:.0%}: would be proved from {step.threshold:g} on, {step.wrong} wrong of "
                f"{step.counted} counted"
            )
        elif test is not None and not (refused and band.more is None):
            yield f"{band.band} {band.target:.0%}: {test.why_not or 'passes, and does not count: refused'}{more}"


def _cell(attempted: Attempted) -> str:
    band = attempted.bands[0]
    if band.proved is not None:
        return f"from {band.proved.threshold:g} on"
    no = "refused" if attempted.refused else "no"
    if band.more is None or band.more.families is None:
        return no
    return f"{no}; about {band.more.families} more families"
