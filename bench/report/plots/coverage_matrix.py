"""Which cells of capability and difficulty hold cases, and which are empty on purpose."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from bench.benchmark import Benchmark
from bench.report.plots.canvas import TOP, axes_at, sheet
from bench.report.plots.drawn import Cell, Sketch
from bench.report.plots.names import listed, plain, short
from bench.report.plots.style import FULL, PALETTE, SMALL, TEXT

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_ROW, _HEAD, _LEFT = 0.24, 0.3, 1.6  # inches
_WIDEST = 1.25  # inches a column
_GROUND = 0.86  # of a cell


@dataclass(frozen=True)
class Place:
    """One cell: how many cases and families it holds; ``reason`` where the suite declares it empty."""

    capability: str
    difficulty: str
    cases: int
    families: int
    reason: str | None

    @property
    def state(self) -> str:
        return "holds cases" if self.cases else "empty" if self.reason is None else "declared empty"


def coverage_matrix(benchmark: Benchmark) -> Sketch | None:
    """The figure; None where the vocabulary has no cell."""
    places = places_of(benchmark)
    if not places:
        return None
    capabilities, difficulties = _names(places)
    tall = _ROW * (len(capabilities) + 1)
    title = "What the cases cover"
    held = sum(place.cases > 0 for place in places)
    about = (
        f"{sum(p.cases for p in places)} cases by capability and difficulty; {held} of {len(places)} cells hold a case"
    )
    figure = sheet(TOP + _HEAD + tall + 0.1, title, about)
    width = min(FULL - _LEFT - 0.1, _WIDEST * (len(difficulties) + 1))
    axes = axes_at(figure, _LEFT, TOP + _HEAD, width, tall)
    _grid(axes, places, capabilities, difficulties)
    return Sketch(title, _TOLD, _alt(about, places), "governance", _rows(places), figure)


def places_of(benchmark: Benchmark) -> list[Place]:
    """Every cell of the vocabulary, as the audit of coverage counts them."""
    suite = benchmark.suite.suite
    inside: Counter[tuple[str, str]] = Counter()
    families: dict[tuple[str, str], set[str]] = {}
    for loaded in benchmark.suite.cases:
        cell = loaded.case.metadata.capability, loaded.case.metadata.difficulty
        inside[cell] += 1
        families.setdefault(cell, set()).add(loaded.case.family)
    return [
        Place(
            capability,
            difficulty,
            inside[capability, difficulty],
            len(families.get((capability, difficulty), ())),
            reason,
        )
        for capability in suite.vocabulary.capability
        for difficulty in suite.vocabulary.difficulty
        for reason in [_declared(benchmark, capability, difficulty)]
    ]


def _declared(benchmark: Benchmark, capability: str, difficulty: str) -> str | None:
    for declared in benchmark.suite.suite.rules.empty_cells:
        if fnmatchcase(capability, declared.capability) and fnmatchcase(difficulty, declared.difficulty):
            return declared.reason
    return None


def _names(places: Sequence[Place]) -> tuple[list[str], list[str]]:
    return list(dict.fromkeys(p.capability for p in places)), list(dict.fromkeys(p.difficulty for p in places))


def _grid(axes: Axes, places: Sequence[Place], capabilities: Sequence[str], difficulties: Sequence[str]) -> None:
    axes.set(xlim=(-0.5, len(difficulties) + 0.5), ylim=(len(capabilities) + 0.5, -0.5))
    for place in places:
        _cell(axes, difficulties.index(place.difficulty), capabilities.index(place.capability), place)
    for row, name in enumerate(capabilities):
        total = sum(p.cases for p in places if p.capability == name)
        axes.text(len(difficulties), row, str(total), ha="center", va="center", size=TEXT, weight="bold")
    for column, name in enumerate(difficulties):
        total = sum(p.cases for p in places if p.difficulty == name)
        axes.text(column, len(capabilities), str(total), ha="center", va="center", size=TEXT, weight="bold")
    axes.set_yticks(range(len(capabilities) + 1), [*(short(name, 22) for name in capabilities), "all"], size=TEXT)
    axes.set_xticks(range(len(difficulties) + 1), [*(short(name, 16) for name in difficulties), "all"], size=TEXT)
    axes.xaxis.tick_top()
    axes.tick_params(length=0)
    for edge in axes.spines.values():
        edge.set_visible(False)


def _cell(axes: Axes, column: int, row: int, place: Place) -> None:
    bottom, width = row - _GROUND / 2, _GROUND + 0.08
    if place.cases:
        axes.bar([column], [_GROUND], color=PALETTE["band"], width=width, bottom=bottom)
        axes.text(column, row, str(place.cases), ha="center", va="center", size=TEXT)
    elif place.reason is not None:
        axes.text(column, row, "none, declared", ha="center", va="center", size=SMALL - 1, color=PALETTE["muted"])
    else:
        axes.bar(
            [column], [_GROUND], color="none", edgecolor=PALETTE["wrong"], lw=1.2, ls="--", width=width, bottom=bottom
        )
        axes.text(column, row, "none", ha="center", va="center", size=TEXT, weight="bold")


_TOLD = (
    "Counts of cases in all splits. An empty cell is either declared, with a reason, or a gap (dashed). A count says how many "
    "cases there are, not how much they differ: families are in the data."
)


def _alt(about: str, places: Sequence[Place]) -> str:
    held = [f"{p.capability} x {p.difficulty} {p.cases}" for p in places if p.cases]
    gaps = [f"{p.capability} x {p.difficulty}" for p in places if p.state == "empty"]
    return plain(f"{about}: {listed(held, 40)}. Empty and not declared: {listed(gaps, 20) or 'none'}.")


def _rows(places: Sequence[Place]) -> list[list[Cell]]:
    found: list[list[Cell]] = [["capability", "difficulty", "cases", "families", "state", "reason"]]
    found += [[p.capability, p.difficulty, p.cases, p.families, p.state, p.reason] for p in places]
    return found
