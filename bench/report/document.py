"""The report as JSON: every figure with interval, coverage, counts and signature. No clock, host or path of the machine."""

from __future__ import annotations

import json
from collections.abc import Mapping

from pydantic import JsonValue

from bench.benchmark import Benchmark
from bench.measure.agreement_figures import AgreementLine
from bench.measure.call_figures import CallLine
from bench.measure.comparison_figures import ComparisonLine
from bench.measure.estimate import Estimate
from bench.measure.figures import Table
from bench.measure.judge_line import JudgeLine
from bench.measure.pass_figures import PassLine
from bench.measure.probability_figures import ProbabilityLine
from bench.measure.repeatability import SampleFigures
from bench.measure.rows import Books, Row
from bench.measure.slice_figures import SliceLine
from bench.verify.checks import Check

FORMAT = 1
Json = dict[str, JsonValue]


def document(benchmark: Benchmark) -> Json:
    """The whole report as JSON material."""
    suite = benchmark.suite.suite
    return {
        "format": FORMAT,
        "suite": {"id": suite.id, "title": suite.title, "version": suite.version, "licence": suite.licence},
        "signature": str(benchmark.signature),
        "labels_made_by": list(benchmark.labels.provenance),
        "sentence": benchmark.sentence,
        "exit_code": benchmark.exit_code,
        "checks": [_check(check) for check in benchmark.checks],
        "tables": [_table(table) for table in benchmark.figures.tables],
        "pass_k": [_pass(line) for line in benchmark.figures.pass_k],
        "agreement": [_agreement(line) for line in benchmark.figures.agreement],
        "comparisons": [_comparison(line) for line in benchmark.figures.comparisons],
        "slices": [_slice(line) for line in benchmark.figures.slices],
        "calls": [_calls(line) for line in benchmark.figures.calls],
        "books": {judge: _books(tally) for judge, tally in benchmark.figures.books.items()},
        "items": [_item(outcome.judge.id, row) for outcome, rows in benchmark.judged for row in rows],
    }


def as_text(value: Json) -> str:
    """Stable JSON text."""
    return json.dumps(value, indent=1, ensure_ascii=False, sort_keys=False, allow_nan=False) + "\n"


def _check(check: Check) -> Json:
    return {
        "name": check.name,
        "status": check.status,
        "found": check.found,
        "fix": check.fix,
        "details": list(check.details),
    }


def _table(table: Table) -> Json:
    return {
        "stratum": table.stratum.id,
        "design": table.stratum.design,
        "primary": table.stratum.primary,
        "statement": table.statement,
        "splits": list(table.splits),
        "labels": dict(table.labels),
        "families": table.families,
        "prevalence": _estimate(table.prevalence),
        "judges": [_line(line) for line in table.lines],
    }


def _line(line: JudgeLine) -> Json:
    return {
        "judge": line.judge,
        "judge_id": line.judge_id,
        "signature": str(line.signature),
        "books": _books(line.books),
        "coverage": _estimate(line.coverage),
        "counts": dict(line.counts),
        "metrics": {name: _estimate(estimate) for name, estimate in line.metrics.items()},
        "probability": None if line.probability is None else _probability(line.probability),
        "samples": None if line.samples is None else _samples(line.samples),
        "if_unscored_were": {name: {"all_wrong": b.low, "all_right": b.high} for name, b in line.bounds.items()},
    }


def _probability(line: ProbabilityLine) -> Json:
    return {
        "items": line.items,
        "brier": _estimate(line.brier),
        "log_loss": _estimate(line.log_loss),
        "calibration_error": _estimate(line.calibration),
        "definition": line.definition,
        "by_chance": line.by_chance,
        "p_value": line.p_value,
    }


def _samples(found: SampleFigures) -> Json:
    return {
        "samples": found.samples,
        "items": found.items,
        "excluded": found.excluded,
        "flip_rate": _estimate(found.flip_rate),
        "right_at_least_once": _estimate(found.right_once),
        "right_every_time": _estimate(found.right_always),
    }


def _slice(line: SliceLine) -> Json:
    return {
        "stratum": line.stratum,
        "statement": line.statement,
        "dimension": line.dimension,
        "value": line.value,
        "judge": line.judge,
        "accuracy": _estimate(line.accuracy),
    }


def _comparison(line: ComparisonLine) -> Json:
    told: Json = {
        **line.entry.model_dump(mode="json"),
        "items": line.items,
        "families": line.families,
        "verdict": line.decided.verdict if line.decided else "cannot tell",
        "reason": line.decided.reason if line.decided else line.missing,
        "flips": list(line.flips),
    }
    if line.decided is not None:
        told |= {"difference": _estimate(line.decided.gap), "level": line.decided.level}
    if line.accuracy is not None:
        test = line.accuracy
        told["accuracy_test"] = {
            "p_value": test.p_value,
            "method": test.method,
            "only_candidate_right": test.only_a_right,
            "only_comparator_right": test.only_b_right,
        }
    return told


def _estimate(estimate: Estimate) -> Json:
    known: Mapping[str, JsonValue] = {
        "value": estimate.value,
        "low": estimate.low,
        "high": estimate.high,
        "method": estimate.method,
        "families": estimate.families,
        "numerator": estimate.numerator,
        "denominator": estimate.denominator,
        "note": estimate.note,
        "undefined": estimate.undefined,
        "undefined_resamples": estimate.undefined_resamples or None,
    }
    return {name: value for name, value in known.items() if value is not None or name == "value"}


def _books(tally: Books) -> Json:
    return {
        "expected": tally.expected,
        "scored": tally.scored,
        "unscored": dict(tally.unscored),
        "not_run": tally.not_run,
        "labelled": tally.labelled,
        "unlabelled": tally.unlabelled,
        "unclear": tally.unclear,
    }


def _pass(line: PassLine) -> Json:
    return {
        "source": line.source,
        "figures": [
            {
                **_estimate(figure.estimate),
                "name": figure.estimate.name,
                "cases": figure.cases,
                "excluded": figure.excluded,
                "reasons": list(figure.reasons),
            }
            for figure in line.figures
        ],
    }


def _calls(line: CallLine) -> Json:
    return {
        "judge": line.judge,
        "judge_id": line.judge_id,
        "verdicts": line.verdicts,
        "retried": line.retried,
        "tokens_in": line.tokens_in,
        "tokens_out": line.tokens_out,
        "usd": line.usd,
        "cost_unknown": line.cost_unknown,
        "median_ms": line.median_ms,
        "invented_quotes": line.invented_quotes,
        "flags": dict(line.flags),
        "answered_by": list(line.answered_by),
    }


def _agreement(line: AgreementLine) -> Json:
    return {
        "stratum": line.stratum,
        "statement": line.statement,
        "items": line.items,
        "votes": line.votes,
        "adjudicated": line.adjudicated,
        "raw": _estimate(line.raw),
        "alpha": _estimate(line.alpha),
        "alpha_without_unclear": _estimate(line.alpha_without_unclear),
    }


def _item(judge: str, row: Row) -> Json:
    known: Json = {
        "judge_id": judge,
        "item": f"{row.case}/{row.attempt}/{row.statement}",
        "stratum": row.stratum,
        "split": row.split,
        "family": row.family,
        "label": row.label.answer or row.label.status,
        "label_how": row.label.how,
        "verdict": row.answer,
        "unscored": row.unscored,
        "p": row.p,
        "score": row.score,
    }
    return {name: value for name, value in known.items() if value is not None}
