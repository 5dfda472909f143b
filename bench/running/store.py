"""The verdict store: one JSONL per judge_id, appended a line at a time, safe against kill -9 and a second writer.

A row is written whole under a file lock, after a torn last line (a writer was killed) has been cut off and the rows of
other writers have been read; a key that is there already is not written again.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from filelock import FileLock
from pydantic import JsonValue

from bench.judges.contract import Reason, Verdict
from bench.problems import BrokenInput, Problem, shorten
from bench.schema.base import Record

Key = tuple[str, int]  # item_key, sample


class StoredVerdict(Record):
    """One line of a run. ``asked_for``, ``at`` and ``latency_ms`` are for people: nothing is computed from them."""

    item: str
    sample: int
    answer: str | None = None
    unscored: Reason | None = None
    detail: str | None = None
    p: float | None = None
    score: float | None = None
    evidence: tuple[int, ...] = ()
    reason: str | None = None
    tokens_in: int | None = None
    tokens_out: int | None = None
    cost_usd: float | None = None
    latency_ms: float | None = None
    at: str | None = None
    asked_for: str | None = None

    @property
    def key(self) -> Key:
        return self.item, self.sample


def stored(verdict: Verdict, item: str, sample: int, *, latency_ms: float, at: str, asked_for: str) -> StoredVerdict:
    """The line for a verdict."""
    return StoredVerdict(
        item=item,
        sample=sample,
        answer=verdict.answer,
        unscored=verdict.unscored,
        detail=verdict.detail,
        p=verdict.p,
        score=verdict.score,
        evidence=verdict.evidence,
        reason=verdict.reason,
        tokens_in=verdict.tokens_in,
        tokens_out=verdict.tokens_out,
        cost_usd=verdict.cost_usd,
        latency_ms=latency_ms,
        at=at,
        asked_for=asked_for,
    )


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
            fresh = [row for row in rows if self._is_news(row)]
            data = b"".join(line_of(row) for row in fresh)
            file.write(data)
            file.flush()
            self._read_to += len(data)
            self._known.update((row.key, row) for row in fresh)
        return len(fresh)

    def write_manifest(self, manifest: Manifest) -> None:
        """Write the manifest once; the same judge always gives the same bytes."""
        self.manifest_path.parent.mkdir(parents=True, exist_ok=True)
        text = json.dumps(manifest.__dict__, indent=2, sort_keys=True, ensure_ascii=False) + "\n"
        if not self.manifest_path.exists() or self.manifest_path.read_text(encoding="utf-8") != text:
            self.manifest_path.write_text(text, encoding="utf-8", newline="\n")

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

    def _parsed(self, data: bytes) -> Iterator[StoredVerdict]:
        for number, line in enumerate(data.split(b"\n")[:-1], 1):
            try:
                yield StoredVerdict.model_validate_json(line, strict=True)
            except ValueError as error:
                found = shorten(str(error).splitlines()[0], 120)
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


def line_of(row: StoredVerdict) -> bytes:
    """The row as one line of JSON, absent fields left out, ended by a line feed."""
    values = row.model_dump(mode="json", exclude_none=True)
    if not values["evidence"]:
        del values["evidence"]
    return json.dumps(values, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode() + b"\n"
