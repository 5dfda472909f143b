"""The report as Markdown that reads well on a code host: the outcome and the headline tables first, the rest folded by layer."""

from __future__ import annotations

from collections.abc import Sequence

from bench.benchmark import Benchmark
from bench.deciding.certificate import Certificate
from bench.report.experiments import experiment_sections
from bench.report.markdown.grid import escaped, fold, grid
from bench.report.markdown.sections import (
    book_section,
    call_section,
    certificate_section,
    check_section,
    comparison_section,
    pass_section,
    signature_section,
)
from bench.report.markdown.tables import headline_grid, probability_section, sample_section, table_section
from bench.report.opening import Layer, layers, opening
from bench.report.slices import slice_sections
from bench.report.standing import noise_sections, ranking_sections, repeat_sections, sensitivity_sections
from bench.report.terminal import headline_of, headline_tables
from bench.report.votes import agreement_sections, third_vote_sections, votes_words
from bench.report.words import label_words
from bench.terminal.words import counted

OPEN_FIGURES = 2


def markdown(
    benchmark: Benchmark, pictures: Sequence[tuple[str, str, str]], certificates: Sequence[Certificate] = ()
) -> str:
    """The whole report. ``pictures`` are (name, title, words in place of the picture)."""
    suite = benchmark.suite.suite
    sections = {layer: folds(parts) for layer, parts in _sections(benchmark, certificates).items()}
    parts = [
        f"# {escaped(suite.title)} {escaped(suite.version)}",
        *(f"**{escaped(line)}**" for line in opening(benchmark)),
        f"{escaped(benchmark.sentence)} Exit code {benchmark.exit_code}.",
        *_rests_on(benchmark),
        *_headlines(benchmark),
        *_figures(pictures),
        "## Contents",
        "\n".join(_listed(layer, [title for title, _ in sections[layer.id]]) for layer in layers(benchmark)),
    ]
    for layer in layers(benchmark):
        parts += [f"## {layer.title}", f"{layer.question} {escaped(layer.told)}"]
        parts += [fold(title, inside) for title, inside in sections[layer.id]]
    return "\n\n".join(parts) + "\n"


def _figures(pictures: Sequence[tuple[str, str, str]]) -> list[str]:
    """The first figures, and a fold with the others."""
    told = [_figure(*picture) for picture in pictures]
    rest = [part for figure in told[OPEN_FIGURES:] for part in figure]
    open_ones = [part for figure in told[:OPEN_FIGURES] for part in figure]
    return [*open_ones, *([fold(counted(len(told) - OPEN_FIGURES, "more figure"), rest)] if rest else [])]


def _figure(name: str, title: str, alt: str = "") -> tuple[str, str]:
    return f"**{escaped(title)}**", f"![{escaped(alt or title)}](plots/{name}.svg)"


def _listed(layer: Layer, titles: Sequence[str]) -> str:
    anchor = layer.title.lower().replace(" ", "-")  # as code hosts make them of headings
    return f"- [{layer.title}](#{anchor}): {escaped(' · '.join(titles)) or 'nothing measured'}"


def _rests_on(benchmark: Benchmark) -> list[str]:
    parts = [
        f"Figures rest on {label_words(benchmark.labels.provenance)}. Judges are reported on the splits that none of them "
        "was developed on. Square brackets hold 95 % intervals; the family of cases is the unit."
    ]
    return parts + ([escaped(words)] if (words := votes_words(benchmark.figures.votes)) else [])


def _headlines(benchmark: Benchmark) -> list[str]:
    parts = []
    for table in headline_tables(benchmark):
        parts += [f"### {escaped(headline_of(table))}", grid(headline_grid(table))]
    return parts


def _sections(benchmark: Benchmark, certificates: Sequence[Certificate]) -> dict[str, list[str]]:
    """Layer -> its sections, each opened by a heading."""
    figures = benchmark.figures
    effectiveness, quality = [], []
    for table in figures.tables:
        effectiveness += table_section(table, figures.same_lineage)
        quality += [*probability_section(table), *sample_section(table)]
    effectiveness += comparison_section(benchmark)
    effectiveness += ranking_sections(figures.rankings, grid)
    effectiveness += sensitivity_sections(figures.sensitivity, grid)
    effectiveness += pass_section(benchmark)
    effectiveness += slice_sections(figures.slices, grid)
    quality += repeat_sections(figures.repeats, grid)
    quality += experiment_sections(figures.experiments, grid, escaped)
    governance = certificate_section(benchmark, certificates)
    governance += agreement_sections(figures.agreement, benchmark.labels.provenance, grid)
    governance += third_vote_sections(figures.third_votes, grid)
    governance += noise_sections(figures.noise, grid)
    governance += [*book_section(benchmark), *check_section(benchmark), *signature_section(benchmark)]
    return {
        "effectiveness": effectiveness,
        "quality": quality,
        "efficiency": call_section(benchmark),
        "governance": governance,
    }


def folds(parts: Sequence[str]) -> list[tuple[str, list[str]]]:
    """A title and what stands under it, for each heading among the parts."""
    found: list[tuple[str, list[str]]] = []
    for part in parts:
        if part.startswith("## "):
            found.append((part.removeprefix("## "), []))
        else:
            found[-1][1].append(part)
    return found
