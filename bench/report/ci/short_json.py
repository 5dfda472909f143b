"""The outcome of the main job as a short document: what report.json says of it, without the items."""

from __future__ import annotations

from bench.benchmark import Benchmark
from bench.report.document import document
from bench.report.jsonable import Json
from bench.report.terminal import headline_tables

_OUTCOME = ("format", "suite", "signature", "sentence", "exit_code", "checks")


def outcome_json(benchmark: Benchmark) -> Json:
    """The outcome and the checks."""
    whole = document(benchmark)
    return {name: whole[name] for name in _OUTCOME}


def short_json(benchmark: Benchmark, folder: str) -> Json:
    """The outcome, where the report is, and the headline tables."""
    whole = document(benchmark)
    tables = whole["tables"] if isinstance(whole["tables"], list) else []
    heads = [table in headline_tables(benchmark) for table in benchmark.figures.tables]
    return {
        **{name: whole[name] for name in _OUTCOME},
        "report": folder,
        "tables": [told for told, head in zip(tables, heads, strict=True) if head],
    }
