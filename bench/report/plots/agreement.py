"""Agreement of the blind votes by stratum and statement, and how often a third vote says what the label says."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from bench.benchmark import Benchmark
from bench.measure.agreement_figures import AgreementLine
from bench.measure.estimate import Estimate
from bench.measure.latent_figures import LatentLine
from bench.report.plots.canvas import TOP, axes_at, sheet
from bench.report.plots.drawn import Cell, Sketch, interval_cells, interval_head
from bench.report.plots.marks import beside, number_axis, reference, rows, span_of, whisker
from bench.report.plots.names import listed, plain, short
from bench.report.plots.style import FULL, PALETTE, SMALL, TEXT

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_LEFT, _VALUES, _GAP = 1.75, 1.0, 0.12  # inches
_ROW = 0.19
_CUSTOMARY = 0.8


def agreement(benchmark: Benchmark) -> Sketch | None:
    """The figure; None without votes."""
    lines, third = benchmark.figures.agreement, benchmark.figures.third_votes
    if not lines:
        return None
    strata = list(dict.fromkeys(line.stratum for line in lines))
    names = _ordered(lines, strata)
    columns = 2 if third else 1
    width = (FULL - _LEFT - columns * _VALUES - (columns - 1) * _GAP) / columns
    title = "How far annotators agree"
    about = (
        f"{sum(line.votes for line in lines):,} blind votes on {sum(line.items for line in lines):,} items, all splits"
    )
    tall = _ROW * len(names)
    figure = sheet(TOP + 0.25 + tall + 0.45, title, about)
    alpha = axes_at(figure, _LEFT, TOP + 0.25, width, tall)
    found = {(line.stratum, line.statement): line.alpha for line in lines}
    _column(alpha, names, found, "Krippendorff's alpha")
    reference(alpha, _CUSTOMARY, ".80")
    _label(alpha, names)
    if third:
        left = _LEFT + width + _VALUES + _GAP
        checked = axes_at(figure, left, TOP + 0.25, width, tall)
        _column(checked, names, {(line.stratum, line.statement): line.agrees for line in third}, "third vote agrees")
        checked.set_yticks([])
    return Sketch(title, _told(benchmark), _alt(lines, third), "governance", _rows(lines, third), figure)


_Row = tuple[str, str | None]


def _ordered(lines: Sequence[AgreementLine], strata: Sequence[str]) -> list[_Row]:
    """Stratum by stratum: a head, then its statements."""
    return [
        row
        for stratum in strata
        for row in [(stratum, None), *((stratum, line.statement) for line in lines if line.stratum == stratum)]
    ]


def _column(axes: Axes, names: Sequence[_Row], found: dict[tuple[str, str], Estimate], name: str) -> None:
    rows(axes, [""] * len(names))
    for place, (stratum, statement) in enumerate(names):
        estimate = found.get((stratum, statement)) if statement else None
        if estimate is not None:
            whisker(axes, estimate, place, "ink", "o", size=4)
            told = estimate.cell() if estimate.value is not None else short(estimate.cell(), 16)
            beside(axes, place, told.removesuffix(" too few"), at=1.07)
    number_axis(axes, *span_of([*found.values()], 0.5, 1.0), name)


def _label(axes: Axes, names: Sequence[_Row]) -> None:
    axes.set_yticks(range(len(names)), [short(statement or stratum, 24) for stratum, statement in names], size=TEXT)
    for label, (_, statement) in zip(axes.get_yticklabels(), names, strict=True):
        label.set_fontweight("normal" if statement else "bold")
        label.set_fontsize(SMALL if statement else TEXT)
        label.set_color(PALETTE["ink"])


def _told(benchmark: Benchmark) -> str:
    models = benchmark.labels.provenance != ("person",)
    told = (
        "1 is full agreement, 0 what chance gives; hollow and dashed: too few votes. Many projects ask for .80 before they trust "
        "labels. Annotators may agree on a mistake: agreement measures repeatability, not truth"
    )
    return told + (", the more so where models voted." if models else ".")


def _alt(lines: Sequence[AgreementLine], third: Sequence[LatentLine]) -> str:
    told = [f"{line.statement} on {line.stratum} {line.alpha.cell()} of {line.items} items" for line in lines]
    checks = [f"{line.statement} on {line.stratum} {line.agrees.cell()} of {line.items}" for line in third]
    more = f" A third vote says what the label says: {listed(checks, 20)}." if checks else ""
    return plain(f"Krippendorff's alpha: {listed(told, 20)}.{more}")


def _rows(lines: Sequence[AgreementLine], third: Sequence[LatentLine]) -> list[list[Cell]]:
    checks = {(line.stratum, line.statement): line for line in third}
    found: list[list[Cell]] = [
        ["stratum", "statement", "items", "votes", "adjudicated", *interval_head("alpha"),
         *interval_head("alpha_without_unclear"), *interval_head("raw_agreement"), "families", "third_votes",
         *interval_head("third_vote_agrees"), "undefined"]
    ]  # fmt: skip
    for line in lines:
        check = checks.get((line.stratum, line.statement))
        found.append(
            [line.stratum, line.statement, line.items, line.votes, line.adjudicated, *interval_cells(line.alpha),
             *interval_cells(line.alpha_without_unclear), *interval_cells(line.raw), line.alpha.families,
             check.items if check else None, *interval_cells(check.agrees if check else None), line.alpha.undefined]
        )  # fmt: skip
    return found
