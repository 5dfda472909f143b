"""Answers as single characters, so that a column of ten thousand verdicts is a text of ten thousand characters."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import chain
from typing import Literal

from bench.report.jsonable import Json

Kind = Literal["answer", "unscored", "not run", "unclear", "unlabelled", "not asked"]
# Letters and digits, then twenty thousand ideographs: no parser escapes one, and a script counts each as one.
_ALPHABET = tuple(map(chr, chain(range(65, 91), range(97, 123), range(48, 58), range(0x4E00, 0x9FFF))))


@dataclass
class Codes:
    """The characters in use and what they stand for, in the order in which they were met."""

    known: dict[tuple[Kind, str], str] = field(default_factory=dict)

    def of(self, kind: Kind, text: str) -> str:
        """The character for an answer, a reason or a gap."""
        key = (kind, text)
        if key not in self.known:
            self.known[key] = _ALPHABET[len(self.known)]
        return self.known[key]

    def table(self) -> Json:
        return {code: [kind, text] for (kind, text), code in self.known.items()}

    def __iter__(self) -> Iterator[str]:
        return iter(self.known.values())
