"""Whom and what the figures are about: the leading table, its judges by kind, and the rows behind a judge's line."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from bench.benchmark import Benchmark
from bench.measure.figures import Table
from bench.measure.items import REPORTED_SPLITS
from bench.measure.judge_line import JudgeLine
from bench.measure.rows import Row
from bench.report.kinds import Kind, callers, kind_of
from bench.report.opening import leading_table
from bench.report.plots.names import plain


@dataclass(frozen=True)
class Subject:
    """The critical statement in the primary stratum, with the judges that call models by their judge_id."""

    table: Table
    callers: frozenset[str]

    @property
    def lines(self) -> tuple[JudgeLine, ...]:
        return self.table.lines

    @property
    def where(self) -> str:
        """``reusable-lesson on natural``."""
        return plain(f"{self.table.statement} on {self.table.stratum.id}")

    @property
    def about(self) -> str:
        """Where, and how much there is."""
        counts = self.table.labels
        labelled = f"{counts.get('yes', 0)} labelled yes, {counts.get('no', 0)} no"
        return f"{self.where}: {labelled}, {self.table.families} families"

    def kind(self, line: JudgeLine) -> Kind:
        return kind_of(line.judge, line.judge_id in self.callers)

    def known(self, *metrics: str) -> list[JudgeLine]:
        """The judges that have a value for every one of the metrics."""
        return [line for line in self.lines if all(_has(line, name) for name in metrics)]

    def best_first(self, metric: str) -> list[JudgeLine]:
        """All judges, the highest value first, those without one last."""
        known = self.known(metric)
        values = {line.judge_id: line.metrics[metric].value or 0.0 for line in known}
        ordered = sorted(known, key=lambda line: -values[line.judge_id])
        return ordered + [line for line in self.lines if line not in known]

    def unknown(self, *metrics: str) -> list[tuple[JudgeLine, str]]:
        """The others, each with the reason."""
        found = []
        for line in self.lines:
            lost = [name for name in metrics if not _has(line, name)]
            if lost:
                estimate = line.metrics.get(lost[0])
                found.append((line, (estimate.undefined if estimate else None) or f"no {lost[0]} here"))
        return found


def subject_of(benchmark: Benchmark) -> Subject | None:
    """What the figures are about; None where there is no table."""
    table = leading_table(benchmark)
    if table is None or not table.lines:
        return None
    return Subject(table, callers(benchmark))


def counted_rows(benchmark: Benchmark, table: Table, line: JudgeLine) -> Sequence[Row]:
    """The rows that a judge's figures rest on: labelled, scored yes or no, in a reported split."""
    rows = next(
        (rows for outcome, rows in benchmark.headline if outcome.judge.id == line.judge_id and _of(rows, table)), ()
    )
    return [row for row in rows if _is_of(row, table) and row.counts and row.answer in ("yes", "no")]


def _of(rows: Sequence[Row], table: Table) -> bool:
    """Two seats of a suite may hold one judge: the prior of another statement."""
    return any(_is_of(row, table) for row in rows)


def _is_of(row: Row, table: Table) -> bool:
    return row.stratum == table.stratum.id and row.statement == table.statement and row.split in REPORTED_SPLITS


def _has(line: JudgeLine, metric: str) -> bool:
    return metric in line.metrics and line.metrics[metric].value is not None
