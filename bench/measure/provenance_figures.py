"""Who voted, under which guide, and which judges are of the annotators' lineage."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from bench.labels.load import Labels
from bench.measure.items import JudgedRows


@dataclass(frozen=True, order=True)
class VoteGroup:
    """Votes of one origin."""

    purpose: str  # label or check
    made_by: str
    lineage: str | None
    guide: str
    votes: int
    present: bool  # whether the guide is today's; true where the guide declares no version


def vote_groups(labels: Labels) -> tuple[VoteGroup, ...]:
    """Votes by purpose, maker, lineage and guide: label votes first."""
    counted = Counter(
        (purpose, cast.made_by, cast.lineage, cast.guide)
        for purpose, side in (("label", labels.votes), ("check", labels.checks))
        for many in side.values()
        for cast in many
    )
    order = sorted(counted.items(), key=lambda entry: (entry[0][0] == "check", *map(str, entry[0][1:])))
    return tuple(VoteGroup(*key, count, labels.guide in (None, key[3])) for key, count in order)


def judges_of_lineage(judged: JudgedRows, labels: Labels) -> Mapping[str, str]:
    """judge_id -> lineage, for judges whose name, model or answering model names a lineage that the annotators have.

    Such a judge may share the annotators' mistakes, which then count as right.
    """
    votes = [cast for side in (labels.votes, labels.checks) for many in side.values() for cast in many]
    lineages = sorted({cast.lineage for cast in votes if cast.lineage is not None})
    found = {}
    for outcome, _ in judged:
        model = outcome.judge.entry.parameters.get("model")  # asked for; another one may say that it answered
        answered = {row.answered_by for row in outcome.rows.values() if row.answered_by is not None}
        names = [*([model, outcome.judge.judge.name] if model else []), *sorted(answered)]
        kin = next((lineage for lineage in lineages if any(_is_named(lineage, name) for name in names)), None)
        if kin is not None:
            found[outcome.judge.id] = kin
    return found


def _is_named(lineage: str, name: str) -> bool:
    """Whether the lineage stands in the name as a word of its own, such as claude in claude-x-1."""
    return re.search(rf"(?<![a-z]){re.escape(lineage.lower())}(?![a-z])", name.lower()) is not None
