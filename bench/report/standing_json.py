"""Comparisons, rankings, label error, repeats and slices as JSON material."""

from __future__ import annotations

from bench.measure.comparison_figures import ComparisonLine
from bench.measure.noise_figures import NoiseLine
from bench.measure.ranking_figures import RankingLine
from bench.measure.repeat_figures import RepeatLine
from bench.measure.sensitivity_figures import SensitivityLine
from bench.measure.slice_figures import SliceLine
from bench.report.jsonable import Json, estimate_json, known_only


def comparison_json(line: ComparisonLine) -> Json:
    """A declared comparison and what became of it."""
    told: Json = {
        **line.entry.model_dump(mode="json"),
        "items": line.items,
        "families": line.families,
        "verdict": line.decided.verdict if line.decided else "cannot tell",
        "reason": line.decided.reason if line.decided else line.missing,
        "flips": list(line.flips),
    }
    if line.decided is not None:
        told |= {"difference": estimate_json(line.decided.gap), "level": line.decided.level}
    if line.accuracy is not None:
        test = line.accuracy
        told["accuracy_test"] = {
            "p_value": test.p_value,
            "method": test.method,
            "only_candidate_right": test.only_a_right,
            "only_comparator_right": test.only_b_right,
        }
    return told


def ranking_json(line: RankingLine) -> Json:
    """The rankings of one table."""
    return {
        "stratum": line.stratum,
        "statement": line.statement,
        "items": line.items,
        "families": line.families,
        "labelled": line.labelled,
        "left_out": list(line.left_out),
        "sentence": line.sentence,
        "metrics": [
            {
                "metric": ranking.metric,
                "resamples": ranking.resamples,
                "skipped": ranking.skipped,
                "judges": [known_only(vars(rank)) for rank in ranking.ranks],
            }
            for ranking in line.rankings
        ],
    }


def noise_json(line: NoiseLine) -> Json:
    """One judge under label error."""
    return {
        "stratum": line.stratum,
        "statement": line.statement,
        "judge": line.judge,
        "judge_id": line.judge_id,
        "values": [known_only(vars(value)) for value in line.values],
    }


def sensitivity_json(line: SensitivityLine) -> Json:
    """One judge's precision at other mixes."""
    return {
        "statement": line.statement,
        "stratum": line.stratum,
        "hard_stratum": line.hard_stratum,
        "judge": line.judge,
        "judge_id": line.judge_id,
        "points": [
            {"prevalence": prevalence, "hard_share": hard, "precision": estimate_json(found)}
            for prevalence, hard, found in line.points
        ],
    }


def repeat_json(line: RepeatLine) -> Json:
    """One judge against itself."""
    return {
        "stratum": line.stratum,
        "statement": line.statement,
        "judge": line.judge,
        "judge_id": line.judge_id,
        "metric": line.metric,
        "items": line.items,
        "declared": line.declared,
        "difference": estimate_json(line.repeat.gap),
        "margin": line.repeat.margin,
        "verdict": line.repeat.verdict,
        "reason": line.repeat.reason,
        "p_value": line.test.p_value,
        "p_adjusted": line.test.adjusted,
    }


def slice_json(line: SliceLine) -> Json:
    """One judge on one slice."""
    return {
        "stratum": line.stratum,
        "statement": line.statement,
        "dimension": line.dimension,
        "value": line.value,
        "judge": line.judge,
        "accuracy": estimate_json(line.accuracy),
    }
