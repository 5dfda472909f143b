"""The judges that state probabilities, with what their rows say bin by bin."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from bench.benchmark import Benchmark
from bench.measure.binning import assign_bins
from bench.measure.calibration import STANDARD, Calibration, Point, calibration_error
from bench.measure.estimate import Estimate
from bench.measure.items import share_of_items
from bench.measure.judge_line import JudgeLine
from bench.measure.probability_figures import ProbabilityLine
from bench.measure.rows import Row
from bench.report.plots.subject import Subject, counted_rows

_FEW_RESAMPLES = 100  # they move the interval of the error only, which the line holds already


@dataclass(frozen=True)
class Binned:
    """One bin: the point of the curve, and the share of yes with its interval."""

    point: Point
    share: Estimate


@dataclass(frozen=True)
class Stated:
    """One judge's probabilities against the labels."""

    line: JudgeLine
    figures: ProbabilityLine
    bins: tuple[Binned, ...]
    probabilities: tuple[float, ...]


def stated_by(benchmark: Benchmark, subject: Subject) -> list[Stated]:
    """Every judge that gives a probability for every scored item."""
    found = []
    for line in subject.lines:
        if line.probability is not None:
            known = [(row, row.p) for row in counted_rows(benchmark, subject.table, line) if row.p is not None]
            probabilities = tuple(p for _, p in known)
            bins = _bins([row for row, _ in known], probabilities, benchmark.suite.suite.seed)
            found.append(Stated(line, line.probability, bins, probabilities))
    return found


def _bins(rows: Sequence[Row], probabilities: Sequence[float], seed: int) -> tuple[Binned, ...]:
    yes, families = [row.label.answer == "yes" for row in rows], [row.family for row in rows]
    curve: Calibration = calibration_error(probabilities, yes, families, seed, resamples=_FEW_RESAMPLES)
    of_row = assign_bins(np.array(probabilities, dtype=float), STANDARD.binning).of_row.tolist()
    shares = []
    for number in range(len(curve.points)):
        inside = [n for n, bin_number in enumerate(of_row) if bin_number == number]
        shares.append(share_of_items("share_yes", [yes[n] for n in inside], [families[n] for n in inside]))
    return tuple(Binned(point, share) for point, share in zip(curve.points, shares, strict=True))
