"""Every figure of a report, written as SVG, PNG and CSV; the same benchmark gives the same bytes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from bench.benchmark import Benchmark
from bench.report.plots.agreement import agreement
from bench.report.plots.canvas import png_bytes, svg_text
from bench.report.plots.comparison import comparison
from bench.report.plots.confusion import confusion
from bench.report.plots.coverage_matrix import coverage_matrix
from bench.report.plots.drawn import Drawn, Sketch, csv_text
from bench.report.plots.names import plain
from bench.report.plots.pass_at_k import pass_at_k
from bench.report.plots.precision_recall import precision_recall
from bench.report.plots.quality_cost import quality_cost
from bench.report.plots.reliability import reliability
from bench.report.plots.risk_coverage import risk_coverage
from bench.report.plots.slices import slices
from bench.report.plots.style import look

FIGURES: dict[str, Callable[[Benchmark], Sketch | None]] = {
    "precision-recall": precision_recall,
    "comparison": comparison,
    "confusion": confusion,
    "pass-at-k": pass_at_k,
    "reliability": reliability,
    "risk-coverage": risk_coverage,
    "slices": slices,
    "quality-cost": quality_cost,
    "agreement": agreement,
    "coverage-matrix": coverage_matrix,
}


def draw_plots(benchmark: Benchmark, folder: Path) -> tuple[Drawn, ...]:
    """Draw every figure that there is something to draw for, in reading order."""
    folder.mkdir(parents=True, exist_ok=True)
    drawn = []
    with look(benchmark.suite.suite.id):
        for name, figure in FIGURES.items():
            sketch = figure(benchmark)
            if sketch is not None:
                drawn.append(_write(name, sketch, folder))
    return tuple(drawn)


def _write(name: str, sketch: Sketch, folder: Path) -> Drawn:
    alt = plain(sketch.alt)
    svg, data = svg_text(sketch.figure, sketch.title, alt), csv_text(sketch.rows)
    for end, text in ((".svg", svg), (".csv", data)):
        (folder / f"{name}{end}").write_text(text, encoding="utf-8", newline="\n")
    (folder / f"{name}.png").write_bytes(png_bytes(sketch.figure))
    return Drawn(name, sketch.title, sketch.told, alt, sketch.layer, data, svg)
