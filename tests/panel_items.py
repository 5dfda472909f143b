"""Items with voices, written short."""

from __future__ import annotations

from bench.labels.load import Label
from bench.measure.rows import NOT_RUN, Row
from bench.policies.members import Item, Voice


def voice(word: str | float | None, usd: float | None = 0.0, ms: float | None = 1.0) -> Voice:
    """yes, no, a probability, None (timed out), or not_run."""
    if word == NOT_RUN:
        return Voice(None, NOT_RUN)
    if word is None:
        return Voice(None, "timeout", None, usd, ms)
    value = {"yes": 1.0, "no": 0.0}.get(word) if isinstance(word, str) else word
    assert value is not None
    return Voice(value >= 0.5, None, value, usd, ms)


def item(label: bool | None, *voices: str | float | Voice | None, name: str = "c", family: str | None = None,
         split: str = "test") -> Item:  # fmt: skip
    """One item; a label of None is none."""
    told = Label("unlabelled", None, "no_votes")
    if label is not None:
        told = Label("labelled", "yes" if label else "no", "unanimous")
    row = Row(
        case=name, attempt="a1", statement="s", family=family or name, stratum="t", split=split, label=told, answer=None,
        unscored=NOT_RUN, p=None, score=None, file="f", line=None,
    )  # fmt: skip
    return Item(row, tuple(one if isinstance(one, Voice) else voice(one) for one in voices))


def items(*columns: tuple[bool | None, *tuple[str | float | Voice | None, ...]], split: str = "test") -> list[Item]:
    """Items from (label, voice, voice, ...), each its own family."""
    return [item(label, *voices, name=f"c{i}", split=split) for i, (label, *voices) in enumerate(columns)]
