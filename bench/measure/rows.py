"""Pair verdicts with labels: the only module where both sides meet. Everything later is a function of these rows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from bench.cases.load import LoadedSuite
from bench.labels.load import Label, Labels
from bench.running.outcome import Outcome
from bench.running.plan import Expected
from bench.running.store import StoredVerdict
from bench.running.views import View

NOT_RUN = "not_run"  # owed and not stored; no outcome of a judge
WITHOUT_SPLIT = "all"


@dataclass(frozen=True)
class Row:
    """One item of one judge: its label, and the decision over the judge's samples or the reason why there is none."""

    case: str
    attempt: str
    statement: str
    family: str
    stratum: str
    split: str
    label: Label
    answer: str | None
    unscored: str | None
    p: float | None
    score: float | None
    file: str  # where the case stands, for messages
    line: int | None
    said_yes: int = 0  # of the scored samples
    samples_scored: int = 0
    by_sample: tuple[str | None, ...] = ()  # the answer of each sample
    events: int | None = None  # of the attempt, where its length is known
    cut: bool | None = None  # whether the judge's projection left something out; None: it is shown none

    @property
    def counts(self) -> bool:
        """Whether both a label and a decision are there."""
        return self.answer is not None and self.label.status == "labelled"

    @property
    def ranks(self) -> float | None:
        """The number that orders items by how much the judge leans to yes."""
        return self.p if self.p is not None else self.score


@dataclass(frozen=True)
class Books:
    """Where every expected item went. expected = scored + unscored + not run; scored = labelled + unlabelled + unclear."""

    expected: int
    scored: int
    unscored: dict[str, int]
    not_run: int
    labelled: int
    unlabelled: int
    unclear: int

    @property
    def balanced(self) -> bool:
        whole = self.scored + sum(self.unscored.values()) + self.not_run == self.expected
        return whole and self.labelled + self.unlabelled + self.unclear == self.scored


def pair(suite: LoadedSuite, outcome: Outcome, labels: Labels) -> tuple[Row, ...]:
    """One row per item that the judge is expected to answer, in case, attempt, statement order."""
    items: dict[tuple[str, str, str], list[Expected]] = {}
    for e in outcome.expected:
        items.setdefault((e.loaded.case.id, e.attempt.id, e.statement.id), []).append(e)
    return tuple(_row(suite, group, outcome, labels.label(item)) for item, group in items.items())


def _row(suite: LoadedSuite, group: Sequence[Expected], outcome: Outcome, label: Label) -> Row:
    first = group[0]
    case = first.loaded.case
    samples = [outcome.row(e) for e in group]
    view = first.view
    answer, unscored, p, score = decide(samples)
    return Row(
        case=case.id,
        attempt=first.attempt.id,
        statement=first.statement.id,
        family=case.family,
        stratum=case.stratum,
        split=suite.splits.families[case.family] if suite.splits else WITHOUT_SPLIT,
        label=label,
        answer=answer,
        unscored=unscored,
        p=p,
        score=score,
        file=first.loaded.document.file,
        line=first.loaded.line("attempts", case.attempts.index(first.attempt)),
        said_yes=sum(sample is not None and sample.answer == "yes" for sample in samples),
        samples_scored=sum(sample is not None and sample.answer is not None for sample in samples),
        by_sample=tuple(None if sample is None else sample.answer for sample in samples),
        events=_length(first, view),
        cut=None if view is None else view.shown < view.total or view.characters_cut > 0,
    )


def _length(expected: Expected, view: View | None) -> int | None:
    if expected.attempt.events is not None:
        return len(expected.attempt.events)
    return None if view is None else view.total


def decide(samples: Sequence[StoredVerdict | None]) -> tuple[str | None, str | None, float | None, float | None]:
    """(answer, unscored, p, score): the majority of the scored samples; a tie is unscored, and so is nothing scored."""
    if any(sample is None for sample in samples):
        return None, NOT_RUN, None, None
    given = [sample for sample in samples if sample is not None]
    scored = [sample for sample in given if sample.answer is not None]
    if not scored:
        reasons = Counter(sample.unscored for sample in given)
        return None, str(min(reasons, key=lambda r: (-reasons[r], str(r)))), None, None
    votes = Counter(sample.answer for sample in scored).most_common()
    if len(votes) > 1 and votes[0][1] == votes[1][1]:
        return None, "tied", None, None
    return votes[0][0], None, _mean(s.p for s in scored), _mean(s.score for s in scored)


def _mean(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else None


def books(rows: Sequence[Row]) -> Books:
    """Count where the items went."""
    unscored = Counter(row.unscored for row in rows if row.unscored not in (None, NOT_RUN))
    scored = [row for row in rows if row.answer is not None]
    status = Counter(row.label.status for row in scored)
    return Books(
        expected=len(rows),
        scored=len(scored),
        unscored={str(reason): unscored[reason] for reason in sorted(unscored, key=str)},
        not_run=sum(row.unscored == NOT_RUN for row in rows),
        labelled=status["labelled"],
        unlabelled=status["unlabelled"],
        unclear=status["unclear"],
    )
