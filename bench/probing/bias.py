"""Length, position and format: do they go along with what a judge says? A regression with families as the unit.

It controls for nothing else: a session's length may be a real sign.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, stdtrit

from bench.measure.estimate import Estimate, undefined_estimate
from bench.probing.asking import Said, Traits

Floats = NDArray[np.float64]
PENALTY = 0.1  # on standardised columns: holds a coefficient that the data leave free, moves the others little
RARER = 10  # answers of the rarer kind that a regression needs
FAMILIES = 15
LEAST_OF_A_HARNESS = 5
METHOD = "ridge logistic, families clustered, t"
_BARELY = 1e-5  # of the ridge: what is left to see whether the columns tell every answer
_RUNS_AWAY = 3.0  # of a coefficient per standard deviation: an odds ratio of 20
_STEPS = 50
_DOUBLING = {"events": "per doubling of the events", "prompts": "per doubling of the typed prompts"}
_LAST = "last prompt at the end, not at the start"


@dataclass(frozen=True)
class Bias:
    """The odds ratios of one judge on one statement. ``target`` is what was regressed: the answer, or P(yes)."""

    judge: str
    statement: str
    target: str
    sessions: int
    left_out: int  # without a typed prompt, or unscored
    ratios: tuple[Estimate, ...]


def regress(judge: str, statement: str, said: Mapping[str, Said], traits: Mapping[str, Traits]) -> Bias:
    """Odds ratios of yes by length, typed prompts, place of the last one, and harness.

    Formula: exp(b) of a logistic regression on log2 events, log2 typed prompts, the place of the last one (0 to 1) and the
    harness (against the commonest), all at once, with a weak ridge; intervals from the family-clustered sandwich with a t
    quantile. Where the judge gives probabilities they are the target, else its answers. Range 0 to infinity, 1 is no
    relation. Undefined with under 10 yes or no, under 15 families, without spread in the column, or where the columns tell
    every answer. Reference: Papke and Wooldridge 1996, J. Applied Econometrics 11:619 (fractional logit); Liang and Zeger
    1986, Biometrika 73:13 (sandwich). Easily confused with a bias: longer sessions may really hold more.
    """
    named = [
        (name, one) for name, one in said.items() if one.answer is not None and traits[name].last_prompt is not None
    ]
    answers = [one for _, one in named]
    rows = [traits[name] for name, _ in named]
    left_out = len(said) - len(rows)
    given = [one.p for one in answers if one.p is not None]
    by_p = len(given) == len(answers) and len(set(given)) > 2
    target = np.array(given if by_p else [one.answer == "yes" for one in answers], dtype=np.float64)
    families = [row.family for row in rows]
    columns = _columns(rows)
    told = "P(yes)" if by_p else "the answer"
    reason = _why_not(target, families, by_p)
    if reason is None:
        ratios = _ratios(columns, target, families, by_p)
    else:
        ratios = tuple(undefined_estimate(name, reason, len(set(families))) for name in columns)
    return Bias(judge, statement, told, len(rows), left_out, ratios)


def _why_not(target: Floats, families: Sequence[str], by_p: bool) -> str | None:
    count = len(set(families))
    if not by_p:
        yes = int(target.sum())
        if min(yes, len(target) - yes) < RARER:
            return f"under {RARER} yes or under {RARER} no ({yes}, {len(target) - yes})"
    elif len(target) < 2 * RARER:
        return f"{len(target)} sessions; {2 * RARER} are needed"
    return f"{count} families; {FAMILIES} are needed" if count < FAMILIES else None


def _columns(rows: Sequence[Traits]) -> dict[str, Floats]:
    columns = {
        _DOUBLING["events"]: np.log2([max(row.events, 1) for row in rows]),
        _DOUBLING["prompts"]: np.log2([max(row.prompts, 1) for row in rows]),
        _LAST: np.array([row.last_prompt or 0.0 for row in rows]),
    }
    counts = Counter(row.harness for row in rows)
    ordered = sorted(counts, key=lambda name: (-counts[name], name))
    for name in ordered[1:]:
        if counts[name] >= LEAST_OF_A_HARNESS:
            columns[f"{name}, not {ordered[0]}"] = np.array([row.harness == name for row in rows], dtype=np.float64)
    rest = [name for name in ordered[1:] if counts[name] < LEAST_OF_A_HARNESS]
    if rest:
        columns[f"another harness, not {ordered[0]}"] = np.array(
            [row.harness in rest for row in rows], dtype=np.float64
        )
    return {name: np.asarray(column, dtype=np.float64) for name, column in columns.items()}


def _ratios(columns: Mapping[str, Floats], target: Floats, families: Sequence[str], by_p: bool) -> tuple[Estimate, ...]:
    count = len(set(families))
    usable = {name: column for name, column in columns.items() if np.ptp(column) > 0}
    if not usable:
        return tuple(undefined_estimate(name, "no spread", count) for name in columns)
    fit = clustered_logistic(np.column_stack(list(usable.values())), target, families)
    places = {name: place for place, name in enumerate(usable)}
    found = []
    for name, column in columns.items():
        if name not in usable:
            found.append(undefined_estimate(name, "no spread", count))
        elif fit.separated and not by_p:
            found.append(undefined_estimate(name, "length, prompts, place and harness tell every answer", count))
        elif not by_p and (reason := _one_sided(column, target) or fit.why_endless(places[name])):
            found.append(undefined_estimate(name, reason, count))
        else:
            found.append(_ratio(name, fit.point[places[name]], fit.errors[places[name]], count))
    return tuple(found)


def _one_sided(column: Floats, target: Floats) -> str | None:
    """Why a yes / no column has no finite ratio: one of its sides got one answer only."""
    if set(np.unique(column)) != {0.0, 1.0}:
        return None
    return "one answer only on one side" if any(np.ptp(target[column == side]) == 0 for side in (0.0, 1.0)) else None


def _ratio(name: str, point: float, error: float, families: int) -> Estimate:
    half = float(stdtrit(max(families - 1, 1), 0.975)) * error
    value, low, high = (float(np.exp(np.clip(x, -50, 50))) for x in (point, point - half, point + half))
    return Estimate(name, value, low, high, METHOD, families)


@dataclass(frozen=True)
class Fit:
    """Coefficients of the columns (without the intercept) and their clustered standard errors; ``free`` are the
    coefficients with hardly a ridge. ``separated``: the columns tell every yes from every no, so that there is no largest
    likelihood. ``scale`` is the spread of each column."""

    point: Floats
    errors: Floats
    free: Floats
    scale: Floats
    separated: bool

    def why_endless(self, place: int) -> str | None:
        """Why a column has no ratio of its own: without the ridge its coefficient would run away."""
        held, free = (abs(float(x[place] * self.scale[place])) for x in (self.point, self.free))
        return "a column that all but tells the answer" if free > _RUNS_AWAY and free > 2 * held else None


def clustered_logistic(inputs: Floats, target: Floats, families: Sequence[str], penalty: float = PENALTY) -> Fit:
    """Fit the answers to the columns. Rows are put in a canonical order first."""
    codes = np.unique(np.asarray(families), return_inverse=True)[1].reshape(-1)
    order = np.lexsort((*inputs.T, target))
    inputs, target, codes = inputs[order], target[order], codes[order]
    scale = inputs.std(axis=0)
    design = np.column_stack([np.ones(len(inputs)), (inputs - inputs.mean(axis=0)) / scale])
    ridge = np.append(0.0, np.full(inputs.shape[1], penalty))
    point = _fitted(design, target, ridge)
    p = expit(design @ point)
    bread = np.linalg.inv((design.T * (p * (1 - p))) @ design + np.diag(ridge + 1e-12))
    scores = np.zeros((int(codes.max()) + 1, design.shape[1]))
    np.add.at(scores, codes, design * (target - p)[:, None])
    scores = scores[np.lexsort(scores.T)]
    scores = scores - scores.mean(axis=0)
    groups, (rows, width) = len(scores), design.shape
    spread = bread @ (scores.T @ scores) @ bread * groups / max(groups - 1, 1) * (rows - 1) / max(rows - width, 1)
    free = _fitted(design, target, ridge * _BARELY)
    separated = bool(np.all((design @ free > 0) == (target > 0.5)))
    return Fit(point[1:] / scale, np.sqrt(np.diag(spread))[1:] / scale, free[1:] / scale, scale, separated)


def _fitted(design: Floats, target: Floats, ridge: Floats) -> Floats:
    """By Newton's method; a step is never longer than 5."""
    point = np.zeros(design.shape[1])
    for _ in range(_STEPS):
        p = expit(design @ point)
        bend = (design.T * (p * (1 - p))) @ design + np.diag(ridge + 1e-12)
        step = np.linalg.solve(bend, design.T @ (target - p) - ridge * point)
        size = float(np.abs(step).max())
        point = point + step * min(1.0, 5.0 / max(size, 1e-300))
        if size < 1e-10:
            break
    return point
