"""Certificates beside the figures: what was proved about a judge, on what, until when; or that nothing was given."""

from __future__ import annotations

from collections.abc import Sequence

from bench.benchmark import Benchmark
from bench.deciding.certificate import Certificate
from bench.report.jsonable import Json
from bench.report.judge_rows import Rows

NONE_GIVEN = (
    "No certificate was given to this report, so nothing here says that a judge may decide by itself. `bench calibrate` tries "
    "to prove it, or says why not; `bench report --certificate FILE` shows what it proved."
)
CERTIFICATE_NOTE = (
    "What was proved holds for sessions like those of its population, and for this judge only. Whether it has expired is for the "
    "gate to say: a report reads no clock."
)


def certificate_rows(benchmark: Benchmark, certificates: Sequence[Certificate]) -> Rows:
    """A row a band; empty without certificates."""
    rows = [
        [
            found.judge.name,
            _whose(benchmark, found),
            band.sentence,
            f"{found.population.name} ({found.population.sample.replace('_', ' ')})",
            "labels of persons" if found.labels.human else "labels not of persons alone",
            found.expires[:10],
        ]
        for found in certificates
        for band in found.bands
    ]
    return [["judge", "which is", "what was proved", "population", "labels", "until"], *rows] if rows else []


def _whose(benchmark: Benchmark, certificate: Certificate) -> str:
    if certificate.synthetic:
        return "an invented judge, to show how it is done"
    if any(outcome.judge.id == certificate.judge.id for outcome, _ in benchmark.judged):
        return "a judge of this report"
    return "no judge of this report: another one, or another version"


def certificates_json(benchmark: Benchmark, certificates: Sequence[Certificate]) -> list[Json]:
    """What each certificate says, without what only a gate needs."""
    return [
        {
            "judge_id": found.judge.id,
            "judge": found.judge.name,
            "seal": found.seal,
            "about": _whose(benchmark, found),
            "population": found.population.model_dump(mode="json"),
            "human_labels": found.labels.human,
            "issued": found.issued,
            "expires": found.expires,
            "bands": [band.model_dump(mode="json") for band in found.bands],
        }
        for found in certificates
    ]
