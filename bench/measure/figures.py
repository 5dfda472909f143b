"""All figures of a suite: tables of judges, pass@k, agreement. Functions of rows; nothing here asks a judge or reads a file."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from bench.cases.load import LoadedSuite
from bench.labels.load import UNCLEAR, Labels
from bench.measure.agreement import Rating, krippendorff_alpha, raw_agreement
from bench.measure.counts import FamilyVectors, count_families
from bench.measure.estimate import Estimate, undefined_estimate
from bench.measure.intervals import intervals
from bench.measure.metrics import METRICS, Metric
from bench.measure.passk import CaseAttempts, PassEstimate, mean_pass
from bench.measure.ranking import RANK_METRICS, rank_interval, score_families
from bench.measure.rows import Books, Row, books
from bench.measure.signature import Signature
from bench.running.run import Outcome
from bench.schema.suite import PassK, Stratum

JudgedRows = Sequence[tuple[Outcome, Sequence[Row]]]
REPORTED_SPLITS = ("calibration", "test", "all")  # rules and controls are developed on the development split only
_METRICS = ("precision", "recall", "specificity", "f1", "mcc", "balanced_accuracy", "accuracy", "predicted_yes_rate")
_NOT_IN_PAIRS = ("precision", "f1")  # prevalence set by design decides them


@dataclass(frozen=True)
class Worst:
    """What a metric could be, had the judge answered every item it left unscored: all wrong, all right."""

    low: float | None
    high: float | None


@dataclass(frozen=True)
class JudgeLine:
    """One judge in one table."""

    judge: str
    judge_id: str
    books: Books
    coverage: Estimate
    counts: Mapping[str, int]
    metrics: Mapping[str, Estimate]
    bounds: Mapping[str, Worst]  # only where coverage is under 1
    signature: Signature


@dataclass(frozen=True)
class Table:
    """One statement in one stratum: the labels, and every judge that answers it."""

    stratum: Stratum
    statement: str
    splits: tuple[str, ...]
    labels: Mapping[str, int]  # yes, no, unclear, unlabelled
    families: int
    prevalence: Estimate
    lines: tuple[JudgeLine, ...]


@dataclass(frozen=True)
class PassLine:
    """pass@k and pass^k of one source (the labels, or a judge's verdicts)."""

    source: str
    figures: tuple[PassEstimate, ...]


@dataclass(frozen=True)
class AgreementLine:
    """How far the blind votes agree on one statement in one stratum."""

    stratum: str
    statement: str
    items: int
    votes: int
    adjudicated: int
    raw: Estimate
    alpha: Estimate
    alpha_without_unclear: Estimate


@dataclass(frozen=True)
class Figures:
    """Everything that a report of a suite tells."""

    tables: tuple[Table, ...]
    pass_k: tuple[PassLine, ...]
    agreement: tuple[AgreementLine, ...]
    books: Mapping[str, Books]  # by judge, over all splits


def measure(suite: LoadedSuite, judged: JudgedRows, labels: Labels, signature: Signature) -> Figures:
    """Every figure of the suite."""
    tables = []
    for stratum in suite.suite.strata:
        for statement in _statements(suite):
            table = _table(suite, judged, labels, stratum, statement, signature)
            if table is not None:
                tables.append(table)
    return Figures(
        tables=tuple(tables),
        pass_k=_pass_lines(suite, judged, labels) if suite.suite.pass_k else (),
        agreement=_agreement(suite, labels),
        books={outcome.judge.id: books(rows) for outcome, rows in judged},
    )


def _statements(suite: LoadedSuite) -> list[str]:
    own = {s.id for loaded in suite.cases for s in loaded.statements}
    shared = [s.id for s in suite.suite.statements]
    return shared + sorted(own - set(shared))


def _table(
    suite: LoadedSuite, judged: JudgedRows, labels: Labels, stratum: Stratum, statement: str, signature: Signature
) -> Table | None:
    items = list(_items(suite, stratum.id, statement))
    if not items:
        return None
    status = [labels.label(item) for item, _ in items]
    counts = {"yes": 0, "no": 0, "unclear": 0, "unlabelled": 0}
    for label in status:
        key = label.answer if label.status == "labelled" else label.status
        counts[str(key)] = counts.get(str(key), 0) + 1
    known = [
        (label.answer == "yes", family)
        for label, (_, family) in zip(status, items, strict=True)
        if label.answer in ("yes", "no")
    ]
    lines = []
    for outcome, rows in judged:
        mine = [r for r in rows if r.stratum == stratum.id and r.statement == statement and r.split in REPORTED_SPLITS]
        if mine:
            lines.append(_line(suite, outcome, mine, stratum, signature))
    return Table(
        stratum=stratum,
        statement=statement,
        splits=tuple(s for s in REPORTED_SPLITS if suite.splits is None or s != "all"),
        labels=counts,
        families=len({family for _, family in items}),
        prevalence=_share("prevalence", [yes for yes, _ in known], [family for _, family in known]),
        lines=tuple(lines),
    )


def _items(suite: LoadedSuite, stratum: str, statement: str) -> Iterable[tuple[tuple[str, str, str], str]]:
    for loaded, attempt in suite.attempts():
        case = loaded.case
        split = suite.splits.families[case.family] if suite.splits else "all"
        if case.stratum == stratum and split in REPORTED_SPLITS and any(s.id == statement for s in loaded.statements):
            yield (case.id, attempt.id, statement), case.family


def _line(
    suite: LoadedSuite, outcome: Outcome, rows: Sequence[Row], stratum: Stratum, signature: Signature
) -> JudgeLine:
    seed, resamples = suite.suite.seed, suite.suite.resamples
    counted = [row for row in rows if row.counts and row.answer in ("yes", "no")]
    vectors = _vectors(counted)
    wanted = _wanted(stratum)
    metrics = (
        dict(zip((m.name for m in wanted), intervals(wanted, vectors, seed, resamples), strict=True))
        if counted
        else {m.name: undefined_estimate(m.name, "nothing labelled and scored") for m in wanted}
    )
    if not stratum.precision_means_something:
        metrics["paired_accuracy"] = _paired_accuracy(rows)
    metrics["auroc"] = _auroc(counted, seed)
    tally = books(rows)
    return JudgeLine(
        judge=outcome.judge.judge.name,
        judge_id=outcome.judge.id,
        books=tally,
        coverage=_share("coverage", [row.answer is not None for row in rows], [row.family for row in rows]),
        counts=dict(zip(("tp", "fp", "fn", "tn"), (int(c) for c in vectors.totals()), strict=True)) if counted else {},
        metrics=metrics,
        bounds=_bounds(rows, wanted) if tally.scored < tally.expected else {},
        signature=replace(
            signature,
            judge=outcome.judge.id,
            preset=outcome.judge.preset.label,
            stratum=stratum.id,
            statement=rows[0].statement,
            samples=outcome.judge.entry.samples,
        ),
    )


def _wanted(stratum: Stratum) -> list[Metric]:
    hidden = () if stratum.precision_means_something else _NOT_IN_PAIRS
    return [METRICS[name] for name in _METRICS if name not in hidden]


def _vectors(rows: Sequence[Row]) -> FamilyVectors:
    labels = np.array([row.label.answer == "yes" for row in rows], dtype=bool)
    verdicts = np.array([row.answer == "yes" for row in rows], dtype=bool)
    return count_families(labels, verdicts, [row.family for row in rows])


def _share(name: str, hits: Sequence[bool], families: Sequence[str]) -> Estimate:
    if not hits:
        return undefined_estimate(name, "0 items")
    vectors = count_families(np.array(hits, dtype=bool), np.ones(len(hits), dtype=bool), families)
    estimate = intervals([METRICS["accuracy"]], vectors, 0)[0]
    return replace(estimate, name=name)


def _paired_accuracy(rows: Sequence[Row]) -> Estimate:
    """The share of families in which every item is decided as labelled; a family with an unscored item is not right."""
    families: dict[str, list[Row]] = {}
    for row in rows:
        if row.label.status == "labelled":
            families.setdefault(row.family, []).append(row)
    whole = {name: members for name, members in families.items() if len(members) > 1}
    right = [all(row.answer == row.label.answer for row in members) for members in whole.values()]
    return _share("paired_accuracy", right, list(whole))


def _auroc(rows: Sequence[Row], seed: int) -> Estimate:
    if not rows or any(row.ranks is None for row in rows):
        return undefined_estimate("auroc", "the judge gives no number that ranks items")
    scored = score_families(
        np.array([row.ranks for row in rows], dtype=float),
        np.array([row.label.answer == "yes" for row in rows], dtype=bool),
        [row.family for row in rows],
    )
    return rank_interval(RANK_METRICS["auroc"], scored, seed)


def _bounds(rows: Sequence[Row], wanted: Sequence[Metric]) -> dict[str, Worst]:
    labelled = [row for row in rows if row.label.answer in ("yes", "no")]
    if not labelled:
        return {}
    ends = [_vectors([_filled(row, right) for row in labelled]).totals() for right in (False, True)]
    values = {m.name: [None if m.why_undefined(end) else float(m.values(end)) for end in ends] for m in wanted}
    return {name: Worst(low, high) for name, (low, high) in values.items()}


def _filled(row: Row, right: bool) -> Row:
    if row.answer is not None:
        return row
    yes = (row.label.answer == "yes") is right
    return replace(row, answer="yes" if yes else "no")


def _pass_lines(suite: LoadedSuite, judged: JudgedRows, labels: Labels) -> tuple[PassLine, ...]:
    wanted = suite.suite.pass_k
    if wanted is None:
        return ()
    truth: dict[str, CaseAttempts] = {}
    for stratum in wanted.strata:
        for (case, attempt, statement), family in _items(suite, stratum, wanted.statement):
            label = labels.label((case, attempt, statement))
            _add(truth, case, family, stratum, None if label.status != "labelled" else label.answer == "yes")
    lines = [_pass_line("labels", truth, wanted, suite)]
    for outcome, rows in judged:
        said: dict[str, CaseAttempts] = {}
        for row in rows:
            if row.stratum in wanted.strata and row.statement == wanted.statement and row.split in REPORTED_SPLITS:
                _add(said, row.case, row.family, row.stratum, None if row.answer is None else row.answer == "yes")
        if said:
            lines.append(_pass_line(outcome.judge.judge.name, said, wanted, suite))
    return tuple(lines)


def _add(cases: dict[str, CaseAttempts], case: str, family: str, stratum: str, success: bool | None) -> None:
    held = cases.get(case, CaseAttempts(case, family, 0, 0, stratum))
    if success is not None:
        held = replace(held, attempts=held.attempts + 1, successes=held.successes + success)
    cases[case] = held


def _pass_line(source: str, cases: Mapping[str, CaseAttempts], wanted: PassK, suite: LoadedSuite) -> PassLine:
    kinds = (("pass@k", k) for k in wanted.k), (("pass^k", k) for k in wanted.k if k > 1)
    figures = [
        mean_pass(kind, cases.values(), k, suite.suite.seed, suite.suite.resamples)  # type: ignore[arg-type]
        for group in kinds
        for kind, k in group
    ]
    return PassLine(source, tuple(figures))


def _agreement(suite: LoadedSuite, labels: Labels) -> tuple[AgreementLine, ...]:
    lines = []
    for stratum in suite.suite.strata:
        for statement in _statements(suite):
            line = _agreement_line(suite, labels, stratum.id, statement)
            if line is not None:
                lines.append(line)
    return tuple(lines)


def _agreement_line(suite: LoadedSuite, labels: Labels, stratum: str, statement: str) -> AgreementLine | None:
    ratings: list[Rating] = []
    items = adjudicated = 0
    for loaded, attempt in suite.attempts():
        item = (loaded.case.id, attempt.id, statement)
        votes = labels.votes.get(item, ())
        if loaded.case.stratum != stratum or not votes:
            continue
        items += 1
        adjudicated += item in labels.rulings
        unit = "/".join(item)
        ratings += [Rating(loaded.case.family, unit, cast.annotator, cast.vote.answer) for cast in votes]
    if not ratings:
        return None
    seed, resamples = suite.suite.seed, suite.suite.resamples
    decided = [rating for rating in ratings if rating.category != UNCLEAR]
    return AgreementLine(
        stratum=stratum,
        statement=statement,
        items=items,
        votes=len(ratings),
        adjudicated=adjudicated,
        raw=raw_agreement(ratings),
        alpha=krippendorff_alpha(ratings, seed, resamples),
        alpha_without_unclear=krippendorff_alpha(decided, seed, resamples),
    )
