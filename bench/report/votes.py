"""Who voted, how far votes agree, and what third votes say of the labels: in words and as Markdown."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from bench.measure.agreement_figures import AgreementLine
from bench.measure.latent_figures import LatentLine
from bench.measure.provenance_figures import VoteGroup

Grid = Callable[[Iterable[Sequence[str]]], str]
SAME_LINEAGE = "same lineage as the annotators"
THIRD_NOTE = (
    "A third blind vote on cases drawn at random; no label follows from it. From three votes an item a model tells how often a "
    "vote is wrong where the truth is yes and where it is no. It takes votes on one item to err independently, so that a mistake "
    "which annotators share passes for the truth. Where two agree is where the label needs no ruling; how often a ruling is "
    "wrong cannot be told."
)
_MAKERS = {"person": "persons", "model": "models", "model_assisted": "persons with a model"}
_PURPOSES = {"label": "votes behind the labels", "check": "third votes"}


def votes_words(groups: Sequence[VoteGroup]) -> str:
    """How many votes, whose, and under which version of the guide; empty without votes."""
    told = []
    for purpose, name in _PURPOSES.items():
        mine = [group for group in groups if group.purpose == purpose]
        if len(mine) == 1:
            told.append(f"{mine[0].votes} {name}, {_origin(mine[0])}.")
        elif mine:
            parts = (f"{group.votes} {_origin(group)}" for group in mine)
            told.append(f"{sum(group.votes for group in mine)} {name}: {'; '.join(parts)}.")
    return " ".join(told)


def _origin(group: VoteGroup) -> str:
    lineage = f" ({group.lineage})" if group.lineage is not None else ""
    old = "" if group.present else ", which is not the present one"
    return f"by {_MAKERS[group.made_by]}{lineage} under guide {group.guide}{old}"


def lineage_words(lines: Sequence[LatentLine]) -> str:
    """What models as annotators do to the figures; empty where only persons voted."""
    lineages = sorted({lineage for line in lines for lineage in line.lineages})
    if not lineages:
        return ""
    whose = f"of one lineage ({lineages[0]})" if len(lineages) == 1 else f"({', '.join(lineages)})"
    return f"Models {whose} voted, which are likely to make the same mistakes: read each error as a lower bound of the true one."


def agreement_sections(lines: Sequence[AgreementLine], made_by: tuple[str, ...], grid: Grid) -> list[str]:
    """The section; empty where there are no votes."""
    if not lines:
        return []
    rows = [
        ["stratum", "statement", "items", "votes", "adjudicated", "raw agreement", "alpha", "alpha without unclear"]
    ]
    for line in lines:
        rows.append(
            [line.stratum, line.statement, str(line.items), str(line.votes), str(line.adjudicated), line.raw.cell(),
             line.alpha.cell(), line.alpha_without_unclear.cell()]
        )  # fmt: skip
    kind = "people" if made_by == ("person",) else "models: it measures repeatability, not validity"
    about = f"Krippendorff's alpha, nominal; over all splits. Votes of {kind}."
    return ["## Agreement of the blind votes", about, grid(rows)]


def third_vote_rows(lines: Sequence[LatentLine]) -> list[list[str]]:
    """A head and one row a stratum and statement; empty where there are no third votes."""
    if not lines:
        return []
    rows = [
        ["stratum", "statement", "items", "third vote agrees", "left out", "yes among three", "true yes",
         "wrong on a true yes", "wrong on a true no", "wrong where two agree"]
    ]  # fmt: skip
    for line in lines:
        told = line.rates
        rows.append(
            [line.stratum, line.statement, str(line.items), line.agrees.cell(), str(line.left_out),
             " ".join(f"{yes}: {count}" for yes, count in enumerate(told.counts)), told.true_yes.cell(),
             told.miss.cell(3), told.false_yes.cell(3), told.agreed_wrong.cell(3)]
        )  # fmt: skip
    return rows


def third_vote_sections(lines: Sequence[LatentLine], grid: Grid) -> list[str]:
    """The section; empty where there are no third votes, and the sensitivity to label error stands alone."""
    if not lines:
        return []
    about = f"{THIRD_NOTE} {lineage_words(lines)}".strip()
    return ["## What third votes say of the labels", about, grid(third_vote_rows(lines))]
