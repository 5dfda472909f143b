"""Counts at every operating point of the judges that give probabilities: what the page's slider recomputes from."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from bench.benchmark import Benchmark
from bench.measure.items import REPORTED_SPLITS
from bench.measure.rows import Row
from bench.report.jsonable import Json

MOST_POINTS = 200  # of one curve; beyond, thresholds are taken evenly from the sorted values
DEVELOPMENT = "development"
REPORTED = "reported"


def operating_points(benchmark: Benchmark) -> list[Json]:
    """One curve a judge, statement, stratum and side (development rows, where a threshold may be chosen; reported rows)."""
    return [
        curve
        for number, (_, rows) in enumerate(benchmark.headline)
        for place in dict.fromkeys((row.statement, row.stratum) for row in rows)
        for side in (DEVELOPMENT, REPORTED)
        for curve in _curves(number, place, side, rows)
    ]


def _curves(judge: int, place: tuple[str, str], side: str, rows: Sequence[Row]) -> Iterator[Json]:
    splits = REPORTED_SPLITS if side == REPORTED else (DEVELOPMENT,)
    mine = [row for row in rows if (row.statement, row.stratum) == place and row.split in splits]
    counted = [row for row in mine if row.counts and row.answer in ("yes", "no")]
    stated = [row.p for row in counted if row.p is not None]
    if not stated or len(stated) < len(counted):
        return
    labels = np.array([row.label.answer == "yes" for row in counted], dtype=bool)
    yield {
        "judge": judge,
        "statement": place[0],
        "stratum": place[1],
        "side": side,
        "unscored": sum(row.answer is None and row.label.status == "labelled" for row in mine),
        **_counts(np.array(stated, dtype=float), labels),
    }


def _counts(
    values: np.ndarray[tuple[int], np.dtype[np.float64]], labels: np.ndarray[tuple[int], np.dtype[np.bool]]
) -> Json:
    """Yes means a probability of at least the threshold; counts of true and false yes at each threshold, falling in it."""
    points = np.unique(values)[::-1]
    if len(points) > MOST_POINTS:
        points = points[np.linspace(0, len(points) - 1, MOST_POINTS).round().astype(int)]
    ascending_yes, ascending_no = np.sort(values[labels]), np.sort(values[~labels])
    true = len(ascending_yes) - np.searchsorted(ascending_yes, points, side="left")
    false = len(ascending_no) - np.searchsorted(ascending_no, points, side="left")
    return {
        "yes": len(ascending_yes),
        "no": len(ascending_no),
        "at": [float(point) for point in points],
        "tp": [int(count) for count in true],
        "fp": [int(count) for count in false],
    }
