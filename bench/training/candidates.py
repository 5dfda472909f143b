"""The candidates that cross-validation chooses from, and how each is fitted. Simplest first.

Columns are fitted on rows of the primary strata alone: authored sessions have lengths that an author chose. What events are
cited (and words) is learned from all strata.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from bench.judges.head.features import COLUMNS
from bench.judges.head.model import EVIDENCE, REACH
from bench.training.solve import (
    Floats,
    Integers,
    Split,
    boosted_stumps,
    expit,
    logistic,
    logit_of,
    nonnegative_logistic,
)
from bench.training.table import Table

Kind = Literal["share", "equal", "ridge", "same-sign", "towards-equal", "words", "stumps", "mean"]
EVENT_PENALTY = 10.0
OTHERS = 0.3  # weight of a row outside the primary strata, where words are fitted
ROUNDS, RATE, LEAF = 20, 0.2, 4


@dataclass(frozen=True)
class Candidate:
    """One way to fit a head."""

    name: str
    kind: Kind
    columns: tuple[str, ...] = ()
    penalty: float = 1.0
    of: tuple[Candidate, ...] = ()  # of a mean


_WORK = ("size", "commands", "place")
_FIVE = ("size", "turns", "corrections", "failures", "place")
_ALL = COLUMNS
_EVIDENCE = Candidate("evidence", "equal", (EVIDENCE,))
_EVIDENCE_WORK = Candidate("evidence and work, equal", "equal", (EVIDENCE, *_WORK))
_FIVE_EQUAL = Candidate("five columns, equal", "equal", _FIVE)
_ALL_EQUAL = Candidate("all columns, equal", "equal", _ALL)
_WORDS = Candidate("hashed words, ridge", "words", penalty=1.0)

CANDIDATES = (
    Candidate("share of yes", "share"),
    Candidate("length", "equal", ("size",)),
    Candidate("work, equal", "equal", _WORK),
    _FIVE_EQUAL,
    _ALL_EQUAL,
    Candidate("five columns, ridge", "ridge", _FIVE, 10.0),
    Candidate("all columns, ridge", "ridge", _ALL, 30.0),
    Candidate("all columns, same sign", "same-sign", _ALL, 10.0),
    Candidate("all columns, towards equal", "towards-equal", _ALL, 30.0),
    _EVIDENCE,
    _EVIDENCE_WORK,
    _WORDS,
    Candidate("stumps", "stumps", _ALL),
    Candidate("mean of three scores", "mean", of=(_FIVE_EQUAL, _ALL_EQUAL, _EVIDENCE_WORK)),
    Candidate("mean of scores and words", "mean", of=(_FIVE_EQUAL, _EVIDENCE_WORK, _WORDS)),
)


@dataclass(frozen=True, eq=False)
class Fitted:
    """The parts of a fitted candidate, before they are written to a file."""

    bias: float
    columns: dict[str, tuple[float, float, float]] = field(default_factory=dict)  # centre, scale, weight
    events: tuple[Floats, float] | None = None
    stumps: tuple[Split, ...] = ()
    words: Floats | None = None

    def logits(self, table: Table) -> Floats:
        """The sum of the parts for every row."""
        total = np.full(len(table), self.bias)
        for name, (centre, scale, weight) in self.columns.items():
            values = column(table, name, self.events)
            total = total + weight * standardised(values, centre, scale)
        for place, at, below, above in self.stumps:
            values = table.columns[:, place]
            total = total + np.where(np.isnan(values), 0.0, np.where(values <= at, below, above))
        return total if self.words is None else total + table.words @ self.words


def column(table: Table, name: str, events: tuple[Floats, float] | None) -> Floats:
    """A column of every row; the evidence column comes from the fitted events."""
    if name != EVIDENCE:
        return np.asarray(table.columns[:, COLUMNS.index(name)])
    if events is None:
        raise ValueError("the evidence column needs fitted events")
    weights, bias = events
    return np.asarray(np.log(np.maximum(table.events @ expit(table.patterns @ weights + bias), 1e-6)))


def standardised(values: Floats, centre: float, scale: float) -> Floats:
    """In standard units, held within REACH; what is not measured stands at the centre."""
    return np.nan_to_num(np.clip((values - centre) / scale, -REACH, REACH), nan=0.0)


def fit(candidate: Candidate, table: Table, rows: Integers) -> Fitted:
    """Fit a candidate to these rows of the table."""
    if candidate.kind == "mean":
        return _mean([fit(part, table, rows) for part in candidate.of])
    core = rows[table.primary[rows]]
    yes = table.yes.astype(np.float64)
    if candidate.kind == "share":
        return Fitted(logit_of(float(yes[core].sum()), float(len(core))))
    if candidate.kind == "words":
        weight = np.where(table.primary[rows], 1.0, OTHERS)
        words, bias = logistic(table.words[rows], yes[rows], weight, candidate.penalty)
        return Fitted(bias, words=words)
    if candidate.kind == "stumps":
        stumps, bias = boosted_stumps(table.columns[core], yes[core], ROUNDS, RATE, LEAF)
        return Fitted(bias, stumps=tuple(stumps))
    events = fit_events(table, rows) if EVIDENCE in candidate.columns else None
    return _columns(candidate, table, core, events)


def fit_events(table: Table, rows: Integers) -> tuple[Floats, float]:
    """Weights of signals, and the bias, that tell events which annotators cite for a yes from all others."""
    total, cited = table.events[rows].sum(axis=0), table.cited[rows].sum(axis=0)
    there = total > 0
    return logistic(table.patterns[there], cited[there] / total[there], total[there], EVENT_PENALTY)


def _columns(candidate: Candidate, table: Table, core: Integers, events: tuple[Floats, float] | None) -> Fitted:
    yes, weight = table.yes[core].astype(np.float64), np.ones(len(core))
    raw = np.stack([column(table, name, events) for name in candidate.columns], axis=1)
    scales = [_scale(raw[core, i]) for i in range(raw.shape[1])]
    units = np.stack([standardised(raw[core, i], *scale) for i, scale in enumerate(scales)], axis=1)
    mean = units.mean(axis=1, keepdims=True)
    slope, bias = logistic(mean, yes, weight, 1.0)
    weights = np.full(units.shape[1], slope[0] / units.shape[1])
    if candidate.kind == "ridge":
        weights, bias = logistic(units, yes, weight, candidate.penalty)
    elif candidate.kind == "same-sign":
        sign = -1.0 if slope[0] < 0 else 1.0
        free, bias = nonnegative_logistic(sign * units, yes, weight, candidate.penalty)
        weights = sign * free
    elif candidate.kind == "towards-equal":
        both = np.hstack([mean, units])
        penalty = np.array([1.0, *[candidate.penalty] * units.shape[1]])
        free, bias = logistic(both, yes, weight, penalty)
        weights = free[0] / units.shape[1] + free[1:]
    named = zip(candidate.columns, scales, weights, strict=True)
    return Fitted(bias, {name: (*scale, float(w)) for name, scale, w in named}, events)


def _scale(values: Floats) -> tuple[float, float]:
    """Mean and standard deviation of what is measured; a constant column keeps scale 1."""
    known = values[np.isfinite(values)]
    if len(known) == 0:
        return 0.0, 1.0
    spread = float(known.std())
    return float(known.mean()), spread if spread > 1e-9 else 1.0


def _mean(parts: Sequence[Fitted]) -> Fitted:
    """The mean of their sums: parts share scales, as all are fitted to the same rows."""
    share = 1 / len(parts)
    columns: dict[str, tuple[float, float, float]] = {}
    for part in parts:
        for name, (centre, scale, weight) in part.columns.items():
            columns[name] = (centre, scale, columns.get(name, (0.0, 0.0, 0.0))[2] + share * weight)
    words = [part.words for part in parts if part.words is not None]
    return Fitted(
        bias=float(sum(share * part.bias for part in parts)),
        columns=columns,
        events=next((part.events for part in parts if part.events is not None), None),
        stumps=tuple((c, t, share * b, share * a) for part in parts for c, t, b, a in part.stumps),
        words=share * np.sum(words, axis=0) if words else None,
    )
