"""The live stream as columns of numbers: one outcome an item, in the order of time."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from hashlib import blake2b
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from bench.deciding.certificate import Certificate
from bench.deciding.policy import DISCARD, PROMOTE, REVIEW, Policy, Verb, decide
from bench.monitoring.answers import Line, Lines
from bench.monitoring.exchangeability import SEED, Floats, Integers
from bench.monitoring.items import closed_items
from bench.problems import shorten

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_YES_FROM = 0.5


@dataclass(frozen=True, eq=False)
class Outcomes:
    """Outcomes in their order. ``value`` is NaN and ``yes`` is -1 where a scored line gives none."""

    scored: NDArray[np.bool_]
    value: Floats
    yes: Integers
    line: Integers
    at: Integers | None  # microseconds since 1970; None where the order is the file's

    def __len__(self) -> int:
        return len(self.line)


@dataclass(frozen=True, eq=False)
class Live:
    """What a live file holds, by statement; decisions are numbers into :func:`decisions_of`, held in ``value``."""

    statements: Mapping[str, Outcomes]
    decisions: Outcomes
    decided_by: str  # where the decisions come from, or why there are none
    lines: int
    by_time: bool
    named: bool  # whether it names its judge
    other_statements: int
    anchors: int  # lines about an anchor, left out
    refused: int  # lines of a gate that refused to decide, left out
    repeats: int  # lines about an item that was counted before
    incomplete: int  # items that lack samples
    strangers: Mapping[str, int]  # models that answered and are not the certified ones
    digest: str


class _Columns:
    """Growing columns, a few bytes a line."""

    def __init__(self) -> None:
        self.scored, self.yes = array("b"), array("b")
        self.value, self.line = array("d"), array("Q")
        self.at, self.item, self.sample = array("q"), array("Q"), array("L")

    def add(self, line: int, row: Line, value: float | None, yes: bool | None, *, scored: bool) -> None:
        self.scored.append(scored)
        self.yes.append(-1 if yes is None else yes)
        self.value.append(float("nan") if value is None else value)
        self.line.append(line)
        self.at.append(0 if row.at is None else (datetime.fromisoformat(row.at) - _EPOCH) // timedelta(microseconds=1))
        # The top bit tells an item with a name from a line that stands for itself.
        self.item.append(line if row.item is None else _number(row.item) | 1 << 63)
        self.sample.append(row.sample)

    def ordered(self, *, by_time: bool) -> dict[str, NDArray[np.generic]]:
        held = {
            name: np.asarray(getattr(self, name)) for name in ("scored", "value", "yes", "line", "at", "item", "sample")
        }
        if by_time and len(held["line"]):
            # Lines of one moment have no order of their own: a seeded one, which the order of the file does not move.
            content = np.lexsort((held["line"], held["yes"], held["scored"], held["value"], held["at"]))
            held = {name: column[content] for name, column in held.items()}
            mixed = np.random.default_rng([SEED, 2000]).random(len(content))
            order = np.lexsort((mixed, held["at"]))
            held = {name: column[order] for name, column in held.items()}
        return held


class _Reading:
    """The state of one pass over the lines."""

    def __init__(self, certificate: Certificate, wanted: tuple[str, ...], assumed: str | None) -> None:
        self.certificate, self.wanted, self.assumed = certificate, wanted, assumed
        self.known = {statement.id for statement in certificate.statements}
        self.anchored = {anchor.item for anchor in certificate.anchors}
        self.columns = {name: _Columns() for name in wanted}
        self.decisions = _Columns()
        self.strangers: Counter[str] = Counter()
        self.lines = self.other = self.anchors = self.refused = self.timed = 0
        self.own = self.derived = 0
        self.possible = decisions_of(certificate.policy)
        alone = certificate.policy.statements
        self.alone = alone[0] if len(alone) == 1 else None

    def take(self, lines: Lines, number: int, row: Line) -> None:
        self.lines += 1
        self.timed += row.at is not None
        if row.item is not None and row.item in self.anchored:
            self.anchors += 1
            return
        if row.refused is not None:
            self.refused += 1
            return
        models = self.certificate.judge.answered_by
        if models and row.answered_by is not None and row.answered_by not in models:
            self.strangers[shorten(row.answered_by, 60)] += 1
        if row.decision is not None and row.decision not in self.possible:
            lines.wrongly(
                number, "decision", row.decision, f"the certified policy only says {', '.join(self.possible)}"
            )
        elif row.decision is not None:
            self.own += 1
            self.decisions.add(number, row, float(self.possible.index(row.decision)), None, scored=True)
        if row.values is not None:
            for name, value in row.values.items():
                self._statement(lines, number, row, name, value)
        elif row.decision is None or row.answer is not None or row.unscored is not None or row.p is not None:
            about = row.statement if row.statement is not None else self.assumed
            if about is None:
                fix = f"write it, or say --statement: one of {', '.join(sorted(self.known))}"
                lines.wrongly(number, "statement", "none, and the certificate has several", fix)
            else:
                scale = self.certificate.judge.scales.get(about, "answer")
                self._statement(lines, number, row, about, _value(row, scale))

    def _statement(self, lines: Lines, number: int, row: Line, name: str, value: float | None) -> None:
        if name not in self.known:
            fix = f"the certificate has {', '.join(sorted(self.known))}"
            lines.wrongly(number, "statement", shorten(name, 60), fix)
        elif name not in self.wanted:
            self.other += 1
        else:
            # Of a gate's line only the value counts; its answer and p, if any, are about something else.
            said = None if row.values is not None else _answer(row)
            scored = value is not None if row.values is not None else row.unscored is None
            self.columns[name].add(number, row, value, said, scored=scored)
            if row.decision is None and name == self.alone and self.certificate.judge.samples == 1:
                self.derived += 1
                found = decide(self.certificate.policy, {name: value}).decision
                self.decisions.add(number, row, float(self.possible.index(found)), None, scored=True)


def read_live(path: Path, certificate: Certificate, statement: str | None = None) -> Live:
    """The live stream of a certificate's judge; memory grows by about 40 bytes a line. Raises BrokenInput.

    ``statement`` keeps that one, and says what lines without a statement are about.
    """
    wanted = watched(certificate) if statement is None else (statement,)
    reading = _Reading(certificate, wanted, wanted[0] if len(wanted) == 1 else None)
    lines = Lines(path, certificate.judge.id, certificate.seal)
    for number, row in lines:
        reading.take(lines, number, row)
    if lines.digest is None:
        raise AssertionError("the file was read to its end")
    by_time = reading.timed == reading.lines > 0
    samples = certificate.judge.samples
    scales = certificate.judge.scales
    closed = {
        name: _outcomes(columns, samples, scales.get(name, "answer"), by_time)
        for name, columns in reading.columns.items()
    }
    decisions, _, _ = _outcomes(reading.decisions, 1, "score", by_time)
    return Live(
        {name: outcomes for name, (outcomes, _, _) in closed.items()}, decisions, _decided_by(reading), reading.lines,
        by_time, lines.named, reading.other, reading.anchors, reading.refused, sum(repeats for _, repeats, _ in closed.values()),
        sum(lacking for _, _, lacking in closed.values()), dict(sorted(reading.strangers.items())), lines.digest,
    )  # fmt: skip


def watched(certificate: Certificate) -> tuple[str, ...]:
    """The statements that have calibration values: those the policy reads."""
    return tuple(one.id for one in certificate.statements if one.id in certificate.reference.values)


def decisions_of(policy: Policy) -> tuple[Verb, ...]:
    """The decisions that a policy can make."""
    ends = (None if policy.discard_at is None else DISCARD, REVIEW, None if policy.promote_at is None else PROMOTE)
    return tuple(end for end in ends if end is not None)


def _decided_by(reading: _Reading) -> str:
    if reading.own and reading.derived:
        return "lines, and the policy where a line has none"
    if reading.own:
        return "lines"
    if reading.derived:
        return "the policy, from each value"
    return "no line has a decision, and the policy needs several answers at once"


def _outcomes(columns: _Columns, samples: int, scale: str, by_time: bool) -> tuple[Outcomes, int, int]:
    held = columns.ordered(by_time=by_time)
    items = closed_items(held["item"], held["sample"], held["scored"], held["value"], held["yes"], samples)
    at = np.asarray(held["at"], dtype=np.int64)[items.position] if by_time else None
    line = np.asarray(held["line"], dtype=np.int64)[items.position]
    given = np.isfinite(items.value)
    value, yes = items.value, items.yes
    if scale == "probability":
        # As calibration's values are counted; the answer only where there is no value.
        yes = np.where(given, items.value >= _YES_FROM, items.yes)
    elif scale == "answer":
        yes = np.where(items.yes < 0, np.where(given, items.value >= _YES_FROM, -1), items.yes)
        value = np.where(yes < 0, np.nan, yes)
    return Outcomes(items.scored, value, yes, line, at), items.repeats, items.incomplete


def _value(row: Line, scale: str) -> float | None:
    """The policy's number of a line, as the gate reads it."""
    if row.unscored is not None:
        return None
    if scale == "probability":
        return row.p
    if scale == "score":
        return row.score
    said = _answer(row)
    return None if said is None else float(said)


def _answer(row: Line) -> bool | None:
    if row.answer is not None:
        return row.answer == "yes"
    return None if row.p is None else row.p >= _YES_FROM


def _number(item: str) -> int:
    return int.from_bytes(blake2b(item.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "big")
