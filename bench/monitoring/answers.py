"""Read answers given after deployment, a line at a time: stored verdicts, plain lines, or lines of the gate."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from bench.deciding.policy import Verb
from bench.problems import BrokenInput, Problem, shorten
from bench.reading.strict_json import read_json
from bench.schema.base import Moment

_SHOWN = 20
_LONGEST = 10_000_000  # bytes of a line
_Finite = Annotated[float, Field(allow_inf_nan=False)]
_OUTCOMES = ("answer", "unscored", "p", "score", "decision", "values")
_FIX = "write whole lines as `bench` does, or drop this one"


class Line(BaseModel):
    """What is read of a line; whatever else it holds is passed over."""

    model_config = ConfigDict(frozen=True, extra="ignore", strict=True)

    statement: str | None = None
    item: str | None = None
    sample: Annotated[int, Field(ge=0)] = 0
    answer: Literal["yes", "no"] | None = None
    unscored: str | None = None
    p: Annotated[float, Field(ge=0, le=1)] | None = None
    score: _Finite | None = None
    decision: Verb | None = None
    values: dict[str, _Finite | None] | None = None  # of a gate: the policy's number by statement
    at: Moment | None = None
    judge_id: str | None = None
    seal: str | None = None  # of a gate: its certificate
    refused: str | None = None  # of a gate: why it decided nothing
    answered_by: str | None = None

    @model_validator(mode="after")
    def _says_something(self) -> Line:
        if all(getattr(self, name) is None for name in _OUTCOMES):
            raise ValueError(f"none of {', '.join(_OUTCOMES)}")
        if self.unscored is not None and (self.answer is not None or self.p is not None):
            raise ValueError("both an answer and unscored")
        return self


@dataclass(frozen=True)
class Answered:
    """One item's answer; None where it is unscored."""

    answer: str | None
    p: float | None


class Lines:
    """The lines of a file, one at a time; ``digest`` is that of all the bytes once the end was reached."""

    def __init__(self, path: Path, judge: str, seal: str | None) -> None:
        self.path = path
        self.judge, self.seal = judge, seal
        self.named = _check_manifest(path, judge)  # whether the file, or a line of it, names its judge
        self.digest: str | None = None
        self.problems: list[Problem] = []
        self.wrong = 0

    def __iter__(self) -> Iterator[tuple[int, Line]]:
        digest = sha256()
        try:
            with self.path.open("rb") as file:
                for number, data in enumerate(iter(lambda: file.readline(_LONGEST), b""), 1):
                    digest.update(data)
                    line = self._line(number, data)
                    if line is not None:
                        yield number, line
        except OSError as error:
            raise self._broken(None, None, f"cannot be read: {error.strerror}", "give a JSONL file") from None
        if self.problems:
            if self.wrong > len(self.problems):
                more = self.wrong - len(self.problems)
                self.wrongly(None, None, f"{more} more lines are broken", _FIX, always=True)
            raise BrokenInput(self.problems)
        self.digest = digest.hexdigest()

    def wrongly(self, number: int | None, field: str | None, found: str, fix: str, *, always: bool = False) -> None:
        """Keep what is wrong with a line, the first few in full; the reading fails at its end."""
        self.wrong += 1
        if always or len(self.problems) < _SHOWN:
            self.problems.append(Problem(self.path.as_posix(), number, None, field, found, fix))

    def _line(self, number: int, data: bytes) -> Line | None:
        if number == 1:
            data = data.removeprefix(b"\xef\xbb\xbf")
        try:
            tree = read_json(data.strip())
            if not isinstance(tree, dict):
                raise ValueError("no JSON object")
            line = Line.model_validate(tree)
        except ValidationError as error:
            first = error.errors(include_url=False)[0]
            field = ".".join(map(str, first["loc"])) or None
            self.wrongly(number, field, shorten(first["msg"].removeprefix("Value error, "), 120), _FIX)
            return None
        except ValueError as error:
            told = "an empty line" if not data.strip() else f"no JSON: {shorten(str(error), 120)}"
            torn = "" if data.endswith(b"\n") or not data.strip() else " (torn: it has no end)"
            self.wrongly(number, None, told + torn, _FIX)
            return None
        whose = (("judge_id", line.judge_id, self.judge), ("seal", line.seal, self.seal))
        for field, named, certified in whose:
            if named is not None and named != certified:
                found = f"{shorten(named, 70)}, certified is {certified}"
                self.wrongly(number, field, found, "give the answers of the certified judge alone")
                return None
            self.named = self.named or named is not None
        return line

    def _broken(self, number: int | None, field: str | None, found: str, fix: str) -> BrokenInput:
        return BrokenInput([Problem(self.path.as_posix(), number, None, field, found, fix)])


def _check_manifest(path: Path, judge: str) -> bool:
    """Whether a manifest stands beside the file; raises BrokenInput where it names another judge."""
    beside = path.with_suffix(".json")
    if beside == path or not beside.is_file():
        return False
    try:
        tree = read_json(beside.read_bytes())
    except (OSError, ValueError) as error:
        found = f"cannot be read: {shorten(str(error), 120)}"
        raise BrokenInput(
            [Problem(beside.as_posix(), None, None, None, found, "restore it, or move it away")]
        ) from None
    named = tree.get("judge_id") if isinstance(tree, dict) else None
    if named is None:
        return False
    if named != judge:
        found = f"verdicts of {shorten(named, 60)}, certified is {judge}"
        fix = "give the answers of the certified judge, or this judge's own certificate"
        raise BrokenInput([Problem(beside.as_posix(), None, None, "judge_id", found, fix)])
    return True
