"""Many tests at once: Holm's step-down, which keeps the chance of any false rejection at the level."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Adjusted:
    """One named test among several."""

    name: str
    p_value: float
    adjusted: float
    rejected: bool
    tests: int


def holm(p_values: Mapping[str, float], level: float = 0.05) -> tuple[Adjusted, ...]:
    """The p-values adjusted for their number, smallest first, equal ones by name.

    Formula: adjusted p_(i) = max over j <= i of min(1, (m - j + 1) p_(j)); rejected when it is at most ``level``. Range
    0 to 1, low speaks against the null. Nothing for nothing; a p-value that is no number between 0 and 1 is refused.
    Reference: Holm 1979, Scand. J. Statist. 6:65. Easily confused with Bonferroni, which never rejects more, and with
    Benjamini-Hochberg, which bounds another error (the share of false rejections).
    """
    for name, p_value in p_values.items():
        if not 0 <= p_value <= 1:
            raise ValueError(f"p-value of {name}: found {p_value}, wanted a number between 0 and 1")
    ranked = sorted(p_values.items(), key=lambda named: (named[1], named[0]))
    found, highest = [], 0.0
    for place, (name, p_value) in enumerate(ranked):
        highest = max(highest, min(1.0, (len(ranked) - place) * p_value))
        found.append(Adjusted(name, p_value, highest, highest <= level, len(ranked)))
    return tuple(found)
