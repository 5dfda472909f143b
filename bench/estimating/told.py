"""What an estimate means, in plain words: the answer first, then what it rests on."""

from __future__ import annotations

from collections.abc import Iterator

from bench.estimating.prevalence import Ends, Prevalence
from bench.estimating.rogan_gladen import Corrected
from bench.estimating.shift import ALPHA, POWER
from bench.measure.estimate import Estimate, rounded
from bench.terminal.words import counted

HIGHER_K = (
    "pass@k for k > 1 is not corrected: two attempts at one case share what misleads the judge, so its errors are not "
    "independent, and the rates of single verdicts do not say how often it errs on both"
)


def sentence(found: Prevalence) -> str:
    """The answer, or why there is none."""
    what = "pass@1" if found.settings.by_group else "the share that really holds"
    if found.status == "withheld":
        return f"Withheld: {found.reason}."
    answer = found.answer
    if answer.value is None or answer.low is None or answer.high is None:
        return f"{what[0].upper()}{what[1:]} cannot be said: {found.reason}."
    judged = "" if found.naive.value is None else f"; the judge alone says {rounded(found.naive.value)}"
    level = f"{found.settings.level * 100:.4g} %"
    few = " (few labelled rows: the interval is what counts)" if answer.too_few else ""
    return (
        f"{what[0].upper()}{what[1:]} is about {rounded(answer.value)}, at {level} between {rounded(answer.low)} and "
        f"{rounded(answer.high)}{judged}{few}."
    )


def estimates(found: Prevalence) -> list[Estimate]:
    """The figures of the table, in its order."""
    rates, powered = found.rates, found.powered
    more = [] if powered is None else [powered.corrected.estimate, powered.classical]
    return [
        found.naive, rates.true_positive, rates.false_positive, rates.difference, found.corrected.estimate, *more,
    ]  # fmt: skip


def remarks(found: Prevalence) -> Iterator[str]:
    """What a reader must know beside the figures: coverage, cuts, the shift test, pass@1."""
    yield _coverage(found)
    powered = [] if found.powered is None else [found.powered.corrected]
    for corrected in (found.corrected, *powered):
        yield from _cut(corrected)
    if found.powered is not None and found.powered.weight is not None:
        uses, weight = found.powered.uses, rounded(found.powered.weight)
        yield f"PPI++ gives the judge's {uses} the weight {weight} (0: the labels alone; 1: all of it)"
    if found.shift is not None:
        yield _shift(found)
    if found.settings.by_group:
        yield from _pass(found)


def assumptions(found: Prevalence, judges: tuple[str | None, str | None]) -> list[str]:
    """The conditions under which the figures hold; ``judges`` are those of the labelled side and of the pool."""
    rates, told = found.rates, []
    if found.corrected.raw is not None:
        told.append(
            f"the {found.corrected.estimate.name} holds if the judge errs here as often as on the labelled rows (yes on "
            f"{_value(rates.true_positive)} of the true yes and on {_value(rates.false_positive)} of the true no), and "
            "these were drawn at random from sessions of this kind; another share of yes there does no harm"
        )
    if found.powered is not None and not found.withheld:
        told.append("PPI++ and the labels alone hold if the labelled rows are a random sample of this very pool")
    if found.coverage.scored < found.coverage.rows or found.coverage.labelled_unscored:
        told.append("rows without a verdict are left out, as if they were like the others")
    mine, theirs = judges
    same = mine is not None and mine == theirs
    told.append(f"both sides are of {mine}" if same else "nothing here shows that one judge gave both sides")
    return told


def _coverage(found: Prevalence) -> str:
    c = found.coverage
    unit = "case" if found.settings.by_group else "group"
    text = f"pool: {c.scored} of {counted(c.rows, 'row')} with a verdict, in {counted(c.groups, unit)}"
    if c.empty_groups and found.settings.by_group:
        text += f", {c.empty_groups} of them without any and left out"
    text += f"; labelled: {counted(c.labelled, 'row')} with both"
    text += f", {c.labelled_unscored} a label only" if c.labelled_unscored else ""
    text += f", {c.without_label} no label" if c.without_label else ""
    if found.naive_ends is not None:
        text += f". If all missing verdicts were no, or yes, the judge would say {_ends(found.naive_ends)}"
        if found.corrected_ends is not None:
            text += f", and the {found.corrected.estimate.name} would be {_ends(found.corrected_ends)}"
    return text


def _cut(corrected: Corrected) -> Iterator[str]:
    estimate, raw = corrected.estimate, corrected.raw
    if corrected.clipped and raw is not None and estimate.value is not None:
        why = (
            "fewer yes than its errors alone would give" if raw < 0 else "more yes than it would say if everything held"
        )
        yield f"{estimate.name}: the formula gives {rounded(raw)}, cut to {rounded(estimate.value)} ({why})"


def _shift(found: Prevalence) -> str:
    test = found.shift
    if test is None:
        return ""
    rates = (
        f"judge's yes rate {rounded(test.labelled_rate)} on the labelled rows, {rounded(test.pool_rate)} on the pool"
    )
    start = f"shift test on {test.uses}: p = {rounded(test.p, 3)} ({rates})"
    if test.rejected:
        return f"{start}: at most {ALPHA:g}, so that PPI++ is withheld"
    return (
        f"{start}: this permits nothing. A change of that rate under {rounded(test.detectable)} would escape it more than "
        f"once in {round(1 / (1 - POWER))} times (power at 60 labels: about .2), and under a shift that it misses PPI++ "
        "covered .44 to .75 in simulations instead of .95, and less with more labels"
    )


def _pass(found: Prevalence) -> Iterator[str]:
    alarm, hit = found.rates.false_positive.value, found.rates.true_positive.value
    if alarm is not None and hit is not None:
        yield (
            f"under this judge a system that fails every attempt shows pass@1 = {rounded(alarm)} (and more at each further "
            f"attempt: a false-positive rate of .10 makes pass@4 = .34), one that always succeeds {rounded(hit)}"
        )
    yield HIGHER_K


def _ends(ends: Ends) -> str:
    return " or ".join("n/a" if end is None else rounded(end) for end in ends)


def _value(estimate: Estimate) -> str:
    return "n/a" if estimate.value is None else rounded(estimate.value)
