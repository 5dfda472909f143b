"""The benchmark as a JUnit file: one suite of health checks, and one a judge with a test for each case and statement.

Only a check can fail. A wrong verdict passes and says that it is wrong: a judge at chance is a finding, not a red build.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from bench.benchmark import Benchmark
from bench.measure.rows import Row
from bench.report.ci.junit_xml import Status, Test, TestSuite, junit_xml
from bench.repository import in_repository
from bench.verify.checks import Check

HEALTH = "health"
_STATUS: dict[str, Status] = {"met": "passed", "not met": "failure", "cannot decide": "error", "not asked": "skipped"}


def junit(benchmark: Benchmark) -> str:
    """JUnit XML: not met is a failure, cannot decide an error, not asked and unscored are skipped."""
    health = TestSuite(HEALTH, [_check(check) for check in benchmark.checks])
    return junit_xml(f"bench.{benchmark.suite.suite.id}", [health, *_judges(benchmark)])


def _check(check: Check) -> Test:
    return Test(check.name, _STATUS[check.status], check.found, check.details)


def _judges(benchmark: Benchmark) -> Iterator[TestSuite]:
    files = FilesInRepository(benchmark.suite.layout.root)
    seats = Counter(outcome.judge.judge.name for outcome, _ in benchmark.headline)
    for outcome, rows in benchmark.headline:
        name = outcome.judge.judge.name
        suite = name if seats[name] == 1 else outcome.judge.id
        yield TestSuite(suite, [item_test(row, files) for row in rows])


class FilesInRepository(dict[str, str]):
    """Files of cases as the code host names them, each looked up once."""

    def __init__(self, base: Path) -> None:
        super().__init__()
        self._base = base

    def __missing__(self, file: str) -> str:
        return self.setdefault(file, in_repository(file, self._base))


def item_name(row: Row) -> str:
    """The name of an item's test: it stays the same while verdicts move, so that a CI system can tell what changed."""
    return f"{row.case}/{row.attempt} {row.statement}"


def item_test(row: Row, files: FilesInRepository, status: Status = "passed", told: str | None = None) -> Test:
    """One item of one judge. Unscored is skipped, with the reason."""
    label = row.label.answer or row.label.status
    file, line = files[row.file], row.line
    if row.answer is None:
        return Test(item_name(row), "skipped", f"unscored: {row.unscored}", file=file, line=line)
    right = _right(row)
    properties = (("label", label), ("verdict", row.answer), ("right", right))
    said = "" if right == "yes" else f"verdict {row.answer}, label {label}: {_WORDS[right]}"
    return Test(item_name(row), status, said if told is None else told, file=file, line=line, properties=properties)


_WORDS = {"no": "wrong, which fails no build", "unknown": "neither right nor wrong"}


def _right(row: Row) -> str:
    return "unknown" if row.label.answer is None else "yes" if row.answer == row.label.answer else "no"
