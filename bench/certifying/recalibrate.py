"""From a judge's stored verdicts, or a table, to a map fitted on development rows and its reliability elsewhere."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from bench.certifying.fitting import apply_map
from bench.certifying.recalibration import Recalibration, Scale, fit_calibrator
from bench.certifying.reliability import BeforeAfter, before_and_after
from bench.measure.columns import Column, read_rows
from bench.measure.counts import Floats
from bench.measure.inputs import Truths
from bench.measure.items import REPORTED_SPLITS
from bench.policies.attempts import JudgedAttempt, JudgedSuite
from bench.problems import CannotDecide, shorten

DEVELOPMENT = "development"
OUT_OF_FOLD = "out of fold"


@dataclass(frozen=True, eq=False)
class Rows:
    """Rows that have both a value and a label."""

    values: Floats
    yes: Truths
    families: tuple[str | int, ...]
    strata: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.values)


@dataclass(frozen=True, eq=False)
class Material:
    """What a map is fitted on, and what it is told on; ``reported`` is None where the rows have no splits.

    ``left_out`` counts rows without a label or a value by where they are and why.
    """

    scale: Scale
    development: Rows
    reported: Rows | None
    reported_as: str
    left_out: Mapping[str, int]


@dataclass(frozen=True)
class Outcome:
    """The choice, and reliability before and after on rows that the map was not fitted on; None without such rows."""

    recalibration: Recalibration
    reliability: BeforeAfter | None
    left_out: Mapping[str, int]


def recalibrate(material: Material, seed: int, resamples: int) -> Outcome:
    """Fit on the development rows alone, then look at the others. Raises CannotDecide."""
    own = material.development
    chosen = fit_calibrator(own.values, own.yes, own.families, scale=material.scale, seed=seed)
    keeps_none = chosen.calibrator.kind == "none"
    rows = own if material.reported is None else material.reported
    if len(rows) == 0:
        return Outcome(chosen, None, material.left_out)
    if material.reported is None:
        before, after = np.array(chosen.before), np.array(chosen.out_of_fold)
    else:
        constant = np.full(len(rows), chosen.share_of_yes)
        before = rows.values if material.scale == "probability" else constant
        after = before if keeps_none else apply_map(chosen.calibrator, rows.values)
    found = before_and_after(
        material.reported_as,
        before,
        None if keeps_none else after,
        rows.yes,
        rows.families,
        seed,
        rows.strata,
        resamples,
    )
    return Outcome(chosen, found, material.left_out)


def suite_material(judged: JudgedSuite, statement: str, strata: Sequence[str]) -> Material:
    """The rows of one judge and statement in these strata. Raises CannotDecide."""
    if statement not in judged.scales:
        raise CannotDecide(f"{judged.name} does not answer {statement}; it answers {', '.join(sorted(judged.scales))}")
    scale = judged.scales[statement]
    if scale == "answer":
        raise CannotDecide(
            f"{judged.name} answers {statement} with a bare yes or no: there is no number to map; bench calibrate takes it "
            "as it is"
        )
    mine = [one for one in judged.attempts if one.stratum in strata and statement in one.values]
    parts = {
        DEVELOPMENT: [one for one in mine if one.split == DEVELOPMENT],
        " and ".join(REPORTED_SPLITS[:2]): [one for one in mine if one.split in REPORTED_SPLITS],
    }
    (_, development), (name, reported) = parts.items()
    if not development:
        raise CannotDecide(f"no row of {judged.name} on {statement} is of the development split in {', '.join(strata)}")
    left_out = Counter(
        f"{part}: {why}" for part, attempts in parts.items() for one in attempts if (why := _why_out(one, statement))
    )
    return Material(scale, _of(development, statement), _of(reported, statement), name, dict(sorted(left_out.items())))


def table_material(
    columns: Mapping[str, Column | None],
    names: Mapping[str, str],
    splits: Sequence[str] | None,
    positive: object = None,
) -> Material:
    """The rows of plain columns (labels, probabilities, groups); a row is development where its split says so.

    Raises WrongValues, and ValueError where a group stands on both sides.
    """
    read = read_rows(columns, names, positive)
    stated = read.stated or []
    places = [
        DEVELOPMENT if splits is None or one == DEVELOPMENT else "other rows" for one in splits or [""] * len(stated)
    ]
    by_side = {
        side: {int(group) for group, place in zip(read.groups, places, strict=True) if place == side}
        for side in (DEVELOPMENT, "other rows")
    }
    torn = by_side[DEVELOPMENT] & by_side["other rows"]
    if torn:
        row = next(i for i, group in enumerate(read.groups) if group in torn and places[i] != DEVELOPMENT)
        raise TornGroup(row, len(torn))
    kept: dict[str, list[int]] = {DEVELOPMENT: [], "other rows": []}
    left_out: Counter[str] = Counter()
    for row, (place, label, value) in enumerate(zip(places, read.labels, stated, strict=True)):
        if label is None or value is None:
            left_out[f"{place}: {'no label' if label is None else 'no probability'}"] += 1
        else:
            kept[place].append(row)
    development, reported = (
        Rows(
            np.array([stated[i] for i in rows], dtype=np.float64),
            np.array([read.labels[i] for i in rows], dtype=bool),
            tuple(int(read.groups[i]) for i in rows),
            ("",) * len(rows),
        )
        for rows in kept.values()
    )
    split = splits is not None and bool(by_side["other rows"])
    where = _told(splits) if splits is not None and split else OUT_OF_FOLD
    return Material("probability", development, reported if split else None, where, dict(sorted(left_out.items())))


class TornGroup(ValueError):
    """A group that stands on development and elsewhere: its rows would be told on a map that was fitted on its kin."""

    def __init__(self, row: int, groups: int) -> None:
        super().__init__(f"row {row}: its group also stands in {DEVELOPMENT} ({groups} such groups)")
        self.row = row


def _told(splits: Sequence[str]) -> str:
    return shorten(" and ".join(sorted({one for one in splits if one != DEVELOPMENT})), 40)


def _why_out(one: JudgedAttempt, statement: str) -> str | None:
    if one.labels.get(statement) is None:
        return "no label"
    return one.missing.get(statement, "no value") if one.values[statement] is None else None


def _of(attempts: Sequence[JudgedAttempt], statement: str) -> Rows:
    whole = [one for one in attempts if _why_out(one, statement) is None]
    return Rows(
        np.array([one.values[statement] for one in whole], dtype=np.float64),
        np.array([one.labels[statement] for one in whole], dtype=bool),
        tuple(one.family for one in whole),
        tuple(one.stratum for one in whole),
    )
