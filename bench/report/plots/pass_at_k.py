"""pass@k and pass^k from the labels and from each judge's verdicts: what a judge does to a system's figure."""

from __future__ import annotations

from collections.abc import Sequence

from bench.benchmark import Benchmark
from bench.measure.pass_figures import PassLine
from bench.report.kinds import callers, kind_of
from bench.report.plots.canvas import TOP, axes_at, key_of_kinds, sheet
from bench.report.plots.drawn import Cell, Sketch, interval_cells, interval_head
from bench.report.plots.marks import reference, rows, share_axis, whisker
from bench.report.plots.names import listed
from bench.report.plots.style import FULL, MARKS, SMALL

_TRUTH = "labels"
_ROW, _LEFT, _GAP = 0.2, 2.4, 0.12  # inches


def pass_at_k(benchmark: Benchmark) -> Sketch | None:
    """A column a figure, a row a source; None where the suite declares no pass@k or nothing is known."""
    lines = [line for line in benchmark.figures.pass_k if any(f.estimate.value is not None for f in line.figures)]
    if not lines:
        return None
    known = [f.estimate for line in lines for f in line.figures if f.estimate.value is not None]
    names = list(dict.fromkeys(estimate.name for estimate in known))
    wanted = benchmark.suite.suite.pass_k
    title = "pass@k and pass^k, from the labels and from each judge"
    where = f"{wanted.statement} on {', '.join(wanted.strata)}: " if wanted else ""
    about = f"{where}{lines[0].figures[0].cases} cases"
    called = callers(benchmark)
    tall = _ROW * len(lines)
    figure = sheet(TOP + 0.25 + tall + 0.5, title, about)
    width = (FULL - _LEFT - 0.12 - _GAP * (len(names) - 1)) / len(names)
    for column, name in enumerate(names):
        axes = axes_at(figure, _LEFT + column * (width + _GAP), TOP + 0.25, width, tall)
        rows(axes, [line.source for line in lines] if column == 0 else [""] * len(lines), first_bold=column == 0)
        for place, line in enumerate(lines):
            estimate = next((f.estimate for f in line.figures if f.estimate.name == name), None)
            truth = line.source == _TRUTH
            if estimate is not None:
                kind = kind_of(line.source, line.judge_id in called)
                whisker(axes, estimate, place, "ink" if truth else kind, "o" if truth else MARKS[kind], size=4)
                if truth and estimate.value is not None:
                    reference(axes, estimate.value, "")
        share_axis(axes, "x", "", room=0.06)
        axes.set_xticks([0, 0.5, 1], ["0", ".5", "1"])
        axes.set_title(name, size=SMALL, weight="bold")
    kinds = {kind_of(line.source, line.judge_id in called) for line in lines if line.source != _TRUTH}
    key_of_kinds(figure, kinds, TOP + 0.25 + tall + 0.4)
    return Sketch(
        title, _TOLD, _alt(about, benchmark.figures.pass_k), "effectiveness", _rows(benchmark.figures.pass_k), figure
    )


_TOLD = (
    "pass@k: one of k attempts succeeds; pass^k: all k do. The dotted line is the figure by the labels; a judge far from it "
    "would have told you another figure for the same system. It does not say which attempts a judge gets wrong."
)


def _alt(about: str, lines: Sequence[PassLine]) -> str:
    told = [
        f"{line.source}: {', '.join(f'{f.estimate.name} {f.estimate.cell()}' for f in line.figures)}" for line in lines
    ]
    return f"{about}. {listed(told, 20)}."


def _rows(lines: Sequence[PassLine]) -> list[list[Cell]]:
    found: list[list[Cell]] = [
        ["source", "judge_id", "figure", "k", *interval_head("value"), "cases", "excluded", "families", "undefined"]
    ]
    for line in lines:
        for f in line.figures:
            e = f.estimate
            found.append(
                [
                    line.source,
                    line.judge_id,
                    e.name,
                    f.k,
                    *interval_cells(e),
                    f.cases,
                    f.excluded,
                    e.families,
                    e.undefined,
                ]
            )
    return found
