"""The report as JSON: every figure with interval, coverage, counts and signature. No clock, host or path of the machine."""

from __future__ import annotations

import json
from collections.abc import Sequence

from bench.benchmark import Benchmark
from bench.deciding.certificate import Certificate
from bench.measure.call_figures import CallLine
from bench.measure.figures import Table
from bench.measure.judge_line import JudgeLine
from bench.measure.pass_figures import PassLine
from bench.measure.probability_figures import ProbabilityLine
from bench.measure.repeatability import SampleFigures
from bench.measure.rows import Books, Row
from bench.report.certificates import certificates_json
from bench.report.experiments import experiment_json
from bench.report.jsonable import Json, estimate_json
from bench.report.standing_json import (
    comparison_json,
    noise_json,
    ranking_json,
    repeat_json,
    sensitivity_json,
    slice_json,
)
from bench.report.votes_json import agreement_json, group_json, third_vote_json
from bench.verify.checks import Check

FORMAT = 1


def document(benchmark: Benchmark, certificates: Sequence[Certificate] = ()) -> Json:
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
        "votes": [group_json(group) for group in benchmark.figures.votes],
        "agreement": [agreement_json(line) for line in benchmark.figures.agreement],
        "third_votes": [third_vote_json(line) for line in benchmark.figures.third_votes],
        "same_lineage": dict(benchmark.figures.same_lineage),
        "comparisons": [comparison_json(line) for line in benchmark.figures.comparisons],
        "rankings": [ranking_json(line) for line in benchmark.figures.rankings],
        "label_noise": [noise_json(line) for line in benchmark.figures.noise],
        "sensitivity": [sensitivity_json(line) for line in benchmark.figures.sensitivity],
        "repeats": [repeat_json(line) for line in benchmark.figures.repeats],
        "slices": [slice_json(line) for line in benchmark.figures.slices],
        "experiments": [experiment_json(found) for found in benchmark.figures.experiments],
        "calls": [_calls(line) for line in benchmark.figures.calls],
        "certificates": [*certificates_json(benchmark, certificates)],
        "books": {judge: _books(tally) for judge, tally in benchmark.figures.books.items()},
        "items": [_item(outcome.judge.id, row) for outcome, rows in benchmark.headline for row in rows],
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
        "prevalence": estimate_json(table.prevalence),
        "judges": [_line(line) for line in table.lines],
    }


def _line(line: JudgeLine) -> Json:
    return {
        "judge": line.judge,
        "judge_id": line.judge_id,
        "signature": str(line.signature),
        "books": _books(line.books),
        "coverage": estimate_json(line.coverage),
        "counts": dict(line.counts),
        "metrics": {name: estimate_json(estimate) for name, estimate in line.metrics.items()},
        "probability": None if line.probability is None else _probability(line.probability),
        "samples": None if line.samples is None else _samples(line.samples),
        "if_unscored_were": {name: {"all_wrong": b.low, "all_right": b.high} for name, b in line.bounds.items()},
    }


def _probability(line: ProbabilityLine) -> Json:
    return {
        "items": line.items,
        "brier": estimate_json(line.brier),
        "log_loss": estimate_json(line.log_loss),
        "calibration_error": estimate_json(line.calibration),
        "definition": line.definition,
        "by_chance": line.by_chance,
        "p_value": line.p_value,
        "risk_coverage_area": estimate_json(line.risk_area),
        "risk_coverage": [
            {"certainty": point.certainty, "selected": point.selected, "wrong": point.wrong}
            for point in line.risk_curve
        ],
    }


def _samples(found: SampleFigures) -> Json:
    return {
        "samples": found.samples,
        "items": found.items,
        "excluded": found.excluded,
        "flip_rate": estimate_json(found.flip_rate),
        "right_at_least_once": estimate_json(found.right_once),
        "right_every_time": estimate_json(found.right_always),
    }


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
                **estimate_json(figure.estimate),
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
