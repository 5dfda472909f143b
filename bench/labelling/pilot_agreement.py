"""How far the annotators of a pilot agree, for the page that they see when all of them are done."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from bench.cases.load import LoadedSuite
from bench.labelling.records import AgreementRow, AgreementView
from bench.labels.load import Labels, read_pilot
from bench.measure.agreement_figures import AgreementLine, agreement_lines
from bench.problems import BrokenInput


def pilot_agreement(suite: LoadedSuite, annotators: Sequence[str]) -> AgreementView:
    """The pilot's agreement among these annotators. Raises BrokenInput."""
    lines = pilot_lines(suite, annotators)
    rows = (
        AgreementRow(
            statement=line.statement,
            stratum=line.stratum,
            items=line.items,
            raw=line.raw.cell(),
            alpha=line.alpha.cell(),
            without_unclear=line.alpha_without_unclear.cell(),
        )
        for line in lines
    )
    return AgreementView(annotators=tuple(annotators), rows=tuple(rows))


def pilot_lines(suite: LoadedSuite, annotators: Sequence[str]) -> tuple[AgreementLine, ...]:
    """What is measured of it."""
    labels, problems = read_pilot(suite)
    if problems:
        raise BrokenInput(problems)
    return agreement_lines(suite, _only(labels, annotators))


def _only(labels: Labels, annotators: Sequence[str]) -> Labels:
    votes = {item: tuple(c for c in many if c.annotator in annotators) for item, many in labels.votes.items()}
    return replace(labels, votes={item: many for item, many in votes.items() if many})
