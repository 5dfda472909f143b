"""Sessions, head files and a tiny suite for the tests of the head."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from running_suites import Tree, case_tree, note_tree, suite_tree, votes_tree, write

from bench.cases.layout import Layout
from bench.judges.contract import Question
from bench.judges.head.model import Head
from bench.projection.project import preset_named, project
from bench.projection.view import Projection
from bench.schema.event import Event

STATEMENT = {"text": "A lesson is there.", "true": "One can be written.", "false": "None can."}
QUESTION = Question("yes_no", STATEMENT["text"], (("yes", STATEMENT["true"]), ("no", STATEMENT["false"])))
SPLITS = ("development", "calibration", "test")


def seen_by_a_judge(*events: Tree) -> Projection:
    """The projection of a session of these events."""
    return project(preset_named("events"), "query", "desk", [Event.model_validate(event) for event in events])


def head_tree(**changes: Any) -> Tree:
    """A head of two columns and an events part."""
    return {
        "schema": "1",
        "name": "lesson",
        "about": "A head for tests.",
        "features": 1,
        "statement": STATEMENT,
        "bias": -0.5,
        "columns": [
            {"name": "size", "centre": 1.0, "scale": 0.5, "weight": 0.4},
            {"name": "evidence", "centre": 0.0, "scale": 1.0, "weight": 0.8},
        ],
        "events": {"bias": -2.0, "weights": {"corrects": 3.0, "failed": 1.0, "message": -0.5}},
        "calibration": {"kind": "none", "slope": 1.0, "offset": 0.0},
        "training": {
            "suite": "tiny@1",
            "split": "development",
            "digest": "0" * 64,
            "seed": 1,
            "attempts": 20,
            "families": 20,
            "primary": 20,
            "primary_yes": 10,
            "chosen": "evidence",
        },
        **changes,
    }


def head(**changes: Any) -> Head:
    """The head of that file."""
    return Head.model_validate(head_tree(**changes))


def head_file(folder: Path, tree: Tree | None = None) -> Path:
    """Write a head's file."""
    path = folder / "head.json"
    path.write_text(json.dumps(head_tree() if tree is None else tree), encoding="utf-8")
    return path


def lesson_suite(
    root: Path,
    flipped: Sequence[str] = (),
    *,
    families: int = 24,
    shuffled: bool = False,
    rename: Callable[[str], str] = str,
    splits: Mapping[str, str] | None = None,
) -> Layout:
    """A suite of short sessions, a third in each split: half hold a failing command and a correction and are labelled yes.
    Splits named in ``flipped`` have every label turned round. ``rename`` renames families."""
    cases, votes, of_split = [], [], {}
    for number in range(3 * families):
        case, split = f"S{number:03}", SPLITS[number % 3]
        yes = number // 3 % 2 == 0
        family = rename(f"family-{case}")
        of_split[family] = split
        tree = case_tree(case, family=family)
        tree["attempts"][0]["events"] = _session(number, yes)
        cases.append(tree)
        said = yes is not (split in flipped)
        answers = {"polite": "yes", "solved": "yes" if said else "no"}
        ballot = votes_tree(case, answers)
        if said:
            ballot["votes"][1]["evidence"] = [3]
        votes.append(ballot)
    if shuffled:
        cases, votes = cases[::-1], votes[::-1]
    notes = [note_tree(case["id"]) for case in cases]
    return write(root, suite_tree([]), cases, votes, splits or of_split, notes)


def _session(number: int, yes: bool) -> list[Tree]:
    ended_well = {"ok": True, "exit_code": 0, "exit_source": "text"}
    calls = [{"kind": "command", "command": f"mend {number} {i}", **ended_well} for i in range(number % 7)]
    opening = {"kind": "prompt", "origin": "human", "text": f"Mend lamp {number}."}
    if yes and number % 5:
        bad = {"ok": False, "exit_code": 1, "exit_source": "text", "output": "permission denied"}
        correction = {"kind": "prompt", "origin": "human", "text": "No, we always use the ladder here."}
        return [opening, {"kind": "command", "command": "mend all", **bad}, correction, *calls]
    look = {"kind": "command", "command": f"look {number}", **ended_well}
    return [opening, look, {"kind": "message", "text": "Done."}, *calls]
