"""docs/reading-a-report.md explains every column of the report's tables, and none that does not exist."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from bench.report.words import TITLES

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "reading-a-report.md"
# Titles that are made while the report is written: k, shares of wrong labels.
MADE = {"pass@k", "pass^k", "as labelled"}


def titles() -> set[str]:
    """The titles in the code: a list of rows opens with its head, a list of words."""
    found = set(TITLES.values())
    tellers = [path for path in (ROOT / "bench" / "report").rglob("*.py") if path.parent.name not in ("plots", "page")]
    for path in sorted(tellers):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.List) and node.elts and isinstance(node.elts[0], ast.List):
                words = [e.value for e in node.elts[0].elts if isinstance(e, ast.Constant) and isinstance(e.value, str)]
                found |= set(words if len(words) > 1 else [])
    return found


def explained() -> dict[str, str]:
    """Title -> what the page says of it."""
    section = PAGE.read_text(encoding="utf-8").split("## Every column", 1)[1].split("\n## ", 1)[0]
    rows = re.findall(r"^\| (.+?) \| (.+?) \|$", section, re.MULTILINE)
    assert len(rows) == len({title for title, _ in rows}), "a title stands twice"
    return dict(rows[1:])


def test_the_page_is_linked_from_the_front_page() -> None:
    assert PAGE.is_file()
    assert "docs/reading-a-report.md" in (ROOT / "README.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("title", sorted(titles() | MADE))
def test_every_column_is_explained(title: str) -> None:
    assert len(explained().get(title, "").split()) >= 5, f"explain {title!r} under 'Every column' in {PAGE.name}"


def test_no_column_is_explained_that_does_not_exist() -> None:
    assert set(explained()) - titles() - MADE == set()


def test_titles_are_found_in_the_code() -> None:
    assert {"judge", "AUROC", "coverage", "TP FP FN TN", "calibration error", "flip rate", "check"} <= titles()
