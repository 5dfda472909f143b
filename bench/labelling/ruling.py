"""Items whose votes differ, and the rulings that settle them: the one way for terminal and page."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from bench.cases.layout import Layout
from bench.labelling.hand import MadeBy, read_label_file
from bench.labelling.locks import locked
from bench.labels.load import ItemName, Labels
from bench.labels.write import adjudication_text
from bench.problems import BrokenInput, Problem
from bench.schema.vote import AdjudicationFile, Ruling
from bench.whole_file import write_whole


class AlreadyRuled(Exception):
    """The item has another ruling, which stays."""

    def __init__(self, there: Ruling) -> None:
        super().__init__(f"there is a ruling already: {there.answer}")
        self.there = there


@dataclass(frozen=True)
class Chair:
    """Who settles votes that differ. Each case has one file of rulings."""

    layout: Layout
    adjudicator: str
    made_by: MadeBy = "person"
    lineage: str | None = None

    def path(self, case: str) -> Path:
        return self.layout.labels / "adjudicated" / f"{case}.yaml"

    def held(self, case: str) -> AdjudicationFile | None:
        return read_label_file(self.layout, self.path(case), AdjudicationFile)


def differing(labels: Labels) -> list[ItemName]:
    """Items whose votes differ, settled or not, in the order of their names."""
    return [item for item, votes in labels.votes.items() if len({cast.vote.answer for cast in votes}) > 1]


def rule(chair: Chair, case: str, ruling: Ruling, guide: str) -> None:
    """Put the ruling on disk; rulings that are there stay. The same again changes nothing. Raises AlreadyRuled, BrokenInput."""
    with locked(chair.layout, chair.path(case)):
        held = chair.held(case)
        there = ruling_on(held, ruling.attempt, ruling.statement)
        if there == ruling:
            return
        if there is not None:
            raise AlreadyRuled(there)
        if held is not None:
            _check_same(chair, held)
        file = AdjudicationFile(
            schema="1",
            case=case,
            adjudicator=chair.adjudicator,
            made_by=chair.made_by,
            lineage=chair.lineage,
            guide=guide,
            at=datetime.now(UTC).isoformat(timespec="seconds"),
            rulings=(*(held.rulings if held else ()), ruling),
        )
        write_whole(chair.path(case), adjudication_text(file))


def take_ruling_back(chair: Chair, case: str, attempt: str, statement: str) -> Ruling | None:
    """Take an own ruling out of its file, and the file away with its last one; None where there is none."""
    with locked(chair.layout, chair.path(case)):
        held = chair.held(case)
        ruling = ruling_on(held, attempt, statement)
        if held is None or ruling is None or held.adjudicator != chair.adjudicator:
            return None
        _check_same(chair, held)
        rest = tuple(other for other in held.rulings if other is not ruling)
        if rest:
            write_whole(chair.path(case), adjudication_text(held.model_copy(update={"rulings": rest})))
        else:
            chair.path(case).unlink()
        return ruling


def ruling_on(held: AdjudicationFile | None, attempt: str, statement: str) -> Ruling | None:
    """The ruling of a file on one statement about one attempt."""
    rulings = held.rulings if held else ()
    return next((r for r in rulings if (r.attempt, r.statement) == (attempt, statement)), None)


def _check_same(chair: Chair, held: AdjudicationFile) -> None:
    """The file says once for all its rulings who made them: nobody's may be called another's, a person's no model's."""
    if held.adjudicator != chair.adjudicator:
        fix = f"let {held.adjudicator} settle the case's other items (--adjudicator {held.adjudicator})"
        place, found = chair.layout.shown(chair.path(held.case)), f"rulings of {held.adjudicator}"
        raise BrokenInput([Problem(place, None, held.case, "adjudicator", found, fix)])
    if (held.made_by, held.lineage) != (chair.made_by, chair.lineage):
        found = f"rulings made by {held.made_by} ({held.lineage or 'no model'})"
        fix = f"go on with --made-by {held.made_by} and its lineage, or take those rulings back first"
        raise BrokenInput([Problem(chair.layout.shown(chair.path(held.case)), None, held.case, "made_by", found, fix)])
