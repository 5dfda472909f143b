"""The gate: one certified judge decides about one session. Light: no numpy, no pandas, nothing that measures.

from bench.gate import load
gate = load("certificate.json")
print(gate.decide("session.jsonl").decision)
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from bench.deciding.certificate import Certificate, CertifiedStatement, Refused, read_certificate
from bench.deciding.policy import REVIEW, Decision, decide
from bench.judges.contract import Item, Judge, Question, Verdict
from bench.judges.registry import make_judge
from bench.problems import BrokenInput
from bench.projection.presets import Preset
from bench.projection.project import OWN_PROMPTS, preset_named, project
from bench.running.asking import ask_now
from bench.running.identity import judge_id
from bench.schema.case import Anchors
from bench.schema.event import Event
from bench.traces.detect import read_session

__all__ = ["Gate", "GateDecision", "Refused", "load"]


@dataclass(frozen=True)
class GateDecision:
    """promote, review or discard, why, and what it rests on. ``calibrated`` are probabilities by statement."""

    decision: str
    score: float | None
    reasons: tuple[str, ...]
    values: Mapping[str, float | None]
    calibrated: Mapping[str, float]

    @property
    def exit_code(self) -> int:
        return {"promote": 0, "discard": 1, REVIEW: 2}[self.decision]

    def to_dict(self) -> dict[str, Any]:
        return {
            "decision": self.decision,
            "score": self.score,
            "reasons": list(self.reasons),
            "values": dict(self.values),
            "calibrated": dict(self.calibrated),
            "exit_code": self.exit_code,
        }


@dataclass(frozen=True)
class Gate:
    """A certificate and, where it can be made here, its judge."""

    certificate: Certificate
    judge: Judge | None
    preset: Preset | None

    def decide(self, session: Path | str, *, query: str | None = None, form: str | None = None) -> GateDecision:
        """Decide about a recorded session file. Raises BrokenInput where it cannot be read, Refused without a judge."""
        read = read_session(Path(session), form)
        return self.decide_events(read.events, harness=read.harness, query=query)

    def decide_events(self, events: Sequence[Event], *, harness: str, query: str | None = None) -> GateDecision:
        """Decide about typed events. ``query`` says what was asked for, where the judge was calibrated with it told."""
        self.holds_now()
        if self.certificate.judge.query_told and query is None:
            raise Refused("it was calibrated on sessions whose query was told: give this one's (query, --query)")
        if self.judge is None:
            raise Refused(
                f"{self.certificate.judge.name} cannot be made here: give its verdicts (decide_verdicts, --verdicts)"
            )
        projection = None if self.preset is None else project(self.preset, query or OWN_PROMPTS, harness, events)
        receives = self.judge.receives
        item = Item(projection, Anchors() if "anchors" in receives else None, {} if "facts" in receives else None)
        questions = [_question(statement) for statement in self.certificate.statements]
        samples = [ask_now(self.judge, item, questions, n) for n in range(self.certificate.judge.samples)]
        given = {
            statement.id: _value([verdicts[at] for verdicts in samples], self.certificate, statement.id)
            for at, statement in enumerate(self.certificate.statements)
        }
        return self._decided(
            {name: value for name, (value, _) in given.items()}, {name: why for name, (_, why) in given.items() if why}
        )

    def decide_verdicts(
        self, judge: str, statements: Mapping[str, str], values: Mapping[str, float | None]
    ) -> GateDecision:
        """Decide from values that the certified judge gave elsewhere. Raises Refused for another judge or other words.

        ``judge`` is its judge_id, ``statements`` the text that each statement was asked in, ``values`` its numbers.
        """
        self.holds_now()
        if judge != self.certificate.judge.id:
            raise Refused(f"certified is {self.certificate.judge.id}, these are verdicts of {judge}")
        for statement in self.certificate.statements:
            same_words(statement, statements.get(statement.id))
        return self._decided({s.id: values.get(s.id) for s in self.certificate.statements}, {})

    def holds_now(self) -> None:
        """Raises Refused once the certificate has expired: a gate that is kept in memory ages too."""
        if datetime.now(UTC) >= datetime.fromisoformat(self.certificate.expires):
            raise Refused(f"the certificate expired on {self.certificate.expires}: calibrate anew on fresh labels")

    def _decided(self, values: Mapping[str, float | None], missing: Mapping[str, str]) -> GateDecision:
        found: Decision = decide(self.certificate.policy, values, missing)
        maps = self.certificate.calibrators
        calibrated = {name: maps[name](v) for name, v in values.items() if v is not None and name in maps}
        return GateDecision(found.decision, found.score, found.reasons, dict(values), calibrated)


def load(
    path: Path | str,
    *,
    accept_benchmark_population: bool = False,
    base: Path | str | None = None,
    statements: Mapping[str, str] | None = None,
    preset: str | None = None,
) -> Gate:
    """Open a gate. Raises Refused, with the reason, where the certificate does not hold here and now.

    ``base`` is the folder from which a judge's own files are found (default: the certificate's); ``statements`` are the
    texts in use here, by id, and ``preset`` the projection: where they are given, they must be the certified ones.
    """
    certificate = read_certificate(Path(path))
    if certificate.synthetic and not accept_benchmark_population:
        raise Refused(
            "made from invented data, to show how it is done (accept_benchmark_population to go on showing it)"
        )
    if certificate.population.sample == "benchmark" and not accept_benchmark_population:
        raise Refused(
            f"a benchmark certificate: what was proved holds for {certificate.population.name}, and nobody showed that it "
            "holds for your sessions (accept_benchmark_population, --accept-benchmark-population, if you take that upon you)"
        )
    for statement in certificate.statements:
        if statements is not None:
            same_words(statement, statements.get(statement.id))
    certified = certificate.judge.preset
    if preset is not None and preset not in (certified, (certified or "").partition("@")[0]):
        raise Refused(f"certified under the projection {certified or 'none'}, asked for under {preset}")
    judge, own = _remade(certificate, Path(path).parent if base is None else Path(base))
    gate = Gate(certificate, judge, own)
    gate.holds_now()
    return gate


def same_words(statement: CertifiedStatement, text: str | None) -> None:
    """Raises Refused where a statement's text is not, to the letter, the certified one."""
    if text == statement.text:
        return
    if text is None:
        raise Refused(f"the statement {statement.id} is certified, and not among those in use")
    at = next((i for i, (a, b) in enumerate(zip(text, statement.text, strict=False)) if a != b), None)
    at = min(len(text), len(statement.text)) if at is None else at
    raise Refused(
        f"the statement {statement.id} is not the certified one: from character {at + 1} on it reads "
        f"{text[at : at + 30]!r}, certified was {statement.text[at : at + 30]!r}"
    )


def _remade(certificate: Certificate, base: Path) -> tuple[Judge | None, Preset | None]:
    """The judge and the projection as they are here, which must be those that were certified."""
    certified = certificate.judge
    preset = None if certified.preset is None else preset_named(certified.preset.partition("@")[0])
    if preset is not None and preset.label != certified.preset:
        raise Refused(f"certified under the projection {certified.preset}; this version of bench has {preset.label}")
    if certified.made_from is None:
        return None, preset
    try:
        judge = make_judge(certified.made_from, certified.parameters, base)
    except BrokenInput as error:
        raise Refused(f"{certified.name} cannot be made here: {error.problems[0]}") from None
    found = judge_id(judge, "" if preset is None else preset.label)
    if found != certified.id:
        raise Refused(f"certified is {certified.id}; the judge made here is {found}")
    return judge, preset


def _question(statement: CertifiedStatement) -> Question:
    return Question("yes_no", statement.text, statement.criteria)


def _value(samples: Sequence[Verdict], certificate: Certificate, statement: str) -> tuple[float | None, str | None]:
    """The policy's number of a statement over the samples, or why there is none: as rows are made for calibration."""
    models = {v.answered_by for v in samples if v.answered_by is not None}
    known = certificate.judge.answered_by
    if known and models - set(known):
        return None, f"answered by {', '.join(sorted(models))}, certified was {', '.join(known)}"
    scored = [v for v in samples if v.answer is not None]
    if not scored:
        reasons = Counter(str(v.unscored) for v in samples)
        why = min(reasons, key=lambda r: (-reasons[r], r))
        detail = next((v.detail for v in samples if v.unscored == why and v.detail), None)
        return None, why if detail is None else f"{why} ({detail})"
    votes = Counter(v.answer for v in scored).most_common()
    if len(votes) > 1 and votes[0][1] == votes[1][1]:
        return None, "tied"
    scale = certificate.judge.scales.get(statement, "answer")
    if scale == "answer":
        return (1.0 if votes[0][0] == "yes" else 0.0), None
    numbers = [n for v in scored if (n := v.p if scale == "probability" else v.score) is not None]
    return (sum(numbers) / len(numbers), None) if numbers else (None, f"no {scale}")
