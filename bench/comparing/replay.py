"""Stored runs as outcomes: the seats of a suite, one run file, or an older identity of a seat. Nobody is asked."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from pathlib import Path
from typing import get_args

from pydantic import JsonValue, ValidationError

from bench.cases.load import LoadedSuite
from bench.judges.contract import Part, Question, Verdict
from bench.problems import BrokenInput, Problem
from bench.projection.presets import PRESETS
from bench.reading.strict_json import read_json
from bench.running.outcome import Outcome
from bench.running.plan import Expected, SeatedJudge, expected, seat
from bench.running.store import RunFile, told
from bench.running.views import Views
from bench.schema.base import Record
from bench.schema.suite import JudgeEntry


class ManifestFile(Record):
    """What stands beside a run."""

    judge_id: str
    name: str
    preset: str
    fingerprint: dict[str, JsonValue]


@dataclass(frozen=True)
class StoredJudge:
    """A judge that is known by its run alone, and cannot be asked."""

    name: str
    receives: frozenset[Part]
    known: Mapping[str, JsonValue]

    def fingerprint(self) -> Mapping[str, JsonValue]:
        return self.known

    def judge(self, item: object, questions: Sequence[Question], sample: int) -> Sequence[Verdict]:
        return [Verdict(unscored="unavailable", detail="known by its run alone")] * len(questions)


def seats_of(suite: LoadedSuite) -> list[SeatedJudge]:
    """Every seat of the suite. Raises BrokenInput."""
    return [seat(suite, entry) for entry in suite.suite.judges]


def replay_seats(suite: LoadedSuite, seats: Sequence[SeatedJudge], views: Views) -> list[Outcome]:
    """The seats with their stored verdicts."""
    return [_replayed(suite, seated, views) for seated in seats]


def _replayed(suite: LoadedSuite, seated: SeatedJudge, views: Views) -> Outcome:
    return Outcome(seated, list(expected(suite, seated, views)), RunFile(suite.layout.runs, seated.id).rows())


def with_older_runs(suite: LoadedSuite, outcomes: Sequence[Outcome]) -> list[Outcome]:
    """Seats without a verdict of their own get those of the one stored run of the same name and preset that has some.

    A version that was judged by other code, or under other parameters, has its verdicts under another judge_id than
    the present code gives its seats.
    """
    claimed = {seated.id for seated in seats_of(suite)}
    manifests = [m for path in sorted(suite.layout.runs.glob("*.json")) if (m := read_manifest(path)) is not None]
    found = []
    for outcome in outcomes:
        if any(outcome.row(e) is not None for e in outcome.expected):
            found.append(outcome)
            continue
        wanted = outcome.judge.judge.name, outcome.judge.preset.label
        older = [
            replace(outcome, judge=replace(outcome.judge, id=m.judge_id), rows=rows)
            for m in manifests
            if (m.name, m.preset) == wanted and m.judge_id not in claimed
            if (rows := RunFile(suite.layout.runs, m.judge_id).rows()) and _answers_any(rows, outcome.expected)
        ]
        found.append(older[0] if len(older) == 1 else outcome)
    return found


def _answers_any(rows: Mapping[tuple[str, int], object], items: Sequence[Expected]) -> bool:
    return any(e.item is not None and (e.item, e.sample) in rows for e in items)


def read_manifest(path: Path) -> ManifestFile | None:
    """The manifest in a file; None where it holds none."""
    try:
        return ManifestFile.model_validate(read_json(path.read_bytes()))
    except (OSError, ValueError):
        return None


def replay_file(suite: LoadedSuite, path: Path, views: Views) -> Outcome:
    """A run file on the suite's present items: of the seat with its judge_id, else of whatever its rows belong to.

    Raises BrokenInput.
    """
    manifest = _manifest_of(path)
    file = RunFile(path.parent, path.name.removesuffix(".jsonl"))
    own = [seated for seated in seats_of(suite) if seated.id == manifest.judge_id]
    if own:
        entry = own[0].entry
        entries = [seated.entry for seated in own if seated.entry.experiment == entry.experiment]
        answers = tuple(dict.fromkeys(statement for e in entries for statement in e.answers))
        owner = replace(own[0], entry=entry.model_copy(update={"answers": answers}))
        return Outcome(owner, list(expected(suite, owner, views)), file.rows())
    return _recognised(suite, path, manifest, file, views)


def _manifest_of(path: Path) -> ManifestFile:
    beside = path.with_name(f"{path.name.removesuffix('.jsonl')}.json")
    if not path.is_file():
        fix = "name a run file that is there (reports/runs/SUITE/*.jsonl), a judge, or a judge_id"
        raise BrokenInput([Problem(path.as_posix(), None, None, None, "no such run file", fix)])
    try:
        return ManifestFile.model_validate(read_json(beside.read_bytes()))
    except OSError:
        found = f"no manifest {beside.name} beside it"
    except ValidationError as error:
        found = f"its manifest {beside.name}: {told(error)}"
    except ValueError as error:
        found = f"its manifest {beside.name}: {error}"
    fix = "keep the .json that bench run writes beside the run"
    raise BrokenInput([Problem(path.as_posix(), None, None, "manifest", found, fix)])


def _recognised(suite: LoadedSuite, path: Path, manifest: ManifestFile, file: RunFile, views: Views) -> Outcome:
    """The run of a judge that has no seat: which parts it was shown is what its item keys were made of."""
    preset = next((p for p in PRESETS.values() if p.label == manifest.preset), None)
    if preset is None:
        labels = ", ".join(p.label for p in PRESETS.values())
        found, fix = f"made under the preset {manifest.preset}", f"judge anew under one that there is: {labels}"
        raise BrokenInput([Problem(path.as_posix(), None, None, "preset", found, fix)])
    rows = file.rows()
    statements = tuple(dict.fromkeys(s.id for loaded in suite.cases for s in loaded.statements))
    samples = 1 + max((sample for _, sample in rows), default=0)
    best: tuple[int, SeatedJudge, list[Expected]] | None = None
    for parts in _subsets(get_args(Part)):
        entry = JudgeEntry(judge=manifest.name, answers=statements, samples=samples, coverage_floor=0)
        judge = StoredJudge(manifest.name, frozenset(parts), manifest.fingerprint)
        seated = SeatedJudge(entry, judge, preset, manifest.judge_id)
        items = list(expected(suite, seated, views))
        answered = {e.statement.id for e in items if e.item is not None and (e.item, e.sample) in rows}
        hits = sum((e.item, e.sample) in rows for e in items)
        if hits and (best is None or hits > best[0]):
            kept = entry.model_copy(update={"answers": tuple(s for s in statements if s in answered)})
            best = hits, replace(seated, entry=kept), [e for e in items if e.statement.id in answered]
    if best is None:
        found, fix = f"none of its {len(rows)} rows answers an item of the suite as it is now", "judge anew (bench run)"
        raise BrokenInput([Problem(path.as_posix(), None, None, None, found, fix)])
    return Outcome(best[1], best[2], rows)


def _subsets(parts: Sequence[Part]) -> Iterator[tuple[Part, ...]]:
    for size in range(len(parts) + 1):
        yield from combinations(parts, size)
