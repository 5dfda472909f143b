"""The file of a head: weights in plain JSON, read strictly, and what they make of a session.

Nothing in a file is executed: numbers meet named signals and columns, and a name that is not known is an error. A number
stands as a plain decimal, so that NaN and infinities cannot be written.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, model_validator

from bench.judges.head.features import COLUMNS, COUNTED, VERSION, Seen, hashed_words, see
from bench.judges.head.signals import SIGNALS
from bench.problems import BrokenInput, Problem, shorten
from bench.projection.view import Projection
from bench.reading.strict_yaml import read_yaml
from bench.reading.validate import validate
from bench.schema.base import Id, Integer, Number, Record, Sha256, Text
from bench.schema.base import Version as Format

MAX_BYTES = 1024 * 1024
EVIDENCE = "evidence"  # the column that the events part fills
REACH = 3.0  # standard units that a column may lie from its centre; beyond counts as this


class Asked(Record):
    """The statement that the weights were fitted to, word by word."""

    text: Text
    true: Text
    false: Text


class Column(Record):
    """A column of the session, in standard units, times its weight."""

    name: Text
    centre: Number
    scale: Annotated[Number, Field(gt=0)]
    weight: Number


class Events(Record):
    """How much like an event that annotators cite an event is: a logistic function of its signals."""

    bias: Number
    weights: dict[Text, Number]


class Stump(Record):
    """One split of one column."""

    column: Text
    at: Number
    below: Number  # added where the column is at most ``at``
    above: Number


class Words(Record):
    """Weights of hashed words, by cell."""

    bits: Annotated[Integer, Field(ge=4, le=18)]
    weights: dict[Text, Number]

    @model_validator(mode="after")
    def _cells_exist(self) -> Words:
        for cell in self.weights:
            if not (cell.isascii() and cell.isdecimal() and len(cell) < 7 and int(cell) < 1 << self.bits):
                raise ValueError(f"no cell {shorten(cell, 20)!r}: cells are 0 to {(1 << self.bits) - 1}")
        return self


class Calibration(Record):
    """What turns the sum into a probability: fitted out of fold, or nothing (slope 1, offset 0)."""

    kind: Literal["none", "temperature", "platt"]
    slope: Annotated[Number, Field(gt=0)]
    offset: Number


class Training(Record):
    """What the weights were fitted on."""

    suite: Text
    split: Text
    digest: Sha256  # of every row: what was seen, its label, stratum and family
    seed: Integer
    attempts: Integer
    families: Integer
    primary: Integer  # attempts of the primary strata, on which columns are fitted
    primary_yes: Integer
    chosen: Text  # the candidate that cross-validation chose


class Head(Record):
    """A head for one statement."""

    schema_: Annotated[Format, Field(alias="schema")]
    name: Id
    about: Text
    features: Integer
    statement: Asked
    bias: Number
    columns: tuple[Column, ...] = ()
    events: Events | None = None
    stumps: tuple[Stump, ...] = ()
    words: Words | None = None
    calibration: Calibration
    training: Training

    @model_validator(mode="after")
    def _names_are_known(self) -> Head:
        if self.features != VERSION:
            raise ValueError(f"features of version {self.features}, where this release computes version {VERSION}")
        known = {*COLUMNS, EVIDENCE} if self.events is not None else set(COLUMNS)
        named = [column.name for column in self.columns] + [stump.column for stump in self.stumps]
        for name in named:
            if name not in known:
                raise ValueError(f"no column {name!r}; there are {', '.join(sorted(known))}")
        for name in self.events.weights if self.events is not None else ():
            if name not in SIGNALS:
                raise ValueError(f"no signal {name!r}; there are {', '.join(SIGNALS)}")
        return self

    def logit(self, projection: Projection) -> float:
        """The sum of all parts, before calibration."""
        return self.weigh(projection, see(projection))

    def weigh(self, projection: Projection, seen: Seen) -> float:
        """As ``logit``, from what was seen of the projection."""
        columns = dict(seen.columns)
        if self.events is not None:
            columns[EVIDENCE] = evidence(self.events, seen)
        terms = [self.bias]
        terms += [
            column.weight * standard(columns[column.name], column.centre, column.scale) for column in self.columns
        ]
        terms += [_split(stump, columns[stump.column]) for stump in self.stumps]
        if self.words is not None:
            cells = hashed_words(projection, self.words.bits)
            terms += [value * self.words.weights.get(str(cell), 0.0) for cell, value in cells.items()]
        return math.fsum(terms)

    def probability(self, logit: float) -> float:
        """The calibrated probability of yes, to six decimals, so that the last bits of a machine do not matter."""
        return round(sigmoid(self.calibration.slope * logit + self.calibration.offset), 6)

    def weights_of_signals(self) -> Mapping[str, float]:
        """How much one more event with a signal adds, up to a common factor: what verdicts cite their evidence by."""
        if self.events is not None:
            return self.events.weights
        weights: dict[str, float] = {}
        for column in self.columns:
            for signal in COUNTED.get(column.name, ()):
                weights[signal] = weights.get(signal, 0.0) + column.weight / column.scale
        return weights


def standard(value: float | None, centre: float, scale: float) -> float:
    """A value in standard units, held within REACH; what is not measured stands at the centre."""
    return 0.0 if value is None else max(-REACH, min(REACH, (value - centre) / scale))


def evidence(events: Events, seen: Seen) -> float:
    """The log of how many events of the kind that annotators cite are to be expected in the session."""
    patterns: dict[tuple[str, ...], int] = {}
    for names in seen.signals:
        patterns[names] = patterns.get(names, 0) + 1
    expected = math.fsum(
        count * sigmoid(events.bias + math.fsum(events.weights.get(name, 0.0) for name in names))
        for names, count in sorted(patterns.items())
    )
    return math.log(max(expected, 1e-6))


def sigmoid(logit: float) -> float:
    """1 / (1 + e^-x), without overflow."""
    if logit >= 0:
        return 1 / (1 + math.exp(-min(logit, 700.0)))
    return 1 - 1 / (1 + math.exp(max(logit, -700.0)))


def _split(stump: Stump, value: float | None) -> float:
    if value is None:
        return 0.0
    return stump.below if value <= stump.at else stump.above


def load_head(path: Path, shown_as: str) -> Head:
    """Read the file of a head. Raises BrokenInput with every problem, by line and field."""
    try:
        size = path.stat().st_size
    except OSError:
        size = 0  # reading says why
    if size > MAX_BYTES:
        raise BrokenInput(
            [Problem(shown_as, None, None, None, f"{size} bytes", f"keep a head under {MAX_BYTES} bytes")]
        )
    document = read_yaml(path, shown_as)
    if isinstance(document, list):
        raise BrokenInput(document)
    head = validate(document, Head)
    if isinstance(head, list):
        raise BrokenInput(head)
    return head
