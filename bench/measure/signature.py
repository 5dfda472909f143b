"""The signature of a number: everything one must know to get it again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pydantic import JsonValue

from bench import __version__
from bench.cases.load import LoadedSuite
from bench.cases.sources import source_of
from bench.judges.contract import question_of
from bench.labels.load import CastVote, ItemName, Labels
from bench.reading.canonical import digest

LABEL_RULE = "agreement-or-ruling@1"


@dataclass(frozen=True)
class Signature:
    """Printed as one line of ``key:value`` parts joined by ``|``, in the manner of sacreBLEU (Post 2018)."""

    suite: str
    version: str
    data: str
    labels: str
    splits: str
    resamples: int
    seed: int
    label_rule: str = LABEL_RULE
    code: str = __version__
    judge: str | None = None
    preset: str | None = None
    stratum: str | None = None
    statement: str | None = None
    samples: int | None = None

    def __str__(self) -> str:
        parts = [
            ("suite", f"{self.suite}@{self.version}"),
            ("data", self.data[:12]),
            ("labels", self.labels[:12]),
            ("label_rule", self.label_rule),
            ("splits", self.splits),
            ("stratum", self.stratum),
            ("statement", self.statement),
            ("judge", self.judge),
            ("preset", self.preset),
            ("samples", self.samples),
            ("resamples", self.resamples),
            ("seed", self.seed),
            ("bench", self.code),
        ]
        return "|".join(f"{name}:{value}" for name, value in parts if value is not None)


def sign(suite: LoadedSuite, labels: Labels, splits: tuple[str, ...]) -> Signature:
    """The signature that all figures of a suite share."""
    return Signature(
        suite=suite.suite.id,
        version=suite.suite.version,
        data=data_digest(suite),
        labels=labels_digest(labels),
        splits="+".join(splits),
        resamples=suite.suite.resamples,
        seed=suite.suite.seed,
    )


def data_digest(suite: LoadedSuite) -> str:
    """Digest of all that judges may be shown and of how items are grouped; notes and free metadata are not in it."""
    cases: dict[str, JsonValue] = {}
    for loaded, attempt in suite.attempts():
        case = loaded.case
        questions: list[JsonValue] = [
            [s.id, question_of(s).text, [list(pair) for pair in question_of(s).criteria]] for s in loaded.statements
        ]
        cases[f"{case.id}/{attempt.id}"] = {
            "family": case.family,
            "stratum": case.stratum,
            "split": suite.splits.families[case.family] if suite.splits else None,
            "query": case.query,
            "harness": attempt.harness,
            "answer": attempt.answer,
            "questions": questions,
            "anchors": case.trajectory_anchors.model_dump(mode="json", exclude_defaults=True),
            "world": case.world_state.model_dump(mode="json", exclude_defaults=True),
            "source": source_of(loaded, attempt).digest,
        }
    return digest(cases)


def labels_digest(labels: Labels) -> str:
    """Digest of every vote's answer and every ruling's answer; of check votes too, since figures rest on them."""
    votes, checks = (_answers(side) for side in (labels.votes, labels.checks))
    rulings: dict[str, JsonValue] = {"/".join(item): ruling.answer for item, ruling in labels.rulings.items()}
    return digest({"votes": votes, "rulings": rulings, **({"checks": checks} if checks else {})})


def _answers(votes: Mapping[ItemName, Sequence[CastVote]]) -> dict[str, JsonValue]:
    return {"/".join(item): [[cast.annotator, cast.vote.answer] for cast in many] for item, many in votes.items()}
