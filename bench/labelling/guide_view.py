"""The guide as blocks of plain text, cut by its headings: what the page shows beside a statement.

A small reader of the Markdown that guides use (headings, paragraphs, lists, tables, and bold, italic and code inside them).
What it does not know stays as it was written, and nothing becomes HTML: the page sets every text as text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Literal

from bench.schema.base import Record

Style = Literal["normal", "strong", "em", "code"]
_SPAN = re.compile(r"(`[^`]+`)|(\*\*.+?\*\*)|(\*[^*\s][^*]*\*)")
_HEADING = re.compile(r"(#{1,6}) +(.*)")
_ITEM = re.compile(r"([*+-]|\d{1,3}[.)]) +(.*)")
_RULE = re.compile(r"\|? *:?-+:? *(\| *:?-+:? *)*\|?")
_NEAR = re.compile(r"near[- ]miss", re.IGNORECASE)


class Span(Record):
    """A run of text in one style."""

    text: str
    style: Style = "normal"


class Block(Record):
    """A heading, a paragraph, an item of a list, or a table (its first row is the head)."""

    kind: Literal["heading", "paragraph", "item", "table"]
    level: int = 0
    spans: tuple[Span, ...] = ()
    rows: tuple[tuple[tuple[Span, ...], ...], ...] = ()

    @property
    def text(self) -> str:
        cells = [cell for row in self.rows for cell in row]
        return " ".join("".join(span.text for span in spans) for spans in (self.spans, *cells))


def guide_blocks(text: str) -> tuple[Block, ...]:
    """The blocks of a guide, in order."""
    blocks: list[Block] = []
    pending: list[str] = []
    kind: Literal["paragraph", "item"] = "paragraph"
    lines = text.splitlines()
    at = 0
    while at < len(lines):
        line = lines[at].strip()
        starts = _HEADING.fullmatch(line), _ITEM.fullmatch(line)
        if not line or line.startswith("|") or any(starts):
            blocks += _paragraph(kind, pending)
            pending, kind = [], "paragraph"
        if line.startswith("|"):
            table = _table_from(lines, at)
            blocks.append(Block(kind="table", rows=tuple(_rows(table))))
            at += len(table)
            continue
        if heading := starts[0]:
            blocks.append(Block(kind="heading", level=len(heading[1]), spans=_spans(heading[2])))
        elif item := starts[1]:
            number = "" if item[1] in "*+-" else f"{item[1]} "
            pending, kind = [number + item[2]], "item"
        elif line:
            pending.append(line)
        at += 1
    return (*blocks, *_paragraph(kind, pending))


def section_for(blocks: tuple[Block, ...], statement: str) -> tuple[Block, ...]:
    """The section whose heading names the statement by its id; empty where none does."""
    return next((section for section in _sections(blocks) if _names(section[0].text, statement)), ())


def near_misses_for(blocks: tuple[Block, ...], statement: str) -> tuple[Block, ...]:
    """Tables of near misses that speak of the statement: by its id, or as ``statement N`` where its heading has number N.
    A table whose head names it is given whole, of another one the rows that do."""
    own = section_for(blocks, statement)
    number = re.match(r"(\d+)[.)]", own[0].text) if own else None
    wanted = [statement, f"statement {number[1]}"] if number else [statement]
    found = []
    for section in _sections(blocks):
        for table in (b for b in section if b.kind == "table" and _NEAR.search(section[0].text)):
            head, *rows = table.rows
            kept = rows if _speaks_of(head, wanted) else [row for row in rows if _speaks_of(row, wanted)]
            if kept:
                found.append(table.model_copy(update={"rows": (head, *kept)}))
    return tuple(found)


def _speaks_of(row: Iterable[tuple[Span, ...]], names: Iterable[str]) -> bool:
    text = " ".join("".join(span.text for span in cell) for cell in row)
    return any(_names(text, name) for name in names)


def _names(text: str, word: str) -> bool:
    return re.search(rf"(?<![\w-]){re.escape(word)}(?![\w-])", text, re.IGNORECASE) is not None


def _sections(blocks: tuple[Block, ...]) -> Iterator[tuple[Block, ...]]:
    """Each heading with what stands under it, up to a heading of its level or above."""
    for at, block in enumerate(blocks):
        if block.kind == "heading":
            rest = blocks[at + 1 :]
            ends = (i for i, other in enumerate(rest) if other.kind == "heading" and other.level <= block.level)
            yield (block, *rest[: next(ends, len(rest))])


def _paragraph(kind: Literal["paragraph", "item"], lines: list[str]) -> list[Block]:
    return [Block(kind=kind, spans=_spans(" ".join(lines)))] if lines else []


def _table_from(lines: list[str], at: int) -> list[str]:
    end = at
    while end < len(lines) and lines[end].strip().startswith("|"):
        end += 1
    return lines[at:end]


def _rows(lines: list[str]) -> Iterator[tuple[tuple[Span, ...], ...]]:
    for line in lines:
        if not _RULE.fullmatch(line.strip()):
            yield tuple(_spans(cell.strip()) for cell in line.strip().strip("|").split("|"))


def _spans(text: str) -> tuple[Span, ...]:
    found: list[Span] = []
    at = 0
    for match in _SPAN.finditer(text):
        if match.start() > at:
            found.append(Span(text=text[at : match.start()]))
        code, strong, em = match.groups()
        style: Style = "code" if code else "strong" if strong else "em"
        found.append(Span(text=(code or strong or em).strip("`" if code else "*"), style=style))
        at = match.end()
    return (*found, Span(text=text[at:])) if at < len(text) else tuple(found)
