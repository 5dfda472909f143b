"""All figures of a suite: tables of judges, pass@k, agreement. Functions of rows; nothing here asks a judge or reads a file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from bench.cases.load import LoadedSuite
from bench.labels.load import Labels
from bench.measure.agreement_figures import AgreementLine, agreement_lines
from bench.measure.call_figures import CallLine, call_lines
from bench.measure.comparison_figures import ComparisonLine, comparison_lines
from bench.measure.estimate import Estimate
from bench.measure.experiment_figures import Experiment, experiments
from bench.measure.items import REPORTED_SPLITS, JudgedRows, headline, reported_items, share_of_items, statements_of
from bench.measure.judge_line import JudgeLine, judge_line
from bench.measure.latent_figures import LatentLine, latent_lines
from bench.measure.noise_figures import NoiseLine, noise_lines
from bench.measure.pass_figures import PassLine, pass_lines
from bench.measure.provenance_figures import VoteGroup, judges_of_lineage, vote_groups
from bench.measure.ranking_figures import RankingLine, ranking_lines
from bench.measure.repeat_figures import RepeatLine, repeat_lines
from bench.measure.rows import Books, Row, books
from bench.measure.sensitivity_figures import SensitivityLine, sensitivity_lines
from bench.measure.signature import Signature
from bench.measure.slice_figures import SliceLine, slice_lines
from bench.schema.suite import Stratum


@dataclass(frozen=True)
class Table:
    """One statement in one stratum: the labels, and every judge that answers it."""

    stratum: Stratum
    statement: str
    splits: tuple[str, ...]
    labels: Mapping[str, int]  # yes, no, unclear, unlabelled
    families: int
    prevalence: Estimate
    lines: tuple[JudgeLine, ...]


@dataclass(frozen=True)
class Figures:
    """Everything that a report of a suite tells."""

    tables: tuple[Table, ...]
    pass_k: tuple[PassLine, ...]
    agreement: tuple[AgreementLine, ...]
    third_votes: tuple[LatentLine, ...]
    votes: tuple[VoteGroup, ...]
    same_lineage: Mapping[str, str]  # judge_id -> the annotators' lineage that it has
    comparisons: tuple[ComparisonLine, ...]
    rankings: tuple[RankingLine, ...]
    noise: tuple[NoiseLine, ...]
    sensitivity: tuple[SensitivityLine, ...]
    repeats: tuple[RepeatLine, ...]
    slices: tuple[SliceLine, ...]
    experiments: tuple[Experiment, ...]
    calls: tuple[CallLine, ...]
    books: Mapping[str, Books]  # by judge, over all splits


def measure(suite: LoadedSuite, judged: JudgedRows, labels: Labels, signature: Signature) -> Figures:
    """Every figure of the suite. Seats of experiments are told under their experiment, and what their calls took."""
    found, calls = experiments(suite, judged, signature), call_lines(judged)
    judged = headline(judged)
    critical = frozenset(statement.id for statement in suite.suite.statements if statement.critical)
    tables = []
    for stratum in suite.suite.strata:
        for statement in statements_of(suite):
            table = _table(suite, judged, labels, stratum, statement, signature)
            if table is not None:
                tables.append(table)
    return Figures(
        tables=tuple(tables),
        pass_k=pass_lines(suite, judged, labels) if suite.suite.pass_k else (),
        agreement=agreement_lines(suite, labels),
        third_votes=latent_lines(suite, labels),
        votes=vote_groups(labels),
        same_lineage=judges_of_lineage(judged, labels),
        comparisons=comparison_lines(suite, judged),
        rankings=ranking_lines(suite, judged),
        noise=noise_lines(tables, critical),
        sensitivity=sensitivity_lines(tables, critical),
        repeats=repeat_lines(suite, judged),
        slices=slice_lines(suite, judged, labels),
        experiments=found,
        calls=calls,
        books={judge: books(rows) for judge, rows in _rows_by_judge(judged).items()},
    )


def _rows_by_judge(judged: JudgedRows) -> dict[str, list[Row]]:
    """Rows by judge_id; two entries of a suite may seat one judge."""
    found: dict[str, list[Row]] = {}
    for outcome, rows in judged:
        found.setdefault(outcome.judge.id, []).extend(rows)
    return found


def _table(
    suite: LoadedSuite, judged: JudgedRows, labels: Labels, stratum: Stratum, statement: str, signature: Signature
) -> Table | None:
    items = list(reported_items(suite, stratum.id, statement))
    if not items:
        return None
    status = [labels.label(item) for item, _ in items]
    counts = {"yes": 0, "no": 0, "unclear": 0, "unlabelled": 0}
    for label in status:
        key = label.answer if label.status == "labelled" else label.status
        counts[str(key)] = counts.get(str(key), 0) + 1
    known = [
        (label.answer == "yes", family)
        for label, (_, family) in zip(status, items, strict=True)
        if label.answer in ("yes", "no")
    ]
    lines = []
    for outcome, rows in judged:
        mine = [r for r in rows if r.stratum == stratum.id and r.statement == statement and r.split in REPORTED_SPLITS]
        if mine:
            lines.append(judge_line(suite, outcome, mine, stratum, signature))
    return Table(
        stratum=stratum,
        statement=statement,
        splits=tuple(s for s in REPORTED_SPLITS if suite.splits is None or s != "all"),
        labels=counts,
        families=len({family for _, family in items}),
        prevalence=share_of_items("prevalence", [yes for yes, _ in known], [family for _, family in known]),
        lines=tuple(lines),
    )
