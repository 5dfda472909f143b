"""The version of the guide that annotators read."""

from __future__ import annotations

import re

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
    """The version that labels/GUIDE.md (or labels/<suite>/GUIDE.md) declares."""
    for path in (layout.labels / "GUIDE.md", layout.labels.parent / "GUIDE.md"):
        if path.exists():
            match = re.search(
                r"^Guide version: *(\S+)", path.read_text(encoding="utf-8", errors="replace"), re.MULTILINE
            )
            if match:
                return match.group(1)
            raise BrokenInput(
                [Problem(layout.shown(path), 1, None, "Guide version", "no line 'Guide version: N'", "add it")]
            )
    return NO_GUIDE
