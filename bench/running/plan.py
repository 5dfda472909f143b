"""What is expected of each judge, by the present content: one entry per judge, attempt, statement and sample."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from bench.cases.load import AnyStatement, LoadedCase, LoadedSuite
from bench.judges.contract import Judge, question_of
from bench.judges.registry import make_judge
from bench.projection.presets import Preset
from bench.projection.project import preset_named
from bench.running.identity import item_key, judge_id
from bench.running.views import View, Views
from bench.schema.case import Attempt
from bench.schema.suite import JudgeEntry


@dataclass(frozen=True)
class SeatedJudge:
    """A judge as the suite seats it: which statements it answers, under which preset, with what coverage promised."""

    entry: JudgeEntry
    judge: Judge
    preset: Preset
    id: str


@dataclass(frozen=True)
class Expected:
    """One verdict that is presently expected. ``item`` is None where the session's text is needed and not at hand."""

    loaded: LoadedCase
    attempt: Attempt
    statement: AnyStatement
    sample: int
    item: str | None
    view: View | None = None  # of the projection, where the judge is shown one and it is known

    @property
    def name(self) -> str:
        return f"{self.loaded.case.id}/{self.attempt.id}/{self.statement.id}"


def seat(suite: LoadedSuite, entry: JudgeEntry) -> SeatedJudge:
    """Make the judge of a suite's entry. Raises BrokenInput."""
    preset = preset_named(entry.preset)
    judge = make_judge(entry.judge, entry.parameters, suite.layout.suite)
    return SeatedJudge(entry, judge, preset, judge_id(judge, preset.label))


def expected(suite: LoadedSuite, seated: SeatedJudge, views: Views) -> Iterator[Expected]:
    """Every verdict the judge owes on the present data, in case, attempt, sample, statement order."""
    for loaded, attempt in suite.attempts():
        if seated.entry.only and loaded.case.id not in seated.entry.only:
            continue
        asked = [statement for statement in loaded.statements if statement.id in seated.entry.answers]
        if not asked:
            continue
        needs_view = "projection" in seated.judge.receives
        view = views.look_up(loaded, attempt, seated.preset) if needs_view else None
        items = [(s, _item(seated, loaded, s, view.projection if view else None)) for s in asked]
        known = view is not None or not needs_view
        for sample in range(
            seated.entry.samples
        ):  # one sample of all statements after another: one call may ask them all
            for statement, item in items:
                yield Expected(loaded, attempt, statement, sample, item if known else None, view)


def _item(seated: SeatedJudge, loaded: LoadedCase, statement: AnyStatement, projection: str | None) -> str:
    world = loaded.case.world_state
    return item_key(
        seated.judge.receives,
        question_of(statement),
        projection=projection,
        anchors=loaded.case.trajectory_anchors,
        facts=world.facts,
        reference_time=world.reference_time,
    )
