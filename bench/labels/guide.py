"""The version of the guide that annotators read."""

from __future__ import annotations

import re
from pathlib import Path

from bench.cases.layout import Layout
from bench.problems import BrokenInput, Problem

NO_GUIDE = "none"


def present_guide(layout: Layout) -> str | None:
    """The version that the guide declares, or None where there is no guide or it declares none."""
    try:
        version = guide_version(layout)
    except BrokenInput:
        return None
    return None if version == NO_GUIDE else version


def guide_version(layout: Layout) -> str:
    """The version that the guide declares."""
    path = guide_path(layout)
    if not path.exists():
        return NO_GUIDE
    match = re.search(r"^Guide version: *(\S+)", path.read_text(encoding="utf-8", errors="replace"), re.MULTILINE)
    if match:
        return match.group(1)
    raise BrokenInput([Problem(layout.shown(path), 1, None, "Guide version", "no line 'Guide version: N'", "add it")])


def guide_path(layout: Layout) -> Path:
    """The suite's own guide (labels/<suite>/GUIDE.md), or else the one for all suites (labels/GUIDE.md)."""
    own = layout.labels / "GUIDE.md"
    return own if own.exists() else layout.labels.parent / "GUIDE.md"
