"""Ids given on the command line, apart from the other options: this needs none of the analysis stack."""

from __future__ import annotations

import argparse

from pydantic import TypeAdapter, ValidationError

from bench.schema.base import Id


def id_word(text: str) -> str:
    """The type of an option that becomes an id, and so a file or folder name."""
    try:
        return TypeAdapter(Id).validate_python(text)
    except ValidationError:
        wanted = "letters, digits, dot, dash and underscore are wanted, a letter or digit first, at most 64"
        raise argparse.ArgumentTypeError(f"{text!r}: {wanted}") from None
