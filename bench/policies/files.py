"""Policy files: policies by name, as they are written by hand. Every mistake is told by file, line and field."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field, model_validator

from bench.deciding.policy import Policy
from bench.policies.offering import DIGITS, grid, number
from bench.policies.sweep import NamedPolicy
from bench.problems import BrokenInput, Problem
from bench.reading.strict_yaml import Document, read_yaml
from bench.reading.validate import validate
from bench.schema.base import Id, Number, Record, Text, Version

_SUGAR = ("threshold", "thresholds", "margin")
_OWN = {"id", "note", *_SUGAR}


class Grid(Record):
    """Thresholds from, from + step, ... up to ``to``."""

    from_: Number = Field(alias="from")
    to: Number
    step: Number

    @model_validator(mode="after")
    def _is_one(self) -> Grid:
        grid(self.from_, self.to, self.step)
        return self

    @property
    def thresholds(self) -> tuple[float, ...]:
        """Each threshold, as the decimal that it is."""
        return grid(self.from_, self.to, self.step)


class PolicyEntry(Policy):
    """A policy with its name, or a family of them.

    ``threshold`` t stands for promote_at t, and with ``margin`` m for promote_at t + m and discard_at t - m;
    ``thresholds`` for one such policy a threshold. ``right_when`` may be left to the command.
    """

    id: Id
    note: Text | None = None
    right_when: tuple[Id, ...] = ()
    threshold: Number | None = None
    thresholds: Grid | None = None
    margin: Annotated[Number, Field(gt=0)] | None = None

    @model_validator(mode="after")
    def _limits_are_told_once(self) -> PolicyEntry:
        told = [name for name in ("threshold", "thresholds") if getattr(self, name) is not None]
        if len(told) == 2:
            raise ValueError("threshold and thresholds are both given: keep one")
        if self.margin is not None and not told:
            raise ValueError("a margin needs a threshold, or thresholds")
        limits = [name for name in ("promote_at", "discard_at") if getattr(self, name) is not None]
        if told and limits:
            raise ValueError(f"{told[0]} and {limits[0]} are both given: keep one")
        return self

    @property
    def decides(self) -> bool:
        """Whether it can decide anything by itself."""
        given = (self.promote_at, self.discard_at, self.threshold, self.thresholds)
        return any(one is not None for one in given)

    def policies(self, right_when: Sequence[str]) -> Iterator[NamedPolicy]:
        """What stands here; ``right_when`` is used where the entry has none."""
        fields: dict[str, Any] = {name: value for name, value in self if name not in _OWN}
        fields["right_when"] = self.right_when or tuple(right_when)
        if self.thresholds is not None:
            for threshold in self.thresholds.thresholds:
                policy = Policy(**fields | self._limits(threshold))
                yield NamedPolicy(f"{self.id}@{number(threshold)}", policy, self.note)
        else:
            limits = {} if self.threshold is None else self._limits(self.threshold)
            yield NamedPolicy(self.id, Policy(**fields | limits), self.note)

    def _limits(self, threshold: float) -> dict[str, float]:
        if self.margin is None:
            return {"promote_at": threshold}
        low, high = (round(threshold + sign * self.margin, DIGITS) for sign in (-1, 1))
        return {"promote_at": high, "discard_at": low}


class PolicyFile(Record):
    """A file of policies."""

    schema_: Version = Field(alias="schema")
    policies: Annotated[tuple[PolicyEntry, ...], Field(min_length=1)]


def read_policies(
    path: Path, right_when: Sequence[str] = (), *, deciding: bool = True
) -> tuple[tuple[NamedPolicy, ...], Document]:
    """The policies of a file in its order, and the file. Raises BrokenInput with every problem in it.

    ``right_when`` stands in where an entry has none; ``deciding`` refuses entries that never decide anything.
    """
    document = read_yaml(path, path.as_posix())
    if not isinstance(document, Document):
        raise BrokenInput(document)
    file = validate(document, PolicyFile)
    if not isinstance(file, PolicyFile):
        raise BrokenInput(file)
    found: list[NamedPolicy] = []
    problems: list[Problem] = []
    seen: set[str] = set()
    for index, entry in enumerate(file.policies):
        if not (entry.right_when or right_when):
            fix = "name the statements whose labels make a promotion right, here or by --right-when"
            problems.append(problem_at(document, index, "right_when", "the field is missing", fix))
        elif deciding and not entry.decides:
            fix = "give it promote_at, discard_at or both, or threshold, or thresholds"
            problems.append(problem_at(document, index, "promote_at", "nothing is ever decided", fix))
        else:
            mine = list(entry.policies(right_when))
            twice = next((one.id for one in mine if one.id in seen), None)
            if twice is not None:
                problems.append(problem_at(document, index, "id", f"{twice} for the second time", "give it another id"))
            seen |= {one.id for one in mine}
            found += mine
    if problems:
        raise BrokenInput(problems)
    return tuple(found), document


def policy_named(text: str, right_when: Sequence[str] = ()) -> Policy:
    """The policy of FILE:ID. Raises BrokenInput."""
    file, colon, name = text.rpartition(":")
    if not (file and colon and name):
        raise BrokenInput([Problem(text, None, None, None, "no FILE:ID", "give a policy file and a policy's id in it")])
    found, document = read_policies(Path(file), right_when, deciding=False)
    for one in found:
        if one.id == name:
            return one.policy
    there = ", ".join(one.id for one in found)
    raise BrokenInput([Problem(document.file, None, None, "id", f"no policy {name!r}", f"there are {there}")])


def problem_at(document: Document, index: int, field: str, found: str, fix: str) -> Problem:
    """A problem of one entry's field."""
    line = document.line_of(("policies", index, field))
    return Problem(document.file, line, None, f"policies[{index}].{field}", found, fix)
