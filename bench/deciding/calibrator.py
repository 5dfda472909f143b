"""Calibrators: maps from a stated value to a probability. They relabel scores and never move a threshold."""

from __future__ import annotations

import math
from bisect import bisect_right
from typing import Literal

from pydantic import model_validator

from bench.schema.base import Number, Record

Kind = Literal["none", "temperature", "platt", "beta", "isotonic"]
_PARAMETERS: dict[str, int] = {"none": 0, "temperature": 1, "platt": 2, "beta": 3, "isotonic": 0}
EDGE = 1e-6  # probabilities are held so far from 0 and 1 before a logarithm is taken


class Calibrator(Record):
    """A fitted map.

    none: p. temperature (t): sigmoid(logit(p) / t). platt (a, b): sigmoid(a x + b), x = logit(p) of a probability, or a
    score as it is (``on_scores``). beta (a, b, c): sigmoid(a ln p - b ln(1 - p) + c). isotonic: linear between ``knots``
    (value, probability), flat beyond them. References: Platt 1999; Guo et al. 2017, ICML; Kull et al. 2017, AISTATS.
    """

    kind: Kind = "none"
    parameters: tuple[Number, ...] = ()
    knots: tuple[tuple[Number, Number], ...] = ()
    on_scores: bool = False

    @model_validator(mode="after")
    def _is_whole(self) -> Calibrator:
        if len(self.parameters) != _PARAMETERS[self.kind]:
            raise ValueError(f"{self.kind} has {_PARAMETERS[self.kind]} parameters, not {len(self.parameters)}")
        if (self.kind == "isotonic") != bool(self.knots):
            raise ValueError("knots belong to isotonic, which needs them")
        if self.kind == "temperature" and self.parameters[0] <= 0:
            raise ValueError("a temperature is more than 0")
        if self.kind in ("platt", "beta") and min(self.parameters[:-1]) < 0:
            raise ValueError(f"a {self.kind} map with a falling slope would turn the judge around")
        if self.on_scores and self.kind not in ("platt", "isotonic"):
            raise ValueError(f"{self.kind} needs probabilities, not scores")
        steps = list(zip(self.knots, self.knots[1:], strict=False))
        if any(b[0] <= a[0] or b[1] < a[1] for a, b in steps) or any(not 0 <= p <= 1 for _, p in self.knots):
            raise ValueError("knots rise: values strictly, probabilities from 0 to 1")
        return self

    def __call__(self, value: float) -> float:
        """The calibrated probability of yes."""
        if self.kind == "none":
            return value
        if self.kind == "isotonic":
            return self._between_knots(value)
        if self.kind == "platt":
            slope, shift = self.parameters
            return sigmoid(slope * (value if self.on_scores else logit(value)) + shift)
        if self.kind == "temperature":
            return sigmoid(logit(value) / self.parameters[0])
        a, b, c = self.parameters
        p = min(max(value, EDGE), 1 - EDGE)
        return sigmoid(a * math.log(p) - b * math.log1p(-p) + c)

    def _between_knots(self, value: float) -> float:
        at = bisect_right([x for x, _ in self.knots], value)
        if at == 0 or at == len(self.knots):
            return self.knots[0 if at == 0 else -1][1]
        (x0, p0), (x1, p1) = self.knots[at - 1], self.knots[at]
        return p0 + (p1 - p0) * (value - x0) / (x1 - x0)


def sigmoid(x: float) -> float:
    """1 / (1 + exp(-x)), without overflow."""
    return 1 / (1 + math.exp(-x)) if x >= 0 else math.exp(x) / (1 + math.exp(x))


def logit(p: float) -> float:
    """ln(p / (1 - p)), with p held at EDGE from 0 and 1."""
    held = min(max(p, EDGE), 1 - EDGE)
    return math.log(held) - math.log1p(-held)
