"""The one printer of tables: aligned columns that fit the width. Nothing is cut; what does not fit is folded.

First the heads are folded over several lines, then names, then cells (an interval stands under its value); a table that is
still too wide goes on under itself, its first column repeated.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from bench.terminal.words import width

Row = Sequence[str]
FIRST = frozenset({0})
_UNIT = re.compile(r"\[[^\]]*\]\S*\s*|\S+\s*")  # what is never torn: a word, a number, a whole interval
_NAME = re.compile(r"[^\s:/,|-]+[:/,|-]*\s*|[:/,|-]+\s*")  # a name may be folded behind its punctuation
_LONGEST = 24  # of an unbroken part of a name
_REASON = re.compile(r"n/a \((.+)\)")


def columns(rows: Sequence[Row], gap: int = 2, left: Collection[int] = FIRST) -> str:
    """Rows aligned in columns; the first row is the head. Columns in ``left`` stand to the left, the others to the right."""
    return "\n\n".join(_printed(rows, kept, gap, left) for kept in _blocks(rows, gap))


def reasons_below(rows: Sequence[Row]) -> tuple[list[Row], list[str]]:
    """The rows with ``n/a`` for each ``n/a (reason)``, and the reasons with the columns they stand in."""
    reasons: dict[str, dict[str, None]] = {}
    for row in rows[1:]:
        for head, cell in zip(rows[0], row, strict=True):
            if match := _REASON.fullmatch(cell):
                reasons.setdefault(match[1], {})[head] = None
    plain = [[("n/a" if _REASON.fullmatch(cell) else cell) for cell in row] for row in rows]
    return [*plain], [f"n/a: {reason} ({', '.join(heads)})" for reason, heads in reasons.items()]


def _blocks(rows: Sequence[Row], gap: int) -> list[list[int]]:
    """Which columns stand beside each other: all of them, or the first with as many others as fit, again and again."""
    every = list(range(len(rows[0])))
    if len(every) < 3 or _fitting(rows, every, gap) is not None:
        return [every]
    blocks: list[list[int]] = [[0]]
    for column in every[1:]:
        if len(blocks[-1]) > 1 and _fitting(rows, [*blocks[-1], column], gap, cells_may_fold=False) is None:
            blocks.append([0])
        blocks[-1].append(column)
    return blocks


def _fitting(
    rows: Sequence[Row], kept: Sequence[int], gap: int, *, cells_may_fold: bool = True
) -> tuple[list[int], int] | None:
    """Widths of the columns and a gap that give the fewest lines under the head, or None where nothing fits."""
    natural = [max(len(row[i]) for row in rows) for i in kept]
    heads = [max([_longest(rows[0][i], i), *(len(row[i]) for row in rows[1:])]) for i in kept]
    names = [max(_longest(row[0], 0) for row in rows), *heads[1:]]
    tight = [names[0], *(max(_longest(row[i], i) for row in rows) for i in kept[1:])]
    found: list[tuple[list[int], int]] = []
    for between in dict.fromkeys((gap, 1)):
        for wanted in (natural, heads, names, *([tight] if cells_may_fold else [])):
            spare = width() - sum(wanted) - between * (len(kept) - 1)
            if spare >= 0:
                found.append((_grown(wanted, natural, spare), between))
    return min(found, key=lambda one: _lines_of(rows[1:], kept, one[0]), default=None)


def _grown(wanted: Sequence[int], natural: Sequence[int], spare: int) -> list[int]:
    """The first column takes what is to spare; of the others each that can be made as wide as it would be."""
    first = max(wanted[0], min(natural[0], wanted[0] + spare))
    spare -= first - wanted[0]
    widths = [first]
    for now, whole in zip(wanted[1:], natural[1:], strict=True):
        more = whole - now if 0 < whole - now <= spare else 0
        spare -= more
        widths.append(now + more)
    return widths


def _lines_of(rows: Sequence[Row], kept: Sequence[int], widths: Sequence[int]) -> int:
    return sum(max(len(_folded(row[i], i, size)) for i, size in zip(kept, widths, strict=True)) for row in rows)


def _longest(cell: str, column: int) -> int:
    return max((len(unit.rstrip()) for unit in _units(cell, column)), default=0)


def _units(cell: str, column: int) -> list[str]:
    """The parts between which a cell may be folded."""
    if column:
        return _UNIT.findall(cell)
    margin = len(cell) - len(cell.lstrip())
    units = [unit[at : at + _LONGEST] for unit in _NAME.findall(cell.lstrip()) for at in range(0, len(unit), _LONGEST)]
    return [" " * margin + units[0], *units[1:]] if units else []


def _printed(rows: Sequence[Row], kept: Sequence[int], gap: int, left: Collection[int]) -> str:
    natural = [max(len(row[i]) for row in rows) for i in kept]
    widths, between = _fitting(rows, kept, gap) or (natural, gap)
    lines: list[str] = []
    for number, row in enumerate(rows):
        cells = [_folded(row[i], i, size) for i, size in zip(kept, widths, strict=True)]
        height = max(map(len, cells))
        for depth in range(height):
            if number == 0:  # a head of fewer lines stands at the bottom, over its rule
                parts = [cell[depth - height + len(cell)] if depth >= height - len(cell) else "" for cell in cells]
            else:
                parts = [cell[depth] if depth < len(cell) else "" for cell in cells]
            placed = [
                part.ljust(size) if i in left else part.rjust(size)
                for i, part, size in zip(kept, parts, widths, strict=True)
            ]
            lines.append((" " * between).join(placed).rstrip())
        if number == 0:
            lines.append((" " * between).join("-" * size for size in widths))
    return "\n".join(lines)


def _folded(cell: str, column: int, room: int) -> list[str]:
    """The lines of a cell. Further lines of a name are set in by one, as far as there is room."""
    if len(cell) <= room:
        return [cell]
    lines, now = [], ""
    for unit in _units(cell, column):
        if now.strip() and len(now) + len(unit.rstrip()) > room:
            lines.append(now.rstrip())
            now = " " if column == 0 and len(unit.rstrip()) < room else ""
        now += unit
    return [*lines, now.rstrip()]
