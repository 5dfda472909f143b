"""A page about metrics: what each is, from the table of their properties and from what their functions say."""

from __future__ import annotations

import inspect
from collections.abc import Iterator

from reference_text import code, page, plain, table

from bench import metrics
from bench.measure.metrics import METRICS, Metric
from bench.measure.probability import decompose_brier
from bench.measure.properties import PROPERTIES
from bench.measure.ranking import RANK_METRICS, RankMetric

_PARTS_OF_BRIER = ("reliability", "resolution", "uncertainty")


def measures() -> str:
    """Every metric."""
    rows = (
        (
            f"[{code(name)}](#{name})",
            f"{one.low:g} to {one.high:g}".replace("inf", "infinity"),
            one.direction,
            one.defined_when,
        )
        for name, one in PROPERTIES.items()
    )
    parts = [
        table(("metric", "range", "direction", "defined with"), rows),
        "Where a metric is not defined there is no number but a reason. Every number has an interval in which families stay\n"
        "whole, or says why it has none. From Python: `from bench.metrics import evaluate`.",
        *_sections(),
        "## Of votes and attempts",
        *(
            _of_function(name)
            for name in ("raw_agreement", "krippendorff_alpha", "pairwise_kappas", "pass_at_k", "pass_hat_k")
        ),
    ]
    return page("Metrics", "TP, FP, FN and TN count items: yes rightly, yes wrongly, no wrongly, no rightly.", parts)


def _sections() -> Iterator[str]:
    for name in PROPERTIES:
        known = METRICS.get(name) or RANK_METRICS.get(name)
        yield _of_table(known) if known is not None else _of_function(name)


def _of_table(metric: Metric | RankMetric) -> str:
    lines = [
        f"## {metric.name}",
        "",
        plain(metric.sentence),
        "",
        f"* Formula: {code(metric.formula)}",
        f"* Range {metric.low:g} to {metric.high:g}, {metric.direction}. Undefined without {_when(metric.defined_when)}.",
        f"* Easily confused with: {plain(metric.confused_with)}.",
        f"* Reference: {plain(metric.reference)}.",
    ]
    return "\n".join(lines)


def _of_function(name: str) -> str:
    if name in _PARTS_OF_BRIER:
        return f"## {name}\n\nA part of the Brier score. " + _told(decompose_brier)
    return f"## {name}\n\n" + _told(getattr(metrics, name))


def _told(function: object) -> str:
    return "\n\n".join(plain(part) for part in (inspect.getdoc(function) or "").split("\n\n"))


def _when(condition: str) -> str:
    return condition.replace("at least one item items", "at least one item")
