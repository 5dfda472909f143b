"""Rows of the tables of judges, as every form of the report writes them."""

from __future__ import annotations

from collections.abc import Mapping

from bench.measure.figures import Table
from bench.measure.judge_line import JudgeLine
from bench.measure.rows import Books
from bench.report.words import TITLES

Rows = list[list[str]]  # the first is the head


def counts(line: JudgeLine) -> str:
    """TP FP FN TN; dashes where nothing was counted."""
    return " ".join(str(line.counts.get(name, "-")) for name in ("tp", "fp", "fn", "tn"))


def worst_rows(table: Table) -> Rows:
    """What each metric would be, had the judge answered what it left unscored all wrong, or all right; empty without such."""
    names = [name for name in TITLES if any(name in line.bounds for line in table.lines)]
    rows = [
        [
            line.judge,
            f"{line.books.expected - line.books.scored} of {line.books.expected}",
            *(_ends(line, name) for name in names),
        ]
        for line in table.lines
        if line.bounds
    ]
    return [["judge", "unscored", *(TITLES[name] for name in names)], *rows] if rows else []


def _ends(line: JudgeLine, name: str) -> str:
    if name not in line.bounds:
        return "n/a"
    low, high = ("n/a" if end is None else f"{end:.2f}" for end in (line.bounds[name].low, line.bounds[name].high))
    return f"{low} to {high}"


def sample_rows(table: Table) -> Rows:
    """Judges that were asked more than once; empty without such."""
    rows = [
        [line.judge, str(found.samples), str(found.items), found.flip_rate.cell(), found.right_once.cell(),
         found.right_always.cell()]
        for line in table.lines
        if (found := line.samples) is not None
    ]  # fmt: skip
    return (
        [["judge", "samples", "items", "flip rate", "right at least once", "right every time"], *rows] if rows else []
    )


def book_rows(books: Mapping[str, Books]) -> Rows:
    """Where every item of each judge went."""
    rows = [["judge", "expected", "scored", "unscored", "not run", "labelled", "unlabelled", "unclear"]]
    for judge, tally in books.items():
        reasons = ", ".join(f"{count} {reason}" for reason, count in tally.unscored.items()) or "0"
        numbers = (tally.not_run, tally.labelled, tally.unlabelled, tally.unclear)
        rows.append([judge, str(tally.expected), str(tally.scored), reasons, *map(str, numbers)])
    return rows
