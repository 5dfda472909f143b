"""The health checks as a JUnit file, for CI systems. One test a check."""

from __future__ import annotations

from xml.etree import ElementTree

from bench.benchmark import Benchmark


def junit(benchmark: Benchmark) -> str:
    """JUnit XML: not met is a failure, cannot decide an error, not asked skipped."""
    checks = benchmark.checks
    suite = ElementTree.Element(
        "testsuite",
        name=f"bench.{benchmark.suite.suite.id}",
        tests=str(len(checks)),
        failures=str(sum(check.status == "not met" for check in checks)),
        errors=str(sum(check.status == "cannot decide" for check in checks)),
        skipped=str(sum(check.status == "not asked" for check in checks)),
    )
    for check in checks:
        case = ElementTree.SubElement(suite, "testcase", classname=f"bench.{benchmark.suite.suite.id}", name=check.name)
        text = printable("\n".join((check.found, *check.details)))
        if check.status == "not met":
            ElementTree.SubElement(case, "failure", message=printable(check.found)).text = text
        elif check.status == "cannot decide":
            ElementTree.SubElement(case, "error", message=printable(check.found)).text = text
        elif check.status == "not asked":
            ElementTree.SubElement(case, "skipped", message=printable(check.found))
        else:
            ElementTree.SubElement(case, "system-out").text = text
    ElementTree.indent(suite)
    return '<?xml version="1.0" encoding="utf-8"?>\n' + ElementTree.tostring(suite, encoding="unicode") + "\n"


def printable(text: str) -> str:
    """XML 1.0 has no way to write most control characters."""
    return "".join(c for c in text if c in "\n\t" or c.isprintable())
