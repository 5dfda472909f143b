"""One writer at a time for a label file: another tab, another terminal, another annotator's page."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock, Timeout

from bench.cases.layout import Layout
from bench.problems import BrokenInput, Problem

OWN_FOLDER = ".bench"  # git-ignored: what this machine keeps for itself
_SECONDS = 10.0  # a file is written in milliseconds


@contextmanager
def locked(layout: Layout, path: Path) -> Iterator[None]:
    """Hold the label file at ``path``. The lock itself lies outside ``labels/``, where every file means something."""
    place = path.relative_to(layout.labels)
    lock = layout.root / OWN_FOLDER / "locks" / layout.suite.name / f"{place}.lock"
    lock.parent.mkdir(parents=True, exist_ok=True)
    try:
        with FileLock(lock, timeout=_SECONDS):
            yield
    except Timeout:
        found, fix = f"held by another writer for {_SECONDS:.0f} seconds", f"end it, or delete {layout.shown(lock)}"
        raise BrokenInput([Problem(layout.shown(path), None, path.stem, None, found, fix)]) from None
