"""The report as one page: a script and a style of its own, named by digest, and nothing else may run or be asked for."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Callable, Sequence
from functools import cache
from importlib.resources import files

from jinja2 import Environment, PackageLoader, StrictUndefined, Template
from markupsafe import Markup
from pydantic import JsonValue

from bench.benchmark import Benchmark
from bench.deciding.certificate import Certificate
from bench.measure.estimate import Estimate, rounded
from bench.measure.experiment_figures import Experiment, ExperimentLine
from bench.measure.judge_line import JudgeLine
from bench.measure.ranking_figures import RankingLine
from bench.report import experiments
from bench.report.certificates import CERTIFICATE_NOTE, NONE_GIVEN, certificate_rows
from bench.report.judge_rows import Rows, book_rows, counts, sample_rows, worst_rows
from bench.report.kinds import callers, kind_of
from bench.report.opening import layers, leading_table, opening
from bench.report.page.payload import payload, places_of
from bench.report.page.sessions import Embed, Packed, pack_attempts
from bench.report.page.thresholds import operating_points
from bench.report.plots.drawn import Drawn
from bench.report.plots.inline import inline_svg
from bench.report.slices import SLICE_NOTE, slice_tables
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
from bench.report.words import TITLES, cost_words, label_words, milliseconds, shown_metrics

_SCRIPTS = ("core.js", "thresholds.js", "case.js", "cases.js", "start.js")
_VERDICTS = {0: "met", 1: "not-met", 2: "cannot-decide"}


def page(benchmark: Benchmark, drawn: Sequence[Drawn], embed: Embed, certificates: Sequence[Certificate] = ()) -> str:
    """The page. Everything that comes from cases is escaped by the template engine or set as text by the script."""
    style, script = _asset("page.css"), "\n".join(map(_asset, _SCRIPTS))
    packed = pack_attempts(benchmark, places_of(benchmark), embed)
    heads = headline_tables(benchmark)
    leading = leading_table(benchmark)
    return (
        _template().render(
            style=Markup(style),  # noqa: S704  our own files
            script=Markup(script),  # noqa: S704
            style_digest=_digest(style),
            script_digest=_digest(script),
            data=_embedded(benchmark, drawn, packed),
            embedded=_embedded_words(packed, embed),
            benchmark=benchmark,
            suite=benchmark.suite.suite,
            size=_size(benchmark),
            opening=opening(benchmark),
            layers=layers(benchmark),
            verdict_class=_VERDICTS[benchmark.exit_code],
            labels=label_words(benchmark.labels.provenance),
            votes_words=votes_words(benchmark.figures.votes),
            heads=heads,
            others=[table for table in benchmark.figures.tables if table not in heads],
            leading_statement="" if leading is None else leading.statement,
            drawn=drawn,
            kind=_kind(benchmark),
            certificates=certificate_rows(benchmark, certificates),
            certificate_note=CERTIFICATE_NOTE if certificates else NONE_GIVEN.replace("`", ""),
            **_FUNCTIONS,
            **_notes(benchmark),
        )
        + "\n"
    )


def _notes(benchmark: Benchmark) -> dict[str, object]:
    figures = benchmark.figures
    return {
        "ranking_note": RANKING_NOTE,
        "noise_note": NOISE_NOTE,
        "repeat_note": REPEAT_NOTE,
        "sensitivity_note": SENSITIVITY_NOTE,
        "slice_note": SLICE_NOTE,
        "same_lineage": SAME_LINEAGE,
        "third_note": f"{THIRD_NOTE} {lineage_words(figures.third_votes)}",
        "noise_tables": noise_tables(figures.noise),
        "sensitivity_rows": sensitivity_rows(figures.sensitivity),
        "slices": slice_tables(figures.slices),
        "third_vote_rows": third_vote_rows(figures.third_votes),
        "book_rows": book_rows(figures.books),
    }


def _ranking_rows(line: RankingLine) -> Rows:
    rows = [[metric_name(ranking.metric), *first_place(line, ranking)] for ranking in line.rankings]
    return [["metric", "first", "share of resamples", "otherwise most often"], *rows]


def _share_table(line: ExperimentLine) -> Rows:
    return [["part", "share", "variance", "note"], *experiments.share_rows(line)]


def _level_table(experiment: Experiment, line: ExperimentLine) -> Rows:
    return [["factor", "level", experiments.level_title(line)], *experiments.level_rows(experiment, line)]


def _kind(benchmark: Benchmark) -> Callable[[JudgeLine], str]:
    called = callers(benchmark)
    return lambda line: kind_of(line.judge, line.judge_id in called)


def _inline(one: Drawn) -> Markup:
    return Markup(inline_svg(one.svg, one.name))  # noqa: S704  inline_svg lets no markup but shapes and text through


def _bar(estimate: Estimate, low: float) -> dict[str, str] | None:
    """Where the interval and the value lie on a scale from ``low`` to 1, in percent of its width."""
    if estimate.value is None or estimate.low is None or estimate.high is None:
        return None
    start, end, at = ((x - low) / (1 - low) * 100 for x in (estimate.low, estimate.high, estimate.value))
    return {"start": f"{start:.1f}", "width": f"{max(end - start, 0.5):.1f}", "at": f"{min(max(at - 1, 0), 98):.1f}"}


_FUNCTIONS = {
    "headline_of": headline_of,
    "shown_metrics": shown_metrics,
    "titles": TITLES,
    "counts": counts,
    "worst_rows": worst_rows,
    "sample_rows": sample_rows,
    "bar": _bar,
    "rounded": rounded,
    "cost_words": cost_words,
    "milliseconds": milliseconds,
    "told": experiments,
    "metric_name": metric_name,
    "ranking_rows": _ranking_rows,
    "share_table": _share_table,
    "level_table": _level_table,
    "inline": _inline,
}


def _size(benchmark: Benchmark) -> str:
    suite = benchmark.suite
    attempts = sum(1 for _ in suite.attempts())
    seats = len(benchmark.judged) - len(benchmark.headline)
    tried = f" and {seats} in experiments" if seats else ""
    return f"{len(suite.cases):,} cases, {attempts:,} attempts, {len(benchmark.headline)} judges in the tables{tried}."


def _embedded_words(packed: Packed, embed: Embed) -> str:
    left = f" {packed.left_out:,} attempts were left out to keep the page small." if packed.left_out else ""
    told = {
        "none": "Sessions are not part of this page.",
        "inline": "Sessions that cases hold are part of this page; those held by reference are not.",
        "all": "Sessions that were at hand are part of this page.",
    }
    return told[embed] + left


def _embedded(benchmark: Benchmark, drawn: Sequence[Drawn], packed: Packed) -> dict[str, Markup]:
    curves: list[JsonValue] = list(operating_points(benchmark))
    return {
        "data": _json(payload(benchmark)),
        "curves": _json(curves),
        "figures": _json({one.name: one.data for one in drawn}),
        "packs": _json(packed.json()),
    }


def _json(value: JsonValue) -> Markup:
    """JSON that no parser of HTML takes for markup: it holds no less-than sign."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return Markup(text.replace("<", "\\u003c"))  # noqa: S704


def _digest(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


@cache
def _asset(name: str) -> str:
    return files("bench.report.page").joinpath("assets", name).read_text(encoding="utf-8").strip()


@cache
def _template() -> Template:
    environment = Environment(
        loader=PackageLoader("bench.report.page"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return environment.get_template("page.html.j2")
