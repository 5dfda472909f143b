"""A comparison of base and head as JSON material: all that the text tells, and every flip."""

from __future__ import annotations

from dataclasses import replace

from pydantic import JsonValue

from bench.benchmark import Replayed
from bench.comparing.compare import JudgeComparison, Run
from bench.comparing.comparison import Comparison, judge_sentence
from bench.comparing.items import CoverageChange, Flip, Place
from bench.comparing.metric_lines import MetricLine
from bench.comparing.noise import Noise
from bench.comparing.red_lines import RedLineResult
from bench.comparing.slices import SliceLine
from bench.report.jsonable import Json, estimate_json


def comparison_json(found: Comparison) -> Json:
    """The whole comparison; ``exit_code`` is the command's."""
    return {
        "schema": 1,
        "exit_code": found.exit_code,
        "outcome": found.outcome,
        "sentence": found.sentence,
        "kind": found.sides.kind,
        "base": found.sides.words[0],
        "head": found.sides.words[1],
        "stratum": found.table.stratum,
        "statement": found.table.statement,
        "splits": list(found.table.splits),
        "config_file": found.config_file,
        "config": found.config.model_dump(mode="json", exclude_none=True),
        "labels": "head",
        "judges": [_judge(found, judge) for judge in found.judges],
        "only_in_base": list(found.paired.only_base),
        "only_in_head": list(found.paired.only_head),
    }


def signature_of(found: Comparison, side: Replayed, run: Run) -> str:
    """Everything one must know to get one side's figures again."""
    table = found.table
    whole = replace(
        side.signature,
        splits="+".join(table.splits),
        judge=run.judge_id,
        preset=run.preset,
        stratum=table.stratum,
        statement=table.statement,
        samples=run.samples,
    )
    return str(whole)


def _judge(found: Comparison, judge: JudgeComparison) -> Json:
    matched = judge.matched
    return {
        "verdict": judge.verdict,
        "exit_code": judge.exit_code,
        "sentence": judge_sentence(judge),
        "reasons": list(judge.reasons),
        "base": _run(judge.base, signature_of(found, found.sides.base, judge.base)),
        "head": _run(judge.head, signature_of(found, found.sides.head, judge.head)),
        "items": {
            "common": judge.items,
            "scored_by_both_and_labelled": judge.scored,
            "families": judge.families,
            "not_judged": {"base": judge.not_run[0], "head": judge.not_run[1]},
            "only_in_base": matched.only_base,
            "only_in_head": matched.only_head,
            "other_content": matched.other_content,
            "other_label": matched.other_label,
        },
        "metrics": [_metric(line) for line in judge.metrics],
        "red_lines": [_red_line(line) for line in judge.red_lines],
        "accuracy_test": None
        if judge.accuracy is None
        else {
            "p_value": judge.accuracy.p_value,
            "method": judge.accuracy.method,
            "only_head_right": judge.accuracy.only_a_right,
            "only_base_right": judge.accuracy.only_b_right,
            "families": judge.accuracy.families,
        },
        "noise": None if judge.noise is None else _noise(judge.noise),
        "flips": [_flip(flip) for flip in matched.flips],
        "coverage_changes": [_coverage(change) for change in matched.coverage_changes],
        "slices": [_slice(line) for line in judge.slices],
        "notes": list(judge.notes),
    }


def _run(run: Run, signature: str) -> Json:
    return {
        "judge": run.name,
        "judge_id": run.judge_id,
        "samples": run.samples,
        "coverage": estimate_json(run.coverage),
        "coverage_floor": run.floor,
        "signature": signature,
    }


def _metric(line: MetricLine) -> Json:
    return {
        "metric": line.metric,
        "role": line.role,
        "decides": line.decides,
        "margin": line.margin,
        "verdict": line.verdict,
        "reason": line.reason,
        "base": estimate_json(line.base),
        "head": estimate_json(line.head),
        "head_minus_base": estimate_json(line.gap),
        "level": line.level,
    }


def _red_line(line: RedLineResult) -> Json:
    return {
        "metric": line.decision.limit.metric,
        "at_least": line.decision.limit.value,
        "status": line.decision.status,
        "reason": line.decision.reason,
        "more_labels": line.decision.more_labels,
        "head": estimate_json(line.estimate),
    }


def _noise(noise: Noise) -> Json:
    return {
        "items": noise.items,
        "flip_rate_within_base": estimate_json(noise.within_base),
        "flip_rate_base_to_head": estimate_json(noise.across),
        "beyond_noise": estimate_json(noise.beyond),
    }


def _place(place: Place) -> dict[str, JsonValue]:
    return {
        "item": f"{place.case}/{place.attempt}/{place.statement}",
        "case": place.case,
        "attempt": place.attempt,
        "statement": place.statement,
        "stratum": place.stratum,
        "split": place.split,
        "family": place.family,
        "file": place.file,
        "line": place.line,
        "decides": place.decides,
    }


def _flip(flip: Flip) -> Json:
    return {
        **_place(flip.place),
        "base": flip.base,
        "head": flip.head,
        "label": flip.label,
        "change": flip.change,
        "base_label": flip.base_label or flip.label,
        "same_content": flip.same_content,
    }


def _coverage(change: CoverageChange) -> Json:
    return {
        **_place(change.place),
        "base": change.base,
        "head": change.head,
        "kind": change.kind,
        "same_content": change.same_content,
    }


def _slice(line: SliceLine) -> Json:
    return {
        "dimension": line.dimension,
        "value": line.value,
        "items": line.items,
        "families": line.families,
        "right_to_wrong": line.to_wrong,
        "wrong_to_right": line.to_right,
        "accuracy_head_minus_base": estimate_json(line.accuracy),
    }
