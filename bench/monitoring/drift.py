"""Drift since calibration: every test of a live stream, the anchors, and what they say together.

alpha is split evenly over the tests that the certificate calls for, whatever the stream then holds: each rings falsely
with a chance of at most alpha / tests over all looks, and so does any of them with at most alpha (Bonferroni; the tests
share their data, and no better split needs nothing about how). Holm has no place here: it orders p-values that are
complete, and these tests never are.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Literal

import numpy as np

from bench.deciding.certificate import Certificate
from bench.measure.estimate import Estimate
from bench.monitoring.anchors import AnchorCheck
from bench.monitoring.detectable import MOST_VALUES, detectable_mean, detectable_rate
from bench.monitoring.diagnosis import Diagnosis, Stream, diagnose
from bench.monitoring.exchangeability import Floats, Integers, Watch, watch
from bench.monitoring.live import Live, Outcomes, decisions_of, watched
from bench.monitoring.rates import mean_shift, rate_shift, rate_watch

FEWEST_CALIBRATION, FEWEST_LIVE = 20, 5
Kind = Literal["score", "yes", "unscored", "decisions"]
Counts = tuple[int, int]


@dataclass(frozen=True)
class Side:
    """A figure on both sides for the reader: means, or (hits, of how many), and the shift with its interval."""

    name: str
    before: float | Counts | None
    now: float | Counts | None
    shift: Estimate


@dataclass(frozen=True)
class Tested:
    """One test of the stream. ``watch`` is None where ``why_not`` says why it could not be made."""

    kind: Kind
    statement: str | None
    reference: int
    live: int
    watch: Watch | None
    why_not: str | None
    line: int | None  # of the first alarm
    at: str | None
    sides: tuple[Side, ...]
    below: float | None = None  # rates or means from which on a shift would probably have been seen
    above: float | None = None
    blind_within: int | None = None  # how many live values that was simulated with; None: not simulated

    @property
    def alarm(self) -> bool:
        return self.watch is not None and self.watch.alarm


@dataclass(frozen=True)
class Drift:
    """Everything that was tested and what it says."""

    diagnosis: Diagnosis
    tests: tuple[Tested, ...]
    anchors: AnchorCheck | None
    alpha: float
    level: float  # of each test

    @property
    def first(self) -> Tested | None:
        """The test that rang first."""
        rung = [test for test in self.tests if test.alarm]
        return min(rung, key=lambda test: (test.line or 0, test.kind), default=None)


def find_drift(
    certificate: Certificate, live: Live, anchors: AnchorCheck | None, alpha: float, statement: str | None = None
) -> Drift:
    """Test a live stream against its certificate; a certificate of several statements has tests for each."""
    planned = tuple(plan(certificate, statement))
    level = alpha / len(planned)
    tests = tuple(_tested(certificate, live, kind, about, level) for kind, about in planned)
    stream = _stream(tests, list(live.statements))
    found = diagnose(None if anchors is None else anchors.verdict, stream, strangers=bool(live.strangers))
    if found.changed == "nothing seen":
        tests = tuple(_with_blindness(certificate, test, level) for test in tests)
    return Drift(found, tests, anchors, alpha, level)


def plan(certificate: Certificate, statement: str | None = None) -> Iterator[tuple[Kind, str | None]]:
    """The tests, from the certificate alone: a plan that followed the stream would cost more than alpha."""
    for name in watched(certificate):
        if statement not in (None, name):
            continue
        scale = certificate.judge.scales.get(name, "answer")
        if scale != "answer" and not set(certificate.reference.values[name]) <= {0.0, 1.0}:
            yield "score", name
        if scale != "score":
            yield "yes", name
        yield "unscored", name
    alone = certificate.policy.statements[0] if len(certificate.policy.statements) == 1 else None
    if alone is not None and certificate.judge.scales.get(alone, "answer") == "answer":
        return  # the decision then says no more than the answer
    if any(certificate.reference.decisions.values()) and statement in (None, alone):
        yield "decisions", None


def _tested(certificate: Certificate, live: Live, kind: Kind, statement: str | None, level: float) -> Tested:
    if statement is None:
        names = decisions_of(certificate.policy)
        counts: dict[str, int] = {name: certificate.reference.decisions.get(name, 0) for name in names}
        return _rates(kind, None, counts, live.decisions.value, live.decisions, level, live.decided_by)
    held, outcomes = np.array(certificate.reference.values[statement]), live.statements[statement]
    if kind == "score":
        here = np.flatnonzero(outcomes.scored & np.isfinite(outcomes.value))
        return _scores(statement, held, outcomes.value[here], outcomes, here, level)
    if kind == "yes":
        here = np.flatnonzero(outcomes.yes >= 0)
        ayes = int(np.sum(held >= 0.5))
        codes = outcomes.yes[here].astype(np.float64)
        return _rates(kind, statement, {"": len(held) - ayes, kind: ayes}, codes, outcomes, level, None, here)
    gone = certificate.reference.unscored.get(statement, 0)
    return _rates(
        kind, statement, {"": len(held), kind: gone}, (~outcomes.scored).astype(np.float64), outcomes, level, None
    )


def _scores(statement: str, held: Floats, values: Floats, outcomes: Outcomes, here: Integers, level: float) -> Tested:
    why = _too_few(len(held), len(values), "value")
    found = None if why else watch(held, values, level)
    means = [float(side.mean()) if len(side) else None for side in (held, values)]
    side = Side("mean", means[0], means[1], mean_shift("mean: live - calibration", held, values))
    line, at = _where(found, outcomes, here)
    return Tested("score", statement, len(held), len(values), found, why, line, at, (side,))


def _rates(
    kind: Kind, statement: str | None, counts: Mapping[str, int], codes: Floats, outcomes: Outcomes, level: float,
    source: str | None, here: Integers | None = None,
) -> Tested:  # fmt: skip
    """``counts`` are calibration's by category, the unnamed ones told by the others; ``source`` says why none is live."""
    before, now = sum(counts.values()), len(codes)
    why = _too_few(before, now, "decision" if kind == "decisions" else "outcome")
    if why is not None and source is not None and not now:
        why = source
    found = rate_watch(list(counts.values()), codes, level) if why is None else None
    sides = []
    for code, (name, held) in enumerate(counts.items()):
        if name:
            both = (held, before), (int(np.sum(codes == code)), now)
            sides.append(Side(name, *both, rate_shift(f"{name}: live - calibration", *both)))
    line, at = _where(found, outcomes, np.arange(now) if here is None else here)
    return Tested(kind, statement, before, now, found, why, line, at, tuple(sides))


def _too_few(before: int, now: int, what: str) -> str | None:
    if before < FEWEST_CALIBRATION:
        return f"{before} of {FEWEST_CALIBRATION} calibration {what}s"
    return f"{now} of {FEWEST_LIVE} live {what}s" if now < FEWEST_LIVE else None


def _where(found: Watch | None, outcomes: Outcomes, here: Integers) -> tuple[int | None, str | None]:
    if found is None or found.crossed is None:
        return None, None
    at = here[found.crossed]
    moment = None
    if outcomes.at is not None:
        since = timedelta(microseconds=int(outcomes.at[at]))
        moment = (datetime(1970, 1, 1, tzinfo=UTC) + since).isoformat(timespec="seconds")
    return int(outcomes.line[at]), moment


def _stream(tests: Sequence[Tested], statements: Sequence[str]) -> Stream:
    if any(test.alarm for test in tests):
        return "alarm"
    looked = {test.statement for test in tests if test.kind in ("score", "yes") and test.watch is not None}
    return "quiet" if set(statements) <= looked else "undecided"


def _with_blindness(certificate: Certificate, test: Tested, level: float) -> Tested:
    if test.watch is None or test.kind not in ("score", "yes") or test.statement is None:
        return test
    held = np.array(certificate.reference.values[test.statement])
    if test.kind == "yes":
        hits = int(np.sum(held >= 0.5)), len(held)
        below, above = (detectable_rate(hits, test.live, level, up=up) for up in (False, True))
    else:
        below, above = (detectable_mean(held, test.live, level, up=up) for up in (False, True))
    return replace(test, below=below, above=above, blind_within=min(test.live, MOST_VALUES))
