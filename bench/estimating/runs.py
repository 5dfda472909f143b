"""Stored verdicts of a judge on sessions without labels: a run's file becomes one answer an item."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from bench.measure.rows import decide
from bench.problems import BrokenInput, Problem, shorten
from bench.running.store import RunFile, StoredVerdict
from bench.tables import Table

_ANSWERS = {"yes": True, "no": False, None: None}


@dataclass(frozen=True)
class Run:
    """One answer an item, in the order of item keys; ``judge`` is the judge_id of the manifest beside the file."""

    file: str
    judge: str | None
    answers: list[bool | None]
    probabilities: list[float | None]


def is_run(table: Table) -> bool:
    """Whether the lines are those of a run: an item, a sample, and an answer or the reason for none."""
    return {"item", "sample"} <= set(table.columns) and bool({"answer", "unscored"} & set(table.columns))


def read_run(path: Path) -> Run:
    """The majority of each item's samples. Raises BrokenInput for lines that are none of a run, or of several statements."""
    rows = RunFile(path.parent, path.name.removesuffix(path.suffix)).rows().values()
    statements = sorted({name for row in rows if (name := _statement(row)) is not None})
    if len(statements) > 1:
        found = f"verdicts on {len(statements)} statements: {', '.join(statements[:6])}"
        raise _broken(path, found, "keep the lines of one statement in a file of their own")
    items: dict[str, list[StoredVerdict]] = {}
    for row in sorted(rows, key=lambda row: row.key):
        items.setdefault(row.item, []).append(row)
    decided = [decide(samples) for samples in items.values()]
    odd = sorted({str(answer) for answer, _, _, _ in decided if answer not in _ANSWERS})
    if odd:
        raise _broken(path, f"the answer {shorten(odd[0], 30)}", "give a run on a yes / no statement")
    return Run(
        path.as_posix(), _judge(path), [_ANSWERS[answer] for answer, _, _, _ in decided], [p for _, _, p, _ in decided]
    )  # fmt: skip


def _statement(row: StoredVerdict) -> str | None:
    """The statement, where the line was written for a suite (case/attempt/statement); used to refuse, for no figure."""
    parts = (row.asked_for or "").split("/")
    return parts[2] if len(parts) == 3 else None


def _judge(path: Path) -> str | None:
    manifest = path.with_suffix(".json")
    try:
        held = json.loads(manifest.read_bytes())
    except (OSError, ValueError):
        return None
    found = held.get("judge_id") if isinstance(held, dict) else None
    return found if isinstance(found, str) else None


def _broken(path: Path, found: str, fix: str) -> BrokenInput:
    return BrokenInput([Problem(path.as_posix(), None, None, None, found, fix)])
