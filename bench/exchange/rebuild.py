"""The way back: from an exported folder to a project with case and label files, read by the same strict readers as any other."""

from __future__ import annotations

import json
from collections.abc import Iterable
from decimal import Decimal
from pathlib import Path
from typing import Any

from bench.cases.layout import Layout
from bench.exchange.columns import UNSPLIT
from bench.exchange.label_files import GUIDE
from bench.exchange.parquet import read_rows
from bench.labels.checks import CHECKS
from bench.problems import BrokenInput, Problem, shorten
from bench.reading.quote import quoted
from bench.schema.case import SessionReference

Tree = dict[str, Any]
_VOTE_FILE = ("case", "annotator", "purpose", "made_by", "lineage", "guide", "preset", "at")
_VOTE = ("attempt", "statement", "answer", "rationale", "evidence", "error_category", "severity")
_RULING_FILE = ("adjudicator", "made_by", "lineage", "guide", "at")


def rebuild(folder: Path, root: Path) -> Layout:
    """Write cases/ and labels/ under ``root`` from the Parquet files in ``folder``. Raises BrokenInput."""
    suite = read_rows(folder / "suite" / "suite.parquet")[0]
    layout = Layout(root / "cases" / suite["id"])
    attempts, items, votes, notes = (_table(folder, name) for name in ("attempts", "items", "votes", "notes"))
    _write(layout, layout.suite / "suite.yaml", json.loads(suite["record"]))
    _write_cases(layout, attempts)
    if suite["splits_seed"] is not None:
        families = {row["family"]: row["split"] for row in attempts if row["split"] != UNSPLIT}
        _write(layout, layout.suite / "splits.yaml", {"schema": 1, "seed": suite["splits_seed"], "families": families})
    _write_labels(layout, suite, items, votes)
    for row in notes:
        kept = {name: value for name, value in row.items() if name != "split"}
        kept["intended"] = json.loads(row["intended"] or "{}")
        _write(layout, layout.labels / "notes" / f"{row['case']}.yaml", {"schema": 1} | _given(kept, kept))
    return layout


def _write_cases(layout: Layout, attempts: Iterable[Tree]) -> None:
    cases: dict[str, Tree] = {}
    for row in attempts:
        case = cases.setdefault(row["case"], _case(row))
        case["attempts"].append(_attempt(row))
        if row["session_file"] is not None:
            beside = _inside(layout, layout.suite / row["stratum"] / row["case"] / row["session_file"])
            beside.parent.mkdir(parents=True, exist_ok=True)
            beside.write_bytes(row["session_bytes"])
    for name, case in cases.items():
        _write(layout, layout.suite / case["stratum"] / name / f"{name}.yaml", case)


def _case(row: Tree) -> Tree:
    named = ("source", "capability", "difficulty", "language", "tags", "version")
    return {
        "schema": 1,
        "id": row["case"],
        **{name: row[name] for name in ("family", "stratum", "query")},
        **{name: json.loads(row[name]) for name in ("judgment", "trajectory_anchors", "world_state")},
        "metadata": _given(row, named),
        "attempts": [],
    }


def _attempt(row: Tree) -> Tree:
    tree = {"id": row["attempt"], **_given(row, ("harness", "model", "answer"))}
    if row["events"] is not None:
        return tree | {"events": json.loads(row["events"])}
    if row["session_file"] is not None:
        found = {"file": row["session_file"], "format": row["session_format"]}
        return tree | {"events_from": _given(found, found)}
    reference = {name: row[f"session_{name}"] for name in SessionReference.model_fields}
    return tree | {"events_from": {"reference": _given(reference, reference)}}


def _write_labels(layout: Layout, suite: Tree, items: Iterable[Tree], votes: Iterable[Tree]) -> None:
    files: dict[Path, Tree] = {}
    for row in votes:
        path = layout.labels / "votes" / row["annotator"] / f"{row['case']}.yaml"
        file = files.setdefault(path, {"schema": 1, **_given(row, _VOTE_FILE), "votes": []})
        file["votes"].append(_given(row, _VOTE) | {"also": json.loads(row["also"] or "{}")})
    drawn: dict[str, None] = {}
    for row in items:
        if row.get("ruling") is not None:
            head = {name: row[name if name == "adjudicator" else f"ruling_{name}"] for name in _RULING_FILE}
            path = layout.labels / "adjudicated" / f"{row['case']}.yaml"
            file = files.setdefault(path, {"schema": 1, "case": row["case"], **_given(head, head), "rulings": []})
            ruling = {"answer": row["ruling"], "reason": row["ruling_reason"]}
            file["rulings"].append(_given(row, ("attempt", "statement")) | ruling)
        if row.get("drawn_for_check"):
            drawn[row["case"]] = None
    if drawn:
        draw = {"seed": suite["checks_seed"], "drawn": suite["checks_drawn"], "cases": list(drawn)}
        files[layout.labels / CHECKS] = {"schema": 1} | draw
    for path, file in files.items():
        _write(layout, path, file)
    if suite.get("guide") is not None:
        layout.labels.mkdir(parents=True, exist_ok=True)
        (layout.labels / GUIDE).write_text(suite["guide"], encoding="utf-8", newline="\n")


def _table(folder: Path, name: str) -> list[Tree]:
    """All rows of one config, over its splits."""
    return [row for path in sorted((folder / name).glob("*.parquet")) for row in read_rows(path)]


def _given(values: Tree, names: Iterable[str]) -> Tree:
    """The named values that are there; an empty list is the field's default."""
    return {name: values[name] for name in names if values[name] is not None and values[name] != []}


def _inside(layout: Layout, path: Path) -> Path:
    """The path, where the names in the tables do not lead out of the project."""
    if path.resolve().is_relative_to(layout.root.resolve()):
        return path
    found = f"a name that leads out of the project: {shorten(path.name)}"
    raise BrokenInput([Problem(str(path), None, None, None, found, "use files that bench export wrote")])


def _write(layout: Layout, path: Path, tree: Tree) -> None:
    _inside(layout, path).parent.mkdir(parents=True, exist_ok=True)
    path.write_text(quoted(_plain(tree)) + "\n", encoding="utf-8", newline="\n")  # JSON, which strict YAML reads


def _plain(value: Any) -> Any:
    """Numbers without an exponent, which the strict reader does not take."""
    if isinstance(value, dict):
        return {name: _plain(one) for name, one in value.items()}
    if isinstance(value, list):
        return [_plain(one) for one in value]
    return format(Decimal(repr(value)), "f") if isinstance(value, float) else value
