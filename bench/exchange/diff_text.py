"""A comparison of two versions in words, and as JSON material."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from bench.exchange.dataset_diff import DatasetDiff, Version


def diff_json(diff: DatasetDiff, exit_code: int) -> dict[str, Any]:
    """Everything that differs; ``changed`` is whether anything does."""
    material = asdict(diff)
    for case, change in zip(material["changed"], diff.changed, strict=True):
        case["metadata_only"] = change.metadata_only
    return {"schema": 1, "exit_code": exit_code, "anything": diff.anything, **material}


def diff_lines(diff: DatasetDiff) -> Iterator[str]:
    """The comparison as lines for a terminal."""
    yield f"old: {_version(diff.old)}"
    yield f"new: {_version(diff.new)}"
    if not diff.anything:
        yield "nothing changed: every figure compares"
        return
    yield from _cases(diff)
    yield from (f"split of {move.family}: {move.old} -> {move.new}" for move in diff.moved)
    for change in diff.statements:
        parts = [*change.words, *(f"{name} (not shown to judges)" for name in change.other)]
        yield f"statement {change.statement}: {change.how}{': ' if parts else ''}{', '.join(parts)}"
    yield from _labels(diff)
    if diff.suite_fields:
        yield f"suite.yaml: {', '.join(diff.suite_fields)} differ"
    yield "figures by stratum and statement:"
    for table in diff.tables:
        verdict = "comparable" if table.comparable else f"not comparable: {'; '.join(table.why)}"
        yield f"  {table.stratum} {table.statement}: {verdict}"


def _version(version: Version) -> str:
    guide = version.guide or "none"
    return f"{version.name} ({version.version}, data {version.data[:12]}, labels {version.labels[:12]}, guide {guide})"


def _cases(diff: DatasetDiff) -> Iterator[str]:
    yield f"cases: {len(diff.added)} added, {len(diff.removed)} removed, {len(diff.changed)} changed"
    for what, names in (("added", diff.added), ("removed", diff.removed)):
        if names:
            yield f"  {what}: {' '.join(names)}"
    for change in diff.changed:
        yield f"  {change.case}: {'metadata only' if change.metadata_only else ', '.join(change.parts)}"


def _labels(diff: DatasetDiff) -> Iterator[str]:
    other = [change for change in diff.labels if change.old != change.new]
    yield f"labels: {len(other)} changed, {len(diff.labels) - len(other)} with other votes or rulings and the same label"
    for change in diff.labels:
        place = f"{change.case}/{change.attempt}/{change.statement}"
        moved = f"{change.old} -> {change.new}" if change.old != change.new else f"{change.old} still"
        yield f"  {place}: {moved} ({'; '.join(change.why)})"
    if diff.old.guide != diff.new.guide:
        yield f"guide: {diff.old.guide or 'none'} -> {diff.new.guide or 'none'}"
    elif diff.guide_reworded:
        yield "guide: its text changed under the same version"
