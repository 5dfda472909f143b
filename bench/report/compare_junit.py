"""A comparison as a JUnit file, for CI systems: one test a judge, and one a red line."""

from __future__ import annotations

from xml.etree import ElementTree

from bench.comparing.compare import JudgeComparison
from bench.comparing.comparison import Comparison
from bench.report.junit import printable

Outcome = tuple[str, str, str]  # name, status, what was found


def comparison_junit(found: Comparison) -> str:
    """JUnit XML: worse or not met is a failure, cannot tell an error."""
    tests = [test for judge in found.judges for test in _tests(judge)]
    name = f"bench.compare.{found.sides.head.suite.suite.id}"
    suite = ElementTree.Element(
        "testsuite",
        name=name,
        tests=str(len(tests)),
        failures=str(sum(status == "failure" for _, status, _ in tests)),
        errors=str(sum(status == "error" for _, status, _ in tests)),
        skipped="0",
    )
    for title, status, told in tests:
        case = ElementTree.SubElement(suite, "testcase", classname=name, name=printable(title))
        if status == "system-out":
            ElementTree.SubElement(case, status).text = printable(told)
        else:
            ElementTree.SubElement(case, status, message=printable(told)).text = printable(told)
    ElementTree.indent(suite)
    return '<?xml version="1.0" encoding="utf-8"?>\n' + ElementTree.tostring(suite, encoding="unicode") + "\n"


def _tests(judge: JudgeComparison) -> list[Outcome]:
    status = {"worse": "failure", "cannot tell": "error"}.get(judge.verdict, "system-out")
    tests = [(judge.head.name, status, f"{judge.verdict}: {'; '.join(judge.reasons)}")]
    for line in judge.red_lines:
        decision = line.decision
        status = {"not met": "failure", "cannot decide": "error"}.get(decision.status, "system-out")
        tests.append((f"{judge.head.name}: red line {decision.limit}", status, str(decision)))
    return tests
