"""The figures of a report: their numbers are the benchmark's, undefined is not drawn, and the same input gives the same bytes."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from plot_suites import HALF, HOSTILE, MUTE, SURE, made, renamed
from suites import make_suite

from bench.benchmark import Benchmark, examine
from bench.measure.estimate import TOO_FEW, Estimate, undefined_estimate
from bench.report.plots import style
from bench.report.plots.comparison import comparison
from bench.report.plots.draw import FIGURES, draw_plots
from bench.report.plots.drawn import Drawn, Sketch, csv_text
from bench.report.plots.marks import whisker
from bench.report.plots.names import folded, plain, short
from bench.report.plots.placing import Box, place_labels, spread
from bench.report.plots.precision_recall import precision_recall
from bench.report.plots.quality_cost import quality_cost
from bench.report.plots.risk_coverage import risk_coverage, thinned
from bench.workspace import session_folders

Rows = list[dict[str, str]]


@pytest.fixture(scope="module")
def benchmark(tmp_path_factory: pytest.TempPathFactory) -> Benchmark:
    return made(tmp_path_factory.mktemp("lamps"))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("plots")


@pytest.fixture(scope="module")
def drawn(benchmark: Benchmark, folder: Path) -> dict[str, Drawn]:
    return {one.name: one for one in draw_plots(benchmark, folder)}


def data(one: Drawn) -> Rows:
    return list(csv.DictReader(io.StringIO(one.data)))


def number(cell: str) -> float | None:
    return float(cell) if cell else None


def told(row: dict[str, str], name: str) -> tuple[float | None, float | None, float | None]:
    return number(row[name]), number(row[f"{name}_low"]), number(row[f"{name}_high"])


def ends(estimate: Estimate) -> tuple[float | None, float | None, float | None]:
    return estimate.value, estimate.low, estimate.high


def sketched(figure: Callable[[Benchmark], Sketch | None], benchmark: Benchmark) -> Sketch:
    with style.look("test"):
        found = figure(benchmark)
    assert found is not None
    return found


def texts(sketch: Sketch) -> list[str]:
    from matplotlib.text import Text

    return [text.get_text() for text in sketch.figure.findobj(Text) if isinstance(text, Text)]


def places(sketch: Sketch, axes: int = 0) -> list[tuple[float, float]]:
    """Where marks of one point stand."""
    return [
        (float(line.get_xdata()[0]), float(line.get_ydata()[0]))  # type: ignore[index, arg-type]
        for line in sketch.figure.axes[axes].lines
        if len(line.get_xdata()) == 1 and line.get_marker() != "none"  # type: ignore[arg-type]
    ]


# --- what is written ---


def test_every_figure_is_written_with_its_data_and_its_words(drawn: dict[str, Drawn]) -> None:
    assert list(drawn) == list(FIGURES)
    assert {one.layer for one in drawn.values()} == {"effectiveness", "judge quality", "efficiency", "governance"}
    assert len({one.title for one in drawn.values()}) == len(drawn)
    for one in drawn.values():
        assert len(data(one)) > 0
        assert one.told.endswith(".") and one.alt.endswith(".")
        assert one.alt in (one.svg.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&"))


def test_the_same_benchmark_gives_the_same_bytes(
    benchmark: Benchmark, drawn: dict[str, Drawn], folder: Path, tmp_path: Path
) -> None:
    assert {one.name: one for one in draw_plots(benchmark, tmp_path)} == drawn
    first, second = ({p.name: p.read_bytes() for p in place.iterdir()} for place in (folder, tmp_path))
    assert first == second
    assert set(first) == {f"{name}{end}" for name in FIGURES for end in (".svg", ".png", ".csv")}
    for one in drawn.values():
        assert (first[f"{one.name}.svg"].decode(), first[f"{one.name}.csv"].decode()) == (one.svg, one.data)


def test_nothing_to_draw_draws_nothing(benchmark: Benchmark, tmp_path: Path) -> None:
    gone: dict[str, Any] = {
        "tables": (), "pass_k": (), "agreement": (), "comparisons": (), "slices": (), "calls": (), "third_votes": (),
    }  # fmt: skip
    bare = replace(benchmark, figures=replace(benchmark.figures, **gone))
    assert [one.name for one in draw_plots(bare, tmp_path)] == ["coverage-matrix"]


@pytest.mark.parametrize("suite", ["a suite of two cases", "no judge has scored", "every figure undefined"])
def test_hardly_anything_to_draw_is_drawn_without_a_fault(benchmark: Benchmark, tmp_path: Path, suite: str) -> None:
    if suite == "a suite of two cases":
        layout = make_suite(tmp_path)
        little = examine(layout, session_folders(layout, []), live_seconds=None)
    else:
        little = benchmark
    table = benchmark.figures.tables[0]
    if suite == "no judge has scored":
        mute = tuple(line for line in table.lines if line.judge == MUTE)
        little = replace(benchmark, figures=replace(benchmark.figures, tables=(replace(table, lines=mute),)))
    elif suite == "every figure undefined":
        nothing = {name: undefined_estimate(name, "no items") for name in table.lines[0].metrics}
        lines = tuple(replace(line, metrics=nothing) for line in table.lines)
        little = replace(benchmark, figures=replace(benchmark.figures, tables=(replace(table, lines=lines),)))
    names = [one.name for one in draw_plots(little, tmp_path / "plots")]
    assert "coverage-matrix" in names
    assert "precision-recall" not in names or suite == "a suite of two cases"


# --- the data are the benchmark's figures ---


def test_precision_recall_and_confusion_hold_the_tables_numbers(benchmark: Benchmark, drawn: dict[str, Drawn]) -> None:
    lines = {line.judge_id: line for line in benchmark.figures.tables[0].lines}
    rows = data(drawn["precision-recall"])
    assert {row["judge_id"] for row in rows} == set(lines)
    for row in rows:
        for metric in ("precision", "recall"):
            assert told(row, metric) == ends(lines[row["judge_id"]].metrics[metric])
        assert bool(row["undefined"]) == (row["precision"] == "" or row["recall"] == "")
    counted = {
        row["judge_id"]: [int(row[cell]) for cell in ("tp", "fp", "fn", "tn")] for row in data(drawn["confusion"])
    }
    assert counted == {
        name: [line.counts[cell] for cell in ("tp", "fp", "fn", "tn")] for name, line in lines.items() if line.counts
    }


def test_comparison_holds_every_mcc_and_every_difference(benchmark: Benchmark, drawn: dict[str, Drawn]) -> None:
    rows = data(drawn["comparison"])
    lines = {line.judge_id: line for line in benchmark.figures.tables[0].lines}
    for row in rows:
        if row["what"] == "judge":
            assert told(row, "value") == ends(lines[row["judge_id"]].metrics["mcc"])
    gaps = [row for row in rows if row["what"] == "difference"]
    for row, line in zip(gaps, benchmark.figures.comparisons, strict=True):
        assert line.decided is not None
        assert told(row, "value") == ends(line.decided.gap)
        assert (row["verdict"], float(row["level"])) == (line.decided.verdict, line.decided.level)
        assert float(row["margin"]) == line.decided.declared.threshold


def test_probabilities_hold_the_lines_numbers(benchmark: Benchmark, drawn: dict[str, Drawn]) -> None:
    stated = {line.judge_id: line.probability for line in benchmark.figures.tables[0].lines if line.probability}
    bins = data(drawn["reliability"])
    assert {row["judge_id"] for row in bins} == set(stated)
    for judge, found in stated.items():
        mine = [row for row in bins if row["judge_id"] == judge]
        assert sum(int(row["items"]) for row in mine) == found.items
        # The calibration error is the mean distance of the bins that are drawn.
        off = [int(row["items"]) * abs(float(row["share_yes"]) - float(row["stated"])) for row in mine]
        assert found.calibration.value is not None
        assert sum(off) / found.items == pytest.approx(found.calibration.value)
        curve = [row for row in data(drawn["risk-coverage"]) if row["judge_id"] == judge]
        assert [(int(r["selected"]), int(r["wrong"]), float(r["risk"])) for r in curve] == [
            (p.selected, p.wrong, p.risk) for p in found.risk_curve
        ]
        assert told(curve[0], "risk_area") == ends(found.risk_area)


def test_slices_agreement_and_pass_hold_their_lines_numbers(benchmark: Benchmark, drawn: dict[str, Drawn]) -> None:
    figures = benchmark.figures
    assert [told(row, "accuracy") for row in data(drawn["slices"])] == [ends(line.accuracy) for line in figures.slices]
    rows = data(drawn["agreement"])
    assert [(told(row, "alpha"), told(row, "raw_agreement"), int(row["votes"])) for row in rows] == [
        (ends(line.alpha), ends(line.raw), line.votes) for line in figures.agreement
    ]
    assert [told(row, "value") for row in data(drawn["pass-at-k"])] == [
        ends(f.estimate) for line in figures.pass_k for f in line.figures
    ]


def test_coverage_counts_the_cases_and_tells_a_gap_from_what_is_declared(
    benchmark: Benchmark, drawn: dict[str, Drawn]
) -> None:
    rows = {(row["capability"], row["difficulty"]): row for row in data(drawn["coverage-matrix"])}
    assert (rows["repair", "plain"]["cases"], rows["repair", "plain"]["state"]) == ("40", "holds cases")
    assert (rows["refund", "plain"]["cases"], rows["refund", "plain"]["state"]) == ("0", "declared empty")
    suite = benchmark.suite.suite
    open_gap = replace(
        benchmark,
        suite=replace(
            benchmark.suite,
            suite=suite.model_copy(update={"rules": suite.rules.model_copy(update={"empty_cells": ()})}),
        ),
    )
    found = sketched(FIGURES["coverage-matrix"], open_gap)
    assert "Empty and not declared: refund x plain." in found.alt
    assert "none" in texts(found)


# --- what is not known is not drawn ---


def test_undefined_is_listed_and_never_a_mark(benchmark: Benchmark) -> None:
    found = sketched(comparison, benchmark)
    values = [line.metrics["mcc"].value for line in benchmark.figures.tables[0].lines]
    marks = [x for x, _ in places(found)]
    assert sorted(marks) == sorted(v for v in values if v is not None)
    assert len(marks) < len(values)
    assert sum(text.startswith("n/a (") for text in texts(found)) == len(values) - len(marks)


def test_a_judge_without_precision_is_named_as_not_drawn(benchmark: Benchmark) -> None:
    found = sketched(precision_recall, benchmark)
    assert any(text.startswith("not drawn: always-no,") and "0 predicted yes" in text for text in texts(found))
    assert f"Not drawn: always-no (0 predicted yes); {MUTE} (nothing labelled and scored)." in found.alt


def test_too_few_is_hollow_and_dashed() -> None:
    from matplotlib.figure import Figure

    axes = Figure().subplots()
    for note in (None, TOO_FEW):
        whisker(axes, Estimate("mcc", 0.5, 0.1, 0.9, "m", 9, note), 0, "rule", "o")
    sure, sure_mark, thin, thin_mark = axes.lines
    assert (sure.get_linestyle(), thin.get_linestyle()) == ("-", "--")
    assert sure_mark.get_markerfacecolor() == style.PALETTE["rule"]
    assert thin_mark.get_markerfacecolor() == style.PALETTE["paper"]
    whisker(axes, undefined_estimate("mcc", "no items"), 0, "rule", "o")
    assert len(axes.lines) == 4


def test_a_cost_that_is_not_measured_is_told_and_has_no_place(benchmark: Benchmark) -> None:
    found = sketched(quality_cost, benchmark)
    rows = {str(row[0]): dict(zip(found.rows[0], row, strict=True)) for row in found.rows[1:]}
    assert rows[SURE]["usd_per_1000_verdicts"] == 50.0  # two dollars for 40 verdicts
    assert (rows[HALF]["usd_per_1000_verdicts"], rows[HALF]["median_ms"]) == (None, None)
    assert (rows["rule:own"]["usd_per_1000_verdicts"], rows["rule:own"]["median_ms"]) == (0.0, None)
    assert [x for x, _ in places(found, 0)] == [50.0]
    assert [x for x, _ in places(found, 1)] == [250.0]
    assert {f"cost not measured: {HALF}", f"time not measured: {HALF}"} <= set(texts(found))
    assert "0 US$, time not measured: 4 judges that need no call" in texts(found)


def test_without_any_measured_cost_there_is_no_such_figure(benchmark: Benchmark) -> None:
    free = tuple(replace(line, usd=0.0, cost_unknown=0, median_ms=None) for line in benchmark.figures.calls)
    assert quality_cost(replace(benchmark, figures=replace(benchmark.figures, calls=free))) is None


def test_a_difference_beyond_one_is_drawn_to_its_end(benchmark: Benchmark) -> None:
    (gap, *_) = [line.decided.gap for line in benchmark.figures.comparisons if line.decided]
    assert gap.high is not None and gap.high > 1  # an MCC may differ by two
    low, high = sketched(comparison, benchmark).figure.axes[-1].get_xlim()
    assert gap.low is not None and low <= gap.low and gap.high <= high


def test_a_long_curve_is_thinned_from_end_to_end(benchmark: Benchmark) -> None:
    line = next(line for line in benchmark.figures.tables[0].lines if line.judge == SURE)
    assert line.probability is not None
    curve = line.probability.risk_curve * 40
    kept = thinned(curve)
    assert (len(kept), kept[0], kept[-1]) == (200, curve[0], curve[-1])
    assert len(sketched(risk_coverage, benchmark).rows) == 1 + sum(
        len(x.probability.risk_curve) for x in benchmark.figures.tables[0].lines if x.probability
    )


# --- names ---


def test_a_hostile_name_stays_text(benchmark: Benchmark, tmp_path: Path) -> None:
    for one in draw_plots(renamed(benchmark, SURE, HOSTILE), tmp_path):
        for text in (one.svg, one.data, one.alt):
            assert "\u202e" not in text and "\x07" not in text
        assert "<script" not in one.svg
        assert "mathdefault" not in one.svg


def test_names_are_printed_whole_or_say_that_they_are_not() -> None:
    assert plain("a\u202eb\x00\ud800") == "a\\u202eb\\u0000\\ud800"
    assert short("rule:x") == "rule:x"
    cut = short("decision:" + "m" * 60 + "-v2", 20)
    assert len(cut) == 20 and "…" in cut and cut.endswith("-v2")
    assert folded("decision:sparrow-nano-general-v1.1", 25) == "decision:\nsparrow-nano-general-v1.1"
    assert max(map(len, folded("x" * 90, 25).split("\n"))) == 25


def test_no_cell_of_the_data_is_a_formula() -> None:
    assert csv_text([["judge", "value"], ["=1+1", -0.5], ["@x", None]]) == "judge,value\n'=1+1,-0.5\n'@x,\n"


# --- places of labels ---


def test_labels_lie_on_no_mark_and_on_no_label() -> None:
    points = [(50.0, 50.0), (56.0, 52.0), (50.0, 58.0), (95.0, 95.0)]
    sizes = [(14.0, 7.0)] * 4
    corners = place_labels(points, sizes, Box(0, 0, 100, 100))
    boxes = [Box(x, y, x + w, y + h) for (x, y), (w, h) in zip(corners, sizes, strict=True)]
    for n, box in enumerate(boxes):
        assert all(box.overlap(other) == 0 for other in boxes[:n])
        assert all(not (box.left < x < box.right and box.bottom < y < box.top) for x, y in points)
        assert box.left >= 0 and box.bottom >= 0 and box.right <= 100 and box.top <= 100


def test_names_at_the_ends_of_curves_are_apart() -> None:
    found = spread([0.42, 0.42, 0.45, 0.1, 0.99], 0.1, 0.0, 1.0)
    assert all(b - a >= 0.1 - 1e-9 for a, b in zip(sorted(found), sorted(found)[1:], strict=False))
    assert found[3] == 0.1
    assert sorted(range(5), key=found.__getitem__) == [3, 0, 1, 2, 4]
    assert min(found) >= 0 and max(found) <= 1


# --- the palette ---


def luminance(colour: str) -> float:
    """Relative luminance as WCAG 2.2 defines it."""
    parts = [int(colour[n : n + 2], 16) / 255 for n in (1, 3, 5)]
    linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return math.fsum(w * p for w, p in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


@pytest.mark.parametrize(
    ("role", "least"),
    [("ink", 7), ("muted", 4.5), ("rule", 3), ("code", 3), ("model", 3), ("control", 3), ("right", 3), ("wrong", 3)],
)
def test_what_carries_meaning_stands_out_from_white(role: str, least: float) -> None:
    assert 1.05 / (luminance(style.PALETTE[role]) + 0.05) >= least


def test_each_role_has_its_own_colour_and_each_kind_its_own_mark() -> None:
    assert len(set(style.PALETTE.values())) == len(style.PALETTE)
    assert len(set(style.MARKS.values())) == len(style.MARKS)
