"""One measured number, with its interval, or the reason why there is none."""

from __future__ import annotations

from dataclasses import dataclass

TOO_FEW = "too few"
WIDE_TIMES = 1.3
WIDE = f"wide: over {WIDE_TIMES:g} times the Korn-Graubard interval; it may over-cover"


@dataclass(frozen=True)
class Estimate:
    """A number with one named interval; ``value`` is None exactly when ``undefined`` gives the reason.

    ``families`` is the number of families that contribute to the number. ``numerator`` and ``denominator`` are
    unweighted counts of items and stand only beside unweighted proportions.
    """

    name: str
    value: float | None
    low: float | None
    high: float | None
    method: str
    families: int
    note: str | None = None
    undefined: str | None = None
    numerator: int | None = None
    denominator: int | None = None
    undefined_resamples: int = 0

    def __post_init__(self) -> None:
        if (self.value is None) != (self.undefined is not None):
            raise ValueError(f"{self.name}: a missing value needs its reason, and only a missing value has one")

    @property
    def too_few(self) -> bool:
        """Whether the data are too few for the usual interval; then counts lead and the words follow."""
        return self.note is not None and TOO_FEW in self.note

    @property
    def wide(self) -> bool:
        """Whether the interval is much wider than the exact one of its parts, so that it may cover too often."""
        return self.note == WIDE

    def cell(self, digits: int = 2) -> str:
        """The estimate as it stands in a table: ``.62 [.48, .75]``, ``3/7 [.10, .82] too few``, ``n/a (reason)``."""
        if self.value is None:
            return f"n/a ({self.undefined})"
        counted = self.too_few and self.denominator is not None
        value = f"{self.numerator}/{self.denominator}" if counted else rounded(self.value, digits)
        span = "" if self.low is None or self.high is None else f" [{self._bounds(digits)}]"
        return f"{value}{span}{' ' + TOO_FEW if self.too_few else ''}"

    def percent(self, digits: int = 0) -> str:
        """The value in per cent; 100 % stands only for all of all and 0 % only for none."""
        if self.value is None:
            return f"n/a ({self.undefined})"
        return f"{_never_reaching(self.value * 100, (0.0, 100.0), digits)} %"

    def _bounds(self, digits: int) -> str:
        return ", ".join(rounded(bound, digits) for bound in (self.low, self.high) if bound is not None)


def undefined_estimate(name: str, reason: str, families: int = 0) -> Estimate:
    """An estimate that does not exist, with the reason."""
    return Estimate(name, None, None, None, "none", families, undefined=reason)


def rounded(value: float, digits: int = 2) -> str:
    """A number without its leading zero; never rounded onto 1, 0 or -1 unless it is exactly that (``>.99``)."""
    text = _never_reaching(value, (-1.0, 0.0, 1.0), digits)
    return text.replace("0.", ".", 1) if abs(value) < 1 else text


def _never_reaching(value: float, marks: tuple[float, ...], digits: int) -> str:
    step = 10.0**-digits
    text = f"{value:.{digits}f}"
    for mark in marks:
        if value != mark and float(text) == mark:
            return f">{mark - step:.{digits}f}" if value < mark else f"<{mark + step:.{digits}f}"
    return text
