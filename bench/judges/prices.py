"""What models cost, as far as it is known: dated, with its source. An unknown price is None, never 0."""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True)
class Price:
    """USD per million tokens. ``source`` says who stated it, ``checked`` when it was read."""

    usd_in: float
    usd_out: float
    source: str
    checked: str

    def of(self, tokens_in: int, tokens_out: int) -> float:
        """What so many tokens cost."""
        return (tokens_in * self.usd_in + tokens_out * self.usd_out) / 1e6


# Name pattern -> price; the first that matches the whole name counts. Decision models charge input only.
_KNOWN: tuple[tuple[str, Price], ...] = (
    (r"(?:typesafe/)?jev-[0-9].*", Price(0.042, 0.0, "vendor's documentation", "2026-11-30")),
)


def price_of(model: str) -> Price | None:
    """The price of a model, None where it is not known."""
    return next((price for pattern, price in _KNOWN if re.fullmatch(pattern, model)), None)
