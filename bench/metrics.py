"""Measure a judge from plain columns: labels, verdicts, perhaps probabilities and groups. No cases, no files.

    from bench.metrics import evaluate
    print(evaluate(["yes", "no", "yes"], ["yes", "no", "no"]).table())

A column is a list, an array or a column of a DataFrame. Labels and verdicts are truth values, 1 and 0, or one pair of
words ("yes" and "no", "pass" and "fail", ...; ``positive`` names the yes of any other pair). A third value, NaN or
different pairs in the two columns are a ValueError that names the row: nothing is recoded. None and blank text are
missing: a row without a verdict is unscored, a row without a label unlabelled, and both are counted.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from bench.measure.agreement import Rating, krippendorff_alpha, pairwise_kappas, raw_agreement
from bench.measure.answers import WrongValue, WrongValues
from bench.measure.calibration import Calibration, calibration_error
from bench.measure.columns import ROLES, Books, Column, ReadRows, books_of, column_of, read_rows, repeated_ids
from bench.measure.counts import CELLS, FamilyVectors, Floats, Integers, count_families
from bench.measure.estimand import LEVEL, RESAMPLES
from bench.measure.estimate import Estimate, undefined_estimate
from bench.measure.inputs import Truths
from bench.measure.intervals import intervals
from bench.measure.limits import Decision, Limit, weigh
from bench.measure.metrics import FN, FP, METRICS, TN, TP, Metric
from bench.measure.one_metric import (
    SEED,
    accuracy,
    auroc,
    average_precision,
    balanced_accuracy,
    cohen_kappa,
    f1,
    gwet_ac1,
    mcc,
    npv,
    precision,
    predicted_yes_rate,
    prevalence,
    recall,
    specificity,
)  # fmt: skip
from bench.measure.passk import pass_at_k, pass_hat_k
from bench.measure.probability import Decomposition, brier, decompose_brier, log_loss
from bench.measure.ranking import RANK_METRICS, RANK_RESAMPLES, rank_interval, score_families
from bench.measure.risk_coverage import risk_coverage_area
from bench.measure.told import figures_table, sentence
from bench.terminal.words import wrapped

__all__ = [
    "LIMITED", "METRICS", "RANK_METRICS", "Books", "Calibration", "Decision", "Decomposition", "Estimate", "Evaluation", "Limit",
    "Rating", "WrongValue", "WrongValues", "accuracy", "auroc", "average_precision", "balanced_accuracy", "brier",
    "calibration_error", "cohen_kappa", "decompose_brier", "evaluate", "evaluate_table", "f1", "gwet_ac1",
    "krippendorff_alpha", "log_loss", "mcc", "npv", "pairwise_kappas", "pass_at_k", "pass_hat_k", "precision",
    "predicted_yes_rate", "prevalence", "raw_agreement", "recall", "risk_coverage_area", "specificity",
]  # fmt: skip

_TWINS = "every group holds as many yes as no: prevalence is by design"
_BY_PREVALENCE = ("precision", "npv", "f1")
LIMITED = ("coverage", *(name for name, m in METRICS.items() if m.direction != "neither"), *RANK_METRICS)
"""Where a lower limit makes sense."""
_NO_ROWS = "nothing labelled and scored"


@dataclass(frozen=True)
class Evaluation:
    """What is known of a judge. ``metrics`` holds every figure by name, also the undefined ones with their reasons.

    ``counts`` are tp, fp, fn, tn. ``worst`` gives, where labelled rows lack a verdict, each count metric with all of
    those wrong and all right. ``words`` are yes and no as they were written.
    """

    counts: Mapping[str, int]
    metrics: Mapping[str, Estimate]
    coverage: Estimate
    books: Books
    worst: Mapping[str, tuple[float | None, float | None]]
    calibration: Calibration | None
    words: tuple[str, str]
    groups: int
    notes: tuple[str, ...]
    seed: int
    resamples: int
    level: float

    @property
    def sentence(self) -> str:
        """The result in plain words, without a claim that the intervals do not carry."""
        return sentence(self.counts, self.metrics, self.words, self.level, self.books.labelled_unscored)

    @property
    def one_class(self) -> str | None:
        """Why the labels cannot show whether the judge tells yes from no, or None."""
        yes, no = self.counts["tp"] + self.counts["fn"], self.counts["fp"] + self.counts["tn"]
        if yes and no:
            return None
        return f"every label is {self.words[0 if yes else 1]}" if yes or no else _NO_ROWS

    def decide(self, limit: Limit) -> Decision:
        """Whether the metric is at least the limit, by its interval; labels of one class decide nothing in favour."""
        if limit.metric not in LIMITED or not 0 <= limit.value <= 1:
            raise ValueError(f"no limit {limit}: a value from 0 to 1 for one of {', '.join(LIMITED)}")
        known = {**self.metrics, "coverage": self.coverage}
        estimate = known.get(limit.metric) or undefined_estimate(limit.metric, "there are no probabilities")
        found = weigh(limit, estimate, self.books.measured, self.worst.get(limit.metric))
        if found.status == "met" and self.one_class is not None and limit.metric != "coverage":
            return Decision(limit, "cannot decide", self.one_class)
        return found

    def table(self) -> str:
        """The figures as text, at most 80 columns wide."""
        lines = figures_table([self.coverage, *self.metrics.values()], self.level)
        return "\n".join([*lines, *map(wrapped, self.notes)])

    def to_dict(self) -> dict[str, Any]:
        """Everything, in types that JSON has."""
        return {
            "sentence": self.sentence,
            "counts": dict(self.counts),
            "books": asdict(self.books),
            "coverage": asdict(self.coverage),
            "metrics": {name: asdict(estimate) for name, estimate in self.metrics.items()},
            "worst": {name: list(ends) for name, ends in self.worst.items()},
            "calibration": None if self.calibration is None else asdict(self.calibration),
            "yes": self.words[0],
            "no": self.words[1],
            "groups": self.groups,
            "notes": list(self.notes),
            "seed": self.seed,
            "resamples": self.resamples,
            "level": self.level,
        }


def evaluate(
    labels: Column,
    verdicts: Column | None,
    *,
    groups: Column | None = None,
    probabilities: Column | None = None,
    positive: object = None,
    seed: int = SEED,
    resamples: int = RESAMPLES,
    level: float = LEVEL,
) -> Evaluation:
    """Compare verdicts with labels, row by row. Without verdicts a row is yes where its probability is at least .5.

    Rows of one group (a session, a document, a pair of twins) hang together: intervals are drawn from whole groups.
    Without groups each row stands for itself. Raises WrongValues, a ValueError with all that is wrong.
    """
    columns = {"labels": labels, "verdicts": verdicts, "probabilities": probabilities, "groups": groups}
    return evaluate_columns(columns, {role: role for role in ROLES}, positive, seed, resamples, level)


def evaluate_table(
    table: Any,
    *,
    label: str,
    verdict: str | None,
    probability: str | None = None,
    group: str | None = None,
    id: str | None = None,  # noqa: A002
    positive: object = None,
    seed: int = SEED,
    resamples: int = RESAMPLES,
    level: float = LEVEL,
) -> Evaluation:
    """:func:`evaluate` for a DataFrame, a mapping of columns, or a sequence of rows that are mappings.

    Columns are named, never guessed. An id that stands twice is refused.
    """
    wanted = {"labels": label, "verdicts": verdict, "probabilities": probability, "groups": group}
    columns = {role: None if name is None else column_of(table, name) for role, name in wanted.items()}
    if id is not None and (twice := repeated_ids(column_of(table, id), id)):
        raise WrongValues(twice)
    names = {role: name or role for role, name in wanted.items()}
    return evaluate_columns(columns, names, positive, seed, resamples, level)


def evaluate_columns(
    columns: Mapping[str, Column | None],
    names: Mapping[str, str],
    positive: object = None,
    seed: int = SEED,
    resamples: int = RESAMPLES,
    level: float = LEVEL,
) -> Evaluation:
    """:func:`evaluate` of columns by role (labels, verdicts, probabilities, groups), which errors call by ``names``."""
    if not (isinstance(level, int | float) and 0 < level < 1):
        raise ValueError(f"level must lie between 0 and 1, not {level!r}")
    if resamples < 1 or seed < 0:
        raise ValueError(f"resamples must be at least 1 and seed at least 0, not {resamples} and {seed}")
    return _evaluate(read_rows(columns, names, positive), (seed, resamples, level))


def _evaluate(rows: ReadRows, settings: tuple[int, int, float]) -> Evaluation:
    seed, resamples, level = settings
    both = rows.both()
    yes, said = (np.array([column[i] for i in both], dtype=bool) for column in (rows.labels, rows.verdicts))
    families = count_families(yes, said, rows.groups[both])
    if len(both):
        metrics = dict(zip(METRICS, intervals(METRICS.values(), families, seed, resamples, level), strict=True))
    else:
        metrics = {name: undefined_estimate(name, _NO_ROWS) for name in METRICS}
    twins = _are_twins(families)
    if twins:
        metrics |= {name: undefined_estimate(name, _TWINS, families.families) for name in _BY_PREVALENCE}
    calibration, notes, without = None, [], 0
    if rows.stated is not None:
        kept = np.array([i for i in both if rows.stated[i] is not None], dtype=np.int64)
        without = len(both) - len(kept)
        stated = np.array([rows.stated[i] for i in kept], dtype=np.float64)
        known = np.array([rows.labels[i] for i in kept], dtype=bool)
        calibration = _of_probabilities(metrics, stated, known, rows.groups[kept], settings)
        notes += _oddities(stated, np.array([rows.verdicts[i] for i in kept], dtype=bool))
    books = books_of(rows, without)
    totals = dict(zip(CELLS, (int(count) for count in families.totals()), strict=True))
    return Evaluation(
        totals, metrics, _coverage(rows, level), books, _worst(rows, metrics) if books.labelled_unscored else {},
        calibration, rows.words, len(set(rows.groups.tolist())), tuple(notes), seed, resamples, level,
    )  # fmt: skip


def _are_twins(families: FamilyVectors) -> bool:
    """Whether every group holds as many yes as no, which no sample does by chance."""
    yes, no = families.items[:, [TP, FN]].sum(axis=1), families.items[:, [FP, TN]].sum(axis=1)
    return families.families > 1 and bool(np.all((yes == no) & (yes > 0)))


def _of_probabilities(
    metrics: dict[str, Estimate], stated: Floats, yes: Truths, groups: Integers, settings: tuple[int, int, float]
) -> Calibration:
    seed, resamples, level = settings
    few = min(resamples, RANK_RESAMPLES)  # a draw costs a number for each distinct family, here nearly each row
    scored = score_families(stated, yes, groups)
    for name, metric in RANK_METRICS.items():
        metrics[name] = rank_interval(metric, scored, seed, few, level)
    metrics["brier"] = brier(stated, yes, groups, seed, resamples=few, level=level)
    metrics["log_loss"] = log_loss(stated, yes, groups, seed, resamples=few, level=level)
    calibration = calibration_error(stated, yes, groups, seed, resamples=few, level=level)
    metrics["calibration_error"] = calibration.error
    return calibration


def _oddities(stated: Floats, said: Truths) -> list[str]:
    """Verdicts against their own probabilities: perhaps the column is confidence in the verdict, whichever it is."""
    differ = int(np.sum(said != (stated >= 0.5)))
    if not differ:
        return []
    if np.all(stated >= 0.5):
        return [
            f"no probability is under .5, also of the {differ} rows that say no: it looks like confidence in the verdict,"
            " not the probability of yes; then AUROC, Brier, log loss and calibration error mean nothing"
        ]
    return [f"on {differ} rows the verdict is not what the probability says at .5"]


def _coverage(rows: ReadRows, level: float) -> Estimate:
    if not rows.verdicts:
        return undefined_estimate("coverage", "0 rows")
    there = np.array([verdict is not None for verdict in rows.verdicts])
    counted = count_families(np.ones(len(there), dtype=bool), there, rows.groups)
    return replace(intervals((METRICS["accuracy"],), counted, SEED, level=level)[0], name="coverage")


def _worst(rows: ReadRows, metrics: Mapping[str, Estimate]) -> dict[str, tuple[float | None, float | None]]:
    """Each count metric with every missing verdict wrong, and right."""
    labelled = [i for i, label in enumerate(rows.labels) if label is not None]
    yes = np.array([rows.labels[i] for i in labelled], dtype=bool)
    ends = []
    for right in (False, True):
        filled = [rows.labels[i] is right if rows.verdicts[i] is None else rows.verdicts[i] for i in labelled]
        ends.append(count_families(yes, np.array(filled, dtype=bool), rows.groups[labelled]).totals())
    shown = [metric for name, metric in METRICS.items() if metrics[name].undefined != _TWINS]
    return {metric.name: (_value(metric, ends[0]), _value(metric, ends[1])) for metric in shown}


def _value(metric: Metric, totals: Floats) -> float | None:
    return None if metric.why_undefined(totals) is not None else float(metric.values(totals))
