"""Plain-text tables."""

from __future__ import annotations

from collections.abc import Sequence


def columns(rows: Sequence[Sequence[str]], gap: int = 2) -> str:
    """Rows aligned in columns: the first to the left, the others to the right; the first row is the head."""
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    lines = []
    for number, row in enumerate(rows):
        cells = [cell.ljust(widths[i]) if i == 0 else cell.rjust(widths[i]) for i, cell in enumerate(row)]
        lines.append((" " * gap).join(cells).rstrip())
        if number == 0:
            lines.append((" " * gap).join("-" * width for width in widths))
    return "\n".join(lines)
