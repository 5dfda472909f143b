"""An experiment: seats of a suite that differ in factors only, every combination of their levels once."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product

JUDGE = "judge"
NOT_GIVEN = "not given"
# These go together with a model and are one factor with it.
_IDENTITY = (JUDGE, "provider", "model", "path")
# These say how a model is reached; they move no answer.
_ACCESS = ("base_url", "key_variable", "price_in", "price_out", "concurrency", "per_minute", "seconds", "retries")
Seat = Mapping[str, str]  # what of a seat may be a factor: judge, preset, and each parameter


@dataclass(frozen=True)
class Factor:
    """One thing that differs, with its levels in the suite's order."""

    name: str
    levels: tuple[str, ...]


@dataclass(frozen=True)
class Design:
    """The factors of an experiment; ``cells`` gives each seat's level of each factor, in the order of the seats."""

    factors: tuple[Factor, ...]
    cells: tuple[tuple[int, ...], ...]

    @property
    def shape(self) -> tuple[int, ...]:
        return tuple(len(factor.levels) for factor in self.factors)


def design_of(seats: Sequence[Seat]) -> Design:
    """The full crossing that the seats form. Raises ValueError that says what is missing."""
    if len(seats) < 2:
        raise ValueError(f"has {len(seats)} seat; give two or more seats this experiment")
    told = [_told(seat) for seat in seats]
    names = list(dict.fromkeys(name for seat in told for name in seat))
    values = {name: [seat.get(name, NOT_GIVEN) for seat in told] for name in names}
    factors = tuple(Factor(n, tuple(dict.fromkeys(v))) for n, v in values.items() if len(set(v)) > 1)
    if not factors:
        raise ValueError(
            "no factor differs among its seats; let them differ in judge, model, a parameter or the preset"
        )
    cells = [tuple(factor.levels.index(values[factor.name][i]) for factor in factors) for i in range(len(seats))]
    double = next((cell for cell in cells if cells.count(cell) > 1), None)
    if double is not None:
        raise ValueError(f"two seats are alike ({_words(factors, double)}); leave one out")
    shape = [range(len(factor.levels)) for factor in factors]
    missing = [cell for cell in product(*shape) if cell not in cells]
    if missing:
        size = " x ".join(f"{len(factor.levels)} {factor.name}" for factor in factors)
        raise ValueError(
            f"its {len(seats)} seats are no full crossing of {size} = {math.prod(map(len, shape))}; missing are "
            f"{len(missing)} cells, the first: {_words(factors, missing[0])}"
        )
    return Design(factors, tuple(cells))


def _told(seat: Seat) -> dict[str, str]:
    """The seat's factors: judge, provider and model in one text, and everything else that may move an answer."""
    identity = " ".join(seat[name] for name in _IDENTITY if name in seat)
    rest = {name: value for name, value in seat.items() if name not in (*_IDENTITY, *_ACCESS)}
    return {JUDGE: identity, **rest}


def _words(factors: Sequence[Factor], cell: Sequence[int]) -> str:
    return ", ".join(f"{factor.name} {factor.levels[at]}" for factor, at in zip(factors, cell, strict=True))
