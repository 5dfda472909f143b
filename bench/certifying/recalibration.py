"""Choose a calibrator on development rows: the simplest map that is worth having, and usually none."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from bench.certifying.fitting import Against, NoFit, apply_map, fit_map, losses
from bench.deciding.calibrator import Calibrator, Kind
from bench.measure.counts import Floats, Integers, family_codes
from bench.measure.estimand import FEW_FAMILIES
from bench.measure.estimate import rounded
from bench.measure.inputs import Truths, finite_scores, probabilities, same_rows, truths
from bench.measure.resampling import DUST
from bench.problems import CannotDecide

Scale = Literal["probability", "score"]
FEWEST_ROWS = 20
FLEXIBLE_FROM = 300  # rows; under it the candidates have at most two parameters, and each family is left out alone
FOLDS = 10
_FEW: dict[Scale, tuple[Kind, ...]] = {"probability": ("none", "temperature", "platt"), "score": ("none", "platt")}
_MANY: dict[Scale, tuple[Kind, ...]] = {"probability": ("beta", "isotonic"), "score": ("isotonic",)}
NONE_OF: dict[Scale, str] = {
    "probability": "the judge's probability as it is",
    "score": "no probability: always the share of yes",
}


@dataclass(frozen=True)
class Candidate:
    """One kind of map in cross-validation; ``gain`` is the log loss it saves over none, ``error`` its standard error.

    Figures are None where the map could not be fitted, and gain and error are None for none itself; ``why_not`` is there
    unless it is kept. ``calibrator`` is fitted on all rows.
    """

    kind: Kind
    log_loss: float | None
    gain: float | None
    error: float | None
    kept: bool
    why_not: str | None
    calibrator: Calibrator | None


@dataclass(frozen=True)
class Recalibration:
    """The map that is kept, what it was chosen from, and each row's probabilities by maps that never saw its family.

    A calibrator of kind none leaves the judge's values as they are; those of a judge of scores are then no probabilities.
    ``before`` and ``out_of_fold`` stand in the order of the rows: what none says (for scores the share of yes in the other
    folds), and what the kept kind says.
    """

    calibrator: Calibrator
    candidates: tuple[Candidate, ...]
    scale: Scale
    rows: int
    families: int
    yes: int
    folds: int
    seed: int
    before: tuple[float, ...]
    out_of_fold: tuple[float, ...]

    @property
    def share_of_yes(self) -> float:
        return self.yes / self.rows

    @property
    def how(self) -> str:
        """How rows were kept from the maps that judge them."""
        if self.folds == self.families:
            return "each family left out in turn"
        return f"{self.folds} folds of whole families, seed {self.seed}"

    @property
    def sentence(self) -> str:
        """What came out, in words."""
        kept = next(candidate for candidate in self.candidates if candidate.kept)
        if kept.gain is None or kept.error is None:
            return f"none is kept ({NONE_OF[self.scale]}): no map gains more than one standard error"
        return f"{kept.kind} is kept: it saves {rounded(kept.gain, 3)} of log loss, standard error {rounded(kept.error, 3)}"


def fit_calibrator(
    values: ArrayLike, labels: ArrayLike, families: ArrayLike, *, scale: Scale = "probability", seed: int
) -> Recalibration:
    """Fit each kind of map, and keep the simplest that is surely better than none on families it was not fitted on.

    Formula: gain = mean over items of (log loss of none - log loss of the map), each item judged by the map fitted without
    its fold. Under 300 rows each family is a fold; from there on ten folds hold whole families, dealt by seed. The standard
    error is that of a ratio of family sums, sqrt(F / (F - 1) sum_f (D_f - n_f gain)^2) / N. A map with gain > error is worth
    having; of these the simplest is kept that the best does not beat by more than the standard error of their difference.
    Range of the gain: any number of nats, high is good. Undefined (CannotDecide) under 20 rows, 5 families, or two families
    of either class. Reference: Breiman et al. 1984, Classification and Regression Trees, sec. 3.4.3 (the rule of one
    standard error). Easily confused with a gain on the rows fitted on, which every map shows.

    Under 300 rows: none, temperature, Platt; from 300 on beta and isotonic too. Scores that are no probabilities: Platt, and
    isotonic from 300 rows; their none is the share of yes in the other folds. Probabilities are held 1e-6 from 0 and 1.
    """
    found = probabilities(values) if scale == "probability" else finite_scores(values)
    yes = truths(labels, "labels")
    same_rows(values=found, labels=yes, families=np.asarray(families))
    if len(yes) < FEWEST_ROWS:
        raise CannotDecide(f"{len(yes)} rows to fit on, and {FEWEST_ROWS} are the fewest")
    order, family = _canonical(found, yes, family_codes(families, None)[0])
    held, known = found[order], yes[order]
    _refuse_few(known, family)
    fold = _folds(len(known), family, seed)
    kinds = _FEW[scale] + (_MANY[scale] if len(yes) >= FLEXIBLE_FROM else ())
    trials = [_tried(kind, scale, held, known, fold) for kind in kinds]
    chosen = _chosen(trials, known, family)
    kept = next(place for place, candidate in enumerate(chosen) if candidate.kept)
    back = np.argsort(order)
    calibrator = chosen[kept].calibrator or Calibrator()
    before, after = (_stated(trials[place])[back] for place in (0, kept))
    return Recalibration(
        calibrator, chosen, scale, len(yes), int(family.max()) + 1, int(known.sum()), int(fold.max()) + 1, seed,
        tuple(before.tolist()), tuple(after.tolist()),
    )  # fmt: skip


@dataclass(frozen=True, eq=False)
class _Trial:
    """A kind of map: what it says of each row without having seen its fold, and its fit on all rows, or why not."""

    kind: Kind
    stated: Floats | None
    calibrator: Calibrator | None
    why_not: str | None = None


def _tried(kind: Kind, scale: Scale, values: Floats, yes: Truths, fold: Integers) -> _Trial:
    on_scores = scale == "score"
    try:
        whole = fit_map(kind, values, yes, on_scores)
    except NoFit as refusal:
        return _Trial(kind, None, None, str(refusal))
    if kind == "none" and not on_scores:
        return _Trial(kind, values, whole)
    stated = np.empty(len(values))
    for number in range(int(fold.max()) + 1):
        out = fold == number
        if kind == "none":
            stated[out] = np.mean(yes[~out])
            continue
        try:
            stated[out] = apply_map(fit_map(kind, values[~out], yes[~out], on_scores), values[out])
        except Against as flat:
            stated[out] = flat.instead
        except NoFit as refusal:
            return _Trial(kind, None, None, f"with a part left out: {refusal}")
    return _Trial(kind, stated, whole)


def _chosen(trials: Sequence[_Trial], yes: Truths, family: Integers) -> tuple[Candidate, ...]:
    lost = [None if trial.stated is None else losses(trial.stated, yes) for trial in trials]
    told = [_candidate(trial, loss, lost[0], family) for trial, loss in zip(trials, lost, strict=True)]
    worth = [i for i, c in enumerate(told) if c.gain is not None and c.error is not None and c.gain > c.error + DUST]
    if not worth:
        return (replace(told[0], kept=True), *told[1:])
    best = max(worth, key=lambda i: (told[i].gain or 0.0, -i))
    kept = next(i for i in worth if i == best or _is_as_good(lost[i], lost[best], family))
    found = []
    for place, candidate in enumerate(told):
        why = candidate.why_not
        if place == 0:
            why = f"{told[kept].kind} gains more than one standard error"
        elif place in worth and place > kept:
            why = f"not more than one standard error better than {told[kept].kind}, which is simpler"
        elif place in worth and place < kept:
            why = f"{told[best].kind} is better by more than one standard error"
        found.append(replace(candidate, kept=place == kept, why_not=None if place == kept else why))
    return tuple(found)


def _candidate(trial: _Trial, loss: Floats | None, none: Floats | None, family: Integers) -> Candidate:
    if loss is None or none is None:
        return Candidate(trial.kind, None, None, None, False, trial.why_not, None)
    mean = float(np.mean(loss))
    if trial.kind == "none":
        return Candidate(trial.kind, mean, None, None, False, None, trial.calibrator)
    gain, error = _mean_and_error(none - loss, family)
    why = None
    if gain <= error + DUST:
        why = "no gain" if gain <= DUST else "the gain is not more than one standard error"
    return Candidate(trial.kind, mean, gain, error, False, why, trial.calibrator)


def _is_as_good(loss: Floats | None, best: Floats | None, family: Integers) -> bool:
    if loss is None or best is None:
        return False
    behind, error = _mean_and_error(loss - best, family)
    return behind <= error + DUST


def _mean_and_error(values: Floats, family: Integers) -> tuple[float, float]:
    """The mean over items and its standard error with families as the unit."""
    sums, sizes = np.bincount(family, values), np.bincount(family)
    mean, count = float(sums.sum() / len(values)), len(sizes)
    return mean, float(np.sqrt(count / (count - 1) * np.sum((sums - sizes * mean) ** 2)) / len(values))


def _refuse_few(yes: Truths, family: Integers) -> None:
    if yes.all() or not yes.any():
        raise CannotDecide(f"every label is {'yes' if yes.any() else 'no'}: no map can be fitted")
    families = int(family.max()) + 1
    if families < FEW_FAMILIES:
        raise CannotDecide(f"{families} families to fit on, and {FEW_FAMILIES} are the fewest")
    for word, class_rows in (("yes", yes), ("no", ~yes)):
        if len(np.unique(family[class_rows])) < 2:
            raise CannotDecide(f"every {word} is of one family: no fold can be left out")


def _canonical(values: Floats, yes: Truths, codes: Integers) -> tuple[Integers, Integers]:
    """Rows, and their families' new numbers, in an order that only what families hold decides."""
    order = np.lexsort((yes, values, codes))
    held = np.split(order, np.cumsum(np.bincount(codes))[:-1])
    contents = [list(zip(values[part].tolist(), yes[part].tolist(), strict=True)) for part in held]
    ranked = [held[i] for i in sorted(range(len(held)), key=contents.__getitem__)]
    return np.concatenate(ranked), np.repeat(np.arange(len(ranked)), [len(part) for part in ranked])


def _folds(rows: int, family: Integers, seed: int) -> Integers:
    """The fold of each row: its family while there are few rows, so that no luck of the deal decides; else ten folds.

    Families are dealt without a look at their labels: folds of one label mix would flatter every map with a shift.
    """
    if rows < FLEXIBLE_FROM:
        return family
    families = int(family.max()) + 1
    of_family = np.empty(families, dtype=np.int64)
    of_family[np.random.default_rng((seed, 5)).permutation(families)] = np.arange(families) % min(FOLDS, families)
    return of_family[family]


def _stated(trial: _Trial) -> Floats:
    if trial.stated is None:
        raise ValueError(f"{trial.kind} says nothing")
    return trial.stated
