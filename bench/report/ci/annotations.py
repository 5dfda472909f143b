"""Checks that do not hold as annotations: each at the lines that its details name, else at the suite."""

from __future__ import annotations

import re
from collections.abc import Iterator

from bench.annotations import SHOWN, Annotation, Level, placed
from bench.benchmark import Benchmark
from bench.verify.checks import Check

_PLACE = re.compile(r"(?P<file>[^\n:]+\.(?:ya?ml|jsonl?|md)):(?P<line>\d{1,9})\b")
_LEVELS: dict[str, Level] = {"not met": "error", "cannot decide": "warning"}


def check_annotations(benchmark: Benchmark) -> list[Annotation]:
    """Not met is an error, cannot decide a warning: the first of each check before the rest of any."""
    found = [list(_of_check(benchmark, check)) for check in benchmark.checks if check.status in _LEVELS]
    return [annotations[0] for annotations in found] + [one for annotations in found for one in annotations[1:]]


def _of_check(benchmark: Benchmark, check: Check) -> Iterator[Annotation]:
    level, root = _LEVELS[check.status], benchmark.suite.layout.root
    fix = f"\nto mend: {check.fix}" if check.fix else ""
    several = False
    for detail in check.details:
        place = _PLACE.match(detail)
        file = placed(place["file"], [root]) if place else None
        if place is not None and file is not None:
            told = detail[place.end() :].lstrip(",: ")
            yield Annotation(level, check.name, told if "to mend: " in told else told + fix, file, int(place["line"]))
            several = True
    if not several:
        more = "".join(f"\n{detail}" for detail in check.details[:SHOWN])
        suite = placed(benchmark.suite.document.file, [root])
        yield Annotation(level, check.name, f"{check.found}{fix}{more}", suite, 1)
