"""The items of two runs side by side: which are the same, whose verdict flipped, who lost or gained one."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from bench.cases.load import LoadedSuite
from bench.measure.rows import NOT_RUN, Row
from bench.measure.signature import data_digest

ItemName = tuple[str, str, str]  # case, attempt, statement
Contents = Mapping[ItemName, str]
Change = Literal["right->wrong", "wrong->right", "wrong->wrong", "no label"]
Kind = Literal["lost", "gained", "other reason", "not judged"]


@dataclass(frozen=True)
class Place:
    """An item, and where it stands in the head's files."""

    case: str
    attempt: str
    statement: str
    stratum: str
    split: str
    family: str
    file: str
    line: int | None
    decides: bool  # whether it is in the table that decides


@dataclass(frozen=True)
class Flip:
    """An item with another answer."""

    place: Place
    base: str
    head: str
    label: str  # the head's answer, or why there is none
    change: Change
    base_label: str | None  # where it is another one
    same_content: bool


@dataclass(frozen=True)
class CoverageChange:
    """An item that one of the runs left unscored: an answer, or the reason for none, on either side."""

    place: Place
    base: str
    head: str
    kind: Kind
    same_content: bool


@dataclass(frozen=True)
class Matched:
    """The items of a pair of runs. ``common`` has what decides: the same content on both sides, with the head's label."""

    common: tuple[tuple[Row, Row], ...]  # base, head
    flips: tuple[Flip, ...]
    coverage_changes: tuple[CoverageChange, ...]
    only_base: int
    only_head: int
    other_content: int
    other_label: int


def contents(suite: LoadedSuite) -> Contents:
    """A digest for each item of all that a judge may be shown; family, stratum and split are no part of it."""
    found = {}
    for loaded, attempt in suite.attempts():
        for statement in loaded.statements:
            case = loaded.case.model_copy(update={"family": "x", "stratum": "x", "attempts": (attempt,)})
            alone = replace(suite, cases=(replace(loaded, case=case, statements=(statement,)),), splits=None)
            found[loaded.case.id, attempt.id, statement.id] = data_digest(alone)
    return found


def match(
    base: Sequence[Row],
    head: Sequence[Row],
    base_contents: Contents,
    head_contents: Contents,
    decides: Callable[[Row], bool],
) -> Matched:
    """Match two runs by (case, attempt, statement). ``decides`` says of the head's row whether it is in the table."""
    before, after = ({(r.case, r.attempt, r.statement): r for r in rows} for rows in (base, head))
    pairs = [
        (before[item], row, _same(item, base_contents, head_contents)) for item, row in after.items() if item in before
    ]
    changed = [(one, two, same) for one, two, same in pairs if _told(one) != _told(two)]
    table = [(one, two, same) for one, two, same in pairs if decides(two)]
    return Matched(
        common=tuple((one, two) for one, two, same in table if same),
        flips=tuple(
            _flip(one, two, same, decides(two)) for one, two, same in changed if None not in (one.answer, two.answer)
        ),
        coverage_changes=tuple(
            _coverage(one, two, same, decides(two)) for one, two, same in changed if None in (one.answer, two.answer)
        ),
        only_base=sum(item not in after and decides(row) for item, row in before.items()),
        only_head=sum(item not in before and decides(row) for item, row in after.items()),
        other_content=sum(not same for _, _, same in table),
        other_label=sum(one.label.answer != two.label.answer for one, two, _ in table),
    )


def _same(item: ItemName, base: Contents, head: Contents) -> bool:
    return base.get(item) == head.get(item)


def _told(row: Row) -> str:
    return row.answer or str(row.unscored)


def _place(row: Row, decides: bool) -> Place:
    return Place(
        row.case, row.attempt, row.statement, row.stratum, row.split, row.family, row.file, row.line, decides
    )  # fmt: skip


def _label(row: Row) -> str:
    return row.label.answer or row.label.status


def _flip(base: Row, head: Row, same: bool, decides: bool) -> Flip:
    truth = head.label.answer
    change: Change
    if truth is None:
        change = "no label"
    elif truth in (base.answer, head.answer):
        change = "right->wrong" if base.answer == truth else "wrong->right"
    else:
        change = "wrong->wrong"
    other = _label(base) if _label(base) != _label(head) else None
    return Flip(_place(head, decides), _told(base), _told(head), _label(head), change, other, same)


def _coverage(base: Row, head: Row, same: bool, decides: bool) -> CoverageChange:
    kind: Kind = "other reason" if base.answer == head.answer else "lost" if head.answer is None else "gained"
    if NOT_RUN in (base.unscored, head.unscored):
        kind = "not judged"
    return CoverageChange(_place(head, decides), _shown(base), _shown(head), kind, same)


def _shown(row: Row) -> str:
    if row.answer is not None:
        return row.answer
    return "not judged" if row.unscored == NOT_RUN else f"unscored ({row.unscored})"
