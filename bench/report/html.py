"""The report as one self-contained page: no script, no request, everything escaped by the template engine."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from functools import cache

from jinja2 import Environment, PackageLoader, StrictUndefined, Template

from bench.benchmark import Benchmark
from bench.measure.comparison_figures import claims_sentence
from bench.measure.estimate import Estimate, rounded
from bench.report import experiments
from bench.report.markdown import TITLES, cost_words, label_words, milliseconds, shown_metrics
from bench.report.plots import PLOTS
from bench.report.standing import (
    NOISE_NOTE,
    RANKING_NOTE,
    REPEAT_NOTE,
    SENSITIVITY_NOTE,
    first_place,
    metric_name,
    noise_tables,
    sensitivity_rows,
)
from bench.report.terminal import headline_of, headline_tables
from bench.report.votes import SAME_LINEAGE, THIRD_NOTE, lineage_words, third_vote_rows, votes_words


def html(benchmark: Benchmark, svgs: Mapping[str, str]) -> str:
    """The page. ``svgs`` are the drawn figures by name; they are embedded as images, so they cannot run anything."""
    heads = headline_tables(benchmark)
    return (
        _template().render(
            benchmark=benchmark,
            suite=benchmark.suite.suite,
            labels=label_words(benchmark.labels.provenance),
            heads=heads,
            claims=claims_sentence(benchmark.figures.comparisons),
            others=[table for table in benchmark.figures.tables if table not in heads],
            headline_of=headline_of,
            shown_metrics=shown_metrics,
            titles=TITLES,
            bar=_bar,
            rounded=rounded,
            cost_words=cost_words,
            milliseconds=milliseconds,
            pictures=[(PLOTS[name].title, _as_image(svg)) for name, svg in svgs.items()],
            disagreements=_disagreements(benchmark),
            told=experiments,
            first_place=first_place,
            metric_name=metric_name,
            noise_tables=noise_tables(benchmark.figures.noise),
            ranking_note=RANKING_NOTE,
            noise_note=NOISE_NOTE,
            repeat_note=REPEAT_NOTE,
            sensitivity_note=SENSITIVITY_NOTE,
            sensitivity_rows=sensitivity_rows(benchmark.figures.sensitivity),
            same_lineage=SAME_LINEAGE,
            third_note=f"{THIRD_NOTE} {lineage_words(benchmark.figures.third_votes)}",
            third_vote_rows=third_vote_rows(benchmark.figures.third_votes),
            votes_words=votes_words(benchmark.figures.votes),
        )
        + "\n"
    )


@cache
def _template() -> Template:
    environment = Environment(
        loader=PackageLoader("bench.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return environment.get_template("page.html.j2")


def _as_image(svg: str) -> str:
    return "data:image/svg+xml;base64," + base64.b64encode(svg.encode()).decode()


def _bar(estimate: Estimate, low: float) -> Mapping[str, str] | None:
    """Where the interval and the value lie on a scale from ``low`` to 1, in percent of its width."""
    if estimate.value is None or estimate.low is None or estimate.high is None:
        return None
    span = 1 - low
    start, end, at = ((x - low) / span * 100 for x in (estimate.low, estimate.high, estimate.value))
    return {"start": f"{start:.1f}", "width": f"{max(end - start, 0.5):.1f}", "at": f"{at:.1f}"}


def _disagreements(benchmark: Benchmark) -> list[tuple[str, str, str, list[str]]]:
    """Reported items of the critical statements on which a judge that is no control differs from the label."""
    critical = {s.id for s in benchmark.suite.suite.statements if s.critical}
    wrong: dict[tuple[str, str, str], list[str]] = {}
    for outcome, rows in benchmark.headline:
        if not outcome.judge.judge.receives:
            continue
        for row in rows:
            if (
                row.statement in critical
                and row.counts
                and row.split != "development"
                and row.answer != row.label.answer
            ):
                name = (f"{row.case}/{row.attempt}", row.statement, str(row.label.answer))
                wrong.setdefault(name, []).append(outcome.judge.judge.name)
    return [(*name, judges) for name, judges in sorted(wrong.items())]
