"""What a head is trained on: the labelled attempts of the development split, as they are seen, and nothing of any other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from bench.cases.load import LoadedCase, LoadedSuite
from bench.cases.sources import SessionFolders, events_of
from bench.judges.head.features import VERSION, Seen, see
from bench.labels.load import Labels
from bench.problems import BrokenInput, CannotDecide, Problem
from bench.projection.project import preset_named, project
from bench.projection.view import Projection
from bench.reading.canonical import digest
from bench.schema.case import Attempt
from bench.schema.statement import YesNo

SPLIT = "development"
PRESET = "events"
LEAST_FAMILIES = 10  # of each answer, in the primary strata; under ten every rate counts as "too few" here
Place = tuple[LoadedCase, Attempt]


@dataclass(frozen=True)
class Row:
    """One labelled attempt. ``cited`` holds, by place in the session, the share of annotators who cite the event for a yes."""

    projection: Projection
    seen: Seen
    yes: bool
    family: str
    stratum: str
    primary: bool
    cited: tuple[tuple[int, float], ...]
    content: (
        str  # digest of what was seen and of the label; rows stand in its order, so that names and order move nothing
    )


@dataclass(frozen=True)
class Material:
    """The rows of one statement, in canonical order."""

    statement: YesNo
    suite: str  # id@version
    seed: int
    rows: tuple[Row, ...]

    def digest(self) -> str:
        """What the rows hold, without a name of theirs."""
        numbers: dict[str, int] = {}
        families = [numbers.setdefault(row.family, len(numbers)) for row in self.rows]
        return digest([[row.content, row.primary, family] for row, family in zip(self.rows, families, strict=True)])


def development_material(suite: LoadedSuite, labels: Labels, folders: SessionFolders, statement: str) -> Material:
    """The labelled attempts of the development split. Raises CannotDecide where sessions or labels are missing."""
    if suite.splits is None:
        raise CannotDecide("the suite has no splits.yaml, so there is no development split to train on (bench split)")
    families = suite.splits.families
    places = [place for place in suite.attempts() if families[place[0].case.family] == SPLIT]
    material = material_of(suite, labels, folders, statement, places)
    foreign = sorted({row.family for row in material.rows if families[row.family] != SPLIT})
    if foreign:
        raise ValueError(f"rows of another split than {SPLIT}: {', '.join(foreign)}")
    for yes in (True, False):
        held = {row.family for row in material.rows if row.primary and row.yes is yes}
        if len(held) < LEAST_FAMILIES:
            answer, wanted = "yes" if yes else "no", f"at least {LEAST_FAMILIES} are needed"
            raise CannotDecide(f"{len(held)} families of the primary strata in {SPLIT} are labelled {answer}; {wanted}")
    return material


def material_of(
    suite: LoadedSuite, labels: Labels, folders: SessionFolders, statement: str, places: Sequence[Place]
) -> Material:
    """The labelled attempts among these places, each seen once."""
    asked = _statement(suite, statement)
    primary = {stratum.id for stratum in suite.suite.strata if stratum.primary}
    preset = preset_named(PRESET)
    rows, missing = [], []
    for loaded, attempt in places:
        answer = labels.label((loaded.case.id, attempt.id, statement)).answer
        if answer is None:
            continue
        events = events_of(loaded, attempt, folders)
        if events is None:
            missing.append(loaded.case.id)
            continue
        projection = project(preset, loaded.case.query, attempt.harness, events, attempt.answer)
        cited = _cited(labels, (loaded.case.id, attempt.id, statement), projection.numbers)
        content = digest([VERSION, projection.digest, answer, cited])
        stratum = loaded.case.stratum
        seen = see(projection)
        rows.append(
            Row(projection, seen, answer == "yes", loaded.case.family, stratum, stratum in primary, cited, content)
        )
    if missing:
        there = (
            f"{len(missing)} recorded sessions are not at hand ({', '.join(missing[:5])}{', ...' * (len(missing) > 5)})"
        )
        raise CannotDecide(f"{there}; get them with bench fetch, or name their folder with --sessions")
    return Material(asked, f"{suite.suite.id}@{suite.suite.version}", suite.suite.seed, _ordered(rows))


def _ordered(rows: Sequence[Row]) -> tuple[Row, ...]:
    """Families by the content of their rows, rows by content within them."""
    content: dict[str, list[str]] = {}
    for row in rows:
        content.setdefault(row.family, []).append(row.content)
    keys = {family: sorted(held) for family, held in content.items()}
    return tuple(sorted(rows, key=lambda row: (keys[row.family], row.family, row.content)))


def _statement(suite: LoadedSuite, statement: str) -> YesNo:
    known = {s.id: s for s in suite.suite.statements}
    found = known.get(statement)
    if isinstance(found, YesNo):
        return found
    what = f"no statement {statement!r}" if found is None else f"{statement} is no yes / no statement"
    fitting = ", ".join(s.id for s in suite.suite.statements if isinstance(s, YesNo)) or "none"
    raise BrokenInput([Problem(suite.document.file, None, None, "--statement", what, f"use one of {fitting}")])


def _cited(labels: Labels, item: tuple[str, str, str], numbers: Sequence[int]) -> tuple[tuple[int, float], ...]:
    """Where the events stand that annotators cite for a yes, and the share of annotators who do."""
    votes = labels.votes.get(item, ())
    place_of = {number: place for place, number in enumerate(numbers)}
    cites = [set(cast.vote.evidence or ()) for cast in votes if cast.vote.answer == "yes"]
    cited = sorted({number for of_vote in cites for number in of_vote if number in place_of})
    return tuple((place_of[n], sum(n in of_vote for of_vote in cites) / len(votes)) for n in cited)
