"""Suites of synthetic twins: each family tells a story of its own, and its two members differ in one deciding event."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from running_suites import Tree, case_tree, note_tree, suite_tree, votes_tree, write

from bench.audits.material import Material
from bench.cases.layout import Layout
from bench.cases.load import LoadedCase
from bench.cases.sources import SessionFolders
from bench.labels.notes import load_notes
from bench.running.views import Views
from bench.schema.event import Event
from bench.workspace import load

DECIDING = 4  # the event that differs
SYLLABLES = ("ba", "ce", "di", "fo", "gu", "la", "me", "ni", "ro", "su")


def words(generator: random.Random, count: int) -> str:
    """Words of two or three syllables."""
    return " ".join("".join(generator.choices(SYLLABLES, k=generator.randint(2, 3))) for _ in range(count))


def twin_suite(**changes: Any) -> Tree:
    """A suite whose one stratum is paired by design, with one critical statement."""
    suite = suite_tree([]) | changes
    suite["statements"][1]["critical"] = True
    suite["strata"] = [{"id": "tickets", "meaning": "pairs", "design": "paired_by_design", "primary": True}]
    return suite


def twin_trees(families: int, seed: int = 1) -> list[Tree]:
    """Positive and control of each family, in turn. Both differ in their deciding event, in words of their own."""
    generator = random.Random(seed)
    trees = []
    for number in range(families):
        routine = [words(generator, 12) for _ in range(6)]
        for side in (0, 1):
            events: list[Tree] = [{"kind": "message", "text": text} for text in routine]
            events.insert(DECIDING - 1, {"kind": "prompt", "origin": "human", "text": words(generator, 12)})
            attempt = {"id": "a1", "harness": "desk", "events": events}
            case = f"S{2 * number + side:03d}"
            tree = case_tree(case, family=f"family-{number}", query=f"Mend lamp {number}.")
            trees.append(tree | {"attempts": [attempt], "trajectory_anchors": {}})
    return trees


def write_twins(
    root: Path, trees: list[Tree], suite: Tree | None = None, numbers: tuple[int, ...] = (DECIDING,)
) -> Layout:
    """Even cases are labelled yes, odd ones no; every note names the deciding event."""
    votes = [
        votes_tree(tree["id"], {"polite": "yes", "solved": "no" if int(tree["id"][1:]) % 2 else "yes"})
        for tree in trees
    ]
    notes = [note_tree(tree["id"]) | {"deciding_events": list(numbers)} for tree in trees]
    return write(root, suite or twin_suite(), trees, votes, notes=notes)


def material_of(layout: Layout) -> Material:
    """What audits look at, without any judge."""
    suite, labels = load(layout)
    views = Views(layout.runs / "projections.jsonl", SessionFolders([]))
    return Material(suite, labels, (), views, load_notes(suite)[0])


def changed(material: Material, change: Callable[[LoadedCase, list[Event]], list[Event]]) -> Material:
    """The same material, with the events of every inline attempt changed, in memory."""
    cases = []
    for loaded in material.suite.cases:
        attempts = [
            attempt
            if attempt.events is None
            else attempt.model_copy(update={"events": tuple(change(loaded, list(attempt.events)))})
            for attempt in loaded.case.attempts
        ]
        cases.append(replace(loaded, case=loaded.case.model_copy(update={"attempts": tuple(attempts)})))
    return replace(material, suite=replace(material.suite, cases=tuple(cases)))
