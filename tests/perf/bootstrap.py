"""The family bootstrap of ten count metrics against what a user could pick instead, on the same rows, in one run.

    python tests/perf/bootstrap.py > reports/perf/bootstrap.md      (make perf)

Ours counts rows into families and resamples distinct family vectors. Slow peers run 20 resamples and are extrapolated
(marked *). judgy bootstraps one corrected rate, not ten metrics, and knows no families; it is here as users meet it.
"""

from __future__ import annotations

import importlib.util
import statistics
import sys
import time
from collections.abc import Callable

import numpy as np
from scipy.stats import bootstrap
from sklearn import metrics as peer

from bench.measure.counts import count_families
from bench.measure.metrics import METRICS
from bench.measure.resampling import draw

NAMES = (
    "precision",
    "recall",
    "specificity",
    "npv",
    "accuracy",
    "f1",
    "balanced_accuracy",
    "mcc",
    "cohen_kappa",
    "gwet_ac1",
)
RESAMPLES, FEW, TRIES = 10_000, 20, 3
Rows = tuple[np.ndarray, np.ndarray, np.ndarray]


def rows_of(count: int, size: int, varied: bool, seed: int = 7) -> Rows:
    """Labels, verdicts and families: of ``size`` items, or of 1 to 2 ``size`` - 1 items."""
    generator = np.random.default_rng(seed)
    labels = generator.random(count) < 0.4
    verdicts = np.where(generator.random(count) < 0.8, labels, ~labels)
    if not varied:
        return labels, verdicts, np.arange(count) // size
    sizes = generator.integers(1, 2 * size, count)
    return labels, verdicts, np.repeat(np.arange(count), sizes)[:count]


def ours(rows: Rows) -> None:
    families = count_families(*rows)
    drawn = draw(families.multiplicity, families.stratum, 1, RESAMPLES)
    sums = drawn @ families.vectors
    for name in NAMES:
        np.nanquantile(METRICS[name].values(sums), (0.025, 0.975))


def scipys(rows: Rows) -> float:
    """Percentile bootstrap over family count vectors, vectorised, one metric after another."""
    labels, verdicts, families = rows
    cells = np.stack([labels & verdicts, ~labels & verdicts, labels & ~verdicts, ~labels & ~verdicts], axis=1).astype(
        float
    )
    vectors = np.zeros((families.max() + 1, 4))
    np.add.at(vectors, families, cells)
    index = np.arange(len(vectors))
    start = time.perf_counter()
    for name in NAMES:
        metric = METRICS[name]

        def statistic(chosen: np.ndarray, axis: int = -1, metric=metric) -> np.ndarray:  # type: ignore[no-untyped-def]
            return metric.values(vectors[chosen].sum(axis=axis - 1 if axis < 0 else axis))

        bootstrap((index,), statistic, n_resamples=FEW, vectorized=True, method="percentile", batch=FEW, random_state=1)
    return (time.perf_counter() - start) / FEW * RESAMPLES


def sklearns(rows: Rows) -> float:
    """A loop: resample families, gather their rows, ten scores."""
    labels, verdicts, families = rows
    order = np.argsort(families, kind="stable")
    starts = np.flatnonzero(np.diff(families[order], prepend=-1))
    groups = np.split(order, starts[1:])
    generator = np.random.default_rng(1)
    start = time.perf_counter()
    for _ in range(FEW):
        rows_drawn = np.concatenate([groups[g] for g in generator.integers(0, len(groups), len(groups))])
        y, said = labels[rows_drawn], verdicts[rows_drawn]
        peer.precision_recall_fscore_support(y, said, average="binary")
        peer.recall_score(~y, ~said)
        peer.precision_score(~y, ~said)
        peer.accuracy_score(y, said)
        peer.balanced_accuracy_score(y, said)
        peer.matthews_corrcoef(y, said)
        peer.cohen_kappa_score(y, said)
    return (time.perf_counter() - start) / FEW * RESAMPLES


def judgys(rows: Rows) -> float:
    """One corrected success rate, rows drawn one by one."""
    from judgy import estimate_success_rate

    labels, verdicts, _ = (part.astype(int) for part in rows)
    start = time.perf_counter()
    estimate_success_rate(labels, verdicts, verdicts, bootstrap_iterations=FEW)
    return (time.perf_counter() - start) / FEW * RESAMPLES


def timed(function: Callable[[Rows], float | None], rows: Rows) -> float:
    """Median seconds of three tries."""
    found = []
    for _ in range(TRIES):
        start = time.perf_counter()
        extrapolated = function(rows)
        found.append(time.perf_counter() - start if extrapolated is None else extrapolated)
    return statistics.median(found)


def main() -> int:
    peers: list[tuple[str, Callable[[Rows], float]]] = [
        ("scipy.stats.bootstrap*", scipys),
        ("scikit-learn loop*", sklearns),
    ]
    if importlib.util.find_spec("judgy"):
        peers.append(("judgy, one rate*", judgys))
    print("# Family bootstrap: ten count metrics, 10,000 resamples\n")
    print(
        "Seconds, median of three tries in one run on two shared cores. "
        "* 20 resamples, extrapolated. Made by `make perf`.\n"
    )
    print(
        "| rows | families | bench | "
        + " | ".join(name for name, _ in peers)
        + " | fastest peer of ten metrics / bench |"
    )
    print("|---|---|---|" + "---|" * (len(peers) + 1))
    for count in (1_000, 10_000, 100_000):
        for told, size, varied in (
            ("of 1", 1, False),
            ("of 4", 4, False),
            ("of 1 to 7", 4, True),
            ("of 1 to 19", 10, True),
        ):
            rows = rows_of(count, size, varied)
            own = timed(ours, rows)
            others = [timed(function, rows) for _, function in peers]
            ratio = min(others[:2]) / own
            print(
                f"| {count:,} | {told} | {own:.3f} | " + " | ".join(f"{o:,.1f}" for o in others) + f" | {ratio:,.0f} |",
                flush=True,
            )
    return 0


if __name__ == "__main__":
    sys.exit(main())
