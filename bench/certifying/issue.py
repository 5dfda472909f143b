"""From an attempt that proved its bands to the certificate."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta

from bench import __version__
from bench.certifying.asking import Case
from bench.certifying.certify import Attempted, BandResult
from bench.deciding.calibrator import Calibrator
from bench.deciding.certificate import Certificate, Data, Measured, ProvedBand, Rates, Reference
from bench.deciding.policy import DISCARD, PROMOTE, REVIEW, decide


def issue(
    case: Case, attempted: Attempted, issued: datetime, days: int, calibrators: Mapping[str, Calibrator] | None = None
) -> Certificate:
    """The certificate of what was proved. Raises ValueError where nothing was."""
    policy, review = attempted.policy, attempted.review
    if policy is None or review is None or review.value is None or review.low is None or review.high is None:
        raise ValueError("nothing was proved")
    proved = [band for band in attempted.bands if band.threshold is not None]
    material = attempted.material
    return Certificate(
        bench=__version__,
        judge=case.judge,
        statements=case.statements,
        policy=policy,
        calibrators=dict(calibrators or {}),
        population=case.population,
        labels=case.labels,
        data=Data(
            digest=material.data_digest(),
            rows=len(material.rows),
            families=len({row.family for row in material.rows}),
            unlabelled=len(material.rows) - len(material.labelled),
            unscored=material.unscored,
            seed=attempted.asked.seed,
        ),
        bands=tuple(_band(band) for band in proved),
        rates=tuple(_rates(proved)) if case.population.sample == "benchmark" else (),
        review_share=Measured(value=review.value, low=review.low, high=review.high),
        cost_usd_per_session=material.took.cost_usd,
        seconds_per_session=material.took.seconds,
        issued=issued.isoformat(timespec="seconds"),
        expires=(issued + timedelta(days=days)).isoformat(timespec="seconds"),
        reference=_reference(attempted),
        anchors=material.anchors,
        synthetic=case.synthetic,
    ).sealed()


def _reference(attempted: Attempted) -> Reference:
    material, policy = attempted.material, attempted.policy
    rows = material.one_a_family(attempted.asked.seed)
    names = material.policy.statements
    values = {name: tuple(sorted(v for row in rows if (v := row.values.get(name)) is not None)) for name in names}
    unscored = {name: len(rows) - len(held) for name, held in values.items()}
    decisions = Counter(decide(policy, row.values).decision for row in rows) if policy is not None else Counter()
    return Reference(
        values=values,
        decisions={verb: decisions[verb] for verb in (PROMOTE, REVIEW, DISCARD)},
        unscored={name: count for name, count in unscored.items() if count},
        flips=material.flips,
    )


def _band(result: BandResult) -> ProvedBand:
    test, step = result.test, result.proved
    if test is None or step is None or step.upper is None:
        raise ValueError(f"{result.band}: nothing was proved")
    return ProvedBand(
        band="promote" if result.band == PROMOTE else "discard",
        target=result.target,
        delta=result.delta,
        method=test.method,
        claim=test.claim,
        finite_sample=test.finite_sample,
        threshold=step.threshold,
        selected=step.counted,
        families=step.families,
        wrong=step.wrong,
        upper=step.upper,
    )


def _rates(proved: Sequence[BandResult]) -> Iterator[Rates]:
    for band in proved:
        if band.rates is None or band.carried is None or band.rates.undefined is not None:
            continue
        right, wrong = band.rates.right, band.rates.wrong
        yield Rates(
            band="promote" if band.band == PROMOTE else "discard",
            right_rate=(right.low or 0.0, 1.0 if right.high is None else right.high),
            wrong_rate=(wrong.low or 0.0, 1.0 if wrong.high is None else wrong.high),
            prevalence=band.carried.worst.span,
        )
