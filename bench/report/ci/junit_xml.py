"""JUnit XML: suites of tests, each passed, failed, in error or skipped. What reads it are CI systems."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal
from xml.etree import ElementTree

Status = Literal["passed", "failure", "error", "skipped"]


@dataclass(frozen=True)
class Test:
    """One line of a CI system's list. ``told`` is what was found; ``file`` is written from the repository's top."""

    name: str
    status: Status
    told: str = ""
    details: tuple[str, ...] = ()
    file: str | None = None
    line: int | None = None
    properties: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class TestSuite:
    """Tests under one name, which is their class too."""

    name: str
    tests: Sequence[Test]


def junit_xml(name: str, suites: Sequence[TestSuite]) -> str:
    """The file's text. Totals stand at the root and at each suite."""
    root = ElementTree.Element("testsuites", _named(name, [test for suite in suites for test in suite.tests]))
    for suite in suites:
        parent = ElementTree.SubElement(root, "testsuite", _named(suite.name, suite.tests))
        for test in suite.tests:
            _add(parent, printable(suite.name), test)
        _one_a_line(parent)
    _one_a_line(root)
    return '<?xml version="1.0" encoding="utf-8"?>\n' + ElementTree.tostring(root, encoding="unicode") + "\n"


def _named(name: str, tests: Sequence[Test]) -> dict[str, str]:
    statuses = [test.status for test in tests]
    counts = {name: statuses.count(status) for name, status in _COUNTED.items()}
    return {"name": printable(name), "tests": str(len(tests)), **{name: str(n) for name, n in counts.items()}}


_COUNTED: dict[str, Status] = {"failures": "failure", "errors": "error", "skipped": "skipped"}


def _add(parent: ElementTree.Element, classname: str, test: Test) -> None:
    given = {"classname": classname, "name": printable(test.name)}
    given |= {} if test.file is None else {"file": printable(test.file)}
    given |= {} if test.line is None else {"line": str(test.line)}
    case = ElementTree.SubElement(parent, "testcase", given)
    if test.properties:
        properties = ElementTree.SubElement(case, "properties")
        for name, value in test.properties:
            ElementTree.SubElement(properties, "property", name=name, value=printable(value))
    text = printable("\n".join((test.told, *test.details)))
    if test.status == "skipped":
        ElementTree.SubElement(case, "skipped", message=printable(test.told))
    elif test.status != "passed":
        ElementTree.SubElement(case, test.status, message=printable(test.told)).text = text
    elif text:
        ElementTree.SubElement(case, "system-out").text = text


def _one_a_line(parent: ElementTree.Element) -> None:
    parent.text = "\n"
    for child in parent:
        child.tail = "\n"


def printable(text: str) -> str:
    """XML 1.0 has no way to write most control characters."""
    return text if text.isprintable() else "".join(c for c in text if c in "\n\t" or c.isprintable())
