"""The figures of a report, drawn with matplotlib; the same figures give the same bytes (no date, fixed ids)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bench.benchmark import Benchmark
from bench.measure.estimate import Estimate
from bench.measure.figures import Table
from bench.measure.judge_line import JudgeLine

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_CONTROLS = ("always-yes", "always-no", "prior", "length", "prompts")
_INK, _CONTROL, _RULE, _CODE = "#1f2933", "#8a94a0", "#1864ab", "#c2560a"


@dataclass(frozen=True)
class Plot:
    """A figure: its title, and the function that draws it (or returns None where there is nothing to draw)."""

    title: str
    draw: Callable[[Benchmark], Figure | None]


def draw_plots(benchmark: Benchmark, folder: Path) -> tuple[str, ...]:
    """Draw every figure as SVG and PNG; the names of those there was something to draw for."""
    import matplotlib  # 1.7 s to load, so only where figures are drawn

    matplotlib.use("Agg")
    style: Any = STYLE | {"svg.hashsalt": benchmark.suite.suite.id, "svg.fonttype": "none"}
    matplotlib.rcParams.update(style)
    folder.mkdir(parents=True, exist_ok=True)
    drawn = []
    for name, plot in PLOTS.items():
        figure = plot.draw(benchmark)
        if figure is not None:
            figure.savefig(folder / f"{name}.svg", metadata={"Date": None, "Creator": None})
            figure.savefig(folder / f"{name}.png", dpi=150, metadata={"Software": None})
            drawn.append(name)
    return tuple(drawn)


STYLE: dict[str, Any] = {
    "font.size": 9,
    "font.family": "DejaVu Sans",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.edgecolor": _CONTROL,
    "axes.labelcolor": _INK,
    "text.color": _INK,
    "xtick.color": _INK,
    "ytick.color": _INK,
    "figure.facecolor": "white",
}


def _new(width: float, height: float) -> tuple[Figure, Axes]:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), layout="constrained")
    return figure, figure.subplots()


def _primary(benchmark: Benchmark) -> Table | None:
    critical = {s.id for s in benchmark.suite.suite.statements if s.critical}
    tables = [t for t in benchmark.figures.tables if t.stratum.primary]
    return next((t for t in tables if t.statement in critical), tables[0] if tables else None)


def _colour(line: JudgeLine) -> str:
    if line.judge in _CONTROLS:
        return _CONTROL
    return _RULE if line.judge.startswith("rule:") else _CODE


def precision_recall(benchmark: Benchmark) -> Figure | None:
    """Precision against recall of every judge, with both intervals."""
    table = _primary(benchmark)
    if table is None or not table.stratum.precision_means_something:
        return None
    lines = [line for line in table.lines if _known(line, "precision") and _known(line, "recall")]
    if not lines:
        return None
    figure, axes = _new(6.4, 4.6)
    places: dict[tuple[float, float], list[int]] = {}
    for number, line in enumerate(lines, 1):
        x, y = line.metrics["recall"], line.metrics["precision"]
        places.setdefault((_value(x), _value(y)), []).append(number)
        bars: dict[str, Any] = {"xerr": arms(x), "yerr": arms(y), "fmt": "o", "ms": 5, "lw": 0.7, "alpha": 0.85}
        axes.errorbar([_value(x)], [_value(y)], color=_colour(line), **bars)
    for place, numbers in places.items():
        axes.annotate(", ".join(map(str, numbers)), place, xytext=(4, 4), textcoords="offset points")
    if table.prevalence.value is not None:
        axes.axhline(table.prevalence.value, lw=0.8, ls=":", color=_CONTROL)
        axes.annotate(
            "share of yes", (0, table.prevalence.value), xytext=(2, 2), textcoords="offset points", color=_CONTROL
        )
    names = "\n".join(f"{number}  {line.judge}" for number, line in enumerate(lines, 1))
    axes.text(1.03, 1.0, names, transform=axes.transAxes, va="top", fontsize=8)
    axes.set(xlim=(-0.02, 1.08), ylim=(-0.02, 1.08), xlabel="recall", ylabel="precision")
    axes.set_title(f"{table.statement} on {table.stratum.id}", loc="left")
    return figure


def mcc(benchmark: Benchmark) -> Figure | None:
    """MCC of every judge with its interval; 0 is chance."""
    table = _primary(benchmark)
    lines = [line for line in table.lines if _known(line, "mcc")] if table else []
    if table is None or not lines:
        return None
    figure, axes = _new(6.4, 0.32 * len(lines) + 1.2)
    _intervals(axes, lines, "mcc", chance=0.0)
    axes.set(xlim=(-1, 1), xlabel="MCC (0 is chance)")
    axes.set_title(f"{table.statement} on {table.stratum.id}", loc="left")
    return figure


def pass_at_k(benchmark: Benchmark) -> Figure | None:
    """pass@k over k, from the labels and from each judge."""
    lines = benchmark.figures.pass_k
    if not lines:
        return None
    figure, axes = _new(6.4, 3.6)
    for number, line in enumerate(lines):
        points = [
            (f.k, f.estimate.value) for f in line.figures if "@" in f.estimate.name and f.estimate.value is not None
        ]
        if points:
            truth = line.source == "labels"
            style: dict[str, Any] = (
                {"lw": 2.4, "color": _INK} if truth else {"lw": 1, "ls": "--", "color": f"C{number % 10}"}
            )
            axes.plot([k for k, _ in points], [v for _, v in points], marker="o", ms=3.5, label=line.source, **style)
    axes.set(
        ylim=(-0.02, 1.02), xlabel="k", ylabel="pass@k", xticks=sorted({f.k for line in lines for f in line.figures})
    )
    axes.legend(frameon=False, fontsize=7, loc="center left", bbox_to_anchor=(1.0, 0.5))
    axes.set_title("pass@k from the labels and from each judge", loc="left")
    return figure


def _intervals(axes: Axes, lines: Sequence[JudgeLine], metric: str, chance: float) -> None:
    for row, line in enumerate(reversed(lines)):
        estimate = line.metrics[metric]
        axes.errorbar([_value(estimate)], [row], xerr=arms(estimate), fmt="o", ms=4, lw=1.2, color=_colour(line))
    axes.set_yticks(range(len(lines)), [line.judge for line in reversed(lines)])
    axes.axvline(chance, lw=0.8, ls=":", color=_CONTROL)


def _known(line: JudgeLine, metric: str) -> bool:
    return metric in line.metrics and line.metrics[metric].value is not None


def _value(estimate: Estimate) -> float:
    if estimate.value is None:
        raise ValueError(f"{estimate.name} has no value to draw")
    return estimate.value


def arms(estimate: Estimate) -> list[list[float]] | None:
    if estimate.low is None or estimate.high is None:
        return None
    value = _value(estimate)
    return [[max(0.0, value - estimate.low)], [max(0.0, estimate.high - value)]]


PLOTS = {
    "precision-recall": Plot("precision and recall of every judge", precision_recall),
    "mcc": Plot("MCC of every judge", mcc),
    "pass-at-k": Plot("pass@k from labels and judges", pass_at_k),
}
