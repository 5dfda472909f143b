"""All that a probing says, as one record: measured, decided, signed, and each figure as a sentence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from bench import __version__
from bench.judges.contract import question_of
from bench.measure.estimate import Estimate
from bench.probing.asking import Found, Plan
from bench.probing.bias import Bias, regress
from bench.probing.figures import Figures, measure, noise
from bench.probing.limits import Decided, decide, worst
from bench.probing.told import VERSION
from bench.probing.transforms import TRANSFORMS
from bench.reading.canonical import digest
from bench.redaction.redact import VERSION as REDACTION
from bench.running.plan import SeatedJudge
from bench.schema.probe import Probe
from bench.schema.statement import YesNo

_EXIT = {"met": 0, "not met": 1, "cannot decide": 2}


@dataclass(frozen=True)
class ProbeReport:
    """All that a probing says."""

    where: str
    sessions: int
    not_at_hand: int
    families: int
    probes: tuple[Probe, ...]
    seats: tuple[SeatedJudge, ...]
    left_out: tuple[str, ...]
    unavailable: Mapping[str, str]
    figures: tuple[Figures, ...]
    noise: Mapping[tuple[str, str], Estimate]
    bias: tuple[Bias, ...]
    decided: tuple[Decided, ...]
    outcome: str
    exit_code: int
    signature: str

    def name(self, judge: str) -> str:
        return next(seat.judge.name for seat in self.seats if seat.id == judge)


def made(
    plan: Plan,
    found: Found,
    limits: Mapping[str, float],
    statements: Sequence[YesNo],
    where: str,
    left_out: Sequence[str],
) -> ProbeReport:
    """Measure, decide, sign."""
    order = {probe.id: place for place, probe in enumerate(plan.probes)}
    figures = tuple(sorted(measure(found.pairs, plan.seed), key=lambda f: order[f.probe.id]))
    family = {name: one.family for name, one in found.traits.items()}
    again = {
        key: noise([(samples, family[session]) for session, samples in by_session.items()], plan.seed)
        for key, by_session in found.originals.items()
        if plan.samples > 1
    }
    bias = tuple(
        regress(judge, statement, {session: samples[0] for session, samples in said.items()}, found.traits)
        for (judge, statement), said in found.originals.items()
    )
    decided = tuple(decide(limits, figures))
    exit_code, outcome = _outcome(figures, limits, decided)
    parts = {
        "probing": VERSION,
        "sessions": f"{len(found.contents)}@{digest(sorted(found.contents))[:12]}",
        "from": where,
        "statements": _statements_digest(statements, plan),
        "probes": digest([probe.model_dump(mode="json", exclude={"because"}) for probe in plan.probes])[:12],
        "samples": plan.samples,
        "seed": plan.seed,
        "redaction": REDACTION,
        "bench": __version__,
    }
    return ProbeReport(
        where, len(found.contents), found.not_at_hand, len(set(family.values())), plan.probes, plan.seats,
        tuple(left_out), found.unavailable, figures, again, bias, decided, outcome, exit_code,
        "|".join(f"{name}:{value}" for name, value in parts.items()),
    )  # fmt: skip


def _statements_digest(statements: Sequence[YesNo], plan: Plan) -> str:
    asked = [question_of(s) for s in statements if s.id in plan.statements]
    return digest([[q.text, [list(pair) for pair in q.criteria]] for q in asked])[:12]


def _outcome(figures: Sequence[Figures], limits: Mapping[str, float], decided: Sequence[Decided]) -> tuple[int, str]:
    if not any(one.rate.value is not None for one in figures):
        return 2, "cannot decide: no probe found a session where a judge could break it"
    if not limits:
        return 0, "measured; no limit was given (--max PROBE=RATE)"
    status = worst(decided)
    counts = [f"{sum(d.status == name for d in decided)} {name}" for name in ("met", "not met", "cannot decide")]
    return _EXIT[status], f"{status}: of {len(decided)} limits {', '.join(counts)}"


def told(found: Figures, judge: str) -> str:
    """One figure as a sentence."""
    does = TRANSFORMS[found.probe.transform].does
    if found.rate.value is None:
        return f"{judge}: nothing can be said of {found.probe.id} on {found.statement} ({found.rate.undefined})."
    share = f"{found.rate.percent()} {_span(found.rate)}"
    if found.probe.expect == "same":
        return f"{judge} changed its answer on {found.statement} in {share} of {found.base} sessions where {does}."
    if found.probe.expect == "not_rises":
        return f"{judge} was moved to a yes on {found.statement} in {share} of {found.base} sessions with a no, where {does}."
    return (
        f"{judge} did not notice in {share} of the {found.base} sessions with a yes on {found.statement} that {does}."
    )


def _span(rate: Estimate) -> str:
    low, high = (0.0 if bound is None else bound * 100 for bound in (rate.low, rate.high))
    return f"[{low:.0f}, {high:.0f}]"
