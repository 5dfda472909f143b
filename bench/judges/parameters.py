"""Read a judge's parameters from the suite: texts by name, each asked for once; what is left over is an error."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal, InvalidOperation

from bench.problems import BrokenInput, Problem, shorten


class Parameters:
    """The parameters of one judge."""

    def __init__(self, judge: str, given: Mapping[str, str]) -> None:
        self.judge = judge
        self._given = dict(given)
        self._asked: list[str] = []

    def text(self, name: str, default: str | None = None) -> str:
        """A text; required where there is no default."""
        self._asked.append(name)
        if name in self._given:
            return self._given.pop(name)
        if default is None:
            raise self._problem(
                name, f"the judge {self.judge} without its parameter {name}", f"add parameters: {{{name}: ...}}"
            )
        return default

    def optional(self, name: str) -> str | None:
        """A text, or None."""
        self._asked.append(name)
        return self._given.pop(name, None)

    def one_of(self, name: str, options: Sequence[str], default: str | None = None) -> str:
        """One of the options."""
        value = self.text(name, default)
        if value not in options:
            raise self._problem(name, repr(shorten(value, 40)), f"use one of {', '.join(options)}")
        return value

    def whole(self, name: str, default: int | None = None, least: int = 0) -> int:
        """A whole number."""
        value = self.text(name, None if default is None else str(default))
        if not (value.isascii() and value.isdecimal() and len(value) < 10 and int(value) >= least):
            raise self._problem(name, repr(shorten(value, 40)), f"give a whole number of at least {least}")
        return int(value)

    def number(self, name: str, low: float, high: float, default: str | None = None) -> float:
        """A plain decimal number within bounds."""
        value = self.text(name, default)
        try:
            parsed = Decimal(value)
        except InvalidOperation:
            parsed = Decimal("NaN")
        if not (parsed.is_finite() and Decimal(str(low)) <= parsed <= Decimal(str(high))):
            raise self._problem(name, repr(shorten(value, 40)), f"give a number from {low:g} to {high:g}")
        return float(parsed)

    def finish(self) -> None:
        """Refuse what nobody asked for."""
        for name in sorted(self._given):
            known = ", ".join(self._asked) or "none"
            raise self._problem(name, f"the judge {self.judge} with the parameter {name}", f"it takes {known}")

    def _problem(self, name: str, found: str, fix: str) -> BrokenInput:
        return BrokenInput([Problem(self.judge, None, None, f"parameters.{name}", found, fix)])
