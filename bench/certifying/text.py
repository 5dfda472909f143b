"""An attempt to certify, told: on a terminal and as JSON, which agree."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

from bench.certifying.asking import Case
from bench.certifying.certify import Attempted, BandResult
from bench.certifying.rates import PrevalenceRange
from bench.deciding.certificate import Certificate
from bench.measure.estimate import Estimate, rounded
from bench.terminal.words import counted, wrapped


def attempt_lines(
    case: Case, attempted: Attempted, certificate: Certificate | None, refused: str | None, out: Path | None
) -> Iterator[str]:
    """The sentence first, then what it rests on."""
    yield wrapped(sentence(case, attempted, certificate, refused))
    yield ""
    yield wrapped(_rows(case, attempted))
    for band in attempted.bands:
        if band.test is not None:
            yield wrapped(band_sentence(band))
    if certificate is not None:
        yield wrapped(_what_it_takes(attempted))
        for told in _if_rates_carry_over(attempted, certificate):
            yield wrapped(told)
        yield ""
        yield wrapped(f"written to {out}, sealed {certificate.seal or ''}, until {certificate.expires}")
        yield wrapped(f"next: bench gate {out} SESSION")
    yield ""
    yield wrapped(_signature(case, attempted))
    yield f"[exit {exit_code(attempted, certificate)}]"


def exit_code(attempted: Attempted, certificate: Certificate | None) -> int:
    """0 where everything that was asked for is certified, else 2."""
    return 0 if certificate is not None and attempted.issued else 2


def sentence(case: Case, attempted: Attempted, certificate: Certificate | None, refused: str | None) -> str:
    """What became of it, in words."""
    if certificate is None:
        why = refused or "; ".join(attempted.reasons) or "nothing was proved"
        return f"No certificate for {case.judge.name}: {why}."
    kind = "Certified" if case.population.sample != "benchmark" else "Benchmark certificate"
    mark = " SYNTHETIC DATA: it shows how it is done and says nothing about any judge." if case.synthetic else ""
    short = "" if attempted.issued else f" Not proved: {'; '.join(attempted.reasons)}."
    return f"{kind}: {certificate.sentence}. It holds for {case.population.name}.{short}{mark}"


def band_sentence(band: BandResult) -> str:
    """One band: what was asked, what was found, and about how many more labels would do."""
    asked = f"{band.band}, at most {band.target:.0%} wrong at confidence {1 - band.delta:.4g}"
    if band.test is None:
        return f"{asked}: not tested"
    if band.proved is not None:
        step = band.proved
        upper = "" if step.upper is None else f", upper limit {rounded(step.upper, 3)}"
        return (
            f"{asked}: proved from {step.threshold:g} on ({step.wrong} wrong of {step.counted} counted, "
            f"{counted(step.rows, 'row')} in {counted(step.families, 'family')}{upper}; {band.test.method}, {band.test.basis})"
        )
    more = "" if band.more is None else f"; {band.more.told}"
    return f"{asked}: {band.test.why_not}{more}"


def attempt_json(
    case: Case, attempted: Attempted, certificate: Certificate | None, refused: str | None, out: Path | None
) -> dict[str, Any]:
    """Everything, for machines."""
    return {
        "format": 1,
        "exit_code": exit_code(attempted, certificate),
        "outcome": sentence(case, attempted, certificate, refused),
        "judge": case.judge.model_dump(mode="json"),
        "population": case.population.model_dump(mode="json"),
        "labels": case.labels.model_dump(mode="json"),
        "synthetic": case.synthetic,
        "rows": len(attempted.material.rows),
        "labelled": len(attempted.material.labelled),
        "unscored": attempted.material.unscored,
        "families": len({row.family for row in attempted.material.rows}),
        "data": attempted.material.data_digest(),
        "auroc": asdict(attempted.ranks),
        "delta": attempted.asked.delta,
        "method": attempted.asked.method,
        "seed": attempted.asked.seed,
        "reasons": [refused] if refused else list(attempted.reasons),
        "bands": [band_json(band) for band in attempted.bands],
        "review_share": None if attempted.review is None else asdict(attempted.review),
        "certificate": None if certificate is None else certificate.model_dump(mode="json"),
        "written": None if out is None else out.as_posix(),
    }


def band_json(band: BandResult) -> dict[str, Any]:
    """One band with every step of its path."""
    return {
        "band": band.band,
        "target": band.target,
        "delta": band.delta,
        "threshold": band.threshold,
        "why_not": None if band.test is None else band.test.why_not,
        "more_labels": None if band.more is None else asdict(band.more),
        "steps": [] if band.test is None else [asdict(step) for step in band.test.steps],
    }


def _rows(case: Case, attempted: Attempted) -> str:
    material = attempted.material
    families = len({row.family for row in material.rows})
    unlabelled = len(material.rows) - len(material.labelled)
    told = [f"{counted(len(material.rows), 'row')} in {counted(families, 'family')} ({case.population.source})"]
    if unlabelled:
        told.append(f"{unlabelled} without a label that tells, counted as wrong")
    if material.unscored:
        told.append(f"{material.unscored} without an answer, which go to review")
    votes = ", ".join(f"{count} of {kind}" for kind, count in case.labels.votes.items()) or "none"
    told.append(f"votes: {votes}")
    return f"{'; '.join(told)}. AUROC {attempted.ranks.cell()}."


def _what_it_takes(attempted: Attempted) -> str:
    took = attempted.material.took
    review: Estimate | None = attempted.review
    told = [f"review: {review.cell() if review is not None else 'n/a'} of the sessions"]
    told.append("cost per session: " + ("n/a (price unknown)" if took.cost_usd is None else f"{took.cost_usd:.6f} USD"))
    if took.seconds is not None:
        told.append(f"{took.seconds:.3g} s per session, as recorded")
    return "; ".join(told)


def _if_rates_carry_over(attempted: Attempted, certificate: Certificate) -> Iterator[str]:
    if certificate.population.sample != "benchmark":
        return
    for band in attempted.bands:
        if band.rates is not None and band.carried is not None:
            found, worst = band.carried.found, band.carried.worst
            yield (
                f"{band.band}, if its rates carry over to another mix: right rate {band.rates.right.cell()}, wrong rate "
                f"{band.rates.wrong.cell()} (together at {rounded(band.rates.together)}); the target is met {_where(found)} "
                f"as found, {_where(worst)} at the worst of these bounds"
            )


def _where(found: PrevalenceRange) -> str:
    if found.span is None:
        return f"nowhere ({found.why_none})"
    low, high = found.span
    return f"where {rounded(low)} to {rounded(high)} of the sessions are yes"


def _signature(case: Case, attempted: Attempted) -> str:
    asked = attempted.asked
    return (
        f"judge:{case.judge.id}|data:{attempted.material.data_digest()[:12]}|method:{asked.method}|delta:{asked.delta:g}"
        f"|seed:{asked.seed}"
    )
