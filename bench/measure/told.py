"""How a judge of plain columns is told: one sentence before the numbers, and a table of 80 columns.

No claim stands in the sentence that the interval does not carry.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from bench.measure.estimate import TOO_FEW, WIDE, Estimate, rounded
from bench.terminal.table import columns
from bench.terminal.words import counted, wrapped

_CHANCE = 0.5  # of balanced accuracy


def sentence(
    counts: Mapping[str, int], metrics: Mapping[str, Estimate], words: tuple[str, str], level: float, unscored: int
) -> str:
    """The sentence; ``words`` are yes and no as the table writes them, ``unscored`` labelled rows without a verdict."""
    yes, no = words
    labelled_yes, labelled_no = counts["tp"] + counts["fn"], counts["fp"] + counts["tn"]
    rows = labelled_yes + labelled_no
    if not rows:
        return "Nothing could be measured: no row has both a label and a verdict."
    gap = f" ({unscored} more labelled {_rows(unscored)} no verdict)" if unscored else ""
    start = f"The judge agrees with {counts['tp'] + counts['tn']} of {counted(rows, 'label')}{gap}"
    if not labelled_yes or not labelled_no:
        only = yes if labelled_yes else no
        return f"{start}; every label is {only}, so nobody can tell whether it knows {yes} from {no}."
    usual, agreed = (yes, labelled_yes) if labelled_yes > labelled_no else (no, labelled_no)
    said_yes = counts["tp"] + counts["fp"]
    if said_yes in (0, rows):
        only = yes if said_yes else no
        return f"{start}; it says {only} every time: one cannot tell it from always saying {only}."
    return f"{start}; {_knowledge(metrics, level)}. Always saying {usual} agrees with {agreed}."


def _knowledge(metrics: Mapping[str, Estimate], level: float) -> str:
    found = metrics["balanced_accuracy"]
    if found.low is None or found.high is None:
        return "whether it beats guessing cannot be said"
    percent = f"{level * 100:.4g} %"
    span = f"balanced accuracy {rounded(found.low)} to {rounded(found.high)}, guessing has .50"
    if found.high < _CHANCE:
        return f"at {percent} it is worse than guessing ({span}): is yes taken for no?"
    if found.low <= _CHANCE:
        return f"one cannot tell it from guessing ({span})"
    by_design = metrics["precision"].value is None
    names = ("recall", "specificity") if by_design else ("precision",)
    claims = " and ".join(claim for claim in (_at_least(metrics, name) for name in names) if claim)
    if not claims:
        return f"at {percent} it beats guessing ({span}), and there are too few rows to claim more"
    return f"at {percent} its {claims}, and it beats guessing ({span})"


def _at_least(metrics: Mapping[str, Estimate], name: str) -> str | None:
    estimate = metrics[name]
    if estimate.low is None or estimate.too_few:
        return None
    return f"{name} is at least {rounded(estimate.low)}"


def _rows(count: int) -> str:
    return "row has" if count == 1 else "rows have"


def figures_table(estimates: Iterable[Estimate], level: float) -> list[str]:
    """Lines of a table of the defined estimates; then the undefined ones by their reason."""
    every = list(estimates)
    head = ("metric", "value", f"{level * 100:.4g} % interval", "rows", "")
    rows = [head, *(_cells(estimate) for estimate in every if estimate.value is not None)]
    if not any(row[-1] for row in rows):
        rows = [row[:-1] for row in rows]
    lines = [columns(rows, left=(0, len(head) - 1))]
    reasons: dict[str, list[str]] = {}
    for estimate in every:
        if estimate.undefined is not None:
            reasons.setdefault(estimate.undefined, []).append(estimate.name)
    if any(estimate.wide for estimate in every):
        lines.append(wrapped(WIDE))
    return [*lines, *(wrapped(f"n/a ({reason}): {', '.join(names)}") for reason, names in reasons.items())]


def _cells(estimate: Estimate) -> tuple[str, ...]:
    value = "" if estimate.value is None else rounded(estimate.value)
    low, high = estimate.low, estimate.high
    span = "" if low is None else f"[{rounded(low)}, {'no bound' if high is None else rounded(high)}]"
    rows = "" if estimate.denominator is None else f"{estimate.numerator}/{estimate.denominator}"
    return estimate.name, value, span, rows, TOO_FEW if estimate.too_few else "wide" if estimate.wide else ""
