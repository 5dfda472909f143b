"""Judge and labels must use the same label set: a verdict that could never be right is an error, never a recode."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

Category = str | int
Categories = Iterable[Category] | NDArray[Any]


def same_label_set(
    labels: Categories, verdicts: Categories, declared: Categories | None = None
) -> tuple[Category, ...]:
    """The label set that both sides use, in order. Raises ValueError, naming both sets, when they use different ones.

    Without a declared set the labels' own values are the set: a judge need not use all of them, and may use no other.
    A declared set (a statement's answers) binds both sides. 1 and "1" and True are three values. An item without an
    answer is unscored and is left out beforehand; it is not a category.
    """
    ours, theirs = _values(labels, "labels"), _values(verdicts, "verdicts")
    if declared is None:
        wanted, told = ours, f"labels use {_shown(ours)}, verdicts use {_shown(theirs)}"
    else:
        wanted = _values(declared, "declared set")
        told = f"labels use {_shown(ours)}, verdicts use {_shown(theirs)}, declared are {_shown(wanted)}"
    for name, side in (("label", ours), ("verdict", theirs)):
        if strange := [value for value in side if not _is_in(value, wanted)]:
            raise ValueError(f"{told}: {name} {strange[0]!r} is outside the label set, and nothing is recoded")
    if len({type(value) for value in wanted}) > 1:
        raise ValueError(f"{told}: a label set holds one kind of value, text or whole numbers or truth values")
    return wanted


def plain(values: Categories) -> list[Any]:
    """The values as Python's own, so that numpy's 1 is 1."""
    return [value.item() if isinstance(value, np.generic) else value for value in values]


def _values(values: Categories, name: str) -> tuple[Category, ...]:
    found = {(type(value), value) for value in plain(values)}
    for kind, value in found:
        if kind not in (str, int, bool):
            raise ValueError(f"{name}: {value!r} is no category; an item without an answer is unscored and left out")
    return tuple(value for _, value in sorted(found, key=lambda pair: (pair[0].__name__, pair[1])))


def _is_in(value: Category, wanted: tuple[Category, ...]) -> bool:
    return any(type(value) is type(known) and value == known for known in wanted)


def _shown(values: tuple[Category, ...]) -> str:
    return "{" + ", ".join(map(repr, values)) + "}"
