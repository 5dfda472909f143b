"""Sessions of one's own as a pool: files, and the verdicts that ``bench judge`` stored on them. No judge is called.

A verdict is found by what the judge was shown: the session is projected again, and the digest of that names the stored
row. Which parts a judge receives is told by its judge_id, a digest that only the right ones reproduce.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import cast, get_args

from pydantic import JsonValue

from bench.cases.sources import file_digest
from bench.judges.contract import Judge, Part, question_of
from bench.measure.rows import decide
from bench.problems import BrokenInput, CannotDecide, Problem
from bench.projection.presets import PRESETS, Preset
from bench.projection.project import OWN_PROMPTS, project
from bench.running.identity import item_key, judge_id
from bench.running.store import RunFile, StoredVerdict
from bench.schema.case import Anchors
from bench.schema.statement import YesNo
from bench.traces.detect import read_sessions
from bench.traces.report import Session as Trace
from bench.triage.pool import Pool, Session
from bench.triage.scores import Said

_PARTS = tuple(sorted(get_args(Part)))
_TRUTH = {"yes": True, "no": False}
_ITEM_DIGITS = 16  # of the file's digest: names the session in both files


@dataclass(frozen=True)
class StoredRun:
    """One judge's stored verdicts, and what it takes to name the rows of a session."""

    id: str
    name: str
    preset: Preset
    receives: frozenset[Part]
    rows: Mapping[str, Sequence[StoredVerdict]]  # by item

    def said(self, projection: str, statement: YesNo) -> Said | None:
        """What it said of the session with this projection's digest; None where nothing is stored."""
        key = item_key(
            self.receives, question_of(statement),
            projection=projection, anchors=Anchors(), facts={}, reference_time=None,
        )  # fmt: skip
        samples = self.rows.get(key)
        if not samples:
            return None
        answer, _, p, _ = decide(samples)
        return Said(_TRUTH.get(answer or ""), None if answer is None else p)


def session_pool(
    paths: Sequence[Path], store: Path, statement: YesNo, judges: Sequence[str], trace_format: str | None
) -> Pool:
    """The sessions in these files that some judge has answered on. Raises BrokenInput with every unreadable file."""
    runs = stored_runs(store, judges)
    sessions: dict[str, Session] = {}
    problems: list[Problem] = []
    doubles = unjudged = 0
    for path in paths:
        try:
            traces = list(read_sessions(path, trace_format))
            whole = file_digest(path)[:_ITEM_DIGITS]
        except BrokenInput as error:
            problems += error.problems
            continue
        for number, trace in enumerate(traces, 1):
            item = whole if len(traces) == 1 else f"{whole}-{number}"
            place = path.as_posix() if len(traces) == 1 else f"{path.as_posix()}#{trace.id or number}"
            if item in sessions:
                doubles += 1
            elif said := _said(runs, trace, statement):
                sessions[item] = Session(item, place, trace.harness, said)
            else:
                unjudged += 1
    if problems:
        raise BrokenInput(problems)
    if not sessions:
        raise CannotDecide(
            f"no stored verdict on {statement.id} in {store.as_posix()}; judge the sessions first: bench judge SESSION "
            f"--statement {statement.id} --judge NAME (under the same suite and preset)"
        )
    passed = [f"{doubles} copies of other sessions"] * (doubles > 0)
    passed += [f"{unjudged} sessions that no judge has answered on"] * (unjudged > 0)
    answered = {judge for one in sessions.values() for judge in one.said}
    ids = tuple(run.id for run in runs if run.id in answered)
    return Pool("sessions", statement, ids, tuple(sessions[item] for item in sorted(sessions)), tuple(passed))


def _said(runs: Sequence[StoredRun], trace: Trace, statement: YesNo) -> dict[str, Said]:
    """By judge_id; the session is shown as ``bench judge`` shows it."""
    shown = {
        preset.label: project(preset, trace.query or OWN_PROMPTS, trace.harness, trace.events, trace.answer).digest
        for preset in {run.preset.label: run.preset for run in runs}.values()
    }
    given = {run.id: run.said(shown[run.preset.label], statement) for run in runs}
    return {judge: said for judge, said in given.items() if said is not None}


def stored_runs(store: Path, wanted: Sequence[str]) -> list[StoredRun]:
    """The runs in the folder, of the judges that are named by name or id; all, where none is."""
    found = [run for path in sorted(store.glob("*.json")) for run in _run(path)]
    known = {name for run in found for name in (run.id, run.name)}
    odd = [name for name in wanted if name not in known]
    if odd:
        there = ", ".join(dict.fromkeys(run.name for run in found)) or "no judge"
        found_text = f"{odd[0]!r} has no verdicts in {store.as_posix()}"
        raise BrokenInput([Problem("--judge", None, None, None, found_text, f"there are verdicts of {there}")])
    return [run for run in found if not wanted or {run.id, run.name} & set(wanted)]


def _run(path: Path) -> Iterator[StoredRun]:
    """A run whose identity can be reproduced here; one of another preset's or redaction's version is none of these."""
    manifest = _manifest(path)
    if manifest is None:
        return
    name, label, fingerprint = str(manifest["name"]), str(manifest["preset"]), manifest["fingerprint"]
    preset = PRESETS.get(label.partition("@")[0])
    if preset is None or preset.label != label or not isinstance(fingerprint, dict):
        return
    receives = _receives(path.stem, name, label, fingerprint)
    if receives is None:
        return
    rows: dict[str, list[StoredVerdict]] = {}
    for row in sorted(RunFile(path.parent, path.stem).rows().values(), key=lambda row: row.key):
        rows.setdefault(row.item, []).append(row)
    yield StoredRun(path.stem, name, preset, receives, rows)


def _manifest(path: Path) -> dict[str, JsonValue] | None:
    try:
        held = json.loads(path.read_bytes())
    except (OSError, ValueError):
        return None
    whole = isinstance(held, dict) and {"judge_id", "name", "preset", "fingerprint"} <= set(held)
    return held if whole and held["judge_id"] == path.stem else None


@dataclass(frozen=True)
class _Known:
    """What of a judge its identity is made of."""

    name: str
    receives: frozenset[Part]
    held: Mapping[str, JsonValue]

    def fingerprint(self) -> Mapping[str, JsonValue]:
        return self.held


def _receives(identity: str, name: str, preset: str, fingerprint: Mapping[str, JsonValue]) -> frozenset[Part] | None:
    for count in range(len(_PARTS) + 1):
        for parts in combinations(_PARTS, count):
            received = frozenset(cast("tuple[Part, ...]", parts))
            if judge_id(cast("Judge", _Known(name, received, fingerprint)), preset) == identity:
                return received
    return None
