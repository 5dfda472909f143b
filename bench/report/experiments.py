"""Experiments as one sentence, as Markdown and as JSON material: where the spread in answers comes from."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from bench.measure.estimate import Estimate
from bench.measure.experiment_figures import Experiment, ExperimentLine
from bench.measure.variance import ITEM
from bench.measure.variance_shares import CARRIED, Share
from bench.report.jsonable import Json, estimate_json

Grid = Callable[[Iterable[Sequence[str]]], str]
EXPERIMENT_NOTE = (
    "Parts of the spread of right / wrong (and of yes / no) answers: the cases, each factor that was varied, their interactions, "
    "asking again. The intervals (95 %, studentised family bootstrap) are about other cases under these very levels, not "
    "about other levels; a star marks a wide bound where families are too few for it. Its seats stand in no table above."
)


def experiment_sections(found: Sequence[Experiment], grid: Grid, escaped: Callable[[str], str]) -> list[str]:
    """One section an experiment."""
    parts: list[str] = []
    for experiment in found:
        parts += [f"## Experiment {experiment.id}", EXPERIMENT_NOTE, escaped(about(experiment))]
        for line in experiment.lines:
            parts += [
                f"### {line.response}: {line.statement}, {line.stratum}",
                escaped(f"{sentence(line)} {items_words(line)}"),
                grid([["part", "share", "variance", "note"], *share_rows(line)]),
                grid([["factor", "level", level_title(line)], *level_rows(experiment, line)]),
            ]
    return parts


def about(experiment: Experiment) -> str:
    """What was varied."""
    if experiment.missing is not None:
        return f"Not measured: {experiment.missing}."
    factors = "; ".join(f"{factor.name} ({', '.join(factor.levels)})" for factor in experiment.factors)
    often = "once" if experiment.samples == 1 else f"{experiment.samples} times"
    return f"{len(experiment.seats)} cells, each asked {often}: {factors}."


def sentence(line: ExperimentLine) -> str:
    """The whole finding in plain words."""
    if line.breakdown.undefined is not None:
        return f"Of the spread in {line.response} nothing can be said: {line.breakdown.undefined}."
    return f"Of the spread in {line.response}: {', '.join(f'{words(s)} {percents(s.share)}' for s in line.breakdown.shares)}."


def words(share: Share) -> str:
    """The part's name for a reader."""
    return "cases" if share.component.name == ITEM else share.component.name


def percents(share: Estimate) -> str:
    """``71 % [62, 80]``; a star for a wide bound, ``too few`` without an interval."""
    value = share.percent()
    if share.value is None or share.low is None or share.high is None:
        return f"{value} (too few)" if share.too_few else value
    low, high = (replace(share, value=bound).percent().removesuffix(" %") for bound in (share.low, share.high))
    return f"{value} [{low}, {high}]{'*' if share.method == CARRIED else ''}"


def items_words(line: ExperimentLine) -> str:
    """How much that rests on."""
    excluded = "".join(f", {count} excluded ({reason})" for reason, count in line.excluded.items())
    return f"{line.items} items in {line.breakdown.families} families{excluded}."


def share_rows(line: ExperimentLine) -> list[list[str]]:
    """Part, share, variance, note."""
    rows = []
    for share in line.breakdown.shares:
        notes = ["the estimate was negative"] if share.negative else []
        notes += [share.share.note] if share.share.note else []
        lost = share.share.undefined_resamples
        notes += [f"{lost} resamples without a value"] if lost else []
        variance = "n/a" if share.variance is None else f"{share.variance:.4f}"
        rows.append([words(share), percents(share.share), variance, "; ".join(notes)])
    return rows


def level_title(line: ExperimentLine) -> str:
    """What the mean of a level is."""
    return "accuracy" if line.response == "being right" else "share of yes"


def level_rows(experiment: Experiment, line: ExperimentLine) -> list[list[str]]:
    """Factor, level, mean; after a factor's levels, how far best and worst lie apart."""
    rows = []
    for factor, found in zip(experiment.factors, line.levels, strict=True):
        rows += [[factor.name, name, mean.cell()] for name, mean in zip(factor.levels, found.means, strict=True)]
        rows.append([factor.name, "from lowest to highest", found.range.cell()])
    return rows


def experiment_json(experiment: Experiment) -> Json:
    """Everything of one experiment."""
    told: Json = {
        "id": experiment.id,
        "factors": [{"name": factor.name, "levels": list(factor.levels)} for factor in experiment.factors],
        "samples": experiment.samples,
        "seats": [{"judge_id": judge, "levels": list(levels)} for judge, levels in experiment.seats],
        "lines": [_line_json(experiment, line) for line in experiment.lines],
    }
    return told if experiment.missing is None else {**told, "missing": experiment.missing}


def _line_json(experiment: Experiment, line: ExperimentLine) -> Json:
    return {
        "stratum": line.stratum,
        "statement": line.statement,
        "response": line.response,
        "signature": str(line.signature),
        "sentence": sentence(line),
        "items": line.items,
        "families": line.breakdown.families,
        "excluded": dict(line.excluded),
        "total_variance": line.breakdown.total,
        "components": [
            {"name": s.component.name, "variance": s.variance, "negative": s.negative, "share": estimate_json(s.share)}
            for s in line.breakdown.shares
        ],
        "levels": [
            {
                "factor": factor.name,
                "means": [
                    {"level": name, **estimate_json(mean)}
                    for name, mean in zip(factor.levels, found.means, strict=True)
                ],
                "range": estimate_json(found.range),
            }
            for factor, found in zip(experiment.factors, line.levels, strict=True)
        ],
    }
