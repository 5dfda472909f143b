"""What a command printed, as tests look at it."""

from __future__ import annotations


def flat(text: str) -> str:
    """The words alone, however the lines are broken."""
    return " ".join(text.split())


def too_wide(text: str, width: int = 80) -> list[str]:
    """Lines over the width that could have been broken: a path or a name of one word is left whole."""
    return [line for line in text.splitlines() if len(line) > width and len(line.split()) > 1]


def squeezed(text: str) -> str:
    """The characters alone: a signature is folded between its parts."""
    return "".join(text.split())
