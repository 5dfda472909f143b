"""Write vote and adjudication files: plain YAML that reads back as it was meant, whatever the texts hold."""

from __future__ import annotations

from collections.abc import Sequence

from bench.reading.quote import quoted
from bench.schema.vote import AdjudicationFile, Ruling, Vote, VoteFile


def vote_text(file: VoteFile) -> str:
    """The YAML of a vote file."""
    lines = ["schema: 1"]
    for name in ("case", "annotator", "purpose", "made_by", "lineage", "guide", "preset", "at"):
        value = getattr(file, name)
        if value is not None and (name, value) != ("purpose", "label"):
            lines.append(f"{name}: {quoted(value)}")
    lines.append("votes:")
    for vote in file.votes:
        lines += _vote_lines(vote)
    return "\n".join(lines) + "\n"


def adjudication_text(file: AdjudicationFile) -> str:
    """The YAML of an adjudication file."""
    lines = ["schema: 1"]
    for name in ("case", "adjudicator", "made_by", "lineage", "guide", "at"):
        value = getattr(file, name)
        if value is not None:
            lines.append(f"{name}: {quoted(value)}")
    lines.append("rulings:")
    for ruling in file.rulings:
        lines += _ruling_lines(ruling)
    return "\n".join(lines) + "\n"


def _vote_lines(vote: Vote) -> list[str]:
    lines = [
        f"  - attempt: {quoted(vote.attempt)}",
        f"    statement: {quoted(vote.statement)}",
        f"    answer: {quoted(vote.answer)}",
    ]
    lines.append(f"    evidence: [{', '.join(map(str, vote.evidence))}]")
    lines.append(f"    rationale: {quoted(vote.rationale)}")
    lines += _also_lines(vote)
    for name in ("error_category", "severity"):
        value = getattr(vote, name)
        if value is not None:
            lines.append(f"    {name}: {quoted(value)}")
    return lines


def _also_lines(vote: Vote) -> list[str]:
    return ["    also:", *(f"      {name}: {quoted(value)}" for name, value in vote.also.items())] if vote.also else []


def _ruling_lines(ruling: Ruling) -> list[str]:
    return [
        f"  - attempt: {quoted(ruling.attempt)}",
        f"    statement: {quoted(ruling.statement)}",
        f"    answer: {quoted(ruling.answer)}",
        f"    reason: {quoted(ruling.reason)}",
    ]


def merged_votes(old: Sequence[Vote], new: Sequence[Vote]) -> tuple[Vote, ...]:
    """Old votes with the new ones in their place or after them."""
    votes = {(vote.attempt, vote.statement): vote for vote in old}
    votes.update({(vote.attempt, vote.statement): vote for vote in new})
    return tuple(votes.values())
