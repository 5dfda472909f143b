"""How many of a pool really hold, all told: the judge's word, the corrected share, and what the labels allow besides."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Literal

from bench.estimating.ppi import PredictionPowered, ppi_plus_plus
from bench.estimating.rogan_gladen import ClassRates, Corrected, class_rates, corrected_value, rogan_gladen
from bench.estimating.shift import ShiftTest, shift_test
from bench.estimating.sides import LabelledSide, PoolSide, naive_rate, said_yes
from bench.measure.estimand import LEVEL, RESAMPLES
from bench.measure.estimate import Estimate, rounded, undefined_estimate

Status = Literal["estimated", "cannot decide", "withheld"]
Ends = tuple[float | None, float | None]


@dataclass(frozen=True)
class Settings:
    """What was asked for. ``by_group``: the mean over groups (pass@1 over cases), not over rows."""

    by_group: bool = False
    labels_are_random_sample: bool = False
    seed: int = 0
    resamples: int = RESAMPLES
    level: float = LEVEL

    def __post_init__(self) -> None:
        if self.by_group and self.labels_are_random_sample:
            raise ValueError("pass@1 is corrected by class rates alone: leave out one of the two")


@dataclass(frozen=True)
class Coverage:
    """Where the pool's rows went; ``empty_groups`` are groups without any scored row."""

    rows: int
    scored: int
    groups: int
    empty_groups: int
    labelled: int
    labelled_unscored: int
    without_label: int


@dataclass(frozen=True)
class Prevalence:
    """An estimate for a pool. ``naive_ends`` and ``corrected_ends`` are the values if every missing verdict were no, and
    yes; None where nothing is missing. ``powered`` is None unless the labels are said to be a random sample of the pool."""

    naive: Estimate
    corrected: Corrected
    rates: ClassRates
    coverage: Coverage
    naive_ends: Ends | None
    corrected_ends: Ends | None
    powered: PredictionPowered | None
    shift: ShiftTest | None
    settings: Settings

    @property
    def withheld(self) -> bool:
        return self.shift is not None and self.shift.rejected

    @property
    def answer(self) -> Estimate:
        """The figure that was asked for."""
        return self.corrected.estimate if self.powered is None else self.powered.corrected.estimate

    @property
    def status(self) -> Status:
        return "withheld" if self.withheld else "cannot decide" if self.answer.value is None else "estimated"

    @property
    def reason(self) -> str | None:
        """Why there is no figure, or None."""
        if self.withheld and self.shift is not None:
            return (
                f"the judge answers otherwise on the labelled rows than on the pool (p = {rounded(self.shift.p, 3)}), "
                "so they are no random sample of it"
            )
        return self.answer.undefined

    def to_dict(self) -> dict[str, Any]:
        """Everything, in types that JSON has."""
        return {
            "status": self.status,
            "reason": self.reason,
            "naive": asdict(self.naive),
            "rogan_gladen": _corrected(self.corrected),
            "class_rates": asdict(self.rates),
            "coverage": asdict(self.coverage),
            "if_missing_were_no_or_yes": {"naive": self.naive_ends, "rogan_gladen": self.corrected_ends},
            "ppi": None if self.powered is None else _powered(self.powered),
            "labels_alone": None if self.powered is None else asdict(self.powered.classical),
            "shift_test": None if self.shift is None else {**asdict(self.shift), "rejected": self.shift.rejected},
            "settings": asdict(self.settings),
        }


def estimate_prevalence(labelled: LabelledSide, pool: PoolSide, settings: Settings) -> Prevalence:
    """The share of a pool that really holds, as far as the labelled side allows to say."""
    level, by_group = settings.level, settings.by_group
    families = labelled.families()
    rates = class_rates(families, settings.seed, settings.resamples, level)
    name = "corrected pass@1" if by_group else "corrected share"
    said = said_yes(pool, by_group)
    if said is None:
        corrected = Corrected(undefined_estimate(name, "nothing in the pool is scored"), None)
    else:
        corrected = rogan_gladen(name, families, said, rates, level)
    naive_ends = _ends(pool, by_group) if pool.unscored else None
    powered = shift = None
    if settings.labels_are_random_sample and said is not None and len(labelled.yes):
        shift = shift_test(labelled, pool, settings.seed)
        powered = ppi_plus_plus("share by PPI++", labelled, pool, level)
        powered = _withheld(powered) if shift.rejected else powered
    return Prevalence(
        naive_rate(said, by_group, level), corrected, rates, _coverage(labelled, pool),
        naive_ends, None if naive_ends is None or corrected.raw is None else _carried(naive_ends, rates),
        powered, shift, settings,
    )  # fmt: skip


def _ends(pool: PoolSide, by_group: bool) -> Ends:
    low, high = (said_yes(pool.filled(answer), by_group) for answer in (False, True))
    return (None if low is None else low.value), (None if high is None else high.value)


def _carried(ends: Ends, rates: ClassRates) -> Ends:
    low, high = (None if end is None else corrected_value(end, rates) for end in ends)
    return low, high


def _withheld(powered: PredictionPowered) -> PredictionPowered:
    """Without its figure: a rejected shift test leaves nothing of it standing, in no form."""
    name = powered.corrected.estimate.name
    gone = Corrected(undefined_estimate(name, "withheld: the shift test rejects"), None)
    return PredictionPowered(gone, None, powered.uses, powered.classical)


def _coverage(labelled: LabelledSide, pool: PoolSide) -> Coverage:
    empty = pool.without_verdict()
    return Coverage(
        pool.rows, pool.rows - pool.unscored, len(set(pool.groups.tolist())), empty,
        len(labelled.yes), labelled.unscored, labelled.unlabelled,
    )  # fmt: skip


def _corrected(found: Corrected) -> dict[str, Any]:
    return {**asdict(found.estimate), "raw": found.raw, "clipped": found.clipped}


def _powered(found: PredictionPowered) -> dict[str, Any]:
    return {**_corrected(found.corrected), "weight": found.weight, "uses": found.uses}
