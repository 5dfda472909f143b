"""The members of a panel: what several judges say of the same items, and what asking them took, as recorded."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from bench.judges.contract import CallingJudge
from bench.judges.own import OwnJudge
from bench.measure.items import JudgedRows, headline
from bench.measure.rows import NOT_RUN, Row
from bench.policies.attempts import Scale, scale_of, value_of
from bench.problems import BrokenInput, Problem
from bench.running.outcome import Outcome
from bench.running.plan import SeatedJudge
from bench.running.store import StoredVerdict

_ANSWERS: Mapping[str, bool] = {"yes": True, "no": False}
_Name = tuple[str, str]  # case, attempt


@dataclass(frozen=True)
class Member:
    """A judge that may sit in a panel. ``free``: it is code of this project, which costs nothing by definition."""

    name: str
    id: str
    scale: Scale
    calls_a_model: bool
    free: bool


@dataclass(frozen=True)
class Voice:
    """What one member says of one item: an answer (yes is True), or why there is none; its value; what asking took.

    ``usd`` and ``ms`` are sums over the member's samples, None where a stored verdict does not say.
    """

    answer: bool | None
    why: str | None = None
    value: float | None = None
    usd: float | None = None
    ms: float | None = None

    @property
    def was_run(self) -> bool:
        return self.why != NOT_RUN


@dataclass(frozen=True)
class Item:
    """One item with a voice of each member, in the members' order. ``row`` lends its case, split and label."""

    row: Row
    voices: tuple[Voice, ...]

    @property
    def label(self) -> bool | None:
        return _ANSWERS.get(self.row.label.answer or "") if self.row.label.status == "labelled" else None


@dataclass(frozen=True)
class Assembly:
    """Judges that answer one statement, and its items in one stratum."""

    members: tuple[Member, ...]
    items: tuple[Item, ...]

    def of(self, *splits: str) -> tuple[Item, ...]:
        """The items of these splits."""
        return tuple(item for item in self.items if item.row.split in splits)


def assemble(judged: JudgedRows, statement: str, stratum: str, names: Sequence[str] = ()) -> Assembly:
    """The judges of the headline tables that answer the statement: those named (by name or judge_id, in that order),
    else all but the controls. Raises BrokenInput for a name that is none of theirs."""
    seated = [(outcome, rows) for outcome, rows in headline(judged) if statement in outcome.judge.entry.answers]
    chosen = [_named(seated, name) for name in names] if names else [pair for pair in seated if not _control(pair[0])]
    if len({outcome.judge.id for outcome, _ in chosen}) < len(chosen):
        found = "a judge that stands twice"
        raise BrokenInput([Problem("command line", None, None, "--members", found, "name each once, by name or id")])
    shown = [outcome.judge.judge.name for outcome, _ in chosen]
    members, columns = [], []
    for (outcome, rows), name in zip(chosen, shown, strict=True):
        mine = [row for row in rows if row.statement == statement and row.stratum == stratum]
        scale = scale_of(mine)
        members.append(_member(outcome.judge, name if shown.count(name) == 1 else outcome.judge.id, scale))
        columns.append(_column(outcome, mine, scale, members[-1].free))
    places: dict[_Name, Row] = {}
    for _, rows in chosen:
        for row in rows:
            if row.statement == statement and row.stratum == stratum:
                places.setdefault((row.case, row.attempt), row)
    absent = Voice(None, NOT_RUN)
    items = (Item(row, tuple(column.get(name, absent) for column in columns)) for name, row in places.items())
    return Assembly(tuple(members), tuple(items))


def _named(seated: JudgedRows, word: str) -> tuple[Outcome, Sequence[Row]]:
    found = [pair for pair in seated if word in (pair[0].judge.judge.name, pair[0].judge.id)]
    if len(found) == 1:
        return found[0]
    if found:
        fix = f"use an id: {', '.join(outcome.judge.id for outcome, _ in found)}"
        raise BrokenInput([Problem("command line", None, None, "--members", f"{word!r} stands for several", fix)])
    known = ", ".join(outcome.judge.judge.name for outcome, _ in seated) or "no judge"
    fix = f"this statement is answered by {known}"
    raise BrokenInput([Problem("command line", None, None, "--members", f"no judge {word!r}", fix)])


def _control(outcome: Outcome) -> bool:
    return "control" in outcome.judge.judge.fingerprint()


def _member(seat: SeatedJudge, name: str, scale: Scale) -> Member:
    calls = isinstance(seat.judge, CallingJudge)
    return Member(name, seat.id, scale, calls, free=not (calls or isinstance(seat.judge, OwnJudge)))


def _column(outcome: Outcome, rows: Sequence[Row], scale: Scale, free: bool) -> dict[_Name, Voice]:
    held: dict[tuple[str, str, str], list[StoredVerdict | None]] = {}
    for e in outcome.expected:
        held.setdefault((e.loaded.case.id, e.attempt.id, e.statement.id), []).append(outcome.row(e))
    return {
        (row.case, row.attempt): _voice(row, scale, free, held.get((row.case, row.attempt, row.statement), []))
        for row in rows
    }


def _voice(row: Row, scale: Scale, free: bool, samples: Sequence[StoredVerdict | None]) -> Voice:
    if row.unscored == NOT_RUN:
        return Voice(None, NOT_RUN)
    given = [sample for sample in samples if sample is not None]
    usd = _sum([0.0 if free and sample.cost_usd is None else sample.cost_usd for sample in given])
    ms = _sum([sample.latency_ms for sample in given])
    answer = _ANSWERS.get(row.answer or "")
    why = None if answer is not None else row.unscored or "not_applicable"
    return Voice(answer, why, None if answer is None else value_of(row, scale), usd, ms)


def _sum(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) if known and len(known) == len(values) else None
