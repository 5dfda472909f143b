"""What is let in: truth values, probabilities and scores, one per row; anything else is refused with its row."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike, NDArray

_Floats = NDArray[np.float64]
Truths = NDArray[np.bool_]


def truths(values: ArrayLike, name: str) -> Truths:
    """One truth value per row. Words and numbers are refused: bool("fail") and bool("no") are True."""
    array = np.asarray(values)
    if array.dtype == np.bool_ or array.size == 0:
        return array.astype(np.bool_)
    rows = list(values) if isinstance(values, list | tuple) else array.reshape(-1).tolist()
    for row, found in enumerate(rows):
        if not isinstance(found, bool | np.bool_):
            raise TypeError(f"{name}, row {row}: found {found!r}, wanted truth values (True or False)")
    return array.astype(np.bool_)


def probabilities(values: ArrayLike, name: str = "probabilities") -> _Floats:
    """One probability per row; NaN and numbers outside 0 to 1 are refused."""
    return _numbers(values, name, "a number between 0 and 1", lambda array: (array >= 0) & (array <= 1))


def finite_scores(values: ArrayLike, name: str = "scores") -> _Floats:
    """One finite number per row."""
    return _numbers(values, name, "a finite number", np.isfinite)


def same_rows(**columns: NDArray[np.generic]) -> None:
    """Refuse columns that do not have one entry per row each."""
    shapes = {name: column.shape for name, column in columns.items()}
    if len(set(shapes.values())) > 1 or any(len(shape) != 1 for shape in shapes.values()):
        raise ValueError(f"one entry per row is wanted in each, found shapes {shapes}")


def _numbers(values: ArrayLike, name: str, wanted: str, good: Callable[[_Floats], Truths]) -> _Floats:
    array = np.asarray(values)
    if array.size and array.dtype.kind not in "fiu":
        rows = list(values) if isinstance(values, list | tuple) else array.reshape(-1).tolist()
        row, found = next(((i, v) for i, v in enumerate(rows) if not _is_number(v)), (0, rows[0]))
        raise TypeError(f"{name}, row {row}: found {found!r}, wanted {wanted}")
    numbers = array.astype(np.float64)
    bad = np.flatnonzero(~good(numbers))
    if len(bad):
        raise ValueError(f"{name}, row {bad[0]}: found {numbers.reshape(-1)[bad[0]]}, wanted {wanted}")
    return numbers


def _is_number(value: object) -> bool:
    return isinstance(value, int | float | np.integer | np.floating) and not isinstance(value, bool)
