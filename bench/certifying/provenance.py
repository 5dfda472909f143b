"""Who labelled the rows that a certificate rests on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from bench.deciding.certificate import LabelSource
from bench.labels.load import ItemName, Labels

NOT_STATED = "not stated"
PERSON = "person"


def labels_of(labels: Labels, items: Iterable[ItemName]) -> LabelSource:
    """The votes behind these items. Human only where persons alone voted on them and ruled in the suite."""
    cast = [vote for item in items for vote in labels.votes.get(item, ())]
    kinds = Counter(vote.made_by for vote in cast)
    lineages = sorted({vote.lineage for vote in cast if vote.lineage is not None})
    human = set(kinds) == {PERSON} and set(labels.provenance) <= {PERSON}
    return LabelSource(votes=dict(sorted(kinds.items())), lineages=tuple(lineages), human=human)


def stated(made_by: str | None, rows: int) -> LabelSource:
    """Labels of a table, by what its owner says of them."""
    return LabelSource(votes={made_by or NOT_STATED: rows}, human=made_by == PERSON)
