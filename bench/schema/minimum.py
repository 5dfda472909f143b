"""What a suite demands of its authored cases: how often each thing must occur at least, and which cells may be empty."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, model_validator

from bench.schema.base import Integer, Number, Record, Text


class Minimum(Record):
    """One demand: cases with a phenomenon (or each phenomenon) or a tag, attempts over a length, or the share of the
    attempts over a length whose deciding event stands in the middle third."""

    phenomenon: Text | None = None
    every: Literal["phenomenon"] | None = None
    tag: Text | None = None
    events_over: Annotated[Integer, Field(ge=0)] | None = None
    deciding_event: Literal["middle_third"] | None = None
    at_least: Annotated[Integer, Field(ge=1)] | None = None
    share: Annotated[Number, Field(gt=0, le=1)] | None = None

    @model_validator(mode="after")
    def _one_demand(self) -> Minimum:
        given = frozenset(name for name in Minimum.model_fields if getattr(self, name) is not None)
        if given not in _DEMANDS:
            raise ValueError(f"a minimum is one of {'; '.join(', '.join(sorted(d)) for d in _DEMANDS)}")
        return self


_DEMANDS = (
    frozenset({"phenomenon", "at_least"}),
    frozenset({"every", "at_least"}),
    frozenset({"tag", "at_least"}),
    frozenset({"events_over", "at_least"}),
    frozenset({"deciding_event", "events_over", "share"}),
)


class EmptyCell(Record):
    """Cells of capability x difficulty that hold no case, and why; both may be globs."""

    capability: Text
    difficulty: Text
    reason: Text
