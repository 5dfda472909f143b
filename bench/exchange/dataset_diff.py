"""What changed between two versions of a suite and its labels, and which figures still compare."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from bench.cases.load import AnyStatement, LoadedCase, LoadedSuite
from bench.cases.sources import source_of
from bench.labels.load import CastVote, ItemName, Labels
from bench.measure.signature import data_digest, labels_digest
from bench.schema.suite import Suite
from bench.terminal.words import counted

_WORDS = frozenset({"type", "text", "true", "false", "levels", "options"})  # of a statement: what a judge is shown
_NAMED = 5  # so many are named in a reason


@dataclass(frozen=True)
class Side:
    """One version: how the user named it, what it holds."""

    name: str
    suite: LoadedSuite
    labels: Labels
    guide: str | None  # the whole text


@dataclass(frozen=True)
class Version:
    """What identifies one version."""

    name: str
    version: str
    data: str
    labels: str
    guide: str | None


@dataclass(frozen=True)
class CaseChange:
    """A case of both versions, and which of its parts differ."""

    case: str
    parts: tuple[str, ...]

    @property
    def metadata_only(self) -> bool:
        return self.parts == ("metadata",)


@dataclass(frozen=True)
class StatementChange:
    """A statement of the suite that is new, gone or changed; ``words`` of it are shown to judges, ``other`` is not."""

    statement: str
    how: str
    words: tuple[str, ...] = ()
    other: tuple[str, ...] = ()


@dataclass(frozen=True)
class Move:
    """A family in another split."""

    family: str
    old: str
    new: str


@dataclass(frozen=True)
class LabelChange:
    """An item of both versions whose votes or ruling differ, and its label before and after (they may be the same)."""

    case: str
    attempt: str
    statement: str
    old: str
    new: str
    why: tuple[str, ...]


@dataclass(frozen=True)
class Table:
    """The figures of one stratum and statement: comparable, or why not."""

    stratum: str
    statement: str
    comparable: bool
    why: tuple[str, ...]


@dataclass(frozen=True)
class DatasetDiff:
    """Everything that differs. Notes and the pilot are not compared: no figure rests on them."""

    old: Version
    new: Version
    added: tuple[str, ...]
    removed: tuple[str, ...]
    changed: tuple[CaseChange, ...]
    moved: tuple[Move, ...]
    statements: tuple[StatementChange, ...]
    labels: tuple[LabelChange, ...]
    guide_reworded: bool  # the text differs under one version
    suite_fields: tuple[str, ...]  # of suite.yaml, statements aside
    tables: tuple[Table, ...]

    @property
    def anything(self) -> bool:
        parts = (self.added, self.removed, self.changed, self.moved, self.statements, self.labels, self.suite_fields)
        return any(parts) or self.guide_reworded or replace(self.old, name="") != replace(self.new, name="")


def compare_versions(old: Side, new: Side) -> DatasetDiff:
    """Compare two versions of one suite."""
    before, after = ({loaded.case.id: loaded for loaded in side.suite.cases} for side in (old, new))
    both = [(before[case], after[case]) for case in sorted(before.keys() & after.keys())]
    changes = [CaseChange(one.case.id, parts) for one, two in both if (parts := tuple(_parts(one, two)))]
    labels = tuple(_label_changes(old, new))
    versions = _version(old), _version(new)
    return DatasetDiff(
        *versions,
        added=tuple(sorted(after.keys() - before.keys())),
        removed=tuple(sorted(before.keys() - after.keys())),
        changed=tuple(changes),
        moved=tuple(_moves(old.suite, new.suite)),
        statements=tuple(_statement_changes(old.suite.suite, new.suite.suite)),
        labels=labels,
        guide_reworded=old.guide != new.guide and versions[0].guide == versions[1].guide,
        suite_fields=tuple(_fields_that_differ(old.suite.suite, new.suite.suite)),
        tables=tuple(_tables(old, new, labels)),
    )


def _version(side: Side) -> Version:
    data, labels = data_digest(side.suite), labels_digest(side.labels)
    return Version(side.name, side.suite.suite.version, data, labels, side.labels.guide)


def _parts(old: LoadedCase, new: LoadedCase) -> Iterator[str]:
    for name in ("family", "stratum", "query", "judgment", "trajectory_anchors", "world_state", "metadata"):
        if getattr(old.case, name) != getattr(new.case, name):
            yield "statements" if name == "judgment" else name
    before, after = ({attempt.id: attempt for attempt in loaded.case.attempts} for loaded in (old, new))
    for attempt in [*before, *(name for name in after if name not in before)]:
        if attempt not in before or attempt not in after:
            yield f"attempt {attempt} {'added' if attempt in after else 'removed'}"
            continue
        one, two = before[attempt], after[attempt]
        if source_of(old, one) != source_of(new, two):
            yield f"{attempt}.events"
        yield from (f"{attempt}.{n}" for n in ("harness", "model", "answer") if getattr(one, n) != getattr(two, n))


def _splits(suite: LoadedSuite) -> Mapping[str, str]:
    if suite.splits is None:
        return {loaded.case.family: "none" for loaded in suite.cases}
    return dict(suite.splits.families)


def _moves(old: LoadedSuite, new: LoadedSuite) -> Iterator[Move]:
    before, after = _splits(old), _splits(new)
    for family in sorted(before.keys() & after.keys()):
        if before[family] != after[family]:
            yield Move(family, before[family], after[family])


def _statement_changes(old: Suite, new: Suite) -> Iterator[StatementChange]:
    before, after = ({statement.id: statement for statement in suite.statements} for suite in (old, new))
    for name in [*before, *(name for name in after if name not in before)]:
        if name not in before or name not in after:
            yield StatementChange(name, "added" if name in after else "removed")
        elif fields := _differing(before[name], after[name]):
            words = tuple(field for field in fields if field in _WORDS)
            yield StatementChange(name, "changed", words, tuple(field for field in fields if field not in _WORDS))


def _differing(old: AnyStatement, new: AnyStatement) -> list[str]:
    one, two = (dict(statement) for statement in (old, new))
    fields = [*one, *(name for name in two if name not in one)]
    return [name for name in fields if _ordered(one.get(name)) != _ordered(two.get(name))]


def _ordered(value: object) -> object:
    """A map with its order, which is the order in which options are shown."""
    return list(value.items()) if isinstance(value, dict) else value


def _fields_that_differ(old: Suite, new: Suite) -> Iterator[str]:
    for name, field in Suite.model_fields.items():
        if name not in ("statements", "version") and getattr(old, name) != getattr(new, name):
            yield field.alias or name


def _items(suite: LoadedSuite) -> dict[ItemName, LoadedCase]:
    return {(c.case.id, a.id, s.id): c for c, a in suite.attempts() for s in c.statements}


def _label_changes(old: Side, new: Side) -> Iterator[LabelChange]:
    for item in sorted(_items(old.suite).keys() & _items(new.suite).keys()):
        why = tuple(_why(old.labels, new.labels, item))
        if why:
            labels = (side.labels.label(item) for side in (old, new))
            before, after = (label.answer or label.status for label in labels)
            yield LabelChange(*item, before, after, why)


def _why(old: Labels, new: Labels, item: ItemName) -> Iterator[str]:
    for what, one, two in (("vote", old.votes, new.votes), ("check vote", old.checks, new.checks)):
        before, after = (_answers(side.get(item, ())) for side in (one, two))
        for annotator in sorted(before.keys() | after.keys()):
            if before.get(annotator) != after.get(annotator):
                yield f"{what} of {annotator}: {before.get(annotator, 'none')} -> {after.get(annotator, 'none')}"
    rulings = [labels.rulings.get(item) for labels in (old, new)]
    answers = ["none" if ruling is None else ruling.answer for ruling in rulings]
    if answers[0] != answers[1]:
        yield f"ruling: {answers[0]} -> {answers[1]}"


def _answers(votes: Sequence[CastVote]) -> dict[str, str]:
    return {cast.annotator: cast.vote.answer for cast in votes}


def _tables(old: Side, new: Side, changes: Sequence[LabelChange]) -> Iterator[Table]:
    sides = [_by_table(side.suite) for side in (old, new)]
    reworded = {c.statement for c in _statement_changes(old.suite.suite, new.suite.suite) if c.words}
    for stratum, statement in sorted(sides[0].keys() | sides[1].keys()):
        one, two = (side.get((stratum, statement)) for side in sides)
        if one is None or two is None:
            why = [f"only in {old.name if two is None else new.name}"]
        else:
            mine = [change for change in changes if change.statement == statement]
            why = [*_data_why(one, two, statement in reworded), *_label_why(one, mine), *_split_why(old, new, one, two)]
        yield Table(stratum, statement, not why, tuple(why))


def _by_table(suite: LoadedSuite) -> dict[tuple[str, str], LoadedSuite]:
    """The suite cut down to one stratum and statement, for each that has cases; without splits, which are compared apart."""
    cases: dict[tuple[str, str], list[LoadedCase]] = {}
    for loaded in suite.cases:
        for statement in loaded.statements:
            cases.setdefault((loaded.case.stratum, statement.id), []).append(replace(loaded, statements=(statement,)))
    return {key: replace(suite, cases=tuple(mine), splits=None) for key, mine in cases.items()}


def _data_why(one: LoadedSuite, two: LoadedSuite, reworded: bool) -> Iterator[str]:
    if data_digest(one) == data_digest(two):
        return
    before, after = ({loaded.case.id: loaded for loaded in suite.cases} for suite in (one, two))
    common = sorted(before.keys() & after.keys())
    if reworded:
        yield "the statement's words changed"
    for what, names in (
        ("added", sorted(after.keys() - before.keys())),
        ("removed", sorted(before.keys() - after.keys())),
        (
            "with a change in what judges are shown or in family",
            [case for case in common if _alone(one, before[case], reworded) != _alone(two, after[case], reworded)],
        ),
    ):
        if names:
            yield f"{counted(len(names), 'case')} {what} ({_some(names)})"


def _alone(suite: LoadedSuite, loaded: LoadedCase, reworded: bool) -> str:
    """The data digest of one case; without the statement where its words are told already."""
    case = replace(loaded, statements=()) if reworded else loaded
    return data_digest(replace(suite, cases=(case,)))


def _label_why(one: LoadedSuite, changes: Sequence[LabelChange]) -> Iterator[str]:
    cases = {loaded.case.id for loaded in one.cases}
    names = [f"{change.case}/{change.attempt}" for change in changes if change.case in cases]
    if names:
        yield f"{counted(len(names), 'item')} with other votes or another ruling ({_some(names)})"


def _split_why(old: Side, new: Side, one: LoadedSuite, two: LoadedSuite) -> Iterator[str]:
    before, after = _splits(old.suite), _splits(new.suite)
    families = sorted({c.case.family for c in one.cases} & {c.case.family for c in two.cases})
    moved = [family for family in families if before[family] != after[family]]
    if moved:
        yield f"{len(moved)} families in another split ({_some(moved)})"


def _some(names: Sequence[str]) -> str:
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    return ", ".join(names[:_NAMED]) + more
