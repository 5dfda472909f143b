"""What is wrong with an input, said so that its owner can mend it.

A problem answers five questions: which file (and line), which case, which field, what was found, what to do.
Readers collect every problem of a load and then fail once, with :class:`BrokenInput`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

_SHORTEST_SECRET = 12  # characters, with what tells it
_BEYOND = 8192  # characters behind a cut that may belong to a secret before it


@dataclass(frozen=True, order=True)
class Problem:
    """One thing to mend in one place of one file."""

    file: str
    line: int | None
    case: str | None
    field: str | None
    found: str
    fix: str

    def __post_init__(self) -> None:
        for name in ("file", "case", "field", "found"):
            value = getattr(self, name)
            if value:
                object.__setattr__(self, name, without_secrets(value))

    def __str__(self) -> str:
        place = self.file if self.line is None else f"{self.file}:{self.line}"
        parts = [place]
        if self.case:
            parts.append(f"case {self.case}")
        if self.field:
            parts.append(f"field {self.field}")
        return f"{': '.join([', '.join(parts), self.found])}\n    to mend: {self.fix}"


class BrokenInput(Exception):
    """The input cannot be used as it is. Carries every problem found, in file order."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = tuple(sorted(problems, key=_order))
        super().__init__("\n".join(str(p) for p in self.problems))


class CannotDecide(Exception):
    """The question has no answer on this data (exit code 2). The message is the reason."""


def _order(problem: Problem) -> tuple[str, int, str]:
    return problem.file, problem.line or 0, problem.field or ""


def without_secrets(text: str) -> str:
    """A message as it may be printed or stored."""
    if len(text) < _SHORTEST_SECRET:
        return text
    from bench.redaction.redact import redact  # its patterns are made when something is said

    return redact(text)[0]


def shorten(value: object, limit: int = 80) -> str:
    """A value as it may stand in a message: one line, printable, without secrets, at most ``limit`` characters."""
    text = value if isinstance(value, str) else repr(value)
    text = without_secrets(text[: limit + _BEYOND])  # before it is cut: a part of a secret would not be known for one
    text = "".join(c if c.isprintable() else f"\\x{ord(c):02x}" for c in text[: limit + 1])
    return text if len(text) <= limit else text[: limit - 1] + "…"
