"""What each judge's figures would be if some labels are wrong, on the statements that decide."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from bench.measure.judge_line import JudgeLine
from bench.measure.label_noise import SENSITIVE, NoisyValue, label_noise_table
from bench.schema.suite import Stratum

_NEED_PREVALENCE = ("precision", "f1")


class TableLike(Protocol):
    """What is needed of a table of judges."""

    @property
    def stratum(self) -> Stratum: ...

    @property
    def statement(self) -> str: ...

    @property
    def lines(self) -> tuple[JudgeLine, ...]: ...


@dataclass(frozen=True)
class NoiseLine:
    """One judge in one table."""

    stratum: str
    statement: str
    judge: str
    judge_id: str
    values: tuple[NoisyValue, ...]


def noise_lines(tables: Sequence[TableLike], critical: frozenset[str]) -> tuple[NoiseLine, ...]:
    """Sensitivity to label error of every judge that has counts, in the tables of the critical statements."""
    lines = []
    for table in tables:
        hidden = () if table.stratum.precision_means_something else _NEED_PREVALENCE
        names = [name for name in SENSITIVE if name not in hidden]
        for line in table.lines if table.statement in critical else ():
            if line.counts:
                counts = np.array([line.counts[cell] for cell in ("tp", "fp", "fn", "tn")], dtype=float)
                values = label_noise_table(counts, names=names)
                lines.append(NoiseLine(table.stratum.id, table.statement, line.judge, line.judge_id, values))
    return tuple(lines)
