"""The certificate: a judge, a policy, and what was proved about the two; a small JSON file under a seal.

The seal is the digest of all the rest. It tells an accident (a changed word, another judge's file), not a forger: who
must defend against one signs the file.
"""

from __future__ import annotations

import json
from datetime import datetime
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, JsonValue, ValidationError, model_validator

from bench.deciding.calibrator import Calibrator
from bench.deciding.policy import Policy
from bench.problems import BrokenInput, CannotDecide, Problem, shorten
from bench.reading.canonical import digest
from bench.reading.strict_json import read_json
from bench.schema.base import Id, Integer, Moment, Number, Record, Sha256, Text, Truth
from bench.whole_file import write_whole

FORMAT = "lessonbench-certificate/1"
LARGEST_FILE = 20_000_000  # bytes
Share = Annotated[Number, Field(ge=0, le=1)]
BandName = Literal["promote", "discard"]


class CertifiedStatement(Record):
    """A statement in the very words that the judge was asked."""

    id: Id
    text: Text
    criteria: tuple[tuple[Text, Text], ...]  # (answer, what it means)


class CertifiedJudge(Record):
    """The judge, and how to make it again. ``made_from`` is None where only its verdicts were known."""

    id: Text
    name: Text
    made_from: Text | None = None  # the name in the registry
    parameters: dict[Id, Text] = {}
    preset: Text | None = None  # name@version; None where the judge is shown no projection
    samples: Annotated[Integer, Field(ge=1)] = 1
    scales: dict[Id, Literal["probability", "score", "answer"]]  # what a policy reads of it, by statement
    query_told: Truth = False  # whether the judge was told what was asked for, beside the session's own prompts
    answered_by: tuple[Text, ...] = ()  # the models that said they answered, where they say it


class Population(Record):
    """Q: what the guarantee is about. Only a random sample of the deployed stream makes more than a benchmark."""

    name: Text
    sample: Literal["random_sample_of_stream", "benchmark"]
    source: Text  # the suite, its version, stratum and split; or the table
    design: Text | None = None


class LabelSource(Record):
    """Who labelled: votes by kind of annotator. Human only where every used label rests on votes of persons."""

    votes: dict[Text, Integer]
    lineages: tuple[Text, ...] = ()
    human: Truth


class Data(Record):
    """The rows that the bands were tested on, by digest."""

    digest: Sha256
    rows: Annotated[Integer, Field(ge=1)]
    families: Annotated[Integer, Field(ge=1)]
    unlabelled: Annotated[Integer, Field(ge=0)]
    unscored: Annotated[Integer, Field(ge=0)]
    seed: Integer


class ProvedBand(Record):
    """One band: at most ``target`` wrong among what it decides by itself, at confidence 1 - delta."""

    band: BandName
    target: Share
    delta: Share
    method: Text
    claim: Literal["family-weighted", "item-weighted"]
    finite_sample: Truth
    threshold: Number
    selected: Annotated[Integer, Field(ge=1)]
    families: Annotated[Integer, Field(ge=1)]
    wrong: Annotated[Integer, Field(ge=0)]
    upper: Share  # limit of the share wrong at this threshold, at confidence 1 - delta

    @property
    def sentence(self) -> str:
        """What was proved, in words."""
        what = "promotes" if self.band == "promote" else "discards"
        return (
            f"of what it {what}, at most {self.target:.0%} is wrong, at confidence {1 - self.delta:.4g} ({self.claim}; "
            f"found {self.wrong} wrong of {self.selected})"
        )


class Rates(Record):
    """Simultaneous bounds of a band's rates, and the shares of yes for which the target is met if they carry over."""

    band: BandName
    right_rate: tuple[Share, Share]  # of what the band is for: of yes for promote, of no for discard
    wrong_rate: tuple[Share, Share]  # of the other class
    prevalence: tuple[Share, Share] | None  # at the worst of these bounds; None: at no share


class Measured(Record):
    """A share with its interval."""

    value: Share
    low: Share
    high: Share


class Reference(Record):
    """What calibration looked like, for the watch on drift: values by statement (no labels), decisions, unscored.

    One seeded row of each family, since rows that hang together make false alarms. ``flips`` are (pairs of samples that
    differed, pairs) of a judge that was asked more than once.
    """

    values: dict[Id, tuple[Number, ...]]
    decisions: dict[Literal["promote", "review", "discard"], Integer]
    unscored: dict[Id, Integer] = {}
    flips: tuple[Integer, Integer] | None = None


class Anchor(Record):
    """An item of calibration and what the judge said of it: asked again, it shows whether the judge changed."""

    item: Sha256
    statement: Id
    answer: Text | None
    p: Share | None = None


class Certificate(Record):
    """Everything that the gate needs, and everything that a reader must know."""

    format: Literal["lessonbench-certificate/1"] = "lessonbench-certificate/1"
    bench: Text
    judge: CertifiedJudge
    statements: Annotated[tuple[CertifiedStatement, ...], Field(min_length=1)]
    policy: Policy
    calibrators: dict[Id, Calibrator] = {}
    population: Population
    labels: LabelSource
    data: Data
    bands: Annotated[tuple[ProvedBand, ...], Field(min_length=1)]
    rates: tuple[Rates, ...] = ()
    review_share: Measured
    cost_usd_per_session: Annotated[Number, Field(ge=0)] | None = None  # None is unknown, not free
    seconds_per_session: Annotated[Number, Field(ge=0)] | None = None
    issued: Moment
    expires: Moment
    reference: Reference
    anchors: tuple[Anchor, ...] = ()
    synthetic: Truth = False  # made from invented data, to show how it is done
    seal: Sha256 | None = None

    @model_validator(mode="after")
    def _hangs_together(self) -> Certificate:
        asked = [statement.id for statement in self.statements]
        missing = [name for name in self.policy.statements if name not in asked]
        if missing:
            raise ValueError(f"the policy uses {missing[0]!r}, whose words are not among the statements")
        for band in self.bands:
            at = self.policy.promote_at if band.band == "promote" else self.policy.discard_at
            if at != band.threshold:
                raise ValueError(f"{band.band} was proved at {band.threshold:g}, and the policy has {at}")
        proved = {band.band for band in self.bands}
        for name, at in (("promote", self.policy.promote_at), ("discard", self.policy.discard_at)):
            if at is not None and name not in proved:
                raise ValueError(f"the policy decides {name} by itself, and nothing was proved about it")
        if datetime.fromisoformat(self.expires) <= datetime.fromisoformat(self.issued):
            raise ValueError("it expires before it was issued")
        return self

    def sealed(self) -> Certificate:
        """The same with its seal."""
        return self.model_copy(update={"seal": self.digest()})

    def digest(self) -> str:
        """The digest of everything but the seal."""
        content: JsonValue = self.model_dump(mode="json", exclude={"seal"})
        return digest(content)

    @property
    def sentence(self) -> str:
        """What it says, in words."""
        return f"{self.judge.name}: {'; '.join(band.sentence for band in self.bands)}"


def write_certificate(certificate: Certificate, path: Path) -> None:
    """Write it sealed; the same certificate gives the same bytes."""
    content = certificate.sealed().model_dump(mode="json")
    write_whole(path, json.dumps(content, indent=1, ensure_ascii=False, allow_nan=False) + "\n")


class Refused(CannotDecide):
    """A certificate that does not hold for what it is used for; the message is the reason."""


def read_certificate(path: Path) -> Certificate:
    """Read and check it. Raises BrokenInput where it is no certificate, Refused where its seal is broken."""
    try:
        if path.stat().st_size > LARGEST_FILE:
            raise _broken(path, None, f"over {LARGEST_FILE:,} bytes", "give a certificate of `bench calibrate`")
        data = path.read_bytes()
    except OSError as error:
        fix = "give a certificate's path (bench calibrate writes one)"
        raise _broken(path, None, f"cannot be read: {error.strerror}", fix) from None
    try:
        certificate = Certificate.model_validate(read_json(data))
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        field = ".".join(map(str, first["loc"])) or None
        fix = "issue it again with `bench calibrate`, or restore the file"
        raise _broken(path, field, shorten(first["msg"].removeprefix("Value error, "), 200), fix) from None
    except ValueError as error:
        raise _broken(path, None, f"no JSON: {shorten(str(error), 120)}", "restore the file") from None
    if certificate.seal != certificate.digest():
        raise Refused(
            f"{path.name}: the seal is broken: what it says is not what was certified; restore the file as it was issued "
            "(another statement, policy or judge needs a certificate of its own)"
        )
    return certificate


def _broken(path: Path, field: str | None, found: str, fix: str) -> BrokenInput:
    return BrokenInput([Problem(path.as_posix(), None, None, field, found, fix)])
