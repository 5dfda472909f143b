"""Take stored runs over to a new version of the redaction, where it left what judges were shown as it was.

    python -m bench.running.migrate SUITE --from redact@1 --sessions FOLDER

A verdict's item key depends on the projection's content alone, so a verdict stays right where the content did not change:
only names move (the judge's id, the view's name). Where the content changed, the verdict is dropped and named, to be asked
anew (``bench run``). A session that is not at hand cannot be compared: its verdicts stay, and are not counted until it is.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import combinations
from pathlib import Path
from typing import get_args

from bench.cases.layout import Layout
from bench.cases.load import LoadedCase, LoadedSuite, load_suite
from bench.cases.sources import SessionFolders, events_of
from bench.judges.contract import Part, question_of
from bench.problems import BrokenInput, Problem
from bench.projection.presets import PRESETS
from bench.projection.project import project
from bench.reading.strict_json import read_json
from bench.redaction.redact import VERSION
from bench.running.identity import identity, item_key
from bench.running.store import Manifest, RunFile, line_of
from bench.running.views import FILE, View, read_index, view_key, view_of, write_index
from bench.schema.case import Attempt
from bench.whole_file import write_whole

Changed = dict[tuple[str, str, str], str]  # case, attempt, preset -> the projection's digest as it was


@dataclass
class Migrated:
    """What moved, and what has to be asked anew."""

    views: int = 0  # that hold the content they held
    changed: Changed = field(default_factory=dict)
    not_at_hand: int = 0
    renamed: dict[str, str] = field(default_factory=dict)  # judge_id as it was -> as it is
    dropped: dict[str, int] = field(default_factory=dict)  # judge_id as it is -> verdicts on changed content


def migrate(suite: LoadedSuite, folders: SessionFolders, before: str) -> Migrated:
    """Rename runs and views of the suite from the redaction ``before`` to the present one."""
    done = Migrated()
    runs = suite.layout.runs
    _views(suite, folders, before, runs / FILE, done)
    for path in sorted(runs.glob("*.json")):
        _run(suite, runs, path, before, done)
    return done


def _views(suite: LoadedSuite, folders: SessionFolders, before: str, index: Path, done: Migrated) -> None:
    held = read_index(index)
    moved: dict[str, View] = {}
    for loaded, attempt in suite.attempts():
        known = {p: view_key(loaded, attempt, p, before) for p in PRESETS.values()}
        known = {preset: key for preset, key in known.items() if key in held}
        events = events_of(loaded, attempt, folders) if known else None
        if known and events is None:
            done.not_at_hand += len(known)
            continue
        for preset, key in known.items():
            now = project(preset, loaded.case.query, attempt.harness, events or (), attempt.answer)
            new = view_key(loaded, attempt, preset)
            old = held.pop(key)
            moved[new] = view_of(new, now)
            if now.digest == old.projection:
                done.views += 1
            else:
                done.changed[loaded.case.id, attempt.id, preset.label] = old.projection
    write_index(index, {**held, **moved})


def _run(suite: LoadedSuite, runs: Path, path: Path, before: str, done: Migrated) -> None:
    try:
        manifest = Manifest(**read_json(path.read_bytes()))
    except (TypeError, ValueError):
        fix = "restore the file from version control"
        raise BrokenInput([Problem(path.as_posix(), None, None, None, "no manifest of a run", fix)]) from None
    receives = _received(manifest, before)
    if receives is None:
        return  # of another version, or not shown a projection: its name stays
    new = identity(manifest.name, manifest.fingerprint, receives, manifest.preset, VERSION)
    old_rows = RunFile(runs, manifest.judge_id).rows()
    stale = {
        key
        for item in _changed_items(suite, receives, manifest.preset, done.changed)
        for key in old_rows
        if key[0] == item
    }
    rows = [row for key, row in old_rows.items() if key not in stale]
    RunFile(runs, new).write_manifest(replace(manifest, judge_id=new))
    write_whole(runs / f"{new}.jsonl", "".join(line_of(row).decode() for row in rows))
    for ending in (".jsonl", ".json", ".lock"):
        (runs / f"{manifest.judge_id}{ending}").unlink(missing_ok=True)
    done.renamed[manifest.judge_id] = new
    done.dropped[new] = len(stale)


def _received(manifest: Manifest, before: str) -> frozenset[Part] | None:
    """The parts that the judge was shown: those under which its id is what it was. None where no projection is among them."""
    parts: tuple[Part, ...] = get_args(Part)
    for size in range(1, len(parts) + 1):
        for some in combinations(parts, size):
            found = identity(manifest.name, manifest.fingerprint, some, manifest.preset, before)
            if "projection" in some and found == manifest.judge_id:
                return frozenset(some)
    return None


def _changed_items(
    suite: LoadedSuite, receives: frozenset[Part], preset: str, changed: Mapping[tuple[str, str, str], str]
) -> Iterator[str]:
    """The keys under which verdicts on changed content were stored."""
    for loaded, attempt in suite.attempts():
        digest = changed.get((loaded.case.id, attempt.id, preset))
        if digest is not None:
            yield from _items(loaded, attempt, receives, digest)


def _items(loaded: LoadedCase, attempt: Attempt, receives: frozenset[Part], digest: str) -> Iterator[str]:
    world = loaded.case.world_state
    for statement in loaded.statements:
        yield item_key(
            receives, question_of(statement), projection=digest, anchors=loaded.case.trajectory_anchors, facts=world.facts,
            reference_time=world.reference_time,
        )  # fmt: skip


def main(words: list[str]) -> int:
    """Exit code 0: nothing has to be asked anew; 1: what is named has to be."""
    parser = argparse.ArgumentParser(prog="python -m bench.running.migrate", description=__doc__.splitlines()[0])
    parser.add_argument("suite", type=Path, help="the suite's folder")
    parser.add_argument(
        "--from", dest="before", required=True, metavar="VERSION", help="the redaction of the stored runs"
    )
    parser.add_argument("--sessions", type=Path, action="append", default=[], metavar="FOLDER")
    args = parser.parse_args(words)
    if args.before == VERSION:
        parser.error(f"{VERSION} is the present version")
    done = migrate(load_suite(Layout(args.suite)), SessionFolders(args.sessions), args.before)
    print(f"{done.views} projections as they were, {len(done.changed)} changed, {done.not_at_hand} not at hand")
    for old, new in sorted(done.renamed.items()):
        print(f"{old} -> {new}" + (f", {done.dropped[new]} verdicts dropped" if done.dropped[new] else ""))
    for case, attempt, preset in sorted(done.changed):
        print(f"changed: {case}/{attempt} under {preset}")
    return 1 if done.changed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
