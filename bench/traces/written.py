"""Pieces of text and who wrote them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import groupby

from bench.schema.event import Origin


@dataclass(frozen=True)
class Written:
    """A piece of text and its writer."""

    text: str
    origin: Origin


def joined(pieces: Iterable[Written]) -> list[Written]:
    """Neighbours of one writer as one piece: text and images that were sent together stay together."""
    groups = groupby(pieces, key=lambda piece: piece.origin)
    return [Written("\n".join(piece.text for piece in group), origin) for origin, group in groups]
