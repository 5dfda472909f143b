"""Intervals of probability figures at 10^5 rows: seconds and memory, beside a loop over scikit-learn in the same run.

python tests/perf/probabilities.py > reports/perf/probabilities.md      (make perf)
"""

from __future__ import annotations

import sys
import time
import tracemalloc
from collections.abc import Callable
from functools import partial

import numpy as np
from sharing import TRIES, fastest, grid, machine, seconds
from sklearn.calibration import calibration_curve
from sklearn.metrics import average_precision_score, roc_auc_score

from bench.measure.calibration import calibration_error
from bench.measure.ranking import RANK_METRICS, rank_interval, score_families

ROWS, RESAMPLES, FEW = 100_000, 2_000, 20
Rows = tuple[np.ndarray, np.ndarray, np.ndarray]


def rows_of(size: int) -> Rows:
    """Stated probabilities (all distinct), labels that follow them, and families."""
    generator = np.random.default_rng(7)
    stated = generator.beta(1, 1.5, ROWS)
    return stated, generator.random(ROWS) < stated, np.arange(ROWS) // size


def ranked(name: str) -> Callable[[Rows], None]:
    def job(rows: Rows) -> None:
        rank_interval(RANK_METRICS[name], score_families(*rows), 0, RESAMPLES)

    return job


def calibrated(rows: Rows) -> None:
    calibration_error(*rows, 0, resamples=RESAMPLES)


def binned(yes: np.ndarray, stated: np.ndarray) -> float:
    """What a user of scikit-learn writes: the curve over ten equal-mass bins, then the mean gap."""
    found, said = calibration_curve(yes, stated, n_bins=10, strategy="quantile")
    return float(np.mean(np.abs(found - said)))


OURS: dict[str, Callable[[Rows], None]] = {
    "AUROC": ranked("auroc"),
    "average precision": ranked("average_precision"),
    "calibration error": calibrated,
}
PEERS = {"AUROC": roc_auc_score, "average precision": average_precision_score, "calibration error": binned}


def loop(score: Callable[..., float], rows: Rows) -> float:
    """Resample families, gather their rows, score; extrapolated from a few. Grouping is not timed."""
    stated, yes, families = rows
    groups = np.split(np.arange(ROWS), np.flatnonzero(np.diff(families)) + 1)
    generator = np.random.default_rng(1)
    start = time.process_time()
    for _ in range(FEW):
        drawn = np.concatenate([groups[g] for g in generator.integers(0, len(groups), len(groups))])
        score(yes[drawn], stated[drawn])
    return (time.process_time() - start) / FEW * RESAMPLES


def growth(job: Callable[[], object]) -> float:
    """The most memory that a job holds above what was there, in MB (2^20 bytes), in a run of its own."""
    tracemalloc.start()
    before = tracemalloc.get_traced_memory()[0]
    job()
    peak = tracemalloc.get_traced_memory()[1] - before
    tracemalloc.stop()
    return peak / 2**20


def main() -> int:
    print(f"# Probabilities: intervals at {ROWS:,} rows, {RESAMPLES:,} family resamples\n")
    print(
        f"Processor seconds on one thread, the least of {TRIES} tries in which both take turns; "
        f"memory as tracemalloc sees it, in a run of its own. {machine()} * {FEW} resamples, extrapolated. Made by `make perf`.\n"
    )
    print(
        "bench counts families, resamples, and for calibration error also draws 2,000 times what a calibrated judge would show. "
        "The loop gives replicates only. scikit-learn has no calibration error: its `calibration_curve` is called.\n"
    )
    table = []
    for size in (1, 4):
        rows = rows_of(size)
        for name, own in OURS.items():
            jobs = {"bench": partial(own, rows), "peer": partial(loop, PEERS[name], rows)}
            found = fastest(jobs)
            table.append(
                [name, f"of {size}", seconds(found["bench"]), f"{growth(jobs['bench']):,.0f}", seconds(found["peer"]),
                 f"{found['peer'] / found['bench']:,.0f}"]
            )  # fmt: skip
    print(
        grid(["figure", "families", "bench, s", "bench, MB of growth", "scikit-learn loop*, s", "peer / bench"], table)
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
