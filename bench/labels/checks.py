"""Which cases were drawn for a third vote: ``labels/<suite>/checks.yaml``."""

from __future__ import annotations

from bench.cases.load import LoadedSuite
from bench.labels.say import Say
from bench.problems import Problem
from bench.reading.strict_yaml import read_yaml
from bench.reading.validate import validate
from bench.schema.vote import ChecksFile

CHECKS = "checks.yaml"


def read_drawn(suite: LoadedSuite, broken: frozenset[str]) -> tuple[tuple[str, ...] | None, list[Problem]]:
    """The drawn cases, or None where no draw is on record, and the problems of the file."""
    path = suite.layout.labels / CHECKS
    if not path.exists():
        return None, []
    document = read_yaml(path, suite.layout.shown(path))
    if isinstance(document, list):
        return None, document
    record = validate(document, ChecksFile, None)
    if isinstance(record, list):
        return None, record
    known = {loaded.case.id for loaded in suite.cases} | broken
    problems = []
    for index, case in enumerate(record.cases):
        say = Say(document, case)
        if case not in known:
            problems.append(say(("cases", index), f"no case {case!r} in the suite", "mend the id, or remove it"))
        if case in record.cases[:index]:
            problems.append(say(("cases", index), f"case {case} stands twice", "keep one"))
    return record.cases, problems
