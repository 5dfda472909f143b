"""A comparison as annotations: what breaks it first, then every verdict that flipped, at the line of its attempt."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from bench.annotations import Annotation, Level
from bench.comparing.compare import JudgeComparison
from bench.comparing.comparison import Comparison
from bench.comparing.items import Flip
from bench.report.comparison.junit import base_of, breaks
from bench.repository import in_repository

_ORDER = ("right->wrong", "wrong->right", "wrong->wrong", "no label")


@dataclass(frozen=True)
class Gates:
    """Where what decides is written: the config, named from the repository's top, and its lines."""

    file: str | None = None
    objective: int | None = None
    red_lines: tuple[int | None, ...] = ()


def comparison_annotations(found: Comparison, gates: Gates) -> list[Annotation]:
    """An error where a judge is worse or a red line is not met, a warning where nobody can tell, else a notice."""
    judges = sorted(found.judges, key=lambda judge: (1, 2, 0).index(judge.exit_code))
    told = [one for judge in judges for one in _of_judge(judge, gates)]
    flips = [(judge, flip) for judge in judges for flip in judge.matched.flips]
    flips.sort(key=lambda pair: (not pair[1].place.decides, _ORDER.index(pair[1].change)))
    return told + [_of_flip(found, judge, flip) for judge, flip in flips]


def _of_judge(judge: JudgeComparison, gates: Gates) -> Iterator[Annotation]:
    name = judge.head.name
    for number, line in enumerate(judge.red_lines):
        decision = line.decision
        if decision.status != "met":
            level: Level = "error" if decision.status == "not met" else "warning"
            told = f"red line {decision}; head has {line.estimate.cell()}"
            yield Annotation(level, name, told, gates.file, gates.red_lines[number] if gates.file else None)
    level = "error" if judge.verdict == "worse" else "warning" if judge.verdict == "cannot tell" else "notice"
    if level != "notice":
        yield Annotation(level, name, f"{judge.verdict}: {'; '.join(judge.reasons)}", gates.file, gates.objective)


def _of_flip(found: Comparison, judge: JudgeComparison, flip: Flip) -> Annotation:
    place = flip.place
    level: Level = "notice"
    if breaks(judge, flip):
        level = "error"
    elif flip.change == "right->wrong" and place.decides and judge.exit_code:
        level = "warning"
    told = f"{flip.base} -> {flip.head}, label {flip.label}: {flip.change}"
    title = f"{judge.head.name} on {place.case}/{place.attempt} {place.statement}"
    return Annotation(level, title, told, in_repository(place.file, base_of(found)), place.line)
