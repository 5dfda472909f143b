"""The guide beside a statement: its own section, the near misses that speak of it, and nothing that becomes markup."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench.labelling.guide_view import Span, guide_blocks, near_misses_for, section_for

GUIDE = """\
# Guide

Guide version: 7

## The statements

### 1. done
*It is done.*

* first point, over
  two lines
* second `code` and **bold**

1. numbered

### 2. done-well
Something else.

## Near misses

| seen | statement 2 | because |
|---|---|---|
| a | yes | x |
| b | no | also statement 1 is no |

## After

| seen | because |
|---|---|
| never given | statement 1 |
"""


def texts(blocks: tuple) -> list[str]:  # type: ignore[type-arg]
    return [block.text.strip() for block in blocks]


def test_a_section_ends_at_the_next_heading_of_its_level() -> None:
    assert texts(section_for(guide_blocks(GUIDE), "done")) == [
        "1. done", "It is done.", "first point, over two lines", "second code and bold", "1. numbered",
    ]  # fmt: skip


def test_a_name_within_a_name_is_another_statement() -> None:
    blocks = guide_blocks(GUIDE)
    assert texts(section_for(blocks, "done-well")) == ["2. done-well", "Something else."]
    assert section_for(blocks, "well") == () == section_for(blocks, "one")


@pytest.mark.parametrize(("statement", "first_cells"), [("done-well", ["a", "b"]), ("done", ["b"]), ("other", [])])
def test_near_misses_are_those_that_speak_of_the_statement(statement: str, first_cells: list[str]) -> None:
    tables = near_misses_for(guide_blocks(GUIDE), statement)
    assert ["".join(s.text for s in row[0]) for table in tables for row in table.rows[1:]] == first_cells


def test_styles_are_kept_and_markup_stays_text() -> None:
    (block,) = guide_blocks("a *b* **c** `d*e*` <img src=x> 3 * 4 * 5 [x](javascript:y)\n")
    assert block.spans == (
        Span(text="a "), Span(text="b", style="em"), Span(text=" "), Span(text="c", style="strong"), Span(text=" "),
        Span(text="d*e*", style="code"), Span(text=" <img src=x> 3 * 4 * 5 [x](javascript:y)"),
    )  # fmt: skip


def test_every_word_of_the_shipped_guide_is_shown() -> None:
    text = (Path(__file__).parent.parent / "labels" / "GUIDE.md").read_text(encoding="utf-8")
    blocks = guide_blocks(text)
    shown = " ".join(texts(blocks)).replace("*", "").split()
    meant = [word for line in text.splitlines() if not set(line) <= set("|-") for word in line.split()]
    plain = [w for word in meant if (w := word.replace("*", "").replace("`", "").strip("|#"))]
    assert shown == plain


def test_the_shipped_guide_has_a_section_for_each_statement() -> None:
    blocks = guide_blocks((Path(__file__).parent.parent / "labels" / "GUIDE.md").read_text(encoding="utf-8"))
    for statement in ("task-success", "correction", "reusable-lesson", "lesson-supported"):
        assert len(section_for(blocks, statement)) >= 3, statement
    assert len(near_misses_for(blocks, "reusable-lesson")[0].rows) == 11
    assert near_misses_for(blocks, "lesson-supported") and near_misses_for(blocks, "correction")
