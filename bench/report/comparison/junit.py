"""A comparison as a JUnit file: a suite of the judges' verdicts and red lines, and one a judge with a test for each item."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from bench.comparing.compare import JudgeComparison
from bench.comparing.comparison import Comparison
from bench.comparing.items import Flip
from bench.measure.rows import Row
from bench.report.ci.junit import FilesInRepository, item_test
from bench.report.ci.junit_xml import Status, Test, TestSuite, junit_xml

_VERDICTS: dict[str, Status] = {"worse": "failure", "cannot tell": "error"}
_RED_LINES: dict[str, Status] = {"not met": "failure", "cannot decide": "error"}


def comparison_junit(found: Comparison) -> str:
    """JUnit XML: worse or not met is a failure, and so is each item that such a judge newly gets wrong; cannot tell an error."""
    names = Counter(judge.head.name for judge in found.judges)
    files = FilesInRepository(base_of(found))
    suites = [TestSuite("comparison", [test for judge in found.judges for test in _verdicts(judge)])]
    for judge in found.judges:
        name = judge.head.name if names[judge.head.name] == 1 else judge.head.judge_id
        flips = {(flip.place.case, flip.place.attempt, flip.place.statement): flip for flip in judge.matched.flips}
        tests = [
            _item(row, flips.get((row.case, row.attempt, row.statement)), judge, files)
            for row in judge.head.rows
            if found.table.holds(row)
        ]
        suites.append(TestSuite(name, tests))
    return junit_xml(f"bench.compare.{found.sides.head.suite.suite.id}", suites)


def base_of(found: Comparison) -> Path:
    """The folder that the head's files are written from: its own, or here where it was a git revision."""
    root = found.sides.head.suite.layout.root
    return root if root.is_dir() else Path()


def breaks(judge: JudgeComparison, flip: Flip) -> bool:
    """Whether an item is part of why the judge fails: right before and wrong now, in the table that decides."""
    return judge.exit_code == 1 and flip.change == "right->wrong" and flip.place.decides and flip.same_content


def _verdicts(judge: JudgeComparison) -> Iterator[Test]:
    yield Test(judge.head.name, _VERDICTS.get(judge.verdict, "passed"), f"{judge.verdict}: {'; '.join(judge.reasons)}")
    for line in judge.red_lines:
        decision = line.decision
        title = f"{judge.head.name}: red line {decision.limit}"
        yield Test(title, _RED_LINES.get(decision.status, "passed"), str(decision))


def _item(row: Row, flip: Flip | None, judge: JudgeComparison, files: FilesInRepository) -> Test:
    if flip is None:
        return item_test(row, files)
    content = "" if flip.same_content else ", other content"
    told = f"{flip.base} -> {flip.head}, label {flip.label}: {flip.change}{content}"
    return item_test(row, files, "failure" if breaks(judge, flip) else "passed", told)
