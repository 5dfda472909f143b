"""The building blocks of every record: strict scalar types and a frozen base.

Files are read with every scalar as text (see :mod:`bench.reading.strict_yaml`), so the *schema* decides what a
scalar means. ``no`` is the text "no" unless the field is a truth value, and then only ``true`` and ``false`` will do.
"""

from __future__ import annotations

import re
from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, StringConstraints, WithJsonSchema

_INTEGER = re.compile(r"-?(0|[1-9][0-9]{0,17})")
_NUMBER = re.compile(r"-?(0|[1-9][0-9]{0,17})(\.[0-9]{1,18})?")


class Record(BaseModel):
    """A frozen record that refuses fields it does not know."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)  # built when first used: most never are


def _integer(value: Any) -> int:
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    if isinstance(value, str) and _INTEGER.fullmatch(value):
        return int(value)
    raise ValueError("a whole number is wanted, such as 3")


def _number(value: Any) -> float:
    if isinstance(value, int | float) and not isinstance(value, bool) and value == value and abs(value) < 1e18:
        return float(value)
    if isinstance(value, str) and _NUMBER.fullmatch(value):
        return float(value)
    raise ValueError("a plain decimal number is wanted, such as 0.5")


def _truth(value: Any) -> bool:
    if isinstance(value, bool):
        return value
    if value == "true":
        return True
    if value == "false":
        return False
    raise ValueError("true or false is wanted")


def _moment(value: Any) -> str:
    """A moment with its zone; a naive one would be read differently on each machine."""
    if isinstance(value, str):
        try:
            moment = datetime.fromisoformat(value)
        except ValueError:
            moment = None
        if moment is not None and moment.tzinfo is not None:
            return value
    raise ValueError("a moment with its zone is wanted, such as 2026-08-14T10:02:00+02:00")


Integer = Annotated[int, BeforeValidator(_integer)]
Number = Annotated[float, BeforeValidator(_number)]
Truth = Annotated[bool, BeforeValidator(_truth)]
Moment = Annotated[str, BeforeValidator(_moment), WithJsonSchema({"type": "string", "format": "date-time"})]
Text = Annotated[str, StringConstraints(min_length=1)]
Id = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$")]
Version = Annotated[Literal["1"], WithJsonSchema({"const": 1})]  # of a file format
Sha256 = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]
