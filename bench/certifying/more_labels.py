"""No certificate: about how many more labelled families would do, by what the path has shown."""

from __future__ import annotations

from dataclasses import dataclass

from bench.certifying.sequence import ONE_ITEM, BandTest, Step
from bench.measure.certificate_power import labels_for_certificate
from bench.measure.estimand import FEW_ITEMS
from bench.measure.estimate import rounded
from bench.measure.power import POWER


@dataclass(frozen=True)
class MoreLabels:
    """``families`` more labelled families, or None, and ``told`` says it in words.

    ``threshold``, ``selection`` (families counted there of all) and ``error`` are those of the point it was reckoned at.
    """

    families: int | None
    told: str
    threshold: float | None
    selection: float | None
    error: float | None


def more_labels(test: BandTest, power: float = POWER) -> MoreLabels:
    """About how many more labelled families would probably bring a certificate, at the best point of the path.

    Formula: the fewest over path points of labels_for_certificate(selection, error) at the selection and error rates
    observed there, less the families at hand. Range 1 up, low is good. Undefined (None, with the reason) where the
    error is not under the target, or no row is selected. Reference: Clopper and Pearson 1934, as
    bench.measure.certificate_power. Easily confused with a promise: the best of several observed points flatters, and
    betting and adjusted limits need more than the one item a family that is reckoned with.
    """
    points = [step for step in test.steps if _counted(test, step) >= FEW_ITEMS] or list(test.steps[-1:])
    points = [step for step in points if step.counted > 0]
    if not points:
        return MoreLabels(None, "no row was selected: its scores do not reach the path", None, None, None)
    needed = [(_needed(test, step, power), place) for place, step in enumerate(points)]
    reached = [(count, place) for count, place in needed if count is not None]
    if not reached:
        least = min(points, key=_error)
        return _none(test, least, _why(test, least))
    count, place = min(reached)
    step, more = points[place], count - test.families
    if more <= 0:
        return _none(
            test, step,
            f"{count} families would do 4 times in 5 by what threshold {step.threshold:g} shows, and {test.families} "
            "are there: a stricter threshold failed, or chance was against it",
        )  # fmt: skip
    bound = "" if test.method == ONE_ITEM else "at least "
    rough = "" if _counted(test, step) >= FEW_ITEMS else f" (a rough guess from {step.counted} selected rows)"
    told = f"{bound}about {more} more labelled families would probably (4 in 5) do{rough}"
    return MoreLabels(more, told, step.threshold, _selection(test, step), _error(step))


def _needed(test: BandTest, step: Step, power: float) -> int | None:
    return labels_for_certificate(_selection(test, step), _error(step), test.target, test.delta, power)


def _why(test: BandTest, step: Step) -> str:
    if _error(step) >= test.target:
        where = "is the target" if _error(step) == test.target else f"is above the target of {rounded(test.target)}"
        return f"its observed error {rounded(_error(step))} {where}: more labels do not help"
    return f"its observed error {rounded(_error(step))} is too near the target of {rounded(test.target)} for any number"


def _none(test: BandTest, step: Step, told: str) -> MoreLabels:
    return MoreLabels(None, told, step.threshold, _selection(test, step), _error(step))


def _counted(test: BandTest, step: Step) -> int:
    return step.counted if test.method == ONE_ITEM else step.families


def _selection(test: BandTest, step: Step) -> float:
    return _counted(test, step) / test.families


def _error(step: Step) -> float:
    return step.wrong / step.counted
