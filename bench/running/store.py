"""The verdict store: one JSONL per judge_id, appended a line at a time, safe against kill -9 and a second writer.

A row is written whole under a file lock, after a torn last line (a writer was killed) has been cut off and the rows of
other writers have been read; a key that is there already is not written again.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Annotated, Any, BinaryIO

from filelock import FileLock
from pydantic import Field, JsonValue, ValidationError, model_validator

from bench.judges.contract import Reason, Verdict
from bench.problems import BrokenInput, Problem, shorten
from bench.redaction.redact import redact
from bench.schema.base import Record
from bench.whole_file import write_whole

Key = tuple[str, int]  # item_key, sample
_Finite = Annotated[float, Field(allow_inf_nan=False)]
_Probability = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]


class StoredVerdict(Record):
    """One line of a run. ``asked_for``, ``at`` and ``latency_ms`` are for people: no quality is measured by them."""

    item: str
    sample: int
    answer: str | None = None
    unscored: Reason | None = None
    detail: str | None = None
    p: _Probability | None = None
    score: _Finite | None = None
    certainty: _Probability | None = None
    mass: _Probability | None = None
    evidence: tuple[int, ...] = ()
    quotes: tuple[str, ...] = ()
    invented: int | None = None
    reason: str | None = None
    raw: str | None = None
    answered_by: str | None = None
    flags: tuple[str, ...] = ()
    tokens_in: int | None = None
    tokens_cached: int | None = None
    tokens_out: int | None = None
    tokens_reasoning: int | None = None
    cost_usd: _Finite | None = None
    calls: int | None = None
    latency_ms: _Finite | None = None
    at: str | None = None
    asked_for: str | None = None

    @model_validator(mode="after")
    def _one_outcome(self) -> StoredVerdict:
        if (self.answer is None) == (self.unscored is None):
            raise ValueError("a row has exactly one of answer, unscored")
        return self

    @property
    def key(self) -> Key:
        return self.item, self.sample


@dataclass(frozen=True)
class Asking:
    """The circumstances of a verdict that people may want to know."""

    latency_ms: float | None
    at: str
    asked_for: str
    calls: int | None = None  # tries, where the judge calls a model
    keep_words: bool = True  # False: the session is only referenced, so nothing that may quote it is kept


_WORDS = ("quotes", "reason", "raw")
_TOLD = (*_WORDS, "detail", "answered_by", "flags")  # what a judge words itself, and may have from anywhere


def stored(verdict: Verdict, item: str, sample: int, asking: Asking) -> StoredVerdict:
    """The line for a verdict. Raises ValueError where a field is not of its type, or no finite number."""
    verdict = without_secrets(verdict)
    values = {field.name: _writable(getattr(verdict, field.name)) for field in fields(verdict)}
    if not asking.keep_words:
        values = {name: value for name, value in values.items() if name not in _WORDS}
        values["detail"] = None if verdict.detail is None else str(values["detail"]).split(":")[0][:80]
    return StoredVerdict(
        item=item,
        sample=sample,
        latency_ms=asking.latency_ms,
        at=asking.at,
        asked_for=asking.asked_for,
        calls=asking.calls,
        **values,
    )


def without_secrets(verdict: Verdict) -> Verdict:
    """The verdict as it may be printed and stored: a judge of the user's may read what no projection showed, and a model
    may put a secret together."""
    told = {name: value for name in _TOLD if (value := getattr(verdict, name))}
    clean = {name: _clean(value) for name, value in told.items()}
    return verdict if clean == told else replace(verdict, **clean)


def _clean(value: Any) -> Any:
    if isinstance(value, str):
        return redact(value)[0]
    return tuple(_clean(part) for part in value) if isinstance(value, tuple) else value


def _writable(value: Any) -> Any:
    """Texts with lone surrogates escaped: UTF-8 has no bytes for them."""
    if isinstance(value, str):
        return value.encode("utf-8", "backslashreplace").decode()
    return tuple(_writable(part) for part in value) if isinstance(value, tuple) else value


@dataclass(frozen=True)
class Manifest:
    """What stands beside a run: which judge gave the verdicts."""

    judge_id: str
    name: str
    preset: str
    fingerprint: dict[str, JsonValue]


class RunFile:
    """The verdicts of one judge."""

    def __init__(self, folder: Path, judge_id: str) -> None:
        self.path = folder / f"{judge_id}.jsonl"
        self.manifest_path = folder / f"{judge_id}.json"
        self._lock = FileLock(str(self.path.with_suffix(".lock")))
        self._known: dict[Key, StoredVerdict] = {}
        self._read_to = 0
        self._lines_read = 0

    def rows(self) -> dict[Key, StoredVerdict]:
        """Every whole row, the newest of a key last written. A torn last line does not count."""
        if self.path.exists():
            self._take_new()
        return self._known

    def append(self, rows: Iterable[StoredVerdict]) -> int:
        """Write the rows whose key is not stored yet (or stored as unscored, where this one is scored); how many were."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with self._lock, self.path.open("a+b") as file:
            self._cut_torn_tail(file.fileno())
            self._take_new()
            before = self._lines_read
            for row in rows:
                if self._is_news(row):
                    self._write(file, row)
        return self._lines_read - before

    def _write(self, file: BinaryIO, row: StoredVerdict) -> None:
        line = line_of(row)
        file.write(line)
        file.flush()
        self._read_to += len(line)
        self._lines_read += 1
        self._known[row.key] = row

    def write_manifest(self, manifest: Manifest) -> None:
        """Write the manifest once; the same judge always gives the same bytes."""
        text = json.dumps(manifest.__dict__, indent=2, sort_keys=True, ensure_ascii=False) + "\n"
        if not self.manifest_path.exists() or self.manifest_path.read_bytes() != text.encode():
            write_whole(self.manifest_path, text)

    def _is_news(self, row: StoredVerdict) -> bool:
        held = self._known.get(row.key)
        return held is None or (held.answer is None and row.answer is not None)

    def _take_new(self) -> None:
        with self.path.open("rb") as file:
            file.seek(self._read_to)
            data = file.read()
        whole = data.rfind(b"\n") + 1
        for row in self._parsed(data[:whole]):
            self._known[row.key] = row
        self._read_to += whole
        self._lines_read += data.count(b"\n", 0, whole)

    def _parsed(self, data: bytes) -> Iterator[StoredVerdict]:
        for number, line in enumerate(data.split(b"\n")[:-1], self._lines_read + 1):
            try:
                yield StoredVerdict.model_validate_json(line, strict=True)
            except ValueError as error:
                found = told(error)
                fix = "restore the file from version control, or delete the line to have it judged again"
                raise BrokenInput([Problem(self.path.as_posix(), number, None, None, found, fix)]) from None

    @staticmethod
    def _cut_torn_tail(descriptor: int) -> None:
        size = os.fstat(descriptor).st_size
        end = size
        while end > 0:
            start = max(0, end - 65536)
            os.lseek(descriptor, start, os.SEEK_SET)
            found = os.read(descriptor, end - start).rfind(b"\n")
            if found >= 0:
                end = start + found + 1
                break
            end = start
        if end < size:
            os.ftruncate(descriptor, end)


def told(error: ValueError) -> str:
    """The first thing that is wrong with a row, with its field."""
    if isinstance(error, ValidationError):
        first = error.errors(include_url=False)[0]
        return shorten(": ".join([*map(str, first["loc"]), first["msg"]]), 120)
    return shorten(str(error), 120)


def line_of(row: StoredVerdict) -> bytes:
    """The row as one line of JSON, absent fields left out, ended by a line feed."""
    values = row.model_dump(mode="json", exclude_none=True)
    values = {name: value for name, value in values.items() if value != []}
    return json.dumps(values, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode() + b"\n"
