"""A second opinion for the leak scan: Kingfisher's rules (a Rust library of its own; the extra ``scan``).

It is not asked where judges read: its catalogue grows with every release, and with it would move what judges are shown.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from bench.leaks.scan import Leak, Scanned, beginning, files_of, texts_of
from bench.problems import BrokenInput, Problem

SECOND = "kingfisher"


def second_opinion(found: Scanned, paths: Sequence[Path]) -> Scanned:
    """The findings, and what Kingfisher finds on top of them."""
    try:
        import kingfisher_sdk
    except ImportError:
        fix = "install the part that has it: pip install 'lessonbench[scan]'"
        raise BrokenInput([Problem("--second", None, None, None, f"{SECOND} is not installed", fix)]) from None
    scanner = kingfisher_sdk.Scanner(kingfisher_sdk.Rules(cache=False), dedup=False, redact=False)
    known = {(leak.file, leak.line) for leak in found.leaks}
    more = []
    for path in files_of(paths):
        shown = path.as_posix()
        for row, column, text in texts_of(path) or ():
            for finding in scanner.scan(text):
                line = row or int(finding.location["line"])
                if finding.visible and (shown, line) not in known:
                    more.append(Leak(shown, line, f"{SECOND}:{finding.rule_id}", beginning(finding.secret), column))
    return replace(found, leaks=tuple(sorted({*found.leaks, *more}, key=lambda leak: (leak.file, leak.line))))
