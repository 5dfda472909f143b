"""What the stored verdicts of each model judge took: tries, tokens, money, time; and the oddities of its replies."""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from bench.measure.items import JudgedRows
from bench.running.store import StoredVerdict


@dataclass(frozen=True)
class CallLine:
    """Sums over the stored verdicts that are presently expected; None where no verdict says."""

    judge: str
    judge_id: str
    verdicts: int
    retried: int  # verdicts that took more than one try
    tokens_in: int | None
    tokens_out: int | None
    usd: float | None  # of the verdicts whose cost is known
    cost_unknown: int  # verdicts
    median_ms: float | None  # for one verdict
    invented_quotes: int | None
    flags: Mapping[str, int]
    answered_by: tuple[str, ...]


def call_lines(judged: JudgedRows) -> tuple[CallLine, ...]:
    """One line for each judge whose verdicts took calls."""
    rows: dict[str, dict[tuple[str, int], StoredVerdict]] = {}
    names: dict[str, str] = {}
    for outcome, _ in judged:
        names[outcome.judge.id] = outcome.judge.judge.name
        for e in outcome.expected:
            row = outcome.row(e)
            if row is not None and row.calls is not None:
                rows.setdefault(outcome.judge.id, {})[row.key] = row
    return tuple(_line(names[judge], judge, list(held.values())) for judge, held in rows.items())


def _line(name: str, judge_id: str, rows: Sequence[StoredVerdict]) -> CallLine:
    costs = [row.cost_usd for row in rows if row.cost_usd is not None]
    times = [row.latency_ms for row in rows if row.latency_ms is not None]
    invented = [row.invented for row in rows if row.invented is not None]
    flags = Counter(flag for row in rows for flag in row.flags)
    return CallLine(
        judge=name,
        judge_id=judge_id,
        verdicts=len(rows),
        retried=sum((row.calls or 0) > 1 for row in rows),
        tokens_in=_sum([row.tokens_in for row in rows]),
        tokens_out=_sum([row.tokens_out for row in rows]),
        usd=sum(costs) if costs else None,
        cost_unknown=len(rows) - len(costs),
        median_ms=statistics.median(times) if times else None,
        invented_quotes=sum(invented) if invented else None,
        flags={flag: flags[flag] for flag in sorted(flags)},
        answered_by=tuple(sorted({row.answered_by for row in rows if row.answered_by is not None})),
    )


def _sum(values: Sequence[int | None]) -> int | None:
    known = [value for value in values if value is not None]
    return sum(known) if known else None
