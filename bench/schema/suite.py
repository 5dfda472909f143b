"""The suite file: statements, strata, vocabulary, judges and declared health checks."""

from __future__ import annotations

import re
from collections.abc import Sequence
from fnmatch import fnmatchcase
from typing import Annotated, Literal

from pydantic import Field, field_validator, model_validator

from bench.schema.base import Id, Integer, Number, Record, Text, Truth, Version
from bench.schema.experiment import Design, design_of
from bench.schema.minimum import EmptyCell, Minimum
from bench.schema.statement import Statement


class Stratum(Record):
    """A part of the suite with its own sampling; strata are never pooled into one headline."""

    id: Id
    meaning: Text
    design: Literal["random_sample", "paired_by_design", "authored"]
    primary: Truth = False

    @property
    def precision_means_something(self) -> bool:
        """Prevalence set by design makes precision a property of the design, not of the judge."""
        return self.design != "paired_by_design"


class JudgeEntry(Record):
    """One judge of the suite: its name, what it answers, and the coverage it promises."""

    judge: Text  # a built-in name, a rule file (path) or module:name
    answers: Annotated[tuple[Id, ...], Field(min_length=1)]
    preset: Id = "events"
    samples: Annotated[Integer, Field(ge=1)] = 1
    coverage_floor: Annotated[Number, Field(ge=0, le=1)] = 1.0
    parameters: dict[Id, Text] = {}
    experiment: Id | None = None  # a cell of this experiment, and of no headline table
    only: tuple[Id, ...] = ()  # a declared subsample: the cases it is asked about; empty: all

    @model_validator(mode="after")
    def _headline_judges_answer_for_all(self) -> JudgeEntry:
        if self.only and self.experiment is None:
            raise ValueError(
                "only (a subsample of the cases) is for cells of an experiment; judges of the tables answer for all"
            )
        return self


class PassK(Record):
    """pass@k and pass^k: which statement is success, over which k, in which strata."""

    statement: Id
    k: Annotated[tuple[Integer, ...], Field(min_length=1)]
    strata: Annotated[tuple[Id, ...], Field(min_length=1)]


class ComparisonEntry(Record):
    """A claim about two judges, declared before the labels it is decided on are joined."""

    candidate: Text  # names as reports show them
    comparator: Text
    stratum: Id
    statement: Id
    metric: Literal["precision", "recall", "specificity", "f1", "mcc", "balanced_accuracy", "accuracy"]
    claim: Literal["better", "not_worse"]
    margin: Annotated[Number, Field(ge=0, lt=1)]


class AuditEntry(Record):
    """An audit that runs with the benchmark, and what it is expected to say."""

    audit: Id
    expect: Literal["pass", "fail", "report"]
    reason: Text


class Rules(Record):
    """What the suite demands of its own data."""

    unlabelled: Literal["forbidden", "counted"] = "counted"
    votes_per_item: Annotated[Integer, Field(ge=0)] = 1
    repeat_margin: Annotated[Number, Field(gt=0, lt=1)] = 0.1  # two runs of one judge may differ by half of it
    minimums: tuple[Minimum, ...] = ()  # of authored cases
    empty_cells: tuple[EmptyCell, ...] = ()


class Vocabulary(Record):
    """Every metadata value that may be used, with what it means. A value that is not here is an error."""

    source: dict[Text, Text]
    capability: dict[Text, Text]
    difficulty: dict[Text, Text]
    language: dict[Text, Text]
    harness: dict[Text, Text]
    tags: dict[Text, Text] = {}
    phenomena: dict[Text, Text] = {}  # what authors' notes may name; no annotator and no judge sees them


class Suite(Record):
    """A folder of cases and what is asked of them."""

    schema_: Version = Field(alias="schema")
    id: Id
    title: Text
    version: Id  # part of every signature, so no free text
    licence: Text
    canary: Text
    id_pattern: Text
    statements: Annotated[tuple[Statement, ...], Field(min_length=1)]
    strata: Annotated[tuple[Stratum, ...], Field(min_length=1)]
    vocabulary: Vocabulary
    rules: Rules = Rules()
    pass_k: PassK | None = None
    seed: Integer = 1
    resamples: Annotated[Integer, Field(ge=100)] = 10_000
    judges: tuple[JudgeEntry, ...] = ()
    comparisons: tuple[ComparisonEntry, ...] = ()
    audits: tuple[AuditEntry, ...] = ()

    @field_validator("id_pattern")
    @classmethod
    def _pattern_is_one(cls, pattern: str) -> str:
        try:
            re.compile(pattern)
        except re.error as error:
            raise ValueError(f"no regular expression ({error})") from None
        return pattern

    @model_validator(mode="after")
    def _names_are_known(self) -> Suite:
        statements = [statement.id for statement in self.statements]
        strata = [stratum.id for stratum in self.strata]
        _once("statement", statements)
        _once("stratum", strata)
        for entry in self.judges:
            _known(f"judge {entry.judge} answers", entry.answers, statements)
        designs_of(self.judges)
        for comparison in self.comparisons:
            _known("comparisons.statement", (comparison.statement,), statements)
            _known("comparisons.stratum", (comparison.stratum,), strata)
        if self.pass_k:
            _known("pass_k.statement", (self.pass_k.statement,), statements)
            _known("pass_k.strata", self.pass_k.strata, strata)
        _demands_are_known(self.rules, self.vocabulary)
        return self


class Splits(Record):
    """Which family belongs to which split."""

    schema_: Version = Field(alias="schema")
    seed: Integer
    families: dict[Id, Literal["development", "calibration", "test"]]


def designs_of(judges: Sequence[JudgeEntry]) -> dict[str, Design]:
    """Each experiment's design, by id, in the order of the seats. Raises ValueError that names the experiment."""
    seats: dict[str, list[JudgeEntry]] = {}
    for entry in judges:
        if entry.experiment is not None:
            seats.setdefault(entry.experiment, []).append(entry)
    return {name: design_of_entries(name, mine) for name, mine in seats.items()}


def design_of_entries(name: str, seats: Sequence[JudgeEntry]) -> Design:
    """The design of one experiment's seats. Raises ValueError."""
    try:
        if len({frozenset(entry.answers) for entry in seats}) > 1:
            raise ValueError("its seats differ in answers; let all answer the same statements")
        if len({entry.samples for entry in seats}) > 1:
            raise ValueError("its seats differ in samples; ask all equally often")
        if len({frozenset(entry.only) for entry in seats}) > 1:
            raise ValueError("its seats differ in only; ask all about the same cases")
        return design_of([{"judge": e.judge, "preset": e.preset, **e.parameters} for e in seats])
    except ValueError as error:
        raise ValueError(f"experiment {name}: {error}") from None


def _demands_are_known(rules: Rules, words: Vocabulary) -> None:
    for i, minimum in enumerate(rules.minimums):
        for what, name, known in (
            ("phenomenon", minimum.phenomenon, words.phenomena),
            ("tag", minimum.tag, words.tags),
        ):
            _known(f"rules.minimums[{i}].{what}", () if name is None else (name,), list(known))
    for i, cell in enumerate(rules.empty_cells):
        for what, name, known in (
            ("capability", cell.capability, words.capability),
            ("difficulty", cell.difficulty, words.difficulty),
        ):
            if not any(fnmatchcase(word, name) for word in known):
                _known(f"rules.empty_cells[{i}].{what}", (name,), list(known))


def _once(what: str, ids: list[str]) -> None:
    double = sorted({i for i in ids if [j.lower() for j in ids].count(i.lower()) > 1})
    if double:
        raise ValueError(f"{what} ids must be unique: {', '.join(double)} stands twice")


def _known(what: str, ids: tuple[str, ...], known: list[str]) -> None:
    for i in ids:
        if i not in known:
            raise ValueError(f"{what}: {i!r} is not declared; declared are {', '.join(known)}")
